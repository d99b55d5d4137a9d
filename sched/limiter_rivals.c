/* Which of two nodes of one limit goes first. */
#include "sched/limiter_rivals.h"

#include <assert.h>
#include <math.h>

#include "sched/limiter_internal.h"
#include "sched/limiter_news.h"

/* Who was told when its turn comes has come by then: clocks tell seconds. */
#define PATIENCE_MS 2000

void
limiter_rivals(struct limiter *limiter, uint32_t first, uint32_t second)
{
	struct node *one = limiter_get(limiter, first);
	struct node *other = limiter_get(limiter, second);

	assert(one->limit == other->limit && first != second);
	one->rival = second;
	one->side = RIVAL_FIRST;
	other->rival = first;
	other->side = RIVAL_SECOND;
}

void
rivals_asked(struct limiter *limiter, const struct node *node)
{
	if (node->rival != LIMITER_NONE)
		limiter->asked_ms[node->side] = limiter->now_ms;
	else
		for (int side = 0; side < RIVALS; side++)
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
is_second(const struct node *node, const struct node *rival, int last_side)
{
	if (node->side == RIVAL_SECOND)
		return last_side == RIVAL_SECOND ||
		    limiter_best_value(rival) >= limiter_best_value(node);
	return last_side != RIVAL_SECOND &&
	    limiter_best_value(rival) > limiter_best_value(node);
}

int64_t
rivals_way_ms(struct limiter *limiter, const struct node *node)
{
	struct limit *limit = &limiter->limits[node->limit];
	const struct node *rival;

	if (node->rival == LIMITER_NONE)
		return INT64_MIN;
	rival = limiter_get(limiter, node->rival);
	/* one that may not go yet has no turn that could be taken */
	if (limiter_hold_ms(limiter, rival) > limiter->now_ms)
		return INT64_MIN;
	if (!node_has_any(rival) || is_absent(limiter, limit, rival->side) ||
	    !is_second(node, rival, limit->last_side) ||
	    !is_scarce(limiter, limit))
		return INT64_MIN;
	if (limit->way_ms == INT64_MIN)
		limit->way_ms = limiter_add(limiter->now_ms, PATIENCE_MS);
	return limit->way_ms;
}

void
rivals_sent(struct limiter *limiter, const struct node *node)
{
	struct limit *limit = &limiter->limits[node->limit];

	if (node->rival == LIMITER_NONE)
		return;
	/* It waited for the other one, which did not come. */
	if (limit->way_ms != INT64_MIN && limit->way_ms <= limiter->now_ms)
		limit->absent_ms[RIVALS - 1 - node->side] = limiter->now_ms;
	limit->way_ms = INT64_MIN;
	limit->last_side = node->side;
	limiter_note(limiter, node->rival);
}

static void
not_after(int64_t *ms, int64_t now_ms)
{
	if (*ms > now_ms)
		*ms = now_ms;
}

void
rivals_rewind(struct limiter *limiter, int64_t now_ms)
{
	for (int side = 0; side < RIVALS; side++)
		not_after(&limiter->asked_ms[side], now_ms);
	for (size_t i = 0; i < limiter->limit_count; i++) {
		struct limit *limit = &limiter->limits[i];

		limit->way_ms = INT64_MIN;
		for (int side = 0; side < RIVALS; side++)
			not_after(&limit->absent_ms[side], now_ms);
	}
}
