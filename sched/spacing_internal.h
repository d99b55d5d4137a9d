/* Inside the spacing. */
#ifndef FRESHET_SPACING_INTERNAL_H
#define FRESHET_SPACING_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/budget.h"
#include "sched/heap.h"
#include "sched/places.h"
#include "sched/spacing_nodes.h"
#include "sched/spacing_rivals.h"
#include "sched/units.h"

#define SPACING_NONE UINT32_MAX
#define SPACING_NEWS 4096

struct limit {
	struct budget budget;
	int64_t hold_ms[SPACING_HOLDS]; /* until then; INT64_MIN: not at all */
	int64_t gap_ms;
	int64_t sent_ms; /* the last one */
	bool has_sent;
	uint32_t user; /* first of the nodes that have it, or NONE */
	int64_t way_ms; /* a rival gives way until then; INT64_MIN: none does */
	int64_t absent_ms[RIVALS]; /* when it let its turn pass */
	uint8_t last_side; /* of the last request; RIVALS: none */
};

/*
 * A node is in its parent's `ready` when something at it or below it may be
 * sent now, under the value of the best; in its parent's `waiting` under the
 * time when that may become true, or become a better one.
 */
struct node {
	struct unit unit; /* first: in parent's waiting */
	uint32_t number;
	uint32_t parent; /* or NONE: the root */
	uint32_t limit;
	uint32_t next_user; /* of the limit, or NONE */
	uint32_t rival; /* or NONE */
	uint8_t side; /* of the two */
	struct places *places; /* borrowed; of things, or NULL */
	struct heap things;
	struct heap ready; /* children */
	struct units waiting; /* children */
	size_t count; /* things, here and below */
};

struct spacing {
	struct node **nodes; /* owned, and what they point to: units stay */
	struct limit *limits; /* owned */
	struct places ready; /* of nodes in their parents' ready */
	size_t node_count, node_cap;
	size_t limit_count, limit_cap;
	int64_t now_ms; /* of the last call that said */
	int64_t asked_ms[RIVALS]; /* when somebody asked for that side */
	uint32_t news[SPACING_NEWS]; /* the latest, each at its number */
	uint64_t told; /* how many there were */
};

struct node *spacing_get(const struct spacing *, uint32_t number);

/* spacing_own_ms(spacing, node): when its own limit and hold allow one more,
 * and it gives way to no rival; now_ms or earlier: now. */
int64_t spacing_own_ms(struct spacing *, const struct node *);

/* spacing_hold_ms(spacing, node): until when its limit is held for it;
 * INT64_MIN: never. */
int64_t spacing_hold_ms(const struct spacing *, const struct node *);

/* spacing_best_value(node): of what may be sent there or below it; -INFINITY:
 * there is nothing. */
float spacing_best_value(const struct node *);

/* spacing_settle(spacing, node): to where it belongs at its parent, and its
 * rival too; spacing_settle_up: and their parents, up to the root. */
void spacing_settle(struct spacing *, struct node *);
void spacing_settle_up(struct spacing *, struct node *);

/* spacing_at(spacing, now_ms): it is that time; if it was later before, waits
 * begin anew.  O(nodes) then. */
void spacing_at(struct spacing *, int64_t now_ms);

/* spacing_count_up(spacing, number, count): so many more wait at that node and
 * those above it, SPACING_NONE too; 0 - n: n fewer. */
void spacing_count_up(struct spacing *, uint32_t number, size_t count);

/* spacing_add(ms, wait_ms): saturates; wait_ms >= 0. */
int64_t spacing_add(int64_t ms, int64_t wait_ms);

#endif
