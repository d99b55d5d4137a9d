/*
 * The most that any policy can reach, in the long run and on average over
 * time, so that a policy can be measured against it (scheduling.md,
 * "Bounds").
 *
 * Each is the optimum of the relaxed problem, in which the budget holds on
 * average and not in each tick; no policy of the kind beats it.  It is found
 * as the least, over the price L of a request, of
 *
 *     requests L + sum over pages of what is left to each page that buys
 *     its freshness at that price
 *
 * which bounds the freshness from above at every L (B1).
 */
#ifndef FRESHET_BOUNDS_H
#define FRESHET_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "sched/value.h"

struct history;

/* bounds_changes(rates): how often a page changes in a day. */
double bounds_changes(const struct value_rates *);

struct bounds_problem {
	const struct value_rates *pages; /* borrowed */
	size_t page_count;
	double requests_per_day;
	const double *shares; /* borrowed; of the time that each page is there;
			       * NULL: all of it */
	/* Of bounds_joint alone. */
	const uint32_t *documents; /* borrowed; of each page */
	const double *costs; /* borrowed; of a reading, by document */
	size_t document_count;
};

struct bounds_optimum {
	double freshness; /* share of the weight that is fresh: 0..1 */
	double price; /* L; 0: requests are more than can be used */
};

/*
 * bounds_blind(problem, per_day): without signals, with known rates: the
 * optimum of Cho and Garcia-Molina (B2).  per_day: NULL, or what each page is
 * to get, evenly spaced; these come to requests_per_day.
 */
struct bounds_optimum bounds_blind(
    const struct bounds_problem *, double *per_day);

/* bounds_signals(problem): each move of lastmod is known at once and for
 * nothing (B3). */
struct bounds_optimum bounds_signals(const struct bounds_problem *);

/*
 * bounds_joint(problem): readings are paid from the same budget (B4).  The
 * optimum where dates are right or absent; where they are not, no less than
 * the optimum.
 */
struct bounds_optimum bounds_joint(const struct bounds_problem *);

/*
 * bounds_clairvoyant(history, requests_per_day, from_s, to_s):
 * The future is known: each time between two changes of a page costs one
 * fetch, the best are bought (B5).  Those that began before from_s are free,
 * as far as they could be bought by the requests since begin_s, and by the
 * pages that were fetched before begin_s.
 *
 * Returns weight times days of freshness from from_s to to_s.
 */
double bounds_clairvoyant(const struct history *, double requests_per_day,
    int64_t from_s, int64_t to_s);

#endif
