/* The policies that sim_policies() lists, each in a file of its own. */
#ifndef FRESHET_POLICIES_H
#define FRESHET_POLICIES_H

#include "sched/sim/sim_policy.h"

struct scheduler;

/* policy_ours.c: the scheduler. */
extern const struct sim_policy policy_ours, policy_ours_fair, policy_ours_known;

/* policy_ours_scheduler(arg): the scheduler of a running policy_ours, for
 * measurements. */
struct scheduler *policy_ours_scheduler(void *arg);

/* policy_fifo.c: in turn, and by lot. */
extern const struct sim_policy policy_fifo, policy_random;

/* policy_interval.c: an interval for each page. */
extern const struct sim_policy policy_nutch, policy_nutch_due;
extern const struct sim_policy policy_storm, policy_storm_due,
    policy_storm_default;

/* policy_dates.c: moved dates first. */
extern const struct sim_policy policy_lastmod_newest, policy_lastmod_changed;

/* policy_paced.c: planned from known rates. */
extern const struct sim_policy policy_cho, policy_azar, policy_lambda,
    policy_lambda_even, policy_weight, policy_proportional;

/* policy_oracle.c: these know the truth. */
extern const struct sim_policy policy_perfect_signals, policy_clairvoyant;

/* policy_value.c: the best value, with true parameters. */
extern const struct sim_policy policy_greedy, policy_greedy_cis,
    policy_greedy_ncis, policy_greedy_lite;

/* policy_learned.c: with learned rates, without signals. */
extern const struct sim_policy policy_learned_greedy;

#endif
