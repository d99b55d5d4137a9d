/* The best of many pages is found with few evaluations. */
#include "tests/sim/by_worth.h"

#include <math.h>
#include <stdlib.h>

#include "tests/fixtures/fixture.h"
#include "tests/sim/sim_policy.h"

enum { PAGES = 1200, HOUR_S = 3600 };

struct worths {
	double worth[PAGES];
};

static double
worth(void *arg, int64_t now_s, uint32_t page)
{
	struct worths *worths = arg;

	(void)now_s;
	return worths->worth[page];
}

/* No page becomes more valuable with time. */
static double
days_until(void *arg, int64_t now_s, uint32_t page, double enough)
{
	(void)arg, (void)now_s, (void)page, (void)enough;
	return INFINITY;
}

static const struct by_worth_calls calls = {worth, days_until};

/*
 * A site publishes 600 pages, far more than can be fetched in weeks, and has
 * 600 others that are worth less: none of the others may be fetched first.  In
 * an earlier version the level rose while so many pages waited, so that these
 * slept, and the page that woke first was fetched.
 */
static void
test_crowd(void **state)
{
	static struct worths worths;
	const struct sim_setup setup = {
	    .requests_per_day = 12, .tick_s = HOUR_S};
	struct by_worth queue;
	double credit = 0;
	uint32_t page;

	by_worth_init(&queue, &setup, 1);
	queue.calls = &calls;
	queue.arg = &worths;
	for (uint32_t i = 0; i < PAGES; i++) {
		worths.worth[i] = i % 2 == 0 ? 10 : 1;
		by_worth_put(&queue, 0, i);
	}
	for (int64_t now_s = 0; now_s < 49 * 24 * HOUR_S; now_s += HOUR_S) {
		credit += 0.5;
		by_worth_begin(&queue, now_s);
		for (; credit >= 1; credit -= 1) {
			assert_true(by_worth_next(&queue, &page));
			assert_true(worths.worth[page] > 9);
			by_worth_remove(&queue, page);
		}
	}
	by_worth_release(&queue);
}

UNIT_TESTS(by_worth, cmocka_unit_test(test_crowd));
