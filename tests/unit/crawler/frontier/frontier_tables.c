/* The clock of the frontier jumps. */
#include "tests/fixtures/fixture.h"

#include "store/page.h"
#include "tests/fixtures/frontier_fixture.h"

/* The clock leaps and comes back before a restart. */
static void
test_leaps(void **state)
{
	static const struct {
		int64_t leap_s;
		bool is_restarted;
	} cases[] = {
	    {HOUR_S, false}, {HOUR_S, true}, {YEAR_S, false}, {YEAR_S, true}};
	struct setup *setup = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct page_row row;

		setup_again(setup);
		setup_start(setup, "a b c");
		setup_fetch(setup, "x");
		setup->now_s += cases[i].leap_s;
		if (cases[i].is_restarted)
			setup_restart(setup);
		setup_fetch(setup, "x");
		(void)setup_page(setup);
		setup->now_s -= cases[i].leap_s;
		setup_restart(setup);
		/* the page is leased for as long as it would have been */
		assert_int_equal(
		    frontier_release_all(setup->frontier, setup->now_s + 599),
		    1);
		/* all pages are due again as if the clock had not leapt */
		setup->now_s += 3 * DAY_S;
		for (int page = 0; page < 3; page++)
			setup_fetch(setup, "y");
		assert_true(setup_terms(setup, HOST_TEXT "b").fetched_s <=
		    setup->now_s);
		assert_true(store_page_get(setup->world.store, 2, &row));
		assert_int_equal(row.fetched_s, setup->now_s);
	}
}

/* The clock is put back by a year for good, while a page is leased and a
 * host held. */
static void
test_back(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, SETUP_LETTERS);
	(void)setup_page(setup);
	setup_hold(setup, SETUP_HOST, 2 * HOUR_S);
	setup_commit(setup);
	setup->now_s -= YEAR_S;
	setup_kill(setup);
	setup_ok(setup, "1.1", 200, "x");
	setup_walk(setup, "0 +7200 some");
}

UNIT_TESTS(frontier_tables, setup_test(test_leaps), setup_test(test_back));
