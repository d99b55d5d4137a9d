/* The value of fetching a page: equations (V2), (V3), (V7), (V10) and (V11) of
 * scheduling-formulas.md. */
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

/* Values averaged over what a rate may be. */

#define MOST 1e9

double
value_uncertain_evaluate(const struct value_uncertain *uncertain, double value,
    double most, double *days)
{
	double weight = within(uncertain->weight, 0, WEIGHT_MAX);
	double shape = within(uncertain->shape, 1e-3, MOST);
	double belief_days = within(uncertain->days, 1e-6, MOST);
	double known = within(uncertain->known, 0, 40);
	double exposure = within(uncertain->exposure, 0, MOST);
	double right = 1; /* e^-known */
	double moved = 0; /* 1 - e^-known (1 + known) */
	double step;

	/* (V10) divides 0 by 0 at shape 1. */
	if (fabs(shape - 1) < 1e-4)
		shape = 1 + 1e-4;
	double rate = shape / belief_days;
	double each_days = belief_days / shape;
	if (known > 0) {
		double wrong = fast_expm1(-known);
		right = 1 + wrong;
		moved = -wrong - right * known;
	}
	/* (V10); power is (1 + ratio)^(1 - shape) - 1. */
	double ratio = exposure / belief_days;
	double over = 1 / (1 + ratio);
	double exponent = (1 - shape) * fast_log1p(ratio);
	double power = fast_expm1(exponent > -700 ? exponent : -700);
	double none = (1 + power) * over;
	double silent = -belief_days / (shape - 1) * power - exposure * none;
	double known_days = known * each_days;
	double now = weight *
	    (moved * each_days + right * (silent + known_days * (1 - none)));
	double slope = weight * right * rate * none * over *
	    (exposure + known_days);

	/* (V11): the tangent of the square root of the value. */
	now = now > 0 ? now : 0;
	*days = 0;
	if (!(value > now))
		return now;
	step = now > 0 ? 2 * now * (sqrt(value / now) - 1) / slope
		       : sqrt(2 * value * each_days / weight) - exposure;
	*days = step > 0 ? step / within(uncertain->growth, 1e-6, 1) : 0;
	if (!(*days < most))
		*days = most;
	return now;
}
