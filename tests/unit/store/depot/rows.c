/* The tables as they are described, and lists of rows. */
#include "store/depot/rows.h"

#include <sqlite3.h>
#include <stdio.h>

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
	assert_true(table->columns[1].is_needed);
	assert_null(rows_schema_table(schema, "sqlite_schema"));
	/* Every table has a key, each of its columns a type. */
	for (size_t i = 0; i < schema->count; i++) {
		assert_true(schema->tables[i].keys != 0);
		for (int k = 0; k < schema->tables[i].count; k++, columns++) {
			const struct rows_column *column = &schema->tables[i]
								.columns[k];

			assert_int_not_equal(column->type, ROWS_NULL);
			assert_true(column->is_needed || column->key == 0);
		}
	}
	assert_true(columns > 200);
	rows_schema_free(schema);
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

UNIT_TESTS(rows, cmocka_unit_test(test_schema), cmocka_unit_test(test_list));
