/* The value of fetching a page, equations (V2), (V3), (V7), (V10) and (V11) of
 * scheduling-formulas.md, and of a reading, equations (P1) to (P4). */
#include "sched/value.h"

#include <math.h>
#include <stddef.h>

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

/* The points of the grid are 0.001, 0.002, 0.004, ... moves a day. */
#define LEAST_MOVES 1e-3
#define STEPS 17 /* steps from one point to the next: 15 * 17 = 255 */
#define GAIN_MOST 1e12
#define COST_LEAST 1e-3
#define DAYS_MOST 365000.0
#define DAYS_LEAST 1e-4

static void
gains_add(struct gains *gains, struct gain gain, int sign)
{
	int point = gain.place / STEPS;
	double ratio = exp2((double)(gain.place % STEPS) / STEPS);
	/* (P1): the share of the rate that goes to the point above its place.
	 * phi(x) is x^2 / 2 where x is small, and 1 where x is large; in
	 * between, a share that grows with the power of 1.5 is right to 6 %. */
	double share = (ratio * sqrt(ratio) - 1) / (2 * sqrt(2) - 1);
	double upper = (double)gain.value * share;
	double lower = (double)gain.value - upper;

	gains->at[point] = fmax(gains->at[point] + sign * lower, 0);
	if (point + 1 < GAINS_POINTS)
		gains->at[point + 1] = fmax(
		    gains->at[point + 1] + sign * upper, 0);
}

void
gains_set(struct gains *gains, struct gain *gain, double value, double moves)
{
	double ratio = within(moves, 0, GAIN_MOST) / LEAST_MOVES;
	double place = 0;

	value = within(value, 0, GAIN_MOST);
	/* A page slower than the first point counts there by x^2, as phi does.
	 */
	if (ratio < 1)
		value *= ratio * ratio;
	else
		place = log2(ratio) * STEPS + 0.5;
	gains_add(gains, *gain, -1);
	*gain = (struct gain){
	    (float)value, place < UINT8_MAX ? (uint8_t)place : UINT8_MAX};
	gains_add(gains, *gain, 1);
}

double
gains_sum(const struct gains *gains, double days)
{
	double sum = 0;
	double moves = LEAST_MOVES * within(days, 0, GAIN_MOST);

	for (int i = 0; i < GAINS_POINTS && gains != NULL; i++) {
		if (gains->at[i] > 0)
			sum += gains->at[i] * value_phi(moves);
		moves *= 2;
	}
	return sum;
}

double
gains_worth(
    const struct gains *gains, const struct gains_reading *r, double days)
{
	double same = fmax(within(r->cost_same, 0, GAIN_MOST), COST_LEAST);
	double more = fmax(within(r->cost, 0, GAIN_MOST) - same, 0);
	double t = fmin(within(days, 0, GAIN_MOST), DAYS_MOST);

	return (gains_sum(gains, t) +
		   within(r->arrivals, 0, GAIN_MOST) * t * t / 2) /
	    (same + more * value_phi(within(r->changes, 0, GAIN_MOST) * t));
}
