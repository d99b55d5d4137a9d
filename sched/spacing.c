/* Whose turn it is. */
#include "sched/spacing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/spacing_internal.h"
#include "sched/spacing_news.h"
#include "sched/spacing_nodes.h"

struct spacing *
spacing_new(const struct spacing_limit *limit)
{
	struct spacing *spacing = mem_zero(sizeof(*spacing));

	spacing->now_ms = INT64_MIN;
	spacing->asked_ms[RIVAL_FIRST] = INT64_MIN;
	spacing->asked_ms[RIVAL_SECOND] = INT64_MIN;
	(void)spacing_limit(spacing, limit);
	(void)spacing_node(spacing, SPACING_NONE, 0, NULL);
	return spacing;
}

void
spacing_free(struct spacing *spacing)
{
	if (spacing == NULL)
		return;
	for (size_t i = 0; i < spacing->node_count; i++) {
		heap_release(&spacing->nodes[i]->things);
		later_release(&spacing->nodes[i]->later);
		heap_release(&spacing->nodes[i]->ready);
		units_release(&spacing->nodes[i]->waiting);
		free(spacing->nodes[i]);
	}
	free(spacing->nodes);
	free(spacing->limits);
	free(spacing->due);
	free(spacing->touched);
	places_release(&spacing->ready);
	free(spacing);
}

static struct heap_item
first_of(const struct node *node)
{
	if (node->things.count > 0)
		return node->things.items[0];
	return (struct heap_item){later_value(node),
	    later_count(&node->later) > 0 ? node->later.near.items[0].number
					  : UINT32_MAX};
}

/* settle_first(spacing, node, was): what its parents know of a node is its best
 * thing, and nearly always that is the same one as before. */
static void
settle_first(
    struct spacing *spacing, struct node *node, const struct heap_item *was)
{
	struct heap_item now = first_of(node);

	if (now.number != was->number || now.value < was->value ||
	    now.value > was->value)
		spacing_settle_up(spacing, node);
}

static bool
is_later(const struct node *node, uint32_t thing)
{
	return later_has(places_get(node->places, thing));
}

void
spacing_put(struct spacing *spacing, const struct spacing_choice *choice)
{
	struct node *node = spacing_get(spacing, choice->node);
	struct heap_item item = {choice->value, choice->number}, best;
	bool is_new;

	assert(node->places != NULL);
	if (!(item.value >= 0))
		item.value = 0;
	is_new = *places_at(node->places, choice->number) == PLACES_NOWHERE;
	best = first_of(node);
	if (is_new) {
		spacing_count_up(spacing, choice->node, 1, 1);
	} else if (is_later(node, choice->number)) {
		later_remove(&node->later, node->places->items, choice->number);
		spacing_count_up(spacing, choice->node, 0, 1);
	}
	heap_put(&node->things, node->places->items, item);
	settle_first(spacing, node, &best);
	if (best.number == UINT32_MAX)
		spacing_note(spacing, choice->node);
}

void
spacing_put_later(struct spacing *spacing, const struct spacing_choice *choice,
    int64_t from_s)
{
	struct node *node = spacing_get(spacing, choice->node);
	struct heap_item best;
	uint32_t first = UINT32_MAX;
	int64_t from = from_s - spacing->base_s;

	assert(node->places != NULL);
	from = from < 0 ? 0 : from > LATER_MOST ? LATER_MOST : from;
	best = first_of(node);
	if (later_count(&node->later) > 0)
		first = node->later.near.items[0].number;
	if (*places_at(node->places, choice->number) == PLACES_NOWHERE) {
		spacing_count_up(spacing, choice->node, 1, 0);
	} else if (!is_later(node, choice->number)) {
		heap_remove(&node->things, node->places->items, choice->number);
		spacing_count_up(spacing, choice->node, 0, (size_t)0 - 1);
	}
	later_put(
	    &node->later, node->places->items, choice->number, (uint32_t)from);
	/* its time may be the next one of the node */
	if (node->later.near.items[0].number != first)
		spacing_settle_up(spacing, node);
	else
		settle_first(spacing, node, &best);
	if (best.number == UINT32_MAX)
		spacing_note(spacing, choice->node);
}

/* drop(node, number): out of the node's heap. */
static void
drop(struct spacing *spacing, struct node *node, uint32_t number)
{
	bool was_later = is_later(node, number);

	assert(places_get(node->places, number) >= PLACES_QUEUED);
	if (was_later)
		later_remove(&node->later, node->places->items, number);
	else
		heap_remove(&node->things, node->places->items, number);
	spacing_count_up(spacing, node->number, (size_t)0 - 1,
	    was_later ? 0 : (size_t)0 - 1);
}

void
spacing_remove(struct spacing *spacing, uint32_t number, uint32_t thing)
{
	struct node *node = spacing_get(spacing, number);
	struct heap_item best = first_of(node);

	drop(spacing, node, thing);
	settle_first(spacing, node, &best);
}

size_t
spacing_take_later(
    struct spacing *spacing, uint32_t number, uint32_t *things, size_t max)
{
	struct node *node = spacing_get(spacing, number);
	size_t n = 0;

	for (; n < max && later_count(&node->later) > 0; n++) {
		things[n] = node->later.near.items[0].number;
		drop(spacing, node, things[n]);
	}
	if (n > 0)
		spacing_settle_up(spacing, node);
	return n;
}

/* end_later(spacing, node): the time of its first for later has come. */
static void
end_later(struct spacing *spacing, struct node *node)
{
	spacing->due = mem_grow(spacing->due, &spacing->due_cap,
	    spacing->due_count + 1, sizeof(*spacing->due));
	spacing->due[spacing->due_count++] = later_take(
	    &node->later, node->places->items);
	spacing_count_up(spacing, node->number, (size_t)0 - 1, 0);
}

/* end_due(spacing, node): that of all whose time it is, or of as many as may
 * be. */
static void
end_due(struct spacing *spacing, struct node *node)
{
	while (spacing->ends_left > 0 && later_count(&node->later) > 0 &&
	    later_ms(spacing, node) <= spacing->now_ms) {
		end_later(spacing, node);
		spacing->ends_left--;
	}
}

void
spacing_end_all(struct spacing *spacing, int64_t now_s)
{
	for (size_t i = 0; i < spacing->node_count; i++) {
		struct node *node = spacing->nodes[i];

		if (later_count(&node->later) == 0)
			continue;
		while (later_count(&node->later) > 0)
			end_later(spacing, node);
		spacing_settle_up(spacing, node);
	}
	spacing->base_s = now_s;
}

bool
spacing_has_due(const struct spacing *spacing)
{
	return spacing->due_count > 0;
}

size_t
spacing_take_due(struct spacing *spacing, uint32_t *things, size_t max)
{
	size_t n = 0;

	while (n < max && spacing->due_count > 0)
		things[n++] = spacing->due[--spacing->due_count];
	return n;
}

/* wake(spacing, node): those below it whose time has come. */
static void
wake(struct spacing *spacing, struct node *node)
{
	for (;;) {
		struct unit *unit = units_first(&node->waiting);
		struct node *child = (struct node *)unit;

		if (unit == NULL || unit->ready_ms > spacing->now_ms)
			break;
		wake(spacing, child);
		if (spacing_own_ms(spacing, child) <= spacing->now_ms)
			end_due(spacing, child);
		spacing_settle(spacing, child);
	}
}

/* path_ms(spacing, top): when it and all above it allow one more. */
static int64_t
path_ms(struct spacing *spacing, const struct node *top)
{
	int64_t ms = spacing_own_ms(spacing, top);

	while (top->parent != SPACING_NONE) {
		int64_t own_ms;

		top = spacing->nodes[top->parent];
		own_ms = spacing_own_ms(spacing, top);
		ms = own_ms > ms ? own_ms : ms;
	}
	return ms;
}

/* find(spacing, top): the node there or below whose first thing is the best
 * that may be sent, or NULL.  A node that shares its limit may be found to have
 * lost its turn. */
static struct node *
find(struct spacing *spacing, struct node *top)
{
	struct node *node = top;

	if (path_ms(spacing, top) > spacing->now_ms)
		return NULL;
	for (;;) {
		struct node *child;

		if (node->ready.count == 0 ||
		    first_of(node).value >= node->ready.items[0].value)
			return first_of(node).number != UINT32_MAX ? node
								   : NULL;
		child = spacing->nodes[node->ready.items[0].number];
		if (spacing_own_ms(spacing, child) > spacing->now_ms) {
			spacing_settle_up(spacing, child);
			node = top;
			continue;
		}
		node = child;
	}
}

bool
spacing_best(struct spacing *spacing, int64_t now_ms, uint32_t number,
    struct spacing_choice *choice)
{
	struct node *node;

	spacing_at(spacing, now_ms);
	rivals_asked(spacing, spacing_get(spacing, number));
	wake(spacing, spacing->nodes[SPACING_ROOT]);
	node = find(spacing, spacing_get(spacing, number));
	if (node == NULL)
		return false;
	*choice = (struct spacing_choice){.node = node->number,
	    .number = first_of(node).number,
	    .value = first_of(node).value,
	    .is_later = node->things.count == 0};
	return true;
}

/* One that goes out as soon as the one before allowed it has waited for that.
 */
static void
limit_send(struct spacing *spacing, struct limit *limit)
{
	int64_t now_ms = spacing->now_ms;
	bool has_waited = limit->free_ms > INT64_MIN &&
	    now_ms <= spacing_add(limit->free_ms, 2 * spacing->tick_ms);

	budget_spend(&limit->budget, now_ms, 1);
	limit->asked++;
	limit->free_ms = INT64_MIN;
	if (!limit->is_budget || budget_allows(&limit->budget, now_ms, 1))
		return;
	limit->free_ms = budget_ready_ms(&limit->budget, now_ms);
	if (has_waited)
		limit->bound_ms = spacing_add(
		    limit->free_ms, 2 * spacing->tick_ms);
}

void
spacing_send(struct spacing *spacing, int64_t now_ms,
    const struct spacing_choice *choice)
{
	struct node *node = spacing_get(spacing, choice->node);

	spacing_at(spacing, now_ms);
	drop(spacing, node, choice->number);
	for (;;) {
		struct limit *limit = &spacing->limits[node->limit];

		limit->sent_ms = now_ms;
		limit->has_sent = true;
		limit_send(spacing, limit);
		rivals_sent(spacing, node);
		spacing_settle(spacing, node);
		if (node->parent == SPACING_NONE)
			break;
		node = spacing_get(spacing, node->parent);
	}
}

void
spacing_spend(struct spacing *spacing, int64_t now_ms, uint32_t number,
    spacing_spend_fn *spend, double requests)
{
	spacing_at(spacing, now_ms);
	if (spend == budget_return)
		spacing_note(spacing, number);
	while (number != SPACING_NONE) {
		struct node *node = spacing_get(spacing, number);

		spend(&spacing->limits[node->limit].budget, now_ms, requests);
		spacing_settle(spacing, node);
		number = node->parent;
	}
}

int64_t
spacing_wait_ms(struct spacing *spacing, int64_t now_ms, uint32_t number)
{
	struct node *top = spacing_get(spacing, number);
	struct unit *first;
	int64_t until_ms;
	uint64_t wait_ms;

	spacing_at(spacing, now_ms);
	wake(spacing, spacing->nodes[SPACING_ROOT]);
	if (spacing->due_count > 0 || find(spacing, top) != NULL)
		return 0;
	if (top->count == 0)
		return -1;
	until_ms = path_ms(spacing, top);
	first = units_first(&top->waiting);
	if (!node_has_any(top) && first != NULL && first->ready_ms > until_ms)
		until_ms = first->ready_ms;
	wait_ms = (uint64_t)until_ms - (uint64_t)now_ms;
	return wait_ms < INT64_MAX ? (int64_t)wait_ms : INT64_MAX;
}

int64_t
spacing_ready_ms(struct spacing *spacing, int64_t now_ms, uint32_t number)
{
	spacing_at(spacing, now_ms);
	return path_ms(spacing, spacing_get(spacing, number));
}

size_t
spacing_count(const struct spacing *spacing, uint32_t node)
{
	return spacing_get(spacing, node)->count;
}

size_t
spacing_first(const struct spacing *spacing, uint32_t number, uint32_t *things,
    size_t max)
{
	const struct heap *heap = &spacing_get(spacing, number)->things;
	size_t n = 0;

	for (; n < max && n < heap->count; n++)
		things[n] = heap->items[n].number;
	return n;
}
