/* Values averaged over what a rate may be: equation (V10) of
 * docs/scheduling.md. */
#include "sched/value_doubt.h"

#include <math.h>
#include <stdbool.h>

#define WEIGHT_MAX 1e12
#define MOST 1e9

struct numbers {
	double weight, shape, days, rate, known;
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
	return n;
}

/* (V10) */
static struct point
at(const struct numbers *n, double exposure)
{
	double ratio = exposure / n->days;
	double log_ratio = log1p(ratio);
	double right = exp(-n->known);
	double none = exp(-n->shape * log_ratio);
	double silent = n->days / (n->shape - 1) *
		-expm1((1 - n->shape) * log_ratio) -
	    exposure * none;
	double known = -expm1(-n->known) - right * n->known;
	double value = known / n->rate +
	    right * (silent + n->known * (1 - none) / n->rate);
	double slope = right * n->rate * none / (1 + ratio) *
	    (exposure + n->known / n->rate);

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

/* Newton's method between what is too early and what is too late. */
double
value_doubt_when(const struct value_doubt *doubt, double value)
{
	struct numbers n = numbers_of(doubt);
	double begin = within(doubt->exposure, 0, MOST);
	double growth = within(doubt->growth, 1e-6, 1);
	double low = begin;
	double high = MOST;
	double x = begin;

	if (!(value > at(&n, begin).value))
		return 0;
	if (!(value < at(&n, high).value))
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
		bool is_there = fabs(next - x) <= 1e-6 * next;
		x = next;
		if (is_there)
			break;
	}
	return fmax(x - begin, 0) / growth;
}
