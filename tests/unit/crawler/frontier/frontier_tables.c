/* The clock of the frontier jumps. */
#include "tests/fixtures/fixture.h"

#include "store/page.h"
#include "tests/fixtures/frontier_fixture.h"

/* The clock leaps and comes back, in one process or over a restart. */
static void
leap(int64_t leap_s, bool is_restarted)
{
	struct office office;
	struct frontier_page page;
	struct frontier_terms terms;
	struct page_row row;

	office_open(&office);
	office_read(&office, office.map, "a b c");
	office_begin(&office);
	office_fetch(&office, "x");
	office.now_s += leap_s;
	if (is_restarted)
		office_restart(&office);
	office_fetch(&office, "x");
	assert_true(office_take(&office, &page));
	office.now_s -= leap_s;
	if (is_restarted)
		office_restart(&office);
	/* the page is leased for as long as it would have been */
	assert_int_equal(
	    frontier_release_all(office.frontier, office.now_s + 599), 1);
	/* all pages are due again as if the clock had not leapt */
	office.now_s += 3 * DAY_S;
	for (int i = 0; i < 3; i++)
		office_fetch(&office, "y");
	assert_true(frontier_page_terms(
	    office.frontier, slice_of(HOST_TEXT "b"), office.now_s, &terms));
	assert_true(terms.fetched_s <= office.now_s);
	assert_true(store_page_get(office.world.store, 2, &row));
	assert_int_equal(row.fetched_s, office.now_s);
	office_close(&office);
}

static void
test_leaps(void **state)
{
	(void)state;
	leap(HOUR_S, false);
	leap(HOUR_S, true);
	leap(YEAR_S, false);
	leap(YEAR_S, true);
}

/* The clock is put back by a year for good, while a page is leased and a
 * host held. */
static void
test_back(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_true(frontier_hold(office.frontier, slice_of(OFFICE_HOST),
	    office.now_s + 2 * HOUR_S, office.now_s, "order"));
	office_commit(&office);
	office.now_s -= YEAR_S;
	office_kill(&office);
	assert_string_equal(office_done(&office, "1.1", 200, "x"), "OK");
	assert_false(office_take(&office, &page));
	office.now_s += 2 * HOUR_S;
	assert_true(office_take(&office, &page));
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_leaps),
	    cmocka_unit_test(test_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
