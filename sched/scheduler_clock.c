/* The scheduler's clock: callers set it, and sometimes put it back. */
#include "sched/limiter.h"
#include "sched/scheduler_internal.h"

#define DAY_S 86400
/* A clock that is put back by less than this stands still until the time
 * comes again; by more, the scheduler follows. */
#define BACK_S 600
/* So that milliseconds, and a year more, fit. */
#define LAST_S (INT64_C(1) << 50)

static int64_t
within(int64_t now_s)
{
	if (now_s > LAST_S)
		return LAST_S;
	return now_s < -LAST_S ? -LAST_S : now_s;
}

void
clock_set(struct scheduler *s, int64_t now_s)
{
	now_s = within(now_s);
	if (s->calendar == NULL) {
		s->calendar = calendar_new(
		    &s->positions, s->options.tick_s, now_s);
		s->first_s = now_s;
		limiter_end_all(s->limiter, now_s);
	}
	if (now_s <= s->now_s)
		return;
	s->now_s = now_s;
	/* a clock that began in 1970 was corrected */
	if (calendar_is_far(s->calendar, now_s)) {
		calendar_rewind(s->calendar, now_s);
		limiter_end_all(s->limiter, now_s);
		s->first_s = now_s;
	}
}

static void
not_after(int64_t *t_s, int64_t now_s)
{
	if (*t_s > now_s)
		*t_s = now_s;
}

static void
put_back_page(struct sched_page *page, int64_t was_s, int64_t now_s)
{
	uint32_t now = time_pack(now_s);

	if (page->fetched > now)
		page->fetched = now;
	if (page->added > now)
		page->added = now;
	/* The pause lasts as long as it would have. */
	if (page->again != NEVER && time_unpack(page->again) > was_s)
		page->again = time_pack(
		    time_unpack(page->again) - (was_s - now_s));
	else if (page->again > now)
		page->again = now;
}

static void
put_back_source(struct sched_source *source, int64_t was_s, int64_t now_s)
{
	not_after(&source->added_s, now_s);
	backlog_not_after(&source->backlog, now_s);
	if (source->read_s != SCHEDULER_NEVER)
		not_after(&source->read_s, now_s);
	/* Holds last as long as they would have. */
	if (source->held_s > was_s)
		source->held_s -= was_s - now_s;
	else
		not_after(&source->held_s, now_s);
	if (source->owed_s > was_s)
		source->owed_s -= was_s - now_s;
	else
		not_after(&source->owed_s, now_s);
	not_after(&source->trust.first_s, now_s);
	not_after(&source->trust.published_s, now_s);
	not_after(&source->trust.aged_s, now_s);
}

/* Events that lie in the future now have just happened, holds last as long
 * as they would have, and everything is evaluated again. */
static void
put_back(struct scheduler *s, int64_t now_s)
{
	for (size_t i = 0; i < s->page_count; i++)
		put_back_page(&s->pages[i], s->now_s, now_s);
	for (size_t i = 0; i < s->site_count; i++)
		if (s->sites[i].owed_s != SCHEDULER_NEVER)
			not_after(&s->sites[i].owed_s, now_s);
	for (size_t i = 0; i < s->source_count; i++)
		put_back_source(&s->sources[i], s->now_s, now_s);
	limiter_rewind(s->limiter, s->now_s * 1000, now_s * 1000);
	calendar_rewind(s->calendar, now_s);
	limiter_end_all(s->limiter, now_s);
	s->now_s = now_s;
}

void
clock_follow(struct scheduler *s, int64_t now_s)
{
	now_s = within(now_s);
	clock_set(s, now_s);
	if (now_s < s->now_s - BACK_S)
		put_back(s, now_s);
}
