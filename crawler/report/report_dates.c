/* How the dates of listed URLs are spread over days. */
#include "crawler/report/report_dates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "crawler/report/report_shape.h"

#define FIRST_DAY 10957 /* 2000-01-01: older dates are counted together */
#define DAYS 14610 /* 40 years */
#define STEPS (REPORT_DATES_COLUMNS - 2) /* beside "older" and "future" */
#define LEAST 10 /* fewer columns are too wide to be read as time */
#define NEARLY_ALL 95 /* of 100 */

struct report_dates {
	uint64_t undated;
	uint64_t before, after; /* of the days that are counted alone */
	uint64_t days[DAYS];
};

enum date_unit { UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_YEAR };

struct report_dates *
report_dates_new(void)
{
	return mem_zero(sizeof(struct report_dates));
}

void
report_dates_free(struct report_dates *dates)
{
	free(dates);
}

void
report_dates_add(struct report_dates *dates, const struct date *date)
{
	int64_t day = report_shape_day(date);

	if (date->precision == DATE_NONE)
		dates->undated++;
	else if (day < FIRST_DAY)
		dates->before++;
	else if (day >= FIRST_DAY + DAYS)
		dates->after++;
	else
		dates->days[day - FIRST_DAY]++;
}

uint64_t
report_dates_undated(const struct report_dates *dates)
{
	return dates->undated;
}

/* The number of the day, week, month or year that the day is in; the next one
 * has the next number. */
static int64_t
step_of(int64_t day, enum date_unit unit)
{
	struct civil civil = civil_of(day * DAY_S);

	switch (unit) {
	case UNIT_DAY:
		return day;
	case UNIT_WEEK:
		/* the Epoch was a Thursday */
		return (day + 3) / 7;
	case UNIT_MONTH:
		return civil.year * 12 + civil.month - 1;
	case UNIT_YEAR:
		break;
	}
	return civil.year;
}

/* The steps of one unit: the last one is that of the check. */
struct steps {
	enum date_unit unit;
	int64_t end_day;
	uint64_t counts[STEPS];
	uint64_t older, future;
};

static uint64_t
sum_of(const struct steps *steps)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < STEPS; i++)
		sum += steps->counts[i];
	return sum;
}

/* Choose the shortest unit whose steps have nearly all dates that are not in
 * the future. */
static void
dates_choose_unit(struct steps *steps, const struct report_dates *dates)
{
	for (steps->unit = UNIT_DAY;; steps->unit++) {
		uint64_t sum;

		int64_t last = step_of(steps->end_day, steps->unit);

		memset(steps->counts, 0, sizeof(steps->counts));
		steps->older = dates->before;
		steps->future = dates->after;
		for (int64_t day = 0; day < DAYS; day++) {
			uint64_t count = dates->days[day];
			int64_t ago;

			if (count == 0)
				continue;
			ago = last - step_of(FIRST_DAY + day, steps->unit);
			if (FIRST_DAY + day > steps->end_day)
				steps->future += count;
			else if (ago >= STEPS)
				steps->older += count;
			else
				steps->counts[STEPS - 1 - ago] += count;
		}
		sum = sum_of(steps);
		if (steps->unit == UNIT_YEAR ||
		    sum * 100 >= (sum + steps->older) * NEARLY_ALL)
			return;
	}
}

size_t
report_dates_columns(const struct report_dates *dates, int64_t at_s,
    struct report_dates_column columns[REPORT_DATES_COLUMNS], const char **unit)
{
	static const char *const units[] = {"day", "week", "month", "year"};
	struct steps steps = {.end_day = at_s / DAY_S};
	size_t count = 0, begin = 0;
	int64_t last;

	dates_choose_unit(&steps, dates);
	*unit = units[steps.unit];
	if (sum_of(&steps) + steps.older + steps.future == 0)
		return 0;
	last = step_of(steps.end_day, steps.unit);
	if (steps.older > 0)
		columns[count++] = (struct report_dates_column){
		    "older", steps.older};
	while (begin < STEPS - LEAST && steps.counts[begin] == 0)
		begin++;
	for (size_t i = begin; i < STEPS; i++) {
		columns[count] = (struct report_dates_column){
		    .count = steps.counts[i]};
		struct report_dates_column *column = &columns[count++];
		int64_t step = last - (int64_t)(STEPS - 1 - i);
		struct civil civil = civil_of(
		    (steps.unit == UNIT_WEEK ? step * 7 - 3 : step) * DAY_S);
		char *name = column->name;
		size_t size = sizeof(column->name);

		switch (steps.unit) {
		case UNIT_DAY:
			(void)snprintf(name, size, "%d %s", civil.day,
			    civil_months[civil.month - 1]);
			break;
		case UNIT_WEEK:
			(void)snprintf(name, size, "%d %s %02d", civil.day,
			    civil_months[civil.month - 1],
			    (int)(civil.year % 100));
			break;
		case UNIT_MONTH:
			(void)snprintf(name, size, "%s %d",
			    civil_months[step % 12], (int)(step / 12 % 10000));
			break;
		case UNIT_YEAR:
			(void)snprintf(name, size, "%d", (int)(step % 10000));
			break;
		}
	}
	if (steps.future > 0)
		columns[count++] = (struct report_dates_column){
		    "future", steps.future};
	return count;
}
