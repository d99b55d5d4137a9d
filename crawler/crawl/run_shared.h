/* The driver: hosts that others ask, too. */
#ifndef FRESHET_RUN_SHARED_H
#define FRESHET_RUN_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct run;

/* run_spare(run, host, wait_ms): somebody else asks it now: it is asked nothing
 * before that is over.  Does something wait for it? */
bool run_spare(struct run *, struct slice host, int64_t wait_ms);

/* run_shared_asked(run, host): private to the driver: it is asked, or has
 * answered. */
void run_shared_asked(struct run *, uint32_t host);

#endif
