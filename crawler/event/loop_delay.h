/* How long a loop kept others waiting, and with what. */
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
	int64_t longest_cpu_us; /* of a gap, of the processor: the machine may
				   be busy with others for the rest of it */
	int64_t longest_commit_us;
};

struct loop_delays loop_delays(const struct loop *);

/* loop_commit_begin(loop), loop_commit_end(loop): around what waits for the
 * disk, within one callback; an end without a beginning is none. */
void loop_commit_begin(struct loop *);
void loop_commit_end(struct loop *);

/* loop_doing(loop, what): the callback goes on with that; static words. */
void loop_doing(struct loop *, const char *what);

/* A round that lasted for LOOP_STALL_US or longer, COMMIT or no COMMIT. */
#define LOOP_STALL_US 200000

struct loop_stall {
	int64_t us, commit_us, cpu_us; /* in all; of these; of the processor */
	const char *what; /* it did for the longest part of it */
};

typedef void loop_stall_fn(void *arg, const struct loop_stall *);

/* loop_on_stall(loop, fn, arg): fn behind each of them. */
void loop_on_stall(struct loop *, loop_stall_fn *, void *arg);

/* For the loop itself, at its own time: a callback begins, a round is over. */
struct loop_clocking {
	struct loop_delays delays;
	int64_t round_us; /* its first callback began, 0: none did */
	int64_t commit_us; /* likewise */
	int64_t apart_us; /* of this round, in commits */
	const char *what, *longest; /* it does; it did for the longest time */
	int64_t since_us, longest_us;
};

void clocking_wake(struct loop_clocking *, int64_t now_us);
void clocking_commit(struct loop_clocking *, int64_t now_us);
void clocking_committed(struct loop_clocking *, int64_t now_us);
void clocking_doing(struct loop_clocking *, int64_t now_us, const char *what);

/* clocking_rest(clocking, now_us, cpu_us): what it was; us is 0 where there was
 * none.  cpu_us: of the round, with what its commits took. */
struct loop_stall clocking_rest(
    struct loop_clocking *, int64_t now_us, int64_t cpu_us);

#endif
