/* The tables as they are described, and lists of rows. */
#include "store/depot/rows.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/schema.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/rows_fixture.h"

static void
test_schema(void **state)
{
	struct rows_schema *schema = rows_schema_new();
	const struct rows_table *table = rows_schema_table(schema, "learned");
	size_t columns = 0;

	(void)state;
	assert_non_null(table);
	assert_int_equal(table->count, 3);
	assert_string_equal(table->columns[0].name, "kind");
	assert_int_equal(table->columns[0].type, ROWS_TEXT);
	assert_int_equal(table->columns[1].type, ROWS_INTEGER);
	assert_int_equal(table->columns[2].type, ROWS_BLOB);
	assert_int_equal(table->keys, 3);
	assert_int_equal(table->all, 7);
	table = rows_schema_table(schema, "tag_budget");
	assert_int_equal(table->columns[1].type, ROWS_REAL);
	assert_null(rows_schema_table(schema, "sqlite_schema"));
	/* Every table has a key, each of its columns a type. */
	for (size_t i = 0; i < schema->count; i++) {
		assert_true(schema->tables[i].keys != 0);
		for (int k = 0; k < schema->tables[i].count; k++, columns++)
			assert_int_not_equal(
			    schema->tables[i].columns[k].type, ROWS_NULL);
	}
	assert_true(columns > 200);
	rows_schema_free(schema);
}

/* The first version that had stores in PostgreSQL. */
#define FIRST_THERE 17

/* Can rows of both versions lie in one table there?  What has the same name
 * must have the same type, and the same place in the key. */
static bool
can_share(const struct rows_schema *former, const struct rows_schema *later)
{
	for (size_t i = 0; i < former->count; i++) {
		const struct rows_table *a = &former->tables[i];
		const struct rows_table *b = rows_schema_table(later, a->name);
		int keys = 0;

		for (int k = 0; b != NULL && k < a->count; k++)
			for (int n = 0; n < b->count; n++) {
				if (strcmp(a->columns[k].name,
					b->columns[n].name) != 0)
					continue;
				if (a->columns[k].type != b->columns[n].type ||
				    a->columns[k].key != b->columns[n].key)
					return false;
				keys += a->columns[k].key > 0;
			}
		if (b != NULL &&
		    (keys != __builtin_popcountll(a->keys) ||
			keys != __builtin_popcountll(b->keys)))
			return false;
	}
	return true;
}

static struct rows_schema *
schema_after(const char *sql, const struct schema *steps)
{
	struct rows_schema *schema;
	struct sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	if (steps != NULL)
		assert_int_equal(schema_migrate(db, steps), DIAG_OK);
	else
		assert_int_equal(
		    sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	schema = rows_schema_of(db);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return schema;
}

/* While machines of two versions work, their rows lie in the same tables. */
static void
test_steps(void **state)
{
	static const struct {
		const char *later;
		bool can_share;
	} cases[] = {
	    {"CREATE TABLE t (a TEXT, b INTEGER, c REAL, PRIMARY KEY (a, b))",
		true},
	    {"CREATE TABLE t (a TEXT, b INTEGER, d BLOB, PRIMARY KEY (a, b));"
	     "CREATE TABLE n (id INTEGER PRIMARY KEY)",
		true},
	    {"CREATE TABLE n (id INTEGER PRIMARY KEY)", true},
	    {"CREATE TABLE t (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (a, b))",
		false},
	    {"CREATE TABLE t (a TEXT, b INTEGER, c REAL, PRIMARY KEY (b, a))",
		false},
	    {"CREATE TABLE t (a TEXT, b INTEGER, c REAL, PRIMARY KEY (a))",
		false},
	    {"CREATE TABLE t (a TEXT, b INTEGER, d TEXT,"
	     " PRIMARY KEY (a, b, d))",
		false},
	    {"CREATE TABLE t (a TEXT PRIMARY KEY)", false},
	};
	struct rows_schema *former = schema_after(cases[0].later, NULL);
	struct schema steps = {schema_current.steps, FIRST_THERE, NULL};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rows_schema *later = schema_after(cases[i].later, NULL);

		assert_int_equal(can_share(former, later), cases[i].can_share);
		rows_schema_free(later);
	}
	rows_schema_free(former);
	for (; steps.count < schema_current.count; steps.count++) {
		struct schema next = {steps.steps, steps.count + 1, NULL};
		struct rows_schema *later = schema_after(NULL, &next);

		former = schema_after(NULL, &steps);
		assert_true(can_share(former, later));
		rows_schema_free(former);
		rows_schema_free(later);
	}
}

/* Rows to which the same is done stand together, removed ones first; bytes stay
 * where they were put. */
static void
test_list(void **state)
{
	struct rows_schema *schema = rows_schema_new();
	const struct rows_table *table = rows_schema_table(schema, "hold");
	struct rows_list *list = mem_zero(sizeof(*list));
	struct rows_cell cells[ROWS_COLUMNS_MAX] = {{.kind = ROWS_TEXT}};
	char text[8];

	(void)state;
	for (int i = 0; i < 3000; i++) {
		(void)snprintf(text, sizeof(text), "%05d", i);
		cells[0].bytes = rows_list_keep(list, slice_of(text));
		rows_list_add(list, table,
		    i % 3 == 0 ? ROWS_INSERT : ROWS_DELETE,
		    i % 3 == 0 ? table->all : table->keys, cells);
	}
	(void)rows_list_keep(list, slice_make("", 0));
	rows_list_sort(list);
	assert_int_equal(list->count, 2);
	assert_int_equal(list->items[0].operation, ROWS_DELETE);
	assert_int_equal(list->items[0].count, 2000);
	assert_int_equal(list->items[1].count, 1000);
	assert_true(slice_is(list->items[0].cells[1999].bytes, "02999"));
	assert_true(slice_is(
	    list->items[1].cells[999 * list->items[1].width].bytes, "02997"));
	rows_list_free(list);
	rows_schema_free(schema);
}

UNIT_TESTS(rows, cmocka_unit_test(test_schema), cmocka_unit_test(test_steps),
    cmocka_unit_test(test_list));
