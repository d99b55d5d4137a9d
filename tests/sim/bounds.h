/*
 * The most that any policy can reach, in the long run and on average over
 * time, so that a policy can be measured against it (scheduling-formulas.md,
 * "Bounds").
 *
 * Each bound is the optimum of the relaxed problem, in which the budget holds
 * on average instead of in each tick; no policy of that kind can exceed it.
 * The bound is the least value, over the price L of a request, of
 *
 *     requests L + sum over pages of the surplus of each page
 *
 * At every L this sum is an upper bound of the freshness (B1).  The surplus of
 * a page is the freshness that its fetches bring, less their price L each,
 * when the page buys as many fetches as are best for it.
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
	/* borrowed; the share of the time in which each page exists; NULL: all
	 * of the time */
	const double *shares;
	/* Of bounds_joint alone. */
	const uint32_t *documents; /* borrowed; of each page */
	const double *costs; /* borrowed; of a reading, by document */
	size_t document_count;
};

struct bounds_optimum {
	double freshness; /* share of the weight that is fresh: 0 to 1 */
	double price; /* L; 0: there are more requests than pages can use */
};

/*
 * bounds_blind(problem, per_day): the optimum without signals and with known
 * rates, of Cho and Garcia-Molina (B2).  per_day: NULL, or an array that gets
 * the fetches a day of each page, at even intervals; their sum is
 * requests_per_day.
 */
struct bounds_optimum bounds_blind(
    const struct bounds_problem *, double *per_day);

/* bounds_signals(problem): each move of lastmod is known at once, without the
 * cost of a reading (B3). */
struct bounds_optimum bounds_signals(const struct bounds_problem *);

/*
 * bounds_joint(problem): readings are paid from the same budget (B4).  The
 * result is the optimum when dates are right or absent, and else an upper
 * bound of the optimum.
 */
struct bounds_optimum bounds_joint(const struct bounds_problem *);

/*
 * bounds_clairvoyant(history, requests_per_day, from_s, to_s):
 * The future is known: one fetch keeps a page fresh from one change to the
 * next, and the fetches that bring the most freshness are made (B5).  Fetches
 * for times that began before from_s are free, as far as the requests since
 * begin_s, and the fetches before begin_s, could have paid for them.
 *
 * Returns weight times days of freshness from from_s to to_s.
 */
double bounds_clairvoyant(const struct history *, double requests_per_day,
    int64_t from_s, int64_t to_s);

#endif
