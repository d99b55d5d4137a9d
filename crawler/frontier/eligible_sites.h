/* Which sites a consumer may have pages of. */
#ifndef FRESHET_FRONTIER_WANTED_H
#define FRESHET_FRONTIER_WANTED_H

#include <stdbool.h>
#include <stdint.h>

struct frontier;
struct frontier_consumer;
struct scheduler_some;

/* wanted_refresh(frontier, consumer): as the sites are now; before the others.
 */
void wanted_refresh(struct frontier *, struct frontier_consumer *);

/* wanted_has(consumer, site): a number of the desk. */
bool wanted_has(const struct frontier_consumer *, uint32_t site);

/* wanted_sites(consumer): for the scheduler, borrowed; NULL: all. */
struct scheduler_some *wanted_sites(struct frontier_consumer *);

void wanted_release(struct frontier_consumer *);

#endif
