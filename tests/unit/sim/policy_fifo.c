/* Policies that use no knowledge. */
#include "tests/fixtures/policy_fixture.h"

static void
test_fifo(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 3; i++)
		(void)trial_add(&trial, 1, 1);
	trial_begin(&trial, &policy_fifo);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 0);
	assert_int_equal(trial_ask(&trial, SIM_DEAD), 1);
	assert_int_equal(trial_ask(&trial, SIM_FAILED), 2);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	/* its pause of two hours is over, and its last fetch is still the
	 * oldest */
	trial.now_s += 2 * HOUR_S;
	/* the page is listed with another date, so it may exist again; it
	 * comes last */
	trial_move(&trial, 1, SIM_GONE, HISTORY_NO_DATE);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	trial_move(&trial, 1, SIM_MOVED, DAY_S);
	trial_move(&trial, 2, SIM_MOVED, DAY_S);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	trial_end(&trial);
}

/* Pages that were never fetched come before all others, those that were listed
 * first before the rest. */
static void
test_fifo_new(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 4; i++)
		(void)trial_add(&trial, 1, 1);
	trial.unknown = 2;
	trial_begin(&trial, &policy_fifo);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	policy_fifo.page(trial.self, 1, 3, false);
	policy_fifo.page(trial.self, 1, 2, false);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 3);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 2);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	trial_end(&trial);
}

static void
test_nothing_to_fetch(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	trial_begin(&trial, &policy_fifo);
	assert_int_equal(trial_ask(&trial, SIM_SAME), HISTORY_NONE);
	trial_end(&trial);
}

/* Each policy has a name of its own, one line of text, and what is called. */
static void
test_list(void **state)
{
	size_t count;
	const struct sim_policy *const *policies = sim_policies(&count);

	assert_true(count > 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(policies[i]->name) > 0);
		assert_true(strlen(policies[i]->text) > 0);
		assert_null(strchr(policies[i]->text, '\n'));
		assert_non_null(policies[i]->new);
		assert_non_null(policies[i]->free);
		assert_non_null(policies[i]->page);
		assert_non_null(policies[i]->outcome);
		assert_non_null(policies[i]->next);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(
			    policies[i]->name, policies[j]->name);
	}
}

UNIT_TESTS(policy_fifo, cmocka_unit_test(test_fifo),
    cmocka_unit_test(test_fifo_new), cmocka_unit_test(test_nothing_to_fetch),
    cmocka_unit_test(test_list));
