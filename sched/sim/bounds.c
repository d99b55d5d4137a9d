/* Bounds of push worlds: (B1) to (B3) of scheduling.md. */
#include "sched/sim/bounds.h"

#include <math.h>

#include "sched/sim/bounds_internal.h"

/* Golden section: each step keeps this share of the range. */
#define GOLDEN 0.61803398874989485
/* Fine enough where the sum has an edge at its least. */
#define LOG_PRICE_PRECISION 3e-4
#define DOUBLINGS 200
#define Q_BLIND 0.98

double
bounds_changes(const struct value_rates *page)
{
	return page->alpha + page->gamma * (1 - page->q);
}

double
bounds_share(const struct bounds_problem *problem, size_t page)
{
	return problem->shares == NULL ? 1 : problem->shares[page];
}

double
bounds_weight(const struct bounds_problem *problem)
{
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		sum += bounds_share(problem, i) * problem->pages[i].weight;
	return sum;
}

static double
sum_at(const struct bounds_dual *dual, double log_price)
{
	double price = exp(log_price);

	return dual->left(dual->arg, price) +
	    price * dual->problem->requests_per_day;
}

struct bounds_optimum
bounds_minimum(const struct bounds_dual *dual, double price)
{
	double low = log(price) - 1;
	double high = log(price) + 1;
	double weight = bounds_weight(dual->problem);
	double a = high - GOLDEN * (high - low);
	double b = low + GOLDEN * (high - low);
	double at_a = sum_at(dual, a);
	double at_b = sum_at(dual, b);
	/* (B1) has one valley: walk until it lies between low and high. */
	for (int i = 0; i < DOUBLINGS; i++) {
		if (at_a < at_b && sum_at(dual, low) < at_a)
			low -= high - low;
		else if (at_b < at_a && sum_at(dual, high) < at_b)
			high += high - low;
		else
			break;
		a = high - GOLDEN * (high - low);
		b = low + GOLDEN * (high - low);
		at_a = sum_at(dual, a);
		at_b = sum_at(dual, b);
	}
	while (high - low > LOG_PRICE_PRECISION) {
		if (at_a < at_b) {
			high = b;
			b = a;
			at_b = at_a;
			a = high - GOLDEN * (high - low);
			at_a = sum_at(dual, a);
		} else {
			low = a;
			a = b;
			at_a = at_b;
			b = low + GOLDEN * (high - low);
			at_b = sum_at(dual, b);
		}
	}
	return (struct bounds_optimum){
	    fmin(1, fmin(at_a, at_b) / weight), exp(at_a < at_b ? a : b)};
}

double
bounds_blind_gap(const struct value_rates *page, double price)
{
	double changes = bounds_changes(page);

	if (!(changes > 0) || !(page->weight > 0))
		return INFINITY;
	return value_phi_inverse(price * changes / page->weight) / changes;
}

double
bounds_blind_left(const struct value_rates *page, double price)
{
	double changes = bounds_changes(page);

	if (!(changes > 0))
		return page->weight;
	/* weight F - price f, at the f of (B2), is weight e^-x. */
	return page->weight *
	    exp(-value_phi_inverse(price * changes / page->weight));
}

static double
blind_requests(const struct bounds_problem *problem, double price)
{
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		sum += bounds_share(problem, i) /
		    bounds_blind_gap(&problem->pages[i], price);
	return sum;
}

/* The price at which pages buy what there is; 0: there is nothing to buy. */
static double
blind_price(const struct bounds_problem *problem)
{
	double high = 0;
	double low;

	for (size_t i = 0; i < problem->page_count; i++) {
		double changes = bounds_changes(&problem->pages[i]);
		double limit = problem->pages[i].weight / changes;
		if (changes > 0 && limit > high)
			high = limit;
	}
	if (!(high > 0))
		return 0;
	low = high;
	for (int i = 0; i < DOUBLINGS; i++) {
		low /= 16;
		if (blind_requests(problem, low) > problem->requests_per_day)
			break;
		high = low;
	}
	/* Until nothing lies between them. */
	for (;;) {
		double middle = low + (high - low) / 2;
		if (!(middle > low && middle < high))
			return low;
		if (high - low < 1e-13 * high)
			return middle;
		if (blind_requests(problem, middle) > problem->requests_per_day)
			low = middle;
		else
			high = middle;
	}
}

struct bounds_optimum
bounds_blind(const struct bounds_problem *problem, double *per_day)
{
	double price = blind_price(problem);
	double sum = price * problem->requests_per_day;

	for (size_t i = 0; i < problem->page_count; i++) {
		const struct value_rates *page = &problem->pages[i];
		sum += bounds_share(problem, i) *
		    bounds_blind_left(page, price);
		if (per_day != NULL)
			per_day[i] = 1 / bounds_blind_gap(page, price);
	}
	if (price > 0)
		sum /= bounds_weight(problem);
	else
		sum = 1;
	return (struct bounds_optimum){fmin(1, sum), price};
}

double
bounds_signals_left(const struct value_rates *page, double price)
{
	double hazard;
	struct value_cycle cycle;
	double left;

	/* Moves that are nearly all false are many and say nothing. */
	if (!(page->gamma > 0) || !(page->q < Q_BLIND))
		return bounds_blind_left(page, price);
	hazard = value_hazard_at(page, price);
	if (isinf(hazard))
		return 0;
	/* (B3): the cycle with the price paid, for each of its days. */
	cycle = value_cycle(page, hazard);
	left = (page->weight * cycle.fresh - price) / cycle.days;
	return left > 0 ? left : 0;
}

static double
signals_left(const void *arg, double price)
{
	const struct bounds_problem *problem = arg;
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		sum += bounds_share(problem, i) *
		    bounds_signals_left(&problem->pages[i], price);
	return sum;
}

struct bounds_optimum
bounds_signals(const struct bounds_problem *problem)
{
	struct bounds_optimum blind = bounds_blind(problem, NULL);
	struct bounds_dual dual = {problem, signals_left, problem};

	if (!(blind.price > 0))
		return blind;
	return bounds_minimum(&dual, blind.price);
}
