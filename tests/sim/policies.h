/* The policies that sim_policies() lists, each in a file of its own. */
#ifndef FRESHET_POLICIES_H
#define FRESHET_POLICIES_H

#include "tests/sim/sim_policy.h"

struct scheduler;

/* policy_ours.c: the scheduler. */
extern const struct sim_policy policy_ours, policy_ours_known,
    policy_ours_sharded;

/* policy_ours_scheduler(arg): the scheduler of a running policy_ours, for
 * measurements. */
struct scheduler *policy_ours_scheduler(void *arg);

/* policy_fifo.c: pages in turn. */
extern const struct sim_policy policy_fifo;

/* policy_interval.c: an interval for each page. */
extern const struct sim_policy policy_nutch, policy_nutch_due;
extern const struct sim_policy policy_storm, policy_storm_due,
    policy_storm_default;

/* policy_dates.c: pages with moved dates first. */
extern const struct sim_policy policy_lastmod_changed;

/* policy_weight.c: pages as often as they are important. */
extern const struct sim_policy policy_weight;

/* policy_oracle.c: knows the future. */
extern const struct sim_policy policy_clairvoyant;

/* policy_value.c: the best value, with true parameters. */
extern const struct sim_policy policy_greedy_ncis;

/* policy_learned.c: with learned rates, without signals. */
extern const struct sim_policy policy_learned_greedy;

#endif
