/* The policy that knows the future. */
#include "tests/fixtures/policy_fixture.h"

static void
add_change(struct trial *trial, uint32_t page, int64_t day)
{
	struct history_event event = {.kind = HISTORY_CHANGES,
	    .subject = page,
	    .t_s = day * DAY_S,
	    .text = (uint64_t)day};

	if (day == 0)
		event.kind = HISTORY_EXISTS;
	history_add(&trial->history, &event);
}

static void
begin(struct trial *trial)
{
	static const uint32_t pages[] = {0, 1, 2, 0, 1, 2, 1, 0};
	static const int64_t days[] = {0, 0, 0, 5, 6, 7, 8, 20};

	trial_init(trial, (struct history_dates){0});
	(void)trial_add(trial, 1, 1);
	(void)trial_add(trial, 1, 0.5);
	(void)trial_add(trial, 1, 2);
	for (size_t i = 0; i < COUNT(pages); i++)
		add_change(trial, pages[i], days[i]);
	trial_begin(trial, &policy_clairvoyant);
}

static void
test_clairvoyant(void **state)
{
	struct trial trial;

	begin(&trial);
	trial.now_s = 7 * DAY_S;
	/* 2 never changes again; 0 in 13 days, 1 in one */
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 2);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 0);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 1);
	trial.now_s = 21 * DAY_S;
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 0);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 1);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), HISTORY_NONE);
	trial_end(&trial);
}

UNIT_TESTS(policy_oracle, cmocka_unit_test(test_clairvoyant));
