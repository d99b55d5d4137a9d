/* How the dates of listed URLs are spread over days. */
#include "crawler/report/report_dates.h"

#include <stdio.h>
#include <string.h>

#include "base/civil.h"

#define FIRST_DAY 10957 /* 2000-01-01: older dates are counted together */
#define STEPS (REPORT_DATES_COLUMNS - 2) /* beside "older" and "future" */
#define LEAST 10 /* fewer columns are too wide to be read as time */
#define NEARLY_ALL 95 /* of 100 */

enum date_unit { UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_YEAR };

void
report_dates_add(struct report_dates *dates, const struct date *date)
{
	int64_t day = report_day_of(date->epoch_s);

	/* What lies outside of the days is still a date, and has a column of
	 * its own. */
	if (date->precision == DATE_NONE)
		dates->undated++;
	else if (day < FIRST_DAY)
		dates->before++;
	else if (day >= FIRST_DAY + REPORT_DATES_DAYS)
		dates->after++;
	else
		dates->days[day - FIRST_DAY]++;
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
	uint64_t sum; /* of the counts */
};

/* Choose the shortest unit whose steps have nearly all dates that are not in
 * the future. */
static void
dates_choose_unit(struct steps *steps, const struct report_dates *dates)
{
	/* Years always fit, so that the search ends. */
	for (steps->unit = UNIT_DAY;; steps->unit++) {
		int64_t last = step_of(steps->end_day, steps->unit);

		memset(steps->counts, 0, sizeof(steps->counts));
		steps->sum = 0;
		steps->older = dates->before;
		steps->future = dates->after;
		for (int64_t day = 0; day < REPORT_DATES_DAYS; day++) {
			uint64_t count = dates->days[day];
			int64_t ago;

			if (count == 0)
				continue;
			ago = last - step_of(FIRST_DAY + day, steps->unit);
			if (FIRST_DAY + day > steps->end_day)
				steps->future += count;
			else if (ago >= STEPS)
				steps->older += count;
			else {
				steps->counts[STEPS - 1 - ago] += count;
				steps->sum += count;
			}
		}
		if (steps->unit == UNIT_YEAR ||
		    steps->sum * 100 >=
			(steps->sum + steps->older) * NEARLY_ALL)
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
	if (steps.sum + steps.older + steps.future == 0)
		return 0;
	last = step_of(steps.end_day, steps.unit);
	if (steps.older > 0)
		columns[count++] = (struct report_dates_column){
		    "older", steps.older};
	/* Empty columns before the first date say nothing. */
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

/* The dates of one document. */

int64_t
report_day_of(int64_t epoch_s)
{
	/* Division rounds towards 0; dates before 1970 need the floor. */
	return epoch_s / DAY_S - (epoch_s % DAY_S < 0);
}

void
report_day_vote(struct report_day *days, int64_t day)
{
	days->dated++;
	if (days->votes == 0)
		days->day = day;
	if (days->day == day)
		days->votes++;
	else
		days->votes--;
}

bool
report_day_is_frozen(const struct report_day *days, int64_t at_s)
{
	return days->dated >= REPORT_SHAPE_LEAST &&
	    at_s / DAY_S - days->day > 1 && days->count * 10 >= days->dated * 9;
}

void
report_shape_add(struct report_shape *shape, const struct date *date)
{
	int64_t ago_s = shape->at_s - date->epoch_s;

	shape->entries++;
	if (date->precision == DATE_NONE)
		return;
	if (shape->days.dated < REPORT_SHAPE_LEAST - 1)
		shape->few[shape->days.dated] = report_day_of(date->epoch_s);
	/* A date without a time may be of any hour of its day. */
	if (ago_s <= HOUR_S && ago_s >= -HOUR_S &&
	    date->precision >= DATE_MINUTE)
		shape->now++;
	report_day_vote(&shape->days, report_day_of(date->epoch_s));
}

static uint64_t
count_of(const struct reading *reading, enum diag_code code)
{
	const struct finding *finding = findings_get(
	    &reading->content.findings, code);

	return finding == NULL ? 0 : finding->count;
}

bool
report_shape_is_backwards(const struct reading *reading)
{
	const struct date *listed = &reading->index_lastmod;
	const struct date *newest = &reading->content.merge.newest;

	return listed->precision >= DATE_DAY && newest->precision >= DATE_DAY &&
	    date_differs(listed, newest) &&
	    newest->epoch_s - listed->epoch_s > DAY_S &&
	    /* a date in the future contradicts nothing */
	    newest->epoch_s - reading->at_s <= DAY_S;
}

const char *
report_shape_name(
    const struct report_shape *shape, const struct reading *reading)
{
	if (shape->entries == 0)
		return "";
	if (shape->days.dated == 0)
		return "absent";
	/* Several shapes may hold: the first one explains those behind it. */
	if (count_of(reading, DIAG_LASTMOD_FUTURE) * 2 >= shape->days.dated)
		return "future";
	if (shape->days.dated >= REPORT_SHAPE_LEAST &&
	    shape->now * 20 >= shape->days.dated * 19)
		return "always now";
	if (count_of(reading, DIAG_LASTMOD_UNIFORM) > 0 ||
	    count_of(reading, DIAG_LASTMOD_BUILD) > 0)
		return "uniform";
	if (report_day_is_frozen(&shape->days, shape->at_s))
		return "frozen";
	return report_shape_is_backwards(reading) ? "backwards" : "";
}
