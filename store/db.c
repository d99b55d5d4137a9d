/*
 * How the store talks to SQLite: only this file, and those that open or copy a
 * database, see result codes.  First failures, then statements, then values.
 */
#include "store/db.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/schema.h"

#define TROUBLE_MAX 512 /* bytes of the text about a failure */

/* How many loops over the same statement may run inside each other: one for a
 * document, and one for each index above it. */
#define LOOPS 8

struct statements {
	struct sqlite3_stmt *one[SQL_COUNT]; /* owned: for db_use */
	struct sqlite3_stmt *loops[SQL_COUNT][LOOPS]; /* owned: for db_loop */
};

static const char *const sql[SQL_COUNT] = {
#define STATEMENT(name, text) [SQL_##name] = text,
#include "store/statements.def"
#undef STATEMENT
};

bool
db_prepare(struct store *store)
{
	store->statements = mem_zero(sizeof(*store->statements));
	return sqlite3_prepare_v3(store->db, sql[SQL_TABLES], -1, 0,
		   &store->statements->one[SQL_TABLES], NULL) == SQLITE_OK;
}

void
db_finalize(struct store *store)
{
	struct statements *statements = store->statements;

	for (int i = 0; statements != NULL && i < SQL_COUNT; i++) {
		sqlite3_finalize(statements->one[i]);
		for (int k = 0; k < LOOPS; k++)
			sqlite3_finalize(statements->loops[i][k]);
	}
	free(statements);
	store->statements = NULL;
}

void
db_fail(struct store *store, enum diag_code code)
{
	assert(code != DIAG_OK);
	/* A folder that became read-only is treated like a full disk; of a
	 * cache, it is PostgreSQL that is of no use. */
	if (code == DIAG_STORE_UNUSABLE && !store->is_cache)
		code = DIAG_DISK_FULL;
	if (store->failed == DIAG_OK)
		store->failed = code;
}

void
db_damaged_args(struct store *store, struct sqlite3_stmt *stmt,
    const char *format, va_list args)
{
	char text[TROUBLE_MAX];

	if (store->failed != DIAG_OK)
		return;
	(void)vsnprintf(text, sizeof(text), format, args);
	if (stmt != NULL) {
		/* Begin the text about a failure with table and id: "document
		 * 17: ".  The table is the first name behind FROM, JOIN,
		 * INTO or UPDATE outside of parentheses; a temporary one says
		 * nothing of the store. */
		static const char *const words[] = {
		    " FROM ", " JOIN ", "INTO ", "UPDATE "};
		const char *first = sqlite3_column_name(stmt, 0);
		const char *p = sqlite3_sql(stmt);
		struct slice table = slice_make(NULL, 0);
		int depth = 0;

		for (; *p != '\0' && table.p == NULL; p++) {
			depth += (*p == '(') - (*p == ')');
			for (size_t i = 0; depth == 0 && i < 4; i++) {
				size_t len = strlen(words[i]);

				if (strncmp(p, words[i], len) == 0 &&
				    strncmp(p + len, "temp.", 5) != 0)
					table = slice_make(
					    p + len, strcspn(p + len, " ("));
			}
		}
		(void)buf_put_slice(
		    &store->trouble, table.len > 0 ? table : slice_of("file"));
		if (first != NULL && strcmp(first, "id") == 0 &&
		    sqlite3_data_count(stmt) > 0)
			(void)buf_print(&store->trouble, " %lld",
			    (long long)sqlite3_column_int64(stmt, 0));
		(void)buf_print(&store->trouble, ": ");
	}
	vis_put(&store->trouble, slice_of(text), SIZE_MAX);
	db_fail(store, DIAG_STORE_DAMAGED);
}

void
db_damaged(
    struct store *store, struct sqlite3_stmt *stmt, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	db_damaged_args(store, stmt, format, args);
	va_end(args);
}

/* Keep the text that SQLite has for its failure. stmt is NULL if the statement
 * could not be prepared. */
static void
fail_step(struct store *store, struct sqlite3_stmt *stmt, int code)
{
	if (schema_code(code) == DIAG_STORE_DAMAGED)
		db_damaged(store, stmt, "%s%s", stmt == NULL ? "file: " : "",
		    sqlite3_errmsg(store->db));
	else
		db_fail(store, schema_code(code));
}

static struct sqlite3_stmt *
prepare(struct store *store, enum statement statement)
{
	struct sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(store->db, sql[statement], -1,
	    SQLITE_PREPARE_PERSISTENT, &stmt, NULL);

	if (code != SQLITE_OK)
		fail_step(store, NULL, code);
	return stmt;
}

struct sqlite3_stmt *
db_use(struct store *store, enum statement statement)
{
	struct sqlite3_stmt **stmt = &store->statements->one[statement];

	if (*stmt == NULL)
		*stmt = prepare(store, statement);
	if (*stmt == NULL)
		return NULL;
	sqlite3_reset(*stmt);
	sqlite3_clear_bindings(*stmt);
	return *stmt;
}

struct sqlite3_stmt *
db_loop(struct store *store, enum statement statement)
{
	for (int i = 0; i < LOOPS; i++) {
		struct sqlite3_stmt **stmt = &store->statements
						  ->loops[statement][i];

		if (*stmt == NULL)
			*stmt = prepare(store, statement);
		if (*stmt == NULL)
			return NULL;
		if (!sqlite3_stmt_busy(*stmt)) {
			sqlite3_clear_bindings(*stmt);
			return *stmt;
		}
	}
	assert(false); /* more than LOOPS loops would run inside each other */
	return NULL;
}

void
db_drop(struct sqlite3_stmt *stmt)
{
	sqlite3_finalize(stmt);
}

bool
db_row(struct store *store, struct sqlite3_stmt *stmt)
{
	if (stmt != NULL && store->failed == DIAG_OK) {
		int code = sqlite3_step(stmt);

		if (code == SQLITE_ROW)
			return true;
		if (code != SQLITE_DONE)
			fail_step(store, stmt, code);
	}
	sqlite3_reset(stmt);
	return false;
}

void
db_run(struct store *store, struct sqlite3_stmt *stmt)
{
	while (db_row(store, stmt))
		;
}

void
db_done(struct sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
}

bool
db_begin(struct store *store)
{
	if (store->failed != DIAG_OK)
		return false;
	assert(!store->is_read_only);
	if (!store->is_writing) {
		store_read_end(store);
		db_run(store, db_use(store, SQL_BEGIN));
		store->is_writing = store->failed == DIAG_OK;
	}
	return store->is_writing;
}

bool
store_read_begin(struct store *store)
{
	if (store->failed != DIAG_OK || !sqlite3_get_autocommit(store->db))
		return false;
	db_run(store, db_use(store, SQL_LOOK));
	store->is_reading = store->failed == DIAG_OK;
	return store->is_reading;
}

void
store_read_end(struct store *store)
{
	if (!store->is_reading)
		return;
	store->is_reading = false;
	db_run(store, db_use(store, SQL_COMMIT));
}

bool
db_write(struct store *store, struct sqlite3_stmt *stmt)
{
	if (!db_begin(store))
		return false;
	db_run(store, stmt);
	return store->failed == DIAG_OK;
}

static struct sqlite3_stmt *
bind_ints(struct sqlite3_stmt *stmt, int count, const int64_t ints[])
{
	for (int i = 0; i < count; i++)
		db_bind_int(stmt, i + 1, ints[i]);
	return stmt;
}

struct sqlite3_stmt *
db_use_id(struct store *store, enum statement statement, int64_t id)
{
	return bind_ints(db_use(store, statement), 1, &id);
}

struct sqlite3_stmt *
db_use_ints(struct store *store, enum statement statement, int count,
    const int64_t ints[])
{
	return bind_ints(db_use(store, statement), count, ints);
}

struct sqlite3_stmt *
db_use_text(struct store *store, enum statement statement, struct slice text)
{
	struct sqlite3_stmt *stmt = db_use(store, statement);

	db_bind_text(stmt, 1, text);
	return stmt;
}

struct sqlite3_stmt *
db_loop_id(struct store *store, enum statement statement, int64_t id)
{
	return bind_ints(db_loop(store, statement), 1, &id);
}

struct sqlite3_stmt *
db_loop_ints(struct store *store, enum statement statement, int count,
    const int64_t ints[])
{
	return bind_ints(db_loop(store, statement), count, ints);
}

void
db_put_id(struct store *store, enum statement statement, int64_t id)
{
	(void)db_write(store, db_use_id(store, statement, id));
}

void
db_put_ints(struct store *store, enum statement statement, int count,
    const int64_t ints[])
{
	(void)db_write(store, db_use_ints(store, statement, count, ints));
}

bool
db_has(struct store *store, struct sqlite3_stmt *stmt)
{
	bool is_there = db_row(store, stmt);

	db_done(stmt);
	return is_there;
}

/* Fail as damaged: this program never writes such a number. */
static void
bad_number(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	db_damaged(store, stmt, "%s is %.30s",
	    sqlite3_column_name(stmt, column),
	    (const char *)sqlite3_column_text(stmt, column));
}

static int64_t
number_within(struct store *store, struct sqlite3_stmt *stmt, int column,
    int64_t least, int64_t most)
{
	int64_t value = db_int(stmt, column);

	if ((value >= least && value <= most) || db_is_null(stmt, column))
		return value;
	bad_number(store, stmt, column);
	return 0;
}

/* The same of the first column of the first row; 0 if there is none. */
static int64_t
first_within(
    struct store *store, struct sqlite3_stmt *stmt, int64_t least, int64_t most)
{
	int64_t number = db_row(store, stmt)
	    ? number_within(store, stmt, 0, least, most)
	    : 0;

	db_done(stmt);
	return number;
}

int64_t
db_first(struct store *store, struct sqlite3_stmt *stmt)
{
	return first_within(store, stmt, INT64_MIN, INT64_MAX);
}

int64_t
db_first_id(struct store *store, struct sqlite3_stmt *stmt)
{
	return first_within(store, stmt, 1, DB_ID_MAX);
}

int64_t
db_first_time(struct store *store, struct sqlite3_stmt *stmt)
{
	return first_within(store, stmt, -DATE_BOUND_S, DATE_BOUND_S);
}

void
db_counts(struct store *store, struct sqlite3_stmt *stmt, int count,
    uint64_t counts[])
{
	bool is_there = db_row(store, stmt);

	for (int i = 0; is_there && i < count; i++)
		counts[i] = db_count(store, stmt, i);
	db_done(stmt);
}

int64_t
db_last_id(const struct store *store)
{
	return sqlite3_last_insert_rowid(store->db);
}

struct sqlite3_stmt *
db_make(struct store *store, const char *text, int count, const int64_t ints[])
{
	sqlite3_stmt *stmt = NULL;
	int code, most;

	if (store->failed != DIAG_OK)
		return NULL;
	code = sqlite3_prepare_v2(store->db, text, -1, &stmt, NULL);
	if (code != SQLITE_OK)
		fail_step(store, NULL, code);
	most = stmt == NULL ? 0 : sqlite3_bind_parameter_count(stmt);
	return bind_ints(stmt, count < most ? count : most, ints);
}

bool
db_exec_ints(
    struct store *store, const char *text, int count, const int64_t ints[])
{
	struct sqlite3_stmt *stmt = db_make(store, text, count, ints);
	bool is_done = db_write(store, stmt);

	db_drop(stmt);
	return is_done;
}

bool
db_exec(struct store *store, const char *text)
{
	struct sqlite3_stmt *stmt = db_make(store, text, 0, NULL);

	db_run(store, stmt);
	db_drop(stmt);
	return store->failed == DIAG_OK;
}

int64_t
db_number(
    struct store *store, const char *text, int count, const int64_t ints[])
{
	struct sqlite3_stmt *stmt = db_make(store, text, count, ints);
	int64_t number = db_row(store, stmt) ? db_int(stmt, 0) : 0;

	db_drop(stmt);
	return number;
}

uint64_t
store_bytes(struct store *store)
{
	int64_t pages = db_number(store, "PRAGMA page_count", 0, NULL) -
	    db_number(store, "PRAGMA freelist_count", 0, NULL);

	return (uint64_t)pages *
	    (uint64_t)db_number(store, "PRAGMA page_size", 0, NULL);
}

uint64_t
db_file_bytes(const struct store *store, const char *suffix)
{
	struct stat st;
	struct buf name = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&name, "%s%s", store->path, suffix);
	bool is_there = stat(buf_str(&name), &st) == 0;
	buf_release(&name);
	return is_there ? (uint64_t)st.st_size : 0;
}

bool
db_snapshot_begin(struct store *store)
{
	/* BEGIN alone takes no snapshot: the first read takes it. */
	if (db_exec(store, "BEGIN"))
		(void)db_number(store, "SELECT count(*) FROM meta", 0, NULL);
	return store->failed == DIAG_OK;
}

void
db_snapshot_end(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Binding fails only without memory, or for values above the connection's
 * limits, which no caller has. */
static void
bound(struct sqlite3_stmt *stmt, int code)
{
	assert(stmt == NULL || schema_code(code) == DIAG_OK);
}

void
db_bind_int(struct sqlite3_stmt *stmt, int i, int64_t value)
{
	bound(stmt, sqlite3_bind_int64(stmt, i, value));
}

void
db_bind_text(struct sqlite3_stmt *stmt, int i, struct slice text)
{
	bound(stmt,
	    sqlite3_bind_text64(stmt, i, text.len == 0 ? "" : text.p, text.len,
		SQLITE_STATIC, SQLITE_UTF8));
}

void
db_bind_blob(struct sqlite3_stmt *stmt, int i, struct slice bytes)
{
	bound(stmt,
	    sqlite3_bind_blob64(stmt, i, bytes.len == 0 ? "" : bytes.p,
		bytes.len, SQLITE_STATIC));
}

struct sqlite3_stmt *
db_bind(struct sqlite3_stmt *stmt, const struct db_value *value)
{
	for (int i = 1; value->as != DB_END; value++, i++) {
		const struct date *date = value->date;
		bool is_dated = value->as == DB_DATE &&
		    date->precision != DATE_NONE;

		switch (value->as) {
		case DB_END:
		case DB_NULL:
			break;
		case DB_INT:
			db_bind_int(stmt, i, value->number);
			break;
		case DB_REAL:
			bound(stmt, sqlite3_bind_double(stmt, i, value->real));
			break;
		case DB_TEXT:
			db_bind_text(stmt, i, value->bytes);
			break;
		case DB_BLOB:
			db_bind_blob(stmt, i, value->bytes);
			break;
		case DB_DATE:
			if (is_dated)
				db_bind_int(stmt, i, date->epoch_s);
			db_bind_int(stmt, ++i, is_dated ? date->nanos : 0);
			db_bind_int(stmt, ++i,
			    is_dated ? date->precision |
				    date->zone << FORM_ZONE_SHIFT |
				    date->offset << FORM_OFFSET_SHIFT
				     : 0);
			break;
		}
	}
	return stmt;
}

bool
db_put(struct store *store, enum statement statement,
    const struct db_value values[])
{
	return db_write(store, db_bind(db_use(store, statement), values));
}

bool
db_is_null(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

int64_t
db_int(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt, column);
}

struct slice
db_text(struct sqlite3_stmt *stmt, int column)
{
	const void *p = sqlite3_column_text(stmt, column);

	/* sqlite3_column_bytes returns the length of the text only after
	 * sqlite3_column_text was called. */
	return slice_make(p, (size_t)sqlite3_column_bytes(stmt, column));
}

struct slice
db_blob(struct sqlite3_stmt *stmt, int column)
{
	const void *p = sqlite3_column_blob(stmt, column);

	return slice_make(p, (size_t)sqlite3_column_bytes(stmt, column));
}

char *
db_str(struct sqlite3_stmt *stmt, int column)
{
	if (db_is_null(stmt, column))
		return NULL;
	return slice_dup(db_text(stmt, column));
}

struct date
db_date(struct sqlite3_stmt *stmt, int column)
{
	if (db_is_null(stmt, column))
		return (struct date){0};
	return date_unpack(db_int(stmt, column), db_int(stmt, column + 1),
	    db_int(stmt, column + 2));
}

int64_t
db_id(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return number_within(store, stmt, column, 1, DB_ID_MAX);
}

int64_t
db_time(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return number_within(store, stmt, column, -DATE_BOUND_S, DATE_BOUND_S);
}

uint64_t
db_count(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return (uint64_t)number_within(store, stmt, column, 0, DB_COUNT_MAX);
}

uint32_t
db_small(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	return (uint32_t)number_within(store, stmt, column, 0, UINT32_MAX);
}

double
db_real(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	double value = sqlite3_column_double(stmt, column);

	if (value >= 0 && value <= DB_REAL_MAX)
		return value;
	bad_number(store, stmt, column);
	return 0;
}

/* Fail as damaged: this program never writes such a text. */
static struct slice
bad_text(struct store *store, struct sqlite3_stmt *stmt, int column,
    const char *what)
{
	struct slice text = db_text(stmt, column);
	int len = text.len > 100 ? 100 : (int)text.len;

	db_damaged(store, stmt, "%s '%.*s' %s",
	    sqlite3_column_name(stmt, column), len, text.p, what);
	return slice_make(NULL, 0);
}

struct slice
db_url(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	struct slice text = db_text(stmt, column);

	if (db_is_null(stmt, column) ||
	    (text.len > 0 && text.len <= URL_MAX_BYTES &&
		slice_is_graphic(text)))
		return text;
	return bad_text(
	    store, stmt, column, "has bytes, or a length, that it cannot have");
}

struct slice
db_line(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	struct slice text = db_text(stmt, column);
	bool is_line = text.len <= DB_LINE_MAX;

	/* All of the line is printable ASCII; spaces are allowed. */
	for (size_t i = 0; is_line && i < text.len; i++)
		is_line = text.p[i] >= ' ' && text.p[i] <= '~';
	if (is_line)
		return text;
	return bad_text(
	    store, stmt, column, "has bytes, or a length, that it cannot have");
}

struct slice
db_whole_url(struct store *store, struct sqlite3_stmt *stmt, int column)
{
	struct slice text = db_text(stmt, column);
	struct url url = {0};
	bool is_one;

	is_one = text.len > 0 && text.len <= URL_MAX_BYTES &&
	    slice_is_graphic(text) && url_is_normal(&url, text);
	url_release(&url);
	return is_one ? text
		      : bad_text(store, stmt, column, "is no normalised URL");
}
