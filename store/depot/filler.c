/* Reading all rows, and writing rows: SQL is made from the tables themselves.
 */
#include "store/depot/filler.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/schema.h"

/* Append the columns that are shown, each with its parameter: the i-th of the
 * set of columns has parameter i. */
static void
filler_put_parameters(struct buf *sql, const struct rows *rows, uint64_t shown,
    const char *between)
{
	const char *before = "";
	int parameter = 0;

	for (int i = 0; i < rows->table->count; i++) {
		parameter += (rows->columns & ROWS_BIT(i)) != 0;
		if ((shown & ROWS_BIT(i)) == 0)
			continue;
		(void)buf_print(sql, "%s\"%s\" = ?%d", before,
		    rows->table->columns[i].name, parameter);
		before = between;
	}
}

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

/* A statement of a filler, and for which rows it is. */
struct filling {
	const struct rows_table *table;
	enum rows_operation operation;
	uint64_t columns;
	struct sqlite3_stmt *stmt; /* owned */
};

struct filler {
	struct sqlite3 *db;
	const struct rows_schema *schema;
	int had_references; /* did SQLite check them before? */
	struct filling *items; /* owned */
	size_t count, cap;
	struct buf why;
};

struct filler *
filler_new(struct sqlite3 *db, const struct rows_schema *schema)
{
	struct filler *filler = mem_zero(sizeof(*filler));

	assert(sqlite3_get_autocommit(db));
	filler->db = db;
	filler->schema = schema;
	buf_init(&filler->why, SIZE_MAX);
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
	(void)buf_print(&filler->why, "%s: %s", what,
	    sqlite_code == SQLITE_NOTFOUND ? "the row is not there"
					   : sqlite3_errmsg(filler->db));
	for (size_t i = 0; i < filler->count; i++)
		(void)sqlite3_reset(filler->items[i].stmt);
	if (!sqlite3_get_autocommit(filler->db))
		(void)sqlite3_exec(filler->db, "ROLLBACK", NULL, NULL, NULL);
	return code;
}

void
filler_free(struct filler *filler)
{
	if (filler == NULL)
		return;
	for (size_t i = 0; i < filler->count; i++)
		sqlite3_finalize(filler->items[i].stmt);
	free(filler->items);
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

/* The statement that does what the rows say; NULL: it cannot be prepared. */
static struct sqlite3_stmt *
filler_statement(struct filler *filler, const struct rows *rows)
{
	const struct rows_table *table = rows->table;
	struct filling filling = {.table = table,
	    .operation = rows->operation,
	    .columns = rows->columns};
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < filler->count; i++)
		if (filler->items[i].table == table &&
		    filler->items[i].operation == rows->operation &&
		    filler->items[i].columns == rows->columns)
			return filler->items[i].stmt;
	switch (rows->operation) {
	case ROWS_DELETE:
		(void)buf_print(&sql, "DELETE FROM \"%s\"", table->name);
		break;
	case ROWS_UPDATE:
		(void)buf_print(&sql, "UPDATE \"%s\" SET ", table->name);
		filler_put_parameters(
		    &sql, rows, rows->columns & ~table->keys, ", ");
		break;
	case ROWS_INSERT:
		(void)buf_print(&sql, "INSERT INTO \"%s\" (", table->name);
		rows_put_names(&sql, table, rows->columns);
		for (int i = 1; i <= rows->width; i++)
			(void)buf_print(
			    &sql, "%s?%d", i == 1 ? ") VALUES (" : ", ", i);
		(void)buf_print(&sql, ")");
		break;
	}
	if (rows->operation != ROWS_INSERT) {
		(void)buf_print(&sql, " WHERE ");
		filler_put_parameters(&sql, rows, table->keys, " AND ");
	}
	(void)sqlite3_prepare_v3(filler->db, buf_str(&sql), -1,
	    SQLITE_PREPARE_PERSISTENT, &filling.stmt, NULL);
	buf_release(&sql);
	if (filling.stmt == NULL)
		return NULL;
	*MEM_PUSH(filler->items, filler->count, filler->cap) = filling;
	return filling.stmt;
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
filler_begin(struct filler *filler, bool is_emptied)
{
	int code = sqlite3_exec(
	    filler->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	for (size_t i = 0;
	     code == SQLITE_OK && is_emptied && i < filler->schema->count;
	     i++) {
		struct sqlite3_stmt *stmt = NULL;
		struct buf sql = BUF_UP_TO(SIZE_MAX);

		(void)buf_print(
		    &sql, "DELETE FROM \"%s\"", filler->schema->tables[i].name);
		code = sqlite3_prepare_v2(
		    filler->db, buf_str(&sql), -1, &stmt, NULL);
		if (code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE)
			code = sqlite3_extended_errcode(filler->db);
		sqlite3_finalize(stmt);
		buf_release(&sql);
	}
	return code == SQLITE_OK ? DIAG_OK : filler_fail(filler, "begin", code);
}

enum diag_code
filler_put(struct filler *filler, const struct rows *rows)
{
	static const char *const words[] = {"DELETE", "UPDATE", "INSERT"};
	struct sqlite3_stmt *stmt = filler_statement(filler, rows);
	const struct rows_cell *cell = rows->cells;
	int code = stmt == NULL ? sqlite3_extended_errcode(filler->db)
				: SQLITE_OK;
	char what[128];

	for (size_t n = 0; code == SQLITE_OK && n < rows->count; n++) {
		for (int i = 1; code == SQLITE_OK && i <= rows->width; i++)
			code = filler_bind(stmt, i, cell++);
		if (code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE)
			code = sqlite3_extended_errcode(filler->db);
		else if (code == SQLITE_OK &&
		    sqlite3_changes64(filler->db) != 1)
			code = SQLITE_NOTFOUND;
		if (code == SQLITE_OK)
			code = sqlite3_reset(stmt);
	}
	if (code == SQLITE_OK)
		return DIAG_OK;
	(void)snprintf(what, sizeof(what), "%s of %s", words[rows->operation],
	    rows->table->name);
	return filler_fail(filler, what, code);
}

enum diag_code
filler_commit(struct filler *filler)
{
	int code = sqlite3_exec(filler->db, "COMMIT", NULL, NULL, NULL);

	return code == SQLITE_OK ? DIAG_OK
				 : filler_fail(filler, "commit", code);
}
