/* How the lastmod of a document are spread: a name for it. */
#ifndef FRESHET_REPORT_SHAPE_H
#define FRESHET_REPORT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/w3cdate.h"
#include "store/segment/reading.h"

#define REPORT_SHAPE_LEAST 20 /* SPEC R-117: with fewer nothing is said */

/* Which day most dates are of, if most are of one: the majority vote of Boyer
 * and Moore, and then a count. */
struct report_day {
	int64_t day; /* since the Epoch, of UTC */
	uint64_t votes; /* for that day, less those against it */
	uint64_t dated; /* of all days */
	uint64_t count; /* of that day, once it is known */
};

void report_day_vote(struct report_day *, int64_t day);
/* report_day_count(days, day): of each once more, after the last vote. */
void report_day_count(struct report_day *, int64_t day);
/* report_day_is_frozen(days, at_s): there are enough of them, nine of ten are
 * of that day, and it was over for a day at that time: what lists news is of
 * one day by right.  report_day_may_be_frozen: before they are counted. */
bool report_day_is_frozen(const struct report_day *, int64_t at_s);
bool report_day_may_be_frozen(const struct report_day *);

struct report_shape {
	int64_t at_s; /* of the reading */
	uint64_t entries;
	uint64_t now; /* dates within an hour of the reading */
	struct report_day days;
	/* all of them, if they are fewer than REPORT_SHAPE_LEAST */
	int64_t few[REPORT_SHAPE_LEAST - 1];
};

/* report_shape_day(date): since the Epoch. */
int64_t report_shape_day(const struct date *);

void report_shape_init(struct report_shape *, int64_t at_s);
void report_shape_add(struct report_shape *, const struct date *);

/* report_shape_is_backwards(reading): the index says that the document is
 * older, by more than a day, than what it lists. */
bool report_shape_is_backwards(const struct reading *);

/*
 * report_shape_name(shape, reading): "absent" (no dates), "future" (half of
 * them or more), "always now", "uniform" (near the time of the file or of the
 * reading, SPEC R-117), "frozen" (when its days were counted), "backwards", or
 * "".
 */
const char *report_shape_name(
    const struct report_shape *, const struct reading *);

#endif
