/* Documents that nothing leads to any more: see frontier_orphans.h. */
#include "crawler/frontier/frontier_orphans.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_homes.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_parts.h"
#include "store/reach.h"

/* A page is looked up in all documents: in so many at once, some tenths of a
 * second.  Others are found when what is listed is gone through. */
#define LOOKED_AT 200000

/* Documents that nothing leads to. */
struct ids {
	int64_t *items; /* owned; in order */
	size_t count, cap;
};

static void
put(void *arg, int64_t id)
{
	struct ids *ids = arg;

	ids->items = mem_grow(
	    ids->items, &ids->cap, ids->count + 1, sizeof(*ids->items));
	ids->items[ids->count++] = id;
}

static int
by_id(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool
has(const struct ids *ids, int64_t id)
{
	return ids->count > 0 &&
	    bsearch(&id, ids->items, ids->count, sizeof(id), by_id) != NULL;
}

void
orphans_doubt(struct frontier *frontier, uint32_t number)
{
	struct site_at *site = &frontier->sites[number];

	if (site->is_doubted)
		return;
	site->is_doubted = true;
	frontier_dirty(&frontier->doubted_sites, number);
}

/* Pages of its origin may need it all the same. */
static void
mark_robots(struct frontier *frontier, uint32_t document)
{
	struct document_at *is = &frontier->documents[document];
	struct document_list_row row;
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(frontier->options.store, is->id, &row, &url)) {
		uint32_t origin = origin_put(
		    frontier, frontier_url(row.url).origin, is->site);

		frontier->origins[origin].orphan = is->is_orphan ? document + 1
								 : 0;
	}
	buf_release(&url);
}

/* Is any of its documents another than it was?  unled: in order. */
static bool
mark(struct frontier *frontier, uint32_t number, const struct ids *unled)
{
	bool is_other = false;

	for (uint32_t i = frontier->sites[number].documents; i != 0;
	     i = frontier->documents[i - 1].next) {
		bool is_orphan = has(unled, frontier->documents[i - 1].id);

		if (frontier->documents[i - 1].is_orphan == is_orphan)
			continue;
		is_other = true;
		document_orphan(frontier, i - 1, is_orphan);
		if (frontier->documents[i - 1].is_robots)
			mark_robots(frontier, i - 1);
	}
	return is_other;
}

/* A page of a stray: another document may list it, too. */
static void
seek_home(struct frontier *frontier, uint32_t number, uint32_t *lookups)
{
	struct page_row row;
	struct buf url;

	if ((frontier->pages[number].flags & PAGE_UNLISTED) != 0 ||
	    *lookups == 0 ||
	    !store_page_get(
		frontier->options.store, frontier->pages[number].id, &row))
		return;
	--*lookups;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_put_slice(&url, row.url);
	(void)home_find(frontier, number, buf_text(&url));
	buf_release(&url);
}

static void
review_pages(struct frontier *frontier, uint32_t number, uint32_t *lookups)
{
	struct site_at *site = &frontier->sites[number];
	uint32_t left = site->pages;

	site->orphan_pages = 0;
	for (uint32_t i = 0; i < frontier->page_count && left > 0; i++) {
		const struct page_at *page = &frontier->pages[i];

		if (frontier->documents[page->document].site != number)
			continue;
		left--;
		if (frontier->documents[page->document].is_orphan)
			seek_home(frontier, i, lookups);
		home_wanted(frontier, i);
		site = &frontier->sites[number];
		site->orphan_pages += frontier->documents[page->document]
					  .is_orphan;
	}
}

static void
settle(struct frontier *frontier, uint32_t number, uint32_t *lookups)
{
	struct ids unled = {0};

	frontier->sites[number].is_doubted = false;
	store_each_unled(
	    frontier->options.store, frontier->sites[number].id, put, &unled);
	if (mark(frontier, number, &unled)) {
		shelves_return(frontier, number);
		review_pages(frontier, number, lookups);
		/* what orphans list may be found with the others */
		for (uint32_t i = frontier->sites[number].documents; i != 0;
		     i = frontier->documents[i - 1].next)
			document_listed(frontier, i - 1);
	}
	free(unled.items);
}

void
orphans_settle(struct frontier *frontier)
{
	uint64_t most = LOOKED_AT / (frontier->document_count + 1);
	uint32_t lookups = most < HOMES_LOOKUPS ? (uint32_t)most
						: HOMES_LOOKUPS;

	for (size_t i = 0; i < frontier->doubted_sites.count; i++)
		settle(frontier, frontier->doubted_sites.items[i], &lookups);
	frontier->doubted_sites.count = 0;
}
