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
		heap_release(&spacing->nodes[i]->ready);
		units_release(&spacing->nodes[i]->waiting);
		free(spacing->nodes[i]);
	}
	free(spacing->nodes);
	free(spacing->limits);
	places_release(&spacing->ready);
	free(spacing);
}

static struct heap_item
first_of(const struct node *node)
{
	return node->things.count > 0
	    ? node->things.items[0]
	    : (struct heap_item){-INFINITY, UINT32_MAX};
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

void
spacing_put(struct spacing *spacing, const struct spacing_choice *choice)
{
	struct node *node = spacing_get(spacing, choice->node);
	struct heap_item item = {choice->value, choice->number}, best;

	assert(node->places != NULL);
	if (isnan(item.value))
		item.value = -INFINITY;
	if (*places_at(node->places, choice->number) == PLACES_NOWHERE)
		spacing_count_up(spacing, choice->node, 1);
	best = first_of(node);
	heap_put(&node->things, node->places->items, item);
	settle_first(spacing, node, &best);
	if (best.number == UINT32_MAX)
		spacing_note(spacing, choice->node);
}

/* drop(node, number): out of the node's heap. */
static void
drop(struct spacing *spacing, struct node *node, uint32_t number)
{
	assert(places_get(node->places, number) >= PLACES_QUEUED);
	heap_remove(&node->things, node->places->items, number);
	spacing_count_up(spacing, node->number, (size_t)0 - 1);
}

void
spacing_remove(struct spacing *spacing, uint32_t number, uint32_t thing)
{
	struct node *node = spacing_get(spacing, number);
	struct heap_item best = first_of(node);

	drop(spacing, node, thing);
	settle_first(spacing, node, &best);
}

/* wake(spacing, node): those below it whose time has come. */
static void
wake(struct spacing *spacing, struct node *node)
{
	for (;;) {
		struct unit *unit = units_first(&node->waiting);

		if (unit == NULL || unit->ready_ms > spacing->now_ms)
			break;
		wake(spacing, (struct node *)unit);
		spacing_settle(spacing, (struct node *)unit);
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

		if (node->ready.count == 0)
			return node->things.count > 0 ? node : NULL;
		if (node->things.count > 0 &&
		    node->things.items[0].value >= node->ready.items[0].value)
			return node;
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
	    .number = node->things.items[0].number,
	    .value = node->things.items[0].value};
	return true;
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
		budget_spend(&limit->budget, now_ms, 1);
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
	if (find(spacing, top) != NULL)
		return 0;
	if (top->count == 0)
		return -1;
	until_ms = path_ms(spacing, top);
	first = units_first(&top->waiting);
	if (top->things.count == 0 && top->ready.count == 0 && first != NULL &&
	    first->ready_ms > until_ms)
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
