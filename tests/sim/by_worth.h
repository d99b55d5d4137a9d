/*
 * Pages ordered by what a fetch of each is worth now, for policies whose
 * values rise with time.  No page is evaluated before its value comes near the
 * price of a request, and a few more pages than can be fetched are compared.
 */
#ifndef FRESHET_BY_WORTH_H
#define FRESHET_BY_WORTH_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/budget.h"
#include "sched/heap.h"

struct sim_setup;

/* What the policy believes of a page; called from the functions below. */
struct by_worth_calls {
	/* The value of a fetch now. */
	double (*worth)(void *arg, int64_t now_s, uint32_t page);
	/* The days until the value of a fetch is `worth`, if no move is seen
	 * before; INFINITY: never. */
	double (*days_until)(
	    void *arg, int64_t now_s, uint32_t page, double worth);
};

struct by_worth {
	const struct by_worth_calls *calls; /* borrowed */
	void *arg;
	struct ranking asleep; /* by the time of the next evaluation */
	struct ranking awake; /* by the value at the last evaluation */
	struct price price;
	/* the value from which pages are awake */
	double level;
	double per_tick; /* requests */
	int64_t tick_s, now_s;
	uint32_t turn; /* the awake page to be evaluated next */
};

/* by_worth_init(queue, setup, price): begin with a first guess of the price. */
void by_worth_init(struct by_worth *, const struct sim_setup *, double price);
void by_worth_release(struct by_worth *);

/* by_worth_put(queue, now_s, page): the page is new, or what is known of it
 * has changed. */
void by_worth_put(struct by_worth *, int64_t now_s, uint32_t page);
void by_worth_remove(struct by_worth *, uint32_t page);
bool by_worth_has(const struct by_worth *, uint32_t page);

/* by_worth_begin(queue, now_s): call this function before by_worth_next.  In a
 * new tick it adjusts the price and wakes pages. */
void by_worth_begin(struct by_worth *, int64_t now_s);

/* by_worth_next(queue, page): take the best page of this tick, and tell the
 * price about its fetch; false: there is none.  The caller puts or removes the
 * page before the next call. */
bool by_worth_next(struct by_worth *, uint32_t *page);

#endif
