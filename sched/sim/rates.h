/*
 * Plans: how often each page is to be fetched, computed beforehand from known
 * rates, for policies that follow no index.  All plans spend what the problem
 * has in a day.
 */
#ifndef FRESHET_RATES_H
#define FRESHET_RATES_H

#include "sched/sim/bounds.h"

/* rates_proportional(problem, per_day): fetch each page in proportion to its
 * changes.\nrates_weight(problem, per_day): in proportion to its weight. */
void rates_proportional(const struct bounds_problem *, double *per_day);
void rates_weight(const struct bounds_problem *, double *per_day);

/*
 * rates_azar(problem, per_day): the plan with the most freshness if fetches
 * come at random times (Azar et al. 2018): sqrt(weight D / L) - D, or 0.
 */
void rates_azar(const struct bounds_problem *, double *per_day);

/*
 * rates_lambda(problem, per_day): LambdaCrawl (Kolobov et al. 2019): the plan
 * with the least harmonic staleness if fetches come at random times; this plan
 * leaves no page out.
 */
void rates_lambda(const struct bounds_problem *, double *per_day);

/*
 * rates_lambda_mixed(problem, per_day, chances): LambdaCrawl where the moves
 * of some pages announce each change.  Those pages are fetched at a move with
 * probability chances[i], and their per_day is 0; the others are as by
 * rates_lambda, and their chances[i] is -1.
 */
void rates_lambda_mixed(
    const struct bounds_problem *, double *per_day, double *chances);

#endif
