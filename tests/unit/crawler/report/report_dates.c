/* The histogram of dates: its unit, its columns, and that no date is lost. */
#include "crawler/report/report_dates.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/fixtures/fixture.h"

#define DAY INT64_C(86400)
#define NOW (20416 * DAY + 3600) /* Monday 2025-11-24 01:00 */

struct row {
	const char *unit;
	/* dates: how many, the first so many days before now, the others each
	 * so many days earlier */
	unsigned count;
	int first_ago, step;
	unsigned old, future; /* further dates: of 1990, of tomorrow and 2050 */
	size_t columns;
	const char *first, *last; /* names */
	uint64_t last_count;
};

static const struct row rows[] = {
    /* at least ten columns */
    {"day", 1, 0, 0, 0, 0, 10, "15 Nov", "24 Nov", 1},
    {"day", 60, 0, 1, 0, 0, 60, "26 Sep", "24 Nov", 1},
    {"day", 60, 0, 1, 3, 2, 62, "older", "future", 4},
    /* 60 of 64 dates are not nearly all: weeks, from Monday */
    {"week", 64, 0, 1, 0, 0, 10, "22 Sep 25", "24 Nov 25", 1},
    {"week", 60, 0, 7, 0, 0, 60, "7 Oct 24", "24 Nov 25", 1},
    {"month", 60, 0, 8, 0, 0, 16, "Aug 2024", "Nov 2025", 3},
    {"year", 9, 0, 365, 0, 0, 10, "2016", "2025", 1},
    {"year", 1, 0, 0, 9, 0, 11, "older", "2025", 1},
    /* all in the future */
    {"day", 0, 0, 0, 0, 1, 11, "15 Nov", "future", 2},
};

static void
add(struct report_dates *dates, int64_t epoch_s)
{
	struct date date = {.epoch_s = epoch_s, .precision = DATE_DAY};

	report_dates_add(dates, &date);
}

static void
columns(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct report_dates *dates = mem_zero(sizeof(*dates));
		struct report_dates_column all[REPORT_DATES_COLUMNS];
		const char *unit;
		uint64_t sum = 0;
		size_t count;

		for (unsigned k = 0; k < row->count; k++)
			add(dates,
			    NOW - (row->first_ago + (int)k * row->step) * DAY);
		for (unsigned k = 0; k < row->old; k++)
			add(dates, 7300 * DAY);
		for (unsigned k = 0; k < row->future; k++) {
			add(dates, NOW + DAY);
			add(dates, 29220 * DAY);
		}
		count = report_dates_columns(dates, NOW, all, &unit);
		assert_string_equal(unit, row->unit);
		assert_int_equal(count, row->columns);
		assert_string_equal(all[0].name, row->first);
		assert_string_equal(all[count - 1].name, row->last);
		assert_int_equal(all[count - 1].count, row->last_count);
		for (size_t k = 0; k < count; k++)
			sum += all[k].count;
		assert_int_equal(sum, row->count + row->old + 2 * row->future);
		free(dates);
	}
}

static void
without_dates(void **state)
{
	struct report_dates *dates = mem_zero(sizeof(*dates));
	struct report_dates_column all[REPORT_DATES_COLUMNS];
	struct date none = {0};
	const char *unit;

	report_dates_add(dates, &none);
	report_dates_add(dates, &none);
	assert_int_equal(dates->undated, 2);
	assert_int_equal(report_dates_columns(dates, NOW, all, &unit), 0);
	free(dates);
}

UNIT(report_dates)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(columns),
	    cmocka_unit_test(without_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
