/*
 * So many requests an hour, in virtual time: what is not used does not pile
 * up, so that nothing bursts after an idle night.
 */
#ifndef FRESHET_BUDGET_H
#define FRESHET_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Fills with what is spent, and runs out at the rate. */
struct budget {
	double per_ms; /* requests; 0: no limit */
	double cap; /* requests that may be spent at once, >= 1 */
	double spent;
	int64_t last_ms; /* when spent was right */
};

/*
 * budget_init(budget, per_hour, burst_ms): what burst_ms brings may be spent
 * at once, one request at least: a tick when work comes in ticks, else 0.
 * In any time t there are at most per_hour * (t + burst_ms) + 1 requests
 * (t + 1 ms above 36,000 an hour).  per_hour not above 0, or NaN: no limit.
 */
void budget_init(struct budget *, double per_hour, int64_t burst_ms);

/* budget_change(budget, now_ms, per_hour, burst_ms): from now on; what is spent
 * by now stays so. */
void budget_change(
    struct budget *, int64_t now_ms, double per_hour, int64_t burst_ms);

/*
 * budget_ready_ms(budget, now_ms): when one more request may be made: now_ms
 * or later.  When now_ms is before the time of an earlier call the clock was
 * put back; nothing has run out in between.
 */
int64_t budget_ready_ms(struct budget *, int64_t now_ms);

/* budget_allows(budget, now_ms, requests): may so many be made now? */
bool budget_allows(struct budget *, int64_t now_ms, double requests);

/* budget_spend(budget, now_ms, cost): a request is made, ready or not; it
 * counts as cost of them.  NaN and what is below 0 cost nothing. */
void budget_spend(struct budget *, int64_t now_ms, double cost);

/* budget_return(budget, now_ms, cost): what was spent at that time is not made
 * after all. */
void budget_return(struct budget *, int64_t now_ms, double cost);

/* budget_spent(budget, now_ms): how many are not run out by now. */
double budget_spent(struct budget *, int64_t now_ms);

/* budget_fill(budget, now_ms, cost): so much was spent before, perhaps at a
 * quicker rate: as budget_spend, but the next request waits as if all that may
 * be spent at once had been, and no longer. */
void budget_fill(struct budget *, int64_t now_ms, double cost);

#endif
