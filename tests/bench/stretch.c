/* What a stretch of a measurement took. */
#include "stretch.h"

#include <stdio.h>
#include <time.h>

static double
clock_s(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct stretch
stretch_begin(void)
{
	return (struct stretch){
	    clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_PROCESS_CPUTIME_ID)};
}

void
stretch_say(const char *name, const struct stretch *from, double count)
{
	struct stretch to = stretch_begin();

	(void)printf(
	    "%s_per_s %.0f\n", name, count / (to.wall_s - from->wall_s));
	(void)printf(
	    "%s_us %.2f\n", name, (to.cpu_s - from->cpu_s) / count * 1e6);
}
