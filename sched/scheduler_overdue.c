/* What is past its ceiling: see scheduler_overdue.h. */
#include "sched/scheduler_overdue.h"

#include "sched/scheduler_internal.h"
#include "sched/scheduler_wants.h"

bool
budget_has_room(struct scheduler *s)
{
	int64_t now_ms = s->now_s * 1000;

	return budget_ready_ms(&s->all, now_ms) <= now_ms;
}

static int
node_kind(uint32_t item)
{
	return item_kind(item) == ITEM_READING ? NODE_READINGS : NODE_PAGES;
}

/* The first of these kinds past its ceiling; those before it of another kind
 * are the first when theirs is wanted. */
static bool
take_overdue(struct scheduler *s, unsigned kinds, uint32_t *item)
{
	for (int kind = 0; kind < NODE_KINDS; kind++)
		if ((kinds & 1U << kind) != 0 &&
		    line_take(&s->passed[kind], item))
			return true;
	while (line_take(&s->overdue, item)) {
		int kind = node_kind(*item);

		if ((kinds & 1U << kind) != 0)
			return true;
		line_put(&s->passed[kind], *item);
	}
	return false;
}

/* force(scheduler, thing): its turn comes; false: it is not late any more. */
static bool
force(struct scheduler *s, uint32_t item)
{
	uint32_t number = item_number(item);
	struct source *source;
	struct page *page;

	switch (item_kind(item)) {
	case ITEM_READING:
		source = &s->sources[number];
		source->is_overdue = false;
		if (source->is_out || !source_is_overdue(s, source))
			return false;
		source->is_forced = true;
		item_reschedule(s, item);
		return true;
	case ITEM_LISTED:
		source = &s->sources[number];
		source->is_listed_overdue = false;
		source->is_listed_forced = true;
		item_reschedule(s, item);
		return source->is_listed_forced;
	case ITEM_PAGE:
		page = &s->pages[number];
		page->flags &= (uint8_t)~PAGE_OVERDUE;
		if ((page->flags & PAGE_OUT) != 0 || !page_is_overdue(s, page))
			return false;
		page->flags |= PAGE_FORCED;
		item_reschedule(s, item);
		return true;
	}
	return false;
}

bool
force_one(struct scheduler *s, unsigned kinds)
{
	uint32_t item;

	while (take_overdue(s, kinds, &item))
		if (force(s, item))
			return true;
	return false;
}
