/*
 * Pages by what a fetch of each is worth now, for policies whose worths rise
 * with time: none is looked at before its worth comes near the price of a
 * request (SCHEDULING F.5), and a few more than can be fetched are compared.
 */
#ifndef FRESHET_BY_WORTH_H
#define FRESHET_BY_WORTH_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/price.h"
#include "sched/ranking.h"

struct sim_setup;

/* What the policy says of a page; called from the functions below. */
struct by_worth_calls {
	/* What a fetch is worth now. */
	double (*worth)(void *arg, int64_t now_s, uint32_t page);
	/* Days until it is worth that, if nothing is seen; INFINITY: never. */
	double (*days_until)(
	    void *arg, int64_t now_s, uint32_t page, double worth);
};

struct by_worth {
	const struct by_worth_calls *calls; /* borrowed */
	void *arg;
	struct ranking asleep; /* by when to look at them */
	struct ranking awake; /* by their worth when last looked at */
	struct price price;
	double level; /* the worth to awake at; some are always awake */
	double per_tick; /* requests */
	int64_t tick_s, now_s;
	uint32_t turn; /* of the awake to be looked at again */
};

/* by_worth_init(queue, setup, price): price as a first guess. */
void by_worth_init(struct by_worth *, const struct sim_setup *, double price);
void by_worth_release(struct by_worth *);

/* by_worth_put(queue, now_s, page): what is known of it has changed, or it is
 * new. */
void by_worth_put(struct by_worth *, int64_t now_s, uint32_t page);
void by_worth_remove(struct by_worth *, uint32_t page);
bool by_worth_has(const struct by_worth *, uint32_t page);

/* by_worth_begin(queue, now_s): called before anything is chosen; where now_s
 * is a new tick, the price follows and pages awake. */
void by_worth_begin(struct by_worth *, int64_t now_s);

/* by_worth_next(queue, page): the best one to fetch in this tick, paid for;
 * false: there is no page.  It is to be put or removed before the next. */
bool by_worth_next(struct by_worth *, uint32_t *page);

#endif
