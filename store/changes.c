/* Readings in the order of commits, their changes, and entries of documents. */
#include "store/changes.h"

#include <string.h>

#include "store/db.h"
#include "store/query.h"
#include "store/site_tally.h"

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
	/* The document listed only children before, and still does. */
	if (has_bits && bits == 0)
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
	};

	row.is_read = row.outcome == OUTCOME_READ && db_is_null(stmt, 5);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		row.changes[kind] = db_count(store, stmt, 13 + kind);
	row.has_delta = db_int(stmt, 14 + DELTA_KINDS) > 0;
	row.since_s = db_time(store, stmt, 16 + DELTA_KINDS);
	put_site(store, stmt, 17 + DELTA_KINDS, &row);
	return row;
}

/* Call fn for each row of a bound statement. */
static void
each(struct store *store, struct sqlite3_stmt *stmt, store_reading_fn *fn,
    void *arg)
{
	bool goes_on = true;

	while (goes_on && db_row(store, stmt)) {
		struct reading_row row = reading_row(store, stmt);

		goes_on = store->failed == DIAG_OK && fn(arg, &row);
	}
	db_done(stmt);
}

void
store_each_reading_after(
    struct store *store, int64_t reading_id, store_reading_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_READINGS_AFTER, reading_id);

	each(store, stmt, fn, arg);
}

void
store_each_site_reading(struct store *store, int64_t site_id, int64_t from_s,
    store_reading_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_READINGS_OF_SITE);

	db_bind_int(stmt, 1, site_id);
	db_bind_int(stmt, 2, from_s);
	each(store, stmt, fn, arg);
}

uint64_t
store_site_changing(
    struct store *store, int64_t site_id, int64_t from_s, uint64_t most)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_SITE_CHANGING_COUNT,
	    3, (int64_t[]){site_id, from_s, most});
	uint64_t count = 0;

	if (db_row(store, stmt))
		count = db_count(store, stmt, 0);
	db_done(stmt);
	return count;
}

void
store_each_document_reading(struct store *store, int64_t document_id,
    struct reading_from from, store_reading_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_READINGS_OF_DOCUMENT);

	db_bind_int(stmt, 1, document_id);
	db_bind_int(stmt, 2, from.at_s);
	db_bind_int(stmt, 3, from.after_id);
	each(store, stmt, fn, arg);
}

int64_t
reading_at_s(const struct reading_row *row, enum delta_kind kind)
{
	return (kind == DELTA_GONE || kind == DELTA_LEFT) && row->since_s > 0 &&
		row->since_s < row->at_s
	    ? row->since_s
	    : row->at_s;
}

int64_t
store_at_s_after(struct store *store, int64_t reading_id)
{
	return db_first_time(
	    store, db_use_id(store, SQL_READING_AT_AFTER, reading_id));
}

void
store_elsewhere(struct store *store, int64_t reading_id, struct buf *bits)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_READING_ELSEWHERE);

	buf_clear(bits);
	db_bind_int(stmt, 1, reading_id);
	if (db_row(store, stmt))
		(void)buf_put_slice(bits, db_blob(stmt, 0));
	db_done(stmt);
}

bool
elsewhere_has(struct slice bits, uint64_t at)
{
	return at / 8 < bits.len &&
	    ((unsigned char)bits.p[at / 8] >> at % 8 & 1) != 0;
}

int64_t
store_site_known_s(struct store *store, int64_t site_id)
{
	return db_first_time(store, db_use_id(store, SQL_SITE_KNOWN, site_id));
}

bool
reading_is_elsewhere(const struct reading_row *row, struct slice bits,
    const struct change *change, uint64_t at)
{
	if (change->kind == DELTA_REDATED || change->kind == DELTA_REFUSED ||
	    change->kind == DELTA_ACCEPTED)
		if (!row->lists_pages)
			return true;
	return elsewhere_has(bits, at);
}

/* End a loop over blocks, and fail the store if one of them is damaged; `what`
 * and id name the document or reading. */
static void
close_blocks(struct store *store, struct block_source *source,
    struct block_reader *reader, const char *what, int64_t id)
{
	if (block_reader_damaged(reader))
		db_damaged(store, NULL, "%s %lld: its blocks cannot be decoded",
		    what, (long long)id);
	block_source_free(source);
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
	struct block_source *source = block_source_delta(store, reading_id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;
	bool goes_on = true;

	while (goes_on && block_next_change(reader, &change))
		goes_on = fn(arg, &change);
	close_blocks(store, source, reader, "reading", reading_id);
}

void
store_each_entry(
    struct store *store, int64_t document_id, store_entry_fn *fn, void *arg)
{
	struct block_source *source = block_source_segment(store, document_id);
	struct block_reader *reader = block_source_reader(source);
	struct entry entry;
	bool goes_on = true;

	while (goes_on && block_next(reader, &entry))
		goes_on = fn(arg, &entry);
	close_blocks(store, source, reader, "document", document_id);
}
