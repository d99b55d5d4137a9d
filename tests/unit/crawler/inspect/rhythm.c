/* When pages come, from what readings saw. */
#include "crawler/inspect/rhythm.h"
#include "base/civil.h"

#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/inspect/stats_text.h"
#include "tests/fixtures/fixture.h"

#define MONDAY_S (20416 * DAY_S) /* 2025-11-24 */

static const struct date undated;

/* read_hourly(weeks, from, to): the rhythm of a site that was read each hour,
 * but for the days from `from` to before `to`. */
static struct rhythm *
read_hourly(int weeks, int from, int to)
{
	int64_t end_s = MONDAY_S + weeks * 7 * DAY_S;
	struct rhythm *rhythm = rhythm_new(MONDAY_S, end_s);
	struct rhythm_window window = {0};

	for (int64_t at_s = MONDAY_S; at_s <= end_s; at_s += HOUR_S) {
		int64_t day = (at_s - MONDAY_S) / DAY_S;

		if (day >= from && day < to)
			continue;
		window.at_s = at_s;
		rhythm_look(rhythm, &window);
		window.after_s = at_s;
	}
	return rhythm;
}

/* Pages come in a reading of that hour, which is every_s after the last. */
static void
publish(struct rhythm *rhythm, int day, int hour, int pages, int64_t every_s)
{
	int64_t at_s = MONDAY_S + day * DAY_S + hour * HOUR_S + HOUR_S / 2;
	struct rhythm_window window = {at_s - every_s, at_s};

	for (int i = 0; i < pages; i++)
		rhythm_page(rhythm, &window, at_s, &undated);
}

static void
assert_words(struct rhythm *rhythm, const char *wanted)
{
	struct rhythm_facts facts;
	struct buf words;

	buf_init(&words, 1 << 12);
	rhythm_judge(rhythm, &facts);
	rhythm_words(&facts, &words);
	assert_string_equal(buf_str(&words), wanted);
	buf_release(&words);
	rhythm_free(rhythm);
}

/* Weeks of a site: which pages come on which day. */
static void
rhythms(void **state)
{
	static const struct {
		const char *words;
		int weeks;
		/* pages from Monday to Sunday, one reading each, in `hour`;
		 * with 24 as the hour, at any hour */
		int pages[7];
		int hour;
	} rows[] = {
	    {"nothing new", 8, {0}, 10},
	    {"Mondays 10 to 11 h, five at once", 8, {5}, 10},
	    {"Mondays, five at once", 8, {5}, 24},
	    {"Mon to Fri 10 to 11 h, one page", 8, {1, 1, 1, 1, 1}, 10},
	    {"Tue, Thu 23 to 24 h, 40 at once", 4, {0, 40, 0, 40}, 23},
	    {"every day 0 to 1 h, two at once", 3, {2, 2, 2, 2, 2, 2, 2}, 0},
	    {"Mon to Wed 10 to 11 h", 8, {1, 20, 400}, 10},
	    /* two Mondays and two Tuesdays are not enough */
	    {"no rhythm yet, 15 of 21 days read", 2, {1, 2}, 10},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rhythm *rhythm = read_hourly(rows[i].weeks, 0, 0);

		for (int day = 0; day < rows[i].weeks * 7; day++)
			publish(rhythm, day,
			    rows[i].hour < 24 ? rows[i].hour : day * 5 % 24,
			    rows[i].pages[day % 7], HOUR_S);
		assert_words(rhythm, rows[i].words);
	}
}

/* Pages by chance, one burst, few pages, and a holiday. */
static void
no_rhythm(void **state)
{
	static const int chance[] = {
	    0, 3, 4, 12, 13, 17, 22, 27, 34, 36, 45, 54};
	struct rhythm *rhythm = read_hourly(8, 0, 0);

	for (size_t i = 0; i < COUNT(chance); i++)
		publish(rhythm, chance[i], 10, 1, HOUR_S);
	assert_words(rhythm, "no rhythm seen in 12 pages");

	rhythm = read_hourly(8, 0, 0);
	publish(rhythm, 49, 10, 1000, HOUR_S);
	assert_words(rhythm, "no rhythm seen in 1,000 pages");

	rhythm = read_hourly(4, 0, 0);
	for (int week = 1; week < 4; week++)
		publish(rhythm, week * 7, 10, 1, HOUR_S);
	assert_words(rhythm, "no rhythm seen in 3 pages");

	/* a burst on a Sunday and a week of holidays leave the rhythm */
	rhythm = read_hourly(8, 0, 0);
	publish(rhythm, 27, 3, 500, HOUR_S);
	for (int day = 0; day < 56; day++)
		if (day % 7 < 5 && day / 7 != 2)
			publish(rhythm, day, 9, 1, HOUR_S);
	assert_words(rhythm, "Mon to Fri 9 to 10 h, one page");

	rhythm = read_hourly(8, 0, 0);
	for (int week = 0; week < 5; week++)
		publish(rhythm, week * 7, 9, 1, HOUR_S);
	assert_words(rhythm, "nothing since 2025-12-22");
}

/* No history, one reading. */
static void
no_history(void **state)
{
	struct rhythm *rhythm = rhythm_new(MONDAY_S, MONDAY_S);
	struct rhythm_window window = {0, MONDAY_S};
	struct rhythm_facts facts;
	struct buf *words = *state;

	assert_words(rhythm, "nothing new");
	rhythm = rhythm_new(MONDAY_S + DAY_S, MONDAY_S);
	rhythm_look(rhythm, &window);
	rhythm_page(rhythm, &window, 1, &undated);
	rhythm_judge(rhythm, &facts);
	assert_int_equal(facts.all, 1);
	assert_int_equal(facts.placeless, 1);
	rhythm_lag_words(&facts, words);
	assert_string_equal(buf_str(words),
	    "not known: no new page has a date with an hour that fits");
	buf_clear(words);
	rhythm_redated_words(&facts, words);
	assert_string_equal(buf_str(words), "");
	assert_words(rhythm, "no rhythm yet, 0 of 21 days read");
	rhythm_free(NULL);
}

/* What came while nobody looked has no place, unless its date says one. */
static void
windows(void **state)
{
	static const struct {
		int64_t every_s; /* 0: nobody looked before */
		int64_t date_s; /* before the reading; 0: none */
		int precision;
		int weekday, hour; /* -1: not known */
	} rows[] = {
	    {HOUR_S, 0, 0, 2, 10},
	    {2 * HOUR_S, 0, 0, 2, 9},
	    {3 * HOUR_S, 0, 0, 2, -1},
	    /* half of a day before is Tuesday */
	    {24 * HOUR_S, 0, 0, 1, -1},
	    {26 * HOUR_S, 0, 0, 1, -1},
	    {27 * HOUR_S, 0, 0, -1, -1},
	    {0, 0, 0, -1, -1},
	    {-HOUR_S, 0, 0, -1, -1},
	    {24 * HOUR_S, 2 * HOUR_S, DATE_MINUTE, 2, 8},
	    {72 * HOUR_S, 30 * HOUR_S, DATE_SECOND, 1, 4},
	    {24 * HOUR_S, 10 * HOUR_S + HOUR_S / 2, DATE_DAY, 2, -1},
	    {72 * HOUR_S, 34 * HOUR_S + HOUR_S / 2, DATE_DAY, 1, -1},
	    /* dates that do not fit, or are too coarse */
	    {72 * HOUR_S, 30 * HOUR_S, DATE_MONTH, -1, -1},
	    {72 * HOUR_S, 24 * 6 * HOUR_S, DATE_SECOND, -1, -1},
	    {HOUR_S, -2 * HOUR_S, DATE_SECOND, 2, 10},
	    {0, HOUR_S, DATE_SECOND, -1, -1},
	};
	/* Wednesday, half past ten */
	int64_t at_s = MONDAY_S + 2 * DAY_S + 10 * HOUR_S + HOUR_S / 2;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rhythm *rhythm = rhythm_new(
		    MONDAY_S, MONDAY_S + 7 * DAY_S);
		struct rhythm_window window = {
		    rows[i].every_s == 0 ? 0 : at_s - rows[i].every_s, at_s};
		struct date date = {.epoch_s = at_s - rows[i].date_s,
		    .precision = (uint8_t)rows[i].precision};
		struct rhythm_facts facts;
		int weekday = -1, hour = -1;

		rhythm_page(
		    rhythm, &window, 1, rows[i].date_s == 0 ? &undated : &date);
		rhythm_judge(rhythm, &facts);
		for (int day = 0; day < 7; day++) {
			if (facts.hourless[day] > 0)
				weekday = day;
			for (int k = 0; k < 24; k++)
				if (facts.pages[day][k] > 0) {
					weekday = day;
					hour = k;
				}
		}
		if (weekday != rows[i].weekday || hour != rows[i].hour)
			fail_msg("row %zu: %d %d", i, weekday, hour);
		assert_int_equal(facts.placeless, weekday < 0);
		rhythm_free(rhythm);
	}
}

/* Two readings in the same second. */
static void
shortest_window(void **state)
{
	struct rhythm *rhythm = rhythm_new(MONDAY_S, MONDAY_S + 7 * DAY_S);
	struct rhythm_window window = {MONDAY_S + HOUR_S, MONDAY_S + HOUR_S};
	struct rhythm_facts facts;

	rhythm_look(rhythm, &window);
	rhythm_page(rhythm, &window, 1, &undated);
	rhythm_judge(rhythm, &facts);
	assert_int_equal(facts.pages[0][1], 1);
	assert_int_equal(facts.seen[0][1], 1);
	rhythm_free(rhythm);
}

/* Days without readings are shown, and what they hide makes no rhythm. */
static void
unseen_days(void **state)
{
	struct rhythm *rhythm = read_hourly(4, 7, 14);
	struct rhythm_facts facts;

	/* 500 pages are found after a week of failures */
	publish(rhythm, 14, 0, 500, 8 * DAY_S);
	rhythm_judge(rhythm, &facts);
	assert_int_equal(facts.placeless, 500);
	assert_int_equal(facts.days[0], 0);
	assert_int_equal(facts.seen[2][10], 3);
	assert_int_equal(facts.seen_days[2], 3);
	assert_words(rhythm, "no rhythm seen in 500 pages");

	/* readings on Mondays alone see Mondays alone */
	rhythm = rhythm_new(MONDAY_S, MONDAY_S + 28 * DAY_S);
	for (int week = 0; week < 4; week++)
		for (int hour = 1; hour < 24; hour++) {
			int64_t at_s = MONDAY_S + week * 7 * DAY_S +
			    hour * HOUR_S;
			struct rhythm_window window = {at_s - HOUR_S, at_s};

			rhythm_look(rhythm, &window);
		}
	rhythm_judge(rhythm, &facts);
	assert_int_equal(facts.seen_days[0], 4);
	for (int day = 1; day < 7; day++)
		for (int hour = 0; hour < 24; hour++)
			assert_int_equal(facts.seen[day][hour], 0);
	rhythm_free(rhythm);
}

static void
lags(void **state)
{
	struct rhythm *rhythm = rhythm_new(MONDAY_S, MONDAY_S + 28 * DAY_S);
	struct rhythm_facts facts;
	struct buf *words = *state;

	/* readings are four hours apart; found 30 to 300 minutes after */
	for (int i = 1; i <= 10; i++) {
		int64_t at_s = MONDAY_S + i * DAY_S;
		struct rhythm_window window = {at_s - 4 * HOUR_S, at_s};
		struct date date = {
		    .epoch_s = at_s - i * 1800, .precision = DATE_MINUTE};

		if (i == 5) {
			rhythm_judge(rhythm, &facts);
			rhythm_lag_words(&facts, words);
			assert_string_equal(buf_str(words),
			    "only 4 new pages with a date that has an hour");
		}
		rhythm_page(rhythm, &window, i, &date);
	}
	rhythm_judge(rhythm, &facts);
	assert_int_equal(facts.dated, 10);
	assert_int_equal(facts.lag_s, 6 * 1800);
	assert_int_equal(facts.most_lag_s, 10 * 1800);
	assert_int_equal(facts.interval_s, 4 * HOUR_S);
	/* three hours would be luck */
	buf_clear(words);
	rhythm_lag_words(&facts, words);
	assert_string_equal(buf_str(words),
	    "half of 10 pages within 4.0 h of their dates, 90 % within 5.0 h; "
	    "readings are 4.0 h apart");
	rhythm_free(rhythm);
}

/* Dates of builds. */
static void
redatings(void **state)
{
	static const struct {
		const char *words;
		int days;
	} rows[] = {
	    {"", 0},
	    {"re-dated everything on 1 day", 1},
	    {"re-dated everything on 2 days", 2},
	    {"re-dated everything on 3 days: build dates", 3},
	    {"re-dated everything on 50 days: build dates", 50},
	};
	struct buf *words = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rhythm *rhythm = read_hourly(8, 0, 0);
		struct rhythm_facts facts;

		/* two sitemaps a day */
		for (int k = 0; k < rows[i].days; k++) {
			rhythm_redated(rhythm, MONDAY_S + k * DAY_S);
			rhythm_redated(rhythm, MONDAY_S + k * DAY_S + HOUR_S);
		}
		rhythm_judge(rhythm, &facts);
		assert_int_equal(facts.redatings, rows[i].days);
		rhythm_redated_words(&facts, words);
		assert_row("redatings", words, rows[i].words);
		rhythm_free(rhythm);
	}
}

/* Days and hours are those of the zone. */
static void
zones(void **state)
{
	struct rhythm *rhythm;

	assert_true(zone_use("-11:00"));
	rhythm = read_hourly(8, 0, 0);
	for (int week = 0; week < 8; week++)
		publish(rhythm, week * 7, 5, 1, HOUR_S);
	assert_words(rhythm, "Sundays 18 to 19 h, one page");
	assert_true(zone_use("UTC"));
}

static void
heat(void **state)
{
	struct rhythm_facts facts = {0};
	struct out out = {0};

	for (int day = 0; day < 7; day++)
		for (int hour = 0; hour < 24; hour++)
			facts.seen[day][hour] = hour != 3;
	facts.pages[0][10] = 12;
	facts.pages[1][10] = 1;
	facts.hourless[6] = 12345;
	buf_init(&out.text, 1 << 12);
	stats_heat(&facts, &out);
	assert_string_equal(buf_str(&out.text),
	    "    0     3     6     9     12    15    18    21        day\n"
	    "Mon . . . ? . . . . . . █ . . . . . . . . . . . . .       0\n"
	    "Tue . . . ? . . . . . . ▂ . . . . . . . . . . . . .       0\n"
	    "Wed . . . ? . . . . . . . . . . . . . . . . . . . .       0\n"
	    "Thu . . . ? . . . . . . . . . . . . . . . . . . . .       0\n"
	    "Fri . . . ? . . . . . . . . . . . . . . . . . . . .       0\n"
	    "Sat . . . ? . . . . . . . . . . . . . . . . . . . .       0\n"
	    "Sun . . . ? . . . . . . . . . . . . . . . . . . . .  12.3 k\n"
	    "█ 12 new pages  . none  ? nobody looked that often\n"
	    "day: pages whose hour is not known\n");
	buf_clear(&out.text);
	facts.hourless[6] = 0;
	out.has_color = true;
	stats_heat(&facts, &out);
	assert_non_null(strstr(
	    buf_str(&out.text), "Mon . . . \x1b[2m?\x1b[0m . . . . . . █ . "));
	assert_non_null(strstr(buf_str(&out.text), "█ 12 new pages  . none"));
	assert_null(strstr(buf_str(&out.text), "day"));
	buf_release(&out.text);
}

UNIT(rhythm)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rhythms),
	    cmocka_unit_test(no_rhythm),
	    text_test(no_history),
	    cmocka_unit_test(windows),
	    cmocka_unit_test(shortest_window),
	    cmocka_unit_test(unseen_days),
	    text_test(lags),
	    text_test(redatings),
	    cmocka_unit_test(zones),
	    cmocka_unit_test(heat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
