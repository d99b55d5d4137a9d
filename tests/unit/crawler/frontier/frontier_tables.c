/* The clock of the frontier jumps. */
#include "tests/fixtures/fixture.h"

#include "store/page.h"
#include "tests/fixtures/frontier_fixture.h"

/* The clock leaps and comes back, in one process or over a restart. */
static void
leap(int64_t leap_s, bool is_restarted)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_terms terms;
	struct page_row row;

	setup_open(&setup);
	setup_read(&setup, setup.map, "a b c");
	setup_begin(&setup);
	setup_fetch(&setup, "x");
	setup.now_s += leap_s;
	if (is_restarted)
		setup_restart(&setup);
	setup_fetch(&setup, "x");
	assert_true(setup_take(&setup, &page));
	setup.now_s -= leap_s;
	if (is_restarted)
		setup_restart(&setup);
	/* the page is leased for as long as it would have been */
	assert_int_equal(
	    frontier_release_all(setup.frontier, setup.now_s + 599), 1);
	/* all pages are due again as if the clock had not leapt */
	setup.now_s += 3 * DAY_S;
	for (int i = 0; i < 3; i++)
		setup_fetch(&setup, "y");
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "b"), setup.now_s, &terms));
	assert_true(terms.fetched_s <= setup.now_s);
	assert_true(store_page_get(setup.world.store, 2, &row));
	assert_int_equal(row.fetched_s, setup.now_s);
	setup_close(&setup);
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
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, SETUP_LETTERS);
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_true(frontier_hold(setup.frontier, slice_of(SETUP_HOST),
	    setup.now_s + 2 * HOUR_S, setup.now_s, "order"));
	setup_commit(&setup);
	setup.now_s -= YEAR_S;
	setup_kill(&setup);
	assert_string_equal(setup_done(&setup, "1.1", 200, "x"), "OK");
	assert_false(setup_take(&setup, &page));
	setup.now_s += 2 * HOUR_S;
	assert_true(setup_take(&setup, &page));
	setup_close(&setup);
}

UNIT(frontier_tables)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_leaps),
	    cmocka_unit_test(test_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
