/* crawler/frontier/frontier_show.h: what waits in the frontier. */
#include "crawler/frontier/frontier_show.h"

#include <stdio.h>

#include "tests/fixtures/fixture.h"
#include "tests/fixtures/frontier_fixture.h"

static struct frontier_waiting
look(struct setup *setup)
{
	struct frontier_waiting waiting;

	frontier_waiting(setup->frontier, setup->now_s, &waiting);
	return waiting;
}

/* Pages that are ready become pages that are leased, and then neither. */
static void
pages(void **state)
{
	struct frontier_waiting waiting;
	struct frontier_page page;
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_begin(&setup);
	waiting = look(&setup);
	assert_int_equal(waiting.ready + waiting.leased + waiting.held, 0);
	setup_read(&setup, setup.map, "a b c");
	assert_true(look(&setup).page_s <= setup.now_s);
	assert_true(setup_take(&setup, &page));
	waiting = look(&setup);
	assert_int_equal(waiting.leased, 1);
	assert_true(waiting.ready <= 2);
	assert_string_equal(setup_done(&setup, page.token, 200, NULL), "OK");
	assert_int_equal(look(&setup).leased, 0);
	assert_int_equal(setup_count(&setup), 2);
	assert_int_equal(look(&setup).leased, 2);
	assert_int_equal(look(&setup).ready, 0);
	assert_true(look(&setup).page_s > setup.now_s);
	/* their fetcher has gone, and nobody asks */
	setup.now_s += 86400;
	assert_int_equal(look(&setup).leased, 0);
	assert_int_equal(look(&setup).ready, 2);
	setup_close(&setup);
}

/* The longest holds come first; more than there is room for are counted. */
static void
holds(void **state)
{
	struct frontier_waiting waiting;
	struct setup setup;
	char host[16];

	(void)state;
	setup_open(&setup);
	setup_begin(&setup);
	for (int i = 0; i < 2 * FRONTIER_HOLD_ROWS; i++) {
		/* in an order in which none stays where it was put first */
		int n = i * 7 % (2 * FRONTIER_HOLD_ROWS);

		(void)snprintf(host, sizeof(host), "h%d.test", n);
		assert_true(frontier_hold(setup.frontier, slice_of(host),
		    setup.now_s + 60 + n, setup.now_s, "order"));
	}
	waiting = look(&setup);
	assert_int_equal(waiting.held, 2 * FRONTIER_HOLD_ROWS);
	assert_int_equal(waiting.hold_count, FRONTIER_HOLD_ROWS);
	for (int i = 0; i < FRONTIER_HOLD_ROWS; i++) {
		int n = 2 * FRONTIER_HOLD_ROWS - 1 - i;

		(void)snprintf(host, sizeof(host), "h%d.test", n);
		assert_true(slice_is(waiting.holds[i].host, host));
		assert_int_equal(
		    waiting.holds[i].until_s, setup.now_s + 60 + n);
		assert_false(waiting.holds[i].is_pages);
	}
	assert_true(frontier_hold(setup.frontier, slice_of("h39.test"),
	    setup.now_s, setup.now_s, "order"));
	assert_int_equal(look(&setup).held, 2 * FRONTIER_HOLD_ROWS - 1);
	assert_true(slice_is(look(&setup).holds[0].host, "h38.test"));
	/* a hold whose time has come is none */
	setup.now_s += 60 + 2 * FRONTIER_HOLD_ROWS;
	assert_int_equal(look(&setup).held, 0);
	assert_int_equal(look(&setup).hold_count, 0);
	setup_close(&setup);
}

UNIT(frontier_show)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages),
	    cmocka_unit_test(holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
