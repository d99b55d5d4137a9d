/* Days and silences against the habit of a site. */
#include <stdlib.h>

#include "base/zone.h"
#include "crawler/events/habit.h"
#include "tests/fixtures/fixture.h"

#define DAY_S INT64_C(86400)
#define START_S (20000 * DAY_S)

static struct habit_day *
day(struct habit *habit, int n)
{
	return habit_day(habit, START_S + n * DAY_S + 1000);
}

/* 40 days that were read, with five new pages each Monday or so. */
static void
begin(struct habit *habit)
{
	*habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 0; i < 40; i++) {
		day(habit, i)->is_read = true;
		day(habit, i)->pages = i % 7 == 0 ? 5 : 0;
	}
}

static const struct habit_moved none;

static void
burst(void **state)
{
	struct habit habit;
	uint64_t usual;
	int64_t at_s = START_S + 39 * DAY_S;

	begin(&habit);
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	day(&habit, 39)->pages = 20;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 20);
	assert_int_equal(usual, 5);
	day(&habit, 39)->pages = 19;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	/* four times as many as on the best day before */
	day(&habit, 38)->pages = 10;
	day(&habit, 39)->pages = 39;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	day(&habit, 39)->pages = 40;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 40);
	/* a launch is told by itself; what came unseen is no burst */
	day(&habit, 39)->launched = 1;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	day(&habit, 39)->launched = 0;
	day(&habit, 39)->late = 1;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	day(&habit, 39)->late = 0;
	assert_int_equal(
	    habit_burst(&habit, at_s, &(struct habit_moved){{1}}, &usual), 0);
	assert_int_equal(
	    habit_burst(&habit, at_s, &(struct habit_moved){{50}}, &usual), 0);
	free(habit.days);
}

static void
burst_needs_a_habit(void **state)
{
	struct habit habit;
	uint64_t usual;

	begin(&habit);
	day(&habit, 27)->pages = 100;
	assert_int_equal(
	    habit_burst(&habit, START_S + 27 * DAY_S, &none, &usual), 0);
	day(&habit, 28)->pages = 400;
	assert_int_equal(
	    habit_burst(&habit, START_S + 28 * DAY_S, &none, &usual), 400);
	for (int i = 0; i < 8; i++)
		day(&habit, i)->is_read = false;
	assert_int_equal(
	    habit_burst(&habit, START_S + 28 * DAY_S, &none, &usual), 400);
	day(&habit, 8)->is_read = false;
	assert_int_equal(
	    habit_burst(&habit, START_S + 28 * DAY_S, &none, &usual), 0);
	/* no days are known there */
	assert_int_equal(
	    habit_burst(&habit, START_S + 99 * DAY_S, &none, &usual), 0);
	free(habit.days);
}

static void
silence(void **state)
{
	struct habit habit;
	uint64_t longest;
	int64_t at_s = START_S + 56 * DAY_S + 500;

	habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 7; i <= 56; i += 7)
		day(&habit, i)->pages = 5;
	/* eight days with new pages, a week apart: silence from the 15th day
	 * on */
	assert_int_equal(habit_silent_from(&habit, at_s, &longest),
	    START_S + (56 + 15) * DAY_S);
	assert_int_equal(longest, 7);
	day(&habit, 28)->pages = 0;
	assert_int_equal(habit_silent_from(&habit, at_s, &longest), 0);
	day(&habit, 25)->pages = 1;
	assert_int_equal(habit_silent_from(&habit, at_s, &longest),
	    START_S + (56 + 21) * DAY_S);
	assert_int_equal(longest, 10);
	/* with long times between, there is no habit */
	day(&habit, 25)->pages = 0;
	day(&habit, 20)->pages = 1;
	day(&habit, 21)->pages = 0;
	day(&habit, 13)->pages = 1;
	assert_int_equal(habit_silent_from(&habit, at_s, &longest), 0);
	assert_int_equal(longest, 15);
	free(habit.days);
}

static void
short_silence(void **state)
{
	struct habit habit;
	uint64_t longest;

	habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 0; i < 20; i++)
		day(&habit, i)->pages = 1;
	/* it lasts for a week at least */
	assert_int_equal(
	    habit_silent_from(&habit, START_S + 19 * DAY_S, &longest),
	    START_S + (19 + 8) * DAY_S);
	assert_int_equal(longest, 1);
	free(habit.days);
}

UNIT(habit)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(burst),
	    cmocka_unit_test(burst_needs_a_habit),
	    cmocka_unit_test(silence),
	    cmocka_unit_test(short_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
