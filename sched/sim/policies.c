/* The list of policies, in the order of tables. */
#include "sched/sim/policies.h"

static const struct sim_policy *const policies[] = {
    &policy_ours,
    &policy_ours_fair,
    &policy_ours_known,
    &policy_learned_greedy,
    &policy_greedy_ncis,
    &policy_greedy_lite,
    &policy_greedy,
    &policy_greedy_cis,
    &policy_clairvoyant,
    &policy_perfect_signals,
    &policy_cho,
    &policy_lambda,
    &policy_lambda_even,
    &policy_azar,
    &policy_weight,
    &policy_proportional,
    &policy_nutch,
    &policy_nutch_due,
    &policy_storm,
    &policy_storm_due,
    &policy_storm_default,
    &policy_lastmod_changed,
    &policy_lastmod_newest,
    &policy_fifo,
    &policy_random,
};

const struct sim_policy *const *
sim_policies(size_t *count)
{
	*count = sizeof(policies) / sizeof(policies[0]);
	return policies;
}
