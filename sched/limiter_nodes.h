/* The nodes of the rate limiter, and what limits them: see spacing.h. */
#ifndef FRESHET_LIMITER_NODES_H
#define FRESHET_LIMITER_NODES_H

#include <stdbool.h>
#include <stdint.h>

struct budget;
struct positions;
struct limiter;

/* As of sched/budget.h. */
typedef void limiter_spend_fn(struct budget *, int64_t now_ms, double requests);

struct limiter_limit {
	int64_t gap_ms; /* between two requests; 0: none */
	double per_hour; /* requests; 0: any number (sched/budget.h) */
	int64_t burst_ms; /* what this brings may be spent at once */
	bool is_budget; /* per_hour is what somebody allows: it has a price
			 * while it binds (limiter_price) */
};

/* limiter_limit(rate limiter, limit): its number, for any nodes: those that
 * have it keep it together.  The root's is 0. */
uint32_t limiter_limit(struct limiter *, const struct limiter_limit *);

/* limiter_set_limit(rate limiter, limit, what): what it says from now on; what
 * was spent and the last request count.  O(log n) for each node that has it. */
void limiter_set_limit(
    struct limiter *, uint32_t limit, const struct limiter_limit *);

/* limiter_spend_limit(rate limiter, now_ms, limit, spend, requests): as
 * limiter_spend, of that limit alone.  limiter_remaining(rate limiter, now_ms,
 * limit): how many requests its budget allows at once, below 0 too; INFINITY:
 * any number. */
void limiter_spend_limit(struct limiter *, int64_t now_ms, uint32_t limit,
    limiter_spend_fn *, double requests);
double limiter_remaining(
    const struct limiter *, int64_t now_ms, uint32_t limit);

/* limiter_node(rate limiter, parent, limit, places): a new node.  places has
 * the words of the numbers that wait at it, and is borrowed; NULL: none do. */
uint32_t limiter_node(
    struct limiter *, uint32_t parent, uint32_t limit, struct positions *);

/* limiter_set_last(rate limiter, node, is_last): what waits at it, or below it,
 * comes after all else that may be sent. */
void limiter_set_last(struct limiter *, uint32_t node, bool is_last);

/* limiter_move(rate limiter, node, parent): with all that is below it, to
 * another parent, which is not below it. */
void limiter_move(struct limiter *, uint32_t node, uint32_t parent);

/* Holds of a limit; each is over by itself.  Those of the first side leave the
 * second of two rivals alone (limiter_pair.h), and hold both where there are
 * none. */
enum limiter_hold_kind {
	LIMITER_HOLD_ALL,
	LIMITER_HOLD_FIRST,
	LIMITER_HOLD_PAUSE, /* of the first side, too */
	LIMITER_HOLDS
};

/* limiter_hold(rate limiter, node, kind, until_ms): nothing of it or below it
 * before that, nor of other nodes that have its limit; a hold until later
 * stays. */
void limiter_hold(
    struct limiter *, uint32_t node, enum limiter_hold_kind, int64_t until_ms);

/* limiter_unhold(rate limiter, node, kind): no hold of that kind stands any
 * more. */
void limiter_unhold(struct limiter *, uint32_t node, enum limiter_hold_kind);

/* limiter_rewind(rate limiter, was_ms, now_ms): the clock was put back from
 * was_ms, which only holds were told of: they last as long as they would have.
 */
void limiter_rewind(struct limiter *, int64_t was_ms, int64_t now_ms);

/* limiter_held_ms(rate limiter, node, kind): until when it is held so;
 * INT64_MIN: it never was. */
int64_t limiter_held_ms(
    const struct limiter *, uint32_t node, enum limiter_hold_kind);

#endif
