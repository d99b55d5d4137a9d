/* Which document a page is one of: see desk_homes.h. */
#include "crawler/frontier/desk_homes.h"

#include "base/url.h"
#include "crawler/frontier/desk_documents.h"
#include "crawler/frontier/desk_lease.h"
#include "crawler/frontier/desk_parts.h"
#include "sched/scheduler_tell.h"
#include "store/lookup.h"

bool
home_is_wanted(const struct desk *desk, uint32_t number)
{
	const struct document_at
	    *document = &desk->documents[desk->pages[number].document];

	return !document->is_stray && !desk->sites[document->site].is_removed;
}

void
home_need_robots(struct desk *desk, uint32_t origin)
{
	uint32_t robots = desk->origins[origin].stray;

	if (robots == 0 || desk->documents[robots - 1].is_needed)
		return;
	desk->documents[robots - 1].is_needed = true;
	document_wanted(desk, robots - 1);
}

void
home_begin(struct desk *desk, uint32_t number)
{
	if (home_is_wanted(desk, number))
		home_need_robots(desk, desk->pages[number].origin);
	else
		scheduler_retire(desk->scheduler, SCHEDULER_PAGE, number);
}

void
home_wanted(struct desk *desk, uint32_t number)
{
	struct page_at *page = &desk->pages[number];

	if (!home_is_wanted(desk, number)) {
		scheduler_retire(desk->scheduler, SCHEDULER_PAGE, number);
		return;
	}
	home_need_robots(desk, page->origin);
	scheduler_return(desk->scheduler, SCHEDULER_PAGE, number);
	/* it was chosen while it was not wanted */
	if ((page->flags & PAGE_LEFT) == 0)
		return;
	page->flags &= (uint8_t)~PAGE_LEFT;
	page_return(desk, number);
}

void
home_set(struct desk *desk, uint32_t number, uint32_t document)
{
	bool was_wanted = home_is_wanted(desk, number);
	uint32_t from = desk->documents[desk->pages[number].document].site;
	uint32_t to = desk->documents[document].site;

	if (from != to) {
		shelf_return(desk, number);
		desk->sites[from].pages--;
		desk->sites[to].pages++;
	}
	desk->pages[number].document = document;
	scheduler_rehome(desk->scheduler, number, document);
	page_dirty(desk, number);
	if (!desk->options.is_shown)
		store_page_home(desk->options.store, desk->pages[number].id,
		    desk->documents[document].id);
	if (was_wanted != home_is_wanted(desk, number))
		home_wanted(desk, number);
}

void
home_move(struct desk *desk, uint32_t number, uint32_t document)
{
	uint32_t *promoted = &desk->documents[desk->pages[number].document]
				  .promoted;

	*promoted -= *promoted > 0;
	desk->documents[document].promoted++;
	home_set(desk, number, document);
}

uint32_t
home_former(struct desk *desk, uint32_t number)
{
	const struct document_at *index = &desk->documents[number];
	enum document_kind kind = index->is_robots ? KIND_ROBOTS : KIND_INDEX;
	struct roster_row row, was;
	struct buf url;

	if (index->other != 0)
		return index->other - 1;
	buf_init(&url, URL_MAX_BYTES);
	if (store_roster(desk->options.store, index->id, &row, &url)) {
		/* it is that, and then what it is now again */
		was = row;
		was.kind = KIND_URLSET;
		was.entries = was.dated = was.refused = 0;
		(void)document_put(desk, &was);
		row.kind = kind;
		(void)document_put(desk, &row);
	}
	buf_release(&url);
	return desk->documents[number].other - 1;
}

/* Another document of the same site that lists a page. */
struct lister {
	struct desk *desk;
	uint32_t site;
	uint32_t not_this;
	uint32_t found; /* NONE: none */
};

static void
note_lister(void *arg, int64_t document_id, const struct entry *entry)
{
	struct lister *lister = arg;
	uint32_t number = document_find(lister->desk, document_id);
	const struct document_at *document;

	if (number == NONE || number == lister->not_this || entry->missed > 0 ||
	    entry->verdict != VERDICT_ACCEPTED)
		return;
	document = &lister->desk->documents[number];
	if (document->site == lister->site && !document->is_index &&
	    !document->is_robots && !document->is_stray)
		lister->found = number;
}

bool
home_find(struct desk *desk, uint32_t number, struct slice url)
{
	uint32_t document = desk->pages[number].document;
	struct lister lister = {
	    desk, desk->documents[document].site, document, NONE};

	store_each_listing(desk->options.store, url, note_lister, &lister);
	if (lister.found == NONE)
		return false;
	home_move(desk, number, lister.found);
	return true;
}
