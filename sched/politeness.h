/* What the frontier owes each host: see frontier.h. */
#ifndef FRESHET_POLITENESS_H
#define FRESHET_POLITENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "sched/frontier.h"

/* frontier_name(frontier, host): as it was given. */
struct slice frontier_name(const struct frontier *, uint32_t host);

/* frontier_set_delay(frontier, host, delay_ms): from its last request on. */
void frontier_set_delay(struct frontier *, uint32_t host, int64_t delay_ms);
int64_t frontier_delay(const struct frontier *, uint32_t host);

/* frontier_set_address(frontier, host, addr): the host answers from there;
 * NULL: no limit per address holds for it (a loopback address). */
void frontier_set_address(
    struct frontier *, uint32_t host, const struct addr *);

/*
 * frontier_admit(frontier, host, addr, now_ms): a request that was taken is
 * about to be sent, to addr: may it be now?  True: it counts there from now
 * on.  False: the limits of the address are used up by other hosts; the host
 * belongs there, and the request is given back with frontier_return.
 */
bool frontier_admit(
    struct frontier *, uint32_t host, const struct addr *, int64_t now_ms);

/* frontier_return(frontier, host): what was taken last was never sent; no
 * delay follows from it.  The item itself is added anew. */
void frontier_return(struct frontier *, uint32_t host);

/*
 * frontier_set_aside(frontier, host): what was taken last waits for something
 * else than its host: it is in flight no more, though its host stays busy; the
 * address that was known counts no more, either.
 * frontier_bring_back(frontier, host, now_ms): as if it was taken now.
 */
void frontier_set_aside(struct frontier *, uint32_t host);
void frontier_bring_back(struct frontier *, uint32_t host, int64_t now_ms);

/*
 * frontier_forget(frontier, host, now_ms): as if it had never been asked, and
 * its number is another one's later.  False, and nothing is done, while it has
 * items, is busy, or may not be asked.
 */
bool frontier_forget(struct frontier *, uint32_t host, int64_t now_ms);

/* frontier_tidy(frontier, now_ms): addresses that only hosts had that are
 * forgotten are forgotten, too. */
void frontier_tidy(struct frontier *, int64_t now_ms);

/* frontier_waits(frontier, host): does anything, to be taken? */
bool frontier_waits(const struct frontier *, uint32_t host);

/* frontier_hold(frontier, host, until_ms): nothing before that. */
void frontier_hold(struct frontier *, uint32_t host, int64_t until_ms);

/* frontier_share(frontier, host, until_ms): nothing before that, for others ask
 * the host; what was said so before holds no more. */
void frontier_share(struct frontier *, uint32_t host, int64_t until_ms);

#endif
