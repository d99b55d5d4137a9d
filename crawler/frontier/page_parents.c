/* Pages and their parent documents. */
#include "crawler/frontier/page_parents.h"

#include <stdlib.h>

#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler.h"
#include "store/document.h"
#include "store/lookup.h"
#include "store/page.h"

uint32_t
page_promote(struct frontier *f, const struct page_row *row, bool is_out)
{
	uint32_t document = document_find(f, row->document_id, KIND_UNKNOWN);
	size_t count = f->scheduler->pages.count;
	struct scheduler_page page;
	struct sched_page *is;
	struct sched_source *parent;
	int64_t fetched_s = row->fetched_s;
	uint32_t number;

	/* the ids of a damaged store may be anything, in any order */
	if (document == NONE || row->id < 0 || row->id > UINT32_MAX ||
	    (count > 0 && page_at(f, (uint32_t)count - 1)->id >= row->id))
		return NONE;
	fetched_s = loaded_s(f, fetched_s);
	if (fetched_s <= 0)
		fetched_s = SCHEDULER_NEVER;
	else if (fetched_s > f->began_s)
		fetched_s = f->began_s;
	page = (struct scheduler_page){.document = document,
	    .section = section_put(f, document_at(f, document)->site, row->url),
	    .weight = row->weight > 0 ? row->weight : 0,
	    .fetched_s = fetched_s,
	    .is_out = is_out,
	    .is_loaded = row->learned.len > 0};
	page.lastmod_s = signal_date(&row->lastmod, &page.is_day);
	number = scheduler_add_page(f->scheduler, &page, f->now_s);
	parent = document_at(f, document);
	is = page_at(f, number);
	is->id = (uint32_t)row->id;
	is->origin = origin_put(f, url_parts(row->url).origin, parent->site);
	is->owner_flags = row->is_listed ? 0 : PAGE_UNLISTED;
	idmap_put(&f->page_by_url, page_key(f, row->url), number);
	parent->promoted += row->is_listed;
	site_at(f, parent->site)->own_pages++;
	if (page.is_loaded)
		(void)scheduler_load_page(f->scheduler, number, row->learned);
	if (page_is_eligible(f, number))
		document_need_robots(f, page_at(f, number)->origin);
	else
		scheduler_retire(f->scheduler, SCHEDULER_PAGE, number, true);
	return number;
}

bool
page_is_eligible(const struct frontier *f, uint32_t number)
{
	const struct sched_source *document = document_at(
	    f, page_at(f, number)->document);

	return !document->is_orphan && !site_at(f, document->site)->is_removed;
}

void
page_update(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);

	if (!page_is_eligible(f, number)) {
		scheduler_retire(f->scheduler, SCHEDULER_PAGE, number, true);
		return;
	}
	document_need_robots(f, page->origin);
	scheduler_retire(f->scheduler, SCHEDULER_PAGE, number, false);
	/* the scheduler chose it while it was not eligible */
	if ((page->owner_flags & (PAGE_INELIGIBLE | PAGE_PASSED)) == 0)
		return;
	page->owner_flags &= (uint8_t) ~(PAGE_INELIGIBLE | PAGE_PASSED);
	page_return(f, number);
}

/* Make the document the parent of a page; is_moved: the page is promoted, and
 * the document lists it, too. */
static void
set_parent(
    struct frontier *f, uint32_t number, uint32_t document, bool is_moved)
{
	bool was_wanted = page_is_eligible(f, number);
	struct sched_source *parent = document_at(
	    f, page_at(f, number)->document);
	uint32_t from = parent->site;
	uint32_t to = document_at(f, document)->site;

	if (is_moved) {
		parent->promoted -= parent->promoted > 0;
		document_at(f, document)->promoted++;
	}
	if (from != to) {
		ready_return(f, number);
		site_at(f, from)->own_pages--;
		site_at(f, to)->own_pages++;
	}
	page_at(f, number)->document = document;
	scheduler_set_document(f->scheduler, number, document);
	page_dirty(f, number);
	if (!f->options.is_shown)
		store_page_set(f->store, page_at(f, number)->id,
		    &(struct page_told){
			.document_id = document_at(f, document)->id});
	if (was_wanted != page_is_eligible(f, number))
		page_update(f, number);
}

/* Looking for another document of the same site that lists a page. */
struct lister {
	struct frontier *f;
	uint32_t site;
	uint32_t not_this;
	uint32_t found; /* NONE: none */
};

static void
note_lister(void *arg, int64_t document_id, const struct entry *entry)
{
	struct lister *lister = arg;
	uint32_t number = document_find(lister->f, document_id, KIND_UNKNOWN);
	const struct sched_source *document;

	if (number == NONE || number == lister->not_this || entry->missed > 0 ||
	    entry->verdict != VERDICT_ACCEPTED)
		return;
	document = document_at(lister->f, number);
	if (document->site == lister->site && !document->is_index &&
	    !document->is_robots && !document->is_orphan)
		lister->found = number;
}

bool
page_find_parent(struct frontier *f, uint32_t number, struct slice url)
{
	uint32_t document = page_at(f, number)->document;
	struct lister lister = {
	    f, document_at(f, document)->site, document, NONE};

	store_each_listing(f->store, url, note_lister, &lister);
	if (lister.found == NONE)
		return false;
	set_parent(f, number, lister.found, true);
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
	return change->kind == DELTA_GONE || change->kind == DELTA_LEFT ||
	    change->verdict != VERDICT_ACCEPTED;
}

void
page_apply(struct frontier *f, uint32_t number, uint32_t document,
    const struct change *change)
{
	struct sched_page *page = page_at(f, number);
	bool is_gone = change_removes(change);
	bool was_gone = (page->owner_flags & PAGE_UNLISTED) != 0;
	struct scheduler_signal signal = {.kind = SIGNAL_MOVED};
	struct page_listing listing = {.is_listed = !is_gone};
	struct page_row row;

	if (!store_page_get(f->store, page->id, &row))
		return;
	if (change->kind == DELTA_LEFT)
		signal.kind = SIGNAL_LEFT;
	else if (is_gone)
		signal.kind = SIGNAL_REMOVED;
	else if (was_gone || change->kind == DELTA_ADDED)
		signal.kind = SIGNAL_RETURNED;
	signal.lastmod_s = signal_date(&change->after, &signal.is_day);
	if (is_gone)
		signal.lastmod_s = SCHEDULER_NO_DATE;
	else
		listing.lastmod = change->after;
	/* What comes back is as new as it was in its document. */
	listing.first_seen_s = was_gone && change->kind == DELTA_ADDED
	    ? f->now_s
	    : row.first_seen_s;
	/* The entry was missing once, and nothing has changed.  A date that
	 * moved is applied even if the row has it: a frontier that was not
	 * saved may have written it there, and what this one has learned is
	 * older. */
	if ((change->kind == DELTA_RETURNED ||
		change->kind == DELTA_ACCEPTED) &&
	    !was_gone && date_order(&row.lastmod, &listing.lastmod) == 0)
		return;
	scheduler_page_signal(f->scheduler, number, &signal);
	if (!f->options.is_shown)
		store_page_set(f->store, page->id,
		    &(struct page_told){.listing = &listing});
	page_dirty(f, number);
	/* a filter may want the page with its new date */
	if ((page->owner_flags & (PAGE_INELIGIBLE | PAGE_PASSED)) != 0)
		page_update(f, number);
	if (is_gone == was_gone)
		return;
	ready_return(f, number);
	/* The document begins to list the page, or stops. */
	page->owner_flags ^= PAGE_UNLISTED;
	if (page->document != document)
		set_parent(f, number, document, false);
	if (!is_gone)
		document_at(f, document)->promoted++;
	else if (document_at(f, document)->promoted > 0)
		document_at(f, document)->promoted--;
}

void
page_listed_by(struct frontier *f, uint32_t number, uint32_t document,
    const struct date *lastmod)
{
	const struct sched_page *page = page_at(f, number);
	const struct sched_source *parent = document_at(f, page->document);
	struct change change = {.kind = DELTA_RETURNED, .after = *lastmod};
	bool was_gone = (page->owner_flags & PAGE_UNLISTED) != 0;
	bool is_same_site = parent->site == document_at(f, document)->site;
	bool is_moved = !was_gone &&
	    (is_same_site ? parent->is_unlisted || parent->is_orphan ||
			parent->is_index
			  : site_at(f, parent->site)->is_removed);

	/* A document of another site may become the parent while its site
	 * lists it. */
	if (!is_same_site &&
	    (document_at(f, document)->is_orphan ||
		site_at(f, document_at(f, document)->site)->is_removed))
		return;
	if (is_moved && parent->is_unlisted)
		change.kind = DELTA_ADDED;
	if (is_moved)
		set_parent(f, number, document, true);
	if (was_gone || is_moved)
		page_apply(f, number, document, &change);
}

enum scheduler_outcome_kind
page_outcome_kind(enum page_outcome kind)
{
	static const enum scheduler_outcome_kind kinds[] = {
	    [PAGE_CHANGED] = FETCH_CHANGED,
	    [PAGE_SAME] = FETCH_SAME,
	    [PAGE_NOT_MODIFIED] = FETCH_NOT_MODIFIED,
	    [PAGE_FETCHED] = FETCH_READ,
	    [PAGE_MOVED] = FETCH_MOVED_AWAY,
	    [PAGE_GONE] = FETCH_GONE,
	    [PAGE_FAILED] = FETCH_FAILED};

	return kinds[kind];
}

void
page_learned(struct frontier *f, uint32_t number, struct slice url)
{
	uint32_t document = page_at(f, number)->document;
	uint32_t site = document_at(f, document)->site;
	uint32_t folder = section_put(f, site, url);

	page_dirty(f, number);
	document_dirty(f, document);
	site_dirty(f, site);
	/* the folder and those above it; above a dirty one all are dirty */
	while (folder != 0) {
		struct section *section = &f->scheduler->sections
					       .items[folder - 1];

		if (section->is_dirty)
			break;
		section->is_dirty = true;
		fifo_put(&f->dirty_sections, folder);
		folder = section->above;
	}
}

/* Orphaned documents. */

/* Looking up a page costs one step for each document: this many steps take
 * some tenths of a second.  Pages that are not looked up are found when the
 * documents that list them are read next. */
#define LOOKUP_STEPS 200000

static void
add_id(void *arg, int64_t id)
{
	idmap_put(arg, id, 1);
}

/* Mark the orphans among the documents of a site, whose ids are given.
 * Returns whether any of the documents has changed. */
static bool
orphans_mark(struct frontier *f, uint32_t number, const struct idmap *unled)
{
	bool is_other = false;

	for (uint32_t i = site_at(f, number)->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site) {
		struct sched_source *document = document_at(f, i - 1);
		bool is_orphan = idmap_get(unled, document->id) != IDMAP_NONE;

		if (document->is_orphan == is_orphan)
			continue;
		is_other = true;
		document_tally(f, document, false);
		document->is_orphan = is_orphan;
		document->is_needed = false;
		document_tally(f, document, true);
		document_update(f, i - 1);
		if (document->is_skipped)
			document_return(f, i - 1);
		if (document->is_robots) {
			/* An orphaned robots.txt is still read for eligible
			 * pages of its origin. */
			uint32_t origin = document_origin(f, i - 1);

			if (origin != NONE)
				origin_at(f, origin)->orphan = is_orphan ? i
									 : 0;
		}
	}
	return is_other;
}

static void
refresh(struct frontier *f, uint32_t number, uint32_t *lookups)
{
	struct idmap unled = {0}; /* documents that nothing leads to */

	site_at(f, number)->is_suspect = false;
	store_each_id(
	    f->store, IDS_UNLED, site_at(f, number)->id, add_id, &unled);
	if (orphans_mark(f, number, &unled)) {
		ready_return_site(f, number);
		struct sched_site *site = site_at(f, number);
		uint32_t left = site->own_pages;

		site->orphan_pages = 0;
		for (uint32_t i = 0; i < f->scheduler->pages.count && left > 0;
		     i++) {
			const struct sched_page *page = page_at(f, i);

			if (page_site_of(f, page) != number)
				continue;
			left--;
			if (document_at(f, page->document)->is_orphan) {
				/* Another document may list a page of an
				 * orphan, and becomes its parent. */
				struct page_row row;
				struct buf url = BUF_UP_TO(URL_MAX_BYTES);

				if ((page->owner_flags & PAGE_UNLISTED) == 0 &&
				    *lookups != 0 &&
				    store_page_get(f->store, page->id, &row)) {
					--*lookups;
					(void)buf_put_slice(&url, row.url);
					(void)page_find_parent(
					    f, i, buf_text(&url));
					buf_release(&url);
				}
			}
			page_update(f, i);
			site = site_at(f, number);
			site->orphan_pages += document_at(f, page->document)
						  ->is_orphan;
		}
		/* what an orphan lists may be listed by other documents */
		for (uint32_t i = site_at(f, number)->first; i != 0;
		     i = document_at(f, i - 1)->next_of_site)
			document_listed(f, i - 1, true);
	}
	free(unled.slots);
}

void
orphans_refresh(struct frontier *f)
{
	struct fifo *suspects = &f->suspects;
	uint64_t most = LOOKUP_STEPS / (f->scheduler->sources.count + 1);
	uint32_t lookups = most < PARENT_LOOKUPS ? (uint32_t)most
						 : PARENT_LOOKUPS;

	for (size_t i = 0; i < suspects->end; i++)
		refresh(f, suspects->items[i], &lookups);
	suspects->end = 0;
}
