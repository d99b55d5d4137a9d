/* What PostgreSQL gets and gives, byte by byte. */
#include "store/depot/arrays.h"

#include "tests/fixtures/fixture.h"

/* A table of each type, with a key of two columns in another order. */
static char names[][2] = {"n", "t", "r", "b"};
static struct rows_column columns[] = {{.type = ROWS_INTEGER, .key = 2},
    {.type = ROWS_TEXT, .key = 1}, {.type = ROWS_REAL}, {.type = ROWS_BLOB}};
static struct rows_table table = {
    .columns = columns, .count = 4, .all = 15, .keys = 3};

static void
table_make(void)
{
	static char name[] = "thing";

	table.name = name;
	for (int i = 0; i < table.count; i++)
		columns[i].name = names[i];
}

static struct rows_cell
cell_of(enum rows_kind kind, const char *text, int64_t integer)
{
	struct rows_cell cell = {.kind = kind, .integer = integer};

	if (text != NULL)
		cell.bytes = slice_of(text);
	return cell;
}

static void
test_ddl(void **state)
{
	struct rows_schema schema = {.tables = &table, .count = 1};
	struct buf sql;

	(void)state;
	table_make();
	buf_init(&sql, SIZE_MAX);
	arrays_ddl(&sql, &schema);
	assert_string_equal(buf_str(&sql),
	    "CREATE TABLE \"thing\" (shard integer NOT NULL, "
	    "\"n\" bigint, \"t\" text COLLATE \"C\", "
	    "\"r\" double precision, \"b\" bytea, "
	    "PRIMARY KEY (shard, \"t\", \"n\"));\n"
	    "ALTER TABLE \"thing\" ALTER COLUMN \"b\" SET STORAGE "
	    "EXTERNAL;\n");
	buf_clear(&sql);
	arrays_copy_out(&sql, &table, 7);
	assert_string_equal(buf_str(&sql),
	    "COPY (SELECT \"n\", \"t\", \"r\", \"b\" FROM freshet.\"thing\" "
	    "WHERE shard = 7 ORDER BY \"t\", \"n\") TO STDOUT (FORMAT "
	    "binary)");
	buf_release(&sql);
}

static void
test_statements(void **state)
{
	static const struct {
		enum rows_operation operation;
		uint64_t columns;
		const char *sql;
	} rows[] = {
	    {ROWS_DELETE, 3,
		"DELETE FROM freshet.\"thing\" AS t USING (SELECT $1 AS "
		"shard, unnest($2) AS \"n\", unnest($3) AS \"t\" OFFSET 0) "
		"AS u WHERE t.shard = u.shard AND t.\"n\" = u.\"n\" AND "
		"t.\"t\" = u.\"t\""},
	    {ROWS_UPDATE, 11,
		"UPDATE freshet.\"thing\" AS t SET \"b\" = u.\"b\" FROM "
		"(SELECT $1 AS shard, unnest($2) AS \"n\", unnest($3) AS "
		"\"t\", unnest($4) AS \"b\" OFFSET 0) AS u WHERE t.shard "
		"= u.shard AND t.\"n\" = u.\"n\" AND t.\"t\" = u.\"t\""},
	    {ROWS_INSERT, 15,
		"INSERT INTO freshet.\"thing\" (shard, \"n\", \"t\", \"r\", "
		"\"b\") SELECT $1 AS shard, unnest($2) AS \"n\", unnest($3) "
		"AS \"t\", unnest($4) AS \"r\", unnest($5) AS \"b\""},
	};
	struct rows_cell cells[4] = {cell_of(ROWS_INTEGER, NULL, 1),
	    cell_of(ROWS_TEXT, "a", 0), cell_of(ROWS_NULL, NULL, 0),
	    cell_of(ROWS_NULL, NULL, 0)};

	(void)state;
	table_make();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rows of = {.table = &table,
		    .operation = rows[i].operation,
		    .columns = rows[i].columns,
		    .width = i == 0 ? 2
			: i == 1    ? 3
				    : 4,
		    .count = 1,
		    .cells = cells};
		struct arrays arrays;

		assert_int_equal(arrays_make(&arrays, &of, 7), 0);
		assert_string_equal(arrays.sql, rows[i].sql);
		assert_int_equal(arrays.count, of.width + 1);
		assert_int_equal(arrays.rows, 1);
		assert_memory_equal(arrays.values[0], "\0\0\0\7", 4);
		arrays_release(&arrays);
	}
}

/* An array has a header of 20 bytes, and before each value its length. */
static void
test_values(void **state)
{
	static const char numbers[] =
	    "\0\0\0\1\0\0\0\1\0\0\0\x14\0\0\0\2\0\0\0\1"
	    "\0\0\0\x08\xff\xff\xff\xff\xff\xff\xff\xfe"
	    "\0\0\0\x08\0\0\0\0\0\0\1\2";
	static const char texts[] = "\0\0\0\1\0\0\0\1\0\0\0\x19\0\0\0\2\0\0\0\1"
				    "\0\0\0\3\xc3\xa4x\0\0\0\7\xef\xbf\xbdy"
				    "\xef\xbf\xbd";
	static const char reals[] =
	    "\0\0\0\1\0\0\0\1\0\0\2\xbd\0\0\0\2\0\0\0\1"
	    "\0\0\0\x08\x3f\xf0\0\0\0\0\0\0\xff\xff\xff\xff";
	static const char blobs[] = "\0\0\0\1\0\0\0\1\0\0\0\x11\0\0\0\2\0\0\0\1"
				    "\0\0\0\0\0\0\0\2\0\xff";
	struct rows_cell cells[8] = {cell_of(ROWS_INTEGER, NULL, -2),
	    cell_of(ROWS_TEXT, "\xc3\xa4x", 0), {.kind = ROWS_REAL, .real = 1},
	    cell_of(ROWS_BLOB, "", 0), cell_of(ROWS_INTEGER, NULL, 258),
	    {.kind = ROWS_TEXT}, cell_of(ROWS_NULL, NULL, 0),
	    {.kind = ROWS_BLOB}};
	struct rows rows = {.table = &table,
	    .operation = ROWS_INSERT,
	    .columns = 15,
	    .width = 4,
	    .count = 2,
	    .cells = cells};
	struct arrays arrays;

	(void)state;
	table_make();
	/* a NUL, and a byte that no UTF-8 has */
	cells[5].bytes = slice_make("\0y\xff", 3);
	cells[7].bytes = slice_make("\0\xff", 2);
	assert_int_equal(arrays_make(&arrays, &rows, 0), 1);
	const struct {
		const char *bytes;
		size_t len;
		uint32_t type;
	} wanted[] = {{numbers, sizeof(numbers) - 1, 1016},
	    {texts, sizeof(texts) - 1, 1009}, {reals, sizeof(reals) - 1, 1022},
	    {blobs, sizeof(blobs) - 1, 1001}};

	for (int i = 0; i < 4; i++) {
		assert_int_equal(arrays.types[i + 1], wanted[i].type);
		assert_int_equal(arrays.lengths[i + 1], wanted[i].len);
		assert_memory_equal(
		    arrays.values[i + 1], wanted[i].bytes, wanted[i].len);
	}
	arrays_release(&arrays);
}

static const char copied[] =
    "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
    "\0\4\0\0\0\x08\0\0\0\0\0\0\0\5\0\0\0\1z\xff\xff\xff\xff\0\0\0\0"
    "\0\4\0\0\0\x08\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"
    "\0\0\0\x08\x40\0\0\0\0\0\0\0\0\0\0\2\0\1"
    "\xff\xff";

static enum diag_code
on_row(void *arg, const struct rows *row)
{
	const struct rows_cell *cells = row->cells;
	int *count = arg;

	assert_int_equal(row->count, 1);
	if (++*count == 1) {
		assert_int_equal(cells[0].integer, 5);
		assert_int_equal(cells[1].bytes.len, 1);
		assert_int_equal(cells[2].kind, ROWS_NULL);
		assert_int_equal(cells[3].kind, ROWS_BLOB);
		assert_int_equal(cells[3].bytes.len, 0);
	} else {
		assert_int_equal(cells[0].integer, -1);
		assert_int_equal(cells[1].kind, ROWS_TEXT);
		assert_true(cells[2].real == 2);
		assert_memory_equal(cells[3].bytes.p, "\0\1", 2);
	}
	return DIAG_OK;
}

/* Whole, and cut at each byte: rows that came are told, and nothing else. */
static void
test_copy(void **state)
{
	size_t good = 0;

	(void)state;
	table_make();
	for (size_t size = 0; size < sizeof(copied); size++) {
		struct arrays_copy copy = {.table = &table};
		char *bytes = mem_alloc(size + 1);
		int count = 0;

		memcpy(bytes, copied, size);
		good += arrays_copy_rows(&copy, slice_make(bytes, size), on_row,
			    &count) == DIAG_OK;
		assert_true(count <= 2);
		assert_int_equal(copy.has_ended, size == sizeof(copied) - 1);
		free(bytes);
	}
	/* after the header, each row, and the trailer */
	assert_int_equal(good, 4);
}

/* Something else than rows of this table. */
static void
test_not_a_copy(void **state)
{
	char bytes[sizeof(copied)];
	static const struct {
		size_t at;
		char byte;
	} rows[] = {{0, 'p'}, {20, 3}, {24, 4}};

	(void)state;
	table_make();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arrays_copy copy = {.table = &table};
		int count = 0;

		memcpy(bytes, copied, sizeof(copied));
		bytes[rows[i].at] = rows[i].byte;
		assert_int_equal(
		    arrays_copy_rows(&copy,
			slice_make(bytes, sizeof(copied) - 1), on_row, &count),
		    DIAG_STORE_DAMAGED);
		assert_int_equal(count, 0);
	}
}

UNIT_TESTS(arrays, cmocka_unit_test(test_ddl),
    cmocka_unit_test(test_statements), cmocka_unit_test(test_values),
    cmocka_unit_test(test_copy), cmocka_unit_test(test_not_a_copy));
