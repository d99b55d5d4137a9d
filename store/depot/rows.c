/* Rows as values: the tables, and lists of what a patchset says. */
#include "store/depot/rows.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/schema.h"

static_assert(ROWS_INTEGER == SQLITE_INTEGER && ROWS_REAL == SQLITE_FLOAT &&
	ROWS_TEXT == SQLITE_TEXT && ROWS_BLOB == SQLITE_BLOB &&
	ROWS_NULL == SQLITE_NULL,
    "the kinds have SQLite's numbers");

/* SQLite's own tables, such as those of statistics, are no rows of the store.
 */
static const char each_column[] =
    "SELECT m.name, i.name, i.type, i.pk, i.\"notnull\" OR i.pk > 0"
    " FROM sqlite_schema m JOIN pragma_table_info(m.name) i"
    " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
    " ORDER BY m.rowid, i.cid";

static enum rows_kind
rows_type(const char *declared)
{
	static const char *const names[] = {[ROWS_INTEGER] = "INTEGER",
	    [ROWS_REAL] = "REAL",
	    [ROWS_TEXT] = "TEXT",
	    [ROWS_BLOB] = "BLOB"};
	enum rows_kind type = ROWS_INTEGER;

	while (type < ROWS_NULL && strcmp(names[type], declared) != 0)
		type++;
	return type;
}

/* Add the column that the statement tells, and its table with the first one. */
static void
rows_add_column(struct rows_schema *schema, struct sqlite3_stmt *stmt)
{
	const char *name = (const char *)sqlite3_column_text(stmt, 0);
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
	column->type = rows_type((const char *)sqlite3_column_text(stmt, 2));
	column->key = sqlite3_column_int(stmt, 3);
	column->is_needed = sqlite3_column_int(stmt, 4) != 0;
	table->all |= bit;
	table->keys |= column->key > 0 ? bit : 0;
}

struct rows_schema *
rows_schema_new(void)
{
	struct rows_schema *schema = mem_zero(sizeof(*schema));
	struct schema made = schema_current;
	struct sqlite3_stmt *stmt = NULL;
	struct sqlite3 *db = NULL;
	int code = sqlite3_open(":memory:", &db);

	made.whole = schema_whole;
	if (code == SQLITE_OK && schema_migrate(db, &made) == DIAG_OK)
		code = sqlite3_prepare_v2(db, each_column, -1, &stmt, NULL);
	while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
		rows_add_column(schema, stmt);
	sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
	/* The session extension does not see tables without a primary key. */
	assert(schema->count > 0);
	for (size_t i = 0; i < schema->count; i++)
		assert(schema->tables[i].keys != 0);
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

/*
 * A patchset, read from the front.  For each table it has a header: 'P', the
 * number of columns, a byte for each column that tells whether it is part of
 * the primary key, the name of the table with a NUL.  Changes of its rows
 * follow: the operation, a byte that does not matter, and the cells; a cell is
 * its kind, then a number of 8 bytes, or a length and as many bytes.
 *
 * SQLite has made it a moment ago, in this process: a form that is unknown here
 * is one of a later SQLite.
 */
struct patch {
	const unsigned char *p, *end;
	bool is_cut; /* something went beyond the end; nothing is read then */
};

/* The next n bytes; NULL if there are fewer. */
static const unsigned char *
patch_take(struct patch *patch, size_t n)
{
	const unsigned char *p = patch->p;

	if ((size_t)(patch->end - p) < n)
		patch->is_cut = true;
	if (patch->is_cut)
		return NULL;
	patch->p += n;
	return p;
}

static unsigned
patch_byte(struct patch *patch)
{
	const unsigned char *p = patch_take(patch, 1);

	return p == NULL ? 0 : *p;
}

/* A number in groups of seven bits, the highest first; all but the last have
 * bit 8 set.  SQLite's numbers may be longer, but no length here is. */
static size_t
patch_length(struct patch *patch)
{
	size_t n = 0;

	for (int i = 0; i < 5; i++) {
		unsigned byte = patch_byte(patch);

		n = n << 7 | (byte & 0x7f);
		if ((byte & 0x80) == 0)
			return n;
	}
	patch->is_cut = true;
	return 0;
}

static int64_t
patch_number(struct patch *patch)
{
	const unsigned char *p = patch_take(patch, 8);
	uint64_t n = 0;

	for (int i = 0; p != NULL && i < 8; i++)
		n = n << 8 | p[i];
	return (int64_t)n;
}

/* Read a cell; false: it is undefined, since its column did not change. */
static bool
patch_cell(struct patch *patch, struct rows_cell *cell)
{
	unsigned kind = patch_byte(patch);
	int64_t number;

	if (kind == 0)
		return false;
	cell->kind = (enum rows_kind)kind;
	if (kind == ROWS_INTEGER) {
		cell->integer = patch_number(patch);
	} else if (kind == ROWS_REAL) {
		number = patch_number(patch);
		memcpy(&cell->real, &number, sizeof(cell->real));
	} else if (kind == ROWS_TEXT || kind == ROWS_BLOB) {
		cell->bytes.len = patch_length(patch);
		cell->bytes.p = (const char *)patch_take(
		    patch, cell->bytes.len);
	} else if (kind != ROWS_NULL) {
		patch->is_cut = true;
	}
	return true;
}

/* The table whose header is next; NULL: it is none of the schema's. */
static const struct rows_table *
patch_table(struct patch *patch, const struct rows_schema *schema)
{
	const struct rows_table *table;
	const unsigned char *keys;
	const char *name;
	size_t count;

	if (patch_byte(patch) != 'P')
		return NULL;
	count = patch_length(patch);
	keys = patch_take(patch, count);
	name = (const char *)patch->p;
	if (keys == NULL ||
	    memchr(name, '\0', (size_t)(patch->end - patch->p)) == NULL)
		return NULL;
	(void)patch_take(patch, strlen(name) + 1);
	table = rows_schema_table(schema, name);
	if (table == NULL || (size_t)table->count != count)
		return NULL;
	for (int i = 0; i < table->count; i++)
		if ((keys[i] != 0) != (table->columns[i].key > 0))
			return NULL;
	return table;
}

/* The rows of the list of that kind; those that were added last are looked at
 * first. */
static struct rows *
rows_list_find(struct rows_list *list, const struct rows_table *table,
    enum rows_operation operation, uint64_t columns)
{
	for (size_t i = list->count; i > 0; i--) {
		struct rows *rows = &list->items[i - 1];

		if (rows->table != table)
			break;
		if (rows->operation == operation && rows->columns == columns)
			return rows;
	}
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 1, sizeof(*list->items));
	list->items[list->count] = (struct rows){
	    .table = table, .operation = operation, .columns = columns};
	return &list->items[list->count++];
}

/* Read the change of one row of the table into the list. */
static bool
patch_row(
    struct patch *patch, const struct rows_table *table, struct rows_list *list)
{
	struct rows_cell cells[ROWS_COLUMNS_MAX];
	unsigned op = patch_byte(patch);
	enum rows_operation operation = op == SQLITE_DELETE ? ROWS_DELETE
	    : op == SQLITE_UPDATE                           ? ROWS_UPDATE
							    : ROWS_INSERT;
	uint64_t columns = 0;
	int width = 0;

	(void)patch_byte(patch); /* whether a trigger did it */
	for (int i = 0; i < table->count; i++) {
		if (operation == ROWS_DELETE && table->columns[i].key == 0)
			continue;
		if (!patch_cell(patch, &cells[width]))
			continue;
		columns |= ROWS_BIT(i);
		width++;
	}
	if (patch->is_cut || (op != SQLITE_INSERT && operation == ROWS_INSERT))
		return false;
	struct rows *rows = rows_list_find(list, table, operation, columns);
	size_t at = rows->count * (size_t)width;

	rows->width = width;
	rows->cells = mem_grow(
	    rows->cells, &rows->cap, at + (size_t)width, sizeof(*rows->cells));
	memcpy(rows->cells + at, cells, (size_t)width * sizeof(*cells));
	rows->count++;
	return true;
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

enum diag_code
rows_list_make(const struct rows_schema *schema, void *bytes, size_t size,
    struct rows_list **out)
{
	struct rows_list *list = mem_zero(sizeof(*list));
	/* SQLite gives NULL for nothing; NULL + 0 is undefined in C. */
	const unsigned char *p = bytes;
	struct patch patch = {.p = p, .end = size == 0 ? p : p + size};
	bool is_read = true;

	list->bytes = bytes;
	list->size = size;
	while (is_read && patch.p != patch.end) {
		const struct rows_table *table = patch_table(&patch, schema);

		is_read = table != NULL;
		while (is_read && patch.p != patch.end && *patch.p != 'P')
			is_read = patch_row(&patch, table, list);
	}
	if (!is_read) {
		rows_list_free(list);
		*out = NULL;
		return DIAG_STORE_DAMAGED;
	}
	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items),
		    rows_by_table);
	*out = list;
	return DIAG_OK;
}

void
rows_list_free(struct rows_list *list)
{
	if (list == NULL)
		return;
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].cells);
	free(list->items);
	sqlite3_free(list->bytes);
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
