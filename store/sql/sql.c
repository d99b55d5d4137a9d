/* Queries over the public tables. */
#include "store/sql/sql.h"

#include <assert.h>
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/sql/public.h"

SQLITE_EXTENSION_INIT3

/* SQLite's authorizer: actions that read are allowed, by name, nothing else. */
static int
authorize(void *arg, int action, const char *one, const char *two,
    const char *database, const char *view)
{
	/* PRAGMAs that change nothing: those that tell of a table, and those
	 * that tell without a value. */
	static const char *const of_names[] = {"table_info", "table_xinfo",
	    "table_list", "index_list", "index_info", "index_xinfo"};
	static const char *const alone[] = {"user_version", "application_id",
	    "page_count", "page_size", "freelist_count", "journal_mode",
	    "compile_options", "function_list", "module_list", "pragma_list",
	    "database_list", "collation_list", "table_list"};

	(void)arg;
	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return strcmp(two, "load_extension") == 0 ? SQLITE_DENY
							  : SQLITE_OK;
	case SQLITE_PRAGMA:
		for (size_t i = 0; i < LENGTH(of_names); i++)
			if (strcmp(one, of_names[i]) == 0)
				return SQLITE_OK;
		for (size_t i = 0; two == NULL && i < LENGTH(alone); i++)
			if (strcmp(one, alone[i]) == 0)
				return SQLITE_OK;
		return SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* Set `why` to a line of our text and foreign text. */
static void
put_line(struct buf *why, const char *before, const char *text)
{
	buf_clear(why);
	(void)buf_print(why, "%s", before);
	vis_put(why, slice_of(text), SIZE_MAX);
}

static const char only_reads[] =
    "a query may only read: SELECT, VALUES, WITH, EXPLAIN, and PRAGMAs that "
    "only tell";

/* Is the query or the store to blame for a code? */
static enum sql_result
judge(struct sql *sql, int code, struct buf *why)
{
	put_line(why, "", sqlite3_errmsg(sql->db));
	switch (code & 0xff) {
	case SQLITE_AUTH:
		put_line(why, "", only_reads);
		return SQL_IS_WRONG;
	case SQLITE_ERROR:
	case SQLITE_TOOBIG:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
	case SQLITE_CONSTRAINT:
		return SQL_IS_WRONG;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		sql->failure = DIAG_STORE_LOCKED;
		return SQL_IS_FAILED;
	default:
		sql->failure = schema_code(code);
		/* SQLite does not tell which table is damaged. */
		if (code != SQLITE_CORRUPT_VTAB)
			put_line(why, "file: ", sqlite3_errmsg(sql->db));
		return SQL_IS_FAILED;
	}
}

/* Make the tables, and begin a snapshot that lasts as long as the store. */
static int
set_up(struct sqlite3 *db)
{
	/* A sort of millions of rows must not take as much memory. */
	int code = sqlite3_exec(db,
	    "PRAGMA query_only = OFF; PRAGMA temp_store = FILE", NULL, NULL,
	    NULL);

	if (code == SQLITE_OK)
		code = vtab_register(db);
	/* The virtual tables are declared when a query first names them, which
	 * must be before the connection may only read. */
	if (code == SQLITE_OK)
		code = sqlite3_exec(db,
		    "SELECT 1 FROM url, index_url, change, index_change"
		    " WHERE 0",
		    NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(
		    db, "PRAGMA query_only = ON; BEGIN", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_set_authorizer(db, authorize, NULL);
	return code;
}

static enum sql_result
prepare(struct sql *sql, const char *query, struct buf *why)
{
	const char *rest = NULL;
	int code = sqlite3_prepare_v3(sql->db, query, -1, 0, &sql->stmt, &rest);

	sql->columns = sqlite3_column_count(sql->stmt);
	if (code != SQLITE_OK)
		return judge(sql, code, why);
	if (sql->columns == 0) {
		put_line(why, "",
		    sql->stmt == NULL ? "the query is empty" : only_reads);
		return SQL_IS_WRONG;
	}
	/* White space, semicolons and comments may follow. */
	struct sqlite3_stmt *next = NULL;

	code = sqlite3_prepare_v3(sql->db, rest, -1, 0, &next, NULL);
	(void)sqlite3_finalize(next);
	if (code != SQLITE_OK || next != NULL) {
		put_line(
		    why, "", "one statement only: something follows the ';'");
		return SQL_IS_WRONG;
	}
	if (sqlite3_bind_parameter_count(sql->stmt) > 0) {
		put_line(
		    why, "", "a query has no parameters: put the value in");
		return SQL_IS_WRONG;
	}
	return SQL_IS_DONE;
}

enum sql_result
sql_begin(
    struct store *store, struct slice query, struct sql **out, struct buf *why)
{
	struct sql *sql = mem_zero(sizeof(*sql));
	enum sql_result result = SQL_IS_DONE;
	char *text = slice_dup(query);
	int code;

	assert(store->is_read_only);
	sql->db = store->db;
	*out = sql;
	code = set_up(sql->db);
	if (code != SQLITE_OK)
		result = judge(sql, code, why);
	if (result == SQL_IS_DONE && strlen(text) != query.len) {
		put_line(why, "", "the query holds a byte of zero");
		result = SQL_IS_WRONG;
	}
	if (result == SQL_IS_DONE)
		result = prepare(sql, text, why);
	free(text);
	return result;
}

enum sql_result
sql_step(struct sql *sql, struct buf *why)
{
	int code = sqlite3_step(sql->stmt);

	if (code == SQLITE_ROW)
		return SQL_IS_ROW;
	return code == SQLITE_DONE ? SQL_IS_DONE : judge(sql, code, why);
}

void
sql_end(struct sql *sql)
{
	if (sql == NULL)
		return;
	(void)sqlite3_finalize(sql->stmt);
	free(sql);
}

struct slice
sql_name(const struct sql *sql, int column)
{
	return slice_of(sqlite3_column_name(sql->stmt, column));
}

struct sql_value
sql_value(const struct sql *sql, int column)
{
	struct sql_value value = {.type = SQL_IS_TEXT};
	const void *p;

	switch (sqlite3_column_type(sql->stmt, column)) {
	case SQLITE_NULL:
		value.type = SQL_IS_NULL;
		return value;
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		value.type = SQL_IS_NUMBER;
		break;
	case SQLITE_BLOB:
		value.type = SQL_IS_BLOB;
		break;
	}
	p = value.type == SQL_IS_BLOB
	    ? sqlite3_column_blob(sql->stmt, column)
	    : (const void *)sqlite3_column_text(sql->stmt, column);
	value.text = slice_make(
	    p, (size_t)sqlite3_column_bytes(sql->stmt, column));
	return value;
}
