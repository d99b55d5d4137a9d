/* The list of policies, in the order of tables. */
#include "tests/sim/policies.h"

static const struct sim_policy *const policies[] = {
    &policy_ours,
    &policy_ours_known,
    &policy_ours_sharded,
    &policy_learned_greedy,
    &policy_greedy_ncis,
    &policy_clairvoyant,
    &policy_weight,
    &policy_nutch,
    &policy_nutch_due,
    &policy_storm,
    &policy_storm_due,
    &policy_storm_default,
    &policy_lastmod_changed,
    &policy_fifo,
};

const struct sim_policy *const *
sim_policies(size_t *count)
{
	*count = sizeof(policies) / sizeof(policies[0]);
	return policies;
}
