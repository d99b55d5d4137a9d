/* Leases of pages, and who has them. */
#ifndef FRESHET_DESK_LEASE_H
#define FRESHET_DESK_LEASE_H

#include "crawler/frontier/desk_internal.h"

/* lease_begin(desk, taker, page, until_s): it is out; taker: NULL of one that
 * an earlier desk gave.  The store knows already. */
void lease_begin(
    struct desk *, struct desk_taker *, uint32_t page, int64_t until_s);

/* lease_end(desk, page): it is not, and the store knows already. */
void lease_end(struct desk *, uint32_t page);

/* shelf_drop(desk, page): it was chosen and waits: no more. */
void shelf_drop(struct desk *, uint32_t page);

/* shelf_return(desk, page), shelves_return(desk, site): if it waits, or what
 * waits of that site: it is chosen again if it is still wanted, and for the
 * reason that holds then. */
void shelf_return(struct desk *, uint32_t page);
void shelves_return(struct desk *, uint32_t site);

/* taker_may(taker, host): may it have pages of one more host, if it has none of
 * that one? */
bool taker_may(const struct desk_taker *, uint32_t host);

/* taker_has_room(desk, taker, host): may one more page of it be out? */
bool taker_has_room(
    const struct desk *, const struct desk_taker *, uint32_t host);

/* taker_has_time(desk, taker, host): could it fetch one page more of that host,
 * after those that are out, in half of a lease? */
bool taker_has_time(
    const struct desk *, const struct desk_taker *, uint32_t host);

void leases_release(struct desk *);

#endif
