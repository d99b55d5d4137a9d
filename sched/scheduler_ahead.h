/* What is asked for before it is worth the price: what is past its ceiling, and
 * the best there is when requests are left. */
#ifndef FRESHET_SCHEDULER_AHEAD_H
#define FRESHET_SCHEDULER_AHEAD_H

#include <stdbool.h>

struct scheduler;

/* When nothing is worth the price, this share of it will do: it falls. */
#define DRY_SHARE 0.5

/* budget_is_left(scheduler): for one more request. */
bool budget_is_left(struct scheduler *);

/* force_one(scheduler, wants): the first in the line of those past their
 * ceiling waits from now on: its turn has come; false: there is none. */
bool force_one(struct scheduler *, unsigned wants);

/*
 * look_ahead(scheduler, wants): nothing that may be asked now is worth the
 * price, and there may be requests left: look at what will be.  False: nothing
 * more will wait for that.  After looks that were for nothing there are none
 * for a while.
 */
bool look_ahead(struct scheduler *, unsigned wants);

#endif
