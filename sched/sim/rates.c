/* Plans from known rates: see rates.h. */
#include "sched/sim/rates.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

#define GOLDEN 0.61803398874989485
#define HALVINGS 200
#define SPLITS 16
/* Dates that are wrong more rarely count as announcing each change. */
#define COMPLETE 0.01

static void
scale(double *per_day, size_t count, double requests)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += per_day[i];
	for (size_t i = 0; i < count && sum > 0; i++)
		per_day[i] *= requests / sum;
}

void
rates_proportional(const struct bounds_problem *problem, double *per_day)
{
	for (size_t i = 0; i < problem->page_count; i++)
		per_day[i] = bounds_changes(&problem->pages[i]);
	scale(per_day, problem->page_count, problem->requests_per_day);
}

void
rates_weight(const struct bounds_problem *problem, double *per_day)
{
	for (size_t i = 0; i < problem->page_count; i++)
		per_day[i] = problem->pages[i].weight;
	scale(per_day, problem->page_count, problem->requests_per_day);
}

typedef double rate_fn(const struct value_rates *, double price);

static double
azar_rate(const struct value_rates *page, double price)
{
	double changes = bounds_changes(page);
	double rate = sqrt(page->weight * changes / price) - changes;

	return rate > 0 ? rate : 0;
}

/* (-D + sqrt(D^2 + 4 weight D / L)) / 2, without the difference. */
static double
lambda_rate(const struct value_rates *page, double price)
{
	double changes = bounds_changes(page);
	double spread;

	if (!(changes > 0))
		return 0;
	spread = sqrt(changes * changes + 4 * page->weight * changes / price);
	return 2 * page->weight * changes / price / (changes + spread);
}

static double
sum_of(const struct bounds_problem *problem, rate_fn *rate,
    const double *chances, double price)
{
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		if (chances == NULL || chances[i] < 0)
			sum += rate(&problem->pages[i], price);
	return sum;
}

/* The price at which the pages buy so many requests in all; with `chances`,
 * only pages whose chance is negative.  Found by halving a range of its
 * logarithm. */
static double
price_for(const struct bounds_problem *problem, rate_fn *rate,
    const double *chances, double requests)
{
	double low = -300;
	double high = 300;

	for (int i = 0; i < HALVINGS && high - low > 1e-13; i++) {
		double middle = (low + high) / 2;
		if (sum_of(problem, rate, chances, exp(middle)) > requests)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

static void
fill(const struct bounds_problem *problem, rate_fn *rate, double *per_day)
{
	double price = price_for(
	    problem, rate, NULL, problem->requests_per_day);

	for (size_t i = 0; i < problem->page_count; i++)
		per_day[i] = rate(&problem->pages[i], price);
}

void
rates_azar(const struct bounds_problem *problem, double *per_day)
{
	fill(problem, azar_rate, per_day);
}

void
rates_lambda(const struct bounds_problem *problem, double *per_day)
{
	fill(problem, lambda_rate, per_day);
}

static bool
is_complete(const struct value_rates *page)
{
	return page->gamma > 0 && page->q <= COMPLETE &&
	    page->alpha <= COMPLETE * page->gamma;
}

/*
 * Share so many requests a day out to the pages whose chance is not negative.
 * Chances are in proportion to weight / D, at most 1; what is left is shared
 * out again.  Returns the cost: -sum weight ln chance.
 */
static double
share_out(
    const struct bounds_problem *problem, double requests, double *chances)
{
	double cost = 0;
	bool is_new = true;

	for (size_t i = 0; i < problem->page_count; i++)
		if (chances[i] >= 0)
			chances[i] = 0;
	while (is_new) {
		double weight = 0;
		double left = requests;
		is_new = false;
		for (size_t i = 0; i < problem->page_count; i++) {
			if (chances[i] >= 1)
				left -= bounds_changes(&problem->pages[i]);
			else if (chances[i] >= 0)
				weight += problem->pages[i].weight;
		}
		for (size_t i = 0; i < problem->page_count; i++) {
			const struct value_rates *page = &problem->pages[i];
			if (chances[i] < 0 || chances[i] >= 1)
				continue;
			chances[i] = fmax(0, left) * page->weight /
			    (bounds_changes(page) * weight);
			if (chances[i] >= 1) {
				chances[i] = 1;
				is_new = true;
			}
		}
	}
	for (size_t i = 0; i < problem->page_count; i++)
		if (chances[i] >= 0)
			cost -= problem->pages[i].weight * log(chances[i]);
	return cost;
}

/* The harmonic cost when the pages with complete dates get so many requests. */
static double
split_cost(const struct bounds_problem *problem, double requests,
    double *chances, double *price)
{
	double cost = share_out(problem, requests, chances);

	*price = price_for(problem, lambda_rate, chances,
	    problem->requests_per_day - requests);
	for (size_t i = 0; i < problem->page_count; i++) {
		const struct value_rates *page = &problem->pages[i];
		double changes = bounds_changes(page);
		double rate = lambda_rate(page, *price);
		if (chances[i] < 0 && changes > 0)
			cost -= page->weight * log(rate / (rate + changes));
	}
	return cost;
}

/* How many requests the pages with complete dates get: where the cost, which is
 * convex, is least. */
static double
best_split(const struct bounds_problem *problem, double *chances, double most)
{
	double low = 0;
	double high = fmin(most, problem->requests_per_day);
	double price;

	for (int i = 0; i < SPLITS; i++) {
		double a = high - GOLDEN * (high - low);
		double b = low + GOLDEN * (high - low);
		if (split_cost(problem, a, chances, &price) <
		    split_cost(problem, b, chances, &price))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

void
rates_lambda_mixed(
    const struct bounds_problem *problem, double *per_day, double *chances)
{
	size_t count = 0;
	double most = 0;
	double price;

	for (size_t i = 0; i < problem->page_count; i++) {
		const struct value_rates *page = &problem->pages[i];
		chances[i] = is_complete(page) ? 0 : -1;
		if (chances[i] < 0)
			continue;
		count++;
		most += bounds_changes(page);
	}
	if (count == 0) {
		rates_lambda(problem, per_day);
		return;
	}
	/* Where the dates of all pages are complete, they get all requests. */
	(void)split_cost(problem,
	    count == problem->page_count ? fmin(most, problem->requests_per_day)
					 : best_split(problem, chances, most),
	    chances, &price);
	for (size_t i = 0; i < problem->page_count; i++)
		per_day[i] = chances[i] < 0
		    ? lambda_rate(&problem->pages[i], price)
		    : 0;
}
