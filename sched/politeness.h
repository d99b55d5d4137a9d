/* What the frontier owes each host: see frontier.h. */
#ifndef FRESHET_POLITENESS_H
#define FRESHET_POLITENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "sched/host_queue.h"

/* host_queue_name(frontier, host): as it was given. */
struct slice host_queue_name(const struct host_queue *, uint32_t host);

/* host_queue_set_delay(frontier, host, delay_ms): from its last request on. */
void host_queue_set_delay(struct host_queue *, uint32_t host, int64_t delay_ms);
int64_t host_queue_delay(const struct host_queue *, uint32_t host);

/* host_queue_set_address(frontier, host, addr): the host answers from there;
 * NULL: no limit per address holds for it (a loopback address). */
void host_queue_set_address(
    struct host_queue *, uint32_t host, const struct addr *);

/*
 * host_queue_admit(frontier, host, addr, now_ms): a request that was taken is
 * about to be sent, to addr: may it be now?  True: it counts there from now
 * on.  False: the limits of the address are used up by other hosts; the host
 * belongs there, and the request is given back with host_queue_return.
 */
bool host_queue_admit(
    struct host_queue *, uint32_t host, const struct addr *, int64_t now_ms);

/* host_queue_return(frontier, host): what was taken last was never sent; no
 * delay follows from it.  The item itself is added anew. */
void host_queue_return(struct host_queue *, uint32_t host);

/*
 * host_queue_set_aside(frontier, host): what was taken last waits for something
 * else than its host: it is in flight no more, though its host stays busy; the
 * address that was known counts no more, either.
 * host_queue_bring_back(frontier, host, now_ms): as if it was taken now.
 */
void host_queue_set_aside(struct host_queue *, uint32_t host);
void host_queue_bring_back(struct host_queue *, uint32_t host, int64_t now_ms);

/*
 * host_queue_forget(frontier, host, now_ms): as if it had never been asked, and
 * its number is another one's later.  False, and nothing is done, while it has
 * items, is busy, or may not be asked.
 */
bool host_queue_forget(struct host_queue *, uint32_t host, int64_t now_ms);

/* host_queue_tidy(frontier, now_ms): addresses that only hosts had that are
 * forgotten are forgotten, too. */
void host_queue_tidy(struct host_queue *, int64_t now_ms);

/* host_queue_waits(frontier, host): does anything, to be taken? */
bool host_queue_waits(const struct host_queue *, uint32_t host);

/* host_queue_hold(frontier, host, until_ms): nothing before that. */
void host_queue_hold(struct host_queue *, uint32_t host, int64_t until_ms);

/* host_queue_share(frontier, host, until_ms): nothing before that, for others
 * ask the host; what was said so before holds no more. */
void host_queue_share(struct host_queue *, uint32_t host, int64_t until_ms);

#endif
