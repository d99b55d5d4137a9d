/* Reading all rows, and writing rows: SQL is made from the tables. */
#include "store/depot/filler.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/schema.h"

struct sqlite3_stmt *
rows_select(struct sqlite3 *db, const struct rows_table *table)
{
	struct sqlite3_stmt *stmt = NULL;
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&sql, "SELECT ");
	rows_put_names(&sql, table, table->all);
	(void)buf_print(&sql, " FROM \"%s\" ORDER BY ", table->name);
	rows_put_key(&sql, table);
	(void)sqlite3_prepare_v2(db, buf_str(&sql), -1, &stmt, NULL);
	buf_release(&sql);
	return stmt;
}

enum diag_code
rows_each(struct sqlite3 *db, const struct rows_schema *schema, rows_fn *fn,
    void *arg)
{
	struct rows_cell cells[ROWS_COLUMNS_MAX];
	enum diag_code code = DIAG_OK;

	for (size_t i = 0; code == DIAG_OK && i < schema->count; i++) {
		const struct rows_table *table = &schema->tables[i];
		struct sqlite3_stmt *stmt = rows_select(db, table);
		struct rows row = {.table = table,
		    .operation = ROWS_INSERT,
		    .columns = table->all,
		    .width = table->count,
		    .count = 1,
		    .cells = cells};

		while (code == DIAG_OK && stmt != NULL &&
		    sqlite3_step(stmt) == SQLITE_ROW) {
			for (int k = 0; k < table->count; k++)
				cells[k] = rows_cell_of(stmt, k);
			code = fn(arg, &row);
		}
		if (code == DIAG_OK)
			code = schema_code(sqlite3_errcode(db));
		sqlite3_finalize(stmt);
	}
	return code;
}

struct filler {
	struct sqlite3 *db;
	const struct rows_schema *schema;
	int had_references; /* did SQLite check them before? */
	const struct rows_table *table; /* of the last row; NULL: of none */
	struct sqlite3_stmt *insert; /* owned; into it */
	struct buf why;
};

struct filler *
filler_new(struct sqlite3 *db, const struct rows_schema *schema)
{
	struct filler *filler = mem_zero(sizeof(*filler));

	assert(sqlite3_get_autocommit(db));
	filler->db = db;
	filler->schema = schema;
	(void)sqlite3_db_config(
	    db, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &filler->had_references);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
	return filler;
}

/* End the transaction, and say why; it may have ended by itself. */
static enum diag_code
filler_fail(struct filler *filler, const char *what, int sqlite_code)
{
	enum diag_code code = schema_code(sqlite_code);

	buf_clear(&filler->why);
	(void)buf_print(
	    &filler->why, "%s: %s", what, sqlite3_errmsg(filler->db));
	(void)sqlite3_reset(filler->insert);
	if (!sqlite3_get_autocommit(filler->db))
		(void)sqlite3_exec(filler->db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

void
filler_free(struct filler *filler)
{
	if (filler == NULL)
		return;
	sqlite3_finalize(filler->insert);
	if (!sqlite3_get_autocommit(filler->db))
		(void)sqlite3_exec(filler->db, "ROLLBACK", NULL, NULL, NULL);
	(void)sqlite3_db_config(filler->db, SQLITE_DBCONFIG_ENABLE_FKEY,
	    filler->had_references, NULL);
	buf_release(&filler->why);
	free(filler);
}

const char *
filler_why(struct filler *filler)
{
	return buf_str(&filler->why);
}

/* Prepare for rows of that table. */
static int
filler_prepare(struct filler *filler, const struct rows_table *table)
{
	struct buf sql = BUF_UP_TO(SIZE_MAX);
	int code;

	if (filler->table == table)
		return SQLITE_OK;
	sqlite3_finalize(filler->insert);
	(void)buf_print(&sql, "INSERT INTO \"%s\" (", table->name);
	rows_put_names(&sql, table, table->all);
	for (int i = 1; i <= table->count; i++)
		(void)buf_print(&sql, "%s?%d", i == 1 ? ") VALUES (" : ", ", i);
	(void)buf_put_char(&sql, ')');
	code = sqlite3_prepare_v3(filler->db, buf_str(&sql), -1,
	    SQLITE_PREPARE_PERSISTENT, &filler->insert, NULL);
	filler->table = code == SQLITE_OK ? table : NULL;
	buf_release(&sql);
	return code;
}

static int
filler_bind(struct sqlite3_stmt *stmt, int i, const struct rows_cell *cell)
{
	if (cell->kind == ROWS_INTEGER)
		return sqlite3_bind_int64(stmt, i, cell->integer);
	if (cell->kind == ROWS_REAL)
		return sqlite3_bind_double(stmt, i, cell->real);
	if (cell->kind == ROWS_NULL)
		return sqlite3_bind_null(stmt, i);
	/* a NULL pointer would be NULL, and not empty */
	const char *p = cell->bytes.len == 0 ? "" : cell->bytes.p;

	if (cell->kind == ROWS_BLOB)
		return sqlite3_bind_blob64(
		    stmt, i, p, cell->bytes.len, SQLITE_STATIC);
	return sqlite3_bind_text64(
	    stmt, i, p, cell->bytes.len, SQLITE_STATIC, SQLITE_UTF8);
}

enum diag_code
filler_begin(struct filler *filler)
{
	int code = sqlite3_exec(
	    filler->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < filler->schema->count; i++)
		(void)buf_print(&sql, "DELETE FROM \"%s\";",
		    filler->schema->tables[i].name);
	if (code == SQLITE_OK)
		code = sqlite3_exec(
		    filler->db, buf_str(&sql), NULL, NULL, NULL);
	buf_release(&sql);
	return code == SQLITE_OK ? DIAG_OK : filler_fail(filler, "begin", code);
}

enum diag_code
filler_put(void *arg, const struct rows *row)
{
	struct filler *filler = arg;
	int code = filler_prepare(filler, row->table);
	char what[128];

	for (int i = 0; code == SQLITE_OK && i < row->width; i++)
		code = filler_bind(filler->insert, i + 1, &row->cells[i]);
	if (code == SQLITE_OK && sqlite3_step(filler->insert) != SQLITE_DONE)
		code = sqlite3_extended_errcode(filler->db);
	if (code == SQLITE_OK)
		code = sqlite3_reset(filler->insert);
	if (code == SQLITE_OK)
		return DIAG_OK;
	(void)snprintf(what, sizeof(what), "INSERT of %s", row->table->name);
	return filler_fail(filler, what, code);
}

enum diag_code
filler_commit(struct filler *filler)
{
	int code = sqlite3_exec(filler->db, "COMMIT", NULL, NULL, NULL);

	return code == SQLITE_OK ? DIAG_OK
				 : filler_fail(filler, "commit", code);
}
