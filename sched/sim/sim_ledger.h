/* Freshness and age by class and day, kept without visiting pages; private
 * to the simulator. */
#ifndef FRESHET_SIM_LEDGER_H
#define FRESHET_SIM_LEDGER_H

#include <stddef.h>

#include "sched/sim/sim.h"

/* The pages of a class now, and until when its days are written. */
struct ledger_class {
	double done; /* days since the begin */
	double weight; /* sum of w: of listed pages */
	double stale; /* sum of w: of those that are stale */
	double since; /* sum of w x the day since when they are stale */
};

struct ledger {
	struct ledger_class *classes; /* owned */
	size_t class_count, day_count;
	double end; /* days since the begin */
	struct sim_day *days; /* owned until the result takes it */
};

/* ledger_init(ledger, class_count, end): end in days, all times likewise. */
void ledger_init(struct ledger *, size_t class_count, double end);
void ledger_release(struct ledger *);

/* ledger_day(ledger, class, now): where to count what happens now. */
struct sim_day *ledger_day(struct ledger *, size_t class, double now);

/*
 * ledger_list(ledger, class, now, weight): a page of that weight counts from
 * now on, fresh; a negative weight: no longer.
 * ledger_stale(ledger, class, now, weight, since): a listed page is stale from
 * now on, and is counted to have the age now - since; a negative weight: no
 * longer, with the `since` it came with.
 */
void ledger_list(struct ledger *, size_t class, double now, double weight);
void ledger_stale(
    struct ledger *, size_t class, double now, double weight, double since);

/* ledger_finish(ledger): write all days up to the end. */
void ledger_finish(struct ledger *);

#endif
