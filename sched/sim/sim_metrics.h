/*
 * What a run was worth: figures of a window of days, and means and intervals
 * over seeds (scheduling.md, "Figures").
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

/* sim_second_half(result): what counts unless said, the start left out. */
struct sim_window sim_second_half(const struct sim_result *);

/* NaN where there is nothing to tell: no page, no request. */
struct sim_figures {
	double weight; /* mean of the sum of weights of listed pages */
	double freshness; /* of 1, weighted */
	double age_days; /* mean over pages, weighted; 0 while fresh */
	/* From a change to the next fetch of its page: the median over
	 * pages, that is, all changes of a page together weigh one.
	 * INFINITY: for more than half no fetch came. */
	double delay_days;
	double delay_top_days; /* of the tenth of pages that weigh most */
	double fetches, readings; /* a day */
	double readings_cost; /* a day, in page fetches */
	double found_share; /* of fetches but first ones: with a change */
	double failed_share; /* of fetches */
};

/*
 * sim_figures(result, class, window, top_weight, figures):
 * top_weight comes from sim_top_weight.  The delays are of the changes within
 * the window, wherever their fetch falls.
 */
void sim_figures(const struct sim_result *, size_t class, struct sim_window,
    double top_weight, struct sim_figures *);

/* sim_top_weight(history): a tenth of the pages weigh as much or more. */
double sim_top_weight(const struct history *);

/* How near a policy came to the truth about dates. */
struct sim_score {
	size_t documents; /* whose truth is known, with so many moves */
	size_t within; /* of them: precision and recall both within 0.1 */
	double precision_error, recall_error; /* mean, absolute; or NaN */
	size_t liars; /* whose moves tell nothing, with so many moves */
	size_t believed; /* of them: with a precision of 0.5 or more */
};

/* sim_score(honesty, history, now_s, least_moves, score): now_s is when it
 * was asked; documents that it knew nothing of are not within. */
void sim_score(const struct sim_honesty *, const struct history *,
    int64_t now_s, size_t least_moves, struct sim_score *);

/* sim_gap(f, base, bound): the part of the way from base to bound; NaN when
 * there is none. */
double sim_gap(double f, double base, double bound);

/*
 * sim_requests_for(policy, history, options, window, freshness):
 * Requests a day with which the policy is as fresh in the window, by runs at
 * several budgets, within 2 %; INFINITY: not with 64 times those of
 * the options, nor with a request an hour for each page.
 */
double sim_requests_for(const struct sim_policy *, const struct history *,
    const struct sim_options *, struct sim_window, double freshness);

/* Zeroed: nothing yet. */
struct sim_sample {
	size_t count, infinite;
	double mean, square; /* of finite ones; sum of squared deviations */
};

/* sim_sample_add(sample, value): NaN is left out. */
void sim_sample_add(struct sim_sample *, double value);

/* sim_sample_mean: NaN: of nothing; INFINITY: one of them was. */
double sim_sample_mean(const struct sim_sample *);

/* sim_sample_error(sample): half the 95 % confidence interval of the mean
 * (Student); NaN with less than two. */
double sim_sample_error(const struct sim_sample *);

#endif
