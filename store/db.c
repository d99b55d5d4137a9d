/* How the store talks to SQLite: the one place that sees result codes. */
#include "store/db.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/vis.h"
#include "store/schema.h"

#define TROUBLE_MAX 512 /* of what is told of a failure */

static const char *const sql[SQL_COUNT] = {
#define STATEMENT(name, text) [SQL_##name] = text,
#include "store/statements.def"
#undef STATEMENT
};

bool
db_prepare(struct store *store)
{
	for (int i = 0; i < SQL_COUNT; i++)
		if (sqlite3_prepare_v3(store->db, sql[i], -1,
			SQLITE_PREPARE_PERSISTENT, &store->statements[i],
			NULL) != SQLITE_OK)
			return false;
	return true;
}

void
db_finalize(struct store *store)
{
	for (int i = 0; i < SQL_COUNT; i++) {
		sqlite3_finalize(store->statements[i]);
		store->statements[i] = NULL;
		for (int k = 0; k < DB_LOOPS; k++) {
			sqlite3_finalize(store->loops[i][k]);
			store->loops[i][k] = NULL;
		}
	}
}

void
db_fail(struct store *store, enum diag_code code)
{
	assert(code != DIAG_OK);
	/* A folder that became read-only is no different from a full disk. */
	if (code == DIAG_STORE_UNUSABLE)
		code = DIAG_DISK_FULL;
	if (store->failed == DIAG_OK)
		store->failed = code;
}

/* table_of(sql): the table that a statement is about: the first name behind
 * FROM, INTO or UPDATE that lies in no parentheses; empty: there is none. */
static struct slice
table_of(const char *text)
{
	static const char *const words[] = {" FROM ", "INTO ", "UPDATE "};
	int depth = 0;

	for (; *text != '\0'; text++) {
		depth += (*text == '(') - (*text == ')');
		for (size_t i = 0; depth == 0 && i < 3; i++) {
			size_t len = strlen(words[i]);

			if (strncmp(text, words[i], len) == 0)
				return slice_make(
				    text + len, strcspn(text + len, " ("));
		}
	}
	return slice_make(NULL, 0);
}

/* put_place(store, stmt): "document 17: ". */
static void
put_place(struct store *store, struct sqlite3_stmt *stmt)
{
	struct slice table = table_of(sqlite3_sql(stmt));
	const char *first = sqlite3_column_name(stmt, 0);

	if (table.len == 0)
		table = slice_of("file");
	(void)buf_put_slice(&store->trouble, table);
	if (first != NULL && strcmp(first, "id") == 0 &&
	    sqlite3_data_count(stmt) > 0)
		(void)buf_print(&store->trouble, " %lld",
		    (long long)sqlite3_column_int64(stmt, 0));
	(void)buf_print(&store->trouble, ": ");
}

static void
fail_damaged(struct store *store, struct sqlite3_stmt *stmt, const char *format,
    va_list args)
{
	char text[TROUBLE_MAX];

	if (store->failed != DIAG_OK)
		return;
	(void)vsnprintf(text, sizeof(text), format, args);
	if (stmt != NULL)
		put_place(store, stmt);
	vis_put(&store->trouble, slice_of(text), SIZE_MAX);
	db_fail(store, DIAG_STORE_DAMAGED);
}

void
db_damaged(
    struct store *store, struct sqlite3_stmt *stmt, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_damaged(store, stmt, format, args);
	va_end(args);
}

void
store_damaged(struct store *store, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_damaged(store, NULL, format, args);
	va_end(args);
}

/* fail_step(store, stmt, code): in SQLite's words; NULL: it was not made. */
static void
fail_step(struct store *store, struct sqlite3_stmt *stmt, int code)
{
	if (schema_code(code) == DIAG_STORE_DAMAGED)
		db_damaged(store, stmt, "%s%s", stmt == NULL ? "file: " : "",
		    sqlite3_errmsg(store->db));
	else
		db_fail(store, schema_code(code));
}

void
db_fail_prepare(struct store *store, int code)
{
	fail_step(store, NULL, code);
}

struct sqlite3_stmt *
db_use(struct store *store, enum statement statement)
{
	struct sqlite3_stmt *stmt = store->statements[statement];

	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	return stmt;
}

static struct sqlite3_stmt *
prepare(struct store *store, enum statement statement)
{
	struct sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(
	    store->db, sql[statement], -1, 0, &stmt, NULL);

	if (code != SQLITE_OK)
		fail_step(store, NULL, code);
	return stmt;
}

struct sqlite3_stmt *
db_loop(struct store *store, enum statement statement)
{
	for (int i = 0; i < DB_LOOPS; i++) {
		struct sqlite3_stmt **stmt = &store->loops[statement][i];

		if (*stmt == NULL)
			*stmt = prepare(store, statement);
		if (*stmt == NULL)
			return NULL;
		if (!sqlite3_stmt_busy(*stmt)) {
			sqlite3_clear_bindings(*stmt);
			return *stmt;
		}
	}
	assert(false); /* loops within loops */
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
	if (stmt == NULL || store->failed != DIAG_OK)
		return false;
	int code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		return true;
	if (code != SQLITE_DONE)
		fail_step(store, stmt, code);
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
		db_run(store, db_use(store, SQL_BEGIN));
		store->is_writing = store->failed == DIAG_OK;
	}
	return store->is_writing;
}

bool
db_look_begin(struct store *store)
{
	if (store->failed != DIAG_OK || !sqlite3_get_autocommit(store->db))
		return false;
	db_run(store, db_use(store, SQL_LOOK));
	return store->failed == DIAG_OK;
}

void
db_look_end(struct store *store)
{
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

int64_t
db_last_id(const struct store *store)
{
	return sqlite3_last_insert_rowid(store->db);
}
