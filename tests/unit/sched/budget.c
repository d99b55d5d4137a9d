/* Requests per hour: no window has more, nothing piles up, clocks may jump. */
#include "sched/budget.h"

#include <math.h>

#include "tests/fixtures/fixture.h"

enum { HOUR_MS = 3600000, WINDOW = 4000 };

static struct budget
budget_of(double per_hour, int64_t burst_ms)
{
	struct budget budget = {0};

	budget_set(&budget, 0, per_hour, burst_ms);
	return budget;
}

/* One request after the other, each as soon as the budget allows it. */
static void
test_pace(void **state)
{
	static const struct {
		double per_hour;
		int64_t burst_ms;
		/* when requests begin again after the first one */
		int64_t begin_ms;
		unsigned wanted; /* requests in the hour from then on */
	} cases[] = {
	    {60, 0, 0, 60},
	    {60, 0, INT64_C(1) << 50, 60},
	    /* the requests of a tick may come at once, also after an idle
	     * night */
	    {60, 600000, 0, 69},
	    {60, 600000, 9 * HOUR_MS, 69},
	    {1, 0, HOUR_MS, 1},
	    {0.5, 0, 2 * HOUR_MS, 1},
	    {0.5, HOUR_MS, 2 * HOUR_MS, 1},
	    {3600000, 0, HOUR_MS, 3600001},
	    {1000000, 0, HOUR_MS, 1000001},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct budget budget;
		int64_t begin_ms = cases[i].begin_ms, now_ms = begin_ms;
		unsigned sent = 0;

		budget = budget_of(cases[i].per_hour, cases[i].burst_ms);
		if (begin_ms > 0)
			budget_spend(&budget, 0, 1);
		for (;;) {
			now_ms = budget_ready_ms(&budget, now_ms, 1);
			if (now_ms >= begin_ms + HOUR_MS)
				break;
			budget_spend(&budget, now_ms, 1);
			sent++;
		}
		assert_int_equal(sent, cases[i].wanted);
	}
}

/* No window of any length has more requests than the header says. */
static void
test_windows(void **state)
{
	static int64_t sent_ms[WINDOW];
	const double per_ms = 1000.0 / HOUR_MS;
	struct budget budget;
	int64_t now_ms = 5;
	uint64_t seed = 3;

	budget = budget_of(1000, 30000);
	for (size_t n = 0; n < WINDOW;) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		/* requests mostly come often, and sometimes pause */
		now_ms += (int64_t)(seed >> 33) %
		    ((seed & 0xf00) ? 900 : 90000);
		if (budget_ready_ms(&budget, now_ms, 1) > now_ms)
			continue;
		budget_spend(&budget, now_ms, 1);
		sent_ms[n++] = now_ms;
	}
	for (size_t i = 0; i < WINDOW; i++)
		for (size_t j = i; j < WINDOW; j++)
			assert_true((double)(j - i + 1) <=
			    per_ms * (double)(sent_ms[j] - sent_ms[i] + 30000) +
				1.001);
}

/* A reading may cost a tenth of a request, or many. */
static void
test_costs(void **state)
{
	struct budget budget;

	budget = budget_of(60, 0);
	for (int i = 0; i < 10; i++) {
		assert_true(budget_ready_ms(&budget, 1000 + 6000 * i, 1) ==
		    1000 + 6000 * i);
		budget_spend(&budget, 1000 + 6000 * i, 0.1);
	}
	budget_spend(&budget, 61000, 5);
	assert_true(budget_ready_ms(&budget, 61000, 1) > 61000 + 299000);
	assert_true(budget_ready_ms(&budget, 61000, 1) <= 61000 + 306000);
	budget = budget_of(60, 0);
	budget_spend(&budget, 0, 3);
	assert_true(fabs(budget_spent(&budget, 90000) - 1.5) < 1e-9);
	assert_true(budget_spent(&budget, HOUR_MS) == 0);
	budget = budget_of(60, 0);
	budget_spend(&budget, 0, NAN);
	budget_spend(&budget, 0, -5);
	budget_spend(&budget, 0, 0);
	assert_true(budget_ready_ms(&budget, 0, 1) == 0);
	assert_true(budget_ready_ms(&budget, 0, 2) == 60000);
	budget_spend(&budget, 0, INFINITY);
	assert_true(budget_ready_ms(&budget, 0, 1) > HOUR_MS);
	/* requests that were not made are returned, but not more than was
	 * spent */
	budget = budget_of(60, 0);
	budget_spend(&budget, 0, 1.5);
	budget_spend(&budget, 0, -1);
	budget_spend(&budget, 0, -NAN);
	assert_true(budget_ready_ms(&budget, 0, 1) == 30000);
	budget_spend(&budget, 0, -5);
	assert_true(budget_ready_ms(&budget, 0, 1) == 0);
	budget_spend(&budget, 0, 1);
	assert_true(budget_ready_ms(&budget, 0, 1) == 60000);
}

static void
test_jumps(void **state)
{
	static const double none[] = {0, -1, NAN, INFINITY, -INFINITY};
	struct budget budget;

	for (size_t i = 0; i < COUNT(none); i++) {
		budget = budget_of(none[i], 0);
		for (int n = 0; n < 5; n++) {
			assert_true(budget_ready_ms(&budget, 7, 1) == 7);
			budget_spend(&budget, 7, 1);
		}
	}
	budget = budget_of(60, 0);
	budget_spend(&budget, INT64_C(1) << 60, 1);
	/* the clock is put far back: the wait is that of one request */
	assert_true(budget_ready_ms(&budget, 1000, 1) == 61000);
	assert_true(budget_ready_ms(&budget, 31000, 1) == 61000);
	budget_spend(&budget, 61000, 1);
	/* the clock leaps ahead: one request may come at once, as after any
	 * idle time */
	assert_true(
	    budget_ready_ms(&budget, INT64_MAX - 1, 1) == INT64_MAX - 1);
	budget_spend(&budget, INT64_MAX - 1, 1);
	assert_true(budget_ready_ms(&budget, INT64_MAX - 1, 1) == INT64_MAX);
	/* spent requests stay spent when the rate changes */
	budget = budget_of(60, 0);
	budget_spend(&budget, 0, 1);
	budget_set(&budget, 0, 3600, 0);
	assert_true(budget_ready_ms(&budget, 0, 1) == 1000);
	budget = budget_of(1e-300, 0);
	budget_spend(&budget, 0, 1);
	assert_true(budget_ready_ms(&budget, 0, 1) == INT64_MAX);
}

/* Requests that were spent at a higher rate delay the next one no longer than
 * a full budget does. */
static void
test_fill(void **state)
{
	struct budget budget;

	budget = budget_of(60, 300000);
	budget_fill(&budget, 0, 4);
	assert_true(budget_ready_ms(&budget, 0, 1) == 0);
	budget_fill(&budget, 0, 1000);
	assert_true(budget_ready_ms(&budget, 0, 1) == 60000);
	budget_spend(&budget, 0, 2);
	budget_fill(&budget, 0, NAN);
	assert_true(budget_ready_ms(&budget, 0, 1) == 60000);
	budget = budget_of(0, 0);
	budget_fill(&budget, 7, 5);
	assert_true(budget_ready_ms(&budget, 7, 1) == 7);
}

UNIT_TESTS(budget, cmocka_unit_test(test_pace), cmocka_unit_test(test_windows),
    cmocka_unit_test(test_costs), cmocka_unit_test(test_jumps),
    cmocka_unit_test(test_fill));
