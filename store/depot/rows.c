/* Rows as values: the tables, and lists of what a COMMIT changed. */
#include "store/depot/rows.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/schema.h"

#define PIECE_BYTES 65536 /* of what cells point to */

static_assert(ROWS_INTEGER == SQLITE_INTEGER && ROWS_REAL == SQLITE_FLOAT &&
	ROWS_TEXT == SQLITE_TEXT && ROWS_BLOB == SQLITE_BLOB &&
	ROWS_NULL == SQLITE_NULL,
    "the kinds have SQLite's numbers");

/* SQLite's own tables, such as those of statistics, are none of the store. */
static const char each_column[] =
    "SELECT m.name, i.name, i.type, i.pk"
    " FROM sqlite_schema m JOIN pragma_table_info(m.name) i"
    " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
    " ORDER BY m.rowid, i.cid";

/* Add the column that the statement tells, and its table with the first one. */
static void
rows_add_column(struct rows_schema *schema, struct sqlite3_stmt *stmt)
{
	static const char *const types[] = {[ROWS_INTEGER] = "INTEGER",
	    [ROWS_REAL] = "REAL",
	    [ROWS_TEXT] = "TEXT",
	    [ROWS_BLOB] = "BLOB"};
	const char *name = (const char *)sqlite3_column_text(stmt, 0);
	struct slice type = slice_of(
	    (const char *)sqlite3_column_text(stmt, 2));
	size_t count = schema->count;
	struct rows_table *table;

	if (count == 0 || strcmp(schema->tables[count - 1].name, name) != 0) {
		schema->tables = mem_resize(
		    schema->tables, ++schema->count * sizeof(*schema->tables));
		schema->tables[count++] = (struct rows_table){
		    .name = mem_copy(name),
		    .columns = mem_zero(
			ROWS_COLUMNS_MAX * sizeof(struct rows_column))};
	}
	table = &schema->tables[count - 1];
	assert(table->count < ROWS_COLUMNS_MAX);
	uint64_t bit = ROWS_BIT(table->count);
	struct rows_column *column = &table->columns[table->count++];

	column->name = mem_copy((const char *)sqlite3_column_text(stmt, 1));
	for (column->type = ROWS_INTEGER;
	     column->type < ROWS_NULL && !slice_is(type, types[column->type]);)
		column->type++;
	column->key = sqlite3_column_int(stmt, 3);
	table->all |= bit;
	table->keys |= column->key > 0 ? bit : 0;
}

struct rows_schema *
rows_schema_of(struct sqlite3 *db)
{
	struct rows_schema *schema = mem_zero(sizeof(*schema));
	struct sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(db, each_column, -1, &stmt, NULL);

	while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
		rows_add_column(schema, stmt);
	sqlite3_finalize(stmt);
	/* Each row can be named. */
	assert(schema->count > 0);
	for (size_t i = 0; i < schema->count; i++)
		assert(schema->tables[i].keys != 0);
	return schema;
}

struct rows_schema *
rows_schema_new(void)
{
	struct schema made = schema_current;
	struct rows_schema *schema;
	struct sqlite3 *db = NULL;

	made.whole = schema_whole;
	(void)sqlite3_open(":memory:", &db);
	(void)schema_migrate(db, &made);
	schema = rows_schema_of(db);
	(void)sqlite3_close(db);
	return schema;
}

void
rows_schema_free(struct rows_schema *schema)
{
	if (schema == NULL)
		return;
	for (size_t i = 0; i < schema->count; i++) {
		struct rows_table *table = &schema->tables[i];

		for (int k = 0; k < table->count; k++)
			free(table->columns[k].name);
		free(table->columns);
		free(table->name);
	}
	free(schema->tables);
	free(schema);
}

const struct rows_table *
rows_schema_table(const struct rows_schema *schema, const char *name)
{
	for (size_t i = 0; i < schema->count; i++)
		if (strcmp(schema->tables[i].name, name) == 0)
			return &schema->tables[i];
	return NULL;
}

void
rows_put_each(struct buf *sql, const struct rows_table *table, uint64_t columns,
    const char *form, const char *between)
{
	size_t start = sql->len;

	for (int i = 0; i < table->count; i++) {
		if ((columns & ROWS_BIT(i)) == 0)
			continue;
		(void)buf_print(sql, "%s", sql->len > start ? between : "");
		for (const char *p = form; *p != '\0'; p++)
			if (*p == '?')
				(void)buf_print(
				    sql, "\"%s\"", table->columns[i].name);
			else
				(void)buf_put_char(sql, *p);
	}
}

void
rows_put_names(
    struct buf *sql, const struct rows_table *table, uint64_t columns)
{
	rows_put_each(sql, table, columns, "?", ", ");
}

void
rows_put_key(struct buf *sql, const struct rows_table *table)
{
	const char *before = "";

	for (int key = 1; key <= table->count; key++)
		for (int i = 0; i < table->count; i++)
			if (table->columns[i].key == key) {
				(void)buf_print(sql, "%s\"%s\"", before,
				    table->columns[i].name);
				before = ", ";
			}
}

void
rows_list_add(struct rows_list *list, const struct rows_table *table,
    enum rows_operation operation, uint64_t columns,
    const struct rows_cell *cells)
{
	struct rows *rows = NULL;
	size_t at;

	/* rows to which the same is done; those of the last table are last */
	for (size_t i = list->count; i > 0 && rows == NULL; i--) {
		if (list->items[i - 1].table != table)
			break;
		if (list->items[i - 1].operation == operation &&
		    list->items[i - 1].columns == columns)
			rows = &list->items[i - 1];
	}
	if (rows == NULL) {
		rows = MEM_PUSH(list->items, list->count, list->cap);
		*rows = (struct rows){.table = table,
		    .operation = operation,
		    .columns = columns,
		    .width = __builtin_popcountll(columns)};
	}
	at = rows->count++ * (size_t)rows->width;
	rows->cells = mem_grow(rows->cells, &rows->cap,
	    at + (size_t)rows->width, sizeof(*rows->cells));
	for (int i = 0; i < table->count; i++)
		if ((columns & ROWS_BIT(i)) != 0)
			rows->cells[at++] = cells[i];
}

static int
rows_by_table(const void *a, const void *b)
{
	const struct rows *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if (x->operation != y->operation)
		return x->operation < y->operation ? -1 : 1;
	return x->columns < y->columns ? -1 : x->columns > y->columns;
}

void
rows_list_sort(struct rows_list *list)
{
	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items),
		    rows_by_table);
}

struct slice
rows_list_keep(struct rows_list *list, struct slice bytes)
{
	size_t size = bytes.len > PIECE_BYTES ? bytes.len : PIECE_BYTES;
	char *kept;

	if (bytes.len == 0)
		return slice_of("");
	if (bytes.len > list->left) {
		*MEM_PUSH(list->pieces, list->piece_count,
		    list->piece_cap) = list->free = mem_alloc(size);
		list->left = size;
	}
	kept = list->free;
	memcpy(kept, bytes.p, bytes.len);
	list->free = kept + bytes.len;
	list->left -= bytes.len;
	return slice_make(kept, bytes.len);
}

void
rows_list_free(struct rows_list *list)
{
	if (list == NULL)
		return;
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].cells);
	free(list->items);
	for (size_t i = 0; i < list->piece_count; i++)
		free(list->pieces[i]);
	free(list->pieces);
	free(list);
}

struct rows_cell
rows_cell_of(struct sqlite3_stmt *stmt, int column)
{
	int kind = sqlite3_column_type(stmt, column);
	struct rows_cell cell = {.kind = (enum rows_kind)kind};

	if (kind == SQLITE_INTEGER) {
		cell.integer = sqlite3_column_int64(stmt, column);
	} else if (kind == SQLITE_FLOAT) {
		cell.real = sqlite3_column_double(stmt, column);
	} else if (kind != SQLITE_NULL) {
		cell.bytes.p = sqlite3_column_blob(stmt, column);
		cell.bytes.len = (size_t)sqlite3_column_bytes(stmt, column);
	}
	return cell;
}
