/* The sites that a consumer may have pages of. */
#ifndef FRESHET_ELIGIBLE_SITES_H
#define FRESHET_ELIGIBLE_SITES_H

#include <stdbool.h>
#include <stdint.h>

struct frontier;
struct frontier_consumer;
struct scheduler_some;

/* eligible_refresh(frontier, consumer): follow the sites and tags as they are
 * now; to be called before the other functions. */
void eligible_refresh(struct frontier *, struct frontier_consumer *);

/* eligible_has(consumer, site): may the consumer have pages of that site? */
bool eligible_has(const struct frontier_consumer *, uint32_t site);

/* eligible_some(consumer): the same sites for the scheduler, borrowed; NULL:
 * all sites. */
struct scheduler_some *eligible_some(struct frontier_consumer *);

void eligible_release(struct frontier_consumer *);

#endif
