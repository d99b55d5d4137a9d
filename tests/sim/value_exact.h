/*
 * The value of a fetch of a page whose rates are known: (V4) to (V9) of
 * scheduling-formulas.md.  The scheduler, which has to learn them, averages
 * over what they may be (sched/value.h).
 */
#ifndef FRESHET_VALUE_EXACT_H
#define FRESHET_VALUE_EXACT_H

#include "sched/value.h"

/* The result of the policy to fetch a page whenever its hazard reaches a
 * threshold. */
struct value_cycle {
	/* of a fetch at the threshold; with this price of a fetch the
	 * threshold is the best one */
	double value;
	double fresh; /* days in which the copy is right */
	double days; /* days between two fetches */
};

/* value_phi_inverse(y): the x with value_phi(x) = y; 0 for y <= 0, INFINITY
 * from 1 on. */
double value_phi_inverse(double y);

/*
 * value_exact(rates, evidence): the average-reward Whittle index of fetching
 * now (GREEDY-NCIS, V6).  If the sum would be long, the result is that of (V8),
 * which is then right within 0.2 %.
 */
double value_exact(const struct value_rates *, const struct value_evidence *);

/*
 * value_when(rates, evidence, value): days from now until value_exact reaches
 * `value`, if no move is seen before; 0: it has already; INFINITY: never.
 */
double value_when(
    const struct value_rates *, const struct value_evidence *, double value);

/*
 * value_hazard_at(rates, value): the least hazard at which value_exact is
 * `value` or more; INFINITY: there is none.
 */
double value_hazard_at(const struct value_rates *, double value);

/* value_cycle(rates, hazard): what the policy "fetch at this hazard" gives
 * (V4, V5), with as many terms as are needed; for bounds and tests.  On
 * average the copy is right for fresh / days of the time, and there are 1 /
 * days fetches a day. */
struct value_cycle value_cycle(const struct value_rates *, double hazard);

#endif
