/* A row of the watch list, as the scheduler needs it. */
#ifndef FRESHET_WATCH_SCHEDULE_H
#define FRESHET_WATCH_SCHEDULE_H

#include "sched/scheduler.h"

struct watch;

/* watch_schedule(watch): the weight and the intervals of that site, with
 * defaults for what the row does not give; NULL: defaults only.  Host and tag
 * are not set. */
struct scheduler_site watch_schedule(const struct watch *);

#endif
