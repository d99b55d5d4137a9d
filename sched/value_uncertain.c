/* Values averaged over what a rate may be: equation (V10) of
 * scheduling.md. */
#include "sched/value_uncertain.h"

#include <math.h>
#include <stdbool.h>

#include "sched/fast_math.h"

#define WEIGHT_MAX 1e12
#define MOST 1e9
/* A tangent that gets so little further is the last. */
#define ENOUGH 0.02
#define TANGENTS_MAX 16
/* Looks of value_uncertain_evaluate_all at a time. */
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
numbers_of(const struct value_uncertain *uncertain)
{
	struct numbers n = {.weight = within(uncertain->weight, 0, WEIGHT_MAX),
	    .shape = within(uncertain->shape, 1e-3, MOST),
	    .days = within(uncertain->days, 1e-6, MOST),
	    .known = within(uncertain->known, 0, 40),
	    .right = 1};

	/* The mean of 1 / rate has a pole there that the rest removes. */
	if (fabs(n.shape - 1) < 1e-4)
		n.shape = 1 + 1e-4;
	n.rate = n.shape / n.days;
	n.each_days = n.days / n.shape;
	if (n.known > 0) {
		double wrong = fast_expm1(-n.known);
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
	double exponent = (1 - n->shape) * fast_log1p(ratio);
	double power = fast_expm1(exponent > -700 ? exponent : -700);
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
value_uncertain(const struct value_uncertain *uncertain)
{
	struct numbers n = numbers_of(uncertain);

	return at(&n, within(uncertain->exposure, 0, MOST)).value;
}

double
value_uncertain_limit(const struct value_uncertain *uncertain)
{
	struct numbers n = numbers_of(uncertain);

	return n.weight / n.rate;
}

/* A look on its way: (V11). */
struct walk {
	struct numbers n;
	struct point p; /* at x */
	double x, begin,
	    room; /* exposure now, at first, and what may be added */
	double days; /* once it has ended */
	int tangents;
};

static inline struct walk
walk_of(const struct value_uncertain *uncertain, double value, double most)
{
	struct walk w = {.n = numbers_of(uncertain),
	    .begin = within(uncertain->exposure, 0, MOST),
	    .days = most};

	w.x = w.begin;
	w.p = at(&w.n, w.x);
	w.room = within(most, 0, MOST) * within(uncertain->growth, 1e-6, 1);
	/* Never, as far as can be told. */
	if (!(value < INFINITY))
		w.room = 0;
	return w;
}

/* To where the tangent of the root ends; true: that is near enough. */
static inline bool
walk_on(struct walk *w, const struct value_uncertain *uncertain, double value)
{
	double step;

	if (!(value > w->p.value)) {
		w->days = (w->x - w->begin) /
		    within(uncertain->growth, 1e-6, 1);
		return true;
	}
	step = w->p.value > 0
	    ? 2 * w->p.value * (sqrt(value / w->p.value) - 1) / w->p.slope
	    : sqrt(2 * value * w->n.each_days / w->n.weight) - w->x;
	if (step > 0)
		w->x += step;
	if (!(w->x - w->begin < w->room))
		return true;
	if (step > ENOUGH * (w->x - w->begin) && ++w->tangents < TANGENTS_MAX)
		return false;
	w->days = (w->x - w->begin) / within(uncertain->growth, 1e-6, 1);
	return true;
}

double
value_uncertain_evaluate(const struct value_uncertain *uncertain, double value,
    double most, double *days)
{
	struct walk w = walk_of(uncertain, value, most);
	double now = w.p.value;

	while (!walk_on(&w, uncertain, value))
		w.p = at(&w.n, w.x);
	*days = w.days;
	return now;
}

static void
evaluate_some(const struct value_uncertain *uncertains, size_t count,
    const double *values, double most, struct value_uncertain_result *seen)
{
	struct walk walks[TOGETHER];
	size_t left[TOGETHER];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		walks[i] = walk_of(&uncertains[i], values[i], most);
		seen[i].value = walks[i].p.value;
		left[n++] = i;
	}
	/* Together: each step would wait long for the one before. */
	while (n > 0) {
		size_t still = 0;

		for (size_t k = 0; k < n; k++) {
			left[still] = left[k];
			still += !walk_on(&walks[left[k]], &uncertains[left[k]],
			    values[left[k]]);
		}
		n = still;
		for (size_t k = 0; k < n; k++)
			walks[left[k]].p = at(
			    &walks[left[k]].n, walks[left[k]].x);
	}
	for (size_t i = 0; i < count; i++)
		seen[i].days = walks[i].days;
}

void
value_uncertain_evaluate_all(const struct value_uncertain *uncertains,
    size_t count, const double *values, double most,
    struct value_uncertain_result *seen)
{
	while (count > 0) {
		size_t some = count < TOGETHER ? count : TOGETHER;

		evaluate_some(uncertains, some, values, most, seen);
		uncertains += some;
		values += some;
		seen += some;
		count -= some;
	}
}
