/* Hosts and tags of the scheduler, and their limits (scheduling-formulas.md,
 * "The turn"). */
#ifndef FRESHET_SCHEDULER_HOSTS_H
#define FRESHET_SCHEDULER_HOSTS_H

#include <stdint.h>

#include "sched/scheduler.h"

/* Hosts. */

uint32_t scheduler_add_host(struct scheduler *, const struct scheduler_host *);

/* scheduler_set_host(scheduler, host, limit): change the limit of a host from
 * now on; earlier requests still count. */
void scheduler_set_host(
    struct scheduler *, uint32_t host, const struct scheduler_host *limit);

/*
 * scheduler_spend(scheduler, site, at_s): something of the site was requested
 * at that time, before the scheduler began.  Earlier requests come first: so a
 * budget that was used at its own rate only has to recover from the last one.
 * The request fills the limits of the host, of its tags and of all requests.
 * If these were wider then, the wait is not longer than after the largest
 * burst (budget_fill).
 * scheduler_spent(scheduler, now_s): there are no more such requests.
 */
void scheduler_spend(struct scheduler *, uint32_t site, int64_t at_s);
void scheduler_spent(struct scheduler *, int64_t now_s);

/* Tags: all sites with one tag share its budget. */

uint32_t scheduler_add_tag(struct scheduler *, double requests_per_hour);

/* scheduler_add_tag_below(scheduler, above, tag): add a tag whose sites are
 * under the limits of both tags, which they share with the sites that have
 * only one of them. */
uint32_t scheduler_add_tag_below(
    struct scheduler *, uint32_t above, uint32_t tag);

/* scheduler_limit_tag(scheduler, tag, limit): change the limit of a tag, and
 * of the tags that were added below it; earlier requests still count.  A tag
 * has no delay. */
void scheduler_limit_tag(
    struct scheduler *, uint32_t tag, const struct scheduler_host *limit);

/* scheduler_set_tag(scheduler, host, tag): give all sites of the host that tag;
 * SCHEDULER_NONE: no tag. */
void scheduler_set_tag(struct scheduler *, uint32_t host, uint32_t tag);

/* Holds: a host is not asked until a time.  Each kind ends by itself.  Pages
 * are held without documents only with the option asks_apart. */
enum scheduler_hold_kind {
	SCHEDULER_HOLD_ALL, /* no request at all */
	SCHEDULER_HOLD_PAGES, /* no page: several have failed */
	/* no page, although no page has failed: the client wants no more */
	SCHEDULER_HOLD_PAUSE,
};

/* scheduler_hold(scheduler, host, kind, now_s, hold_s): hold the host for that
 * long, a year at most; a hold that ends later stays.  scheduler_unhold: end
 * the hold. */
void scheduler_hold(struct scheduler *, uint32_t host, enum scheduler_hold_kind,
    int64_t now_s, int64_t hold_s);
void scheduler_unhold(
    struct scheduler *, uint32_t host, enum scheduler_hold_kind);

/* scheduler_held_s(scheduler, host, kind): the end of the hold, perhaps in the
 * past; INT64_MIN: there never was one. */
int64_t scheduler_held_s(
    const struct scheduler *, uint32_t host, enum scheduler_hold_kind);

#endif
