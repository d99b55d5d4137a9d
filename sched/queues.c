/* The queues of items: see queues.h. */
#include "sched/queues.h"

#include <math.h>

#include "sched/limiter.h"
#include "sched/scheduler.h"

/* For each second by which an item is due later, its value is the next smaller
 * float; this works for two and a half years each way. The smallest forced
 * value is above any other value, and the largest is finite. */
#define FORCED_STEPS 4194304.0
#define FORCED_PAGE 67
#define FORCED_READING 107
#define FORCED_SPAN 19

void
queues_remove(struct sched_queues *queues, uint32_t item, uint32_t node)
{
	struct heap_words words = {queues->positions.items, POSITIONS_DUE};

	if (queues_is_waiting(queues, item))
		limiter_remove(queues->limiter, node, item);
	else if (positions_get(&queues->positions, item) != POSITIONS_NOWHERE)
		later_remove(&queues->calendar, words, item);
}

void
queues_wait(struct sched_queues *queues, uint32_t item, uint32_t node,
    double value, uint8_t *flags)
{
	limiter_put(queues->limiter,
	    &(struct limiter_choice){
		.node = node, .number = item, .value = (float)value});
	if ((*flags & ITEM_WAITING) == 0)
		fifo_put(&queues->waiting, item);
	*flags |= ITEM_WAITING;
}

void
queues_note_overdue(
    struct sched_queues *queues, uint32_t item, bool is_overdue, uint8_t *flags)
{
	if (!is_overdue) {
		/* the ceiling may have become longer since it was forced */
		*flags &= (uint8_t)~ITEM_FORCED;
	} else if ((*flags & (ITEM_OVERDUE | ITEM_FORCED)) == 0) {
		*flags |= ITEM_OVERDUE;
		fifo_put(&queues->overdue[item_kind(item) == ITEM_READING
				 ? NODE_READINGS
				 : NODE_PAGES],
		    item);
	}
}

/* The calendar. */

void
queues_evaluate_at(struct sched_queues *queues, uint32_t item, int64_t due_s)
{
	int64_t after_s = 0;

	if (due_s > queues->clock->first_s &&
	    __builtin_sub_overflow(due_s, queues->clock->first_s, &after_s))
		after_s = LATER_MOST;
	(void)positions_at(&queues->positions, item);
	later_put(&queues->calendar,
	    (struct heap_words){queues->positions.items, POSITIONS_DUE},
	    (struct heap_item){
		later_value(after_s < LATER_MOST ? after_s : LATER_MOST),
		item});
}

size_t
queues_take_due(struct sched_queues *queues, uint32_t *items, size_t max)
{
	struct heap_words words = {queues->positions.items, POSITIONS_DUE};
	size_t n = 0;

	while (n < max && queues_next_s(queues) <= queues->clock->now_s) {
		items[n] = queues->calendar.near.items[0].number;
		later_remove(&queues->calendar, words, items[n++]);
	}
	return n;
}

int64_t
queues_due_s(const struct sched_queues *queues, uint32_t item)
{
	uint32_t word = positions_get(&queues->positions, item);
	const struct later *calendar = &queues->calendar;
	const struct heap *in = (word & POSITIONS_FAR) != 0 ? &calendar->far
							    : &calendar->near;

	if ((word & POSITIONS_DUE) == 0)
		return SCHEDULER_NEVER;
	return queues->clock->first_s +
	    later_after_s(in->items[word & POSITIONS_MAX_AT].value);
}

int64_t
queues_next_s(const struct sched_queues *queues)
{
	const struct heap *near = &queues->calendar.near;

	return near->count == 0
	    ? SCHEDULER_NEVER
	    : queues->clock->first_s + later_after_s(near->items[0].value);
}

bool
queues_take_overdue(struct sched_queues *queues, unsigned kinds, uint32_t *item)
{
	for (int kind = NODE_KINDS - 1; kind >= 0; kind--)
		if ((kinds & 1U << kind) != 0 &&
		    fifo_count(&queues->overdue[kind]) > 0) {
			*item = fifo_take(&queues->overdue[kind]);
			return true;
		}
	return false;
}

double
forced_value(const struct sched_queues *queues, int kind, int64_t due_s)
{
	double later = ((double)due_s - (double)queues->clock->first_s) /
	    FORCED_STEPS;

	return exp2((kind == NODE_PAGES ? FORCED_PAGE : FORCED_READING) -
	    fmax(fmin(later, FORCED_SPAN), -FORCED_SPAN));
}
