/* A budget of requests an hour: see budget.h. */
#include "sched/budget.h"

#include <math.h>

#include "base/civil.h"

/* This slack keeps a rounding error in the sum of costs from delaying a request
 * by a tick. */
#define SLACK 1e-9
/* At this rate and above, waiting for whole milliseconds would lose more than
 * 1 % of the rate.  So what is left from one millisecond may be spent in the
 * next one. */
#define FAST_PER_MS 0.01
/* No run spends more. Up to this number a double counts requests exactly. */
#define MAX_SPENT 1e12

static void
budget_set(struct budget *budget, double per_hour, int64_t burst_ms)
{
	double per_ms = per_hour > 0 ? per_hour / HOUR_MS : 0;

	/* An infinite rate means no limit, as 0 does. */
	budget->per_ms = isfinite(per_ms) ? per_ms : 0;
	budget->cap = fmax(budget->per_ms * (double)burst_ms, 1);
	if (budget->per_ms > FAST_PER_MS)
		budget->cap += budget->per_ms;
}

void
budget_init(struct budget *budget, double per_hour, int64_t burst_ms)
{
	*budget = (struct budget){.last_ms = INT64_MIN};
	budget_set(budget, per_hour, burst_ms);
}

/* run(budget, now_ms): lower the spent amount by what the rate has granted
 * since last_ms. */
static void
budget_run(struct budget *budget, int64_t now_ms)
{
	if (now_ms > budget->last_ms) {
		/* The difference of two times may not fit into an int64_t, but
		 * fits a double. */
		double since_ms = (double)now_ms - (double)budget->last_ms;

		budget->spent = fmax(
		    budget->spent - budget->per_ms * since_ms, 0);
	}
	budget->last_ms = now_ms;
}

void
budget_change(
    struct budget *budget, int64_t now_ms, double per_hour, int64_t burst_ms)
{
	budget_run(budget, now_ms); /* until now the old rate counts */
	budget_set(budget, per_hour, burst_ms);
}

int64_t
budget_ready_ms(struct budget *budget, int64_t now_ms)
{
	double over, wait_ms;

	if (budget->per_ms == 0)
		return now_ms;
	budget_run(budget, now_ms);
	over = budget->spent + 1 - SLACK - budget->cap;
	if (over <= 0)
		return now_ms;
	wait_ms = ceil(over / budget->per_ms);
	if (!(wait_ms < (double)INT64_MAX / 2) ||
	    now_ms > INT64_MAX - (int64_t)wait_ms)
		return INT64_MAX;
	return now_ms + (int64_t)wait_ms;
}

bool
budget_allows(struct budget *budget, int64_t now_ms, double requests)
{
	if (budget->per_ms == 0)
		return true;
	budget_run(budget, now_ms);
	return budget->spent + requests - SLACK <= budget->cap;
}

void
budget_spend(struct budget *budget, int64_t now_ms, double cost)
{
	if (budget->per_ms == 0 || !(cost > 0))
		return;
	budget_run(budget, now_ms);
	budget->spent = fmin(budget->spent + cost, MAX_SPENT);
}

void
budget_return(struct budget *budget, int64_t now_ms, double cost)
{
	if (budget->per_ms == 0 || !(cost > 0))
		return;
	budget_run(budget, now_ms);
	budget->spent = fmax(budget->spent - cost, 0);
}

double
budget_spent(struct budget *budget, int64_t now_ms)
{
	budget_run(budget, now_ms);
	return budget->spent;
}

void
budget_fill(struct budget *budget, int64_t now_ms, double cost)
{
	budget_spend(budget, now_ms, cost);
	budget->spent = fmin(budget->spent, budget->cap);
}
