/* What readings of documents say, applied to the frontier and the scheduler. */
#ifndef FRESHET_FRONTIER_READINGS_H
#define FRESHET_FRONTIER_READINGS_H

struct frontier;

/* readings_apply(frontier): apply all readings that were committed and not
 * applied yet, in the order of their ids. */
void readings_apply(struct frontier *);

#endif
