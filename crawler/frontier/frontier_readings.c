/*
 * What readings of documents say, applied to the frontier and the scheduler.
 *
 * A reading has counts, and a change for each entry that was added, removed or
 * dated otherwise.  Changes of a sitemap are events of pages; changes of an
 * index or robots.txt are events of the documents that it lists.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/at_work.h"
#include "base/url.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/page_parents.h"
#include "store/changes.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/siblings.h"
#include "store/site.h"

/* More moved dates than this, or than half of a large document, are one
 * event. */
#define BULK_MOVES 10000
#define BULK_LISTED 1000
/* Readings with so many entries and changes together take some 5 ms. */
#define SLICE_ENTRIES 20000

/* A reading that is being applied. */
struct applying {
	struct frontier *f;
	const struct reading_row *row;
	uint32_t document;
	/* searches for other parents of pages so far; PARENT_LOOKUPS at
	 * most */
	uint32_t lookups;
	bool is_bulk;
};

/* Events of pages. */

static bool
apply_to_page(void *arg, const struct change *change)
{
	struct applying *applying = arg;
	struct frontier *f = applying->f;
	uint32_t number = idmap_get(&f->page_by_url, page_key(f, change->url));
	bool is_out = change_removes(change);
	bool was_gone;

	if (number == NONE)
		return true;
	was_gone = (page_at(f, number)->owner_flags & PAGE_UNLISTED) != 0;
	/* an entry that is missing once may come back */
	if (change->kind == DELTA_REMOVED ||
	    (change->verdict != VERDICT_ACCEPTED && was_gone) ||
	    (applying->is_bulk && change->kind == DELTA_REDATED))
		return true;
	/* a document that is not the parent only says that it lists the page */
	if (page_at(f, number)->document != applying->document) {
		if (!is_out)
			page_listed_by(
			    f, number, applying->document, &change->after);
		return true;
	}
	/* another document may list it */
	if (is_out && !was_gone && applying->lookups < PARENT_LOOKUPS) {
		applying->lookups++;
		if (page_find_parent(f, number, change->url))
			return true;
	}
	page_apply(f, number, applying->document, change);
	return true;
}

/* Entries of a document that was read, which may be pages already. */
struct first_entries {
	struct frontier *f;
	uint32_t document; /* that was read */
	uint32_t parent; /* of the pages so far; NONE: any document */
};

static bool
apply_first_entry(void *arg, const struct entry *entry)
{
	const struct first_entries *of = arg;
	struct frontier *f = of->f;
	bool is_listed = entry->missed == 0 &&
	    entry->verdict == VERDICT_ACCEPTED;
	uint32_t number = is_listed
	    ? idmap_get(&f->page_by_url, page_key(f, entry->url))
	    : NONE;

	if (number != NONE &&
	    (of->parent == NONE || page_at(f, number)->document == of->parent))
		page_listed_by(f, number, of->document, &entry->lastmod);
	/* the parent may have no page left */
	return of->parent == NONE || document_at(f, of->parent)->promoted > 0;
}

/* Events of documents that an index or robots.txt lists. */

static bool
apply_to_child(void *arg, const struct change *change)
{
	struct applying *applying = arg;
	struct frontier *f = applying->f;
	int64_t id = store_document_id(
	    f->store, applying->row->site_id, change->url);
	uint32_t number = id > 0 ? document_find(f, id, KIND_UNKNOWN) : NONE;

	/* an index does not list what it listed when it was none */
	if (change->kind == DELTA_GONE)
		(void)apply_to_page(applying, change);
	if (number == NONE || change->kind == DELTA_REMOVED)
		return true;
	if (change->kind == DELTA_REDATED) {
		/* Do the dates that an index gives the document count for
		 * nothing? */
		struct document document;
		bool is_wrong = store_document_get(f->store, id, &document) &&
		    document.index_is_wrong;

		document_release(&document);
		if (is_wrong)
			return true;
	}
	/* another document may list the child, or the child may be a target */
	if (!change_removes(change) ||
	    store_number(f->store, STORE_IS_LED, id, 0) == 0) {
		/* Tell the scheduler what the parent says of a child; a child
		 * that had no parent when it was made is only dropped or taken
		 * up again. */
		bool is_gone = change_removes(change);
		struct scheduler_signal signal = {.kind = is_gone
			? SIGNAL_REMOVED
			: change->kind == DELTA_REDATED ? SIGNAL_MOVED
			: change->kind == DELTA_ADDED   ? SIGNAL_NEW
							: SIGNAL_RETURNED};

		signal.lastmod_s = signal_date(&change->after, &signal.is_day);
		if (is_gone)
			signal.lastmod_s = SCHEDULER_NO_DATE;
		if (document_at(f, number)->parent != SCHEDULER_NONE)
			scheduler_child_signal(f->scheduler, number, &signal);
		else
			scheduler_drop(f->scheduler, number, is_gone);
		document_at(f, number)->has_event = true;
		document_update(f, number);
		document_dirty(f, number);
	}
	return true;
}

/* The first reading of an index has no changes. */
static void
apply_first_child(void *arg, int64_t child_id, const struct date *lastmod)
{
	struct applying *applying = arg;
	struct frontier *f = applying->f;
	uint32_t number = document_find(f, child_id, KIND_UNKNOWN);
	struct scheduler_signal signal = {.kind = SIGNAL_NEW};

	signal.lastmod_s = signal_date(lastmod, &signal.is_day);
	if (number == NONE ||
	    document_at(f, number)->parent == SCHEDULER_NONE ||
	    document_at(f, number)->has_event)
		return;
	scheduler_child_signal(f->scheduler, number, &signal);
	document_at(f, number)->has_event = true;
	document_update(f, number);
	document_dirty(f, number);
}

static void
apply_changes(struct applying *applying)
{
	struct frontier *f = applying->f;
	const struct reading_row *row = applying->row;
	struct sched_source *document = document_at(f, applying->document);
	uint64_t changes = 0;

	if (document->is_index)
		site_suspect(f, document->site);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += row->changes[kind];
	if (changes == 0) {
		if (document->is_index)
			store_each_child(f->store, row->document_id,
			    apply_first_child, applying);
		else if (document->listed == 0 && row->entries > 0 &&
		    site_at(f, document->site)->own_pages > 0)
			/* the first reading of a document has no changes */
			store_each_entry(f->store, row->document_id,
			    apply_first_entry,
			    &(struct first_entries){
				f, applying->document, NONE});
		return;
	}
	/* a site without pages has nothing that a change could apply to */
	if (document->is_index || site_at(f, document->site)->own_pages > 0)
		store_each_change(f->store, row->id,
		    document->is_index ? apply_to_child : apply_to_page,
		    applying);
	if (applying->lookups < PARENT_LOOKUPS)
		return;
	/* Not all pages that left the document were looked for in the others of
	 * its site: forget their candidates. */
	document = document_at(f, applying->document);
	for (uint32_t i = site_at(f, document->site)->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site)
		document_listed(f, i - 1, true);
}

static struct scheduler_reading
scheduler_reading_of(const struct frontier *f,
    const struct sched_source *document, const struct reading_row *row)
{
	bool is_unchanged = row->outcome == OUTCOME_UNCHANGED;
	uint32_t accepted = frontier_count(
	    verdict_accepted(row->entries, row->refused));
	struct scheduler_reading reading = {
	    .now_s = row->at_s < f->now_s ? row->at_s : f->now_s,
	    /* an unchanged document was not counted again */
	    .listed = is_unchanged ? document->listed : accepted,
	    .dated = is_unchanged ? document->dated
				  : frontier_count(row->dated),
	    .added = frontier_count(row->changes[DELTA_ADDED] +
		row->changes[DELTA_BACK] + row->changes[DELTA_ACCEPTED]),
	    .removed = frontier_count(
		row->changes[DELTA_GONE] + row->changes[DELTA_REFUSED]),
	    .moved = frontier_count(row->changes[DELTA_REDATED]),
	    .bytes = row->wire_bytes,
	    .is_unchanged = is_unchanged,
	    .is_partial = row->outcome == OUTCOME_READ && !row->is_complete,
	    .is_failed = row->outcome == OUTCOME_FAILED ||
		row->outcome == OUTCOME_REFUSED || row->failure != DIAG_OK,
	    .is_gone = row->status == 404 || row->status == 410};

	/* refused entries are added and dated, too */
	if (reading.added > reading.listed)
		reading.added = reading.listed;
	if (reading.moved > reading.listed)
		reading.moved = reading.listed;
	reading.is_bulk = reading.moved > BULK_MOVES ||
	    (reading.listed > BULK_LISTED &&
		reading.moved > reading.listed / 2);
	return reading;
}

static void
add_untried(void *arg, const struct document_list_row *row)
{
	(void)document_put(arg, row, 0);
}

/* Has the document failed for longer than SPEC R-77 allows, with an attempt at
 * that time?  Or is it a robots.txt over http that another one makes
 * needless? */
static bool
reading_gives_up(const struct frontier *f, int64_t document_id, int64_t at_s)
{
	struct document document;
	struct url_parts url;
	bool gives_up;

	if (!store_document_get(f->store, document_id, &document))
		return false;
	url = url_parts(slice_of(document.url));
	gives_up = document_is_given_up(&document, at_s) ||
	    (slice_is(url.target, "/robots.txt") &&
		robots_is_spare(f->store, url.origin, 0));
	document_release(&document);
	return gives_up;
}

/* A sibling is to be read, since the document lacks pages. */
static void
ask_sibling(void *arg, int64_t document_id, int64_t due_s)
{
	struct frontier *f = arg;
	uint32_t number = document_find(f, document_id, KIND_UNKNOWN);

	if (number != NONE)
		document_owes(f, number, due_s);
}

/* A robots.txt was read: its rules and the sitemaps that it names may have
 * changed, even if it is unchanged: it may have been out of reach before. */
static void
apply_robots(struct frontier *f, uint32_t number, const struct reading_row *row)
{
	uint32_t site = document_at(f, number)->site;
	uint32_t origin = document_origin(f, number);

	if (origin != NONE)
		origin_changed(f, origin);
	site_suspect(f, site);
	if (row->is_read)
		store_each_document_list(f->store, LIST_OF_UNTRIED,
		    site_at(f, site)->id, add_untried, f);
	/* The rules for the entries of the site have changed: forget its
	 * candidates. */
	for (uint32_t i = site_at(f, site)->first; i != 0;
	     i = document_at(f, i - 1)->next_of_site)
		document_listed(f, i - 1, true);
}

static void
apply_one(struct frontier *f, const struct reading_row *row)
{
	struct scheduler_reading reading;
	struct applying applying = {.f = f, .row = row};
	struct sched_source *document;
	uint32_t number = document_find(f, row->document_id, row->kind);

	if (number == NONE)
		return;
	applying.document = number;
	document = document_at(f, number);
	/* a crash report names the site from now on */
	at_work_site(at_work_name(
	    names_slice(&f->hosts->names, site_at(f, document->site)->host)));
	if (row->outcome == OUTCOME_ENDED) {
		/* The document was ended without a request: nothing leads to it
		 * any more, and everything that it listed is gone. */
		site_suspect(f, document->site);
		apply_changes(&applying);
		document_lists(f, number, 0, 0);
		document_at(f, number)->dated = 0;
		document_listed(f, number, true);
		return;
	}
	reading = scheduler_reading_of(f, document, row);
	reading.is_given_up = reading.is_failed &&
	    reading_gives_up(f, row->document_id, row->at_s);
	applying.is_bulk = reading.is_bulk;
	document->generator = row->generator;
	document->is_skipped = false;
	document->is_read |= !reading.is_failed;
	/* the orphan was read, so something may lead to it again */
	if (document->is_orphan)
		site_suspect(f, document->site);
	scheduler_reading(f->scheduler, number, &reading);
	/* The scheduler does not count robots.txt, and knows of one request for
	 * each reading. */
	for (int i = document->is_robots + row->is_redirected; i > 0; i--)
		scheduler_asked(f->scheduler, document->site, reading.now_s);
	site_dirty(f, document->site);
	document_owes(f, number, row->owed_s);
	if (row->owed_s > 0)
		siblings_each_asked(f->store, row->document_id, ask_sibling, f);
	document_dirty(f, number);
	if (document->is_robots) {
		apply_robots(f, number, row);
		return;
	}
	/* entries that the reading before missed are gone after an unchanged
	 * one */
	if (!row->is_read &&
	    (row->outcome != OUTCOME_UNCHANGED ||
		row->changes[DELTA_GONE] + row->changes[DELTA_LEFT] == 0))
		return;
	apply_changes(&applying);
	/* Missing entries count as listed until they are gone: they may be
	 * pages.  A backlog that is too large costs nothing. */
	if (row->is_read) {
		/* Pages of its site that were imported while no document listed
		 * them, and that it lists, are its pages from now on, with its
		 * dates. */
		struct first_entries unlisted = {f, number,
		    site_at(f, document_at(f, number)->site)
			    ->unlisted_document -
			1};

		document = document_at(f, number);
		if (unlisted.parent != NONE && !document->is_index &&
		    unlisted.parent != number &&
		    document_at(f, unlisted.parent)->promoted > 0)
			store_each_entry(f->store, document->id,
			    apply_first_entry, &unlisted);
		document_lists(f, number,
		    frontier_count(verdict_accepted(
			row->entries + row->missed, row->refused)),
		    frontier_count(row->refused));
		document = document_at(f, number);
		document->dated = frontier_count(row->dated);
	}
	document_listed(f, number, true);
}

/* Sites that were never found.  Their readings are applied once a sitemap was
 * read, from the first one on. */

/* The readings of a site before that one. */
struct before {
	struct frontier *f;
	int64_t reading_id;
};

static bool
apply_before(void *arg, const struct reading_row *row)
{
	const struct before *before = arg;

	if (row->id >= before->reading_id)
		return false;
	apply_one(before->f, row);
	return true;
}

/* Was the site of that reading found before, or by this reading? */
static bool
is_found(struct frontier *f, const struct reading_row *row)
{
	struct before before = {f, row->id};
	uint32_t number = site_find(f, row->site_id);
	struct document_list_row document;

	if (number == NONE)
		return false;
	if (site_at(f, number)->is_found)
		return true;
	/* another site may list pages at the origin of the document */
	if (store_document_list(f->store, row->document_id, &document) &&
	    names_find(&f->origins.names, url_parts(document.url).origin) !=
		NONE)
		return true;
	if (row->kind == KIND_ROBOTS || row->failure != DIAG_OK ||
	    (row->outcome != OUTCOME_READ && row->outcome != OUTCOME_UNCHANGED))
		return false;
	site_at(f, number)->is_found = true;
	store_each_reading(f->store,
	    (struct reading_from){
		.by = READINGS_OF_SITE, .id = row->site_id, .at_s = INT64_MIN},
	    apply_before, &before);
	return true;
}

/* The readings that one call applies. */
struct slice_of_readings {
	struct frontier *f;
	uint64_t entries; /* of them, and changes */
};

static bool
reading_apply(void *arg, const struct reading_row *row)
{
	struct slice_of_readings *some = arg;
	struct frontier *f = some->f;

	if (some->entries >= SLICE_ENTRIES)
		return false;
	some->entries += 1 + row->entries;
	for (size_t i = 0; i < DELTA_KINDS; i++)
		some->entries += row->changes[i];
	f->applied_id = row->id;
	if (f->options.only != NULL &&
	    idmap_get(&f->sites.by_id, row->site_id) == NONE)
		return true;
	if (idmap_get(&f->document_by_id, row->document_id) != NONE ||
	    is_found(f, row))
		apply_one(f, row);
	return true;
}

bool
frontier_sync(struct frontier *f, int64_t now_s)
{
	struct slice_of_readings some = {f, 0};

	(void)frontier_clock(f, now_s);
	while (frontier_hold_over_s(f) <= f->now_s) {
		uint32_t hold = ranking_first(&f->holds)->number;

		ranking_remove(&f->holds, hold);
		host_report_hold(f, hold, 0, "over");
	}
	store_each_reading(f->store,
	    (struct reading_from){.after_id = f->applied_id}, reading_apply,
	    &some);
	orphans_refresh(f);
	return some.entries >= SLICE_ENTRIES;
}
