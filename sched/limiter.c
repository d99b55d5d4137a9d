/* Whose turn it is. */
#include "sched/limiter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/limiter_internal.h"
#include "sched/limiter_news.h"
#include "sched/limiter_nodes.h"

struct limiter *
limiter_new(const struct limiter_limit *limit)
{
	struct limiter *limiter = mem_zero(sizeof(*limiter));

	limiter->now_ms = INT64_MIN;
	limiter->asked_ms[FAIR_FIRST] = INT64_MIN;
	limiter->asked_ms[FAIR_SECOND] = INT64_MIN;
	(void)limiter_limit(limiter, limit);
	(void)limiter_node(limiter, LIMITER_NONE, 0, NULL);
	return limiter;
}

void
limiter_free(struct limiter *limiter)
{
	if (limiter == NULL)
		return;
	for (size_t i = 0; i < limiter->node_count; i++) {
		heap_release(&limiter->nodes[i]->items);
		later_release(&limiter->nodes[i]->later);
		heap_release(&limiter->nodes[i]->ready);
		time_heap_release(&limiter->nodes[i]->waiting);
		free(limiter->nodes[i]);
	}
	free(limiter->nodes);
	free(limiter->limits);
	free(limiter->due);
	free(limiter->touched);
	positions_release(&limiter->ready);
	free(limiter);
}

static struct heap_item
first_of(const struct node *node)
{
	if (node->items.count > 0)
		return node->items.items[0];
	return (struct heap_item){later_value(node),
	    later_count(&node->later) > 0 ? node->later.near.items[0].number
					  : UINT32_MAX};
}

/* update_first(rate limiter, node, was): what its parents know of a node is its
 * best thing, and nearly always that is the same one as before. */
static void
update_first(
    struct limiter *limiter, struct node *node, const struct heap_item *was)
{
	struct heap_item now = first_of(node);

	if (now.number != was->number || now.value < was->value ||
	    now.value > was->value)
		node_update_up(limiter, node);
}

static bool
is_later(const struct node *node, uint32_t item)
{
	return later_has(positions_get(node->positions, item));
}

void
limiter_put(struct limiter *limiter, const struct limiter_choice *choice)
{
	struct node *node = limiter_get(limiter, choice->node);
	struct heap_item item = {choice->value, choice->number}, best;
	bool is_new;

	assert(node->positions != NULL);
	if (!(item.value >= 0))
		item.value = 0;
	is_new = *positions_at(node->positions, choice->number) ==
	    POSITIONS_NOWHERE;
	best = first_of(node);
	if (is_new) {
		limiter_count_up(limiter, choice->node, 1, 1);
	} else if (is_later(node, choice->number)) {
		later_remove(
		    &node->later, node->positions->items, choice->number);
		limiter_count_up(limiter, choice->node, 0, 1);
	}
	heap_put(&node->items, node->positions->items, item);
	update_first(limiter, node, &best);
	if (best.number == UINT32_MAX)
		limiter_note(limiter, choice->node);
}

void
limiter_put_later(struct limiter *limiter, const struct limiter_choice *choice,
    int64_t from_s)
{
	struct node *node = limiter_get(limiter, choice->node);
	struct heap_item best;
	uint32_t first = UINT32_MAX;
	int64_t from = from_s - limiter->base_s;

	assert(node->positions != NULL);
	from = from < 0 ? 0 : from > LATER_MOST ? LATER_MOST : from;
	best = first_of(node);
	if (later_count(&node->later) > 0)
		first = node->later.near.items[0].number;
	if (*positions_at(node->positions, choice->number) ==
	    POSITIONS_NOWHERE) {
		limiter_count_up(limiter, choice->node, 1, 0);
	} else if (!is_later(node, choice->number)) {
		heap_remove(
		    &node->items, node->positions->items, choice->number);
		limiter_count_up(limiter, choice->node, 0, (size_t)0 - 1);
	}
	later_put(&node->later, node->positions->items, choice->number,
	    (uint32_t)from);
	/* its time may be the next one of the node */
	if (node->later.near.items[0].number != first)
		node_update_up(limiter, node);
	else
		update_first(limiter, node, &best);
	if (best.number == UINT32_MAX)
		limiter_note(limiter, choice->node);
}

/* drop(node, number): out of the node's heap. */
static void
drop(struct limiter *limiter, struct node *node, uint32_t number)
{
	bool was_later = is_later(node, number);

	assert(positions_get(node->positions, number) >= POSITIONS_QUEUED);
	if (was_later)
		later_remove(&node->later, node->positions->items, number);
	else
		heap_remove(&node->items, node->positions->items, number);
	limiter_count_up(limiter, node->number, (size_t)0 - 1,
	    was_later ? 0 : (size_t)0 - 1);
}

void
limiter_remove(struct limiter *limiter, uint32_t number, uint32_t item)
{
	struct node *node = limiter_get(limiter, number);
	struct heap_item best = first_of(node);

	drop(limiter, node, item);
	update_first(limiter, node, &best);
}

size_t
limiter_take_later(
    struct limiter *limiter, uint32_t number, uint32_t *items, size_t max)
{
	struct node *node = limiter_get(limiter, number);
	size_t n = 0;

	for (; n < max && later_count(&node->later) > 0; n++) {
		items[n] = node->later.near.items[0].number;
		drop(limiter, node, items[n]);
	}
	if (n > 0)
		node_update_up(limiter, node);
	return n;
}

/* end_later(rate limiter, node): the time of its first for later has come. */
static void
end_later(struct limiter *limiter, struct node *node)
{
	limiter->due = mem_grow(limiter->due, &limiter->due_cap,
	    limiter->due_count + 1, sizeof(*limiter->due));
	limiter->due[limiter->due_count++] = later_take(
	    &node->later, node->positions->items);
	limiter_count_up(limiter, node->number, (size_t)0 - 1, 0);
}

/* end_due(rate limiter, node): that of all whose time it is, or of as many as
 * may be. */
static void
end_due(struct limiter *limiter, struct node *node)
{
	while (limiter->ends_remaining > 0 && later_count(&node->later) > 0 &&
	    later_ms(limiter, node) <= limiter->now_ms) {
		end_later(limiter, node);
		limiter->ends_remaining--;
	}
}

void
limiter_end_all(struct limiter *limiter, int64_t now_s)
{
	for (size_t i = 0; i < limiter->node_count; i++) {
		struct node *node = limiter->nodes[i];

		if (later_count(&node->later) == 0)
			continue;
		while (later_count(&node->later) > 0)
			end_later(limiter, node);
		node_update_up(limiter, node);
	}
	limiter->base_s = now_s;
}

bool
limiter_has_due(const struct limiter *limiter)
{
	return limiter->due_count > 0;
}

size_t
limiter_take_due(struct limiter *limiter, uint32_t *items, size_t max)
{
	size_t n = 0;

	while (n < max && limiter->due_count > 0)
		items[n++] = limiter->due[--limiter->due_count];
	return n;
}

/* wake(rate limiter, node): those below it whose time has come. */
static void
wake(struct limiter *limiter, struct node *node)
{
	for (;;) {
		struct heap_entry *entry = time_heap_first(&node->waiting);
		struct node *child = (struct node *)entry;

		if (entry == NULL || entry->ready_ms > limiter->now_ms)
			break;
		wake(limiter, child);
		if (limiter_own_ms(limiter, child) <= limiter->now_ms)
			end_due(limiter, child);
		node_update(limiter, child);
	}
}

/* path_ms(rate limiter, top): when it and all above it allow one more. */
static int64_t
path_ms(struct limiter *limiter, const struct node *top)
{
	int64_t ms = limiter_own_ms(limiter, top);

	while (top->parent != LIMITER_NONE) {
		int64_t own_ms;

		top = limiter->nodes[top->parent];
		own_ms = limiter_own_ms(limiter, top);
		ms = own_ms > ms ? own_ms : ms;
	}
	return ms;
}

/* find(rate limiter, top): the node there or below whose first thing is the
 * best that may be sent, or NULL.  A node that shares its limit may be found to
 * have lost its turn. */
static struct node *
find(struct limiter *limiter, struct node *top)
{
	struct node *node = top;

	if (path_ms(limiter, top) > limiter->now_ms)
		return NULL;
	for (;;) {
		struct node *child;

		if (node->ready.count == 0 ||
		    first_of(node).value >= node->ready.items[0].value)
			return first_of(node).number != UINT32_MAX ? node
								   : NULL;
		child = limiter->nodes[node->ready.items[0].number];
		if (limiter_own_ms(limiter, child) > limiter->now_ms) {
			node_update_up(limiter, child);
			node = top;
			continue;
		}
		node = child;
	}
}

bool
limiter_best(struct limiter *limiter, int64_t now_ms, uint32_t number,
    struct limiter_choice *choice)
{
	struct node *node;

	limiter_at(limiter, now_ms);
	fair_asked(limiter, limiter_get(limiter, number));
	wake(limiter, limiter->nodes[LIMITER_ROOT]);
	node = find(limiter, limiter_get(limiter, number));
	if (node == NULL)
		return false;
	*choice = (struct limiter_choice){.node = node->number,
	    .number = first_of(node).number,
	    .value = first_of(node).value,
	    .is_later = node->items.count == 0};
	return true;
}

/* One that goes out as soon as the one before allowed it has waited for that.
 */
static void
limit_send(struct limiter *limiter, struct limit *limit)
{
	int64_t now_ms = limiter->now_ms;
	bool has_waited = limit->free_ms > INT64_MIN &&
	    now_ms <= limiter_add(limit->free_ms, 2 * limiter->tick_ms);

	budget_spend(&limit->budget, now_ms, 1);
	limit->asked++;
	limit->free_ms = INT64_MIN;
	if (!limit->is_budget || budget_allows(&limit->budget, now_ms, 1))
		return;
	limit->free_ms = budget_ready_ms(&limit->budget, now_ms);
	if (has_waited)
		limit->bound_ms = limiter_add(
		    limit->free_ms, 2 * limiter->tick_ms);
}

void
limiter_send(struct limiter *limiter, int64_t now_ms,
    const struct limiter_choice *choice)
{
	struct node *node = limiter_get(limiter, choice->node);

	limiter_at(limiter, now_ms);
	drop(limiter, node, choice->number);
	for (;;) {
		struct limit *limit = &limiter->limits[node->limit];

		limit->sent_ms = now_ms;
		limit->has_sent = true;
		limit_send(limiter, limit);
		fair_sent(limiter, node);
		node_update(limiter, node);
		if (node->parent == LIMITER_NONE)
			break;
		node = limiter_get(limiter, node->parent);
	}
}

void
limiter_spend(struct limiter *limiter, int64_t now_ms, uint32_t number,
    limiter_spend_fn *spend, double requests)
{
	limiter_at(limiter, now_ms);
	if (spend == budget_return)
		limiter_note(limiter, number);
	while (number != LIMITER_NONE) {
		struct node *node = limiter_get(limiter, number);

		spend(&limiter->limits[node->limit].budget, now_ms, requests);
		node_update(limiter, node);
		number = node->parent;
	}
}

int64_t
limiter_wait_ms(struct limiter *limiter, int64_t now_ms, uint32_t number)
{
	struct node *top = limiter_get(limiter, number);
	struct heap_entry *first;
	int64_t until_ms;
	uint64_t wait_ms;

	limiter_at(limiter, now_ms);
	wake(limiter, limiter->nodes[LIMITER_ROOT]);
	if (limiter->due_count > 0 || find(limiter, top) != NULL)
		return 0;
	if (top->count == 0)
		return -1;
	until_ms = path_ms(limiter, top);
	first = time_heap_first(&top->waiting);
	if (!node_has_any(top) && first != NULL && first->ready_ms > until_ms)
		until_ms = first->ready_ms;
	wait_ms = (uint64_t)until_ms - (uint64_t)now_ms;
	return wait_ms < INT64_MAX ? (int64_t)wait_ms : INT64_MAX;
}

int64_t
limiter_ready_ms(struct limiter *limiter, int64_t now_ms, uint32_t number)
{
	limiter_at(limiter, now_ms);
	return path_ms(limiter, limiter_get(limiter, number));
}

size_t
limiter_count(const struct limiter *limiter, uint32_t node)
{
	return limiter_get(limiter, node)->count;
}

size_t
limiter_first(
    const struct limiter *limiter, uint32_t number, uint32_t *items, size_t max)
{
	const struct heap *heap = &limiter_get(limiter, number)->items;
	size_t n = 0;

	for (; n < max && n < heap->count; n++)
		items[n] = heap->items[n].number;
	return n;
}
