/* Rows into a database: what fits, what does not, and a store made of rows. */
#include "store/depot/filler.h"

#include <sqlite3.h>

#include "store/db.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/fsck_fixture.h"
#include "tests/fixtures/rows_fixture.h"

static struct rows_cell
integer(int64_t n)
{
	return (struct rows_cell){.kind = ROWS_INTEGER, .integer = n};
}

static struct rows_cell
bytes(enum rows_kind kind, const char *text)
{
	return (struct rows_cell){.kind = kind, .bytes = slice_of(text)};
}

/* Rows that a copy with the hold of 'a' refuses: each has a word of the
 * reason. */
static void
test_refused(void **state)
{
	struct rows_schema *schema = rows_schema_new();
	const struct rows_table *hold = rows_schema_table(schema, "hold");
	struct rows_cell a = bytes(ROWS_TEXT, "a"), b = bytes(ROWS_TEXT, "b");
	struct rows_cell one = integer(1);
	const struct {
		struct rows_cell cells[4];
		const char *why;
	} cases[] = {
	    {{a, one, one, one}, "INSERT of hold: UNIQUE"},
	    {{b, a, one, one}, "INSERT of hold: cannot store"},
	    {{b, bytes(ROWS_BLOB, "1"), one, one},
		"INSERT of hold: cannot store"},
	    {{b, {.kind = ROWS_NULL}, one, one}, "INSERT of hold: NOT NULL"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sqlite3 *db = copy_make();
		struct filler *filler = filler_new(db, schema);
		struct rows_cell cells[4];
		struct rows rows = {.table = hold,
		    .operation = ROWS_INSERT,
		    .columns = 15,
		    .width = 4,
		    .count = 1,
		    .cells = cells};

		memcpy(cells, cases[i].cells, sizeof(cells));
		assert_int_equal(filler_begin(filler), DIAG_OK);
		sql_do(db, "INSERT INTO hold (host, until_s) VALUES ('a', 7)");
		assert_int_equal(filler_put(filler, &rows), DIAG_STORE_DAMAGED);
		assert_int_equal(strncmp(filler_why(filler), cases[i].why,
				     strlen(cases[i].why)),
		    0);
		/* nothing of the transaction is left, and the next one works */
		assert_int_equal(filler_begin(filler), DIAG_OK);
		rows = (struct rows){.table = hold,
		    .operation = ROWS_INSERT,
		    .columns = 15,
		    .width = 4,
		    .count = 1,
		    .cells = (struct rows_cell[]){b, one, one, one}};
		assert_int_equal(filler_put(filler, &rows), DIAG_OK);
		assert_int_equal(filler_commit(filler), DIAG_OK);
		filler_free(filler);
		assert_rows(db, "SELECT * FROM hold", "b|1|1|1\n");
		(void)sqlite3_close(db);
	}
	rows_schema_free(schema);
}

/* A filler that is freed before its COMMIT leaves what was. */
static void
test_freed(void **state)
{
	struct rows_schema *schema = rows_schema_new();
	struct sqlite3 *db = copy_make();
	struct filler *filler;

	(void)state;
	sql_do(db,
	    "PRAGMA foreign_keys = ON;"
	    "INSERT INTO hold (host, until_s) VALUES ('a', 7)");
	filler = filler_new(db, schema);
	assert_rows(db, "PRAGMA foreign_keys", "0\n");
	assert_int_equal(filler_begin(filler), DIAG_OK);
	filler_free(filler);
	assert_rows(db, "SELECT host FROM hold", "a\n");
	assert_rows(db, "PRAGMA foreign_keys", "1\n");
	(void)sqlite3_close(db);
	rows_schema_free(schema);
}

/* Rows of children come before those of their parents. */
static enum diag_code
put_children(void *filler, const struct rows *row)
{
	return strcmp(row->table->name, "site") == 0 ? DIAG_OK
						     : filler_put(filler, row);
}

static enum diag_code
put_parents(void *filler, const struct rows *row)
{
	return strcmp(row->table->name, "site") != 0 ? DIAG_OK
						     : filler_put(filler, row);
}

/* A new store that is filled with the rows of another one is that store: fsck
 * finds it sound, and it goes on with the same ids. */
static void
test_store(void **state)
{
	struct rows_schema *schema = rows_schema_new();
	struct world from, to;
	struct filler *filler;
	struct heard heard;

	(void)state;
	world_open(&from);
	world_open(&to);
	int64_t id = document_make(from.store, SITE, MAP);
	(void)read_at(from.store, id, DAY_0, COMPLETE, "a b c");
	(void)read_at(from.store, id, DAY_0 + DAY_S, COMPLETE, "a c d");

	filler = filler_new(to.store->db, schema);
	assert_int_equal(filler_begin(filler), DIAG_OK);
	assert_int_equal(
	    rows_each(from.store->db, schema, put_children, filler), DIAG_OK);
	assert_int_equal(
	    rows_each(from.store->db, schema, put_parents, filler), DIAG_OK);
	assert_int_equal(filler_commit(filler), DIAG_OK);
	filler_free(filler);
	assert_equal_rows(from.store->db, to.store->db, schema);

	(void)read_at(from.store, id, DAY_0 + 2 * DAY_S, COMPLETE, "d e");
	(void)read_at(to.store, id, DAY_0 + 2 * DAY_S, COMPLETE, "d e");
	assert_equal_rows(from.store->db, to.store->db, schema);
	world_shut(&to);
	buf_init(&heard.text, SIZE_MAX);
	assert_int_equal(fsck_run(to.path, false, &heard).violations, 0);
	buf_release(&heard.text);
	to.store = open_at(to.path, false);
	world_close(&from);
	world_close(&to);
	rows_schema_free(schema);
}

/* A loop over all rows ends where its caller wants, and tells why. */
static void
test_ends(void **state)
{
	struct rows_schema *schema = rows_schema_new();
	struct sqlite3 *db = copy_make(), *other = copy_make();
	struct filler *filler = filler_new(other, schema);

	(void)state;
	sql_do(db, "INSERT INTO hold (host, until_s) VALUES ('a', 7)");
	assert_int_equal(filler_begin(filler), DIAG_OK);
	sql_do(other, "INSERT INTO hold (host, until_s) VALUES ('a', 7)");
	assert_int_equal(
	    rows_each(db, schema, filler_put, filler), DIAG_STORE_DAMAGED);
	filler_free(filler);
	/* a table that is not there */
	sql_do(db, "DROP TABLE hold");
	filler = filler_new(other, schema);
	assert_int_equal(filler_begin(filler), DIAG_OK);
	assert_int_equal(
	    rows_each(db, schema, filler_put, filler), DIAG_STORE_DAMAGED);
	filler_free(filler);
	(void)sqlite3_close(db);
	(void)sqlite3_close(other);
	rows_schema_free(schema);
}

UNIT_TESTS(filler, cmocka_unit_test(test_refused), cmocka_unit_test(test_freed),
    cmocka_unit_test(test_store), cmocka_unit_test(test_ends));
