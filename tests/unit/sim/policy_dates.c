/* Policies that believe a lastmod that moves; what counts as a move. */
#include "tests/fixtures/policy_fixture.h"
#include "tests/sim/baseline.h"

/* A date that moves while nothing is asked counts afterwards; a page that was
 * never fetched has not been since its date. */
static void
test_held_and_new(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 4; i++)
		(void)trial_add(&trial, 1, 1);
	trial.unknown = 2;
	trial_begin(&trial, &policy_lastmod_changed);
	trial.now_s = DAY_S;
	assert_int_equal(trial_ask(&trial, SIM_FAILED), 0);
	trial_move(&trial, 0, SIM_MOVED, DAY_S);
	policy_lastmod_changed.page(trial.self, trial.now_s, 2, false);
	policy_lastmod_changed.page(trial.self, trial.now_s, 3, false);
	trial_move(&trial, 3, SIM_NEW, -DAY_S);
	trial_move(&trial, 2, SIM_NEW, HISTORY_NO_DATE);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 3);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 2);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	trial.now_s += 2 * HOUR_S;
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	trial_end(&trial);
}

static void
test_changed(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){0});
	for (int i = 0; i < 4; i++)
		(void)trial_add(&trial, 1, 1);
	trial_begin(&trial, &policy_lastmod_changed);
	trial.now_s = 10 * DAY_S;
	trial_move(&trial, 2, SIM_MOVED, 5 * DAY_S);
	trial_move(&trial, 3, SIM_MOVED, 7 * DAY_S);
	trial_move(&trial, 1, SIM_NEW, 9 * DAY_S);
	trial_move(&trial, 1, SIM_MOVED, HISTORY_NO_DATE);
	trial_move(&trial, 1, SIM_GONE, 9 * DAY_S);
	trial_move(&trial, 2, SIM_MOVED, 8 * DAY_S);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	assert_int_equal(trial_ask(&trial, SIM_DEAD), 3);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	/* older than the fetch at 10 d: nothing new; of a dead page: hope */
	trial_move(&trial, 0, SIM_MOVED, 9 * DAY_S);
	trial_move(&trial, 3, SIM_MOVED, 9 * DAY_S);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 3);
	trial_end(&trial);
}

static void
test_signal(void **state)
{
	static const struct {
		struct sim_move move;
		bool is_signal;
	} cases[] = {
	    {{.kind = SIM_MOVED, .lastmod_s = 1000}, false},
	    {{.kind = SIM_MOVED, .lastmod_s = 1001}, true},
	    {{.kind = SIM_NEW, .lastmod_s = 1001}, false},
	    {{.kind = SIM_GONE, .lastmod_s = 1001}, false},
	    {{.kind = SIM_MOVED, .lastmod_s = HISTORY_NO_DATE}, false},
	    {{.kind = SIM_MOVED, .lastmod_s = 1001, .is_document = true},
		false},
	    /* the day of the fetch, to its end */
	    {{.kind = SIM_MOVED, .lastmod_s = 0, .is_day = true}, true},
	    {{.kind = SIM_MOVED, .lastmod_s = -86400, .is_day = true}, false},
	    {{.kind = SIM_MOVED, .lastmod_s = INT64_MAX, .is_day = true}, true},
	};
	struct trial trial;
	struct baseline baseline;

	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	trial.setup.history = &trial.history;
	baseline_init(&baseline, &trial.setup);
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(baseline_seen(&baseline, 1000, 0, SIM_SAME));
		assert_int_equal(baseline_signal(&baseline, &cases[i].move),
		    cases[i].is_signal);
	}
	assert_false(baseline_seen(&baseline, 2000, 0, SIM_FAILED));
	assert_close(baseline_tau(&baseline, 87400, 0), 1, 1e-9);
	baseline_release(&baseline);
	history_release(&trial.history);
}

UNIT_TESTS(policy_dates, cmocka_unit_test(test_held_and_new),
    cmocka_unit_test(test_changed), cmocka_unit_test(test_signal));
