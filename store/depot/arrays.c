/* Tables, binary arrays and binary rows of PostgreSQL. */
#include "store/depot/arrays.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/vis.h"

/* OIDs of pg_type.dat, which never change. */
static const struct {
	const char *name;
	uint32_t oid, array_oid;
} arrays_types[] = {
    [ROWS_INTEGER] = {"bigint", 20, 1016},
    [ROWS_REAL] = {"double precision", 701, 1022},
    [ROWS_TEXT] = {"text", 25, 1009},
    [ROWS_BLOB] = {"bytea", 17, 1001},
};
#define INTEGER_OID 23 /* of the shard: integer */

void
arrays_ddl(struct buf *sql, const struct rows_schema *schema)
{
	/* A COMMIT often changes all rows of a page of the server, which should
	 * have room for their next versions; what is written once stays in its
	 * row if it fits into a page. */
	static const struct {
		const char *table, *with;
	} kept[] = {{"state", "fillfactor = 50"},
	    {"document", "fillfactor = 50"}, {"learned", "fillfactor = 50"},
	    {"origin", "fillfactor = 50"}, {"proof", "fillfactor = 50"},
	    {"request_log", "fillfactor = 50"}, {"site", "fillfactor = 50"},
	    {"segment", "toast_tuple_target = 8160"},
	    {"delta", "toast_tuple_target = 8160"},
	    {"block_index", "toast_tuple_target = 8160"}};

	for (size_t i = 0; i < schema->count; i++) {
		const struct rows_table *table = &schema->tables[i];

		(void)buf_print(sql,
		    "CREATE TABLE \"%s\" (shard integer NOT NULL", table->name);
		for (int k = 0; k < table->count; k++)
			(void)buf_print(sql, ", \"%s\" %s%s",
			    table->columns[k].name,
			    arrays_types[table->columns[k].type].name,
			    /* bytes are compared, as SQLite does it */
			    table->columns[k].type == ROWS_TEXT
				? " COLLATE \"C\""
				: "");
		(void)buf_print(sql, ", PRIMARY KEY (shard, ");
		rows_put_key(sql, table);
		(void)buf_print(sql, "))");
		for (size_t k = 0; k < LENGTH(kept); k++)
			if (strcmp(kept[k].table, table->name) == 0)
				(void)buf_print(
				    sql, " WITH (%s)", kept[k].with);
		(void)buf_print(sql, ";\n");
		/* The store has compressed these already. */
		for (int k = 0; k < table->count; k++)
			if (table->columns[k].type == ROWS_BLOB)
				(void)buf_print(sql,
				    "ALTER TABLE \"%s\" ALTER COLUMN "
				    "\"%s\" SET STORAGE EXTERNAL;\n",
				    table->name, table->columns[k].name);
	}
}

/* Statements. */

static void
arrays_put_number(struct buf *out, uint64_t number, int bytes)
{
	char all[8];

	for (int i = 0; i < 8; i++)
		all[i] = (char)(number >> (8 * (7 - i)));
	(void)buf_put(out, all + 8 - bytes, (size_t)bytes);
}

/* Append text that PostgreSQL takes; false: bytes of it had to be replaced. */
static bool
arrays_put_text(struct buf *out, struct slice text)
{
	if (memchr(text.p, '\0', text.len) == NULL && vis_is_utf8(text)) {
		(void)buf_put_slice(out, text);
		return true;
	}
	for (size_t i = 0, n; i < text.len; i += n) {
		/* a character of n bytes begins here, or none */
		for (n = 1; n <= 4 && n <= text.len - i; n++)
			if (vis_is_utf8(slice_make(text.p + i, n)))
				break;
		if (n <= 4 && n <= text.len - i && text.p[i] != '\0') {
			(void)buf_put(out, text.p + i, n);
		} else {
			(void)buf_put_slice(out, slice_of("\xef\xbf\xbd"));
			n = 1;
		}
	}
	return false;
}

/* Append a cell with its length; false: bytes of text had to be replaced. */
static bool
arrays_put_cell(struct buf *out, const struct rows_cell *cell)
{
	size_t from = out->len, length;
	bool is_whole = true;
	uint64_t number;

	if (cell->kind == ROWS_NULL) {
		arrays_put_number(out, UINT32_MAX, 4);
		return true;
	}
	if (cell->kind == ROWS_INTEGER || cell->kind == ROWS_REAL) {
		memcpy(&number, &cell->integer, sizeof(number));
		if (cell->kind == ROWS_REAL)
			memcpy(&number, &cell->real, sizeof(number));
		arrays_put_number(out, 8, 4);
		arrays_put_number(out, number, 8);
		return true;
	}
	arrays_put_number(out, 0, 4);
	if (cell->bytes.len > 0 && cell->kind == ROWS_BLOB)
		(void)buf_put_slice(out, cell->bytes);
	else if (cell->bytes.len > 0)
		is_whole = arrays_put_text(out, cell->bytes);
	length = out->len - from - 4;
	for (int i = 0; i < 4; i++)
		out->p[from + (size_t)i] = (char)(length >> (24 - 8 * i));
	return is_whole;
}

/* The array of one column of the rows; `at` is its place in each row. */
static size_t
arrays_add(
    struct arrays *arrays, const struct rows *rows, int at, enum rows_kind type)
{
	size_t replaced = 0;
	struct buf out = BUF_UP_TO(INT_MAX);

	arrays_put_number(&out, 1, 4); /* dimensions */
	arrays_put_number(&out, 1, 4); /* there may be NULL */
	arrays_put_number(&out, arrays_types[type].oid, 4);
	arrays_put_number(&out, rows->count, 4);
	arrays_put_number(&out, 1, 4); /* the index of the first */
	for (size_t i = 0; i < rows->count; i++) {
		const struct rows_cell
		    *cell = &rows->cells[i * (size_t)rows->width + (size_t)at];

		assert(cell->kind == type || cell->kind == ROWS_NULL);
		replaced += !arrays_put_cell(&out, cell);
	}
	arrays->types[arrays->count] = arrays_types[type].array_oid;
	arrays->lengths[arrays->count] = (int)out.len;
	arrays->bytes += out.len;
	arrays->values[arrays->count++] = buf_take(&out);
	buf_release(&out);
	return replaced;
}

size_t
arrays_make(struct arrays *arrays, const struct rows *rows, uint32_t shard)
{
	const struct rows_table *table = rows->table;
	size_t replaced = 0;
	struct buf sql = BUF_UP_TO(SIZE_MAX);
	int at = 0;

	*arrays = (struct arrays){.count = 1, .rows = rows->count};
	arrays_put_number(&sql, shard, 4);
	arrays->types[0] = INTEGER_OID;
	arrays->lengths[0] = (int)sql.len;
	arrays->values[0] = buf_take(&sql);
	for (int i = 0; i < table->count; i++)
		if ((rows->columns & ROWS_BIT(i)) != 0)
			replaced += arrays_add(
			    arrays, rows, at++, table->columns[i].type);

	switch (rows->operation) {
	case ROWS_DELETE:
		(void)buf_print(&sql, "DELETE FROM freshet.\"%s\" AS t USING (",
		    table->name);
		break;
	case ROWS_UPDATE:
		(void)buf_print(
		    &sql, "UPDATE freshet.\"%s\" AS t SET ", table->name);
		rows_put_each(
		    &sql, table, rows->columns & ~table->keys, "? = u.?", ", ");
		(void)buf_print(&sql, " FROM (");
		break;
	case ROWS_INSERT:
		(void)buf_print(
		    &sql, "INSERT INTO freshet.\"%s\" (shard, ", table->name);
		rows_put_names(&sql, table, rows->columns);
		(void)buf_print(&sql, ") ");
		break;
	}
	/* Arrays in the list of columns go in step, row by row; in FROM, each
	 * of them would be stored on its own first. */
	(void)buf_print(&sql, "SELECT $1 AS shard");
	at = 2;
	for (int i = 0; i < table->count; i++)
		if ((rows->columns & ROWS_BIT(i)) != 0)
			(void)buf_print(&sql, ", unnest($%d) AS \"%s\"", at++,
			    table->columns[i].name);
	/* OFFSET 0 hides that the shard is one: the planner, which has no
	 * figures of a new table, would else look through all of the shard. */
	if (rows->operation != ROWS_INSERT) {
		(void)buf_print(
		    &sql, " OFFSET 0) AS u WHERE t.shard = u.shard AND ");
		rows_put_each(&sql, table, table->keys, "t.? = u.?", " AND ");
	}
	arrays->sql = buf_take(&sql);
	buf_release(&sql);
	return replaced;
}

void
arrays_release(struct arrays *arrays)
{
	for (int i = 0; i < arrays->count; i++)
		free(arrays->values[i]);
	free(arrays->sql);
	*arrays = (struct arrays){0};
}

/* COPY. */

void
arrays_copy_out(struct buf *sql, const struct rows_table *table, uint32_t shard)
{
	(void)buf_print(sql, "COPY (SELECT ");
	rows_put_names(sql, table, table->all);
	(void)buf_print(sql, " FROM freshet.\"%s\" WHERE shard = %u ORDER BY ",
	    table->name, shard);
	rows_put_key(sql, table);
	(void)buf_print(sql, ") TO STDOUT (FORMAT binary)");
}

static const char arrays_signature[11] = "PGCOPY\n\377\r\n";

/* A number of so many bytes, the highest first; false: there are fewer. */
static bool
arrays_take(struct slice *bytes, int count, uint64_t *number)
{
	*number = 0;
	if (bytes->len < (size_t)count)
		return false;
	for (int i = 0; i < count; i++)
		*number = *number << 8 | (unsigned char)bytes->p[i];
	*bytes = slice_from(*bytes, (size_t)count);
	return true;
}

static bool
arrays_take_cell(
    struct slice *bytes, enum rows_kind type, struct rows_cell *cell)
{
	uint64_t length, number;

	if (!arrays_take(bytes, 4, &length))
		return false;
	*cell = (struct rows_cell){.kind = ROWS_NULL};
	if (length == UINT32_MAX)
		return true;
	cell->kind = type;
	if (type == ROWS_INTEGER || type == ROWS_REAL) {
		if (length != 8 || !arrays_take(bytes, 8, &number))
			return false;
		if (type == ROWS_REAL)
			memcpy(&cell->real, &number, sizeof(cell->real));
		else
			cell->integer = (int64_t)number;
		return true;
	}
	if (length > bytes->len)
		return false;
	cell->bytes = slice_make(bytes->p, (size_t)length);
	*bytes = slice_from(*bytes, (size_t)length);
	return true;
}

enum diag_code
arrays_copy_rows(
    struct arrays_copy *copy, struct slice bytes, rows_fn *fn, void *arg)
{
	const struct rows_table *table = copy->table;
	struct rows_cell cells[ROWS_COLUMNS_MAX];
	struct rows row = {.table = table,
	    .operation = ROWS_INSERT,
	    .columns = table->all,
	    .width = table->count,
	    .count = 1,
	    .cells = cells};
	enum diag_code code = DIAG_OK;
	uint64_t number;

	if (!copy->has_begun) {
		/* the signature with its NUL, flags, length of an extension */
		if (bytes.len < sizeof(arrays_signature) + 8 ||
		    memcmp(bytes.p, arrays_signature,
			sizeof(arrays_signature)) != 0)
			return DIAG_STORE_DAMAGED;
		bytes = slice_from(bytes, sizeof(arrays_signature) + 8);
		copy->has_begun = true;
	}
	while (code == DIAG_OK && bytes.len > 0) {
		if (copy->has_ended || !arrays_take(&bytes, 2, &number))
			return DIAG_STORE_DAMAGED;
		copy->has_ended = number == UINT16_MAX;
		if (copy->has_ended)
			continue;
		if (number != (uint64_t)table->count)
			return DIAG_STORE_DAMAGED;
		for (int i = 0; i < table->count; i++)
			if (!arrays_take_cell(
				&bytes, table->columns[i].type, &cells[i]))
				return DIAG_STORE_DAMAGED;
		code = fn(arg, &row);
	}
	return code;
}
