/* The clock of a scheduler: callers give the time, and scheduler.c sets it. */
#ifndef FRESHET_CLOCK_H
#define FRESHET_CLOCK_H

#include <stdint.h>

struct sched_clock {
	int64_t now_s; /* INT64_MIN: the clock has not begun */
	int64_t first_s; /* when the clock began, or began anew */
};

/* days_after(clock, t_s): the days since t_s; 0 when t_s lies in the
 * future. */
static inline double
days_after(const struct sched_clock *clock, int64_t t_s)
{
	/* The difference of any two times fits into a double. */
	return t_s < clock->now_s ? ((double)clock->now_s - (double)t_s) / 86400
				  : 0;
}

#endif
