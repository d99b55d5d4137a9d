/* The list of policies, in the order of tables. */
#include "policies.h"

static const struct sim_policy *const policies[] = {
    &policy_fifo,
};

const struct sim_policy *const *
sim_policies(size_t *count)
{
	*count = sizeof(policies) / sizeof(policies[0]);
	return policies;
}
