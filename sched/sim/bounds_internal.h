/* What the bounds share. */
#ifndef FRESHET_BOUNDS_INTERNAL_H
#define FRESHET_BOUNDS_INTERNAL_H

#include "sched/sim/bounds.h"

/* What is left to all pages that buy at a price: the sum of (B1). */
struct bounds_dual {
	const struct bounds_problem *problem;
	double (*left)(const void *arg, double price);
	const void *arg;
};

/* bounds_minimum(dual, price): (B1), from a first guess above 0. */
struct bounds_optimum bounds_minimum(const struct bounds_dual *, double price);

/* What is left to one page, a day: without and with signals. */
double bounds_blind_left(const struct value_rates *, double price);
double bounds_signals_left(const struct value_rates *, double price);

/* bounds_blind_gap(page, price): days from one fetch to the next, (B2);
 * INFINITY: none is bought. */
double bounds_blind_gap(const struct value_rates *, double price);

/* bounds_share(problem, page): of the time that it is there. */
double bounds_share(const struct bounds_problem *, size_t page);

double bounds_changes(const struct value_rates *); /* a day */
double bounds_weight(const struct bounds_problem *); /* of all pages */

#endif
