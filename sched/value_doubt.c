/* Values averaged over what a rate may be: equation (V10) of
 * docs/scheduling.md. */
#include "sched/value_doubt.h"

#include <math.h>
#include <stdbool.h>

#define WEIGHT_MAX 1e12
#define MOST 1e9

struct numbers {
	double weight, shape, days, rate, known;
	double right; /* e^-known */
	double moved; /* 1 - e^-known (1 + known) */
};

struct point {
	double value, slope; /* by exposure */
};

static double
within(double x, double least, double most)
{
	if (!(x > least))
		return least;
	return x < most ? x : most;
}

static struct numbers
numbers_of(const struct value_doubt *doubt)
{
	struct numbers n = {.weight = within(doubt->weight, 0, WEIGHT_MAX),
	    .shape = within(doubt->shape, 1e-3, MOST),
	    .days = within(doubt->days, 1e-6, MOST),
	    .known = within(doubt->known, 0, 40)};

	/* The mean of 1 / rate has a pole there that the rest removes. */
	if (fabs(n.shape - 1) < 1e-4)
		n.shape = 1 + 1e-4;
	n.rate = n.shape / n.days;
	n.right = 1;
	if (n.known > 0) {
		n.right = exp(-n.known);
		n.moved = -expm1(-n.known) - n.right * n.known;
	}
	return n;
}

/* (V10) */
static struct point
at(const struct numbers *n, double exposure)
{
	double ratio = exposure / n->days;
	/* (1 + ratio)^(1 - shape) - 1 */
	double power = expm1((1 - n->shape) * log1p(ratio));
	double none = (1 + power) / (1 + ratio);
	double silent = -n->days / (n->shape - 1) * power - exposure * none;
	double known = n->known / n->rate;
	double value = n->moved / n->rate +
	    n->right * (silent + known * (1 - none));
	double slope = n->right * n->rate * none / (1 + ratio) *
	    (exposure + known);

	return (struct point){n->weight * fmax(value, 0), n->weight * slope};
}

double
value_doubt(const struct value_doubt *doubt)
{
	struct numbers n = numbers_of(doubt);

	return at(&n, within(doubt->exposure, 0, MOST)).value;
}

double
value_doubt_limit(const struct value_doubt *doubt)
{
	struct numbers n = numbers_of(doubt);

	return n.weight / n.rate;
}

/* What the value tends to; where slow rates are likely it has no limit. */
static double
last_value(const struct numbers *n)
{
	if (n->shape <= 1.001)
		return INFINITY;
	return n->weight *
	    (n->moved / n->rate +
		n->right * (n->days / (n->shape - 1) + n->known / n->rate));
}

/* Newton's method between what is too early and what is too late. */
double
value_doubt_when(const struct value_doubt *doubt, double value)
{
	struct numbers n = numbers_of(doubt);
	double begin = within(doubt->exposure, 0, MOST);
	double growth = within(doubt->growth, 1e-6, 1);
	double low = begin;
	double high = MOST;
	double x;

	if (!(value > at(&n, begin).value))
		return 0;
	if (!(value < last_value(&n)))
		return INFINITY;
	/* It begins as exposure^2 rate / 2. */
	x = fmax(begin, sqrt(2 * value / (n.weight * n.rate)));
	for (int i = 0; i < 40; i++) {
		struct point p = at(&n, x);
		double next = x + (value - p.value) / p.slope;

		if (p.value < value)
			low = x;
		else
			high = x;
		if (!(next > low && next < high))
			next = low > 0 && high > 4 * low ? 2 * low
							 : (low + high) / 2;
		/* The next would be right to the square of that. */
		bool is_there = fabs(next - x) <= 1e-3 * (next - begin);
		x = next;
		if (is_there)
			break;
	}
	return fmax(x - begin, 0) / growth;
}
