/* The nodes of the spacing, where they belong, and what limits them. */
#include "sched/spacing_nodes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/spacing.h"
#include "sched/spacing_internal.h"
#include "sched/spacing_news.h"

/* Lower than all that waits for later. */
#define LAST_VALUE (-1e38F)
/* Times of later that end at one time: after a leap, a tenth of a second. */
#define ENDS_MOST 65536

struct node *
spacing_get(const struct spacing *spacing, uint32_t number)
{
	assert(number < spacing->node_count);
	return spacing->nodes[number];
}

int64_t
spacing_add(int64_t ms, int64_t wait_ms)
{
	return ms > INT64_MAX - wait_ms ? INT64_MAX : ms + wait_ms;
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t
spacing_hold_ms(const struct spacing *spacing, const struct node *node)
{
	const int64_t *hold_ms = spacing->limits[node->limit].hold_ms;
	int64_t ms = hold_ms[SPACING_HOLD_ALL];

	if (node->rival != SPACING_NONE && node->side != RIVAL_FIRST)
		return ms;
	ms = later(ms, hold_ms[SPACING_HOLD_FIRST]);
	return later(ms, hold_ms[SPACING_HOLD_PAUSE]);
}

int64_t
spacing_own_ms(struct spacing *spacing, const struct node *node)
{
	struct limit *limit = &spacing->limits[node->limit];
	int64_t ms = later(spacing_hold_ms(spacing, node),
	    budget_ready_ms(&limit->budget, spacing->now_ms));

	if (limit->has_sent)
		ms = later(ms, spacing_add(limit->sent_ms, limit->gap_ms));
	return ms > spacing->now_ms ? ms : rivals_way_ms(spacing, node);
}

static float
first_value(const struct heap *heap)
{
	return heap->count > 0 ? heap->items[0].value : -INFINITY;
}

float
spacing_best_value(const struct node *node)
{
	float value = fmaxf(first_value(&node->things),
	    fmaxf(first_value(&node->ready), later_value(node)));

	return node->is_last && value > LAST_VALUE ? LAST_VALUE : value;
}

/* next_ms(spacing, node, own_ms): when it may have something, or something
 * better, to be sent; INT64_MAX: not before it is told. */
static int64_t
next_ms(struct spacing *spacing, const struct node *node, int64_t own_ms)
{
	const struct unit *first = units_first(&node->waiting);
	int64_t ms = INT64_MAX, from_ms;

	if (node_has_any(node) && own_ms > spacing->now_ms)
		return own_ms;
	if (first != NULL)
		ms = later(own_ms, first->ready_ms);
	if (later_count(&node->later) == 0)
		return ms;
	from_ms = later_ms(spacing, node);
	/* more than end at once: go on in a moment */
	if (from_ms <= spacing->now_ms && spacing->ends_left == 0)
		from_ms = spacing->now_ms + 1;
	return ms < from_ms ? ms : from_ms;
}

/* settle(spacing, node): to where it belongs at its parent. */
static void
settle(struct spacing *spacing, struct node *node)
{
	struct node *parent;
	struct heap_item item = {spacing_best_value(node), node->number};
	int64_t own_ms;

	if (node->parent == SPACING_NONE)
		return;
	parent = spacing_get(spacing, node->parent);
	own_ms = spacing_own_ms(spacing, node);
	if (node_has_any(node) && own_ms <= spacing->now_ms)
		heap_put(&parent->ready, spacing->ready.items, item);
	else if (places_get(&spacing->ready, node->number) != PLACES_NOWHERE)
		heap_remove(&parent->ready, spacing->ready.items, node->number);
	node->unit.ready_ms = next_ms(spacing, node, own_ms);
	if (node->unit.ready_ms == INT64_MAX)
		units_remove(&parent->waiting, &node->unit);
	else
		units_put(&parent->waiting, &node->unit);
}

void
spacing_settle(struct spacing *spacing, struct node *node)
{
	settle(spacing, node);
	if (node->rival != SPACING_NONE)
		settle(spacing, spacing_get(spacing, node->rival));
}

void
spacing_settle_up(struct spacing *spacing, struct node *node)
{
	for (;;) {
		spacing_settle(spacing, node);
		if (node->parent == SPACING_NONE)
			break;
		node = spacing_get(spacing, node->parent);
	}
}

/* A hold goes on for as long as it would have. */
static int64_t
hold_put_back(int64_t hold_ms, int64_t was_ms, int64_t now_ms)
{
	uint64_t left_ms;

	/* What was over is over. */
	if (hold_ms <= was_ms)
		return hold_ms < now_ms ? hold_ms : now_ms;
	left_ms = (uint64_t)hold_ms - (uint64_t)was_ms;
	return left_ms > INT64_MAX ? INT64_MAX
				   : spacing_add(now_ms, (int64_t)left_ms);
}

/* put_back(spacing, was_ms, now_ms): all waits begin at now_ms. */
static void
put_back(struct spacing *spacing, int64_t was_ms, int64_t now_ms)
{
	for (size_t i = 0; i < spacing->limit_count; i++) {
		struct limit *limit = &spacing->limits[i];

		if (limit->sent_ms > now_ms)
			limit->sent_ms = now_ms;
		if (limit->bound_ms > now_ms)
			limit->bound_ms = now_ms;
		for (int kind = 0; kind < SPACING_HOLDS; kind++)
			limit->hold_ms[kind] = hold_put_back(
			    limit->hold_ms[kind], was_ms, now_ms);
	}
}

void
spacing_at(struct spacing *spacing, int64_t now_ms)
{
	int64_t was_ms = spacing->now_ms;

	spacing->now_ms = now_ms;
	if (now_ms != was_ms)
		spacing->ends_left = ENDS_MOST;
	if (now_ms >= was_ms)
		return;
	put_back(spacing, was_ms, now_ms);
	rivals_rewind(spacing, now_ms);
	for (size_t i = 0; i < spacing->node_count; i++)
		spacing_settle_up(spacing, spacing->nodes[i]);
}

uint32_t
spacing_limit(struct spacing *spacing, const struct spacing_limit *what)
{
	struct limit *limit;

	mem_limit(spacing->limit_count, SPACING_NONE);
	spacing->limits = mem_grow(spacing->limits, &spacing->limit_cap,
	    spacing->limit_count + 1, sizeof(*spacing->limits));
	limit = &spacing->limits[spacing->limit_count];
	*limit = (struct limit){.hold_ms = {INT64_MIN, INT64_MIN, INT64_MIN},
	    .user = SPACING_NONE,
	    .is_budget = what->is_budget,
	    .bound_ms = INT64_MIN,
	    .way_ms = INT64_MIN,
	    .absent_ms = {INT64_MIN, INT64_MIN},
	    .last_side = RIVALS};
	price_init(&limit->level, PRICE_MIN);
	budget_init(&limit->budget, what->per_hour, what->burst_ms);
	limit->gap_ms = what->gap_ms > 0 ? what->gap_ms : 0;
	return (uint32_t)spacing->limit_count++;
}

/* settle_users(spacing, limit): it has changed. */
static void
settle_users(struct spacing *spacing, const struct limit *limit)
{
	for (uint32_t user = limit->user; user != SPACING_NONE;
	     user = spacing->nodes[user]->next_user)
		spacing_settle_up(spacing, spacing->nodes[user]);
}

void
spacing_set_limit(
    struct spacing *spacing, uint32_t number, const struct spacing_limit *what)
{
	struct limit *limit;
	struct limit was;

	assert(number < spacing->limit_count);
	limit = &spacing->limits[number];
	was = *limit;
	limit->gap_ms = what->gap_ms > 0 ? what->gap_ms : 0;
	limit->is_budget = what->is_budget;
	budget_change(
	    &limit->budget, spacing->now_ms, what->per_hour, what->burst_ms);
	/* hosts are told what they were told before, again and again */
	if (limit->gap_ms < was.gap_ms || limit->budget.cap > was.budget.cap ||
	    limit->budget.per_ms < was.budget.per_ms ||
	    limit->budget.per_ms > was.budget.per_ms)
		spacing_note(spacing, SPACING_ROOT);
	settle_users(spacing, limit);
}

void
spacing_spend_limit(struct spacing *spacing, int64_t now_ms, uint32_t number,
    spacing_spend_fn *spend, double requests)
{
	assert(number < spacing->limit_count);
	spacing_at(spacing, now_ms);
	spend(&spacing->limits[number].budget, now_ms, requests);
	for (uint32_t user = spacing->limits[number].user;
	     spend == budget_return && user != SPACING_NONE;
	     user = spacing->nodes[user]->next_user)
		spacing_note(spacing, user);
	settle_users(spacing, &spacing->limits[number]);
}

double
spacing_left(const struct spacing *spacing, int64_t now_ms, uint32_t number)
{
	struct budget budget;

	assert(number < spacing->limit_count);
	budget = spacing->limits[number].budget;
	return budget.per_ms == 0 ? INFINITY
				  : budget.cap - budget_spent(&budget, now_ms);
}

uint32_t
spacing_node(struct spacing *spacing, uint32_t parent, uint32_t limit,
    struct places *places)
{
	struct node *node = mem_zero(sizeof(*node));

	mem_limit(spacing->node_count, SPACING_NONE);
	assert(limit < spacing->limit_count);
	assert(parent < spacing->node_count || spacing->node_count == 0);
	*node = (struct node){.number = (uint32_t)spacing->node_count,
	    .parent = parent,
	    .limit = limit,
	    .next_user = spacing->limits[limit].user,
	    .rival = SPACING_NONE,
	    .places = places};
	/* Nodes of equal times take turns in the order they were made. */
	node->unit.turn = node->number;
	spacing->limits[limit].user = node->number;
	(void)places_at(&spacing->ready, node->number);
	spacing->nodes = mem_grow(spacing->nodes, &spacing->node_cap,
	    spacing->node_count + 1, sizeof(*spacing->nodes));
	spacing->nodes[spacing->node_count++] = node;
	return node->number;
}

void
spacing_count_up(
    struct spacing *spacing, uint32_t number, size_t count, size_t worth)
{
	while (number != SPACING_NONE) {
		struct node *node = spacing_get(spacing, number);

		node->count += count;
		node->worth += worth;
		number = node->parent;
	}
}

void
spacing_move(struct spacing *spacing, uint32_t number, uint32_t parent)
{
	struct node *node = spacing_get(spacing, number);
	struct node *old;

	assert(number != SPACING_ROOT && parent < spacing->node_count);
	for (uint32_t n = parent; n != SPACING_NONE;
	     n = spacing->nodes[n]->parent)
		assert(n != number);
	old = spacing_get(spacing, node->parent);
	if (places_get(&spacing->ready, number) != PLACES_NOWHERE)
		heap_remove(&old->ready, spacing->ready.items, number);
	units_remove(&old->waiting, &node->unit);
	spacing_count_up(
	    spacing, node->parent, 0 - node->count, 0 - node->worth);
	spacing_settle_up(spacing, old);
	node->parent = parent;
	spacing_note(spacing, number);
	spacing_count_up(spacing, parent, node->count, node->worth);
	spacing_settle_up(spacing, node);
}

void
spacing_set_last(struct spacing *spacing, uint32_t number, bool is_last)
{
	struct node *node = spacing_get(spacing, number);

	if (node->is_last == is_last)
		return;
	node->is_last = is_last;
	spacing_settle_up(spacing, node);
}

static void
set_hold(struct spacing *spacing, uint32_t number, enum spacing_hold_kind kind,
    int64_t until_ms)
{
	struct limit
	    *limit = &spacing->limits[spacing_get(spacing, number)->limit];

	limit->hold_ms[kind] = until_ms;
	settle_users(spacing, limit);
}

void
spacing_hold(struct spacing *spacing, uint32_t number,
    enum spacing_hold_kind kind, int64_t until_ms)
{
	int64_t held_ms = spacing_held_ms(spacing, number, kind);

	set_hold(spacing, number, kind, later(held_ms, until_ms));
}

void
spacing_unhold(
    struct spacing *spacing, uint32_t number, enum spacing_hold_kind kind)
{
	if (spacing_held_ms(spacing, number, kind) > spacing->now_ms)
		spacing_note(spacing, SPACING_ROOT);
	set_hold(spacing, number, kind, INT64_MIN);
}

int64_t
spacing_held_ms(
    const struct spacing *spacing, uint32_t number, enum spacing_hold_kind kind)
{
	return spacing->limits[spacing_get(spacing, number)->limit]
	    .hold_ms[kind];
}

void
spacing_rewind(struct spacing *spacing, int64_t was_ms, int64_t now_ms)
{
	if (was_ms > spacing->now_ms)
		spacing->now_ms = was_ms;
	spacing_at(spacing, now_ms);
}
