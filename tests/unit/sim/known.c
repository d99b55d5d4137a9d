/* The truth about pages, given or counted. */
#include "tests/sim/known.h"

#include <stdlib.h>

#include "tests/fixtures/policy_fixture.h"
#include "tests/sim/known.h"

static void
check_rates(const struct trial *trial, double alpha, double gamma, double q)
{
	struct known known;
	struct value_rates rates;

	known_init(&known, &trial->history);
	rates = known_rates(&known, 0, 0);
	assert_close(rates.weight, 3, 1e-6);
	assert_close(rates.alpha, alpha, 1e-6);
	assert_close(rates.gamma, gamma, 1e-6);
	assert_close(rates.q, q, 1e-6);
	known_release(&known);
}

static void
test_given(void **state)
{
	static const struct {
		struct history_dates dates;
		double alpha, gamma, q;
	} cases[] = {
	    {{DATING_NOISY, 0.25f, 0.5f}, 1, 4, 0.75},
	    {{DATING_CORRECT, 1, 1}, 0, 2, 0},
	    {{DATING_STALE, -1, 0}, 2, 0, 1},
	    {{DATING_UNKNOWN, -1, -1}, 2, 0, 1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct trial trial;
		trial_init(&trial, cases[i].dates);
		(void)trial_add(&trial, 3, 2);
		check_rates(&trial, cases[i].alpha, cases[i].gamma, cases[i].q);
		history_release(&trial.history);
	}
}

static void
add_event(
    struct history *history, enum history_kind kind, int64_t t_s, uint64_t text)
{
	struct history_event event = {
	    .kind = (uint8_t)kind, .t_s = t_s, .text = text};

	history_add(history, &event);
}

/* The rates of a trace are counted from the first event of a page on. */
static void
test_counted(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){DATING_UNKNOWN, -1, -1});
	(void)trial_add(&trial, 3, -1);
	trial.history.end_s = 20 * DAY_S;
	add_event(&trial.history, HISTORY_EXISTS, 10 * DAY_S, 1);
	check_rates(&trial, 0.5 / 10, 0, 1);
	add_event(&trial.history, HISTORY_CHANGES, 11 * DAY_S, 2);
	add_event(&trial.history, HISTORY_CHANGES, 12 * DAY_S, 3);
	check_rates(&trial, 2.0 / 10, 0, 1);
	trial.history.starts_known = true;
	check_rates(&trial, 2.0 / 20, 0, 1);
	history_release(&trial.history);
}

static void
test_shares(void **state)
{
	struct trial trial;
	double share;

	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	known_shares(&trial.history, 0, 10 * DAY_S, &share);
	assert_close(share, 0, 0);
	add_event(&trial.history, HISTORY_REMOVED, -DAY_S, 0);
	add_event(&trial.history, HISTORY_ADDED, DAY_S, 0);
	add_event(&trial.history, HISTORY_ADDED, 2 * DAY_S, 0);
	known_shares(&trial.history, 0, 10 * DAY_S, &share);
	assert_close(share, 0.9, 1e-9);
	add_event(&trial.history, HISTORY_REMOVED, 3 * DAY_S, 0);
	add_event(&trial.history, HISTORY_ADDED, 9 * DAY_S, 0);
	known_shares(&trial.history, 0, 10 * DAY_S, &share);
	assert_close(share, 0.3, 1e-9);
	known_shares(&trial.history, 4 * DAY_S, 8 * DAY_S, &share);
	assert_close(share, 0, 0);
	history_release(&trial.history);
}

static void
add_date(struct history *history, int64_t t_s, uint32_t page)
{
	struct history_event event = {.kind = HISTORY_CLAIMS,
	    .t_s = t_s,
	    .lastmod_s = t_s,
	    .subject = page};

	history_add(history, &event);
}

static void
add_publication(struct history *history, int64_t t_s)
{
	add_event(history, HISTORY_PUBLISHED, t_s, 0);
}

/* Of a page whose text is the day's, and its date as well. */
static void
add_told(struct history *history, int64_t day, uint32_t page)
{
	struct history_event event = {.kind = HISTORY_CHANGES,
	    .t_s = day * DAY_S,
	    .text = (uint64_t)day,
	    .subject = page};

	history_add(history, &event);
	add_date(history, day * DAY_S, page);
}

static void
add_first(struct trial *trial, int64_t t_s)
{
	struct history_event event = {.kind = HISTORY_EXISTS,
	    .t_s = t_s,
	    .text = 100,
	    .subject = trial_add(trial, 1, -1)};

	history_add(&trial->history, &event);
	event.kind = HISTORY_ADDED;
	history_add(&trial->history, &event);
}

/*
 * There are two publications, and four pages.  Page 0 changes and its date
 * moves, twice before the second publication, which counts once; page 1 moves
 * only; page 2 changes only; page 3 changes and moves, but is new in the second
 * publication, so that it does not count.  Page 0 then goes and comes back.
 * What no publication shows does not count.
 */
static void
test_dates(void **state)
{
	struct trial trial;
	struct history *history = &trial.history;
	struct known_dates *dates;

	trial_init(&trial, (struct history_dates){DATING_UNKNOWN, -1, -1});
	history->documents[0].shows_at_once = false;
	history->end_s = 20 * DAY_S;
	for (uint32_t i = 0; i < 4; i++)
		add_first(&trial, i == 3 ? 2 * DAY_S : 0);
	add_publication(history, DAY_S);
	add_told(history, 3, 0);
	add_date(history, 3 * DAY_S, 1);
	add_told(history, 3, 3);
	history_add(history,
	    &(struct history_event){.kind = HISTORY_CHANGES,
		.t_s = 3 * DAY_S,
		.text = 1,
		.subject = 2});
	add_told(history, 4, 0);
	add_publication(history, 5 * DAY_S);
	add_event(history, HISTORY_ENDS, 6 * DAY_S, 0);
	add_date(history, 6 * DAY_S, 0);
	add_publication(history, 7 * DAY_S);
	add_told(history, 8, 0);
	add_publication(history, 9 * DAY_S);
	add_told(history, 10, 0);
	history_sort(history);
	dates = known_dates_make(history);
	assert_int_equal(dates->moved, 2);
	assert_int_equal(dates->changed, 2);
	assert_int_equal(dates->both, 1);
	assert_close(known_dates_precision(dates), 0.5, 1e-12);
	assert_close(known_dates_recall(dates), 0.5, 1e-12);
	dates[0] = (struct known_dates){0};
	assert_true(known_dates_precision(dates) < 0);
	assert_true(known_dates_recall(dates) < 0);
	free(dates);
	history_release(history);
}

UNIT_TESTS(known, cmocka_unit_test(test_given), cmocka_unit_test(test_counted),
    cmocka_unit_test(test_shares), cmocka_unit_test(test_dates));
