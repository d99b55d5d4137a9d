/*
 * The driver's clock: the time that is stored with everything.  It is the time
 * of the loop, but never before the latest time in the store (HOSTILE T21): a
 * stored time never lies after one that is stored later.
 */
#ifndef FRESHET_RUN_CLOCK_H
#define FRESHET_RUN_CLOCK_H

#include "base/civil.h"
#include "crawler/event/loop.h"

struct run_clock {
	struct loop *loop; /* borrowed */
	/* begins at the latest time in the store */
	struct steady steady;
};

static inline int64_t
run_clock_now_s(struct run_clock *clock)
{
	return steady_now_s(
	    &clock->steady, loop_now_s(clock->loop), loop_now_ms(clock->loop));
}

#endif
