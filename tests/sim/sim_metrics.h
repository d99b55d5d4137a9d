/*
 * Figures that measure a run: sums and means over a window of days, and means
 * with confidence intervals over runs with different seeds
 * (scheduling-formulas.md, "Figures").
 */
#ifndef FRESHET_SIM_METRICS_H
#define FRESHET_SIM_METRICS_H

#include <stddef.h>
#include <stdint.h>

struct history;
struct sim_honesty;
struct sim_options;
struct sim_policy;
struct sim_result;

#define SIM_ALL SIZE_MAX /* of a class: all of them together */

/* Days of a run: from <= day < to. */
struct sim_window {
	size_t from, to;
};

/* sim_second_half(result): the second half of the days, which counts unless
 * another window is named: the start of a run is no measure of a policy. */
struct sim_window sim_second_half(const struct sim_result *);

/* A figure is NaN when nothing was measured: no page, or no request. */
struct sim_figures {
	double weight; /* mean of the sum of weights of listed pages */
	double freshness; /* 0 to 1, weighted */
	double age_days; /* mean over pages, weighted; 0 while fresh */
	/* The days from a change to the next fetch of its page: a median over
	 * pages, in which all changes of a page together have the weight of
	 * one. INFINITY: no fetch came for more than half. */
	double delay_days;
	/* likewise, over the tenth of pages with the highest weights */
	double delay_top_days;
	double fetches, readings; /* in a day */
	double readings_cost; /* in a day, in page fetches */
	/* fetches that found a change, of all but first fetches */
	double found_share;
	double failed_share; /* of fetches */
};

/*
 * sim_figures(result, class, window, top_weight, figures):
 * Compute the figures of a class in a window; top_weight is the result of
 * sim_top_weight.  Delays are those of changes within the window, even if the
 * fetch came after the window.
 */
void sim_figures(const struct sim_result *, size_t class, struct sim_window,
    double top_weight, struct sim_figures *);

/* sim_top_weight(history): the weight that a tenth of the pages have or
 * exceed. */
double sim_top_weight(const struct history *);

/* How near a policy came to the truth about dates. */
struct sim_score {
	size_t documents; /* with known truth, and at least least_moves moves */
	/* documents whose precision and recall are both right within 0.1 */
	size_t within;
	double precision_error, recall_error; /* mean, absolute; or NaN */
	/* documents whose moves say nothing, with at least least_moves
	 * moves */
	size_t liars;
	/* liars that the policy gives a precision of 0.5 or more */
	size_t believed;
};

/* sim_score(honesty, history, now_s, least_moves, score): compare what the
 * policy had learned at now_s with the truth.  Documents about which the
 * policy knew nothing do not count as `within`. */
void sim_score(const struct sim_honesty *, const struct history *,
    int64_t now_s, size_t least_moves, struct sim_score *);

/* sim_gap(f, base, bound): the position of f between base (0) and bound (1);
 * NaN when bound is not above base. */
double sim_gap(double f, double base, double bound);

/*
 * sim_requests_for(policy, history, options, window, freshness):
 * The requests a day with which the policy reaches that freshness in the
 * window, right within 2 %; the function runs the policy with several budgets.
 * INFINITY: neither 64 times the requests of the options, nor a request an
 * hour for each page, are enough.
 */
double sim_requests_for(const struct sim_policy *, const struct history *,
    const struct sim_options *, struct sim_window, double freshness);

/* Zeroed: no values yet. */
struct sim_sample {
	size_t count, infinite;
	/* of finite values: the mean, and the sum of squared deviations */
	double mean, square;
};

/* sim_sample_add(sample, value): add a value; NaN is ignored. */
void sim_sample_add(struct sim_sample *, double value);

/* sim_sample_mean(sample): the mean; NaN: there are no values; INFINITY: one
 * of the values was infinite. */
double sim_sample_mean(const struct sim_sample *);

/* sim_sample_error(sample): half the 95 % confidence interval of the mean
 * (Student's t); NaN: there are fewer than two values. */
double sim_sample_error(const struct sim_sample *);

#endif
