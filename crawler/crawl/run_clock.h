/*
 * The driver's clock: the time that is stored with everything.
 *
 * It is the time of the system's clock.  After that clock was set back, time
 * goes on from the latest time known (HOSTILE T21): a stored time never lies
 * after one that is stored later.
 */
#ifndef FRESHET_RUN_CLOCK_H
#define FRESHET_RUN_CLOCK_H

#include <stdint.h>

struct loop;

struct run_clock {
	struct loop *loop; /* borrowed */
	int64_t base_s; /* the latest time that the system's clock has shown */
	int64_t base_ms; /* the loop's time at that moment */
	/* how far the system's clock was set back when that was first seen; 0:
	 * never */
	int64_t behind_s;
};

/* run_clock_init(clock, loop, latest_s): latest_s is the latest time in the
 * store. */
void run_clock_init(struct run_clock *, struct loop *, int64_t latest_s);

/* run_clock_now_s(clock): the time now. */
int64_t run_clock_now_s(struct run_clock *);

#endif
