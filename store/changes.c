/* Readings in the order of commits, their changes, and entries of documents. */
#include "store/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/query.h"

/* Fill in which changes of the reading are changes of the site.  The columns of
 * READING_ROWS from `column` on tell. */
static void
put_site(struct store *store, struct sqlite3_stmt *stmt, int column,
    struct reading_row *row)
{
	static const enum delta_kind kinds[] = {DELTA_ADDED, DELTA_REMOVED,
	    DELTA_RETURNED, DELTA_GONE, DELTA_LEFT, DELTA_BACK};
	bool is_tallied = !db_is_null(stmt, column + 1);
	bool has_bits = !db_is_null(stmt, column);
	int64_t bits = has_bits ? db_int(stmt, column) : 0;

	row->is_counted = has_bits &&
	    (bits == 0 || is_tallied || !row->has_delta);
	row->lists_pages = has_bits ? (bits & TALLY_PAGES) != 0
				    : row->kind != KIND_INDEX;
	/* The document listed only children before, and still does.  What a
	 * site lists when it is first read is no change. */
	if ((has_bits && bits == 0) || !row->has_delta)
		return;
	if (!has_bits && !row->lists_pages)
		return;
	memcpy(row->site, row->changes, sizeof(row->site));
	for (int i = 0; is_tallied && i < 6; i++)
		row->site[kinds[i]] = db_count(store, stmt, column + 1 + i);
	/* The document now lists children in place of pages. */
	if (!row->lists_pages)
		row->site[DELTA_REDATED] = row->site[DELTA_REFUSED] =
		    row->site[DELTA_ACCEPTED] = 0;
	if (row->is_in_turns)
		row->site[DELTA_REDATED] = 0;
}

static struct reading_row
reading_row(struct store *store, struct sqlite3_stmt *stmt)
{
	struct reading_row row = {
	    .id = db_id(store, stmt, 0),
	    .document_id = db_id(store, stmt, 1),
	    .site_id = db_id(store, stmt, 2),
	    .at_s = db_time(store, stmt, 3),
	    .outcome = outcome_find(db_text(stmt, 4)),
	    .failure = diag_find(db_text(stmt, 5)),
	    .status = (int)db_int(stmt, 6),
	    .kind = document_kind_find(db_text(stmt, 7)),
	    .is_complete = db_int(stmt, 8) != 0,
	    .entries = db_count(store, stmt, 9),
	    .missed = db_count(store, stmt, 10),
	    .dated = db_count(store, stmt, 11),
	    .regressed = db_count(store, stmt, 12),
	    .wire_bytes = db_count(store, stmt, 13 + DELTA_KINDS),
	    .refused = db_count(store, stmt, 15 + DELTA_KINDS),
	    .owed_s = db_time(store, stmt, 24 + DELTA_KINDS),
	    .sessions = db_count(store, stmt, 25 + DELTA_KINDS),
	    .is_redirected = db_int(stmt, 26 + DELTA_KINDS) != 0,
	    .is_in_turns = db_int(stmt, 27 + DELTA_KINDS) != 0,
	    .generator = generator_find(db_text(stmt, 28 + DELTA_KINDS)),
	};

	row.is_read = row.outcome == OUTCOME_READ && db_is_null(stmt, 5);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		row.changes[kind] = db_count(store, stmt, 13 + kind);
	row.has_delta = db_int(stmt, 14 + DELTA_KINDS) > 0;
	row.since_s = db_time(store, stmt, 16 + DELTA_KINDS);
	put_site(store, stmt, 17 + DELTA_KINDS, &row);
	return row;
}

void
store_each_reading(struct store *store, struct reading_from from,
    store_reading_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = NULL;
	bool goes_on = true;

	switch (from.by) {
	case READINGS_OF_ALL:
		stmt = db_loop_id(store, SQL_READINGS_AFTER, from.after_id);
		break;
	case READINGS_OF_SITE:
		stmt = db_loop_ints(store,
		    from.has_delta ? SQL_READINGS_OF_SITE_CHANGING
				   : SQL_READINGS_OF_SITE,
		    2, (int64_t[]){from.id, from.at_s});
		break;
	case READINGS_OF_DOCUMENT:
		stmt = db_loop_ints(store,
		    from.has_delta ? SQL_READINGS_OF_DOCUMENT_CHANGING
				   : SQL_READINGS_OF_DOCUMENT,
		    3, (int64_t[]){from.id, from.at_s, from.after_id});
		break;
	}
	while (goes_on && db_row(store, stmt)) {
		struct reading_row row = reading_row(store, stmt);

		goes_on = store->failed == DIAG_OK && fn(arg, &row);
	}
	db_done(stmt);
}

void
store_elsewhere(struct store *store, int64_t reading_id, struct buf *bits)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_READING_ELSEWHERE, reading_id);

	buf_clear(bits);
	if (db_row(store, stmt))
		(void)buf_put_slice(bits, db_blob(stmt, 0));
	db_done(stmt);
}

void
store_each_missing(struct store *store, int64_t document_id, uint64_t missed,
    store_missing_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_READINGS_REMOVING, document_id);
	uint64_t removed = 0;

	while (removed < missed && db_row(store, stmt)) {
		removed += db_count(store, stmt, 1);
		fn(arg, db_time(store, stmt, 0), db_count(store, stmt, 2));
	}
	db_done(stmt);
}

void
store_each_change(
    struct store *store, int64_t reading_id, store_change_fn *fn, void *arg)
{
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_DELTA, reading_id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;
	bool goes_on = true;

	while (goes_on && block_next_change(reader, &change))
		goes_on = fn(arg, &change);
	block_source_close(source, "reading", reading_id);
}

void
store_each_entry(
    struct store *store, int64_t document_id, store_entry_fn *fn, void *arg)
{
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_SEGMENT, document_id);
	struct block_reader *reader = block_source_reader(source);
	struct entry entry;
	bool goes_on = true;

	while (goes_on && block_next(reader, &entry))
		goes_on = fn(arg, &entry);
	block_source_close(source, "document", document_id);
}

/*
 * What a document listed at a time in the past.
 *
 * Of each URL only the first change after that time counts: it says what was
 * there before.  A URL without such a change is as it is now, unless it was
 * first seen later.
 */

/* What an entry was, which changed since. */
struct former {
	char *url; /* owned */
	struct date lastmod;
	bool was_listed;
	uint8_t verdict; /* VERDICTS: a refusal, of which the rule is lost */
};

/* In the order of URLs, each once. */
struct formers {
	struct former *items; /* owned */
	size_t count, cap;
};

struct past {
	struct store *store;
	int64_t at_s;
	struct formers formers;
	/* of the reading at hand */
	const struct reading_row *row;
	struct formers merged;
	size_t next; /* of formers: not yet merged */
	/* of the entries of now */
	store_entry_fn *fn;
	void *arg;
	bool is_stopped;
};

static void
add(struct formers *formers, struct former former)
{
	*MEM_PUSH(formers->items, formers->count, formers->cap) = former;
}

static bool
on_change(void *arg, const struct change *change)
{
	struct past *past = arg;
	const struct reading_row *row = past->row;
	struct former former = {.lastmod = change->before,
	    .was_listed = delta_before(change->kind, change->was_listed) ==
		STANDING_LISTED,
	    .verdict = change->verdict};
	int order = -1;

	/* Take over what comes before the URL, and what is known of it already:
	 * an earlier change said what was there. */
	while (order < 0 && past->next < past->formers.count) {
		struct former *known = &past->formers.items[past->next];

		order = slice_order(slice_of(known->url), change->url);
		if (order > 0)
			break;
		add(&past->merged, *known);
		past->next++;
	}
	if (order == 0)
		return true;
	if (change->kind == DELTA_ACCEPTED)
		former.verdict = VERDICTS;
	if (change->kind == DELTA_REFUSED)
		former.verdict = VERDICT_ACCEPTED;
	/* What is gone was absent before it was known to be gone, even if it
	 * was held, or if its document could not be read. */
	if (change->kind == DELTA_GONE ||
	    (change->kind == DELTA_LEFT && row->outcome == OUTCOME_ENDED))
		former.was_listed &= delta_at_s(change->kind, row->at_s,
					 row->since_s) > past->at_s;
	former.url = slice_dup(change->url);
	add(&past->merged, former);
	return true;
}

static bool
on_reading(void *arg, const struct reading_row *row)
{
	struct past *past = arg;

	if (!row->has_delta)
		return true;
	past->next = 0;
	past->row = row;
	store_each_change(past->store, row->id, on_change, past);
	for (; past->next < past->formers.count; past->next++)
		add(&past->merged, past->formers.items[past->next]);
	free(past->formers.items);
	past->formers = past->merged;
	past->merged = (struct formers){0};
	return true;
}

/* What the first reading that is kept tells of a time. */
struct kept {
	int64_t at_s;
	enum {
		KEPT_NOTHING_READ, /* nothing was listed yet */
		KEPT_KNOWN,
		KEPT_REMOVED /* readings that would tell */
	} verdict;
};

static bool
on_kept(void *arg, const struct reading_row *row)
{
	struct kept *kept = arg;
	uint64_t changes = 0;
	bool is_first;

	/* failures tell nothing, and may come before the first reading */
	if (!row->is_read && row->outcome != OUTCOME_UNCHANGED)
		return true;
	/* Did the reading find all entries new?  A document's first one does,
	 * with a delta or without. */
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += row->changes[kind];
	is_first = !row->has_delta ||
	    (row->changes[DELTA_ADDED] == row->entries &&
		changes == row->entries);
	if (row->at_s <= kept->at_s)
		kept->verdict = KEPT_KNOWN;
	else if (!row->is_read || !is_first)
		kept->verdict = KEPT_REMOVED;
	return false;
}

/* Pass on what comes before the URL of an entry of now, and what the entry was
 * then: it may have changed since. */
static bool
on_entry(void *arg, const struct entry *entry)
{
	struct past *past = arg;
	struct entry then = {.url = entry->url,
	    .lastmod = entry->lastmod,
	    .first_seen_s = entry->first_seen_s,
	    .verdict = entry->verdict};
	int order = -1;

	while (!past->is_stopped && past->next < past->formers.count) {
		const struct former *former = &past->formers.items[past->next];
		struct entry was = {.url = slice_of(former->url),
		    .lastmod = former->lastmod,
		    .verdict = former->verdict};

		order = slice_order(was.url, entry->url);
		if (order > 0)
			break;
		past->next++;
		if (order == 0 && entry->first_seen_s <= past->at_s)
			was.first_seen_s = entry->first_seen_s;
		if (former->was_listed)
			past->is_stopped = !past->fn(past->arg, &was);
		if (order == 0)
			break;
	}
	if (order != 0 && !past->is_stopped && entry->missed == 0 &&
	    entry->first_seen_s <= past->at_s)
		past->is_stopped = !past->fn(past->arg, &then);
	return !past->is_stopped;
}

bool
store_each_listed_at(struct store *store, int64_t document_id, int64_t at_s,
    store_entry_fn *fn, void *arg)
{
	struct past past = {.store = store, .at_s = at_s, .fn = fn, .arg = arg};
	struct reading_from from = {
	    .by = READINGS_OF_DOCUMENT, .id = document_id};
	struct kept kept = {.at_s = at_s};
	/* above all URLs, and not listed */
	struct entry last = {.url = slice_of("\xFF"), .missed = 1};

	store_each_reading(store, from, on_kept, &kept);
	if (kept.verdict != KEPT_KNOWN)
		return kept.verdict == KEPT_NOTHING_READ;
	from.at_s = at_s + 1;
	store_each_reading(store, from, on_reading, &past);
	past.next = 0;
	store_each_entry(store, document_id, on_entry, &past);
	(void)on_entry(&past, &last);
	for (size_t i = 0; i < past.formers.count; i++)
		free(past.formers.items[i].url);
	free(past.formers.items);
	return true;
}
