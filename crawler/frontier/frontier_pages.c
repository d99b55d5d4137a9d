/* Pages, and their parent documents: see frontier_pages.h. */
#include "crawler/frontier/frontier_pages.h"

#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_origins.h"
#include "crawler/frontier/frontier_ready.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/section_table.h"
#include "crawler/frontier/url_parts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_state.h"
#include "store/changes.h"
#include "store/lookup.h"
#include "store/page.h"

/* Promotion. */

/* The parent of a page: the document that it was promoted from, or, if that has
 * become an index since, the number that the document had before. */
static uint32_t
parent_of(struct frontier *frontier, int64_t document_id)
{
	uint32_t document = document_find(frontier, document_id);

	if (document == NONE ||
	    !document_at(frontier->documents, document)->is_index)
		return document;
	return document_before_index(frontier, document);
}

static uint32_t
add(struct frontier *frontier, const struct page_row *row, uint32_t document)
{
	struct document_item *parent = document_at(
	    frontier->documents, document);
	struct page_item page = {.id = row->id,
	    .document = document,
	    .origin = origin_put(
		frontier, url_parts(row->url).origin, parent->site),
	    .flags = row->is_listed ? 0 : PAGE_UNLISTED};

	parent->promoted += row->is_listed;
	site_at(frontier->sites, parent->site)->pages++;
	return page_add(frontier->pages, &page, row->url);
}

uint32_t
page_promote(struct frontier *frontier, const struct page_row *row, bool is_out)
{
	uint32_t document = parent_of(frontier, row->document_id);
	uint32_t count = page_count(frontier->pages);
	struct scheduler_page page;
	int64_t fetched_s = row->fetched_s;
	uint32_t number;

	/* the ids of a damaged store may come in any order */
	if (document == NONE ||
	    (count > 0 && page_at(frontier->pages, count - 1)->id >= row->id))
		return NONE;
	if (fetched_s <= 0)
		fetched_s = SCHEDULER_NEVER;
	else if (fetched_s > frontier->began_s)
		fetched_s = frontier->began_s;
	page = (struct scheduler_page){.document = document,
	    .section = section_put(frontier->sections,
		site_at(frontier->sites,
		    document_at(frontier->documents, document)->site),
		row->url),
	    .weight = row->weight > 0 ? row->weight : 0,
	    .lastmod_s = row->has_lastmod ? row->lastmod_s : SCHEDULER_NO_DATE,
	    .is_day = row->is_day,
	    .fetched_s = fetched_s,
	    .is_out = is_out};
	number = scheduler_add_page(
	    frontier->scheduler, &page, frontier->now_s);
	(void)add(frontier, row, document);
	if (row->learned.len > 0)
		(void)scheduler_load_page(
		    frontier->scheduler, number, row->learned);
	if (page_is_eligible(frontier, number))
		document_need_robots(
		    frontier, page_at(frontier->pages, number)->origin);
	else
		scheduler_retire(frontier->scheduler, SCHEDULER_PAGE, number);
	return number;
}

/* Eligibility. */

bool
page_is_eligible(const struct frontier *frontier, uint32_t number)
{
	const struct document_item *document = document_at(
	    frontier->documents, page_at(frontier->pages, number)->document);

	return !document->is_orphan &&
	    !site_at(frontier->sites, document->site)->is_removed;
}

void
page_update(struct frontier *frontier, uint32_t number)
{
	struct page_item *page = page_at(frontier->pages, number);

	if (!page_is_eligible(frontier, number)) {
		scheduler_retire(frontier->scheduler, SCHEDULER_PAGE, number);
		return;
	}
	document_need_robots(frontier, page->origin);
	scheduler_return(frontier->scheduler, SCHEDULER_PAGE, number);
	/* the scheduler chose it while it was not eligible */
	if ((page->flags & PAGE_INELIGIBLE) == 0)
		return;
	page->flags &= (uint8_t)~PAGE_INELIGIBLE;
	page_return(frontier, number);
}

/* Parent documents. */

/* Make a document the parent of a page. */
static void
set_parent(struct frontier *frontier, uint32_t number, uint32_t document)
{
	bool was_wanted = page_is_eligible(frontier, number);
	uint32_t from = document_at(
	    frontier->documents, page_at(frontier->pages, number)->document)
			    ->site;
	uint32_t to = document_at(frontier->documents, document)->site;

	if (from != to) {
		ready_return(frontier, number);
		site_at(frontier->sites, from)->pages--;
		site_at(frontier->sites, to)->pages++;
	}
	page_at(frontier->pages, number)->document = document;
	scheduler_set_document(frontier->scheduler, number, document);
	page_dirty(frontier->pages, number);
	if (!frontier->options.is_shown)
		store_page_set_document(frontier->options.store,
		    page_at(frontier->pages, number)->id,
		    document_at(frontier->documents, document)->id);
	if (was_wanted != page_is_eligible(frontier, number))
		page_update(frontier, number);
}

/* The same of a page that both documents list. */
static void
move(struct frontier *frontier, uint32_t number, uint32_t document)
{
	uint32_t *promoted = &document_at(
	    frontier->documents, page_at(frontier->pages, number)->document)
				  ->promoted;

	*promoted -= *promoted > 0;
	document_at(frontier->documents, document)->promoted++;
	set_parent(frontier, number, document);
}

/* Looking for another document of the same site that lists a page. */
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
	const struct document_item *document;

	if (number == NONE || number == lister->not_this || entry->missed > 0 ||
	    entry->verdict != VERDICT_ACCEPTED)
		return;
	document = document_at(lister->frontier->documents, number);
	if (document->site == lister->site && !document->is_index &&
	    !document->is_robots && !document->is_orphan)
		lister->found = number;
}

bool
page_find_parent(struct frontier *frontier, uint32_t number, struct slice url)
{
	uint32_t document = page_at(frontier->pages, number)->document;
	struct lister lister = {frontier,
	    document_at(frontier->documents, document)->site, document, NONE};

	store_each_listing(frontier->options.store, url, note_lister, &lister);
	if (lister.found == NONE)
		return false;
	move(frontier, number, lister.found);
	return true;
}

/* What readings say of pages. */

int64_t
signal_date(const struct date *date, bool *is_day)
{
	*is_day = date->precision == DATE_DAY;
	return date->precision < DATE_DAY ? SCHEDULER_NO_DATE : date->epoch_s;
}

bool
change_removes(const struct change *change)
{
	return change->kind == DELTA_GONE ||
	    change->verdict != VERDICT_ACCEPTED;
}

/* A document begins to list the page, or stops. */
static void
list_page(
    struct frontier *frontier, uint32_t number, uint32_t parent, bool is_gone)
{
	struct document_item *document = document_at(
	    frontier->documents, parent);
	struct page_item *page = page_at(frontier->pages, number);

	page->flags ^= PAGE_UNLISTED;
	if (page->document != parent)
		set_parent(frontier, number, parent);
	if (is_gone && document->promoted > 0)
		document->promoted--;
	else if (!is_gone)
		document->promoted++;
}

static enum scheduler_signal_kind
signal_kind(const struct change *change, bool was_gone)
{
	if (change_removes(change))
		return SIGNAL_REMOVED;
	return was_gone || change->kind == DELTA_ADDED ? SIGNAL_RETURNED
						       : SIGNAL_MOVED;
}

void
page_apply(struct frontier *frontier, uint32_t number, uint32_t document,
    const struct change *change)
{
	struct page_item *page = page_at(frontier->pages, number);
	bool is_gone = change_removes(change);
	bool was_gone = (page->flags & PAGE_UNLISTED) != 0;
	struct scheduler_signal signal = {
	    .kind = signal_kind(change, was_gone)};
	struct page_listing told = {.is_listed = !is_gone};
	struct page_row row;

	if (!store_page_get(frontier->options.store, page->id, &row))
		return;
	signal.lastmod_s = signal_date(&change->after, &signal.is_day);
	if (is_gone)
		signal.lastmod_s = SCHEDULER_NO_DATE;
	told.has_lastmod = signal.lastmod_s != SCHEDULER_NO_DATE;
	told.lastmod_s = told.has_lastmod ? signal.lastmod_s : 0;
	told.is_day = signal.is_day;
	/* The entry was missing once, and nothing has changed.  A date that
	 * moved is applied even if the row has it: a frontier that was not
	 * saved may have written it there, and what this one has learned is
	 * older. */
	if ((change->kind == DELTA_RETURNED ||
		change->kind == DELTA_ACCEPTED) &&
	    !was_gone && row.has_lastmod == told.has_lastmod &&
	    (!told.has_lastmod || row.lastmod_s == told.lastmod_s))
		return;
	scheduler_page_signal(frontier->scheduler, number, &signal);
	if (!frontier->options.is_shown)
		store_page_listing(frontier->options.store, page->id, &told);
	page_dirty(frontier->pages, number);
	if (is_gone == was_gone)
		return;
	ready_return(frontier, number);
	list_page(frontier, number, document, is_gone);
}

/* May a document become the parent of that page?  A document of another site
 * may while its site lists it. */
static bool
may_be_parent(const struct frontier *frontier, uint32_t number, uint32_t page)
{
	const struct document_item *document = document_at(
	    frontier->documents, number);
	uint32_t parent = page_at(frontier->pages, page)->document;

	return document->site ==
	    document_at(frontier->documents, parent)->site ||
	    (!document->is_orphan &&
		!site_at(frontier->sites, document->site)->is_removed);
}

void
page_listed_by(struct frontier *frontier, uint32_t number, uint32_t document,
    const struct date *lastmod)
{
	const struct page_item *page = page_at(frontier->pages, number);
	const struct document_item *parent = document_at(
	    frontier->documents, page->document);
	struct change change = {.kind = DELTA_RETURNED, .after = *lastmod};
	bool was_gone = (page->flags & PAGE_UNLISTED) != 0;
	bool is_same_site = parent->site ==
	    document_at(frontier->documents, document)->site;
	bool is_moved = !was_gone &&
	    (is_same_site ? parent->is_unlisted || parent->is_orphan ||
			parent->is_replaced
			  : site_at(frontier->sites, parent->site)->is_removed);

	if (!may_be_parent(frontier, document, number))
		return;
	if (is_moved && parent->is_unlisted)
		change.kind = DELTA_ADDED;
	if (is_moved)
		move(frontier, number, document);
	if (was_gone || is_moved)
		page_apply(frontier, number, document, &change);
}

/* What fetches say of pages. */

enum scheduler_outcome_kind
page_outcome_kind(enum page_outcome kind)
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
page_learned(struct frontier *frontier, uint32_t number, struct slice url)
{
	uint32_t document = page_at(frontier->pages, number)->document;
	uint32_t site = document_at(frontier->documents, document)->site;

	page_dirty(frontier->pages, number);
	document_dirty(frontier->documents, document);
	site_dirty(frontier->sites, site);
	section_dirty(frontier->sections,
	    section_put(
		frontier->sections, site_at(frontier->sites, site), url));
}
