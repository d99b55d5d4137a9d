/* Freshness and age by class and day, kept without visiting pages; private
 * to the simulator. */
#ifndef FRESHET_DAY_SUMS_H
#define FRESHET_DAY_SUMS_H

#include <stddef.h>

#include "tests/sim/sim.h"

/* The pages of a class now, and the time up to which its days are written. */
struct day_sums_class {
	double done; /* days since the begin */
	double weight; /* sum of the weights of listed pages */
	double stale; /* sum of the weights of listed pages that are stale */
	/* sum over stale pages of weight x the day since which each is
	 * stale */
	double since;
};

struct day_sums {
	struct day_sums_class *classes; /* owned */
	size_t class_count, day_count;
	double end; /* days since the begin */
	struct sim_day *days; /* owned until the result takes it */
};

/* day_sums_init(sums, class_count, end): `end`, as all times here, is in days
 * since the beginning. */
void day_sums_init(struct day_sums *, size_t class_count, double end);
void day_sums_release(struct day_sums *);

/* day_sums_day(sums, class, now): the counters of the current day. */
struct sim_day *day_sums_day(struct day_sums *, size_t class, double now);

/*
 * day_sums_list(sums, class, now, weight): a page of that weight is listed
 * from now on, and fresh; a negative weight: it is not listed any more.
 * day_sums_stale(sums, class, now, weight, since): a listed page is stale from
 * now on, and its age is now - since; a negative weight: the page is fresh
 * again, and `since` is that of the call that made it stale.
 */
void day_sums_list(struct day_sums *, size_t class, double now, double weight);
void day_sums_stale(
    struct day_sums *, size_t class, double now, double weight, double since);

/* day_sums_finish(sums): write all days up to the end. */
void day_sums_finish(struct day_sums *);

#endif
