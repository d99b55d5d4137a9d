/* Sorting rows by their members. */
#include "tests/fixtures/fixture.h"

#include "base/sort.h"

struct row {
	const char *name;
	bool is_new;
	int number;
	int64_t at_s;
	uint32_t part;
	uint64_t count;
	double share;
	size_t place; /* where the row must come out */
};

/* Each row is larger than the one before in the first member that differs. */
static void
each_kind_has_its_order(void **state)
{
	static const struct sort_key keys[] = {
	    {SORT_KEY(struct row, is_new), true},
	    {SORT_KEY(struct row, number), false},
	    {SORT_KEY(struct row, at_s), true},
	    {SORT_KEY(struct row, part), false},
	    {SORT_KEY(struct row, count), false},
	    {SORT_KEY(struct row, share), true},
	    {SORT_KEY(struct row, name), false}, {0}};
	struct row rows[] = {{"b", false, -1, 5, 1, 2, 0.5, 8},
	    {"b", true, 1, 5, 1, 2, 0.5, 7}, {"b", true, -1, -5, 1, 2, 0.5, 6},
	    {"b", true, -1, 5, UINT32_MAX, 2, 0.5, 5},
	    {"b", true, -1, 5, 1, UINT64_MAX, 0.5, 4},
	    {"b", true, -1, 5, 1, 2, 0.25, 3}, {"b", true, -1, 5, 1, 2, 0.5, 2},
	    {"a", true, -1, 5, 1, 2, 0.5, 1},
	    {NULL, true, -1, 5, 1, 2, 0.5, 0}};

	(void)state;
	sort_rows(rows, COUNT(rows), sizeof(rows[0]), keys);
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(rows[i].place, i);
	assert_int_equal(
	    sort_compare(&rows[3], &rows[3], (void *)(uintptr_t)keys), 0);
	sort_rows(NULL, 0, sizeof(rows[0]), keys);
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_ptr_equal(sort_find(&rows[i], rows, COUNT(rows),
				     sizeof(rows[0]), keys),
		    &rows[i]);
	assert_null(
	    sort_find(&(struct row){.is_new = true, .number = 5, .at_s = 6},
		rows, COUNT(rows), sizeof(rows[0]), keys));
	assert_null(sort_find(&rows[0], NULL, 0, sizeof(rows[0]), keys));
}

UNIT(sort)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_kind_has_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
