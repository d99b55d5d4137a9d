/* The nodes of the rate limiter, where they belong, and what limits them. */
#include "sched/limiter_nodes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/limiter.h"
#include "sched/limiter_internal.h"
#include "sched/limiter_news.h"

/* Lower than all that waits for later. */
#define LAST_VALUE (-1e38F)
/* Times of later that end at one time: after a leap, a tenth of a second. */
#define ENDS_MOST 65536

struct node *
limiter_get(const struct limiter *limiter, uint32_t number)
{
	assert(number < limiter->node_count);
	return limiter->nodes[number];
}

int64_t
limiter_add(int64_t ms, int64_t wait_ms)
{
	return ms > INT64_MAX - wait_ms ? INT64_MAX : ms + wait_ms;
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t
limiter_hold_ms(const struct limiter *limiter, const struct node *node)
{
	const int64_t *hold_ms = limiter->limits[node->limit].hold_ms;
	int64_t ms = hold_ms[LIMITER_HOLD_ALL];

	if (node->twin != LIMITER_NONE && node->side != FAIR_FIRST)
		return ms;
	ms = later(ms, hold_ms[LIMITER_HOLD_FIRST]);
	return later(ms, hold_ms[LIMITER_HOLD_PAUSE]);
}

int64_t
limiter_own_ms(struct limiter *limiter, const struct node *node)
{
	struct limit *limit = &limiter->limits[node->limit];
	int64_t ms = later(limiter_hold_ms(limiter, node),
	    budget_ready_ms(&limit->budget, limiter->now_ms));

	if (limit->has_sent)
		ms = later(ms, limiter_add(limit->sent_ms, limit->gap_ms));
	return ms > limiter->now_ms ? ms : fair_yield_ms(limiter, node);
}

static float
first_value(const struct heap *heap)
{
	return heap->count > 0 ? heap->items[0].value : -INFINITY;
}

float
limiter_best_value(const struct node *node)
{
	float value = fmaxf(first_value(&node->items),
	    fmaxf(first_value(&node->ready), later_value(node)));

	return node->is_last && value > LAST_VALUE ? LAST_VALUE : value;
}

/* next_ms(rate limiter, node, own_ms): when it may have something, or something
 * better, to be sent; INT64_MAX: not before it is told. */
static int64_t
next_ms(struct limiter *limiter, const struct node *node, int64_t own_ms)
{
	const struct heap_entry *first = time_heap_first(&node->waiting);
	int64_t ms = INT64_MAX, from_ms;

	if (node_has_any(node) && own_ms > limiter->now_ms)
		return own_ms;
	if (first != NULL)
		ms = later(own_ms, first->ready_ms);
	if (later_count(&node->later) == 0)
		return ms;
	from_ms = later_ms(limiter, node);
	/* more than end at once: go on in a moment */
	if (from_ms <= limiter->now_ms && limiter->ends_remaining == 0)
		from_ms = limiter->now_ms + 1;
	return ms < from_ms ? ms : from_ms;
}

/* settle(rate limiter, node): to where it belongs at its parent. */
static void
node_place(struct limiter *limiter, struct node *node)
{
	struct node *parent;
	struct heap_item item = {limiter_best_value(node), node->number};
	int64_t own_ms;

	if (node->parent == LIMITER_NONE)
		return;
	parent = limiter_get(limiter, node->parent);
	own_ms = limiter_own_ms(limiter, node);
	if (node_has_any(node) && own_ms <= limiter->now_ms)
		heap_put(&parent->ready, limiter->ready.items, item);
	else if (positions_get(&limiter->ready, node->number) !=
	    POSITIONS_NOWHERE)
		heap_remove(&parent->ready, limiter->ready.items, node->number);
	node->entry.ready_ms = next_ms(limiter, node, own_ms);
	if (node->entry.ready_ms == INT64_MAX)
		time_heap_remove(&parent->waiting, &node->entry);
	else
		time_heap_put(&parent->waiting, &node->entry);
}

void
node_update(struct limiter *limiter, struct node *node)
{
	node_place(limiter, node);
	if (node->twin != LIMITER_NONE)
		node_place(limiter, limiter_get(limiter, node->twin));
}

void
node_update_up(struct limiter *limiter, struct node *node)
{
	for (;;) {
		node_update(limiter, node);
		if (node->parent == LIMITER_NONE)
			break;
		node = limiter_get(limiter, node->parent);
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
				   : limiter_add(now_ms, (int64_t)left_ms);
}

/* put_back(rate limiter, was_ms, now_ms): all waits begin at now_ms. */
static void
put_back(struct limiter *limiter, int64_t was_ms, int64_t now_ms)
{
	for (size_t i = 0; i < limiter->limit_count; i++) {
		struct limit *limit = &limiter->limits[i];

		if (limit->sent_ms > now_ms)
			limit->sent_ms = now_ms;
		if (limit->bound_ms > now_ms)
			limit->bound_ms = now_ms;
		for (int kind = 0; kind < LIMITER_HOLDS; kind++)
			limit->hold_ms[kind] = hold_put_back(
			    limit->hold_ms[kind], was_ms, now_ms);
	}
}

void
limiter_at(struct limiter *limiter, int64_t now_ms)
{
	int64_t was_ms = limiter->now_ms;

	limiter->now_ms = now_ms;
	if (now_ms != was_ms)
		limiter->ends_remaining = ENDS_MOST;
	if (now_ms >= was_ms)
		return;
	put_back(limiter, was_ms, now_ms);
	fair_rewind(limiter, now_ms);
	for (size_t i = 0; i < limiter->node_count; i++)
		node_update_up(limiter, limiter->nodes[i]);
}

uint32_t
limiter_limit(struct limiter *limiter, const struct limiter_limit *what)
{
	struct limit *limit;

	mem_limit(limiter->limit_count, LIMITER_NONE);
	limiter->limits = mem_grow(limiter->limits, &limiter->limit_cap,
	    limiter->limit_count + 1, sizeof(*limiter->limits));
	limit = &limiter->limits[limiter->limit_count];
	*limit = (struct limit){.hold_ms = {INT64_MIN, INT64_MIN, INT64_MIN},
	    .user = LIMITER_NONE,
	    .is_budget = what->is_budget,
	    .bound_ms = INT64_MIN,
	    .yield_until_ms = INT64_MIN,
	    .absent_ms = {INT64_MIN, INT64_MIN},
	    .last_side = FAIR_SIDES};
	price_init(&limit->level, PRICE_MIN);
	budget_init(&limit->budget, what->per_hour, what->burst_ms);
	limit->gap_ms = what->gap_ms > 0 ? what->gap_ms : 0;
	return (uint32_t)limiter->limit_count++;
}

/* update_users(rate limiter, limit): it has changed. */
static void
update_users(struct limiter *limiter, const struct limit *limit)
{
	for (uint32_t user = limit->user; user != LIMITER_NONE;
	     user = limiter->nodes[user]->next_user)
		node_update_up(limiter, limiter->nodes[user]);
}

void
limiter_set_limit(
    struct limiter *limiter, uint32_t number, const struct limiter_limit *what)
{
	struct limit *limit;
	struct limit was;

	assert(number < limiter->limit_count);
	limit = &limiter->limits[number];
	was = *limit;
	limit->gap_ms = what->gap_ms > 0 ? what->gap_ms : 0;
	limit->is_budget = what->is_budget;
	budget_change(
	    &limit->budget, limiter->now_ms, what->per_hour, what->burst_ms);
	/* hosts are told what they were told before, again and again */
	if (limit->gap_ms < was.gap_ms || limit->budget.cap > was.budget.cap ||
	    limit->budget.per_ms < was.budget.per_ms ||
	    limit->budget.per_ms > was.budget.per_ms)
		limiter_note(limiter, LIMITER_ROOT);
	update_users(limiter, limit);
}

void
limiter_spend_limit(struct limiter *limiter, int64_t now_ms, uint32_t number,
    limiter_spend_fn *spend, double requests)
{
	assert(number < limiter->limit_count);
	limiter_at(limiter, now_ms);
	spend(&limiter->limits[number].budget, now_ms, requests);
	for (uint32_t user = limiter->limits[number].user;
	     spend == budget_return && user != LIMITER_NONE;
	     user = limiter->nodes[user]->next_user)
		limiter_note(limiter, user);
	update_users(limiter, &limiter->limits[number]);
}

double
limiter_remaining(
    const struct limiter *limiter, int64_t now_ms, uint32_t number)
{
	struct budget budget;

	assert(number < limiter->limit_count);
	budget = limiter->limits[number].budget;
	return budget.per_ms == 0 ? INFINITY
				  : budget.cap - budget_spent(&budget, now_ms);
}

uint32_t
limiter_node(struct limiter *limiter, uint32_t parent, uint32_t limit,
    struct positions *positions)
{
	struct node *node = mem_zero(sizeof(*node));

	mem_limit(limiter->node_count, LIMITER_NONE);
	assert(limit < limiter->limit_count);
	assert(parent < limiter->node_count || limiter->node_count == 0);
	*node = (struct node){.number = (uint32_t)limiter->node_count,
	    .parent = parent,
	    .limit = limit,
	    .next_user = limiter->limits[limit].user,
	    .twin = LIMITER_NONE,
	    .positions = positions};
	/* Nodes of equal times take turns in the order they were made. */
	node->entry.turn = node->number;
	limiter->limits[limit].user = node->number;
	(void)positions_at(&limiter->ready, node->number);
	limiter->nodes = mem_grow(limiter->nodes, &limiter->node_cap,
	    limiter->node_count + 1, sizeof(*limiter->nodes));
	limiter->nodes[limiter->node_count++] = node;
	return node->number;
}

void
limiter_count_up(
    struct limiter *limiter, uint32_t number, size_t count, size_t worth)
{
	while (number != LIMITER_NONE) {
		struct node *node = limiter_get(limiter, number);

		node->count += count;
		node->worth += worth;
		number = node->parent;
	}
}

void
limiter_move(struct limiter *limiter, uint32_t number, uint32_t parent)
{
	struct node *node = limiter_get(limiter, number);
	struct node *old;

	assert(number != LIMITER_ROOT && parent < limiter->node_count);
	for (uint32_t n = parent; n != LIMITER_NONE;
	     n = limiter->nodes[n]->parent)
		assert(n != number);
	old = limiter_get(limiter, node->parent);
	if (positions_get(&limiter->ready, number) != POSITIONS_NOWHERE)
		heap_remove(&old->ready, limiter->ready.items, number);
	time_heap_remove(&old->waiting, &node->entry);
	limiter_count_up(
	    limiter, node->parent, 0 - node->count, 0 - node->worth);
	node_update_up(limiter, old);
	node->parent = parent;
	limiter_note(limiter, number);
	limiter_count_up(limiter, parent, node->count, node->worth);
	node_update_up(limiter, node);
}

void
limiter_set_last(struct limiter *limiter, uint32_t number, bool is_last)
{
	struct node *node = limiter_get(limiter, number);

	if (node->is_last == is_last)
		return;
	node->is_last = is_last;
	node_update_up(limiter, node);
}

static void
set_hold(struct limiter *limiter, uint32_t number, enum limiter_hold_kind kind,
    int64_t until_ms)
{
	struct limit
	    *limit = &limiter->limits[limiter_get(limiter, number)->limit];

	limit->hold_ms[kind] = until_ms;
	update_users(limiter, limit);
}

void
limiter_hold(struct limiter *limiter, uint32_t number,
    enum limiter_hold_kind kind, int64_t until_ms)
{
	int64_t held_ms = limiter_held_ms(limiter, number, kind);

	set_hold(limiter, number, kind, later(held_ms, until_ms));
}

void
limiter_unhold(
    struct limiter *limiter, uint32_t number, enum limiter_hold_kind kind)
{
	if (limiter_held_ms(limiter, number, kind) > limiter->now_ms)
		limiter_note(limiter, LIMITER_ROOT);
	set_hold(limiter, number, kind, INT64_MIN);
}

int64_t
limiter_held_ms(
    const struct limiter *limiter, uint32_t number, enum limiter_hold_kind kind)
{
	return limiter->limits[limiter_get(limiter, number)->limit]
	    .hold_ms[kind];
}

void
limiter_rewind(struct limiter *limiter, int64_t was_ms, int64_t now_ms)
{
	if (was_ms > limiter->now_ms)
		limiter->now_ms = was_ms;
	limiter_at(limiter, now_ms);
}
