/* What the parts of the frontier hold, and pause. */
#ifndef FRESHET_FRONTIER_HOLDS_H
#define FRESHET_FRONTIER_HOLDS_H

#include "crawler/frontier/frontier_held.h"
#include "crawler/frontier/frontier_internal.h"

/* host_hold(frontier, host, kind, until_s, why): nothing of it before, or no
 * page. host_tell_held(frontier, host): to the scheduler, which has a site of
 * it now. host_keep(frontier, host): what is held of it, into the store.
 * holds_over(frontier): tell of those that are over. */
void host_hold(struct frontier *, uint32_t host, enum held_kind,
    int64_t until_s, const char *why);
void host_tell_held(struct frontier *, uint32_t host);
void host_keep(struct frontier *, uint32_t host);
void holds_over(struct frontier *);

/* host_held_s(frontier, host): when pages of it may be asked for; INT64_MIN: it
 * never was held.  host_times(frontier, host): what is held of it now. */
int64_t host_held_s(const struct frontier *, uint32_t host);
struct hold_times host_times(const struct frontier *, uint32_t host);

/* host_put_back(frontier, host, back_s): the clock was, by so much. */
void host_put_back(struct frontier *, uint32_t host, int64_t back_s);

/* host_pause(frontier, host, until_s): the scheduler chooses no page of it
 * before, since enough waits on its shelf: that is no hold; host_unpause: it
 * may again. The host is a site's. */
void host_pause(struct frontier *, uint32_t host, int64_t until_s);
void host_unpause(struct frontier *, uint32_t host);

#endif
