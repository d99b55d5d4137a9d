/* What things are worth where they wait: see spacing_level.h. */
#include "sched/spacing_level.h"

#include <assert.h>

#include "base/mem.h"
#include "sched/spacing_internal.h"

/* So many times what a tick asks for are too many to wait above the level, and
 * in any case so many. */
#define TOO_MANY 2
#define MANY_LEAST 64

void
spacing_set_tick(struct spacing *spacing, int64_t tick_s)
{
	spacing->tick_ms = tick_s * 1000;
}

double
spacing_level(const struct spacing *spacing, uint32_t number)
{
	double level = PRICE_MIN;

	while (number != SPACING_NONE) {
		const struct node *node = spacing_get(spacing, number);
		double own = spacing->limits[node->limit].level.value;

		level = own > level ? own : level;
		number = node->parent;
	}
	return level;
}

double
spacing_price(const struct spacing *spacing, int64_t now_ms, uint32_t number)
{
	double price = 0;

	while (number != SPACING_NONE) {
		const struct node *node = spacing_get(spacing, number);
		const struct limit *limit = &spacing->limits[node->limit];

		if (limit->is_budget && limit->bound_ms > now_ms &&
		    limit->level.value > price)
			price = limit->level.value;
		number = node->parent;
	}
	return price;
}

void
limit_touch(struct spacing *spacing, uint32_t number)
{
	if (spacing->limits[number].is_touched)
		return;
	spacing->limits[number].is_touched = true;
	spacing->touched = mem_grow(spacing->touched, &spacing->touched_cap,
	    spacing->touched_count + 1, sizeof(*spacing->touched));
	spacing->touched[spacing->touched_count++] = number;
}

void
spacing_accept(struct spacing *spacing, uint32_t number, double value)
{
	while (number != SPACING_NONE) {
		const struct node *node = spacing_get(spacing, number);

		price_accept(&spacing->limits[node->limit].level, value);
		limit_touch(spacing, node->limit);
		number = node->parent;
	}
}

void
spacing_dry(struct spacing *spacing, uint32_t number)
{
	while (number != SPACING_NONE) {
		const struct node *node = spacing_get(spacing, number);

		spacing->limits[node->limit].is_dry = true;
		limit_touch(spacing, node->limit);
		number = node->parent;
	}
}

void
spacing_set_level(struct spacing *spacing, uint32_t number, double level)
{
	assert(number < spacing->limit_count);
	price_init(&spacing->limits[number].level, level);
	spacing->limits[number].level.is_tried = true;
}

void
spacing_set_bound(struct spacing *spacing, uint32_t number)
{
	assert(number < spacing->limit_count);
	spacing->limits[number].is_budget = true;
	spacing->limits[number].bound_ms = INT64_MAX;
}

/* How many wait at its nodes and are worth it, of those that were asked for in
 * this tick. */
static size_t
worth_of(const struct spacing *spacing, const struct limit *limit)
{
	size_t worth = 0;

	for (uint32_t user = limit->user; user != SPACING_NONE;) {
		const struct node *node = spacing_get(spacing, user);

		if (node->rival == SPACING_NONE ||
		    spacing->asked_ms[node->side] >= spacing->began_ms)
			worth += node->worth;
		user = node->next_user;
	}
	return worth;
}

void
spacing_end_tick(struct spacing *spacing, int64_t now_ms)
{
	for (size_t i = 0; i < spacing->touched_count; i++) {
		struct limit *limit = &spacing->limits[spacing->touched[i]];
		size_t many = TOO_MANY * limit->asked;

		price_tick(&limit->level,
		    &(struct price_tick){.is_dry = limit->is_dry,
			.waiting = worth_of(spacing, limit),
			.too_many = many > MANY_LEAST ? many : MANY_LEAST});
		limit->is_dry = limit->is_touched = false;
		limit->asked = 0;
	}
	spacing->touched_count = 0;
	spacing->began_ms = now_ms;
}
