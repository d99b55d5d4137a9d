/* How long a loop kept others waiting. */
#include "crawler/loop_delay.h"

void
clocking_wake(struct loop_clocking *clocking, int64_t now_us)
{
	if (clocking->round_us == 0)
		clocking->round_us = now_us;
}

void
clocking_rest(struct loop_clocking *clocking, int64_t now_us)
{
	int64_t gap_us = now_us - clocking->round_us - clocking->apart_us;

	if (clocking->round_us != 0 && gap_us > clocking->delays.longest_gap_us)
		clocking->delays.longest_gap_us = gap_us;
	clocking->round_us = 0;
	clocking->apart_us = 0;
}

void
clocking_commit(struct loop_clocking *clocking, int64_t now_us)
{
	clocking->commit_us = now_us;
}

void
clocking_committed(struct loop_clocking *clocking, int64_t now_us)
{
	int64_t spent_us = now_us - clocking->commit_us;

	if (clocking->commit_us == 0)
		return;
	clocking->commit_us = 0;
	clocking->apart_us += spent_us;
	if (spent_us > clocking->delays.longest_commit_us)
		clocking->delays.longest_commit_us = spent_us;
}
