/* What things are worth where they wait: see limiter_level.h. */
#include "sched/limiter_level.h"

#include <assert.h>

#include "base/mem.h"
#include "sched/limiter_internal.h"

/* So many times what a tick asks for are too many to wait above the level, and
 * in any case so many. */
#define TOO_MANY 2
#define MANY_LEAST 64

void
limiter_set_tick(struct limiter *limiter, int64_t tick_s)
{
	limiter->tick_ms = tick_s * 1000;
}

double
limiter_level(const struct limiter *limiter, uint32_t number)
{
	double level = PRICE_MIN;

	while (number != LIMITER_NONE) {
		const struct node *node = limiter_get(limiter, number);
		double own = limiter->limits[node->limit].level.value;

		level = own > level ? own : level;
		number = node->parent;
	}
	return level;
}

double
limiter_price(const struct limiter *limiter, int64_t now_ms, uint32_t number)
{
	double price = 0;

	while (number != LIMITER_NONE) {
		const struct node *node = limiter_get(limiter, number);
		const struct limit *limit = &limiter->limits[node->limit];

		if (limit->is_budget && limit->bound_ms > now_ms &&
		    limit->level.value > price)
			price = limit->level.value;
		number = node->parent;
	}
	return price;
}

void
limit_touch(struct limiter *limiter, uint32_t number)
{
	if (limiter->limits[number].is_touched)
		return;
	limiter->limits[number].is_touched = true;
	limiter->touched = mem_grow(limiter->touched, &limiter->touched_cap,
	    limiter->touched_count + 1, sizeof(*limiter->touched));
	limiter->touched[limiter->touched_count++] = number;
}

void
limiter_accept(struct limiter *limiter, uint32_t number, double value)
{
	while (number != LIMITER_NONE) {
		const struct node *node = limiter_get(limiter, number);

		price_accept(&limiter->limits[node->limit].level, value);
		limit_touch(limiter, node->limit);
		number = node->parent;
	}
}

void
limiter_dry(struct limiter *limiter, uint32_t number)
{
	while (number != LIMITER_NONE) {
		const struct node *node = limiter_get(limiter, number);

		limiter->limits[node->limit].is_dry = true;
		limit_touch(limiter, node->limit);
		number = node->parent;
	}
}

void
limiter_set_level(struct limiter *limiter, uint32_t number, double level)
{
	assert(number < limiter->limit_count);
	price_init(&limiter->limits[number].level, level);
	limiter->limits[number].level.is_tried = true;
}

void
limiter_set_bound(struct limiter *limiter, uint32_t number)
{
	assert(number < limiter->limit_count);
	limiter->limits[number].is_budget = true;
	limiter->limits[number].bound_ms = INT64_MAX;
}

/* How many wait at its nodes and are worth it, of those that were asked for in
 * this tick. */
static size_t
worth_of(const struct limiter *limiter, const struct limit *limit)
{
	size_t worth = 0;

	for (uint32_t user = limit->user; user != LIMITER_NONE;) {
		const struct node *node = limiter_get(limiter, user);

		if (node->twin == LIMITER_NONE ||
		    limiter->asked_ms[node->side] >= limiter->began_ms)
			worth += node->worth;
		user = node->next_user;
	}
	return worth;
}

void
limiter_end_tick(struct limiter *limiter, int64_t now_ms)
{
	for (size_t i = 0; i < limiter->touched_count; i++) {
		struct limit *limit = &limiter->limits[limiter->touched[i]];
		size_t many = TOO_MANY * limit->asked;

		price_tick(&limit->level,
		    &(struct price_tick){.is_dry = limit->is_dry,
			.waiting = worth_of(limiter, limit),
			.too_many = many > MANY_LEAST ? many : MANY_LEAST});
		limit->is_dry = limit->is_touched = false;
		limit->asked = 0;
	}
	limiter->touched_count = 0;
	limiter->began_ms = now_ms;
}
