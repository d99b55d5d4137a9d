/* Planned rates: the conditions of their optima, and that they are kept. */
#include <math.h>

#include "sched/sim/rates.h"
#include "tests/fixtures/policy_fixture.h"

enum { PAGES = 6 };

static struct bounds_problem
make_problem(struct value_rates *pages, double requests)
{
	for (int i = 0; i < PAGES; i++)
		pages[i] = (struct value_rates){
		    .weight = 1 + i % 2, .alpha = 0.5 * (i + 1), .q = 1};
	return (struct bounds_problem){
	    .pages = pages, .page_count = PAGES, .requests_per_day = requests};
}

static double
sum_of(const double *values)
{
	double sum = 0;

	for (int i = 0; i < PAGES; i++)
		sum += values[i];
	return sum;
}

/* One more request a day would bring the same gain for every page that receives
 * requests, and less for a page that receives none. */
static void
test_azar(void **state)
{
	struct value_rates pages[PAGES];
	double per_day[PAGES];
	struct bounds_problem problem = make_problem(pages, 2);
	double price = 0;

	(void)state;
	rates_azar(&problem, per_day);
	assert_close(sum_of(per_day), 2, 1e-9);
	for (int i = 0; i < PAGES; i++) {
		double all = pages[i].alpha + per_day[i];
		double gain = pages[i].weight * pages[i].alpha / all / all;
		if (per_day[i] > 0 && !(price > 0))
			price = gain;
		if (per_day[i] > 0)
			assert_close(gain, price, 1e-6);
	}
	for (int i = 0; i < PAGES; i++)
		assert_true(per_day[i] > 0 ||
		    pages[i].weight / pages[i].alpha <= price);
	/* the last but one weighs least for its changes */
	assert_close(per_day[4], 0, 0);
}

static void
test_lambda(void **state)
{
	struct value_rates pages[PAGES];
	double per_day[PAGES];
	struct bounds_problem problem = make_problem(pages, 2);

	(void)state;
	rates_lambda(&problem, per_day);
	assert_close(sum_of(per_day), 2, 1e-9);
	for (int i = 0; i < PAGES; i++) {
		/* d/df of weight ln(f / (f + D)) */
		double gain[2];
		for (int j = 0; j < 2; j++) {
			const struct value_rates *page = &pages[j ? i : 0];
			double f = per_day[j ? i : 0];
			assert_true(f > 0);
			gain[j] = page->weight * page->alpha / f /
			    (f + page->alpha);
		}
		assert_close(gain[1] / gain[0], 1, 1e-6);
	}
	rates_proportional(&problem, per_day);
	assert_close(sum_of(per_day), 2, 1e-9);
	assert_close(per_day[3] / per_day[0], 4, 1e-9);
	rates_weight(&problem, per_day);
	assert_close(per_day[3] / per_day[0], 2, 1e-9);
}

/* One price for both kinds: of notices and of fetches without. */
static void
test_lambda_mixed(void **state)
{
	struct value_rates pages[PAGES];
	double per_day[PAGES], chances[PAGES];
	struct bounds_problem problem = make_problem(pages, 2);
	double spent = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		pages[i].gamma = pages[i].alpha;
		pages[i].alpha = pages[i].q = 0;
	}
	rates_lambda_mixed(&problem, per_day, chances);
	for (int i = 0; i < 3; i++) {
		assert_close(per_day[i], 0, 0);
		assert_true(chances[i] > 0 && chances[i] <= 1);
		spent += chances[i] * pages[i].gamma;
	}
	for (int i = 3; i < PAGES; i++)
		assert_true(chances[i] < 0 && per_day[i] > 0);
	assert_close(sum_of(per_day) + spent, 2, 1e-6);
	/* weight / (D p) where p < 1 is the price of the others, roughly */
	double price = pages[4].weight * pages[4].alpha / per_day[4] /
	    (per_day[4] + pages[4].alpha);
	for (int i = 0; i < 3; i++)
		if (chances[i] < 1)
			assert_close(pages[i].weight /
				(pages[i].gamma * chances[i]) / price,
			    1, 0.05);
	/* more than all their changes: each is fetched at once */
	problem.requests_per_day = 100;
	rates_lambda_mixed(&problem, per_day, chances);
	for (int i = 0; i < 3; i++)
		assert_close(chances[i], 1, 0.01);
	assert_close(sum_of(per_day), 100 - 3, 0.5);
}

/* Cho's example, played: 1.15, 1.36, 1.35, 1.14 and no fetches a day. */
static void
test_cho_played(void **state)
{
	static const double expected[] = {1.15, 1.36, 1.35, 1.14, 0};
	struct trial trial;
	double counts[5] = {0};
	const int days = 400;

	(void)state;
	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 5; i++)
		(void)trial_add(&trial, 1, i + 1);
	trial.setup.requests_per_day = 5;
	trial_begin(&trial, &policy_cho);
	for (int i = 0; i < 5 * days; i++)
		counts[trial_ask(&trial, SIM_SAME)] += 1.0 / days;
	for (int i = 0; i < 5; i++)
		assert_close(counts[i], expected[i], 0.01);
	trial_end(&trial);
}

/* Notices are followed with their chance, other pages at random times. */
static void
test_lambda_played(void **state)
{
	struct history_dates right = {DATING_CORRECT, 1, 1};
	struct trial trial;
	int counts[2] = {0};

	(void)state;
	trial_init(&trial, right);
	(void)trial_add(&trial, 1, 1);
	(void)trial_add(&trial, 3, 3);
	trial.setup.requests_per_day = 2;
	trial_begin(&trial, &policy_lambda);
	for (int i = 1; i <= 2000; i++) {
		uint32_t page;
		trial.now_s = i * DAY_S;
		trial_move(&trial, 0, SIM_MOVED, trial.now_s - 1);
		trial_move(&trial, 1, SIM_MOVED, trial.now_s - 1);
		do {
			page = trial_ask(&trial, SIM_CHANGED);
			if (page != HISTORY_NONE)
				counts[page]++;
		} while (page != HISTORY_NONE);
	}
	/* weight / D is 1 for both: half of the changes of each */
	assert_true(counts[0] > 900 && counts[0] < 1100);
	assert_true(counts[1] > 900 && counts[1] < 1100);
	trial_end(&trial);
}

/* A page that was never fetched comes first; a dead page never comes. */
static void
test_new_and_dead(void **state)
{
	struct trial trial;

	(void)state;
	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 3; i++)
		(void)trial_add(&trial, 1, 1);
	trial_begin(&trial, &policy_cho);
	trial_ask(&trial, SIM_SAME);
	trial.policy->page(trial.self, -DAY_S, 2, false);
	assert_int_equal(trial_ask(&trial, SIM_DEAD), 2);
	for (int i = 0; i < 20; i++)
		assert_true(trial_ask(&trial, SIM_SAME) < 2);
	trial_move(&trial, 2, SIM_MOVED, 1);
	int count = 0;
	for (int i = 0; i < 60; i++)
		count += trial_ask(&trial, SIM_SAME) == 2;
	assert_true(count > 5);
	trial_end(&trial);
}

/* Pages with right dates are fetched when their dates move; when the dates
 * stop to say anything, the pages are fetched at random times. */
static void
test_lambda_turns(void **state)
{
	struct history_dates right = {DATING_CORRECT, 1, 1};
	struct history_dates none = {DATING_STALE, -1, 0};
	struct trial trial;
	int count = 0;

	(void)state;
	trial_init(&trial, right);
	trial.history.documents[0].dates[1] = none;
	trial.history.documents[0].turn_s = 10 * DAY_S;
	(void)trial_add(&trial, 1, 1);
	trial.setup.requests_per_day = 2;
	trial_begin(&trial, &policy_lambda);
	for (trial.now_s = 0; trial.now_s < 10 * DAY_S; trial.now_s += DAY_S)
		assert_int_equal(trial_ask(&trial, SIM_SAME), HISTORY_NONE);
	for (int i = 0; i < 20; i++)
		count += trial_ask(&trial, SIM_SAME) == 0;
	assert_int_equal(count, 20);
	trial_end(&trial);
}

/* A page that gives no answer is left alone, even if it is behind its plan. */
static void
test_held(void **state)
{
	struct trial trial;

	(void)state;
	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	(void)trial_add(&trial, 1, 1);
	trial.setup.requests_per_day = 2;
	trial_begin(&trial, &policy_cho);
	trial.now_s = DAY_S;
	uint32_t failed = trial_ask(&trial, SIM_FAILED);
	for (int i = 0; i < 20; i++)
		assert_int_equal(trial_ask(&trial, SIM_SAME), 1 - failed);
	trial.now_s += 2 * HOUR_S;
	assert_int_equal(trial_ask(&trial, SIM_SAME), failed);
	trial_end(&trial);
}

UNIT(policy_paced)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_azar),
	    cmocka_unit_test(test_lambda),
	    cmocka_unit_test(test_lambda_mixed),
	    cmocka_unit_test(test_cho_played),
	    cmocka_unit_test(test_lambda_played),
	    cmocka_unit_test(test_new_and_dead),
	    cmocka_unit_test(test_lambda_turns),
	    cmocka_unit_test(test_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
