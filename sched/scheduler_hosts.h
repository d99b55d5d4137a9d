/* Hosts and addresses of the scheduler, and what changes of them. */
#ifndef FRESHET_SCHEDULER_HOSTS_H
#define FRESHET_SCHEDULER_HOSTS_H

#include <stdint.h>

#include "sched/limiter.h"
#include "sched/scheduler.h"

/* scheduler_add_address(scheduler, limit): the number of an address that hosts
 * may have; all of them together keep the limit. */
uint32_t scheduler_add_address(
    struct scheduler *, const struct scheduler_host *limit);

/* scheduler_set_address(scheduler, host, address): where the host is now; at
 * first, and with SCHEDULER_NONE, it is at none.  O(log n) for each site. */
void scheduler_set_address(struct scheduler *, uint32_t host, uint32_t address);

/* scheduler_set_site(scheduler, site, is): its weight, intervals and
 * wants_listing from now on; its host and tag stay.  O(documents), and pages
 * are looked at by and by if there are more than thousands. */
void scheduler_set_site(
    struct scheduler *, uint32_t site, const struct scheduler_site *is);

/* scheduler_set_host(scheduler, host, limit): what holds from now on; what was
 * asked of it counts. */
void scheduler_set_host(
    struct scheduler *, uint32_t host, const struct scheduler_host *limit);

/* scheduler_spend(scheduler, host, now_s, requests): so many were made of it
 * that nobody told; they fill its limits, and those of all: where these were
 * wider then, the wait is no longer for it (budget_fill).
 * SCHEDULER_NONE: against those of all alone. */
void scheduler_spend(
    struct scheduler *, uint32_t host, int64_t now_s, double requests);

/* scheduler_spare(scheduler, choice): what was chosen last, for pages, is not
 * asked for by anybody: no limit counts it.  It stays out. */
void scheduler_spare(struct scheduler *, const struct scheduler_choice *);

/* Private to the scheduler: a limit of so many an hour; nodes of both kinds,
 * below some, that keep a limit together; the site is one of its host's; the
 * end of them. */
struct limiter_limit limit_of(const struct scheduler *, double per_hour);
void nodes_make(struct scheduler *, const uint32_t above[], uint32_t limit,
    struct positions *, uint32_t nodes[]);
void host_take(struct scheduler *, uint32_t site);
void addresses_free(struct scheduler *);

#endif
