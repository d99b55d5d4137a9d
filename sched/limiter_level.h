/*
 * What things are worth where they wait (docs/scheduling.md, "The price").
 *
 * Each limit has a level: about the least that those of its things were worth
 * which went out.  It says when to look at a thing again, and refuses nothing:
 * what is worth less goes out when nothing else may.  The level of a budget
 * that binds is its price.
 */
#ifndef FRESHET_LIMITER_LEVEL_H
#define FRESHET_LIMITER_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

struct limiter;

/* limiter_set_tick(rate limiter, tick_s): how finely time counts. */
void limiter_set_tick(struct limiter *, int64_t tick_s);

/* limiter_level(rate limiter, node): the highest of its limit and those above
 * it. */
double limiter_level(const struct limiter *, uint32_t node);

/* limiter_price(rate limiter, now_ms, node): likewise, of those that are
 * budgets and bind; 0: none does. */
double limiter_price(const struct limiter *, int64_t now_ms, uint32_t node);

/* limiter_accept(rate limiter, node, value): what goes out from there is worth
 * that. limiter_dry(rate limiter, node): it was worth less than the level. */
void limiter_accept(struct limiter *, uint32_t node, double value);
void limiter_dry(struct limiter *, uint32_t node);

/* limiter_set_level(rate limiter, limit, level): a first guess.
 * limiter_set_bound(rate limiter, limit): it is a budget that binds, always. */
void limiter_set_level(struct limiter *, uint32_t limit, double level);
void limiter_set_bound(struct limiter *, uint32_t limit);

/* limiter_end_tick(rate limiter, now_ms): levels follow what went out since the
 * one before. */
void limiter_end_tick(struct limiter *, int64_t now_ms);

#endif
