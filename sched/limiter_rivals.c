/* Which of two nodes of one limit goes first. */
#include "sched/limiter_rivals.h"

#include <assert.h>
#include <math.h>

#include "sched/limiter_internal.h"
#include "sched/limiter_news.h"

/* Who was told when its turn comes has come by then: clocks tell seconds. */
#define PATIENCE_MS 2000

void
limiter_pair(struct limiter *limiter, uint32_t first, uint32_t second)
{
	struct node *one = limiter_get(limiter, first);
	struct node *other = limiter_get(limiter, second);

	assert(one->limit == other->limit && first != second);
	one->twin = second;
	one->side = FAIR_FIRST;
	other->twin = first;
	other->side = FAIR_SECOND;
}

void
fair_asked(struct limiter *limiter, const struct node *node)
{
	if (node->twin != LIMITER_NONE)
		limiter->asked_ms[node->side] = limiter->now_ms;
	else
		for (int side = 0; side < FAIR_SIDES; side++)
			limiter->asked_ms[side] = limiter->now_ms;
}

/* Does the limit allow no more than one request? */
static bool
is_scarce(struct limiter *limiter, struct limit *limit)
{
	return limit->gap_ms > 0 ||
	    !budget_allows(&limit->budget, limiter->now_ms, 2);
}

/* It let its turn pass, and nobody has asked for its kind since. */
static bool
is_absent(const struct limiter *limiter, const struct limit *limit, int side)
{
	return limiter->asked_ms[side] <= limit->absent_ms[side];
}

/* Is it its rival's turn? */
static bool
is_second(const struct node *node, const struct node *twin, int last_side)
{
	if (node->side == FAIR_SECOND)
		return last_side == FAIR_SECOND ||
		    limiter_best_value(twin) >= limiter_best_value(node);
	return last_side != FAIR_SECOND &&
	    limiter_best_value(twin) > limiter_best_value(node);
}

int64_t
fair_yield_ms(struct limiter *limiter, const struct node *node)
{
	struct limit *limit = &limiter->limits[node->limit];
	const struct node *twin;

	if (node->twin == LIMITER_NONE)
		return INT64_MIN;
	twin = limiter_get(limiter, node->twin);
	/* one that may not go yet has no turn that could be taken */
	if (limiter_hold_ms(limiter, twin) > limiter->now_ms)
		return INT64_MIN;
	if (!node_has_any(twin) || is_absent(limiter, limit, twin->side) ||
	    !is_second(node, twin, limit->last_side) ||
	    !is_scarce(limiter, limit))
		return INT64_MIN;
	if (limit->yield_until_ms == INT64_MIN)
		limit->yield_until_ms = limiter_add(
		    limiter->now_ms, PATIENCE_MS);
	return limit->yield_until_ms;
}

void
fair_sent(struct limiter *limiter, const struct node *node)
{
	struct limit *limit = &limiter->limits[node->limit];

	if (node->twin == LIMITER_NONE)
		return;
	/* It waited for the other one, which did not come. */
	if (limit->yield_until_ms != INT64_MIN &&
	    limit->yield_until_ms <= limiter->now_ms)
		limit->absent_ms[FAIR_SIDES - 1 - node->side] = limiter->now_ms;
	limit->yield_until_ms = INT64_MIN;
	limit->last_side = node->side;
	limiter_note(limiter, node->twin);
}

static void
not_after(int64_t *ms, int64_t now_ms)
{
	if (*ms > now_ms)
		*ms = now_ms;
}

void
fair_rewind(struct limiter *limiter, int64_t now_ms)
{
	for (int side = 0; side < FAIR_SIDES; side++)
		not_after(&limiter->asked_ms[side], now_ms);
	for (size_t i = 0; i < limiter->limit_count; i++) {
		struct limit *limit = &limiter->limits[i];

		limit->yield_until_ms = INT64_MIN;
		for (int side = 0; side < FAIR_SIDES; side++)
			not_after(&limit->absent_ms[side], now_ms);
	}
}
