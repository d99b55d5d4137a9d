/* What readings of documents say, applied to the frontier and the scheduler. */
#ifndef FRESHET_FRONTIER_READINGS_H
#define FRESHET_FRONTIER_READINGS_H

#include <stdbool.h>

struct frontier;

/* readings_apply(frontier): apply readings that were committed and not applied
 * yet, in the order of their ids.  After a few milliseconds of work it stops
 * and returns true: there may be more. */
bool readings_apply(struct frontier *);

#endif
