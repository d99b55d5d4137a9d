/* What a row of the watch list means to the scheduler. */
#ifndef FRESHET_WATCH_SCHEDULE_H
#define FRESHET_WATCH_SCHEDULE_H

#include "sched/scheduler.h"

struct watch;

/* watch_schedule(watch): the weight and the intervals of that site, those that
 * were not given as usual; NULL: all of them.  Its host and tag are nobody's.
 */
struct scheduler_site watch_schedule(const struct watch *);

#endif
