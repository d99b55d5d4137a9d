/* A word for how the dates of a document are spread. */
#include "crawler/report/report_shape.h"

#include "base/civil.h"

void
report_shape_init(struct report_shape *shape, int64_t at_s)
{
	*shape = (struct report_shape){.at_s = at_s};
}

int64_t
report_shape_day(const struct date *date)
{
	int64_t day = date->epoch_s / DAY_S;

	return date->epoch_s % DAY_S < 0 ? day - 1 : day;
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

void
report_day_count(struct report_day *days, int64_t day)
{
	days->count += day == days->day;
}

bool
report_day_may_be_frozen(const struct report_day *days)
{
	/* If nine of ten dates are of one day, nine votes are for that day, and
	 * the tenth date cancels one of them: eight of ten are left. */
	return days->dated >= REPORT_SHAPE_LEAST &&
	    days->votes * 10 >= days->dated * 8;
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
		shape->few[shape->days.dated] = report_shape_day(date);
	if (ago_s <= HOUR_S && ago_s >= -HOUR_S &&
	    date->precision >= DATE_MINUTE)
		shape->now++;
	report_day_vote(&shape->days, report_shape_day(date));
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
	if (count_of(reading, DIAG_LASTMOD_FUTURE) * 2 >= shape->days.dated)
		return "future";
	if (shape->days.dated >= REPORT_SHAPE_LEAST &&
	    shape->now * 20 >= shape->days.dated * 19)
		return "always now";
	if (count_of(reading, DIAG_LASTMOD_UNIFORM) > 0)
		return "uniform";
	if (report_day_is_frozen(&shape->days, shape->at_s))
		return "frozen";
	return report_shape_is_backwards(reading) ? "backwards" : "";
}
