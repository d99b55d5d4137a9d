/* A budget of requests an hour, and the price of a request: see budget.h. */
#include "sched/budget.h"

#include <math.h>

#include "base/civil.h"
#include "sched/fast_math.h"

/* This slack keeps a rounding error in the sum of costs from delaying a request
 * by a tick. */
#define SLACK 1e-9
/* At this rate and above, waiting for whole milliseconds would lose more than
 * 1 % of the rate.  So what is left from one millisecond may be spent in the
 * next one. */
#define FAST_PER_MS 0.01
/* No run spends more. Up to this number a double counts requests exactly. */
#define MAX_SPENT 1e12

double
budget_spent(struct budget *budget, int64_t now_ms)
{
	if (now_ms > budget->last_ms) {
		/* The difference of two times may not fit into an int64_t, but
		 * fits a double. */
		double since_ms = (double)now_ms - (double)budget->last_ms;

		budget->spent = fmax(
		    budget->spent - budget->per_ms * since_ms, 0);
	}
	budget->last_ms = now_ms;
	return budget->spent;
}

void
budget_set(
    struct budget *budget, int64_t now_ms, double per_hour, int64_t burst_ms)
{
	double per_ms = per_hour > 0 ? per_hour / HOUR_MS : 0;

	(void)budget_spent(budget, now_ms); /* until now the old rate counts */
	/* An infinite rate means no limit, as 0 does. */
	budget->per_ms = isfinite(per_ms) ? per_ms : 0;
	budget->cap = fmax(budget->per_ms * (double)burst_ms, 1);
	if (budget->per_ms > FAST_PER_MS)
		budget->cap += budget->per_ms;
}

int64_t
budget_ready_ms(struct budget *budget, int64_t now_ms, double requests)
{
	double over, wait_ms;

	if (budget->per_ms == 0)
		return now_ms;
	over = budget_spent(budget, now_ms) + requests - SLACK - budget->cap;
	if (over <= 0)
		return now_ms;
	wait_ms = ceil(over / budget->per_ms);
	if (!(wait_ms < (double)INT64_MAX / 2) ||
	    now_ms > INT64_MAX - (int64_t)wait_ms)
		return INT64_MAX;
	return now_ms + (int64_t)wait_ms;
}

void
budget_spend(struct budget *budget, int64_t now_ms, double cost)
{
	double spent;

	if (budget->per_ms == 0 || !(cost > 0 || cost < 0))
		return;
	spent = budget_spent(budget, now_ms) + cost;
	budget->spent = fmax(fmin(spent, MAX_SPENT), 0);
}

void
budget_fill(struct budget *budget, int64_t now_ms, double cost)
{
	budget_spend(budget, now_ms, cost);
	budget->spent = fmin(budget->spent, budget->cap);
}

/* The price falls quickly and rises slowly, so that it follows a low
 * quantile. */
#define FALL 0.3
#define RISE 0.005
#define DRY 0.93
#define CROWDED 1.004
/* One page of an absurd weight must not price out all others. */
#define RISE_MAX 2

void
price_init(struct price *price, double value)
{
	*price = (struct price){
	    .value = isnan(value) ? 1 : within(value, PRICE_MIN, PRICE_MAX)};
}

void
price_accept(struct price *price, double value)
{
	if (isnan(value) || value <= 0)
		return;
	if (!price->has_lowest || value < price->lowest)
		price->lowest = value;
	price->has_lowest = true;
}

void
price_tick(struct price *price, const struct price_tick *tick)
{
	double value = price->value;
	bool is_crowded = tick->waiting > tick->too_many;

	if (price->has_lowest) {
		double lowest = within(price->lowest, PRICE_MIN, PRICE_MAX);

		/* Items whose host may not be asked do not influence the
		 * price. */
		is_crowded = is_crowded && lowest >= value;

		if (lowest < value)
			value += FALL * (lowest - value);
		else if (!tick->is_dry)
			value += RISE * (lowest - value);
		if (price->is_tried)
			value = fmin(value, price->value * RISE_MAX);
	}
	if (tick->is_dry)
		value *= DRY;
	else if (is_crowded && price->has_lowest)
		value *= CROWDED;
	*price = (struct price){.value = within(value, PRICE_MIN, PRICE_MAX),
	    .is_tried = price->is_tried || price->has_lowest};
}
