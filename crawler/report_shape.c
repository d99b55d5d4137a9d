/* How the lastmod of a document are spread. */
#include "crawler/report_shape.h"

#include <stdbool.h>

#define DAY_S 86400
#define HOUR_S 3600
#define LEAST 20 /* SPEC R-117: with fewer nothing is said */

void
report_shape_init(struct report_shape *shape, int64_t at_s)
{
	*shape = (struct report_shape){.at_s = at_s};
}

/* vote(shape, day): the majority vote of Boyer and Moore. */
static void
vote(struct report_shape *shape, int64_t day)
{
	if (shape->votes == 0)
		shape->day = day;
	if (shape->day == day)
		shape->votes++;
	else
		shape->votes--;
}

void
report_shape_add(struct report_shape *shape, const struct date *date)
{
	int64_t ago_s = shape->at_s - date->epoch_s;

	shape->entries++;
	if (date->precision == DATE_NONE)
		return;
	shape->dated++;
	if (ago_s <= HOUR_S && ago_s >= -HOUR_S &&
	    date->precision >= DATE_MINUTE)
		shape->now++;
	vote(shape, date->epoch_s / DAY_S);
}

static uint64_t
count_of(const struct reading *reading, enum diag_code code)
{
	const struct finding *finding = findings_get(
	    &reading->content.findings, code);

	return finding == NULL ? 0 : finding->count;
}

/* is_backwards(reading): its index should know better. */
static bool
is_backwards(const struct reading *reading)
{
	const struct date *listed = &reading->index_lastmod;
	const struct date *newest = &reading->content.merge.newest;

	return listed->precision >= DATE_DAY && newest->precision >= DATE_DAY &&
	    date_differs(listed, newest) &&
	    newest->epoch_s - listed->epoch_s > DAY_S;
}

const char *
report_shape_name(
    const struct report_shape *shape, const struct reading *reading)
{
	if (shape->entries == 0)
		return "";
	if (shape->dated == 0)
		return "absent";
	if (count_of(reading, DIAG_LASTMOD_FUTURE) * 2 >= shape->dated)
		return "future";
	if (shape->dated >= LEAST && shape->now * 20 >= shape->dated * 19)
		return "always now";
	if (count_of(reading, DIAG_LASTMOD_UNIFORM) > 0)
		return "uniform";
	/* Nine of ten of one day: the others take a vote each from it. */
	if (shape->dated >= LEAST && shape->votes * 10 >= shape->dated * 8)
		return "frozen";
	return is_backwards(reading) ? "backwards" : "";
}
