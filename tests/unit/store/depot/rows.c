/* The tables as they are described, and patchsets of another form. */
#include "store/depot/rows.h"

#include <sqlite3.h>

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

/* A list of these bytes; NULL if they are refused. */
static struct rows_list *
list_of(const struct rows_schema *schema, const void *bytes, size_t size)
{
	/* a copy of just that size, so that a sanitizer sees the end */
	void *copy = sqlite3_malloc64(size);
	struct rows_list *list;

	if (size > 0)
		memcpy(copy, bytes, size);
	return rows_list_make(schema, copy, size, &list) == DIAG_OK ? list
								    : NULL;
}

/* A patchset that is cut is refused, unless a row ends there. */
static void
test_cut(void **state)
{
	struct taped taped;
	size_t refused = 0;

	(void)state;
	taped_open(&taped);
	taped_do(&taped,
	    "INSERT INTO hold (host, until_s) VALUES ('a', 1), ('b', 2);"
	    "INSERT INTO state (id, learned) VALUES (1, x'0102')");
	for (size_t size = 0; size <= taped.size; size++) {
		struct rows_list *list = list_of(
		    taped.schema, taped.bytes, size);

		refused += list == NULL;
		rows_list_free(list);
	}
	/* nothing, and three rows; a header without rows after the second */
	assert_int_equal(taped.size + 1 - refused, 6);
	taped_close(&taped);
}

/* Any other byte at any place is refused, or read as other rows; never is
 * anything read beyond the end. */
static void
test_wrong(void **state)
{
	struct taped taped;
	size_t refused = 0, count = 0;

	(void)state;
	taped_open(&taped);
	taped_do(&taped,
	    "INSERT INTO hold (host, until_s) VALUES ('a', 1);"
	    "INSERT INTO state (id, learned) VALUES (1, x'0102')");
	for (size_t i = 0; i < taped.size; i++)
		for (int bit = 0; bit < 8; bit++, count++) {
			unsigned char *byte = (unsigned char *)taped.bytes + i;
			struct rows_list *list;

			*byte = (unsigned char)(*byte ^ 1 << bit);
			list = list_of(taped.schema, taped.bytes, taped.size);
			refused += list == NULL;
			rows_list_free(list);
			*byte = (unsigned char)(*byte ^ 1 << bit);
		}
	assert_true(refused > 0 && refused < count);
	taped_close(&taped);
}

UNIT_TESTS(rows, cmocka_unit_test(test_schema), cmocka_unit_test(test_cut),
    cmocka_unit_test(test_wrong));
