/* Pages of the frontier, and the folders that they are in. */
#include "base/hash.h"
#include "base/mem.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_homes.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sections.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_state.h"

int64_t
frontier_hash(const struct frontier *frontier, struct slice text)
{
	int64_t key = (int64_t)(hash_key(text, frontier->options.hash_key) &
	    (uint64_t)INT64_MAX);

	return key == 0 ? 1 : key;
}

void
frontier_dirty(struct numbers *numbers, uint32_t number)
{
	numbers->items = mem_grow(numbers->items, &numbers->cap,
	    numbers->count + 1, sizeof(*numbers->items));
	numbers->items[numbers->count++] = number;
}

void
page_dirty(struct frontier *frontier, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];

	if ((page->flags & PAGE_DIRTY) == 0)
		frontier_dirty(&frontier->dirty_pages, number);
	page->flags |= PAGE_DIRTY;
}

uint32_t
page_by_id(const struct frontier *frontier, int64_t id)
{
	size_t first = 0, last = frontier->page_count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (frontier->pages[middle].id < id)
			first = middle + 1;
		else
			last = middle;
	}
	if (first < frontier->page_count && frontier->pages[first].id == id)
		return (uint32_t)first;
	return NONE;
}

uint32_t
page_by_url(struct frontier *frontier, struct slice url)
{
	return idmap_get(&frontier->page_of, frontier_hash(frontier, url));
}

/* What is kept of its row. */
static void
add(struct frontier *frontier, const struct page_row *row, uint32_t document)
{
	struct document_at *lister = &frontier->documents[document];
	size_t number = frontier->page_count++;

	frontier->pages = mem_grow(frontier->pages, &frontier->page_cap,
	    number + 1, sizeof(*frontier->pages));
	frontier->pages[number] = (struct page_at){.id = row->id,
	    .document = document,
	    .origin = origin_put(
		frontier, frontier_url(row->url).origin, lister->site),
	    .flags = row->is_listed ? 0 : PAGE_UNLISTED};
	lister->promoted += row->is_listed;
	frontier->sites[lister->site].pages++;
	idmap_put(&frontier->page_of, frontier_hash(frontier, row->url),
	    (uint32_t)number);
}

/* What lists it: the document that it was promoted from, or, where that has
 * become an index since, what it was then. */
static uint32_t
home_of(struct frontier *frontier, int64_t document_id)
{
	uint32_t document = document_find(frontier, document_id);

	if (document == IDMAP_NONE || !frontier->documents[document].is_index)
		return document;
	return home_former(frontier, document);
}

uint32_t
page_promote(struct frontier *frontier, const struct page_row *row, bool is_out)
{
	uint32_t document = home_of(frontier, row->document_id);
	struct scheduler_page page;
	int64_t fetched_s = row->fetched_s;
	uint32_t number;

	/* a damaged store may have any order */
	if (document == IDMAP_NONE ||
	    (frontier->page_count > 0 &&
		frontier->pages[frontier->page_count - 1].id >= row->id))
		return NONE;
	if (fetched_s <= 0)
		fetched_s = SCHEDULER_NEVER;
	else if (fetched_s > frontier->began_s)
		fetched_s = frontier->began_s;
	page = (struct scheduler_page){.document = document,
	    .section = section_put(
		frontier, frontier->documents[document].site, row->url),
	    .weight = row->weight > 0 ? row->weight : 0,
	    .lastmod_s = row->has_lastmod ? row->lastmod_s : SCHEDULER_NO_DATE,
	    .is_day = row->is_day,
	    .fetched_s = fetched_s,
	    .is_out = is_out};
	number = scheduler_add_page(
	    frontier->scheduler, &page, frontier->now_s);
	add(frontier, row, document);
	if (row->learned.len > 0)
		(void)scheduler_load_page(
		    frontier->scheduler, number, row->learned);
	home_begin(frontier, number);
	return number;
}

void
page_return(struct frontier *frontier, uint32_t number)
{
	scheduler_give_back(frontier->scheduler, frontier->now_s,
	    &(struct scheduler_choice){
		.kind = SCHEDULER_PAGE, .number = number});
}

enum scheduler_outcome_kind
page_told_kind(enum page_outcome kind)
{
	switch (kind) {
	case PAGE_CHANGED:
		return FETCH_CHANGED;
	case PAGE_SAME:
		return FETCH_SAME;
	case PAGE_NOT_MODIFIED:
		return FETCH_NOT_MODIFIED;
	case PAGE_MOVED:
		return FETCH_MOVED_AWAY;
	case PAGE_GONE:
		return FETCH_GONE;
	case PAGE_FAILED:
		return FETCH_FAILED;
	case PAGE_FETCHED:
	case PAGE_OUTCOMES:
		break;
	}
	return FETCH_READ;
}

void
page_taught(struct frontier *frontier, uint32_t number, struct slice url)
{
	uint32_t document = frontier->pages[number].document;
	uint32_t site = frontier->documents[document].site;

	page_dirty(frontier, number);
	document_dirty(frontier, document);
	if (!frontier->sites[site].is_dirty)
		frontier_dirty(&frontier->dirty_sites, site);
	frontier->sites[site].is_dirty = true;
	section_dirty(frontier, section_put(frontier, site, url));
}
