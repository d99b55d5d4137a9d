/* Orphaned documents: see frontier_orphans.h. */
#include "crawler/frontier/frontier_orphans.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_origins.h"
#include "crawler/frontier/frontier_pages.h"
#include "crawler/frontier/frontier_ready.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/url_parts.h"
#include "store/document_list.h"
#include "store/page.h"
#include "store/reach.h"

/* Looking up a page costs one step for each document: so many steps take some
 * tenths of a second.  Pages that are not looked up then are found when the
 * documents that list them are gone through. */
#define LOOKUP_STEPS 200000

/* Ids of documents that nothing leads to. */
struct ids {
	int64_t *items; /* owned; in order */
	size_t count, cap;
};

static void
add_id(void *arg, int64_t id)
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

/* An orphaned robots.txt is still read for eligible pages of its origin. */
static void
mark_robots(struct frontier *frontier, uint32_t document)
{
	struct document_item *is = document_at(frontier->documents, document);
	struct document_list_row row;
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(frontier->options.store, is->id, &row, &url)) {
		uint32_t origin = origin_put(
		    frontier, url_parts(row.url).origin, is->site);

		origin_at(frontier->origins, origin)->orphan = is->is_orphan
		    ? document + 1
		    : 0;
	}
	buf_release(&url);
}

/* Mark the orphans among the documents of a site, whose ids are given.  Returns
 * whether any document is another than it was. */
static bool
mark(struct frontier *frontier, uint32_t number, const struct ids *unled)
{
	bool is_other = false;

	for (uint32_t i = site_at(frontier->sites, number)->documents; i != 0;
	     i = document_at(frontier->documents, i - 1)->next) {
		bool is_orphan = has(
		    unled, document_at(frontier->documents, i - 1)->id);

		if (document_at(frontier->documents, i - 1)->is_orphan ==
		    is_orphan)
			continue;
		is_other = true;
		document_orphan(frontier, i - 1, is_orphan);
		if (document_at(frontier->documents, i - 1)->is_robots)
			mark_robots(frontier, i - 1);
	}
	return is_other;
}

/* A page of an orphan: another document may list the page, too. */
static void
find_parent(struct frontier *frontier, uint32_t number, uint32_t *lookups)
{
	const struct page_item *page = page_at(frontier->pages, number);
	struct page_row row;
	struct buf url;

	if ((page->flags & PAGE_UNLISTED) != 0 || *lookups == 0 ||
	    !store_page_get(frontier->options.store, page->id, &row))
		return;
	--*lookups;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_put_slice(&url, row.url);
	(void)page_find_parent(frontier, number, buf_text(&url));
	buf_release(&url);
}

static void
review_pages(struct frontier *frontier, uint32_t number, uint32_t *lookups)
{
	struct site_item *site = site_at(frontier->sites, number);
	uint32_t left = site->pages;

	site->orphan_pages = 0;
	for (uint32_t i = 0; i < page_count(frontier->pages) && left > 0; i++) {
		const struct page_item *page = page_at(frontier->pages, i);

		if (document_at(frontier->documents, page->document)->site !=
		    number)
			continue;
		left--;
		if (document_at(frontier->documents, page->document)->is_orphan)
			find_parent(frontier, i, lookups);
		page_update(frontier, i);
		site = site_at(frontier->sites, number);
		site->orphan_pages +=
		    document_at(frontier->documents, page->document)->is_orphan;
	}
}

static void
refresh(struct frontier *frontier, uint32_t number, uint32_t *lookups)
{
	struct ids unled = {0};

	site_at(frontier->sites, number)->is_suspect = false;
	store_each_unled(frontier->options.store,
	    site_at(frontier->sites, number)->id, add_id, &unled);
	if (mark(frontier, number, &unled)) {
		ready_return_site(frontier, number);
		review_pages(frontier, number, lookups);
		/* what an orphan lists may be listed by other documents */
		for (uint32_t i = site_at(frontier->sites, number)->documents;
		     i != 0; i = document_at(frontier->documents, i - 1)->next)
			document_listed(frontier, i - 1);
	}
	free(unled.items);
}

void
orphans_refresh(struct frontier *frontier)
{
	struct number_list *suspects = site_suspect_list(frontier->sites);
	uint64_t most = LOOKUP_STEPS /
	    ((uint64_t)document_count(frontier->documents) + 1);
	uint32_t lookups = most < PARENT_LOOKUPS ? (uint32_t)most
						 : PARENT_LOOKUPS;

	for (size_t i = 0; i < suspects->count; i++)
		refresh(frontier, suspects->items[i], &lookups);
	suspects->count = 0;
}
