/* A plan made from weights, and that it is kept. */
#include "tests/fixtures/policy_fixture.h"

/* Pages of the weights 1 to 4 share ten requests a day. */
static void
test_shares(void **state)
{
	struct trial trial;
	double counts[4] = {0};
	const int days = 100;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 4; i++)
		(void)trial_add(&trial, i + 1, 1);
	trial.setup.requests_per_day = 10;
	trial_begin(&trial, &policy_weight);
	for (int i = 0; i < 10 * days; i++)
		counts[trial_ask(&trial, SIM_SAME)] += 1.0 / days;
	for (int i = 0; i < 4; i++)
		assert_close(counts[i], i + 1, 0.02);
	trial_end(&trial);
}

/* A page that was never fetched comes first; a dead page never comes. */
static void
test_new_and_dead(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 3; i++)
		(void)trial_add(&trial, 1, 1);
	trial_begin(&trial, &policy_weight);
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

/* A page that gives no answer is left alone, even if it is behind its plan. */
static void
test_held(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	(void)trial_add(&trial, 1, 1);
	trial.setup.requests_per_day = 2;
	trial_begin(&trial, &policy_weight);
	trial.now_s = DAY_S;
	uint32_t failed = trial_ask(&trial, SIM_FAILED);
	for (int i = 0; i < 20; i++)
		assert_int_equal(trial_ask(&trial, SIM_SAME), 1 - failed);
	trial.now_s += 2 * HOUR_S;
	assert_int_equal(trial_ask(&trial, SIM_SAME), failed);
	trial_end(&trial);
}

UNIT_TESTS(policy_weight, cmocka_unit_test(test_shares),
    cmocka_unit_test(test_new_and_dead), cmocka_unit_test(test_held));
