/* Which document a page is one of: see frontier_homes.h. */
#include "crawler/frontier/frontier_homes.h"

#include "base/url.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/scheduler_tell.h"
#include "store/lookup.h"

bool
home_is_wanted(const struct frontier *frontier, uint32_t number)
{
	const struct document_at
	    *document = &frontier->documents[frontier->pages[number].document];

	return !document->is_orphan &&
	    !frontier->sites[document->site].is_removed;
}

void
home_need_robots(struct frontier *frontier, uint32_t origin)
{
	uint32_t robots = frontier->origins[origin].orphan;

	if (robots == 0 || frontier->documents[robots - 1].is_needed)
		return;
	frontier->documents[robots - 1].is_needed = true;
	document_wanted(frontier, robots - 1);
}

void
home_begin(struct frontier *frontier, uint32_t number)
{
	if (home_is_wanted(frontier, number))
		home_need_robots(frontier, frontier->pages[number].origin);
	else
		scheduler_retire(frontier->scheduler, SCHEDULER_PAGE, number);
}

void
home_wanted(struct frontier *frontier, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];

	if (!home_is_wanted(frontier, number)) {
		scheduler_retire(frontier->scheduler, SCHEDULER_PAGE, number);
		return;
	}
	home_need_robots(frontier, page->origin);
	scheduler_return(frontier->scheduler, SCHEDULER_PAGE, number);
	/* it was chosen while it was not wanted */
	if ((page->flags & PAGE_LEFT) == 0)
		return;
	page->flags &= (uint8_t)~PAGE_LEFT;
	page_return(frontier, number);
}

void
home_set(struct frontier *frontier, uint32_t number, uint32_t document)
{
	bool was_wanted = home_is_wanted(frontier, number);
	uint32_t from = frontier->documents[frontier->pages[number].document]
			    .site;
	uint32_t to = frontier->documents[document].site;

	if (from != to) {
		shelf_return(frontier, number);
		frontier->sites[from].pages--;
		frontier->sites[to].pages++;
	}
	frontier->pages[number].document = document;
	scheduler_set_document(frontier->scheduler, number, document);
	page_dirty(frontier, number);
	if (!frontier->options.is_shown)
		store_page_home(frontier->options.store,
		    frontier->pages[number].id,
		    frontier->documents[document].id);
	if (was_wanted != home_is_wanted(frontier, number))
		home_wanted(frontier, number);
}

void
home_move(struct frontier *frontier, uint32_t number, uint32_t document)
{
	uint32_t *promoted =
	    &frontier->documents[frontier->pages[number].document].promoted;

	*promoted -= *promoted > 0;
	frontier->documents[document].promoted++;
	home_set(frontier, number, document);
}

uint32_t
home_former(struct frontier *frontier, uint32_t number)
{
	const struct document_at *index = &frontier->documents[number];
	enum document_kind kind = index->is_robots ? KIND_ROBOTS : KIND_INDEX;
	struct document_list_row row, was;
	struct buf url;

	if (index->other != 0)
		return index->other - 1;
	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		frontier->options.store, index->id, &row, &url)) {
		/* it is that, and then what it is now again */
		was = row;
		was.kind = KIND_URLSET;
		was.entries = was.dated = was.refused = 0;
		(void)document_put(frontier, &was);
		row.kind = kind;
		(void)document_put(frontier, &row);
	}
	buf_release(&url);
	return frontier->documents[number].other - 1;
}

/* Another document of the same site that lists a page. */
struct lister {
	struct frontier *frontier;
	uint32_t site;
	uint32_t not_this;
	uint32_t found; /* NONE: none */
};

static void
note_lister(void *arg, int64_t document_id, const struct entry *entry)
{
	struct lister *lister = arg;
	uint32_t number = document_find(lister->frontier, document_id);
	const struct document_at *document;

	if (number == NONE || number == lister->not_this || entry->missed > 0 ||
	    entry->verdict != VERDICT_ACCEPTED)
		return;
	document = &lister->frontier->documents[number];
	if (document->site == lister->site && !document->is_index &&
	    !document->is_robots && !document->is_orphan)
		lister->found = number;
}

bool
home_find(struct frontier *frontier, uint32_t number, struct slice url)
{
	uint32_t document = frontier->pages[number].document;
	struct lister lister = {
	    frontier, frontier->documents[document].site, document, NONE};

	store_each_listing(frontier->options.store, url, note_lister, &lister);
	if (lister.found == NONE)
		return false;
	home_move(frontier, number, lister.found);
	return true;
}
