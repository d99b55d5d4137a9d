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

bool
consumer_wants(const struct frontier *f,
    const struct frontier_consumer *consumer, struct slice url,
    const struct date *lastmod, int64_t first_seen_s)
{
	return consumer->filter == NULL ||
	    page_filter_refuses(consumer->filter,
		&(struct page_filter_subject){.url = url,
		    .lastmod = lastmod,
		    .first_seen_s = first_seen_s,
		    .now_s = f->now_s}) == NULL;
}

unsigned
passed_filter(struct frontier *f, const struct frontier_consumer *consumer)
{
	struct passed_over *passed = &f->passed;
	struct passed_filter *filter;
	unsigned i;

	if (consumer->filter == NULL)
		return 0;
	for (i = 1; i < passed->filter_count; i++)
		if (strcmp(passed->filters[i].text, consumer->filter_text) == 0)
			return i;
	if (passed->filter_count == 0)
		passed->filter_count = 1;
	if (passed->filter_count < PASSED_FILTERS)
		i = passed->filter_count++;
	else
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

/* Drop what is not there any more. */
static void
passed_tidy(struct frontier *f)
{
	struct passed_over *passed = &f->passed;
	size_t seen[PASSED_FILTERS] = {0}, kept = 0;

	for (size_t i = 0; i < passed->count; i++) {
		if (!passed_is_there(f, passed->items[i]))
			continue;
		for (unsigned k = 0; k < passed->filter_count; k++)
			seen[k] += passed->filters[k].seen > i;
		passed->items[kept++] = passed->items[i];
	}
	passed->count = kept;
	for (unsigned k = 0; k < passed->filter_count; k++)
		passed->filters[k].seen = seen[k];
}

void
passed_add(
    struct frontier *f, const struct frontier_consumer *consumer, uint32_t item)
{
	struct passed_over *passed = &f->passed;
	unsigned number = passed_filter(f, consumer);
	struct passed_filter *filter = &passed->filters[number];
	bool has_seen_all;

	if (passed->count == passed->cap) {
		passed_tidy(f);
		if (passed->count * 2 >= passed->cap)
			passed->items = mem_grow(passed->items, &passed->cap,
			    passed->cap + 1, sizeof(*passed->items));
	}
	has_seen_all = filter->seen == passed->count;
	passed->items[passed->count++] = item;
	if (item_kind(item) == ITEM_PAGE)
		page_at(f, item_number(item))->owner_flags |= PAGE_PASSED;
	else
		document_at(f, item_number(item))->is_passed = true;
	if (has_seen_all)
		filter->seen = passed->count;
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
			    consumer_wants(f, consumer, row.url, &row.lastmod,
				row.first_seen_s);
		if (is_wanted)
			passed_return(f, item);
		returns += is_wanted;
	}
	return looks;
}
