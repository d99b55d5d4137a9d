/* Values averaged over what a rate may be: equation (V10) of
 * docs/scheduling.md. */
#include "sched/value_doubt.h"

#include <math.h>

#include "sched/quick.h"

#define WEIGHT_MAX 1e12
#define MOST 1e9
/* A tangent that gets so little further is the last. */
#define ENOUGH 0.02
#define TANGENTS_MAX 16
/* Looks of value_doubt_looks at a time. */
#define TOGETHER 32

struct numbers {
	double weight, shape, days;
	double rate, each_days; /* shape / days, and days / shape */
	double known;
	double right; /* e^-known */
	double moved; /* 1 - e^-known (1 + known) */
};

struct point {
	double value, slope; /* by exposure */
};

static inline double
within(double x, double least, double most)
{
	x = x > least ? x : least; /* NaN: least */
	return x < most ? x : most;
}

static inline struct numbers
numbers_of(const struct value_doubt *doubt)
{
	struct numbers n = {.weight = within(doubt->weight, 0, WEIGHT_MAX),
	    .shape = within(doubt->shape, 1e-3, MOST),
	    .days = within(doubt->days, 1e-6, MOST),
	    .known = within(doubt->known, 0, 40),
	    .right = 1};

	/* The mean of 1 / rate has a pole there that the rest removes. */
	if (fabs(n.shape - 1) < 1e-4)
		n.shape = 1 + 1e-4;
	n.rate = n.shape / n.days;
	n.each_days = n.days / n.shape;
	if (n.known > 0) {
		double wrong = quick_expm1(-n.known);
		n.right = 1 + wrong;
		n.moved = -wrong - n.right * n.known;
	}
	return n;
}

/* (V10) */
static inline struct point
at(const struct numbers *n, double exposure)
{
	double ratio = exposure / n->days;
	double over = 1 / (1 + ratio);
	/* (1 + ratio)^(1 - shape) - 1 */
	double exponent = (1 - n->shape) * quick_log1p(ratio);
	double power = quick_expm1(exponent > -700 ? exponent : -700);
	double none = (1 + power) * over;
	double silent = -n->days / (n->shape - 1) * power - exposure * none;
	double known = n->known * n->each_days;
	double value = n->moved * n->each_days +
	    n->right * (silent + known * (1 - none));
	double slope = n->right * n->rate * none * over * (exposure + known);

	return (struct point){
	    n->weight * (value > 0 ? value : 0), n->weight * slope};
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

/* (V11): from one tangent of the root to where the next begins; p is the first
 * point. */
static double
days_until(const struct value_doubt *doubt, const struct numbers *n,
    struct point p, double value, double most)
{
	double begin = within(doubt->exposure, 0, MOST);
	double growth = within(doubt->growth, 1e-6, 1);
	double room = within(most, 0, MOST) * growth;
	double x = begin;

	if (!(value > p.value))
		return 0;
	if (!(value < INFINITY))
		return most;
	for (int i = 0; i < TANGENTS_MAX; i++) {
		double step = p.value > 0
		    ? 2 * p.value * (sqrt(value / p.value) - 1) / p.slope
		    : sqrt(2 * value * n->each_days / n->weight) - x;

		if (!(step > 0))
			break;
		x += step;
		if (!(x - begin < room))
			return most;
		if (!(step > ENOUGH * (x - begin)))
			break;
		p = at(n, x);
	}
	return (x - begin) / growth;
}

double
value_doubt_look(
    const struct value_doubt *doubt, double value, double most, double *days)
{
	struct numbers n = numbers_of(doubt);
	struct point p = at(&n, within(doubt->exposure, 0, MOST));

	*days = days_until(doubt, &n, p, value, most);
	return p.value;
}

static void
look_at_some(const struct value_doubt *doubts, size_t count, double value,
    double most, struct value_doubt_seen *seen)
{
	struct numbers n[TOGETHER];
	struct point p[TOGETHER];

	for (size_t i = 0; i < count; i++)
		n[i] = numbers_of(&doubts[i]);
	for (size_t i = 0; i < count; i++)
		p[i] = at(&n[i], within(doubts[i].exposure, 0, MOST));
	for (size_t i = 0; i < count; i++)
		seen[i] = (struct value_doubt_seen){p[i].value,
		    days_until(&doubts[i], &n[i], p[i], value, most)};
}

void
value_doubt_looks(const struct value_doubt *doubts, size_t count, double value,
    double most, struct value_doubt_seen *seen)
{
	while (count > 0) {
		size_t some = count < TOGETHER ? count : TOGETHER;

		look_at_some(doubts, some, value, most, seen);
		doubts += some;
		seen += some;
		count -= some;
	}
}
