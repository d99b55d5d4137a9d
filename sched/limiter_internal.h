/* Inside the spacing. */
#ifndef FRESHET_LIMITER_INTERNAL_H
#define FRESHET_LIMITER_INTERNAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/budget.h"
#include "sched/heap.h"
#include "sched/later.h"
#include "sched/limiter_nodes.h"
#include "sched/limiter_rivals.h"
#include "sched/positions.h"
#include "sched/price.h"
#include "sched/time_heap.h"

#define LIMITER_NONE UINT32_MAX
#define LIMITER_NEWS 4096

struct limit {
	struct budget budget;
	int64_t hold_ms[LIMITER_HOLDS]; /* until then; INT64_MIN: not at all */
	int64_t gap_ms;
	int64_t sent_ms; /* the last one */
	bool has_sent;
	uint32_t user; /* first of the nodes that have it, or NONE */
	int64_t yield_until_ms; /* a rival gives way until then; INT64_MIN: none
				   does */
	int64_t absent_ms[FAIR_SIDES]; /* when it let its turn pass */
	uint8_t last_side; /* of the last request; RIVALS: none */
	struct price
	    level; /* what its requests go to is worth that, at least */
	size_t asked; /* requests in this tick */
	int64_t free_ms; /* when its budget allows one after the last */
	int64_t bound_ms; /* until then it is what requests wait for */
	bool is_budget; /* somebody set it: what it binds has a price */
	bool is_dry; /* in this tick nothing was worth the level */
	bool is_touched; /* it is among rate limiter->touched */
};

/*
 * A node is in its parent's `ready` when something at it or below it may be
 * sent now, under the value of the best; in its parent's `waiting` under the
 * time when that may become true, or become a better one.  What waits for later
 * has values below 0: the sooner its time, the higher.
 */
struct node {
	struct heap_entry entry; /* first: in parent's waiting */
	uint32_t number;
	uint32_t parent; /* or NONE: the root */
	uint32_t limit;
	uint32_t next_user; /* of the limit, or NONE */
	uint32_t twin; /* or NONE */
	uint8_t side; /* of the two */
	struct positions *positions; /* borrowed; of things, or NULL */
	struct heap items;
	struct later later; /* things that will be worth the level */
	struct heap ready; /* children */
	struct time_heap waiting; /* children */
	size_t count; /* things, here and below, those for later too */
	size_t worth; /* without these */
	bool is_last; /* what waits here comes after all others */
};

struct limiter {
	struct node **nodes; /* owned, and what they point to: units stay */
	struct limit *limits; /* owned */
	struct positions ready; /* of nodes in their parents' ready */
	size_t node_count, node_cap;
	size_t limit_count, limit_cap;
	int64_t now_ms; /* of the last call that said */
	int64_t asked_ms[FAIR_SIDES]; /* when somebody asked for that side */
	uint32_t news[LIMITER_NEWS]; /* the latest, each at its number */
	uint64_t news_count; /* how many there were */
	int64_t base_s; /* times of later are since then */
	size_t ends_remaining; /* of times of later, at now_ms */
	uint32_t *due; /* owned: things whose time has come */
	size_t due_count, due_cap;
	uint32_t *touched; /* owned: limits with news for their level */
	size_t touched_count, touched_cap;
	int64_t tick_ms; /* how finely time counts */
	int64_t began_ms; /* when this tick did */
};

struct node *limiter_get(const struct limiter *, uint32_t number);

/* node_has_any(node): does anything wait that may be sent from there or below
 * it, but for the limit of the node itself? */
static inline bool
node_has_any(const struct node *node)
{
	return node->items.count > 0 || later_count(&node->later) > 0 ||
	    node->ready.count > 0;
}

/* later_value(node): below 0, and lower the later its first thing for later is
 * worth the level; -INFINITY: there is none. */
static inline float
later_value(const struct node *node)
{
	const struct later_item *first = later_first(&node->later);

	return first == NULL ? -INFINITY : -1 - (float)first->from;
}

/* later_ms(rate limiter, node): when it is; there is one. */
static inline int64_t
later_ms(const struct limiter *limiter, const struct node *node)
{
	return (limiter->base_s + node->later.near.items[0].from) * 1000;
}

/* limit_touch(rate limiter, limit): its level has news in this tick. */
void limit_touch(struct limiter *, uint32_t limit);

/* limiter_own_ms(rate limiter, node): when its own limit and hold allow one
 * more, and it gives way to no rival; now_ms or earlier: now. */
int64_t limiter_own_ms(struct limiter *, const struct node *);

/* limiter_hold_ms(rate limiter, node): until when its limit is held for it;
 * INT64_MIN: never. */
int64_t limiter_hold_ms(const struct limiter *, const struct node *);

/* limiter_best_value(node): of what may be sent there or below it; -INFINITY:
 * there is nothing. */
float limiter_best_value(const struct node *);

/* node_update(rate limiter, node): to where it belongs at its parent, and
 * its rival too; node_update_up: and their parents, up to the root. */
void node_update(struct limiter *, struct node *);
void node_update_up(struct limiter *, struct node *);

/* limiter_at(rate limiter, now_ms): it is that time; if it was later before,
 * waits begin anew.  O(nodes) then. */
void limiter_at(struct limiter *, int64_t now_ms);

/* limiter_count_up(rate limiter, number, count, worth): so many more wait at
 * that node and those above it, LIMITER_NONE too, and so many of them not for
 * later; 0 - n: n fewer. */
void limiter_count_up(
    struct limiter *, uint32_t number, size_t count, size_t worth);

/* limiter_add(ms, wait_ms): saturates; wait_ms >= 0. */
int64_t limiter_add(int64_t ms, int64_t wait_ms);

#endif
