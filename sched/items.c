/* Items: see items.h. */
#include "sched/items.h"

#include <math.h>

#include "sched/scheduler_internal.h"

/* The float gets one step smaller for each second by which the item is due
 * later, for two years and a half each way.  The smallest forced value is
 * above any other value; the largest is finite. */
#define FORCED_STEPS 4194304.0
#define FORCED_PAGE 67
#define FORCED_READING 107
#define FORCED_SPAN 19

bool
item_is_waiting(const struct scheduler *s, uint32_t item)
{
	return (positions_get(&s->positions, item) & POSITIONS_QUEUED) != 0;
}

void
item_remove(struct scheduler *s, uint32_t item, uint32_t node)
{
	if (item_is_waiting(s, item))
		limiter_remove(s->limiter, node, item);
	else
		calendar_remove(s->calendar, item);
}

/* Set or clear the mark that the item is in the FIFO `waiting`; returns what
 * it was. */
static bool
mark_waiting(struct scheduler *s, uint32_t item, bool is_waiting)
{
	uint32_t number = item_number(item);
	struct sched_page *page;
	bool was = false;

	switch (item_kind(item)) {
	case ITEM_READING:
		was = s->sources[number].is_waiting;
		s->sources[number].is_waiting = is_waiting;
		break;
	case ITEM_LISTED:
		was = s->sources[number].is_listed_waiting;
		s->sources[number].is_listed_waiting = is_waiting;
		break;
	case ITEM_PAGE:
		page = &s->pages[number];
		was = (page->flags & PAGE_WAITING) != 0;
		page->flags &= (uint8_t)~PAGE_WAITING;
		if (is_waiting)
			page->flags |= PAGE_WAITING;
		break;
	}
	return was;
}

void
item_wait(struct scheduler *s, uint32_t item, uint32_t node, double value)
{
	limiter_put(s->limiter,
	    &(struct limiter_choice){
		.node = node, .number = item, .value = (float)value});
	if (!mark_waiting(s, item, true))
		fifo_put(&s->waiting, item);
}

bool
item_take_waiting(struct scheduler *s, uint32_t *item)
{
	if (fifo_is_empty(&s->waiting))
		return false;
	*item = fifo_take(&s->waiting);
	(void)mark_waiting(s, *item, false);
	return true;
}

void
item_evaluate_at(struct scheduler *s, uint32_t item, int64_t due_s)
{
	calendar_put(s->calendar, item, due_s);
}

double
forced_value(const struct scheduler *s, int kind, int64_t due_s)
{
	double later = ((double)due_s - (double)s->first_s) / FORCED_STEPS;

	return exp2((kind == NODE_PAGES ? FORCED_PAGE : FORCED_READING) -
	    fmax(fmin(later, FORCED_SPAN), -FORCED_SPAN));
}
