/* How long a loop kept others waiting. */
#ifndef FRESHET_LOOP_DELAY_H
#define FRESHET_LOOP_DELAY_H

#include <stdint.h>

struct loop;

/*
 * Microseconds.  A gap is the time from the first callback of a round to its
 * end, in which nobody else is served, without what a COMMIT took of it, since
 * a disk takes its time and hostile bytes do not change that.
 */
struct loop_delays {
	int64_t longest_gap_us;
	int64_t longest_commit_us;
};

struct loop_delays loop_delays(const struct loop *);

/* loop_commit_begin(loop), loop_commit_end(loop): around what waits for the
 * disk, within one callback; an end without a beginning is none. */
void loop_commit_begin(struct loop *);
void loop_commit_end(struct loop *);

/* For the loop itself, at its own time: a callback begins, a round is over. */
struct loop_clocking {
	struct loop_delays delays;
	int64_t round_us; /* its first callback began, 0: none did */
	int64_t commit_us; /* likewise */
	int64_t apart_us; /* of this round, in commits */
};

void clocking_wake(struct loop_clocking *, int64_t now_us);
void clocking_rest(struct loop_clocking *, int64_t now_us);
void clocking_commit(struct loop_clocking *, int64_t now_us);
void clocking_committed(struct loop_clocking *, int64_t now_us);

#endif
