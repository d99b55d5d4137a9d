/*
 * The stopwatch of the loop: how long a round lasted, and what took the longest
 * part of it. The functions only compute; loop.c gives each of them the time.
 */
#ifndef FRESHET_LOOP_DELAY_H
#define FRESHET_LOOP_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/event/loop.h"

struct loop_clocking {
	struct loop_delays delays;
	int64_t round_us; /* when the round's first callback began, 0: none */
	int64_t commit_us; /* when the commit under way began, 0: none */
	int64_t apart_us; /* time in commits, in this round */
	const char *what; /* what the callback does now, since since_us */
	int64_t since_us;
	const char *longest; /* what took the longest part of the round */
	int64_t longest_us;
};

/* clocking_wake(clocking, now_us): a callback begins. */
void clocking_wake(struct loop_clocking *, int64_t now_us);

/* clocking_commit(clocking, now_us, begins): a commit begins, or ends. */
void clocking_commit(struct loop_clocking *, int64_t now_us, bool begins);

/* clocking_doing(clocking, now_us, what): the callback does `what` now, a
 * static text; NULL: the callback ended. */
void clocking_doing(struct loop_clocking *, int64_t now_us, const char *what);

/* clocking_rest(clocking, now_us, cpu_us): the round is over, and used the
 * processor for cpu_us, commits included.  Returns the round as a stall; us is
 * 0 when no callback had begun. */
struct loop_stall clocking_rest(
    struct loop_clocking *, int64_t now_us, int64_t cpu_us);

#endif
