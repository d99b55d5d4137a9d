/* The value of fetching a page: equations (V2), (V3) and (V7) of
 * scheduling-formulas.md.
 */
#include "sched/value.h"

#include <math.h>

#include "sched/fast_math.h"

#define WEIGHT_MAX 1e12
#define RATE_MIN 1e-6 /* a change in 2,700 years */
#define RATE_MAX 1e6
#define Q_MIN 1e-6
#define HAZARD_MAX 1e9

double
value_hazard(const struct value_rates *rates, const struct value_evidence *e)
{
	double alpha = within(rates->alpha, RATE_MIN, RATE_MAX);
	/* what each move of the date adds */
	double kappa = -log(within(rates->q, Q_MIN, 1));
	double moves = within(e->moves, 0, HAZARD_MAX);
	double hazard = alpha * within(e->tau, 0, HAZARD_MAX) + kappa * moves +
	    within(e->hazard, 0, HAZARD_MAX);

	return within(hazard, 0, HAZARD_MAX);
}

double
value_phi(double x)
{
	if (!(x > 0))
		return 0;
	/* Both forms are right to 1e-10 at this x.  Below it the second one
	 * loses digits, because its terms nearly cancel. */
	if (x < 5e-3)
		return x * x * (0.5 - x * (1.0 / 3 - x * (0.125 - x / 30)));
	return x > 800 ? 1 : -expm1(-x) - x * exp(-x);
}

double
value_limit(const struct value_rates *rates)
{
	double changes = within(rates->alpha, RATE_MIN, RATE_MAX) +
	    within(rates->gamma, 0, RATE_MAX) *
		(1 - within(rates->q, Q_MIN, 1));

	return within(rates->weight, 0, WEIGHT_MAX) / changes;
}
