/* The value of a reading: equations (P1) to (P4) of scheduling-formulas.md. */
#include "sched/gains.h"

#include <math.h>
#include <stddef.h>

#include "sched/fast_math.h"
#include "sched/value.h"

/* The points of the grid are 0.001, 0.002, 0.004, ... moves a day. */
#define LEAST_MOVES 1e-3
#define STEPS 17 /* steps from one point to the next: 15 * 17 = 255 */
#define MOST 1e12
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
	double ratio = within(moves, 0, MOST) / LEAST_MOVES;
	double place = 0;

	value = within(value, 0, MOST);
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
	double moves = LEAST_MOVES * within(days, 0, MOST);

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
	double same = fmax(within(r->cost_same, 0, MOST), COST_LEAST);
	double more = fmax(within(r->cost, 0, MOST) - same, 0);
	double t = fmin(within(days, 0, MOST), DAYS_MOST);

	return (gains_sum(gains, t) +
		   within(r->arrivals, 0, MOST) * t * t / 2) /
	    (same + more * value_phi(within(r->changes, 0, MOST) * t));
}
