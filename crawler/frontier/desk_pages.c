/* Pages of the desk, and the folders that they are in. */
#include "base/hash.h"
#include "base/mem.h"
#include "crawler/frontier/desk_documents.h"
#include "crawler/frontier/desk_homes.h"
#include "crawler/frontier/desk_hosts.h"
#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_sections.h"
#include "sched/scheduler_show.h"
#include "sched/scheduler_tell.h"

int64_t
desk_hash(const struct desk *desk, struct slice text)
{
	int64_t key = (int64_t)(hash_key(text, desk->options.hash_key) &
	    (uint64_t)INT64_MAX);

	return key == 0 ? 1 : key;
}

void
desk_dirty(struct numbers *numbers, uint32_t number)
{
	numbers->items = mem_grow(numbers->items, &numbers->cap,
	    numbers->count + 1, sizeof(*numbers->items));
	numbers->items[numbers->count++] = number;
}

void
page_dirty(struct desk *desk, uint32_t number)
{
	struct page_at *page = &desk->pages[number];

	if ((page->flags & PAGE_DIRTY) == 0)
		desk_dirty(&desk->dirty_pages, number);
	page->flags |= PAGE_DIRTY;
}

uint32_t
page_by_id(const struct desk *desk, int64_t id)
{
	size_t first = 0, last = desk->page_count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (desk->pages[middle].id < id)
			first = middle + 1;
		else
			last = middle;
	}
	if (first < desk->page_count && desk->pages[first].id == id)
		return (uint32_t)first;
	return NONE;
}

uint32_t
page_by_url(struct desk *desk, struct slice url)
{
	return idmap_get(&desk->page_of, desk_hash(desk, url));
}

/* What is kept of its row. */
static void
add(struct desk *desk, const struct page_row *row, uint32_t document)
{
	struct document_at *lister = &desk->documents[document];
	size_t number = desk->page_count++;

	desk->pages = mem_grow(
	    desk->pages, &desk->page_cap, number + 1, sizeof(*desk->pages));
	desk->pages[number] = (struct page_at){.id = row->id,
	    .document = document,
	    .origin = origin_put(desk, desk_url(row->url).origin, lister->site),
	    .flags = row->is_listed ? 0 : PAGE_UNLISTED};
	lister->promoted += row->is_listed;
	desk->sites[lister->site].pages++;
	idmap_put(&desk->page_of, desk_hash(desk, row->url), (uint32_t)number);
}

/* What lists it: the document that it was promoted from, or, where that has
 * become an index since, what it was then. */
static uint32_t
home_of(struct desk *desk, int64_t document_id)
{
	uint32_t document = document_find(desk, document_id);

	if (document == IDMAP_NONE || !desk->documents[document].is_index)
		return document;
	return home_former(desk, document);
}

uint32_t
page_promote(struct desk *desk, const struct page_row *row, bool is_out)
{
	uint32_t document = home_of(desk, row->document_id);
	struct scheduler_page page;
	int64_t fetched_s = row->fetched_s;
	uint32_t number;

	/* a damaged store may have any order */
	if (document == IDMAP_NONE ||
	    (desk->page_count > 0 &&
		desk->pages[desk->page_count - 1].id >= row->id))
		return NONE;
	if (fetched_s <= 0)
		fetched_s = SCHEDULER_NEVER;
	else if (fetched_s > desk->began_s)
		fetched_s = desk->began_s;
	page = (struct scheduler_page){.document = document,
	    .section = section_put(
		desk, desk->documents[document].site, row->url),
	    .weight = row->weight > 0 ? row->weight : 0,
	    .lastmod_s = row->has_lastmod ? row->lastmod_s : SCHEDULER_NO_DATE,
	    .is_day = row->is_day,
	    .fetched_s = fetched_s,
	    .is_out = is_out};
	number = scheduler_add_page(desk->scheduler, &page, desk->now_s);
	add(desk, row, document);
	if (row->learned.len > 0)
		(void)scheduler_load_page(
		    desk->scheduler, number, row->learned);
	home_begin(desk, number);
	return number;
}

void
page_return(struct desk *desk, uint32_t number)
{
	scheduler_give_back(desk->scheduler, desk->now_s,
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
page_taught(struct desk *desk, uint32_t number, struct slice url)
{
	uint32_t document = desk->pages[number].document;
	uint32_t site = desk->documents[document].site;

	page_dirty(desk, number);
	document_dirty(desk, document);
	if (!desk->sites[site].is_dirty)
		desk_dirty(&desk->dirty_sites, site);
	desk->sites[site].is_dirty = true;
	section_dirty(desk, section_put(desk, site, url));
}
