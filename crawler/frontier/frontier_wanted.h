/* Which sites a taker may have pages of. */
#ifndef FRESHET_FRONTIER_WANTED_H
#define FRESHET_FRONTIER_WANTED_H

#include <stdbool.h>
#include <stdint.h>

struct frontier;
struct frontier_taker;
struct scheduler_some;

/* wanted_refresh(frontier, taker): as the sites are now; before the others. */
void wanted_refresh(struct frontier *, struct frontier_taker *);

/* wanted_has(taker, site): a number of the desk. */
bool wanted_has(const struct frontier_taker *, uint32_t site);

/* wanted_sites(taker): for the scheduler, borrowed; NULL: all. */
struct scheduler_some *wanted_sites(struct frontier_taker *);

void wanted_release(struct frontier_taker *);

#endif
