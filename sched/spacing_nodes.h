/* The nodes of the spacing, and what limits them: see spacing.h. */
#ifndef FRESHET_SPACING_NODES_H
#define FRESHET_SPACING_NODES_H

#include <stdbool.h>
#include <stdint.h>

struct budget;
struct places;
struct spacing;

/* As of sched/budget.h. */
typedef void spacing_spend_fn(struct budget *, int64_t now_ms, double requests);

struct spacing_limit {
	int64_t gap_ms; /* between two requests; 0: none */
	double per_hour; /* requests; 0: any number (sched/budget.h) */
	int64_t burst_ms; /* what this brings may be spent at once */
	bool is_budget; /* per_hour is what somebody allows: it has a price
			 * while it binds (spacing_price) */
};

/* spacing_limit(spacing, limit): its number, for any nodes: those that have
 * it keep it together.  The root's is 0. */
uint32_t spacing_limit(struct spacing *, const struct spacing_limit *);

/* spacing_set_limit(spacing, limit, what): what it says from now on; what was
 * spent and the last request count.  O(log n) for each node that has it. */
void spacing_set_limit(
    struct spacing *, uint32_t limit, const struct spacing_limit *);

/* spacing_spend_limit(spacing, now_ms, limit, spend, requests): as
 * spacing_spend, of that limit alone.  spacing_left(spacing, now_ms, limit):
 * how many requests its budget allows at once, below 0 too; INFINITY: any
 * number. */
void spacing_spend_limit(struct spacing *, int64_t now_ms, uint32_t limit,
    spacing_spend_fn *, double requests);
double spacing_left(const struct spacing *, int64_t now_ms, uint32_t limit);

/* spacing_node(spacing, parent, limit, places): a new node.  places has the
 * words of the numbers that wait at it, and is borrowed; NULL: none do. */
uint32_t spacing_node(
    struct spacing *, uint32_t parent, uint32_t limit, struct places *);

/* spacing_set_last(spacing, node, is_last): what waits at it, or below it,
 * comes after all else that may be sent. */
void spacing_set_last(struct spacing *, uint32_t node, bool is_last);

/* spacing_move(spacing, node, parent): with all that is below it, to another
 * parent, which is not below it. */
void spacing_move(struct spacing *, uint32_t node, uint32_t parent);

/* Holds of a limit; each is over by itself.  Those of the first side leave the
 * second of two rivals alone (spacing_rivals.h), and hold both where there are
 * none. */
enum spacing_hold_kind {
	SPACING_HOLD_ALL,
	SPACING_HOLD_FIRST,
	SPACING_HOLD_PAUSE, /* of the first side, too */
	SPACING_HOLDS
};

/* spacing_hold(spacing, node, kind, until_ms): nothing of it or below it before
 * that, nor of other nodes that have its limit; a hold until later stays. */
void spacing_hold(
    struct spacing *, uint32_t node, enum spacing_hold_kind, int64_t until_ms);

/* spacing_unhold(spacing, node, kind): no hold of that kind stands any more. */
void spacing_unhold(struct spacing *, uint32_t node, enum spacing_hold_kind);

/* spacing_rewind(spacing, was_ms, now_ms): the clock was put back from was_ms,
 * which only holds were told of: they last as long as they would have. */
void spacing_rewind(struct spacing *, int64_t was_ms, int64_t now_ms);

/* spacing_held_ms(spacing, node, kind): until when it is held so; INT64_MIN: it
 * never was. */
int64_t spacing_held_ms(
    const struct spacing *, uint32_t node, enum spacing_hold_kind);

#endif
