/*
 * The tables change and index_change: deltas of all readings.
 *
 * What a site lists when it is first read is no change, and has no delta.
 * Before version 10 of the store the first reading of each document had no
 * delta, either.  If the site was known for a day at that time, rows are made
 * from the segment: the entries that were first seen then, and are not gone
 * since.
 */
#include "store/sql/vtab_base.h"

#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/block_cursor.h"
#include "store/site_tally.h"
#include "store/sql/loc_range.h"
#include "store/sql/public.h"

SQLITE_EXTENSION_INIT3

struct change_cursor {
	sqlite3_vtab_cursor sqlite; /* first */
	struct sqlite3_stmt *readings; /* owned; NULL: none yet */
	int plan; /* what `readings` was prepared for */
	struct block_cursor deltas;
	struct block_cursor segments; /* of first readings */
	int64_t at_delta; /* position of the change in its delta, from 0 */
	bool is_first; /* the current reading is a first one without delta */
	struct loc_range range;
	struct change change;
	struct vtab_date at;
	struct vtab_date before;
	struct vtab_date after;
	bool is_ended;
};

/* The columns of the query for readings. */
enum {
	READING_ID,
	READING_AT_S,
	READING_DELTA_BLOCKS,
	READING_SEGMENT_BLOCKS, /* NULL: not a first reading */
	READING_DOCUMENT_ID,
	READING_DOCUMENT,
	READING_SITE,
	READING_ELSEWHERE,
	READING_SINCE_S,
	READING_PAGES
};

/* The constraints that the tables handle: bits of a plan, arguments in this
 * order.  Those before BY_LOC are parameters of the statement. */
enum term {
	BY_READING,
	BY_DOCUMENT_ID,
	BY_DOCUMENT,
	BY_SITE,
	FROM_AT_S,
	TO_AT_S,
	FROM_AT,
	TO_AT,
	BY_LOC,
	FROM_LOC,
	TO_LOC,
	GLOB
};

#define HAS(plan, term) (((plan) >> (term)&1) != 0)
#define EQ                                 \
	{                                  \
		SQLITE_INDEX_CONSTRAINT_EQ \
	}
#define LOW                                                            \
	{                                                              \
		SQLITE_INDEX_CONSTRAINT_GE, SQLITE_INDEX_CONSTRAINT_GT \
	}
#define HIGH                                                           \
	{                                                              \
		SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_LT \
	}

static const struct vtab_term terms[] = {
    [BY_READING] = {CHANGE_READING, EQ, "reading="},
    [BY_DOCUMENT_ID] = {CHANGE_DOCUMENT_ID, EQ, "document_id="},
    [BY_DOCUMENT] = {CHANGE_DOCUMENT, EQ, "document="},
    [BY_SITE] = {CHANGE_SITE, EQ, "site="},
    [FROM_AT_S] = {CHANGE_AT_S, LOW, "at_s>"},
    [TO_AT_S] = {CHANGE_AT_S, HIGH, "at_s<"},
    [FROM_AT] = {CHANGE_AT, LOW, "at>"},
    [TO_AT] = {CHANGE_AT, HIGH, "at<"},
    [BY_LOC] = {CHANGE_LOC, EQ, "loc="},
    [FROM_LOC] = {CHANGE_LOC, LOW, "loc>"},
    [TO_LOC] = {CHANGE_LOC, HIGH, "loc<"},
    [GLOB] = {CHANGE_LOC, {SQLITE_INDEX_CONSTRAINT_GLOB}, "loc GLOB"},
};

static int
change_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	static const int order[] = {CHANGE_READING, CHANGE_LOC};
	static const int of_one[] = {CHANGE_LOC};
	int plan = vtab_plan(info, terms, sizeof(terms) / sizeof(terms[0]));
	double readings = 10000;

	(void)table;
	if (plan < 0)
		return SQLITE_NOMEM;
	/* The costs are guesses, since there are no statistics. */
	if (HAS(plan, BY_READING))
		readings = 1;
	else if (HAS(plan, BY_DOCUMENT_ID) || HAS(plan, BY_DOCUMENT))
		readings = 50;
	else if (HAS(plan, BY_SITE))
		readings = 1000;
	if (HAS(plan, FROM_AT) || HAS(plan, FROM_AT_S))
		readings = 1 + readings / 10;
	info->estimatedCost = readings * 1000;
	info->estimatedRows = (sqlite3_int64)readings *
	    (HAS(plan, BY_LOC) ? 1 : 500);
	info->orderByConsumed = HAS(plan, BY_READING)
	    ? vtab_orders(info, of_one, 1)
	    : vtab_orders(info, order, 2);
	return SQLITE_OK;
}

static int
change_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct change_cursor *cursor = mem_zero(sizeof(*cursor));
	uint64_t *read = &vtab_base(base)->shared->blocks_read;

	loc_range_init(&cursor->range);
	block_cursor_deltas(&cursor->deltas, vtab_db(base), read);
	block_cursor_segments(&cursor->segments, vtab_db(base), read);
	*out = &cursor->sqlite;
	return SQLITE_OK;
}

static int
change_close(sqlite3_vtab_cursor *base)
{
	struct change_cursor *cursor = (struct change_cursor *)base;

	(void)sqlite3_finalize(cursor->readings);
	block_cursor_release(&cursor->deltas);
	block_cursor_release(&cursor->segments);
	loc_range_release(&cursor->range);
	free(cursor);
	return SQLITE_OK;
}

/* When the first change of a reading happened. */
#define EARLIEST "iif(r.since_s > 0, min(r.since_s, r.at_s), r.at_s)"

/* Does a first reading without delta make rows?  See the top of this file. */
#define IS_NEWS                                        \
	"(r.added > 0 AND r.at_s >= 86400 + "          \
	"(SELECT min(f.at_s) FROM main.document e"     \
	" JOIN main.reading f ON f.document_id = e.id" \
	" WHERE e.site_id = d.site_id))"

/* Did the reading change pages, and not only children?  See site_tally.h. */
#define HAS_PAGES                                        \
	"coalesce((r.pages & 3) > 0 OR (r.pages & 4 AND" \
	" r.gone + r.left_window > 0), d.kind <> 'index')"

/* Make the statement of a plan ready to be bound. */
static int
prepare(struct change_cursor *cursor, int plan)
{
	sqlite3_vtab *table = cursor->sqlite.pVtab;
	struct buf text;
	int code;

	if (cursor->readings != NULL && cursor->plan == plan) {
		(void)sqlite3_reset(cursor->readings);
		return SQLITE_OK;
	}
	(void)sqlite3_finalize(cursor->readings);
	cursor->readings = NULL;
	cursor->plan = plan;
	buf_init(&text, 4096);
	/* The query for the readings of a plan, by id. */
	bool of_indexes = vtab_base(table)->table->kind == PUBLIC_INDEX_CHANGES;
	static const char *const conditions[] = {
	    [BY_READING] = "r.id = ?",
	    [BY_DOCUMENT_ID] = "r.document_id = ?",
	    [BY_DOCUMENT] =
		"r.document_id IN (SELECT e.id FROM main.document e WHERE"
		" e.site_id IN (SELECT id FROM main.site) AND e.url = ?)",
	    [BY_SITE] =
		"r.document_id IN (SELECT e.id FROM main.document e WHERE"
		" e.site_id = (SELECT id FROM main.site WHERE host = ?))",
	    [FROM_AT_S] = "r.at_s >= ?",
	    [TO_AT_S] = EARLIEST " <= ?",
	    [FROM_AT] = "freshet_time(r.at_s) >= ?",
	    [TO_AT] = "freshet_time(" EARLIEST ") <= ?",
	};

	(void)buf_print(&text,
	    "SELECT r.id, r.at_s, r.delta_blocks,"
	    " CASE WHEN r.delta_blocks = 0 THEN d.blocks END,"
	    " d.id, d.url, s.host, r.elsewhere, r.since_s, r.pages FROM "
	    "main.reading r"
	    " CROSS JOIN main.document d ON d.id = r.document_id"
	    " CROSS JOIN main.site s ON s.id = d.site_id"
	    " WHERE (r.delta_blocks > 0 OR " IS_NEWS ")"
	    " AND %s",
	    of_indexes ? "d.kind = 'index'" : HAS_PAGES);
	for (int term = BY_READING; term < BY_LOC; term++)
		if (HAS(plan, term))
			(void)buf_print(&text, " AND %s", conditions[term]);
	(void)buf_print(&text, " ORDER BY r.id");

	code = sqlite3_prepare_v3(vtab_db(table), buf_str(&text), -1,
	    SQLITE_PREPARE_PERSISTENT, &cursor->readings, NULL);
	buf_release(&text);
	return code;
}

/* Move to the next change of the current reading that lies in the range. */
static bool
next_change(struct change_cursor *cursor)
{
	struct change *change = &cursor->change;
	struct entry entry;

	if (!cursor->is_first) {
		while (block_cursor_change(&cursor->deltas, change)) {
			cursor->at_delta++;
			if (loc_range_has(&cursor->range, change->url))
				return true;
		}
		return false;
	}
	while (block_cursor_next(&cursor->segments, &entry)) {
		if (entry.first_seen_s !=
			sqlite3_column_int64(cursor->readings, READING_AT_S) ||
		    !loc_range_has(&cursor->range, entry.url))
			continue;
		*change = (struct change){.url = entry.url,
		    .kind = DELTA_ADDED,
		    .verdict = entry.verdict};
		/* A later delta has the date that a re-dated entry had. */
		if (entry.redated_s == 0)
			change->after = entry.lastmod;
		return true;
	}
	return false;
}

/* SQLITE_OK, or the code for blocks that ended early. */
static int
blocks_code(struct change_cursor *cursor)
{
	int code = block_cursor_code(
	    cursor->is_first ? &cursor->segments : &cursor->deltas);

	if (code == SQLITE_OK)
		return code;
	return vtab_fail(cursor->sqlite.pVtab, code,
	    (const char *)sqlite3_column_text(
		cursor->readings, READING_DOCUMENT));
}

/* Move to the first change of the next reading that has one in the range. */
static int
next_reading(struct change_cursor *cursor)
{
	int code;

	while ((code = sqlite3_step(cursor->readings)) == SQLITE_ROW) {
		struct sqlite3_stmt *stmt = cursor->readings;

		cursor->at_delta = -1;
		cursor->is_first = sqlite3_column_type(stmt,
				       READING_SEGMENT_BLOCKS) != SQLITE_NULL;
		if (cursor->is_first)
			block_cursor_open(&cursor->segments,
			    sqlite3_column_int64(stmt, READING_DOCUMENT_ID),
			    sqlite3_column_int64(stmt, READING_SEGMENT_BLOCKS));
		else
			block_cursor_open(&cursor->deltas,
			    sqlite3_column_int64(stmt, READING_ID),
			    sqlite3_column_int64(stmt, READING_DELTA_BLOCKS));
		if (next_change(cursor))
			return SQLITE_OK;
		code = blocks_code(cursor);
		if (code != SQLITE_OK)
			break;
	}
	cursor->is_ended = true;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static void
set_range(struct loc_range *range, enum term term, sqlite3_value *value)
{
	/* A blob is greater than all text. */
	if (sqlite3_value_type(value) == SQLITE_BLOB)
		return;
	struct slice text = vtab_text(value);
	if (term == BY_LOC || term == FROM_LOC)
		loc_range_low(range, text);
	if (term == BY_LOC || term == TO_LOC)
		loc_range_high(range, text);
	if (term == GLOB)
		loc_range_glob(range, text);
}

/* Bind an argument.  The column `at` is text: only text narrows the search by
 * it, and SQLite compares anything else. */
static int
bind(struct sqlite3_stmt *stmt, int argument, enum term term,
    sqlite3_value *value)
{
	if ((term == FROM_AT || term == TO_AT) &&
	    sqlite3_value_type(value) != SQLITE_TEXT)
		return sqlite3_bind_text(stmt, argument,
		    term == FROM_AT ? "" : "~", -1, SQLITE_STATIC);
	return sqlite3_bind_value(stmt, argument, value);
}

static int
change_filter(sqlite3_vtab_cursor *base, int plan, const char *names, int argc,
    sqlite3_value **argv)
{
	struct change_cursor *cursor = (struct change_cursor *)base;
	int argument = 0;
	int code = prepare(cursor, plan);

	(void)names;
	loc_range_clear(&cursor->range);
	cursor->is_ended = false;
	for (int term = BY_READING; code == SQLITE_OK && term <= GLOB; term++) {
		if (!HAS(plan, term) || argument == argc)
			continue;
		sqlite3_value *value = argv[argument++];
		/* No comparison with NULL is true. */
		if (sqlite3_value_type(value) == SQLITE_NULL) {
			cursor->is_ended = true;
			return SQLITE_OK;
		}
		if (term < BY_LOC)
			code = bind(
			    cursor->readings, argument, (enum term)term, value);
		else
			set_range(&cursor->range, (enum term)term, value);
	}
	return code == SQLITE_OK ? next_reading(cursor) : code;
}

static int
change_next(sqlite3_vtab_cursor *base)
{
	struct change_cursor *cursor = (struct change_cursor *)base;

	if (next_change(cursor))
		return SQLITE_OK;
	int code = blocks_code(cursor);
	return code == SQLITE_OK ? next_reading(cursor) : code;
}

static int
change_eof(sqlite3_vtab_cursor *base)
{
	return ((struct change_cursor *)base)->is_ended;
}

static void
put_reading(struct change_cursor *cursor, sqlite3_context *context, int column)
{
	sqlite3_result_value(
	    context, sqlite3_column_value(cursor->readings, column));
}

/* When the current change happened: the reading; of GONE and LEFT, the first
 * reading that lacked the entry. */
static int64_t
happened_s(struct change_cursor *cursor)
{
	int64_t at_s = sqlite3_column_int64(cursor->readings, READING_AT_S);
	int64_t since_s = sqlite3_column_int64(
	    cursor->readings, READING_SINCE_S);

	return (cursor->change.kind == DELTA_GONE ||
		   cursor->change.kind == DELTA_LEFT) &&
		since_s > 0 && since_s < at_s
	    ? since_s
	    : at_s;
}

static bool
is_elsewhere(struct change_cursor *cursor)
{
	const unsigned char *bits = sqlite3_column_blob(
	    cursor->readings, READING_ELSEWHERE);
	int64_t len = sqlite3_column_bytes(cursor->readings, READING_ELSEWHERE);
	int64_t at = cursor->at_delta;
	uint8_t kind = cursor->change.kind;

	/* The document lists no pages any more: this is a change of a child. */
	if ((kind == DELTA_REDATED || kind == DELTA_REFUSED ||
		kind == DELTA_ACCEPTED) &&
	    sqlite3_column_type(cursor->readings, READING_PAGES) !=
		SQLITE_NULL &&
	    (sqlite3_column_int(cursor->readings, READING_PAGES) &
		TALLY_PAGES) == 0)
		return true;
	return !cursor->is_first && at >= 0 && at / 8 < len &&
	    (bits[at / 8] >> at % 8 & 1) != 0;
}

static int
change_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	struct change_cursor *cursor = (struct change_cursor *)base;
	const struct change *change = &cursor->change;

	switch ((enum change_column)column) {
	case CHANGE_READING:
		put_reading(cursor, context, READING_ID);
		break;
	case CHANGE_AT:
		vtab_put_time(context, &cursor->at, happened_s(cursor));
		break;
	case CHANGE_SITE:
		put_reading(cursor, context, READING_SITE);
		break;
	case CHANGE_DOCUMENT:
		put_reading(cursor, context, READING_DOCUMENT);
		break;
	case CHANGE_KIND:
		vtab_put_text(context, slice_of(delta_kind_name(change->kind)));
		break;
	case CHANGE_LOC:
		vtab_put_text(context, change->url);
		break;
	case CHANGE_BEFORE:
		vtab_put_date(context, &cursor->before, &change->before);
		break;
	case CHANGE_AFTER:
		vtab_put_date(context, &cursor->after, &change->after);
		break;
	case CHANGE_BEFORE_PRECISION:
		vtab_put_precision(context, &change->before);
		break;
	case CHANGE_AFTER_PRECISION:
		vtab_put_precision(context, &change->after);
		break;
	case CHANGE_AT_S:
		sqlite3_result_int64(context, happened_s(cursor));
		break;
	case CHANGE_BEFORE_S:
		vtab_put_date_epoch(context, &change->before);
		break;
	case CHANGE_AFTER_S:
		vtab_put_date_epoch(context, &change->after);
		break;
	case CHANGE_DOCUMENT_ID:
		put_reading(cursor, context, READING_DOCUMENT_ID);
		break;
	case CHANGE_REFUSED:
		vtab_put_refused(context, change->verdict);
		break;
	case CHANGE_ELSEWHERE:
		sqlite3_result_int(context, is_elsewhere(cursor));
		break;
	case CHANGE_COLUMNS_COUNT:
		break;
	}
	return SQLITE_OK;
}

/* Rows of first readings, made from segments, have negative ids. */
static int
change_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	struct change_cursor *cursor = (struct change_cursor *)base;

	*id = cursor->is_first ? -block_cursor_place(&cursor->segments)
			       : block_cursor_place(&cursor->deltas);
	return SQLITE_OK;
}

/* Without xCreate the table exists by its name, and CREATE cannot make it. */
const struct sqlite3_module vtab_change = {
    .xConnect = vtab_connect,
    .xBestIndex = change_best_index,
    .xDisconnect = vtab_disconnect,
    .xOpen = change_open,
    .xClose = change_close,
    .xFilter = change_filter,
    .xNext = change_next,
    .xEof = change_eof,
    .xColumn = change_column,
    .xRowid = change_rowid,
};
