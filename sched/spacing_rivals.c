/* Which of two nodes of one limit goes first. */
#include "sched/spacing_rivals.h"

#include <assert.h>
#include <math.h>

#include "sched/spacing_internal.h"
#include "sched/spacing_news.h"

/* Who was told when its turn comes has come by then: clocks tell seconds. */
#define PATIENCE_MS 2000

void
spacing_rivals(struct spacing *spacing, uint32_t first, uint32_t second)
{
	struct node *one = spacing_get(spacing, first);
	struct node *other = spacing_get(spacing, second);

	assert(one->limit == other->limit && first != second);
	one->rival = second;
	one->side = RIVAL_FIRST;
	other->rival = first;
	other->side = RIVAL_SECOND;
}

void
rivals_asked(struct spacing *spacing, const struct node *node)
{
	if (node->rival != SPACING_NONE)
		spacing->asked_ms[node->side] = spacing->now_ms;
	else
		for (int side = 0; side < RIVALS; side++)
			spacing->asked_ms[side] = spacing->now_ms;
}

/* Does the limit allow no more than one request? */
static bool
is_scarce(struct spacing *spacing, struct limit *limit)
{
	return limit->gap_ms > 0 ||
	    !budget_allows(&limit->budget, spacing->now_ms, 2);
}

/* It let its turn pass, and nobody has asked for its kind since. */
static bool
is_absent(const struct spacing *spacing, const struct limit *limit, int side)
{
	return spacing->asked_ms[side] <= limit->absent_ms[side];
}

/* Is it its rival's turn? */
static bool
is_second(const struct node *node, const struct node *rival, int last_side)
{
	if (node->side == RIVAL_SECOND)
		return last_side == RIVAL_SECOND ||
		    spacing_best_value(rival) >= spacing_best_value(node);
	return last_side != RIVAL_SECOND &&
	    spacing_best_value(rival) > spacing_best_value(node);
}

int64_t
rivals_way_ms(struct spacing *spacing, const struct node *node)
{
	struct limit *limit = &spacing->limits[node->limit];
	const struct node *rival;

	if (node->rival == SPACING_NONE)
		return INT64_MIN;
	rival = spacing_get(spacing, node->rival);
	/* one that may not go yet has no turn that could be taken */
	if (spacing_hold_ms(spacing, rival) > spacing->now_ms)
		return INT64_MIN;
	if (!node_has_any(rival) || is_absent(spacing, limit, rival->side) ||
	    !is_second(node, rival, limit->last_side) ||
	    !is_scarce(spacing, limit))
		return INT64_MIN;
	if (limit->way_ms == INT64_MIN)
		limit->way_ms = spacing_add(spacing->now_ms, PATIENCE_MS);
	return limit->way_ms;
}

void
rivals_sent(struct spacing *spacing, const struct node *node)
{
	struct limit *limit = &spacing->limits[node->limit];

	if (node->rival == SPACING_NONE)
		return;
	/* It waited for the other one, which did not come. */
	if (limit->way_ms != INT64_MIN && limit->way_ms <= spacing->now_ms)
		limit->absent_ms[RIVALS - 1 - node->side] = spacing->now_ms;
	limit->way_ms = INT64_MIN;
	limit->last_side = node->side;
	spacing_note(spacing, node->rival);
}

static void
not_after(int64_t *ms, int64_t now_ms)
{
	if (*ms > now_ms)
		*ms = now_ms;
}

void
rivals_rewind(struct spacing *spacing, int64_t now_ms)
{
	for (int side = 0; side < RIVALS; side++)
		not_after(&spacing->asked_ms[side], now_ms);
	for (size_t i = 0; i < spacing->limit_count; i++) {
		struct limit *limit = &spacing->limits[i];

		limit->way_ms = INT64_MIN;
		for (int side = 0; side < RIVALS; side++)
			not_after(&limit->absent_ms[side], now_ms);
	}
}
