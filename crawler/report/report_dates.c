/* What the dates of one document look like. */
#include "crawler/report/report_dates.h"

#include "base/civil.h"

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
