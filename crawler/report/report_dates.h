/* What the dates of one document look like. */
#ifndef FRESHET_REPORT_DATES_H
#define FRESHET_REPORT_DATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/w3cdate.h"
#include "store/segment/reading.h"

#define REPORT_SHAPE_LEAST 20 /* SPEC R-117: fewer dates are not judged */

/* The day of most dates, if most are of one day: the majority vote of Boyer and
 * Moore, and then a count. */
struct report_day {
	int64_t day; /* days since the Epoch, UTC */
	uint64_t votes; /* votes for the day, less the votes against it */
	uint64_t dated; /* dates of all days */
	uint64_t count; /* dates of the day, counted after the last vote */
};

/* report_day_vote(days, day): count a date of the day.
 * report_day_is_frozen(days, at_s): whether there are enough dates, nine of ten
 * are of one day, and that day ended more than a day before at_s: a list of
 * news is of one day by right. */
void report_day_vote(struct report_day *, int64_t day);
bool report_day_is_frozen(const struct report_day *, int64_t at_s);

/* Zeroed but for at_s: no dates. */
struct report_shape {
	int64_t at_s; /* time of the reading */
	uint64_t entries;
	uint64_t now; /* dates within an hour of the reading */
	struct report_day days;
	/* all days, if there are fewer than REPORT_SHAPE_LEAST */
	int64_t few[REPORT_SHAPE_LEAST - 1];
};

/* report_day_of(epoch_s): the day in UTC, counted from that of the Epoch. */
int64_t report_day_of(int64_t epoch_s);

void report_shape_add(struct report_shape *, const struct date *);

/* report_shape_is_backwards(reading): whether the index dates the document more
 * than a day before its newest entry. */
bool report_shape_is_backwards(const struct reading *);

/* report_shape_name(shape, reading): "absent" (no dates), "future" (half of
 * them or more), "always now", "uniform" (near the time of the file or of the
 * reading, SPEC R-117), "frozen" (when days.count is known),
 * "backwards", or "". */
const char *report_shape_name(
    const struct report_shape *, const struct reading *);

#endif
