/* Tags of the scheduler: sites that keep one budget together. */
#ifndef FRESHET_SCHEDULER_TAGS_H
#define FRESHET_SCHEDULER_TAGS_H

#include <stdint.h>

#include "sched/scheduler.h"

/* scheduler_add_tag_below(scheduler, above, tag): one whose sites keep the
 * limits of both, together with the sites that are of one of them alone. */
uint32_t scheduler_add_tag_below(
    struct scheduler *, uint32_t above, uint32_t tag);

/* scheduler_limit_tag(scheduler, tag, limit): what holds from now on, also for
 * those below it; what was asked of it counts.  It has no delay. */
void scheduler_limit_tag(
    struct scheduler *, uint32_t tag, const struct scheduler_host *limit);

/* scheduler_set_tag(scheduler, host, tag): of all sites of that host, from now
 * on; SCHEDULER_NONE: none. */
void scheduler_set_tag(struct scheduler *, uint32_t host, uint32_t tag);

/* scheduler_spend_tag(scheduler, tag, now_s, requests): scheduler_spend, of
 * sites that have it. */
void scheduler_spend_tag(
    struct scheduler *, uint32_t tag, int64_t now_s, double requests);

#endif
