/*
 * The virtual tables, which read blocks.
 *
 * url and index_url: entries of all segments.  A scan goes through documents,
 * and through the blocks of each document.  Blocks that cannot hold a URL of
 * the query's range are not decoded.
 *
 * change and index_change: deltas of all readings.  What a site lists when it
 * is first read is no change, and has no delta.
 */
#include "store/sql/public.h"

#include <sqlite3ext.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/db.h"
#include "store/segment/block.h"
#include "store/sql/loc_range.h"

SQLITE_EXTENSION_INIT3

/* A cursor over the blocks of a segment or a delta. */
struct block_cursor {
	struct sqlite3_stmt *data; /* owned: a block by its id */
	/* owned: its first and its last URL; NULL for deltas */
	struct sqlite3_stmt *index;
	struct block_reader *reader; /* owned */
	struct buf bytes; /* of the current block */
	uint64_t *read; /* borrowed: counts the blocks that were decoded */
	int64_t first_id;
	uint32_t blocks;
	uint32_t next; /* the block that the reader gets next */
	uint32_t at; /* position of the last entry in its block, from 1 */
	int code; /* SQLite's, of the first failure */
};

/* Step to the row of a block; the caller resets the statement. */
static bool
block_row(
    struct block_cursor *cursor, struct sqlite3_stmt *stmt, uint32_t block)
{
	int code = cursor->code;

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, cursor->first_id + block);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		return true;
	/* If a block is missing, the store is damaged. */
	if (cursor->code == SQLITE_OK)
		cursor->code = code == SQLITE_DONE ? SQLITE_CORRUPT_VTAB : code;
	return false;
}

/* A block_pull_fn. */
static struct slice
block_cursor_pull(void *arg)
{
	struct block_cursor *cursor = arg;
	struct slice bytes = slice_make(NULL, 0);

	if (cursor->next >= cursor->blocks)
		return bytes;
	buf_clear(&cursor->bytes);
	if (block_row(cursor, cursor->data, cursor->next)) {
		const void *p = sqlite3_column_blob(cursor->data, 0);
		int len = sqlite3_column_bytes(cursor->data, 0);

		(void)buf_put(&cursor->bytes, p, (size_t)len);
	}
	(void)sqlite3_reset(cursor->data);
	/* An empty block must not look like the end. */
	if (cursor->bytes.len == 0)
		(void)buf_put_char(&cursor->bytes, '\0');
	cursor->next++;
	cursor->at = 0;
	(*cursor->read)++;
	return buf_text(&cursor->bytes);
}

/* Move before the first entry of a document, or before the first change of a
 * reading. */
static void
block_cursor_open(struct block_cursor *cursor, int64_t owner_id, int64_t blocks)
{
	if (blocks < 0 || blocks > BLOCKS_MAX || owner_id < 0 ||
	    owner_id > INT64_MAX >> BLOCK_ID_SHIFT) {
		if (cursor->code == SQLITE_OK)
			cursor->code = SQLITE_CORRUPT_VTAB;
		return;
	}
	cursor->first_id = owner_id << BLOCK_ID_SHIFT;
	cursor->blocks = (uint32_t)blocks;
	cursor->next = 0;
	block_reader_reset(cursor->reader, false);
}

/* Like block_next; false at the end and after a failure.  Read changes from
 * cursor->reader, and count them in cursor->at. */
static bool
block_cursor_next(struct block_cursor *cursor, struct entry *entry)
{
	if (cursor->code != SQLITE_OK || !block_next(cursor->reader, entry))
		return false;
	cursor->at++;
	return true;
}

/* How the first (0) or the last (1) URL of a block compares to a URL.  One that
 * is not known is less than all others if it is the first, and greater if it is
 * the last. */
static int
block_order(
    struct block_cursor *cursor, uint32_t block, int column, struct slice url)
{
	int order = column == 0 ? -1 : 1;

	if (block_row(cursor, cursor->index, block) &&
	    sqlite3_column_type(cursor->index, column) == SQLITE_TEXT) {
		const void *p = sqlite3_column_text(cursor->index, column);
		int len = sqlite3_column_bytes(cursor->index, column);

		order = slice_order(slice_make(p, (size_t)len), url);
	}
	(void)sqlite3_reset(cursor->index);
	return order;
}

/* The last block whose first URL is not greater than url; the first one if
 * there is none. */
static uint32_t
block_cursor_find(struct block_cursor *cursor, struct slice url)
{
	uint32_t low = 0, high = cursor->blocks;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (block_order(cursor, middle, 0, url) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* After block_cursor_open of a segment: move to its first entry that is not
 * less than `from`.  Blocks whose first URL is greater than *until (NULL: none
 * are) are skipped, and of the others only those are decoded that may hold
 * entries from there on. */
static bool
block_cursor_seek(struct block_cursor *cursor, struct slice from,
    const struct slice *until, struct entry *entry)
{
	if (cursor->blocks == 0 ||
	    (until != NULL && block_order(cursor, 0, 0, *until) > 0))
		return false;
	if (until != NULL)
		cursor->blocks = block_cursor_find(cursor, *until) + 1;
	cursor->next = block_cursor_find(cursor, from);
	cursor->next += block_order(cursor, cursor->next, 1, from) < 0;
	while (block_cursor_next(cursor, entry))
		if (slice_order(entry->url, from) >= 0)
			return true;
	return false;
}

#define HAS(plan, term) (((plan) >> (term)&1) != 0)
/* Operators of vtab_term. */
#define EQ SQLITE_INDEX_CONSTRAINT_EQ
#define LOW SQLITE_INDEX_CONSTRAINT_GE
#define HIGH SQLITE_INDEX_CONSTRAINT_LE
#define GLOB SQLITE_INDEX_CONSTRAINT_GLOB
#define LIKE SQLITE_INDEX_CONSTRAINT_LIKE

/* What the cursors of both kinds of tables begin with. */
struct rows_cursor {
	sqlite3_vtab_cursor sqlite; /* first */
	struct sqlite3_stmt
	    *rows; /* owned; documents, or readings; NULL: none */
	bool is_of_urls; /* false: of changes */
	int plan; /* what `rows` was prepared for */
	int document; /* the column of `rows` that is the URL of the document */
	struct block_cursor blocks; /* those of the current row */
	struct loc_range range;
	bool is_ended;
};

/* Make the statement of a plan ready to be bound; query() writes its text. */
static int
rows_prepare(struct rows_cursor *cursor, int plan,
    void (*query)(struct buf *, int plan, enum public_kind))
{
	sqlite3_vtab *table = cursor->sqlite.pVtab;
	struct buf text = BUF_UP_TO(4096);
	int code;

	/* A join filters again and again, by one plan. */
	if (cursor->rows != NULL && cursor->plan == plan) {
		(void)sqlite3_reset(cursor->rows);
		return SQLITE_OK;
	}
	(void)sqlite3_finalize(cursor->rows);
	cursor->rows = NULL;
	cursor->plan = plan;
	query(&text, plan, vtab_base(table)->table->kind);
	code = sqlite3_prepare_v3(vtab_base(table)->db, buf_str(&text), -1,
	    SQLITE_PREPARE_PERSISTENT, &cursor->rows, NULL);
	buf_release(&text);
	return code;
}

/* Narrow the range by an argument.  A number is taken as text; a blob, which is
 * greater than all text, does not narrow it. */
static void
rows_narrow(struct loc_range *range, unsigned op, sqlite3_value *value)
{
	struct slice text;

	if (sqlite3_value_type(value) == SQLITE_BLOB)
		return;
	text = vtab_text(value);
	if (op == EQ || op == LOW)
		loc_range_narrow(range, LOC_LEAST, text);
	if (op == EQ || op == HIGH)
		loc_range_narrow(range, LOC_MOST, text);
	if (op == GLOB || op == LIKE)
		loc_range_narrow(range, op == GLOB ? LOC_GLOB : LOC_LIKE, text);
}

/* Take the arguments of a plan: those of the first `bound` terms are parameters
 * of the statement, the others narrow the range.  is_ended is set if no row can
 * match. */
static int
rows_filter(struct rows_cursor *cursor, const struct vtab_term *terms,
    size_t count, size_t bound, int argc, sqlite3_value **argv)
{
	int argument = 0, code = SQLITE_OK;

	loc_range_clear(&cursor->range);
	cursor->is_ended = false;
	for (size_t i = 0; code == SQLITE_OK && i < count; i++) {
		if (!HAS(cursor->plan, i) || argument == argc)
			continue;
		sqlite3_value *value = argv[argument++];
		/* No comparison with NULL is true. */
		if (sqlite3_value_type(value) == SQLITE_NULL) {
			cursor->is_ended = true;
			return SQLITE_OK;
		}
		if (i >= bound)
			rows_narrow(&cursor->range, terms[i].op, value);
		else if (terms[i].is_text &&
		    sqlite3_value_type(value) != SQLITE_TEXT)
			/* only text narrows the search by a column of text;
			 * SQLite compares anything else */
			code = sqlite3_bind_text(cursor->rows, argument,
			    terms[i].op == LOW ? "" : "~", -1, SQLITE_STATIC);
		else
			code = sqlite3_bind_value(
			    cursor->rows, argument, value);
	}
	return code;
}

/* SQLITE_OK, or the code for blocks that ended early.  If one of them cannot be
 * decoded, the message of the table says so. */
static int
rows_blocks_code(struct rows_cursor *cursor)
{
	const struct block_cursor *blocks = &cursor->blocks;
	int code = blocks->code;
	sqlite3_vtab *table = cursor->sqlite.pVtab;
	const void *document;
	struct buf text = BUF_UP_TO(64 << 10);

	if (code == SQLITE_OK && blocks->reader != NULL &&
	    block_reader_damaged(blocks->reader))
		code = SQLITE_CORRUPT_VTAB;
	if ((code & 0xff) != SQLITE_CORRUPT)
		return code;
	document = sqlite3_column_text(cursor->rows, cursor->document);
	(void)buf_print(&text, "the entries of '");
	vis_put(&text, slice_of(document), text.max / 2);
	(void)buf_print(&text, "' cannot be decoded");
	sqlite3_free(table->zErrMsg);
	table->zErrMsg = sqlite3_mprintf("%s", buf_str(&text));
	buf_release(&text);
	return code;
}

static int
rows_eof(sqlite3_vtab_cursor *base)
{
	return ((struct rows_cursor *)base)->is_ended;
}

static int
rows_put(struct rows_cursor *cursor, sqlite3_context *context, int column)
{
	sqlite3_result_value(
	    context, sqlite3_column_value(cursor->rows, column));
	return SQLITE_OK;
}

/* The tables url and index_url. */

/* The constraints that are handled: bits of a plan, arguments in this order. */
enum url_term {
	URL_BY_ID,
	URL_BY_DOCUMENT,
	URL_BY_SITE,
	URL_BY_LOC,
	URL_FROM_LOC,
	URL_TO_LOC,
	URL_GLOB,
	URL_LIKE
};

/* The columns of the query for documents. */
enum { DOCUMENT_ID, DOCUMENT_URL, DOCUMENT_SITE, DOCUMENT_BLOCKS };

#define URL_HIGH_PARAMETER 10
#define URL_LOW_PARAMETER 11

static const struct vtab_term url_terms[] = {
    [URL_BY_ID] = {URL_DOCUMENT_ID, EQ, "document_id=", false},
    [URL_BY_DOCUMENT] = {URL_DOCUMENT, EQ, "document=", false},
    [URL_BY_SITE] = {URL_SITE, EQ, "site=", false},
    [URL_BY_LOC] = {URL_LOC, EQ, "loc=", false},
    [URL_FROM_LOC] = {URL_LOC, LOW, "loc>", false},
    [URL_TO_LOC] = {URL_LOC, HIGH, "loc<", false},
    [URL_GLOB] = {URL_LOC, GLOB, "loc GLOB", false},
    [URL_LIKE] = {URL_LOC, LIKE, "loc LIKE", false},
};

/* Does the plan use the block index, to find the documents that can hold a URL
 * of the range?  A single document is searched as fast without the index. */
static bool
url_is_indexed(int plan)
{
	return !HAS(plan, URL_BY_ID) && !HAS(plan, URL_BY_DOCUMENT) &&
	    plan >> URL_BY_LOC;
}

struct url_cursor {
	struct rows_cursor rows; /* first */
	struct entry entry;
};

static int
url_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	static const int one[] = {URL_LOC};
	static const int of_site[] = {URL_DOCUMENT, URL_LOC};
	static const int all[] = {URL_DOCUMENT_ID, URL_LOC};
	int plan = vtab_plan(info, url_terms, LENGTH(url_terms));
	double documents = 200;
	double share = 1;

	(void)table;
	if (plan < 0)
		return SQLITE_NOMEM;
	/* The costs are guesses, since there are no statistics: a store has 10
	 * million entries in 200 documents, and a URL or prefix costs a search
	 * of each document. */
	if (HAS(plan, URL_BY_ID) || HAS(plan, URL_BY_DOCUMENT))
		documents = 1;
	else if (HAS(plan, URL_BY_SITE))
		documents = 20;
	if (HAS(plan, URL_BY_LOC))
		share = 0;
	else if (HAS(plan, URL_GLOB) || HAS(plan, URL_LIKE))
		share = 0.01;
	else if (HAS(plan, URL_FROM_LOC) && HAS(plan, URL_TO_LOC))
		share = 0.05;
	else if (HAS(plan, URL_FROM_LOC) || HAS(plan, URL_TO_LOC))
		share = 0.3;
	info->estimatedCost = documents * (100 + 50000 * share);
	info->estimatedRows = 1 + (sqlite3_int64)(documents * 50000 * share);
	/* Does a scan return rows in the order that the query wants? */
	if (HAS(plan, URL_BY_ID) ||
	    (HAS(plan, URL_BY_DOCUMENT) && HAS(plan, URL_BY_SITE)))
		info->orderByConsumed = vtab_orders(info, one, 1);
	else if (HAS(plan, URL_BY_SITE))
		info->orderByConsumed = vtab_orders(info, of_site, 2);
	else
		info->orderByConsumed = vtab_orders(info, all, 2);
	return SQLITE_OK;
}

/* The query for the documents to read, in the order that the plan promised.
 * Parameters are the arguments up to URL_BY_SITE, from 1 on, and, if the plan
 * uses the block index, the bounds of the range.  CROSS JOIN keeps SQLite from
 * another order. */
static void
url_query(struct buf *text, int plan, enum public_kind kind)
{
	bool by_site = HAS(plan, URL_BY_SITE) || HAS(plan, URL_BY_DOCUMENT);
	int argument = 0;

	(void)buf_print(text,
	    "SELECT d.id, d.url, s.host, d.blocks FROM main.%s CROSS JOIN "
	    "main.%s ON s.id = d.site_id WHERE d.blocks > 0 AND d.kind %s "
	    "'index'",
	    by_site ? "site s" : "document d",
	    by_site ? "document d" : "site s",
	    kind == PUBLIC_INDEX_URLS ? "=" : "<>");
	if (HAS(plan, URL_BY_ID))
		(void)buf_print(text, " AND d.id = ?%d", ++argument);
	if (HAS(plan, URL_BY_DOCUMENT))
		(void)buf_print(text, " AND d.url = ?%d", ++argument);
	if (HAS(plan, URL_BY_SITE))
		(void)buf_print(text, " AND s.host = ?%d", ++argument);
	if (url_is_indexed(plan))
		(void)buf_print(text,
		    " AND d.id IN (SELECT id >> 16 FROM main.block_index WHERE "
		    "first_url <= ?%d AND (last_url IS NULL OR last_url >= "
		    "?%d)%s)",
		    URL_HIGH_PARAMETER, URL_LOW_PARAMETER,
		    HAS(plan, URL_BY_LOC) ? " AND freshet_may_hold(bloom, ?11)"
					  : "");
	(void)buf_print(
	    text, " ORDER BY %s", HAS(plan, URL_BY_SITE) ? "d.url" : "d.id");
}

static int
url_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	static const char *const extensions[] = {
	    "image", "video", "news", "hreflang", "other"};
	static const char *const changefreqs[16] = {[1] = "always",
	    [2] = "hourly",
	    [3] = "daily",
	    [4] = "weekly",
	    [5] = "monthly",
	    [6] = "yearly",
	    [7] = "never"};
	struct url_cursor *cursor = (struct url_cursor *)base;
	const struct entry *entry = &cursor->entry;
	const struct date *lastmod = &entry->lastmod;
	struct buf text = {0};

	switch ((enum url_column)column) {
	case URL_LOC:
		return vtab_put_text(context, entry->url);
	case URL_SITE:
		return rows_put(&cursor->rows, context, DOCUMENT_SITE);
	case URL_DOCUMENT:
		return rows_put(&cursor->rows, context, DOCUMENT_URL);
	case URL_LASTMOD:
		return vtab_put_date(context, lastmod);
	case URL_PRECISION:
		return vtab_put_precision(context, lastmod);
	case URL_FIRST_SEEN:
		return vtab_put_time(context, entry->first_seen_s);
	case URL_REDATED:
		return vtab_put_time(context, entry->redated_s);
	case URL_STATE:
		return vtab_put_text(context,
		    slice_of(entry->missed > 0 ? "removed" : "listed"));
	case URL_CHANGEFREQ:
		return vtab_put_text(
		    context, slice_of(changefreqs[entry->hints & 15]));
	case URL_PRIORITY:
		/* in tenths, and one more, so that 0 is none */
		if (entry->hints >> 4 > 0)
			sqlite3_result_double(
			    context, ((entry->hints >> 4) - 1) / 10.0);
		break;
	case URL_ORDINAL:
		return vtab_put_number(
		    context, !entry_is_absent(entry), entry->ordinal);
	case URL_EXTENSIONS:
		for (size_t i = 0; i < LENGTH(extensions); i++)
			if (entry->extensions >> i & 1)
				(void)buf_print(&text, "%s%s",
				    text.len > 0 ? "," : "", extensions[i]);
		(void)vtab_put_text(context, buf_text(&text));
		buf_release(&text);
		break;
	case URL_ZONE:
		return vtab_put_text(context,
		    slice_of(lastmod->zone == ZONE_NONE     ? NULL
			    : lastmod->zone == ZONE_ASSUMED ? "assumed"
							    : "explicit"));
	case URL_LASTMOD_S:
		return vtab_put_number(
		    context, lastmod->precision != DATE_NONE, lastmod->epoch_s);
	case URL_FIRST_SEEN_S:
		return vtab_put_number(
		    context, entry->first_seen_s != 0, entry->first_seen_s);
	case URL_REDATED_S:
		return vtab_put_number(
		    context, entry->redated_s != 0, entry->redated_s);
	case URL_DOCUMENT_ID:
		return rows_put(&cursor->rows, context, DOCUMENT_ID);
	case URL_REFUSED:
		return vtab_put_refused(context, entry->verdict);
	case URL_COLUMNS_COUNT:
		break;
	}
	return SQLITE_OK;
}

/* The tables change and index_change. */

struct change_cursor {
	struct rows_cursor rows; /* first */
	int64_t at_delta; /* position of the change in its delta, from 0 */
	struct change change;
};

/* The columns of the query for readings. */
enum {
	READING_ID,
	READING_AT_S,
	READING_DELTA_BLOCKS,
	READING_DOCUMENT_ID,
	READING_DOCUMENT,
	READING_SITE,
	READING_ELSEWHERE,
	READING_SINCE_S,
	READING_PAGES
};

/* The constraints that the tables handle: bits of a plan, arguments in this
 * order.  Those before CHANGE_BY_LOC are parameters of the statement. */
enum change_term {
	CHANGE_BY_READING,
	CHANGE_BY_DOCUMENT_ID,
	CHANGE_BY_DOCUMENT,
	CHANGE_BY_SITE,
	CHANGE_FROM_AT_S,
	CHANGE_TO_AT_S,
	CHANGE_FROM_AT,
	CHANGE_TO_AT,
	CHANGE_BY_LOC,
	CHANGE_FROM_LOC,
	CHANGE_TO_LOC,
	CHANGE_GLOB
};

static const struct vtab_term change_terms[] = {
    [CHANGE_BY_READING] = {CHANGE_READING, EQ, "reading=", false},
    [CHANGE_BY_DOCUMENT_ID] = {CHANGE_DOCUMENT_ID, EQ, "document_id=", false},
    [CHANGE_BY_DOCUMENT] = {CHANGE_DOCUMENT, EQ, "document=", false},
    [CHANGE_BY_SITE] = {CHANGE_SITE, EQ, "site=", false},
    [CHANGE_FROM_AT_S] = {CHANGE_AT_S, LOW, "at_s>", false},
    [CHANGE_TO_AT_S] = {CHANGE_AT_S, HIGH, "at_s<", false},
    [CHANGE_FROM_AT] = {CHANGE_AT, LOW, "at>", true},
    [CHANGE_TO_AT] = {CHANGE_AT, HIGH, "at<", true},
    [CHANGE_BY_LOC] = {CHANGE_LOC, EQ, "loc=", false},
    [CHANGE_FROM_LOC] = {CHANGE_LOC, LOW, "loc>", false},
    [CHANGE_TO_LOC] = {CHANGE_LOC, HIGH, "loc<", false},
    [CHANGE_GLOB] = {CHANGE_LOC, GLOB, "loc GLOB", false},
};

static int
change_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	static const int order[] = {CHANGE_READING, CHANGE_LOC};
	static const int of_one[] = {CHANGE_LOC};
	int plan = vtab_plan(info, change_terms, LENGTH(change_terms));
	double readings = 10000;

	(void)table;
	if (plan < 0)
		return SQLITE_NOMEM;
	/* The costs are guesses, since there are no statistics. */
	if (HAS(plan, CHANGE_BY_READING))
		readings = 1;
	else if (HAS(plan, CHANGE_BY_DOCUMENT_ID) ||
	    HAS(plan, CHANGE_BY_DOCUMENT))
		readings = 50;
	else if (HAS(plan, CHANGE_BY_SITE))
		readings = 1000;
	if (HAS(plan, CHANGE_FROM_AT) || HAS(plan, CHANGE_FROM_AT_S))
		readings = 1 + readings / 10;
	info->estimatedCost = readings * 1000;
	info->estimatedRows = (sqlite3_int64)readings *
	    (HAS(plan, CHANGE_BY_LOC) ? 1 : 500);
	info->orderByConsumed = HAS(plan, CHANGE_BY_READING)
	    ? vtab_orders(info, of_one, 1)
	    : vtab_orders(info, order, 2);
	return SQLITE_OK;
}

/* When the first change of a reading happened. */
#define EARLIEST "iif(r.since_s > 0, min(r.since_s, r.at_s), r.at_s)"

/* Did the reading change pages, and not only children?  See site_tally.h. */
#define HAS_PAGES                                        \
	"coalesce((r.pages & 3) > 0 OR (r.pages & 4 AND" \
	" r.gone + r.left_window > 0), d.kind <> 'index')"

/* The query for the readings of a plan, by id. */
static void
change_query(struct buf *text, int plan, enum public_kind kind)
{
	static const char *const conditions[] = {
	    [CHANGE_BY_READING] = "r.id = ?",
	    [CHANGE_BY_DOCUMENT_ID] = "r.document_id = ?",
	    [CHANGE_BY_DOCUMENT] =
		"r.document_id IN (SELECT e.id FROM main.document e WHERE"
		" e.site_id IN (SELECT id FROM main.site) AND e.url = ?)",
	    [CHANGE_BY_SITE] =
		"r.document_id IN (SELECT e.id FROM main.document e WHERE"
		" e.site_id = (SELECT id FROM main.site WHERE host = ?))",
	    [CHANGE_FROM_AT_S] = "r.at_s >= ?",
	    [CHANGE_TO_AT_S] = EARLIEST " <= ?",
	    [CHANGE_FROM_AT] = "freshet_time(r.at_s) >= ?",
	    [CHANGE_TO_AT] = "freshet_time(" EARLIEST ") <= ?",
	};

	(void)buf_print(text,
	    "SELECT r.id, r.at_s, r.delta_blocks, d.id, d.url, s.host,"
	    " r.elsewhere, r.since_s, r.pages FROM main.reading r"
	    " CROSS JOIN main.document d ON d.id = r.document_id"
	    " CROSS JOIN main.site s ON s.id = d.site_id"
	    " WHERE r.delta_blocks > 0 AND %s",
	    kind == PUBLIC_INDEX_CHANGES ? "d.kind = 'index'" : HAS_PAGES);
	for (int term = CHANGE_BY_READING; term < CHANGE_BY_LOC; term++)
		if (HAS(plan, term))
			(void)buf_print(text, " AND %s", conditions[term]);
	(void)buf_print(text, " ORDER BY r.id");
}

/* Move to the next change of the current reading that lies in the range. */
static bool
change_step(struct change_cursor *cursor)
{
	struct block_cursor *deltas = &cursor->rows.blocks;
	struct change *change = &cursor->change;

	while (deltas->code == SQLITE_OK &&
	    block_next_change(deltas->reader, change)) {
		deltas->at++;
		cursor->at_delta++;
		if (loc_range_has(&cursor->rows.range, change->url))
			return true;
	}
	return false;
}

static int
change_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	struct change_cursor *cursor = (struct change_cursor *)base;
	const struct change *change = &cursor->change;
	struct sqlite3_stmt *rows = cursor->rows.rows;
	const void *elsewhere;
	/* When the change happened: the reading; of GONE and LEFT, the first
	 * reading that lacked the entry. */
	int64_t at_s = delta_at_s(change->kind,
	    sqlite3_column_int64(rows, READING_AT_S),
	    sqlite3_column_int64(rows, READING_SINCE_S));

	switch ((enum change_column)column) {
	case CHANGE_READING:
		return rows_put(&cursor->rows, context, READING_ID);
	case CHANGE_AT:
		return vtab_put_time(context, at_s);
	case CHANGE_AT_S:
		return vtab_put_number(context, true, at_s);
	case CHANGE_SITE:
		return rows_put(&cursor->rows, context, READING_SITE);
	case CHANGE_DOCUMENT:
		return rows_put(&cursor->rows, context, READING_DOCUMENT);
	case CHANGE_KIND:
		return vtab_put_text(
		    context, slice_of(delta_rows[change->kind].name));
	case CHANGE_LOC:
		return vtab_put_text(context, change->url);
	case CHANGE_BEFORE:
		return vtab_put_date(context, &change->before);
	case CHANGE_AFTER:
		return vtab_put_date(context, &change->after);
	case CHANGE_BEFORE_PRECISION:
		return vtab_put_precision(context, &change->before);
	case CHANGE_AFTER_PRECISION:
		return vtab_put_precision(context, &change->after);
	case CHANGE_BEFORE_S:
		return vtab_put_number(context,
		    change->before.precision != DATE_NONE,
		    change->before.epoch_s);
	case CHANGE_AFTER_S:
		return vtab_put_number(context,
		    change->after.precision != DATE_NONE,
		    change->after.epoch_s);
	case CHANGE_DOCUMENT_ID:
		return rows_put(&cursor->rows, context, READING_DOCUMENT_ID);
	case CHANGE_REFUSED:
		return vtab_put_refused(context, change->verdict);
	case CHANGE_ELSEWHERE:
		elsewhere = sqlite3_column_blob(rows, READING_ELSEWHERE);
		/* If the document lists no pages any more, what stays is a
		 * child. */
		return vtab_put_number(context, true,
		    (delta_rows[change->kind].way == DELTA_STAYS &&
			sqlite3_column_type(rows, READING_PAGES) !=
			    SQLITE_NULL &&
			(sqlite3_column_int(rows, READING_PAGES) &
			    TALLY_PAGES) == 0) ||
			elsewhere_has(slice_make(elsewhere,
					  (size_t)sqlite3_column_bytes(
					      rows, READING_ELSEWHERE)),
			    (uint64_t)cursor->at_delta));
	case CHANGE_COLUMNS_COUNT:
		break;
	}
	return SQLITE_OK;
}

/* The cursors of both kinds of tables. */

static int
rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	const struct vtab_base *base = vtab_base(table);
	bool is_url = base->table->kind == PUBLIC_URLS ||
	    base->table->kind == PUBLIC_INDEX_URLS;
	struct rows_cursor *cursor = mem_zero(
	    is_url ? sizeof(struct url_cursor) : sizeof(struct change_cursor));
	struct block_cursor *blocks;

	cursor->is_of_urls = is_url;
	loc_range_init(&cursor->range);
	cursor->document = is_url ? DOCUMENT_URL : READING_DOCUMENT;
	blocks = &cursor->blocks;
	blocks->read = &base->shared->blocks_read;
	buf_init(&blocks->bytes, BLOCK_MAX_BYTES);
	/* The reader borrows the cursor, which does not move in memory. */
	blocks->reader = block_reader_new(block_cursor_pull, blocks);
	blocks->code = sqlite3_prepare_v3(base->db,
	    is_url ? "SELECT data FROM main.segment WHERE id = ?1"
		   : "SELECT data FROM main.delta WHERE id = ?1",
	    -1, SQLITE_PREPARE_PERSISTENT, &blocks->data, NULL);
	if (blocks->code == SQLITE_OK && is_url)
		blocks->code = sqlite3_prepare_v3(base->db,
		    "SELECT first_url, last_url FROM main.block_index"
		    " WHERE id = ?1",
		    -1, SQLITE_PREPARE_PERSISTENT, &blocks->index, NULL);
	*out = &cursor->sqlite;
	return SQLITE_OK;
}

/* Go to the next row of the statement that has something in the range. */
static int
rows_next(struct rows_cursor *cursor)
{
	struct change_cursor *changes = (struct change_cursor *)cursor;
	struct entry *entry = &((struct url_cursor *)cursor)->entry;
	const struct loc_range *range = &cursor->range;
	struct slice high = buf_text(&range->high);
	bool is_url = cursor->is_of_urls, is_there;
	int code;

	while ((code = sqlite3_step(cursor->rows)) == SQLITE_ROW) {
		block_cursor_open(&cursor->blocks,
		    sqlite3_column_int64(
			cursor->rows, is_url ? DOCUMENT_ID : READING_ID),
		    sqlite3_column_int64(cursor->rows,
			is_url ? DOCUMENT_BLOCKS : READING_DELTA_BLOCKS));
		if (is_url) {
			is_there = block_cursor_seek(&cursor->blocks,
				       buf_text(&range->low),
				       range->has_high ? &high : NULL, entry) &&
			    loc_range_has(range, entry->url);
		} else {
			changes->at_delta = -1;
			is_there = change_step(changes);
		}
		if (is_there)
			return SQLITE_OK;
		code = rows_blocks_code(cursor);
		if (code != SQLITE_OK)
			break;
	}
	cursor->is_ended = true;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
rows_begin(sqlite3_vtab_cursor *base, int plan, const char *names, int argc,
    sqlite3_value **argv)
{
	struct rows_cursor *rows = (struct rows_cursor *)base;
	int code = rows_prepare(
	    rows, plan, rows->is_of_urls ? url_query : change_query);

	(void)names;
	if (code == SQLITE_OK)
		code = rows->is_of_urls
		    ? rows_filter(rows, url_terms, LENGTH(url_terms),
			  URL_BY_LOC, argc, argv)
		    : rows_filter(rows, change_terms, LENGTH(change_terms),
			  CHANGE_BY_LOC, argc, argv);
	if (code != SQLITE_OK || rows->is_ended)
		return code;
	if (rows->is_of_urls && url_is_indexed(plan)) {
		/* Bind the bounds of the range.  Without an upper bound it is
		 * 0x7f, which no URL reaches. */
		static const int parameters[] = {
		    URL_HIGH_PARAMETER, URL_LOW_PARAMETER};
		const struct slice bounds[] = {rows->range.has_high
			? buf_text(&rows->range.high)
			: slice_of("\x7f"),
		    buf_text(&rows->range.low)};

		for (int i = 0; code == SQLITE_OK && i < 2; i++)
			code = sqlite3_bind_text64(rows->rows, parameters[i],
			    bounds[i].len == 0 ? "" : bounds[i].p,
			    bounds[i].len, SQLITE_TRANSIENT, SQLITE_UTF8);
	}
	return code == SQLITE_OK ? rows_next(rows) : code;
}

static int
rows_step(sqlite3_vtab_cursor *base)
{
	struct rows_cursor *rows = (struct rows_cursor *)base;
	struct entry *entry = &((struct url_cursor *)base)->entry;
	bool is_there;
	int code;

	is_there = rows->is_of_urls ? block_cursor_next(&rows->blocks, entry) &&
		loc_range_has(&rows->range, entry->url)
				    : change_step((struct change_cursor *)base);
	if (is_there)
		return SQLITE_OK;
	code = rows_blocks_code(rows);
	return code == SQLITE_OK ? rows_next(rows) : code;
}

static int
rows_close(sqlite3_vtab_cursor *base)
{
	struct rows_cursor *cursor = (struct rows_cursor *)base;

	(void)sqlite3_finalize(cursor->rows);
	(void)sqlite3_finalize(cursor->blocks.data);
	(void)sqlite3_finalize(cursor->blocks.index);
	block_reader_free(cursor->blocks.reader);
	buf_release(&cursor->blocks.bytes);
	loc_range_release(&cursor->range);
	free(cursor);
	return SQLITE_OK;
}

/* Set a number of the last entry or change, unique among all entries or changes
 * of the store. */
static int
rows_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	const struct block_cursor *blocks = &((const struct rows_cursor *)base)
						 ->blocks;

	/* `at` goes up to BLOCK_ENTRIES, which is 2^12. */
	*id = (blocks->first_id + blocks->next - 1) << 13 | blocks->at;
	return SQLITE_OK;
}

/* Without xCreate the tables exist by name, and CREATE cannot make them. */
const struct sqlite3_module vtab_url = {
    .xConnect = vtab_connect,
    .xBestIndex = url_best_index,
    .xDisconnect = vtab_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_begin,
    .xNext = rows_step,
    .xEof = rows_eof,
    .xColumn = url_column,
    .xRowid = rows_rowid,
};

const struct sqlite3_module vtab_change = {
    .xConnect = vtab_connect,
    .xBestIndex = change_best_index,
    .xDisconnect = vtab_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_begin,
    .xNext = rows_step,
    .xEof = rows_eof,
    .xColumn = change_column,
    .xRowid = rows_rowid,
};
