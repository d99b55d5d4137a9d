/* Leases of pages, and who has them. */
#ifndef FRESHET_FRONTIER_LEASE_H
#define FRESHET_FRONTIER_LEASE_H

#include "crawler/frontier/frontier_internal.h"

/* lease_begin(frontier, consumer, page, until_s): it is out; consumer: NULL of
 * one that an earlier frontier gave.  The store knows already. */
void lease_begin(struct frontier *, struct frontier_consumer *, uint32_t page,
    int64_t until_s);

/* lease_end(frontier, page): it is not, and the store knows already. */
void lease_end(struct frontier *, uint32_t page);

/* shelf_drop(frontier, page): it was chosen and waits: no more. */
void shelf_drop(struct frontier *, uint32_t page);

/* shelf_return(frontier, page), shelves_return(frontier, site): if it waits, or
 * what waits of that site: it is chosen again if it is still wanted, and for
 * the reason that holds then. */
void shelf_return(struct frontier *, uint32_t page);
void shelves_return(struct frontier *, uint32_t site);

/* consumer_may_use(consumer, host): may it have pages of one more host, if it
 * has none of that one? */
bool consumer_may_use(const struct frontier_consumer *, uint32_t host);

/* consumer_has_room(frontier, consumer, host): may one more page of it be out?
 */
bool consumer_has_room(
    const struct frontier *, const struct frontier_consumer *, uint32_t host);

/* consumer_has_time(frontier, consumer, host): could it fetch one page more of
 * that host, after those that are out, in half of a lease? */
bool consumer_has_time(
    const struct frontier *, const struct frontier_consumer *, uint32_t host);

void leases_release(struct frontier *);

#endif
