/*
 * Whose turn it is: of all things that are due (pages, documents) the one of
 * the highest value whose host, address and tag may be asked for it now.
 *
 * Nodes form a tree: the root, tags, addresses, hosts, as the caller likes.
 * Things wait at a node, with a value.  Each node has a limit that requests of
 * all that is below it keep.  All times are milliseconds of one clock, given
 * by the caller; if it is put back, waits begin anew.  Every call is O(log n)
 * in the nodes and things, per level of the tree, unless it says otherwise.
 */
#ifndef FRESHET_LIMITER_H
#define FRESHET_LIMITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/limiter_nodes.h"

struct positions;
struct limiter;

enum { LIMITER_ROOT = 0 }; /* a node */

/* limiter_new(limit): with a root of that limit; nothing waits. */
struct limiter *limiter_new(const struct limiter_limit *);
void limiter_free(struct limiter *);

struct limiter_choice {
	uint32_t node;
	uint32_t number;
	float value; /* 0 or more */
	bool is_later; /* set by limiter_best: nothing else may be sent */
};

/*
 * limiter_put(rate limiter, choice): the thing of that number waits at the
 * node, which has places; already there, it has that value from now on.  It
 * must be nowhere else that these places tell of.  NaN, and what is below, is
 * 0.
 *
 * limiter_put_later(rate limiter, choice, from_s): it waits there, until it is
 * due (limiter_take_due); sooner it is the best only when nothing may be sent
 * that was put otherwise, and then those come first whose time is the next.
 */
void limiter_put(struct limiter *, const struct limiter_choice *);
void limiter_put_later(
    struct limiter *, const struct limiter_choice *, int64_t from_s);

/* limiter_remove(rate limiter, node, number): it waits no more; it must wait at
 * that node. */
void limiter_remove(struct limiter *, uint32_t node, uint32_t number);

/* limiter_best(rate limiter, now_ms, node, *choice): the best of all at that
 * node or below it whose turn it may be now; it goes on waiting.  False when
 * there is none. */
bool limiter_best(
    struct limiter *, int64_t now_ms, uint32_t node, struct limiter_choice *);

/* limiter_send(rate limiter, now_ms, choice): a request is made for it, which
 * counts against the limits of its node and all above; it waits no more. */
void limiter_send(
    struct limiter *, int64_t now_ms, const struct limiter_choice *);

/*
 * limiter_spend(rate limiter, now_ms, node, spend, requests): the budgets of
 * its limit, and of those above it, are told so. budget_spend: what was sent
 * from there cost so much more than the request that was counted, for a host
 * counts requests. budget_fill: so many were sent from there before, under
 * limits that may have been others: they fill those of now, and no more.
 * budget_return: so many that were just sent were not made after all.
 */
void limiter_spend(struct limiter *, int64_t now_ms, uint32_t node,
    limiter_spend_fn *, double requests);

/* limiter_wait_ms(rate limiter, now_ms, node): limiter_best says no for so long
 * if nothing else happens, and then most often yes; 0: yes now, or something is
 * due; -1: nothing waits there. */
int64_t limiter_wait_ms(struct limiter *, int64_t now_ms, uint32_t node);

/* limiter_ready_ms(rate limiter, now_ms, node): when its limit and those above
 * it allow a request, whatever waits there; now_ms or earlier: now. */
int64_t limiter_ready_ms(struct limiter *, int64_t now_ms, uint32_t node);

/* limiter_count(rate limiter, node): how many wait at it and below it; O(1). */
size_t limiter_count(const struct limiter *, uint32_t node);

/* limiter_first(rate limiter, node, things, max): up to so many of those that
 * wait at it itself, the best first and the next few behind it; returns how
 * many. */
size_t limiter_first(
    const struct limiter *, uint32_t node, uint32_t *items, size_t max);

/*
 * limiter_take_later(rate limiter, node, things, max): up to so many of those
 * that wait at it itself for later, the next first; they wait no more.
 * limiter_take_due(rate limiter, things, max): up to so many whose time has
 * come, as limiter_best and limiter_wait_ms saw; they wait no more, and are to
 * be put.
 */
size_t limiter_take_later(
    struct limiter *, uint32_t node, uint32_t *items, size_t max);
size_t limiter_take_due(struct limiter *, uint32_t *items, size_t max);
bool limiter_has_due(const struct limiter *);

/* limiter_end_all(rate limiter, now_s): the time of all that waits for later
 * has come: the clock begins at now_s, or begins anew.  O(n log n). */
void limiter_end_all(struct limiter *, int64_t now_s);

#endif
