/* The stopwatch of the loop. */
#include "crawler/event/loop_delay.h"

#include <stddef.h>

/* The part of the round that ends now may be the longest one. */
void
clocking_doing(struct loop_clocking *clocking, int64_t now_us, const char *what)
{
	int64_t spent_us = now_us - clocking->since_us;

	if (clocking->what != NULL && spent_us > clocking->longest_us) {
		clocking->longest = clocking->what;
		clocking->longest_us = spent_us;
	}
	clocking->what = what;
	clocking->since_us = now_us;
}

void
clocking_wake(struct loop_clocking *clocking, int64_t now_us)
{
	if (clocking->round_us == 0) {
		clocking->round_us = now_us;
		clocking->longest_us = -1;
		clocking->what = NULL;
	}
	clocking_doing(clocking, now_us, "an event");
}

struct loop_stall
clocking_rest(struct loop_clocking *clocking, int64_t now_us, int64_t cpu_us)
{
	int64_t us = now_us - clocking->round_us;
	int64_t gap_us = us - clocking->apart_us;
	struct loop_stall stall = {
	    .us = us, .commit_us = clocking->apart_us, .cpu_us = cpu_us};

	if (clocking->round_us == 0)
		return (struct loop_stall){0};
	clocking_doing(clocking, now_us, NULL);
	stall.what = clocking->longest;
	if (gap_us > clocking->delays.longest_gap_us)
		clocking->delays.longest_gap_us = gap_us;
	/* How much of cpu_us went into commits is not known; a gap cannot
	 * have used more than it lasted. */
	if (cpu_us > gap_us)
		cpu_us = gap_us;
	if (cpu_us > clocking->delays.longest_cpu_us)
		clocking->delays.longest_cpu_us = cpu_us;
	clocking->round_us = 0;
	clocking->apart_us = 0;
	return stall;
}

void
clocking_commit(struct loop_clocking *clocking, int64_t now_us, bool begins)
{
	int64_t spent_us = now_us - clocking->commit_us;

	if (begins) {
		clocking->commit_us = now_us;
		clocking_doing(clocking, now_us, "a commit");
		return;
	}
	/* An end without a beginning is ignored. */
	if (clocking->commit_us == 0)
		return;
	clocking->commit_us = 0;
	clocking->apart_us += spent_us;
	clocking_doing(clocking, now_us, "what was committed");
	if (spent_us > clocking->delays.longest_commit_us)
		clocking->delays.longest_commit_us = spent_us;
}
