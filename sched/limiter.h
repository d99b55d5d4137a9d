/*
 * The rate limiter: of all items that are due (pages, documents), the one of
 * the highest value whose host and tag allow a request now.
 *
 * Nodes form a tree below one root: tags and hosts, in the order that the
 * caller chooses.  An item waits at a node and has a value.  Each node has a
 * limit, and a request for an item counts against the limits of its node and of
 * all nodes above.  Nodes may share a limit.
 *
 * All times are milliseconds of one clock, given by the caller; when the clock
 * is put back, waits begin anew.  Unless a comment says otherwise, a call costs
 * O(log n), n being nodes and items, for each level of the tree.
 */
#ifndef FRESHET_LIMITER_H
#define FRESHET_LIMITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/host_table.h"

struct limiter;
struct positions;

struct limiter_limit {
	int64_t gap_ms; /* between two requests; 0: none */
	double per_hour; /* requests; 0: any number (sched/budget.h) */
	/* requests that the rate allows in this time may be made at once */
	int64_t burst_ms;
	/* a person set per_hour, so it has a price while it binds */
	bool is_budget;
};

enum { LIMITER_ROOT = 0 }; /* the number of the root node */

/* limiter_new(limit, tick_s): a rate limiter whose root has that limit; tick_s
 * is the length of a tick (limiter_end_tick). */
struct limiter *limiter_new(const struct limiter_limit *, int64_t tick_s);
void limiter_free(struct limiter *);

/* limiter_limit(limiter, limit): add a limit; returns its number.  Nodes that
 * are given the same number share the limit.  The root's is number 0. */
uint32_t limiter_limit(struct limiter *, const struct limiter_limit *);

/* limiter_set_limit(limiter, number, limit): change a limit from now on.
 * Requests that were made before still count.  O(log n) for each node that has
 * the limit. */
void limiter_set_limit(
    struct limiter *, uint32_t number, const struct limiter_limit *);

/* limiter_spend(limiter, now_ms, node, requests): Charge the budgets of the
 * node's limit and of all limits above: a request cost that much more than the
 * one that was counted.  Below 0: that many of the requests just sent were not
 * made after all.  Gaps between requests stay as they are. */
void limiter_spend(
    struct limiter *, int64_t now_ms, uint32_t node, double requests);

/* limiter_spend_limit(limiter, now_ms, limit, requests): likewise, but of one
 * limit alone. */
void limiter_spend_limit(
    struct limiter *, int64_t now_ms, uint32_t limit, double requests);

/* limiter_fill(limiter, at_ms, node): a request at the node was sent at that
 * time, perhaps under other limits; it fills the budgets at most up to their
 * ceilings.  limiter_filled(limiter, now_ms): the last of these calls was made:
 * look again when nodes may send. */
void limiter_fill(struct limiter *, int64_t at_ms, uint32_t node);
void limiter_filled(struct limiter *, int64_t now_ms);

/* limiter_remaining(limiter, now_ms, limit): how many requests the budget
 * allows at once; below 0 when more requests were made than it allows;
 * INFINITY when the limit has no rate. */
double limiter_remaining(
    const struct limiter *, int64_t now_ms, uint32_t limit);

/* A hold forbids requests until a time, and then ends by itself.  A limit has
 * one hold of each kind.  Of two twins (limiter_pair), HELD_PAGES and
 * HELD_PAUSE stop only the first one; a node without a twin obeys all kinds. */

/* limiter_hold(limiter, node, kind, until_ms): hold the limit of the node, and
 * so all nodes that share it and those below.  A hold that ends later stays.
 * INT64_MIN: end that hold. */
void limiter_hold(
    struct limiter *, uint32_t node, enum held_kind, int64_t until_ms);

/* limiter_held_ms(limiter, node, kind): the end of that hold, perhaps in the
 * past; INT64_MIN: there never was one. */
int64_t limiter_held_ms(const struct limiter *, uint32_t node, enum held_kind);

/* limiter_node(limiter, parent, limit, positions): a new node.  positions,
 * which is borrowed, records where items are; NULL: no item ever waits here. */
uint32_t limiter_node(
    struct limiter *, uint32_t parent, uint32_t limit, struct positions *);

/* limiter_move(limiter, node, parent): put the node, with all that is below it,
 * under another parent, which must not be below it. */
void limiter_move(struct limiter *, uint32_t node, uint32_t parent);

/* limiter_set_last(limiter, node, is_last): items at the node or below it come
 * after all others that may be sent. */
void limiter_set_last(struct limiter *, uint32_t node, bool is_last);

/* limiter_pair(limiter, first, second): Make two nodes of one limit twins:
 * nodes whose items different clients ask for, and which get a fair share of
 * the limit.  While the limit allows one request only, the twin with the less
 * valuable best item yields to the other, for two seconds at most, because the
 * other's client may be busy or gone.  Where items wait at both, the second
 * twin gets every other request at most.  The parents of twins are twins too,
 * or the same node. */
void limiter_pair(struct limiter *, uint32_t first, uint32_t second);

struct limiter_choice {
	uint32_t node;
	uint32_t number;
	float value; /* 0 or more */
	bool is_later; /* set by limiter_best: only items for later are left */
};

/* limiter_put(limiter, choice): The item waits at the node, with that value; an
 * item that waits there already gets the value.  The node has positions, and
 * the item is in no other queue that shares them.  NaN and values below 0 count
 * as 0. */
void limiter_put(struct limiter *, const struct limiter_choice *);

/* limiter_put_later(limiter, choice, from_s): the item waits at the node until
 * from_s, when limiter_take_due returns it.  Before that it is chosen only when
 * no other item may be sent; the item with the earliest time goes first. */
void limiter_put_later(
    struct limiter *, const struct limiter_choice *, int64_t from_s);

/* limiter_remove(limiter, node, number): take the item away from the node,
 * where it must wait. */
void limiter_remove(struct limiter *, uint32_t node, uint32_t number);

/* limiter_best(limiter, now_ms, node, choice): find the best item at the node
 * or below it that may be sent now; the item stays.  Returns false when there
 * is none. */
bool limiter_best(
    struct limiter *, int64_t now_ms, uint32_t node, struct limiter_choice *);

/* limiter_send(limiter, now_ms, choice): count a request for the item against
 * the limits of its node and of all nodes above, and take the item away. */
void limiter_send(
    struct limiter *, int64_t now_ms, const struct limiter_choice *);

/* limiter_wait_ms(limiter, now_ms, node): for how long limiter_best will fail
 * if nothing else happens; most often it succeeds then.  0: it succeeds now, or
 * limiter_take_due has items; -1: nothing waits. */
int64_t limiter_wait_ms(struct limiter *, int64_t now_ms, uint32_t node);

/* limiter_ready_ms(limiter, now_ms, node): when the limits of the node and of
 * all nodes above allow a request, whether or not an item waits; now_ms or
 * earlier: now. */
int64_t limiter_ready_ms(struct limiter *, int64_t now_ms, uint32_t node);

/* limiter_first(limiter, node, items, max): write up to max numbers of items
 * that wait at the node itself: the best one first, then some that follow soon.
 * Returns how many. */
size_t limiter_first(
    const struct limiter *, uint32_t node, uint32_t *items, size_t max);

/* limiter_take_later(limiter, node, items, max): take away up to max items that
 * wait for later at the node itself, in the order of times; returns how many.
 */
size_t limiter_take_later(
    struct limiter *, uint32_t node, uint32_t *items, size_t max);

/* limiter_take_due(limiter, items, max): take up to max items whose time came
 * in limiter_best or limiter_wait_ms; returns how many.  They wait nowhere: the
 * caller puts them again. */
size_t limiter_take_due(struct limiter *, uint32_t *items, size_t max);

/* limiter_begin(limiter, now_s): the clock begins; nothing waits yet. */
void limiter_begin(struct limiter *, int64_t now_s);

/*
 * Levels (scheduling-formulas.md, "Levels and the price").
 *
 * The level of a limit is about the lowest value among the items that were
 * sent under it.  It says when an item is worth another evaluation, and refuses
 * nothing: items below the level are sent when no others may be.  The level of
 * a budget that binds is its price.
 */

/* limiter_end_tick(limiter, now_ms): adjust all levels to what was sent since
 * the call before. */
void limiter_end_tick(struct limiter *, int64_t now_ms);

/* limiter_level(limiter, now_ms, node, price): the highest level among the
 * limits of the node and of all nodes above.  *price, unless NULL, is likewise,
 * among budgets that bind; 0: none does. */
double limiter_level(
    const struct limiter *, int64_t now_ms, uint32_t node, double *price);

/* limiter_accept(limiter, node, value): an item of that value is sent from the
 * node.  Below 0: only items below the level were there to be sent. */
void limiter_accept(struct limiter *, uint32_t node, double value);

/* limiter_set_level(limiter, limit, level): the first guess of a level. */
void limiter_set_level(struct limiter *, uint32_t limit, double level);

#endif
