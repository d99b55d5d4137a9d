/* Values averaged over what a rate may be: equation (V10) of
 * scheduling-formulas.md. */
#include "sched/value_uncertain.h"

#include <math.h>
#include <stdbool.h>

#include "sched/fast_math.h"

#define WEIGHT_MAX 1e12
#define MOST 1e9
/* The search ends when a tangent adds less than this share. */
#define ENOUGH 0.02
#define TANGENTS_MAX 16
/* How many pages value_uncertain_evaluate_all evaluates at a time. */
#define TOGETHER 32

struct belief_numbers {
	double weight, shape, days;
	double rate, each_days; /* shape / days, and days / shape */
	double known;
	double right; /* e^-known */
	double moved; /* 1 - e^-known (1 + known) */
};

struct belief_value {
	double value, slope; /* the slope is d value / d exposure */
};

static inline struct belief_numbers
numbers_of(const struct value_uncertain *uncertain)
{
	struct belief_numbers n = {
	    .weight = within(uncertain->weight, 0, WEIGHT_MAX),
	    .shape = within(uncertain->shape, 1e-3, MOST),
	    .days = within(uncertain->days, 1e-6, MOST),
	    .known = within(uncertain->known, 0, 40),
	    .right = 1};

	/* (V10) divides 0 by 0 at shape 1. */
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
static inline struct belief_value
at(const struct belief_numbers *n, double exposure)
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

	return (struct belief_value){
	    n->weight * (value > 0 ? value : 0), n->weight * slope};
}

/* The search for the time at which a value is reached (V11). */
struct search {
	struct belief_numbers n;
	struct belief_value p; /* at x */
	/* exposure that the search has reached, and where it began */
	double x, begin;
	double room; /* how much exposure may be added */
	double days; /* the result, once the search has ended */
	int tangents;
};

static inline struct search
search_begin(const struct value_uncertain *uncertain, double value, double most)
{
	struct search search = {.n = numbers_of(uncertain),
	    .begin = within(uncertain->exposure, 0, MOST),
	    .days = most};

	search.x = search.begin;
	search.p = at(&search.n, search.x);
	search.room = within(most, 0, MOST) *
	    within(uncertain->growth, 1e-6, 1);
	/* The value is never reached. */
	if (!(value < INFINITY))
		search.room = 0;
	return search;
}

/* Move x on to where the tangent of the square root of the value reaches
 * `value`.  Returns true when the search has ended. */
static inline bool
search_step(struct search *search, const struct value_uncertain *uncertain,
    double value)
{
	double step;

	if (!(value > search->p.value)) {
		search->days = (search->x - search->begin) /
		    within(uncertain->growth, 1e-6, 1);
		return true;
	}
	step = search->p.value > 0
	    ? 2 * search->p.value * (sqrt(value / search->p.value) - 1) /
		search->p.slope
	    : sqrt(2 * value * search->n.each_days / search->n.weight) -
		search->x;
	if (step > 0)
		search->x += step;
	if (!(search->x - search->begin < search->room))
		return true;
	if (step > ENOUGH * (search->x - search->begin) &&
	    ++search->tangents < TANGENTS_MAX)
		return false;
	search->days = (search->x - search->begin) /
	    within(uncertain->growth, 1e-6, 1);
	return true;
}

double
value_uncertain_evaluate(const struct value_uncertain *uncertain, double value,
    double most, double *days)
{
	struct search search = search_begin(uncertain, value, most);
	double now = search.p.value;

	while (!search_step(&search, uncertain, value))
		search.p = at(&search.n, search.x);
	*days = search.days;
	return now;
}

static void
evaluate_some(const struct value_uncertain *uncertains, size_t count,
    const double *values, double most, struct value_uncertain_result *seen)
{
	struct search searches[TOGETHER];
	size_t left[TOGETHER];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		searches[i] = search_begin(&uncertains[i], values[i], most);
		seen[i].value = searches[i].p.value;
		left[n++] = i;
	}
	/* The steps of one search wait for each other, so the searches take
	 * turns. */
	while (n > 0) {
		size_t still = 0;

		for (size_t k = 0; k < n; k++) {
			left[still] = left[k];
			still += !search_step(&searches[left[k]],
			    &uncertains[left[k]], values[left[k]]);
		}
		n = still;
		for (size_t k = 0; k < n; k++)
			searches[left[k]].p = at(
			    &searches[left[k]].n, searches[left[k]].x);
	}
	for (size_t i = 0; i < count; i++)
		seen[i].days = searches[i].days;
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
