/* When something of some sites may be chosen: see scheduler_some.h. */
#include "sched/scheduler_some.h"

#include <assert.h>

#include "sched/scheduler_internal.h"

static int64_t
seconds(const struct scheduler *s, int64_t ready_ms)
{
	if (ready_ms > INT64_MAX - 999)
		return SCHEDULER_NEVER;
	return ready_ms <= s->now_s * 1000 ? s->now_s : (ready_ms + 999) / 1000;
}

int64_t
scheduler_all_ready_s(struct scheduler *s)
{
	return seconds(s, budget_ready_ms(&s->all, s->now_s * 1000));
}

static int64_t
node_ready_s(struct scheduler *s, uint32_t node)
{
	return seconds(s, limiter_ready_ms(s->limiter, s->now_s * 1000, node));
}

int64_t
scheduler_tag_ready_s(struct scheduler *s, uint32_t tag)
{
	assert(tag < s->tag_count);
	return node_ready_s(s, s->tags[tag].nodes[NODE_PAGES]);
}

int64_t
scheduler_site_ready_s(struct scheduler *s, uint32_t site)
{
	int64_t all_s = scheduler_all_ready_s(s);
	int64_t ready_s;

	assert(site < s->site_count);
	ready_s = node_ready_s(s, s->sites[site].nodes[NODE_PAGES]);
	return all_s > ready_s ? all_s : ready_s;
}

static int64_t
due_s(const struct scheduler *s, uint32_t item)
{
	int64_t at_s = SCHEDULER_NEVER;

	if (item_is_waiting(s, item))
		return INT64_MIN;
	(void)calendar_due_s(s->calendar, item, &at_s);
	return at_s;
}

int64_t
scheduler_page_due_s(const struct scheduler *s, uint32_t page)
{
	const struct page *is = &s->pages[page];
	int64_t at_s;

	assert(page < s->page_count);
	at_s = due_s(s, item_of(ITEM_PAGE, page));
	if (at_s == INT64_MIN || at_s == SCHEDULER_NEVER ||
	    (is->flags & PAGE_REMOVED) != 0)
		return at_s;
	if (is->fetched == NEVER)
		return s->now_s;
	return time_unpack(is->fetched) +
	    s->sites[s->sources[is->document].site].is.page_floor_s;
}

int64_t
scheduler_listed_due_s(const struct scheduler *s, uint32_t document)
{
	assert(document < s->source_count);
	return due_s(s, item_of(ITEM_LISTED, document));
}
