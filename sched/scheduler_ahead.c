/* What is asked for before it is worth the price: see scheduler_ahead.h. */
#include "sched/scheduler_ahead.h"

#include "sched/looks.h"
#include "sched/scheduler_internal.h"
#include "sched/scheduler_wants.h"

/* Batches of what is due later that are looked at for one request. */
#define AHEAD_MAX 8
/* Without such looks after some that were for nothing: twice as long each time.
 */
#define VAIN_LEAST_S 60
#define VAIN_MOST_S 900

bool
budget_is_left(struct scheduler *s)
{
	int64_t now_ms = s->now_s * 1000;

	return budget_ready_ms(&s->all, now_ms) <= now_ms;
}

static int
node_kind(uint32_t thing)
{
	return thing_kind(thing) == THING_READING ? NODE_READINGS : NODE_PAGES;
}

/* The first of these kinds past its ceiling; those before it of another kind
 * are the first when theirs is wanted. */
static bool
take_overdue(struct scheduler *s, unsigned wants, uint32_t *thing)
{
	for (int kind = 0; kind < NODE_KINDS; kind++)
		if ((wants & 1U << kind) != 0 &&
		    line_take(&s->passed[kind], thing))
			return true;
	while (line_take(&s->overdue, thing)) {
		int kind = node_kind(*thing);

		if ((wants & 1U << kind) != 0)
			return true;
		line_put(&s->passed[kind], *thing);
	}
	return false;
}

/* force(scheduler, thing): its turn comes; false: it is not late any more. */
static bool
force(struct scheduler *s, uint32_t thing)
{
	uint32_t number = thing_number(thing);
	struct source *source;
	struct page *page;

	switch (thing_kind(thing)) {
	case THING_READING:
		source = &s->sources[number];
		source->is_overdue = false;
		if (source->is_out || !source_is_overdue(s, source))
			return false;
		source->is_forced = true;
		thing_settle(s, thing, AT_PRICE);
		return true;
	case THING_LISTED:
		source = &s->sources[number];
		source->is_listed_overdue = false;
		source->is_listed_forced = true;
		thing_settle(s, thing, AT_PRICE);
		return source->is_listed_forced;
	case THING_PAGE:
		page = &s->pages[number];
		page->flags &= (uint8_t)~PAGE_OVERDUE;
		if ((page->flags & PAGE_OUT) != 0 || !page_is_overdue(s, page))
			return false;
		page->flags |= PAGE_FORCED;
		thing_settle(s, thing, AT_PRICE);
		return true;
	}
	return false;
}

bool
force_one(struct scheduler *s, unsigned wants)
{
	uint32_t thing;

	while (take_overdue(s, wants, &thing))
		if (force(s, thing))
			return true;
	return false;
}

/* Listed pages: a reading takes requests of later pages, and what is listed no
 * more was asked for to see whether it is gone. */
static bool
may_be_anything(const struct scheduler *s, uint32_t thing)
{
	return thing_kind(thing) == THING_PAGE &&
	    (s->pages[thing_number(thing)].flags & PAGE_REMOVED) == 0;
}

/* When a page is above its floor, and may be asked for if nothing else is. */
static int64_t
above_floor_s(const struct scheduler *s, uint32_t thing)
{
	const struct page *page;

	if (!may_be_anything(s, thing))
		return INT64_MAX;
	page = &s->pages[thing_number(thing)];
	if (page->fetched == NEVER)
		return INT64_MAX;
	return time_unpack(page->fetched) +
	    s->sites[s->sources[page->document].site].is.page_floor_s;
}

/* What was looked at before its time is none the nearer to being asked for: it
 * is below its floor, most often, and will be for a while; first_s: until
 * then, and no longer. */
static void
note_vain(struct scheduler *s, int64_t first_s)
{
	s->vain_s = 2 * s->vain_s + VAIN_LEAST_S;
	if (s->vain_s > VAIN_MOST_S)
		s->vain_s = VAIN_MOST_S;
	s->ahead_s = s->now_s + s->vain_s;
	if (first_s > s->now_s && first_s < s->ahead_s)
		s->ahead_s = first_s;
}

/* take_ahead(scheduler): one batch of what is due later; false: nothing came of
 * it, or nothing more will. */
static bool
take_ahead(struct scheduler *s)
{
	size_t before = spacing_count(s->spacing, SPACING_ROOT);
	uint32_t things[LOOKS_MAX];
	int64_t first_s = INT64_MAX;
	/* A request that nobody makes is lost: the best page will do. */
	size_t n = calendar_take_ahead(s->calendar, things, LOOKS_MAX);

	for (size_t i = 0; i < n; i++) {
		int64_t at_s = above_floor_s(s, things[i]);

		first_s = at_s < first_s ? at_s : first_s;
		thing_settle(s, things[i],
		    may_be_anything(s, things[i]) ? 0
						  : DRY_SHARE * s->price.value);
	}
	if (spacing_count(s->spacing, SPACING_ROOT) > before) {
		s->vain_s /= 2;
		return true;
	}
	if (n == LOOKS_MAX && s->ahead < AHEAD_MAX)
		return true;
	note_vain(s, first_s);
	return false;
}

bool
look_ahead(struct scheduler *s, unsigned wants)
{
	if (!budget_is_left(s))
		return false;
	/* Budget that documents leave is for pages, whoever may ask. */
	if ((wants & SCHEDULER_WANTS_PAGES) == 0)
		return force_one(s, wants);
	/* Where hosts make us wait a request is worth what it was. */
	if (spacing_count(s->spacing, node_wanted(s, wants)) == 0)
		s->is_dry = true;
	/* Ceilings are for a tenth: what is left is for the best page first. */
	if (s->ahead < AHEAD_MAX && s->now_s >= s->ahead_s) {
		s->ahead++;
		if (take_ahead(s))
			return true;
	}
	return force_one(s, wants);
}
