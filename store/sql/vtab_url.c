/*
 * The tables url and index_url: entries of all segments.
 *
 * A scan goes through documents, and through the blocks of each document.
 * Blocks that cannot hold a URL of the query's range are not decoded.
 */
#include "store/sql/vtab_base.h"

#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/block_cursor.h"
#include "store/sql/loc_range.h"
#include "store/sql/public.h"

SQLITE_EXTENSION_INIT3

/* The constraints that the tables handle: bits of a plan, arguments in this
 * order. */
enum url_term {
	BY_ID,
	BY_DOCUMENT,
	BY_SITE,
	BY_LOC,
	FROM_LOC,
	TO_LOC,
	GLOB,
	LIKE
};

#define HAS(plan, term) (((plan) >> (term)&1) != 0)

/* The columns of the query for documents. */
enum { DOCUMENT_ID, DOCUMENT_URL, DOCUMENT_SITE, DOCUMENT_BLOCKS };

#define URL_HIGH_PARAMETER 10
#define URL_LOW_PARAMETER 11

static const struct vtab_term url_terms[] = {
    [BY_ID] = {URL_DOCUMENT_ID, {SQLITE_INDEX_CONSTRAINT_EQ}, "document_id="},
    [BY_DOCUMENT] = {URL_DOCUMENT, {SQLITE_INDEX_CONSTRAINT_EQ}, "document="},
    [BY_SITE] = {URL_SITE, {SQLITE_INDEX_CONSTRAINT_EQ}, "site="},
    [BY_LOC] = {URL_LOC, {SQLITE_INDEX_CONSTRAINT_EQ}, "loc="},
    [FROM_LOC] = {URL_LOC,
	{SQLITE_INDEX_CONSTRAINT_GE, SQLITE_INDEX_CONSTRAINT_GT}, "loc>"},
    [TO_LOC] = {URL_LOC,
	{SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_LT}, "loc<"},
    [GLOB] = {URL_LOC, {SQLITE_INDEX_CONSTRAINT_GLOB}, "loc GLOB"},
    [LIKE] = {URL_LOC, {SQLITE_INDEX_CONSTRAINT_LIKE}, "loc LIKE"},
};

/* Does a scan return rows in the order that the query wants? */
static bool
comes_ordered(const sqlite3_index_info *info, int plan)
{
	static const int one[] = {URL_LOC};
	static const int of_site[] = {URL_DOCUMENT, URL_LOC};
	static const int all[] = {URL_DOCUMENT_ID, URL_LOC};

	if (HAS(plan, BY_ID) || (HAS(plan, BY_DOCUMENT) && HAS(plan, BY_SITE)))
		return vtab_orders(info, one, 1);
	if (HAS(plan, BY_SITE))
		return vtab_orders(info, of_site, 2);
	return vtab_orders(info, all, 2);
}

static bool
url_plan(sqlite3_index_info *info)
{
	int plan = vtab_plan(
	    info, url_terms, sizeof(url_terms) / sizeof(url_terms[0]));

	if (plan < 0)
		return false;
	/*
	 * The costs are guesses, since there are no statistics: a store has 10
	 * million entries in 200 documents, and a URL or prefix costs a search
	 * of each document.
	 */
	double documents = 200;
	double share = 1;

	if (HAS(plan, BY_ID) || HAS(plan, BY_DOCUMENT))
		documents = 1;
	else if (HAS(plan, BY_SITE))
		documents = 20;
	if (HAS(plan, BY_LOC))
		share = 0;
	else if (HAS(plan, GLOB) || HAS(plan, LIKE))
		share = 0.01;
	else if (HAS(plan, FROM_LOC) && HAS(plan, TO_LOC))
		share = 0.05;
	else if (HAS(plan, FROM_LOC) || HAS(plan, TO_LOC))
		share = 0.3;
	info->estimatedCost = documents * (100 + 50000 * share);
	info->estimatedRows = 1 + (sqlite3_int64)(documents * 50000 * share);
	info->orderByConsumed = comes_ordered(info, plan);
	return true;
}

/* Does the plan use the block index, to find the documents that can hold a URL
 * of the range?  A single document is searched as fast without the index. */
static bool
is_indexed(int plan)
{
	return !HAS(plan, BY_ID) && !HAS(plan, BY_DOCUMENT) && plan >> BY_LOC;
}

struct url_cursor {
	sqlite3_vtab_cursor sqlite; /* first */
	struct sqlite3_stmt *documents; /* owned; NULL: none yet */
	int plan; /* what `documents` was prepared for */
	struct block_cursor blocks;
	struct loc_range range;
	struct buf target; /* the least URL that may come next */
	struct entry entry;
	struct vtab_date lastmod;
	struct vtab_date first_seen;
	struct vtab_date redated;
	bool is_ended;
};

static int
url_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	return url_plan(info) ? SQLITE_OK : SQLITE_NOMEM;
}

static int
url_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct url_cursor *cursor = mem_zero(sizeof(*cursor));

	loc_range_init(&cursor->range);
	buf_init(&cursor->target, cursor->range.low.max);
	block_cursor_segments(&cursor->blocks, vtab_db(base),
	    &vtab_base(base)->shared->blocks_read);
	*out = &cursor->sqlite;
	return SQLITE_OK;
}

static int
url_close(sqlite3_vtab_cursor *base)
{
	struct url_cursor *cursor = (struct url_cursor *)base;

	(void)sqlite3_finalize(cursor->documents);
	block_cursor_release(&cursor->blocks);
	loc_range_release(&cursor->range);
	buf_release(&cursor->target);
	free(cursor);
	return SQLITE_OK;
}

/* Make the statement of a plan ready to be bound. */
static int
prepare(struct url_cursor *cursor, int plan)
{
	sqlite3_vtab *table = cursor->sqlite.pVtab;
	struct buf text;
	int code;

	if (cursor->documents != NULL && cursor->plan == plan) {
		(void)sqlite3_reset(cursor->documents);
		return SQLITE_OK;
	}
	(void)sqlite3_finalize(cursor->documents);
	cursor->documents = NULL;
	cursor->plan = plan;
	buf_init(&text, 1024);
	/*
	 * The query for the documents to read, in the order that the plan
	 * promised. Parameters are the arguments up to BY_SITE, from 1 on, and,
	 * if is_indexed, the bounds of the range.  CROSS JOIN keeps SQLite from
	 * another order.
	 */
	bool of_indexes = vtab_base(table)->table->kind == PUBLIC_INDEX_URLS;
	bool by_site = HAS(plan, BY_SITE) || HAS(plan, BY_DOCUMENT);
	int argument = 0;

	(void)buf_print(&text,
	    "SELECT d.id, d.url, s.host, d.blocks FROM main.%s CROSS JOIN "
	    "main.%s ON s.id = d.site_id WHERE d.blocks > 0 AND d.kind %s "
	    "'index'",
	    by_site ? "site s" : "document d",
	    by_site ? "document d" : "site s", of_indexes ? "=" : "<>");
	if (HAS(plan, BY_ID))
		(void)buf_print(&text, " AND d.id = ?%d", ++argument);
	if (HAS(plan, BY_DOCUMENT))
		(void)buf_print(&text, " AND d.url = ?%d", ++argument);
	if (HAS(plan, BY_SITE))
		(void)buf_print(&text, " AND s.host = ?%d", ++argument);
	if (is_indexed(plan))
		(void)buf_print(&text,
		    " AND d.id IN (SELECT id >> 16 FROM main.block_index WHERE "
		    "first_url <= ?%d AND (last_url IS NULL OR last_url >= "
		    "?%d)%s)",
		    URL_HIGH_PARAMETER, URL_LOW_PARAMETER,
		    HAS(plan, BY_LOC) ? " AND freshet_may_hold(bloom, ?11)"
				      : "");
	(void)buf_print(
	    &text, " ORDER BY %s", HAS(plan, BY_SITE) ? "d.url" : "d.id");

	code = sqlite3_prepare_v3(vtab_db(table), buf_str(&text), -1,
	    SQLITE_PREPARE_PERSISTENT, &cursor->documents, NULL);
	buf_release(&text);
	return code;
}

/* Narrow the range by an argument.  A number is taken as text; a blob, which is
 * greater than all text, does not narrow it. */
static void
set_range(struct loc_range *range, enum url_term term, sqlite3_value *value)
{
	if (sqlite3_value_type(value) == SQLITE_BLOB)
		return;
	struct slice text = vtab_text(value);
	if (term == BY_LOC || term == FROM_LOC)
		loc_range_low(range, text);
	if (term == BY_LOC || term == TO_LOC)
		loc_range_high(range, text);
	if (term == GLOB)
		loc_range_glob(range, text);
	if (term == LIKE)
		loc_range_like(range, text);
}

/* Move to the first entry, from the current one on, that lies in the range. */
static bool
seek(struct url_cursor *cursor)
{
	struct entry *entry = &cursor->entry;

	while (block_cursor_seek(
	    &cursor->blocks, buf_text(&cursor->target), entry)) {
		if (loc_range_has(&cursor->range, entry->url))
			return true;
		if (!loc_range_next(
			&cursor->range, entry->url, &cursor->target))
			return false;
	}
	return false;
}

/* Open the current document; false if it has no entry in the range. */
static bool
open_document(struct url_cursor *cursor)
{
	struct sqlite3_stmt *stmt = cursor->documents;
	const struct loc_range *range = &cursor->range;

	block_cursor_open(&cursor->blocks,
	    sqlite3_column_int64(stmt, DOCUMENT_ID),
	    sqlite3_column_int64(stmt, DOCUMENT_BLOCKS));
	if (range->has_high)
		block_cursor_until(&cursor->blocks, buf_text(&range->high));
	if (!block_cursor_least(&cursor->blocks, &cursor->target) ||
	    !loc_range_next(range, buf_text(&cursor->target), &cursor->target))
		return false;
	return seek(cursor);
}

/* SQLITE_OK, or the code for blocks that ended early. */
static int
blocks_code(struct url_cursor *cursor)
{
	int code = block_cursor_code(&cursor->blocks);

	if (code == SQLITE_OK)
		return code;
	return vtab_fail(cursor->sqlite.pVtab, code,
	    (const char *)sqlite3_column_text(cursor->documents, DOCUMENT_URL));
}

/* Move to the first entry of the next document that has one in the range. */
static int
next_document(struct url_cursor *cursor)
{
	int code;

	while ((code = sqlite3_step(cursor->documents)) == SQLITE_ROW) {
		if (open_document(cursor))
			return SQLITE_OK;
		code = blocks_code(cursor);
		if (code != SQLITE_OK)
			break;
	}
	cursor->is_ended = true;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
bind_text(struct sqlite3_stmt *stmt, int parameter, struct slice text)
{
	return sqlite3_bind_text64(stmt, parameter, text.len == 0 ? "" : text.p,
	    text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Bind the bounds of the range.  Without an upper bound it is 0x7f, which no
 * URL reaches; without a lower one, the least string of the range. */
static int
bind_range(struct url_cursor *cursor)
{
	const struct loc_range *range = &cursor->range;
	struct slice high = range->has_high ? buf_text(&range->high)
					    : slice_of("\x7f");
	int code = bind_text(cursor->documents, URL_HIGH_PARAMETER, high);

	if (code != SQLITE_OK)
		return code;
	if (!loc_range_next(range, slice_make(NULL, 0), &cursor->target))
		buf_clear(&cursor->target);
	return bind_text(
	    cursor->documents, URL_LOW_PARAMETER, buf_text(&cursor->target));
}

static int
url_filter(sqlite3_vtab_cursor *base, int plan, const char *names, int argc,
    sqlite3_value **argv)
{
	struct url_cursor *cursor = (struct url_cursor *)base;
	int argument = 0;
	int code = prepare(cursor, plan);

	(void)names;
	loc_range_clear(&cursor->range);
	cursor->is_ended = false;
	for (int term = BY_ID; code == SQLITE_OK && term <= LIKE; term++) {
		if (!HAS(plan, term) || argument == argc)
			continue;
		sqlite3_value *value = argv[argument++];
		/* No comparison with NULL is true. */
		if (sqlite3_value_type(value) == SQLITE_NULL) {
			cursor->is_ended = true;
			return SQLITE_OK;
		}
		if (term <= BY_SITE)
			code = sqlite3_bind_value(
			    cursor->documents, argument, value);
		else
			set_range(&cursor->range, (enum url_term)term, value);
	}
	if (code == SQLITE_OK && is_indexed(plan))
		code = bind_range(cursor);
	return code == SQLITE_OK ? next_document(cursor) : code;
}

static int
url_next(sqlite3_vtab_cursor *base)
{
	struct url_cursor *cursor = (struct url_cursor *)base;
	int code;

	if (block_cursor_next(&cursor->blocks, &cursor->entry)) {
		if (loc_range_has(&cursor->range, cursor->entry.url))
			return SQLITE_OK;
		if (loc_range_next(
			&cursor->range, cursor->entry.url, &cursor->target) &&
		    seek(cursor))
			return SQLITE_OK;
	}
	code = blocks_code(cursor);
	if (code != SQLITE_OK)
		return code;
	return next_document(cursor);
}

static int
url_eof(sqlite3_vtab_cursor *base)
{
	return ((struct url_cursor *)base)->is_ended;
}

static void
put_extensions(sqlite3_context *context, unsigned extensions)
{
	static const char *const names[] = {
	    "image", "video", "news", "hreflang", "other"};
	struct buf text;

	buf_init(&text, 64);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (extensions >> i & 1)
			(void)buf_print(
			    &text, "%s%s", text.len > 0 ? "," : "", names[i]);
	vtab_put_text(context, buf_text(&text));
	buf_release(&text);
}

static void
put_hint(sqlite3_context *context, const struct entry *entry, int column)
{
	static const char *const changefreqs[16] = {[1] = "always",
	    [2] = "hourly",
	    [3] = "daily",
	    [4] = "weekly",
	    [5] = "monthly",
	    [6] = "yearly",
	    [7] = "never"};
	int priority = entry->hints >> 4;

	if (column == URL_CHANGEFREQ)
		vtab_put_text(
		    context, slice_of(changefreqs[entry->hints & 15]));
	else if (priority > 0)
		sqlite3_result_double(context, (priority - 1) / 10.0);
}

static void
put_document(struct url_cursor *cursor, sqlite3_context *context, int column)
{
	sqlite3_result_value(
	    context, sqlite3_column_value(cursor->documents, column));
}

static int
url_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	struct url_cursor *cursor = (struct url_cursor *)base;
	const struct entry *entry = &cursor->entry;

	switch ((enum url_column)column) {
	case URL_LOC:
		vtab_put_text(context, entry->url);
		break;
	case URL_SITE:
		put_document(cursor, context, DOCUMENT_SITE);
		break;
	case URL_DOCUMENT:
		put_document(cursor, context, DOCUMENT_URL);
		break;
	case URL_LASTMOD:
		vtab_put_date(context, &cursor->lastmod, &entry->lastmod);
		break;
	case URL_PRECISION:
		vtab_put_precision(context, &entry->lastmod);
		break;
	case URL_FIRST_SEEN:
		vtab_put_time(
		    context, &cursor->first_seen, entry->first_seen_s);
		break;
	case URL_REDATED:
		vtab_put_time(context, &cursor->redated, entry->redated_s);
		break;
	case URL_STATE:
		vtab_put_text(context,
		    slice_of(entry->missed > 0 ? "removed" : "listed"));
		break;
	case URL_CHANGEFREQ:
	case URL_PRIORITY:
		put_hint(context, entry, column);
		break;
	case URL_ORDINAL:
		if (!entry_is_absent(entry))
			sqlite3_result_int64(context, entry->ordinal);
		break;
	case URL_EXTENSIONS:
		put_extensions(context, entry->extensions);
		break;
	case URL_ZONE:
		vtab_put_zone(context, &entry->lastmod);
		break;
	case URL_LASTMOD_S:
		vtab_put_date_epoch(context, &entry->lastmod);
		break;
	case URL_FIRST_SEEN_S:
		vtab_put_epoch(context, entry->first_seen_s);
		break;
	case URL_REDATED_S:
		vtab_put_epoch(context, entry->redated_s);
		break;
	case URL_DOCUMENT_ID:
		put_document(cursor, context, DOCUMENT_ID);
		break;
	case URL_REFUSED:
		vtab_put_refused(context, entry->verdict);
		break;
	case URL_COLUMNS_COUNT:
		break;
	}
	return SQLITE_OK;
}

static int
url_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = block_cursor_place(&((struct url_cursor *)base)->blocks);
	return SQLITE_OK;
}

/* Without xCreate the table exists by its name, and CREATE cannot make it. */
const struct sqlite3_module vtab_url = {
    .xConnect = vtab_connect,
    .xBestIndex = url_best_index,
    .xDisconnect = vtab_disconnect,
    .xOpen = url_open,
    .xClose = url_close,
    .xFilter = url_filter,
    .xNext = url_next,
    .xEof = url_eof,
    .xColumn = url_column,
    .xRowid = url_rowid,
};
