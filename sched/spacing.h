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
#ifndef FRESHET_SPACING_H
#define FRESHET_SPACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/spacing_nodes.h"

struct places;
struct spacing;

enum { SPACING_ROOT = 0 }; /* a node */

/* spacing_new(limit): with a root of that limit; nothing waits. */
struct spacing *spacing_new(const struct spacing_limit *);
void spacing_free(struct spacing *);

struct spacing_choice {
	uint32_t node;
	uint32_t number;
	float value; /* 0 or more */
	bool is_later; /* set by spacing_best: nothing else may be sent */
};

/*
 * spacing_put(spacing, choice): the thing of that number waits at the node,
 * which has places; already there, it has that value from now on.  It must be
 * nowhere else that these places tell of.  NaN, and what is below, is 0.
 *
 * spacing_put_later(spacing, choice, from_s): it waits there, until it is due
 * (spacing_take_due); sooner it is the best only when nothing may be sent that
 * was put otherwise, and then those come first whose time is the next.
 */
void spacing_put(struct spacing *, const struct spacing_choice *);
void spacing_put_later(
    struct spacing *, const struct spacing_choice *, int64_t from_s);

/* spacing_remove(spacing, node, number): it waits no more; it must wait at
 * that node. */
void spacing_remove(struct spacing *, uint32_t node, uint32_t number);

/* spacing_best(spacing, now_ms, node, *choice): the best of all at that node or
 * below it whose turn it may be now; it goes on waiting.  False when there is
 * none. */
bool spacing_best(
    struct spacing *, int64_t now_ms, uint32_t node, struct spacing_choice *);

/* spacing_send(spacing, now_ms, choice): a request is made for it, which
 * counts against the limits of its node and all above; it waits no more. */
void spacing_send(
    struct spacing *, int64_t now_ms, const struct spacing_choice *);

/*
 * spacing_spend(spacing, now_ms, node, spend, requests): the budgets of its
 * limit, and of those above it, are told so.
 * budget_spend: what was sent from there cost so much more than the request
 * that was counted, for a host counts requests.
 * budget_fill: so many were sent from there before, under limits that may have
 * been others: they fill those of now, and no more.
 * budget_return: so many that were just sent were not made after all.
 */
void spacing_spend(struct spacing *, int64_t now_ms, uint32_t node,
    spacing_spend_fn *, double requests);

/* spacing_wait_ms(spacing, now_ms, node): spacing_best says no for so long if
 * nothing else happens, and then most often yes; 0: yes now, or something is
 * due; -1: nothing waits there. */
int64_t spacing_wait_ms(struct spacing *, int64_t now_ms, uint32_t node);

/* spacing_ready_ms(spacing, now_ms, node): when its limit and those above it
 * allow a request, whatever waits there; now_ms or earlier: now. */
int64_t spacing_ready_ms(struct spacing *, int64_t now_ms, uint32_t node);

/* spacing_count(spacing, node): how many wait at it and below it; O(1). */
size_t spacing_count(const struct spacing *, uint32_t node);

/* spacing_first(spacing, node, things, max): up to so many of those that wait
 * at it itself, the best first and the next few behind it; returns how many. */
size_t spacing_first(
    const struct spacing *, uint32_t node, uint32_t *things, size_t max);

/*
 * spacing_take_later(spacing, node, things, max): up to so many of those that
 * wait at it itself for later, the next first; they wait no more.
 * spacing_take_due(spacing, things, max): up to so many whose time has come, as
 * spacing_best and spacing_wait_ms saw; they wait no more, and are to be put.
 */
size_t spacing_take_later(
    struct spacing *, uint32_t node, uint32_t *things, size_t max);
size_t spacing_take_due(struct spacing *, uint32_t *things, size_t max);
bool spacing_has_due(const struct spacing *);

/* spacing_end_all(spacing, now_s): the time of all that waits for later has
 * come: the clock begins at now_s, or begins anew.  O(n log n). */
void spacing_end_all(struct spacing *, int64_t now_s);

#endif
