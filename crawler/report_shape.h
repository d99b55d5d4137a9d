/* How the lastmod of a document are spread: a name for it. */
#ifndef FRESHET_REPORT_SHAPE_H
#define FRESHET_REPORT_SHAPE_H

#include <stdint.h>

#include "base/w3cdate.h"
#include "store/reading.h"

struct report_shape {
	int64_t at_s; /* of the reading */
	uint64_t entries;
	uint64_t dated;
	uint64_t now; /* of these: within an hour of the reading */
	int64_t day; /* the one that most are of, if most are of one */
	uint64_t votes; /* for that day, less those against it */
};

void report_shape_init(struct report_shape *, int64_t at_s);
void report_shape_add(struct report_shape *, const struct date *);

/*
 * report_shape_name(shape, reading): "absent" (no dates), "future" (half of
 * them or more), "always now", "uniform" (near the time of the file or of the
 * reading, SPEC R-117), "frozen" (nine of ten are of one day in the past),
 * "backwards" (the index says that the document is older, by more than a day,
 * than what it lists), or "".
 */
const char *report_shape_name(
    const struct report_shape *, const struct reading *);

#endif
