/*
 * A budget: so many requests an hour.  What is not spent does not pile up, so
 * that no burst follows an idle night.  Below it, the price of a request.
 */
#ifndef FRESHET_BUDGET_H
#define FRESHET_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A leaky bucket: it fills with what is spent, and runs out at the rate.
 * Zeroed: nothing is spent, and there is no limit. */
struct budget {
	double per_ms; /* requests; 0: no limit */
	double cap; /* requests that may be made at once, >= 1 */
	double spent;
	int64_t last_ms; /* when `spent` was computed */
};

/* budget_set(budget, now_ms, per_hour, burst_ms): change the rate from now on;
 * what is spent stays spent.  Requests that the rate allows in burst_ms may be
 * made at once, and at least one may: burst_ms is a tick when work comes in
 * ticks, else 0.  In any time t there are at most per_hour * (t + burst_ms) + 1
 * requests (t + 1 ms above 36,000 an hour).  A per_hour of 0 or less, or NaN,
 * means no limit. */
void budget_set(
    struct budget *, int64_t now_ms, double per_hour, int64_t burst_ms);

/* budget_ready_ms(budget, now_ms, requests): when so many more requests may be
 * made; now_ms or later.  If now_ms is before an earlier call's, the clock was
 * put back, and nothing has run out in between. */
int64_t budget_ready_ms(struct budget *, int64_t now_ms, double requests);

/* budget_spend(budget, now_ms, cost): a request of that cost is made,
 * whether or not the budget allows it.  Below 0: one of that cost, spent at
 * now_ms, was not made after all.  NaN counts as 0. */
void budget_spend(struct budget *, int64_t now_ms, double cost);

/* budget_spent(budget, now_ms): what has not run out yet. */
double budget_spent(struct budget *, int64_t now_ms);

/* budget_fill(budget, now_ms, cost): requests of that cost were made before,
 * perhaps when the rate was higher.  They are spent as by budget_spend, but the
 * next request waits no longer than after the largest burst. */
void budget_fill(struct budget *, int64_t now_ms, double cost);

/*
 * The price of a request, L: the lowest value for which a request is made
 * (scheduling-formulas.md, "Levels and the price").
 *
 * The price follows a low quantile of the values accepted.  Their mean would
 * be too high, and sitemaps would be read far too rarely.
 */
struct price {
	double value; /* L, always between PRICE_MIN and PRICE_MAX */
	double lowest; /* the lowest value accepted since the last tick */
	bool has_lowest;
	bool is_tried; /* a value was accepted in an earlier tick */
};

#define PRICE_MIN 1e-12
#define PRICE_MAX 1e12

/* price_init(price, value): begin with a first guess; values out of range
 * count as the nearest one in it, NaN as 1. */
void price_init(struct price *, double value);

/* price_accept(price, value): a request of that value was made.  NaN and
 * values not above 0 are ignored: a floor or a ceiling made the request. */
void price_accept(struct price *, double value);

/* What happened in a tick. */
struct price_tick {
	bool is_dry; /* budget was left, and no item was worth the price */
	size_t waiting; /* due items worth the price, without a request */
	/* a limit for `waiting`: 2,000, or a tick's requests */
	size_t too_many;
};

/* price_tick(price, tick): a tick ends.  The price follows the lowest value
 * accepted in it, and rises to twice itself at most, but for the first tick.
 * After a dry tick it falls by 7 % and does not rise.  It rises by 0.4 %
 * when too many items wait and all accepted values were worth it. */
void price_tick(struct price *, const struct price_tick *);

#endif
