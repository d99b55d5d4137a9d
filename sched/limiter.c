/*
 * The rate limiter: see limiter.h and scheduling-formulas.md, "The turn".
 *
 * A node stands in its parent's heap `ready`, ordered by the value of its best
 * item, while something at it or below it may be sent.  It stands in its
 * parent's heap `waiting`, ordered by time, while that may become true later,
 * or while a better item below it becomes ready later.  A request changes the
 * path from one node to the root only.
 */
#include "sched/limiter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/budget.h"
#include "sched/heap.h"

#define LIMITER_NONE UINT32_MAX
/* This value is lower than those of all items for later. */
#define LAST_VALUE (-1e38F)
/* At most this many items for later become due in one call.  So the work after
 * a leap of the clock takes at most a tenth of a second. */
#define ENDS_MOST 65536
/* A twin yields for this long. A client that knows when its turn comes asks
 * earlier than that, since clients count in whole seconds. */
#define PATIENCE_MS 2000
/* There are too many items above the level when they are more than TOO_MANY
 * times the requests of a tick; but MANY_LEAST items may always wait. */
#define TOO_MANY 2
#define MANY_LEAST 64
/* Times above this are as good as never. */
#define MS_MOST 9e18

/* The two sides of a pair of twins: see limiter_pair(). */
enum { FAIR_FIRST, FAIR_SECOND, FAIR_SIDES };

struct limit {
	struct budget budget;
	/* when the holds end; INT64_MIN: there is none */
	int64_t hold_ms[HELD_ALL_KINDS];
	int64_t gap_ms;
	int64_t sent_ms; /* the last request; INT64_MIN: there was none */
	uint32_t user; /* the first node with this limit, or NONE */
	/* until then a twin yields; INT64_MIN: none does */
	int64_t yield_until_ms;
	/* when a turn of that side passed without a client */
	int64_t absent_ms[FAIR_SIDES];
	/* the side of the last request; FAIR_SIDES: there was none */
	uint8_t last_side;
	struct price level; /* about the lowest value that is sent */
	size_t asked; /* requests in this tick */
	int64_t free_ms; /* when the budget allows the next request */
	int64_t bound_ms; /* until then the budget counts as binding */
	bool is_budget; /* a person set it, so it has a price while it binds */
	bool is_dry; /* no request of this tick was worth the level */
	bool is_touched; /* the limit is in limiter->touched */
};

/* The values of items for later are below 0: the earlier the time, the higher
 * the value. */
struct limiter_node {
	uint32_t number;
	uint32_t parent; /* NONE: this node is the root */
	uint32_t limit;
	uint32_t next_user; /* the next node with the same limit, or NONE */
	uint32_t twin; /* the other of two twins, or NONE */
	uint8_t side; /* of the two twins */
	/* borrowed: the positions of items; NULL: no item may wait at the
	 * node */
	struct positions *positions;
	struct heap items;
	/* items whose time has not come, by later_value() */
	struct later later;
	struct heap ready; /* children that may send an item now */
	/* children that may send an item, or a better one, later */
	struct ranking waiting;
	size_t count; /* items at the node and below */
	size_t worth; /* how many of these are no items for later */
	bool is_last; /* the items of the node come after all others */
};

struct limiter {
	/* owned, as is each node; a node never moves in memory */
	struct limiter_node **nodes;
	struct limit *limits; /* owned */
	struct positions ready; /* of nodes in the `ready` of their parents */
	struct positions waiting; /* of nodes in the `waiting` of theirs */
	size_t node_count, node_cap;
	size_t limit_count, limit_cap;
	int64_t now_ms; /* the time of the latest call */
	int64_t asked_ms[FAIR_SIDES]; /* when a client asked for that side */
	/* the times of items for later are seconds after this time */
	int64_t base_s;
	/* how many more items may become due at now_ms */
	size_t ends_remaining;
	uint32_t *due; /* owned: items whose time has come */
	size_t due_count, due_cap;
	uint32_t *touched; /* owned: limits to adjust at the end of the tick */
	size_t touched_count, touched_cap;
	int64_t tick_ms; /* the length of a tick */
	int64_t began_ms; /* the beginning of this tick */
};

static struct limiter_node *
node_at(const struct limiter *limiter, uint32_t number)
{
	assert(number < limiter->node_count);
	return limiter->nodes[number];
}

/* The node above; NULL: this node is the root. */
static struct limiter_node *
node_above(const struct limiter *limiter, const struct limiter_node *node)
{
	return node->parent == LIMITER_NONE ? NULL
					    : limiter->nodes[node->parent];
}

/* node_has_any(node): does any item at the node or below it wait only for
 * the limit of the node itself? */
static bool
node_has_any(const struct limiter_node *node)
{
	return node->items.count > 0 || node->later.near.count > 0 ||
	    node->ready.count > 0;
}

/* The positions of the items of a node, and of nodes in the `ready` of their
 * parents. */
static struct heap_words
item_words(const struct limiter_node *node)
{
	return (struct heap_words){node->positions->items, POSITIONS_QUEUED};
}

/* later_ms(limiter, node): the time of the first item for later, which must
 * exist. */
static int64_t
later_ms(const struct limiter *limiter, const struct limiter_node *node)
{
	return (limiter->base_s +
		   later_after_s(node->later.near.items[0].value)) *
	    1000;
}

static int64_t
add_ms(int64_t ms, int64_t wait_ms)
{
	return ms > INT64_MAX - wait_ms ? INT64_MAX : ms + wait_ms;
}

static int64_t
later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static float
best_value(const struct limiter_node *node)
{
	float value = -INFINITY;

	if (node->items.count > 0)
		value = node->items.items[0].value;
	else if (node->later.near.count > 0)
		value = node->later.near.items[0].value;
	if (node->ready.count > 0 && node->ready.items[0].value > value)
		value = node->ready.items[0].value;
	return node->is_last && value > LAST_VALUE ? LAST_VALUE : value;
}

static int64_t
hold_ms_of(const struct limiter *limiter, const struct limiter_node *node)
{
	const int64_t *hold_ms = limiter->limits[node->limit].hold_ms;
	int64_t ms = hold_ms[HELD_ALL];

	if (node->twin != LIMITER_NONE && node->side != FAIR_FIRST)
		return ms;
	ms = later_of(ms, hold_ms[HELD_PAGES]);
	return later_of(ms, hold_ms[HELD_PAUSE]);
}

/* Fair share between twins. */

/* fair_yield_ms(limiter, node): until when the node yields to its twin;
 * INT64_MIN: it does not. */
static int64_t
fair_yield_ms(struct limiter *limiter, const struct limiter_node *node)
{
	struct limit *limit = &limiter->limits[node->limit];
	const struct limiter_node *twin;

	if (node->twin == LIMITER_NONE)
		return INT64_MIN;
	twin = node_at(limiter, node->twin);
	/* There is no reason to yield to a twin that is held or has nothing,
	 * nor to one whose turn passed without a client, if no client has asked
	 * for its side since then. */
	if (hold_ms_of(limiter, twin) > limiter->now_ms ||
	    !node_has_any(twin) ||
	    limiter->asked_ms[twin->side] <= limit->absent_ms[twin->side])
		return INT64_MIN;
	/* Is it the turn of the node itself? */
	if (node->side == FAIR_SECOND ? limit->last_side != FAIR_SECOND &&
		    best_value(twin) < best_value(node)
				      : limit->last_side == FAIR_SECOND ||
		    best_value(twin) <= best_value(node))
		return INT64_MIN;
	/* Does the limit allow more than one request? */
	if (limit->gap_ms <= 0 &&
	    budget_ready_ms(&limit->budget, limiter->now_ms, 2) <=
		limiter->now_ms)
		return INT64_MIN;
	if (limit->yield_until_ms == INT64_MIN)
		limit->yield_until_ms = add_ms(limiter->now_ms, PATIENCE_MS);
	return limit->yield_until_ms;
}

void
limiter_pair(struct limiter *limiter, uint32_t first, uint32_t second)
{
	struct limiter_node *one = node_at(limiter, first);
	struct limiter_node *other = node_at(limiter, second);

	assert(one->limit == other->limit && first != second);
	one->twin = second;
	one->side = FAIR_FIRST;
	other->twin = first;
	other->side = FAIR_SECOND;
}

/* The place of a node in its parent's heaps. */

/* When the node may send an item: when its limit allows a request, and, if
 * `yields`, not while the node yields to its twin. */
static int64_t
own_ms_of(struct limiter *limiter, const struct limiter_node *node, bool yields)
{
	struct limit *limit = &limiter->limits[node->limit];
	int64_t ms = later_of(hold_ms_of(limiter, node),
	    budget_ready_ms(&limit->budget, limiter->now_ms, 1));

	ms = later_of(ms, add_ms(limit->sent_ms, limit->gap_ms));
	return ms > limiter->now_ms || !yields ? ms
					       : fair_yield_ms(limiter, node);
}

/* waiting_ms(node): when the first of the children that wait is ready;
 * INT64_MAX: there is none. */
static int64_t
waiting_ms(const struct limiter_node *node)
{
	const struct ranking_item *first = ranking_first(&node->waiting);

	return first == NULL || first->key > MS_MOST ? INT64_MAX
						     : (int64_t)first->key;
}

/* node_place(limiter, node): put the node where it belongs in its parent's
 * heaps. */
static void
node_place(struct limiter *limiter, struct limiter_node *node)
{
	struct limiter_node *parent;
	struct heap_item item = {best_value(node), node->number};
	struct heap_words words = {limiter->ready.items, POSITIONS_QUEUED};
	bool has_any = node_has_any(node);
	int64_t own_ms, ready_ms = INT64_MAX, from_ms;

	if (node->parent == LIMITER_NONE)
		return;
	parent = node_at(limiter, node->parent);
	own_ms = own_ms_of(limiter, node, true);
	if (has_any && own_ms <= limiter->now_ms)
		heap_put(&parent->ready, words, item);
	else if (positions_get(&limiter->ready, node->number) !=
	    POSITIONS_NOWHERE)
		heap_remove(&parent->ready, words, node->number);
	/* When may the node have an item, or a better one, to be sent?  Not
	 * before a call that changes it, or when the first child is ready, or
	 * the time of the first item for later comes. */
	if (has_any && own_ms > limiter->now_ms) {
		ready_ms = own_ms;
	} else {
		if (node->waiting.count > 0)
			ready_ms = later_of(own_ms, waiting_ms(node));
		from_ms = node->later.near.count > 0 ? later_ms(limiter, node)
						     : INT64_MAX;
		/* too many items became due in this call: continue in a
		 * millisecond */
		if (from_ms <= limiter->now_ms && limiter->ends_remaining == 0)
			from_ms = limiter->now_ms + 1;
		if (from_ms < ready_ms)
			ready_ms = from_ms;
	}
	if (ready_ms == INT64_MAX)
		ranking_remove(&parent->waiting, node->number);
	else
		ranking_put(&parent->waiting, node->number, (double)ready_ms);
}

static void
node_update(struct limiter *limiter, struct limiter_node *node)
{
	node_place(limiter, node);
	if (node->twin != LIMITER_NONE)
		node_place(limiter, node_at(limiter, node->twin));
}

static void
node_update_up(struct limiter *limiter, struct limiter_node *node)
{
	for (; node != NULL; node = node_above(limiter, node))
		node_update(limiter, node);
}

static void
count_up(struct limiter *limiter, uint32_t number, size_t count, size_t worth)
{
	for (struct limiter_node *node = node_at(limiter, number); node != NULL;
	     node = node_above(limiter, node)) {
		node->count += count;
		node->worth += worth;
	}
}

static void
set_clock(struct limiter *limiter, int64_t now_ms)
{
	if (now_ms <= limiter->now_ms)
		return;
	limiter->now_ms = now_ms;
	limiter->ends_remaining = ENDS_MOST;
}

/* update_users(limiter, limit): the limit has changed; update its nodes. */
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

	assert(number < limiter->limit_count);
	limit = &limiter->limits[number];
	limit->gap_ms = what->gap_ms > 0 ? what->gap_ms : 0;
	limit->is_budget = what->is_budget;
	budget_set(
	    &limit->budget, limiter->now_ms, what->per_hour, what->burst_ms);
	update_users(limiter, limit);
}

uint32_t
limiter_limit(struct limiter *limiter, const struct limiter_limit *what)
{
	struct limit *limit;

	mem_limit(limiter->limit_count, LIMITER_NONE);
	limit = MEM_PUSH(
	    limiter->limits, limiter->limit_count, limiter->limit_cap);
	*limit = (struct limit){.hold_ms = {INT64_MIN, INT64_MIN, INT64_MIN},
	    .sent_ms = INT64_MIN,
	    .user = LIMITER_NONE,
	    .bound_ms = INT64_MIN,
	    .yield_until_ms = INT64_MIN,
	    .absent_ms = {INT64_MIN, INT64_MIN},
	    .last_side = FAIR_SIDES};
	price_init(&limit->level, PRICE_MIN);
	limiter_set_limit(limiter, (uint32_t)limiter->limit_count - 1, what);
	return (uint32_t)limiter->limit_count - 1;
}

void
limiter_spend_limit(
    struct limiter *limiter, int64_t now_ms, uint32_t number, double requests)
{
	assert(number < limiter->limit_count);
	set_clock(limiter, now_ms);
	budget_spend(&limiter->limits[number].budget, now_ms, requests);
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

int64_t
limiter_held_ms(
    const struct limiter *limiter, uint32_t number, enum held_kind kind)
{
	return limiter->limits[node_at(limiter, number)->limit].hold_ms[kind];
}

void
limiter_hold(struct limiter *limiter, uint32_t number, enum held_kind kind,
    int64_t until_ms)
{
	struct limit *limit = &limiter->limits[node_at(limiter, number)->limit];

	limit->hold_ms[kind] = until_ms == INT64_MIN
	    ? INT64_MIN
	    : later_of(limit->hold_ms[kind], until_ms);
	update_users(limiter, limit);
}

/* Nodes. */

uint32_t
limiter_node(struct limiter *limiter, uint32_t parent, uint32_t limit,
    struct positions *positions)
{
	struct limiter_node *node = mem_zero(sizeof(*node));

	mem_limit(limiter->node_count, LIMITER_NONE);
	assert(limit < limiter->limit_count);
	assert(parent < limiter->node_count || limiter->node_count == 0);
	*node = (struct limiter_node){.number = (uint32_t)limiter->node_count,
	    .parent = parent,
	    .limit = limit,
	    .next_user = limiter->limits[limit].user,
	    .twin = LIMITER_NONE,
	    .positions = positions};
	node->waiting.positions = &limiter->waiting;
	limiter->limits[limit].user = node->number;
	(void)positions_at(&limiter->ready, node->number);
	*MEM_PUSH(
	    limiter->nodes, limiter->node_count, limiter->node_cap) = node;
	return node->number;
}

void
limiter_move(struct limiter *limiter, uint32_t number, uint32_t parent)
{
	struct limiter_node *node = node_at(limiter, number);
	struct limiter_node *old;

	assert(number != LIMITER_ROOT && parent < limiter->node_count);
	for (uint32_t n = parent; n != LIMITER_NONE;
	     n = limiter->nodes[n]->parent)
		assert(n != number);
	old = node_at(limiter, node->parent);
	if (positions_get(&limiter->ready, number) != POSITIONS_NOWHERE)
		heap_remove(&old->ready,
		    (struct heap_words){limiter->ready.items, POSITIONS_QUEUED},
		    number);
	ranking_remove(&old->waiting, number);
	count_up(limiter, node->parent, 0 - node->count, 0 - node->worth);
	node_update_up(limiter, old);
	node->parent = parent;
	count_up(limiter, parent, node->count, node->worth);
	node_update_up(limiter, node);
}

void
limiter_set_last(struct limiter *limiter, uint32_t number, bool is_last)
{
	struct limiter_node *node = node_at(limiter, number);

	if (node->is_last == is_last)
		return;
	node->is_last = is_last;
	node_update_up(limiter, node);
}

struct limiter *
limiter_new(const struct limiter_limit *limit, int64_t tick_s)
{
	struct limiter *limiter = mem_zero(sizeof(*limiter));

	limiter->tick_ms = tick_s * 1000;
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
		heap_release(&limiter->nodes[i]->later.near);
		heap_release(&limiter->nodes[i]->later.far);
		heap_release(&limiter->nodes[i]->ready);
		ranking_release(&limiter->nodes[i]->waiting);
		free(limiter->nodes[i]);
	}
	free(limiter->nodes);
	free(limiter->limits);
	free(limiter->due);
	free(limiter->touched);
	free(limiter->ready.items);
	free(limiter->waiting.items);
	free(limiter);
}

/* Items. */

static struct heap_item
limiter_first_of(const struct limiter_node *node)
{
	const struct heap *heap = node->items.count > 0 ? &node->items
							: &node->later.near;

	return heap->count > 0 ? heap->items[0]
			       : (struct heap_item){-INFINITY, UINT32_MAX};
}

/* update_first(limiter, node, was): update the nodes above if the node's best
 * item is not `was` any more, which is rare. */
static void
update_first(struct limiter *limiter, struct limiter_node *node,
    const struct heap_item *was)
{
	struct heap_item now = limiter_first_of(node);

	if (now.number != was->number || now.value < was->value ||
	    now.value > was->value)
		node_update_up(limiter, node);
}

void
limiter_put(struct limiter *limiter, const struct limiter_choice *choice)
{
	struct limiter_node *node = node_at(limiter, choice->node);
	struct heap_item item = {choice->value, choice->number}, best;
	bool is_new;

	assert(node->positions != NULL);
	if (!(item.value >= 0))
		item.value = 0;
	is_new = *positions_at(node->positions, choice->number) ==
	    POSITIONS_NOWHERE;
	best = limiter_first_of(node);
	if (is_new) {
		count_up(limiter, choice->node, 1, 1);
	} else if (!heap_has(&node->items, item_words(node), choice->number)) {
		/* An item that waits, but not among these, is for later. */
		later_remove(&node->later, item_words(node), choice->number);
		count_up(limiter, choice->node, 0, 1);
	}
	heap_put(&node->items, item_words(node), item);
	update_first(limiter, node, &best);
}

void
limiter_put_later(struct limiter *limiter, const struct limiter_choice *choice,
    int64_t from_s)
{
	struct limiter_node *node = node_at(limiter, choice->node);
	struct heap_item best, item = {.number = choice->number};
	uint32_t first = UINT32_MAX;
	int64_t from = from_s - limiter->base_s;

	assert(node->positions != NULL);
	item.value = later_value(from < 0 ? 0
		: from > LATER_MOST       ? LATER_MOST
					  : from);
	best = limiter_first_of(node);
	if (node->later.near.count > 0)
		first = node->later.near.items[0].number;
	if (*positions_at(node->positions, choice->number) ==
	    POSITIONS_NOWHERE) {
		count_up(limiter, choice->node, 1, 0);
	} else if (heap_has(&node->items, item_words(node), choice->number)) {
		heap_remove(&node->items, item_words(node), choice->number);
		count_up(limiter, choice->node, 0, (size_t)0 - 1);
	}
	later_put(&node->later, item_words(node), item);
	/* the node's next time has changed */
	if (node->later.near.items[0].number != first)
		node_update_up(limiter, node);
	else
		update_first(limiter, node, &best);
}

/* limiter_drop(limiter, node, number): take the item out of its heaps. */
static void
limiter_drop(
    struct limiter *limiter, struct limiter_node *node, uint32_t number)
{
	bool was_later;

	assert(positions_get(node->positions, number) >= POSITIONS_QUEUED);
	was_later = !heap_has(&node->items, item_words(node), number);
	if (was_later)
		later_remove(&node->later, item_words(node), number);
	else
		heap_remove(&node->items, item_words(node), number);
	count_up(limiter, node->number, (size_t)0 - 1,
	    was_later ? 0 : (size_t)0 - 1);
}

void
limiter_remove(struct limiter *limiter, uint32_t number, uint32_t item)
{
	struct limiter_node *node = node_at(limiter, number);
	struct heap_item best = limiter_first_of(node);

	limiter_drop(limiter, node, item);
	update_first(limiter, node, &best);
}

size_t
limiter_take_later(
    struct limiter *limiter, uint32_t number, uint32_t *items, size_t max)
{
	struct limiter_node *node = node_at(limiter, number);
	size_t n = 0;

	for (; n < max && node->later.near.count > 0; n++) {
		items[n] = node->later.near.items[0].number;
		limiter_drop(limiter, node, items[n]);
	}
	if (n > 0)
		node_update_up(limiter, node);
	return n;
}

size_t
limiter_first(
    const struct limiter *limiter, uint32_t number, uint32_t *items, size_t max)
{
	const struct heap *heap = &node_at(limiter, number)->items;
	size_t n = 0;

	for (; n < max && n < heap->count; n++)
		items[n] = heap->items[n].number;
	return n;
}

void
limiter_begin(struct limiter *limiter, int64_t now_s)
{
	limiter->base_s = now_s;
}

size_t
limiter_take_due(struct limiter *limiter, uint32_t *items, size_t max)
{
	size_t n = 0;

	while (n < max && limiter->due_count > 0)
		items[n++] = limiter->due[--limiter->due_count];
	return n;
}

/* The turn. */

/* limiter_wake(limiter, node): update the nodes below `node` whose time has
 * come. */
static void
limiter_wake(struct limiter *limiter, struct limiter_node *node)
{
	while (node->waiting.count > 0 && waiting_ms(node) <= limiter->now_ms) {
		struct limiter_node *child = node_at(
		    limiter, ranking_first(&node->waiting)->number);

		limiter_wake(limiter, child);
		if (own_ms_of(limiter, child, true) <= limiter->now_ms) {
			/* All items whose time has come become due, as long as
			 * ends_remaining allows. */
			while (limiter->ends_remaining > 0 &&
			    child->later.near.count > 0 &&
			    later_ms(limiter, child) <= limiter->now_ms) {
				uint32_t item = child->later.near.items[0]
						    .number;

				*MEM_PUSH(limiter->due, limiter->due_count,
				    limiter->due_cap) = item;
				limiter_drop(limiter, child, item);
				limiter->ends_remaining--;
			}
		}
		node_update(limiter, child);
	}
}

/* path_ms(limiter, top, yields): when the node and all nodes above allow a
 * request. */
static int64_t
path_ms(struct limiter *limiter, const struct limiter_node *top, bool yields)
{
	int64_t ms = INT64_MIN;

	for (; top != NULL; top = node_above(limiter, top))
		ms = later_of(ms, own_ms_of(limiter, top, yields));
	return ms;
}

/* limiter_find(limiter, top): the node at `top` or below whose first item is
 * the best that may be sent, or NULL.  A node on the way may have lost its
 * turn, because other nodes share its limit; the function then updates that
 * node and begins again. */
static struct limiter_node *
limiter_find(struct limiter *limiter, struct limiter_node *top)
{
	struct limiter_node *node = top;

	if (path_ms(limiter, top, true) > limiter->now_ms)
		return NULL;
	for (;;) {
		struct limiter_node *child;

		if (node->ready.count == 0 ||
		    limiter_first_of(node).value >= node->ready.items[0].value)
			return limiter_first_of(node).number != UINT32_MAX
			    ? node
			    : NULL;
		child = limiter->nodes[node->ready.items[0].number];
		if (own_ms_of(limiter, child, true) > limiter->now_ms) {
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
	struct limiter_node *node = node_at(limiter, number);

	set_clock(limiter, now_ms);
	for (int side = 0; side < FAIR_SIDES; side++)
		if (node->twin == LIMITER_NONE || node->side == side)
			limiter->asked_ms[side] = limiter->now_ms;
	limiter_wake(limiter, limiter->nodes[LIMITER_ROOT]);
	node = limiter_find(limiter, node);
	if (node == NULL)
		return false;
	*choice = (struct limiter_choice){.node = node->number,
	    .number = limiter_first_of(node).number,
	    .value = limiter_first_of(node).value,
	    .is_later = node->items.count == 0};
	return true;
}

void
limiter_send(struct limiter *limiter, int64_t now_ms,
    const struct limiter_choice *choice)
{
	struct limiter_node *node = node_at(limiter, choice->node);

	set_clock(limiter, now_ms);
	limiter_drop(limiter, node, choice->number);
	for (; node != NULL; node = node_above(limiter, node)) {
		struct limit *limit = &limiter->limits[node->limit];
		/* A request that is sent as soon as the budget allows one again
		 * had to wait for the budget, so the budget binds. */
		bool has_waited = limit->free_ms > INT64_MIN &&
		    limiter->now_ms <=
			add_ms(limit->free_ms, 2 * limiter->tick_ms);

		limit->sent_ms = now_ms;
		budget_spend(&limit->budget, limiter->now_ms, 1);
		limit->asked++;
		limit->free_ms = limit->is_budget
		    ? budget_ready_ms(&limit->budget, limiter->now_ms, 1)
		    : INT64_MIN;
		if (limit->free_ms <= limiter->now_ms)
			limit->free_ms = INT64_MIN;
		else if (has_waited)
			limit->bound_ms = add_ms(
			    limit->free_ms, 2 * limiter->tick_ms);
		if (node->twin != LIMITER_NONE) {
			/* The node yielded, and no client came for its twin. */
			if (limit->yield_until_ms != INT64_MIN &&
			    limit->yield_until_ms <= limiter->now_ms)
				limit->absent_ms[FAIR_SIDES - 1 - node->side] =
				    limiter->now_ms;
			limit->yield_until_ms = INT64_MIN;
			limit->last_side = node->side;
		}

		node_update(limiter, node);
	}
}

void
limiter_spend(
    struct limiter *limiter, int64_t now_ms, uint32_t number, double requests)
{
	set_clock(limiter, now_ms);
	for (struct limiter_node *node = node_at(limiter, number); node != NULL;
	     node = node_above(limiter, node)) {
		budget_spend(
		    &limiter->limits[node->limit].budget, now_ms, requests);
		node_update(limiter, node);
	}
}

void
limiter_fill(struct limiter *limiter, int64_t at_ms, uint32_t number)
{
	for (const struct limiter_node *node = node_at(limiter, number);
	     node != NULL; node = node_above(limiter, node))
		budget_fill(&limiter->limits[node->limit].budget, at_ms, 1);
}

void
limiter_filled(struct limiter *limiter, int64_t now_ms)
{
	set_clock(limiter, now_ms);
	for (size_t i = 0; i < limiter->node_count; i++)
		node_update_up(limiter, limiter->nodes[i]);
}

int64_t
limiter_wait_ms(struct limiter *limiter, int64_t now_ms, uint32_t number)
{
	struct limiter_node *top = node_at(limiter, number);
	int64_t until_ms;
	uint64_t wait_ms;

	set_clock(limiter, now_ms);
	limiter_wake(limiter, limiter->nodes[LIMITER_ROOT]);
	if (limiter->due_count > 0 || limiter_find(limiter, top) != NULL)
		return 0;
	if (top->count == 0)
		return -1;
	until_ms = path_ms(limiter, top, true);
	if (!node_has_any(top) && top->waiting.count > 0)
		until_ms = later_of(until_ms, waiting_ms(top));
	wait_ms = (uint64_t)until_ms - (uint64_t)now_ms;
	return wait_ms < INT64_MAX ? (int64_t)wait_ms : INT64_MAX;
}

int64_t
limiter_ready_ms(struct limiter *limiter, int64_t now_ms, uint32_t number)
{
	set_clock(limiter, now_ms);
	/* Whether a node yields to its twin is not asked here: the answer would
	 * begin the time for which it yields, although nobody wants an item. */
	return path_ms(limiter, node_at(limiter, number), false);
}

/* Levels. */

double
limiter_level(const struct limiter *limiter, int64_t now_ms, uint32_t number,
    double *price)
{
	double level = PRICE_MIN, binding = 0;

	for (const struct limiter_node *node = node_at(limiter, number);
	     node != NULL; node = node_above(limiter, node)) {
		const struct limit *limit = &limiter->limits[node->limit];
		double own = limit->level.value;

		level = own > level ? own : level;
		if (limit->is_budget && limit->bound_ms > now_ms &&
		    own > binding)
			binding = own;
	}
	if (price != NULL)
		*price = binding;
	return level;
}

void
limiter_accept(struct limiter *limiter, uint32_t number, double value)
{
	for (const struct limiter_node *node = node_at(limiter, number);
	     node != NULL; node = node_above(limiter, node)) {
		struct limit *limit = &limiter->limits[node->limit];

		if (value < 0)
			limit->is_dry = true;
		else
			price_accept(&limit->level, value);
		/* The end of the tick adjusts the level. */
		if (limit->is_touched)
			continue;
		limit->is_touched = true;
		*MEM_PUSH(limiter->touched, limiter->touched_count,
		    limiter->touched_cap) = node->limit;
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
limiter_end_tick(struct limiter *limiter, int64_t now_ms)
{
	for (size_t i = 0; i < limiter->touched_count; i++) {
		struct limit *limit = &limiter->limits[limiter->touched[i]];
		size_t many = TOO_MANY * limit->asked, worth = 0;

		/* Count the items at the nodes of the limit that are not for
		 * later; of sides for which no client asked in this tick,
		 * none. */
		for (uint32_t user = limit->user; user != LIMITER_NONE;) {
			const struct limiter_node *node = node_at(
			    limiter, user);

			if (node->twin == LIMITER_NONE ||
			    limiter->asked_ms[node->side] >= limiter->began_ms)
				worth += node->worth;
			user = node->next_user;
		}
		price_tick(&limit->level,
		    &(struct price_tick){.is_dry = limit->is_dry,
			.waiting = worth,
			.too_many = many > MANY_LEAST ? many : MANY_LEAST});
		limit->is_dry = limit->is_touched = false;
		limit->asked = 0;
	}
	limiter->touched_count = 0;
	limiter->began_ms = now_ms;
}
