/* The policies that sim_policies() lists, each in a file of its own. */
#ifndef FRESHET_POLICIES_H
#define FRESHET_POLICIES_H

#include "sched/sim_policy.h"

/* policy_fifo.c: without regard to anything. */
extern const struct sim_policy policy_fifo;

#endif
