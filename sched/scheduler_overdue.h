/* What is past its ceiling, in the order in which that was seen. */
#ifndef FRESHET_SCHEDULER_OVERDUE_H
#define FRESHET_SCHEDULER_OVERDUE_H

#include <stdbool.h>

struct scheduler;

/* budget_has_room(scheduler): for one more request. */
bool budget_has_room(struct scheduler *);

/* force_one(scheduler, wants): the first in the line of those past their
 * ceiling waits from now on: its turn has come; false: there is none. */
bool force_one(struct scheduler *, unsigned kinds);

#endif
