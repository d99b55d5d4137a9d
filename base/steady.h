/*
 * A clock that never goes back: the time of the system's clock, as long as that
 * goes on.  After the system's clock was set back, time goes on at the pace of
 * the monotonic clock until the system's clock has caught up (HOSTILE T21).  So
 * what lasts an hour lasts an hour, and no event lies before an earlier one.
 */
#ifndef FRESHET_STEADY_H
#define FRESHET_STEADY_H

#include <stdint.h>

struct steady {
	/* the latest time that the system's clock has shown, or a time before
	 * which the clock must not stand */
	int64_t base_s;
	int64_t base_ms; /* the monotonic clock at that moment */
};

/* steady_now_s(steady, wall_s, now_ms): the time now, when the system's clock
 * shows wall_s and the monotonic clock now_ms. */
static inline int64_t
steady_now_s(struct steady *steady, int64_t wall_s, int64_t now_ms)
{
	int64_t flown_s = steady->base_s + (now_ms - steady->base_ms) / 1000;

	if (wall_s < flown_s)
		return flown_s;
	*steady = (struct steady){.base_s = wall_s, .base_ms = now_ms};
	return wall_s;
}

#endif
