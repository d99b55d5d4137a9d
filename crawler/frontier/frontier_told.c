/* Telling the scheduler of readings: see desk.h. */
#include "crawler/frontier/frontier_told.h"

#include "base/url.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_holds.h"
#include "crawler/frontier/frontier_homes.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/frontier_unlisted.h"
#include "sched/scheduler_tell.h"
#include "store/document.h"
#include "store/reach.h"
#include "store/robots_fallback.h"
#include "store/since.h"
#include "store/site.h"

/* More moves than that, or than half of a large document, are told as one. */
#define BULK_MOVES 10000
#define BULK_LISTED 1000

/* One reading that is being told. */
struct telling {
	struct frontier *frontier;
	const struct reading_row *row;
	uint32_t document;
	uint32_t lookups;
	bool is_bulk;
};

int64_t
told_date(const struct date *date, bool *is_day)
{
	*is_day = date->precision == DATE_DAY;
	return date->precision < DATE_DAY ? SCHEDULER_NO_DATE : date->epoch_s;
}

static struct scheduler_signal
signal_of(enum scheduler_signal_kind kind, const struct date *lastmod)
{
	struct scheduler_signal signal = {.kind = kind};

	signal.lastmod_s = told_date(lastmod, &signal.is_day);
	return signal;
}

/* is_out(change): does it say that its document lists the page no more, or may
 * not?  Absence counts the second time. */
static bool
is_out(const struct change *change)
{
	return change->kind == DELTA_GONE ||
	    change->verdict != VERDICT_ACCEPTED;
}

/* It is gone from its document: does it go to another? */
static bool
goes_over(struct telling *telling, uint32_t number, struct slice url)
{
	if (telling->lookups >= HOMES_LOOKUPS)
		return false;
	telling->lookups++;
	return home_find(telling->frontier, number, url);
}

/* It is listed now, as it was not, or the other way round. */
static void
list_page(struct telling *telling, uint32_t number, bool is_gone)
{
	struct frontier *frontier = telling->frontier;
	struct document_at *document = &frontier->documents[telling->document];
	struct page_at *page = &frontier->pages[number];

	page->flags ^= PAGE_UNLISTED;
	if (page->document != telling->document)
		home_set(frontier, number, telling->document);
	if (is_gone && document->promoted > 0)
		document->promoted--;
	else if (!is_gone)
		document->promoted++;
}

/* Of a page that its document lists, or listed. */
static void
tell_page(struct telling *telling, uint32_t number, const struct change *change)
{
	struct frontier *frontier = telling->frontier;
	struct page_at *page = &frontier->pages[number];
	bool is_gone = is_out(change);
	bool was_gone = (page->flags & PAGE_UNLISTED) != 0;
	struct scheduler_signal signal = signal_of(is_gone ? SIGNAL_REMOVED
		: was_gone || change->kind == DELTA_ADDED  ? SIGNAL_RETURNED
							   : SIGNAL_MOVED,
	    &change->after);
	struct page_told told = {.is_listed = !is_gone};
	struct page_row row;

	if (!store_page_get(frontier->options.store, page->id, &row))
		return;
	if (is_gone)
		signal.lastmod_s = SCHEDULER_NO_DATE;
	told.has_lastmod = signal.lastmod_s != SCHEDULER_NO_DATE;
	told.lastmod_s = told.has_lastmod ? signal.lastmod_s : 0;
	told.is_day = signal.is_day;
	/* It was absent once, and nothing moved.  A date that moved is told,
	 * even where the row has it: a frontier that was not saved may have put
	 * it there, and what this one has learned is older. */
	if ((change->kind == DELTA_RETURNED ||
		change->kind == DELTA_ACCEPTED) &&
	    !was_gone && row.has_lastmod == told.has_lastmod &&
	    (!told.has_lastmod || row.lastmod_s == told.lastmod_s))
		return;
	scheduler_page_signal(frontier->scheduler, number, &signal);
	if (!frontier->options.is_shown)
		store_page_told(frontier->options.store, page->id, &told);
	page_dirty(frontier, number);
	if (is_gone != was_gone)
		shelf_return(frontier, number);
	if (is_gone != was_gone)
		list_page(telling, number, is_gone);
}

/* May a page that is no other's be one of that document?  Another site lists
 * it for itself, while that is wanted. */
static bool
may_have(const struct frontier *frontier, uint32_t document, uint32_t number)
{
	const struct document_at *is = &frontier->documents[document];
	uint32_t home = frontier->pages[number].document;

	return is->site == frontier->documents[home].site ||
	    (!is->is_orphan && !frontier->sites[is->site].is_removed);
}

void
told_listed(struct frontier *frontier, uint32_t number, uint32_t document,
    const struct date *lastmod)
{
	struct telling telling = {.frontier = frontier, .document = document};
	struct change change = {.kind = DELTA_RETURNED, .after = *lastmod};
	bool was_gone = (frontier->pages[number].flags & PAGE_UNLISTED) != 0;
	const struct document_at
	    *former = &frontier->documents[frontier->pages[number].document];
	bool is_same = former->site == frontier->documents[document].site;
	bool is_found = !was_gone &&
	    (is_same ? former->is_unlisted || former->is_orphan ||
			former->is_replaced
		     : frontier->sites[former->site].is_removed);

	if (!may_have(frontier, document, number))
		return;
	if (is_found && former->is_unlisted)
		change.kind = DELTA_ADDED;
	if (is_found)
		home_move(frontier, number, document);
	if (was_gone || is_found)
		tell_page(&telling, number, &change);
}

static bool
change_of_page(void *arg, const struct change *change)
{
	struct telling *telling = arg;
	struct frontier *frontier = telling->frontier;
	uint32_t number = page_by_url(frontier, change->url);
	bool is_ours;

	/* What is absent once may be there again. */
	if (number == NONE || change->kind == DELTA_REMOVED ||
	    (change->verdict != VERDICT_ACCEPTED &&
		(frontier->pages[number].flags & PAGE_UNLISTED) != 0) ||
	    (telling->is_bulk && change->kind == DELTA_REDATED))
		return true;
	is_ours = frontier->pages[number].document == telling->document;
	/* Other documents say no more than that it is there. */
	if (!is_ours) {
		if (!is_out(change))
			told_listed(frontier, number, telling->document,
			    &change->after);
		return true;
	}
	if (is_out(change) &&
	    (frontier->pages[number].flags & PAGE_UNLISTED) == 0 &&
	    goes_over(telling, number, change->url))
		return true;
	tell_page(telling, number, change);
	return true;
}

/* An index has lost what it listed when it was none. */
static void
lose_page(struct telling *telling, const struct change *change)
{
	struct frontier *frontier = telling->frontier;
	struct telling former = *telling;
	uint32_t number = page_by_url(frontier, change->url);

	former.document = frontier->documents[telling->document].other - 1;
	if (number == NONE ||
	    frontier->pages[number].document != former.document ||
	    (frontier->pages[number].flags & PAGE_UNLISTED) != 0)
		return;
	if (!goes_over(&former, number, change->url))
		tell_page(&former, number, change);
	telling->lookups = former.lookups;
}

/* What its index says of it goes by that index; else, when the frontier met it,
 * none listed it. */
static void
tell_child(
    struct telling *telling, uint32_t number, const struct change *change)
{
	struct frontier *frontier = telling->frontier;
	bool is_gone = is_out(change);
	struct scheduler_signal signal = signal_of(is_gone ? SIGNAL_REMOVED
		: change->kind == DELTA_REDATED            ? SIGNAL_MOVED
		: change->kind == DELTA_ADDED              ? SIGNAL_NEW
							   : SIGNAL_RETURNED,
	    &change->after);

	if (is_gone)
		signal.lastmod_s = SCHEDULER_NO_DATE;
	if (frontier->documents[number].has_parent)
		scheduler_child_signal(frontier->scheduler, number, &signal);
	else
		scheduler_drop(frontier->scheduler, number, is_gone);
	frontier->documents[number].is_told = true;
	document_wanted(frontier, number);
	document_dirty(frontier, number);
}

static bool
change_of_child(void *arg, const struct change *change)
{
	struct telling *telling = arg;
	struct frontier *frontier = telling->frontier;
	int64_t id = store_document_id(
	    frontier->options.store, telling->row->site_id, change->url);
	uint32_t number = id > 0 ? document_find(frontier, id) : NONE;

	if (change->kind == DELTA_GONE &&
	    frontier->documents[telling->document].other != 0)
		lose_page(telling, change);
	if (number == NONE || change->kind == DELTA_REMOVED)
		return true;
	/* others may list it, or it is wanted for its own sake */
	if (!is_out(change) || !store_is_led(frontier->options.store, id))
		tell_child(telling, number, change);
	return true;
}

/* The first reading of an index has no delta. */
static void
first_child(void *arg, int64_t child_id, const struct date *lastmod)
{
	struct telling *telling = arg;
	struct frontier *frontier = telling->frontier;
	uint32_t number = document_find(frontier, child_id);
	struct scheduler_signal signal = signal_of(SIGNAL_NEW, lastmod);

	if (number == NONE || !frontier->documents[number].has_parent ||
	    frontier->documents[number].is_told)
		return;
	scheduler_child_signal(frontier->scheduler, number, &signal);
	frontier->documents[number].is_told = true;
	document_wanted(frontier, number);
	document_dirty(frontier, number);
}

static struct scheduler_reading
reading_of(const struct frontier *frontier, const struct document_at *document,
    const struct reading_row *row)
{
	bool is_unchanged = row->outcome == OUTCOME_UNCHANGED;
	uint32_t accepted = frontier_count(
	    verdict_accepted(row->entries, row->refused));
	struct scheduler_reading reading = {
	    .now_s = row->at_s < frontier->now_s ? row->at_s : frontier->now_s,
	    /* nothing was counted: what stands is what it listed before */
	    .listed = is_unchanged ? document->listed : accepted,
	    .dated = is_unchanged ? document->dated
				  : frontier_count(row->dated),
	    .added = frontier_count(
		row->changes[DELTA_ADDED] + row->changes[DELTA_ACCEPTED]),
	    .removed = frontier_count(
		row->changes[DELTA_GONE] + row->changes[DELTA_REFUSED]),
	    .moved = frontier_count(row->changes[DELTA_REDATED]),
	    .bytes = row->wire_bytes,
	    .is_unchanged = is_unchanged,
	    .is_partial = row->outcome == OUTCOME_READ && !row->is_complete,
	    .is_failed = row->outcome == OUTCOME_FAILED ||
		row->outcome == OUTCOME_REFUSED || row->failure != DIAG_OK,
	    .is_gone = row->status == 404 || row->status == 410};

	/* Entries that are refused come and are re-dated, too. */
	if (reading.added > reading.listed)
		reading.added = reading.listed;
	if (reading.moved > reading.listed)
		reading.moved = reading.listed;
	reading.is_bulk = reading.moved > BULK_MOVES ||
	    (reading.listed > BULK_LISTED &&
		reading.moved > reading.listed / 2);
	return reading;
}

/* The origin that a document is at; NONE: it is none any more. */
static uint32_t
origin_of(struct frontier *frontier, uint32_t number)
{
	uint32_t origin = NONE;
	struct document_list_row row;
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(frontier->options.store,
		frontier->documents[number].id, &row, &url))
		origin = origin_put(frontier, frontier_url(row.url).origin,
		    frontier->documents[number].site);
	buf_release(&url);
	return origin;
}

/* It could not be read: with a Retry-After its pages are left alone, too. */
static void
tell_failed(struct frontier *frontier, uint32_t number)
{
	uint32_t origin = origin_of(frontier, number);

	if (origin != NONE)
		origin_park(frontier, origin);
}

static void
take_untried(void *arg, const struct document_list_row *row)
{
	(void)document_put(arg, row);
}

/* All that the documents of the site list is gone through once more. */
static void
list_again(struct frontier *frontier, uint32_t site)
{
	for (uint32_t i = frontier->sites[site].documents; i != 0;
	     i = frontier->documents[i - 1].next)
		document_listed(frontier, i - 1);
}

/* Its robots.txt: what it refuses and names may be other things now. */
static void
tell_robots(struct frontier *frontier, uint32_t number, bool is_read)
{
	uint32_t site = frontier->documents[number].site;
	uint32_t origin = origin_of(frontier, number);

	if (origin != NONE)
		origin_changed(frontier, origin);
	orphans_doubt(frontier, site);
	if (is_read)
		store_each_untried(frontier->options.store,
		    frontier->sites[site].id, take_untried, frontier);
	list_again(frontier, site);
}

/* Nor has that of a document, when its site was read for the first time, or it
 * was taken up again: what pages were there already are listed by it, too. */
static bool
first_page(void *arg, const struct entry *entry)
{
	struct telling *telling = arg;
	bool is_listed = entry->missed == 0 &&
	    entry->verdict == VERDICT_ACCEPTED;
	uint32_t number = is_listed ? page_by_url(telling->frontier, entry->url)
				    : NONE;

	if (number != NONE)
		told_listed(telling->frontier, number, telling->document,
		    &entry->lastmod);
	return true;
}

static void
tell_changes(struct telling *telling)
{
	struct frontier *frontier = telling->frontier;
	const struct reading_row *row = telling->row;
	struct document_at *document = &frontier->documents[telling->document];
	uint64_t changes = 0;

	if (document->is_index)
		orphans_doubt(frontier, document->site);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += row->changes[kind];
	if (changes == 0) {
		if (document->is_index)
			store_each_child(frontier->options.store,
			    row->document_id, first_child, telling);
		else if (document->listed == 0 && row->entries > 0 &&
		    frontier->sites[document->site].pages > 0)
			store_each_entry(frontier->options.store,
			    row->document_id, first_page, telling);
		return;
	}
	/* Where nothing was handed out yet nobody hears of it. */
	if (document->is_index || frontier->sites[document->site].pages > 0)
		store_each_change(frontier->options.store, row->id,
		    document->is_index ? change_of_child : change_of_page,
		    telling);
	if (telling->lookups >= HOMES_LOOKUPS)
		list_again(
		    frontier, frontier->documents[telling->document].site);
}

/* Nobody asked for it: nothing leads to it any more, and all that it listed is
 * gone. */
static void
tell_ended(struct telling *telling)
{
	struct frontier *frontier = telling->frontier;

	orphans_doubt(frontier, frontier->documents[telling->document].site);
	tell_changes(telling);
	document_lists(frontier, telling->document, 0, 0);
	frontier->documents[telling->document].dated = 0;
	document_listed(frontier, telling->document);
}

/* A robots.txt that is asked for by http, and that will do. */
static bool
is_spare(const struct frontier *frontier, int64_t document_id)
{
	struct document document;
	struct frontier_url url;
	bool is_spare;

	if (!store_document_get(
		frontier->options.store, document_id, &document))
		return false;
	url = frontier_url(slice_of(document.url));
	is_spare = slice_is(url.target, "/robots.txt") &&
	    robots_is_spare(frontier->options.store, url.origin);
	document_release(&document);
	return is_spare;
}

static void
tell_one(struct frontier *frontier, const struct reading_row *row)
{
	struct scheduler_reading reading;
	struct telling telling = {.frontier = frontier, .row = row};
	struct document_at *document;

	telling.document = document_seen(frontier, row->document_id, row->kind);
	if (telling.document == NONE)
		return;
	document = &frontier->documents[telling.document];
	site_at_work(frontier, document->site);
	if (row->outcome == OUTCOME_ENDED) {
		tell_ended(&telling);
		return;
	}
	reading = reading_of(frontier, document, row);
	reading.is_given_up = reading.is_failed &&
	    (document_has_failed(frontier, row->document_id, row->at_s) ||
		is_spare(frontier, row->document_id));
	telling.is_bulk = reading.is_bulk;
	document->is_out = document->is_left = false;
	document->is_read |= !reading.is_failed;
	/* somebody asked for it: something leads to it again */
	if (document->is_orphan)
		orphans_doubt(frontier, document->site);
	scheduler_reading(frontier->scheduler, telling.document, &reading);
	document_owes(frontier, telling.document, row->owed_s);
	document_dirty(frontier, telling.document);
	if (reading.is_failed)
		tell_failed(frontier, telling.document);
	if (document->is_robots) {
		/* unchanged, too: it may have been out of reach before */
		tell_robots(frontier, telling.document, row->is_read);
		return;
	}
	/* One that is unchanged makes gone what the one before missed. */
	if (!row->is_read &&
	    (row->outcome != OUTCOME_UNCHANGED ||
		row->changes[DELTA_GONE] == 0))
		return;
	tell_changes(&telling);
	/* Pages that are missed count among those that were handed out, until
	 * they are gone; too many that are waited for cost nothing. */
	if (row->is_read) {
		unlisted_found(frontier, telling.document);
		document_lists(frontier, telling.document,
		    frontier_count(verdict_accepted(
			row->entries + row->missed, row->refused)),
		    frontier_count(row->refused));
		document = &frontier->documents[telling.document];
		document->dated = frontier_count(row->dated);
	}
	document_listed(frontier, telling.document);
}

/* The readings of a site before that one, when it is found at last. */
struct before {
	struct frontier *frontier;
	int64_t reading_id;
};

static bool
tell_before(void *arg, const struct reading_row *row)
{
	const struct before *before = arg;

	if (row->id >= before->reading_id)
		return false;
	tell_one(before->frontier, row);
	return true;
}

/* Does it have pages, which other sites list? */
static bool
has_pages(struct frontier *frontier, int64_t document_id)
{
	bool is_known = false;
	struct document_list_row row;
	struct buf url;

	buf_init(&url, URL_MAX_BYTES);
	if (store_document_list(
		frontier->options.store, document_id, &row, &url))
		is_known = names_find(&frontier->origin_names,
			       frontier_url(row.url).origin) != NAMES_NONE;
	buf_release(&url);
	return is_known;
}

/* Is the site of that reading found, or was it with this one? */
static bool
is_found(struct frontier *frontier, const struct reading_row *row)
{
	struct before before = {frontier, row->id};
	uint32_t number = site_find(frontier, row->site_id);

	if (number == NONE)
		return false;
	if (frontier->sites[number].is_found ||
	    has_pages(frontier, row->document_id))
		return true;
	if (row->kind == KIND_ROBOTS || row->failure != DIAG_OK ||
	    (row->outcome != OUTCOME_READ && row->outcome != OUTCOME_UNCHANGED))
		return false;
	frontier->sites[number].is_found = true;
	store_each_site_reading(frontier->options.store, row->site_id,
	    INT64_MIN, tell_before, &before);
	return true;
}

static bool
tell(void *arg, const struct reading_row *row)
{
	struct frontier *frontier = arg;

	frontier->told = row->id;
	if (frontier->options.only != NULL &&
	    idmap_get(&frontier->site_of, row->site_id) == IDMAP_NONE)
		return true;
	if (idmap_get(&frontier->document_of, row->document_id) != IDMAP_NONE ||
	    is_found(frontier, row))
		tell_one(frontier, row);
	return true;
}

void
frontier_sync(struct frontier *frontier, int64_t now_s)
{
	(void)frontier_clock(frontier, now_s);
	holds_over(frontier);
	store_each_reading_after(
	    frontier->options.store, frontier->told, tell, frontier);
	orphans_settle(frontier);
}
