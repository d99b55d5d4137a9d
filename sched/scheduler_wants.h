/*
 * Pages and documents asked for apart, by those who can do something with one
 * kind only: see scheduler.h.  The scheduler's options say so (asks_apart).
 *
 * What waits of the kind that nobody asks for neither takes the turn of the
 * other one, nor moves the price.
 */
#ifndef FRESHET_SCHEDULER_WANTS_H
#define FRESHET_SCHEDULER_WANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/scheduler.h"

#define SCHEDULER_KINDS_PAGES 1U /* SCHEDULER_PAGE, SCHEDULER_LISTED */
#define SCHEDULER_KINDS_DOCUMENTS 2U
#define SCHEDULER_KINDS_ALL 3U

/*
 * scheduler_next_of(scheduler, now_s, wants, choice): scheduler_next, of these
 * kinds; the budgets and the turn of a host are those of both.
 * scheduler_due_of_s(scheduler, now_s, wants): when that may say yes again.
 */
bool scheduler_next_of(struct scheduler *, int64_t now_s, unsigned kinds,
    struct scheduler_choice *);
int64_t scheduler_due_of_s(struct scheduler *, int64_t now_s, unsigned kinds);

#endif
