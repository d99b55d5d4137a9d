/* The schedules of Nutch and StormCrawler, by hand. */
#include "tests/fixtures/policy_fixture.h"

/* next_after(policy, outcomes, count): a page fetched at 0 gets these answers,
 * each when it is due; days from the last of them until it is due again. */
static double
next_after(const struct sim_policy *policy, const enum sim_outcome *outcomes,
    size_t count)
{
	struct trial trial;
	int64_t last_s = 0;

	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	trial_begin(&trial, policy);
	for (size_t i = 0; i <= count; i++) {
		struct sim_request request;
		last_s = trial.now_s;
		while (!policy->next(trial.self, trial.now_s, &request))
			trial.now_s += 60;
		if (i < count)
			policy->outcome(
			    trial.self, trial.now_s, 0, outcomes[i]);
	}
	trial_end(&trial);
	return (double)(trial.now_s - last_s) / (double)DAY_S;
}

static void
test_storm(void **state)
{
	static const enum sim_outcome same[] = {SIM_SAME, SIM_SAME};
	static const enum sim_outcome changed[] = {SIM_CHANGED, SIM_CHANGED};
	static const enum sim_outcome many[] = {SIM_SAME, SIM_SAME, SIM_SAME,
	    SIM_SAME, SIM_SAME, SIM_SAME, SIM_SAME, SIM_SAME};
	static const enum sim_outcome failed[] = {SIM_SAME, SIM_FAILED};
	static const enum sim_outcome retried[] = {
	    SIM_SAME, SIM_FAILED, SIM_SAME};
	static const enum sim_outcome again[] = {
	    SIM_SAME, SIM_FAILED, SIM_SAME, SIM_SAME};
	static const enum sim_outcome dead[] = {SIM_DEAD};
	const double minute = 1.0 / 1440;

	assert_close(next_after(&policy_storm_due, NULL, 0), 1, minute);
	assert_close(next_after(&policy_storm_due, same, 2), 2.25, minute);
	assert_close(next_after(&policy_storm_due, many, 8), 14, minute);
	/* 24 h, then (24 + 1) / 2, then (12.5 + 1) / 2 */
	assert_close(
	    next_after(&policy_storm_due, changed, 2), 6.75 / 24, minute);
	assert_close(
	    next_after(&policy_storm_due, failed, 2), 2.0 / 24, minute);
	/* a failure drops the text, so the next answer is compared with
	 * nothing */
	assert_close(next_after(&policy_storm_due, retried, 3), 1, minute);
	assert_close(next_after(&policy_storm_due, again, 4), 1.5, minute);
	assert_close(next_after(&policy_storm_due, dead, 1), 31, minute);
	assert_close(next_after(&policy_storm_default, same, 2), 1, minute);
	assert_close(next_after(&policy_storm_default, changed, 2), 1, minute);
	assert_close(next_after(&policy_storm_default, dead, 1), 31, minute);
}

static void
test_nutch(void **state)
{
	static const enum sim_outcome changed[] = {SIM_CHANGED, SIM_CHANGED};
	static const enum sim_outcome same[] = {SIM_SAME, SIM_SAME};
	static const enum sim_outcome failed[] = {SIM_FAILED};
	static const enum sim_outcome dead[] = {SIM_DEAD};
	const double minute = 1.0 / 1440;

	assert_close(next_after(&policy_nutch_due, NULL, 0), 30, minute);
	assert_close(
	    next_after(&policy_nutch_due, changed, 2), 30 * 0.64, minute);
	/* at 30 d: interval 36 d, less a fifth of the 30 d since the change;
	 * at 60 d: the interval is these 60 d, less a fifth of them */
	assert_close(next_after(&policy_nutch_due, same, 1), 30, minute);
	assert_close(next_after(&policy_nutch_due, same, 2), 48, minute);
	assert_close(next_after(&policy_nutch_due, failed, 1), 1, minute);
	assert_close(next_after(&policy_nutch_due, dead, 1), 45, minute);
}

/* The other policies use the whole budget, the most overdue page first. */
static void
test_order(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 3; i++)
		(void)trial_add(&trial, 1, 1);
	trial_begin(&trial, &policy_storm);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 1);
	/* 0 is due after 36 h, 1 after 12.5 h, 2 after 24 h */
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	trial_end(&trial);
}

/* A new URL: fetched at once, its lastmod is when it changed for Nutch. */
static void
test_new_page(void **state)
{
	struct trial trial;
	struct sim_request request;

	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	trial.history.starts_known = false;
	trial.setup.history = &trial.history;
	trial.policy = &policy_nutch_due;
	trial.self = policy_nutch_due.new(&trial.setup);
	trial.now_s = 100 * DAY_S;
	trial.policy->page(trial.self, trial.now_s, 0, false);
	trial_move(&trial, 0, SIM_NEW, 0);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 0);
	/* an interval of the 100 days, less a fifth of them */
	trial.now_s = 180 * DAY_S - 1;
	assert_false(trial.policy->next(trial.self, trial.now_s, &request));
	trial.now_s++;
	assert_true(trial.policy->next(trial.self, trial.now_s, &request));
	trial_end(&trial);
}

UNIT_TESTS(policy_interval, cmocka_unit_test(test_storm),
    cmocka_unit_test(test_nutch), cmocka_unit_test(test_order),
    cmocka_unit_test(test_new_page));
