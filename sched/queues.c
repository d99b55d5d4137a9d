/* The queues of items: see queues.h. */
#include "sched/queues.h"

#include <math.h>

#include "sched/calendar.h"
#include "sched/limiter.h"

/* For each second by which an item is due later, its value is the next smaller
 * float; this works for two and a half years each way. The smallest forced
 * value is above any other value, and the largest is finite. */
#define FORCED_STEPS 4194304.0
#define FORCED_PAGE 67
#define FORCED_READING 107
#define FORCED_SPAN 19

void
queues_release(struct sched_queues *queues)
{
	fifo_release(&queues->overdue);
	for (int kind = 0; kind < NODE_KINDS; kind++)
		fifo_release(&queues->passed[kind]);
	fifo_release(&queues->waiting);
	calendar_free(queues->calendar);
	limiter_free(queues->limiter);
	positions_release(&queues->positions);
}

void
queues_remove(struct sched_queues *queues, uint32_t item, uint32_t node)
{
	if (queues_is_waiting(queues, item))
		limiter_remove(queues->limiter, node, item);
	else
		calendar_remove(queues->calendar, item);
}

void
queues_wait(struct sched_queues *queues, uint32_t item, uint32_t node,
    double value, bool is_known)
{
	limiter_put(queues->limiter,
	    &(struct limiter_choice){
		.node = node, .number = item, .value = (float)value});
	if (!is_known)
		fifo_put(&queues->waiting, item);
}

void
queues_evaluate_at(struct sched_queues *queues, uint32_t item, int64_t due_s)
{
	calendar_put(queues->calendar, item, due_s);
}

static bool
take(struct fifo *fifo, uint32_t *item)
{
	if (fifo_is_empty(fifo))
		return false;
	*item = fifo_take(fifo);
	return true;
}

static int
node_kind(uint32_t item)
{
	return item_kind(item) == ITEM_READING ? NODE_READINGS : NODE_PAGES;
}

bool
queues_take_overdue(struct sched_queues *queues, unsigned kinds, uint32_t *item)
{
	for (int kind = 0; kind < NODE_KINDS; kind++)
		if ((kinds & 1U << kind) != 0 &&
		    take(&queues->passed[kind], item))
			return true;
	while (take(&queues->overdue, item)) {
		int kind = node_kind(*item);

		if ((kinds & 1U << kind) != 0)
			return true;
		fifo_put(&queues->passed[kind], *item);
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
