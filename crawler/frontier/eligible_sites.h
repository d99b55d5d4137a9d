/* The sites that a consumer may have pages of. */
#ifndef FRESHET_ELIGIBLE_SITES_H
#define FRESHET_ELIGIBLE_SITES_H

#include <stdbool.h>
#include <stdint.h>

struct frontier_consumer;
struct frontier_sites;
struct host_table;
struct scheduler_some;

/* eligible_refresh(consumer, sites, hosts): update the sites of the consumer
 * after sites or tags have changed; call this function before the others. */
void eligible_refresh(struct frontier_consumer *, const struct frontier_sites *,
    const struct host_table *);

/* eligible_has(consumer, site): may the consumer have pages of that site? */
bool eligible_has(const struct frontier_consumer *, uint32_t site);

/* eligible_some(consumer): the same sites for the scheduler, borrowed; NULL:
 * all sites. */
struct scheduler_some *eligible_some(struct frontier_consumer *);

void eligible_release(struct frontier_consumer *);

#endif
