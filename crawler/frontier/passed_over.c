/* Filters of calls, and what they passed over. */
#include "crawler/frontier/passed_over.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/page_filter.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/page.h"

/* A call gives so few back that another one, which chooses them again in vain,
 * does so about once for each page that is leased. */
#define RETURNS 2
#define LOOKS 256 /* at items, of which pages are read from the store */

unsigned
passed_filter(struct frontier *f, const struct frontier_consumer *consumer)
{
	struct passed_over *passed = &f->passed;
	struct passed_filter *filter;
	unsigned i;

	if (consumer->filter == NULL)
		return 0;
	for (i = 1; i < PASSED_FILTERS && passed->filters[i].text != NULL; i++)
		if (strcmp(passed->filters[i].text, consumer->filter_text) == 0)
			return i;
	if (i == PASSED_FILTERS)
		i = 1 + passed->turn++ % (PASSED_FILTERS - 1);
	filter = &passed->filters[i];
	free(filter->text);
	*filter = (struct passed_filter){
	    .text = mem_copy(consumer->filter_text)};
	/* what was cached for the filter before has its number */
	for (size_t k = f->candidates.count; k-- > 0;)
		if (f->candidates.items[k].document >> 32 == i)
			candidate_cache_forget(
			    &f->candidates, f->candidates.items[k].document);
	return i;
}

/* Was the item passed over, and has nothing happened to it since?  An item may
 * stand in the list twice. */
static bool
passed_is_there(const struct frontier *f, uint32_t item)
{
	uint32_t number = item_number(item);

	return item_kind(item) == ITEM_PAGE
	    ? (page_at(f, number)->owner_flags & PAGE_PASSED) != 0
	    : document_at(f, number)->is_passed;
}

/* The scheduler may choose the item again. */
static void
passed_return(struct frontier *f, uint32_t item)
{
	uint32_t number = item_number(item);

	if (item_kind(item) == ITEM_PAGE) {
		page_at(f, number)->owner_flags &= (uint8_t)~PAGE_PASSED;
		page_return(f, number);
	} else {
		document_at(f, number)->is_passed = false;
		document_listed(f, number, false);
	}
}

void
passed_add(
    struct frontier *f, const struct frontier_consumer *consumer, uint32_t item)
{
	struct passed_over *passed = &f->passed;
	unsigned number = passed_filter(f, consumer);
	struct passed_filter *filter = &passed->filters[number];
	bool has_seen_all;

	/* Calls that take turns may pass over the same items for ever: then all
	 * begins anew. */
	if (passed->count >
	    2 * (f->scheduler->pages.count + f->scheduler->sources.count)) {
		for (size_t i = 0; i < passed->count; i++)
			if (passed_is_there(f, passed->items[i]))
				passed_return(f, passed->items[i]);
		for (unsigned k = 0; k < PASSED_FILTERS; k++)
			passed->filters[k].seen = 0;
		passed->count = 0;
	}
	has_seen_all = filter->seen == passed->count;
	*MEM_PUSH(passed->items, passed->count, passed->cap) = item;
	if (item_kind(item) == ITEM_PAGE)
		page_at(f, item_number(item))->owner_flags |= PAGE_PASSED;
	else
		document_at(f, item_number(item))->is_passed = true;
	if (has_seen_all)
		filter->seen = passed->count;
}

size_t
passed_look(struct frontier *f, const struct frontier_consumer *consumer)
{
	struct passed_over *passed = &f->passed;
	struct passed_filter *filter;
	size_t looks = 0, returns = 0;

	if (passed->count == 0)
		return 0;
	filter = &passed->filters[passed_filter(f, consumer)];
	for (;
	     filter->seen < passed->count && looks < LOOKS && returns < RETURNS;
	     looks++) {
		uint32_t item = passed->items[filter->seen++];
		bool is_wanted = passed_is_there(f, item);
		struct page_row row;

		if (is_wanted && item_kind(item) == ITEM_PAGE &&
		    consumer->filter != NULL)
			is_wanted = store_page_get(f->store,
					page_at(f, item_number(item))->id,
					&row) &&
			    page_filter_wants(consumer->filter, row.url,
				&row.lastmod, row.first_seen_s, f->now_s);
		if (is_wanted)
			passed_return(f, item);
		returns += is_wanted;
	}
	return looks;
}
