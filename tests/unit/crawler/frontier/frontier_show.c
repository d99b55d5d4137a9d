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
test_pages(void **state)
{
	struct setup *setup = *state;
	struct frontier_waiting waiting;
	struct frontier_page page;

	setup_begin(setup);
	waiting = look(setup);
	assert_int_equal(waiting.ready + waiting.leased + waiting.held, 0);
	setup_list(setup, "a b c");
	assert_true(look(setup).page_s <= setup->now_s);
	page = setup_page(setup);
	waiting = look(setup);
	assert_int_equal(waiting.leased, 1);
	assert_true(waiting.ready <= 2);
	setup_ok(setup, page.token, 200, NULL);
	assert_int_equal(look(setup).leased, 0);
	setup_walk(setup, "2");
	assert_int_equal(look(setup).leased, 2);
	assert_int_equal(look(setup).ready, 0);
	assert_true(look(setup).page_s > setup->now_s);
	/* their fetcher has gone, and nobody asks */
	setup->now_s += 86400;
	assert_int_equal(look(setup).leased, 0);
	assert_int_equal(look(setup).ready, 2);
}

/* The longest holds come first; more than there is room for are counted. */
static void
test_holds(void **state)
{
	struct setup *setup = *state;
	struct frontier_waiting waiting;
	char host[16];

	setup_begin(setup);
	for (int i = 0; i < 2 * FRONTIER_HOLD_ROWS; i++) {
		/* in an order in which none stays where it was put first */
		int n = i * 7 % (2 * FRONTIER_HOLD_ROWS);

		(void)snprintf(host, sizeof(host), "h%d.test", n);
		setup_hold(setup, host, 60 + n);
	}
	waiting = look(setup);
	assert_int_equal(waiting.held, 2 * FRONTIER_HOLD_ROWS);
	assert_int_equal(waiting.hold_count, FRONTIER_HOLD_ROWS);
	for (int i = 0; i < FRONTIER_HOLD_ROWS; i++) {
		int n = 2 * FRONTIER_HOLD_ROWS - 1 - i;

		(void)snprintf(host, sizeof(host), "h%d.test", n);
		assert_true(slice_is(waiting.holds[i].host, host));
		assert_int_equal(
		    waiting.holds[i].until_s, setup->now_s + 60 + n);
		assert_false(waiting.holds[i].is_pages);
	}
	setup_hold(setup, "h39.test", 0);
	assert_int_equal(look(setup).held, 2 * FRONTIER_HOLD_ROWS - 1);
	assert_true(slice_is(look(setup).holds[0].host, "h38.test"));
	/* a hold whose time has come is none */
	setup->now_s += 60 + 2 * FRONTIER_HOLD_ROWS;
	assert_int_equal(look(setup).held, 0);
	assert_int_equal(look(setup).hold_count, 0);
}

UNIT_TESTS(frontier_show, setup_test(test_pages), setup_test(test_holds));
