/* Freshness and age by class and day, kept without visiting pages; private
 * to the simulator. */
#ifndef FRESHET_DAY_SUMS_H
#define FRESHET_DAY_SUMS_H

#include <stddef.h>

#include "sched/sim/sim.h"

/* The pages of a class now, and until when its days are written. */
struct day_sums_class {
	double done; /* days since the begin */
	double weight; /* sum of w: of listed pages */
	double stale; /* sum of w: of those that are stale */
	double since; /* sum of w x the day since when they are stale */
};

struct day_sums {
	struct day_sums_class *classes; /* owned */
	size_t class_count, day_count;
	double end; /* days since the begin */
	struct sim_day *days; /* owned until the result takes it */
};

/* day_sums_init(sums, class_count, end): end in days, all times likewise. */
void day_sums_init(struct day_sums *, size_t class_count, double end);
void day_sums_release(struct day_sums *);

/* day_sums_day(sums, class, now): where to count what happens now. */
struct sim_day *day_sums_day(struct day_sums *, size_t class, double now);

/*
 * day_sums_list(sums, class, now, weight): a page of that weight counts from
 * now on, fresh; a negative weight: no longer.
 * day_sums_stale(sums, class, now, weight, since): a listed page is stale from
 * now on, and is counted to have the age now - since; a negative weight: no
 * longer, with the `since` it came with.
 */
void day_sums_list(struct day_sums *, size_t class, double now, double weight);
void day_sums_stale(
    struct day_sums *, size_t class, double now, double weight, double since);

/* day_sums_finish(sums): write all days up to the end. */
void day_sums_finish(struct day_sums *);

#endif
