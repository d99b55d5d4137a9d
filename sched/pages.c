/* Pages inside the scheduler: see pages.h. */
#include "sched/pages.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "sched/evaluation.h"
#include "sched/limiter.h"
#include "sched/quota.h"
#include "sched/scheduler_internal.h"

#define DAY_S 86400
/* A page that is no longer listed, and not gone, is fetched again after this
 * time: it may go yet. */
#define UNLISTED_S (30 * DAY_S)

_Static_assert(sizeof(struct sched_page) <= 60, "DESIGN 7");

/* The page is gone and no longer listed.  A page that is gone and still
 * listed may change again, so it is not over. */
static bool
is_over(const struct sched_page *page)
{
	return page->dead > 0 && (page->flags & PAGE_REMOVED) != 0;
}

/* The last fetch; of a page without one, when the page became known. */
static int64_t
since_s(const struct sched_page *page)
{
	return time_unpack(
	    page->fetched == NEVER ? page->added : page->fetched);
}

/* The page failed, and its pause is not over. */
static bool
is_backing_off(const struct scheduler *s, const struct sched_page *page)
{
	return page->again != NEVER && s->now_s < time_unpack(page->again);
}

bool
page_is_overdue(const struct scheduler *s, const struct sched_page *page)
{
	uint32_t site = s->sources[page->document].site;
	int64_t ceiling_s = s->sites[site].is.page_ceiling_s;

	/* Pages that are no longer listed are fetched only for what they are
	 * worth. With a ceiling, a site that moved would have a tenth of all
	 * requests for pages that are gone, before its new pages. */
	return !page->is_retired && !is_backing_off(s, page) && ceiling_s > 0 &&
	    (page->flags & PAGE_REMOVED) == 0 &&
	    s->now_s - since_s(page) >= ceiling_s;
}

/* When the page passed its ceiling; a page that was given back goes to the
 * end. */
static int64_t
page_late_s(const struct scheduler *s, const struct sched_page *page)
{
	uint32_t site = s->sources[page->document].site;

	return page->is_back ? s->now_s
			     : since_s(page) + s->sites[site].is.page_ceiling_s;
}

int64_t
page_may_s(const struct scheduler *s, const struct sched_page *page)
{
	const struct sched_site
	    *site = &s->sites[s->sources[page->document].site];
	int64_t may_s = s->now_s;

	if ((page->flags & PAGE_REMOVED) != 0 &&
	    (is_over(page) || page->fetched == NEVER))
		return SCHEDULER_NEVER;
	if (page->fetched != NEVER)
		may_s = time_unpack(page->fetched) + site->is.page_floor_s;
	if ((page->flags & (PAGE_REMOVED | PAGE_VERIFY)) == PAGE_REMOVED)
		may_s = time_unpack(page->fetched) + UNLISTED_S;
	if (is_backing_off(s, page) && may_s < time_unpack(page->again))
		may_s = time_unpack(page->again);
	return may_s > s->now_s ? may_s : s->now_s;
}

/* When the page will pass its ceiling; SCHEDULER_NEVER: it has, or has none. */
static int64_t
late_s(const struct scheduler *s, const struct sched_page *page)
{
	int64_t ceiling_s = s->sites[s->sources[page->document].site]
				.is.page_ceiling_s;

	if (ceiling_s <= 0 || (page->flags & PAGE_REMOVED) != 0 ||
	    s->now_s - since_s(page) >= ceiling_s)
		return SCHEDULER_NEVER;
	return since_s(page) + ceiling_s;
}

/* When to evaluate a page again that may be fetched but is worth too little. */
static int64_t
next_evaluation_s(
    struct scheduler *s, const struct sched_page *page, double days)
{
	int64_t due_s;

	if (!(days < EVALUATION_DAYS))
		days = EVALUATION_DAYS;
	due_s = s->now_s + (int64_t)(days * 86400);
	if (page->place == PLACE_SILENT) {
		int64_t expects_s = quota_expects_s(s, page);

		if (expects_s > s->now_s && expects_s < due_s)
			due_s = expects_s;
	}
	if (due_s <= s->now_s)
		due_s = s->now_s + 1;
	return due_s < late_s(s, page) ? due_s : late_s(s, page);
}

static void
put_gain(struct scheduler *s, uint32_t number, double gain, double moves)
{
	struct sched_page *page = &s->pages[number];
	struct gain kept = {page->gain, page->gain_place};

	gains_set(&s->sources[page->document].gains, &kept, gain, moves);
	page->gain = kept.value;
	page->gain_place = kept.place;
}

void
page_drop_gain(struct scheduler *s, uint32_t number)
{
	put_gain(s, number, 0, 0);
}

/* What the page adds to the value of a reading: what it would be worth to
 * know that its date moved, now that it has not (scheduling.md, P1). */
static void
update_gain(struct scheduler *s, uint32_t number, double moves)
{
	struct sched_page *page = &s->pages[number];
	struct evaluation evaluation;
	double gain = 0;

	if (!s->options.reads_documents)
		return;
	if (moves > 0 && page->fetched != NEVER &&
	    (page->flags & PAGE_REMOVED) == 0) {
		page_evaluate(s, number, 1, 0, &evaluation);
		gain = evaluation.value -
		    site_price(s, s->sources[page->document].site)->price;
	}
	put_gain(s, number, gain, moves);
}

enum page_place
page_place_now(struct scheduler *s, const struct sched_page *page)
{
	return (page->flags & PAGE_REMOVED) != 0 ? PLACE_UNLISTED
						 : quota_place(s, page);
}

/* The node for unlisted pages, made when it is new; they come after all
 * others. */
static uint32_t
unlisted_node(struct scheduler *s, uint32_t number)
{
	struct sched_site *site = &s->sites[number];

	if (site->unlisted == SCHEDULER_NONE) {
		site->unlisted = limiter_node(s->limiter,
		    site->nodes[NODE_PAGES],
		    limiter_limit(s->limiter, &(struct limiter_limit){0}),
		    &s->positions);
		limiter_set_last(s->limiter, site->unlisted, true);
		site->price.levels = 0;
	}
	return site->unlisted;
}

uint32_t
page_node(struct scheduler *s, const struct sched_page *page)
{
	uint32_t site = s->sources[page->document].site;

	switch ((enum page_place)page->place) {
	case PLACE_SILENT:
		return quota_node(s, site);
	case PLACE_UNLISTED:
		return unlisted_node(s, site);
	case PLACE_HOST:
	case PAGE_PLACES:
		break;
	}
	return s->sites[site].nodes[NODE_PAGES];
}

/* Move the page to the place where it is evaluated and will wait. */
static void
place(struct scheduler *s, struct sched_page *page, uint32_t item)
{
	enum page_place to = page_place_now(s, page);

	if (page->place == (unsigned)to)
		return;
	item_remove(s, item, page_node(s, page));
	page->place = (unsigned)to & 3;
}

/* The value from which pages go out at the page's place. */
static double
least_of(struct scheduler *s, uint32_t number)
{
	struct sched_page *page = &s->pages[number];
	uint32_t site = s->sources[page->document].site;

	place(s, page, item_of(ITEM_PAGE, number));
	return DUE_SHARE * site_price(s, site)->value[page->place];
}

static void
note_overdue(struct scheduler *s, struct sched_page *page, uint32_t item)
{
	if (!page_is_overdue(s, page)) {
		/* the ceiling may have been changed */
		page->flags &= (uint8_t)~PAGE_FORCED;
	} else if ((page->flags & (PAGE_OVERDUE | PAGE_FORCED)) == 0) {
		page->flags |= PAGE_OVERDUE;
		fifo_put(&s->overdue, item);
	}
}

/* The page may not be fetched, or not yet. */
static void
put_off(
    struct scheduler *s, struct sched_page *page, uint32_t item, int64_t may_s)
{
	int64_t at_s = late_s(s, page);

	item_remove(s, item, page_node(s, page));
	if (may_s < at_s)
		at_s = may_s;
	if (at_s != SCHEDULER_NEVER)
		item_evaluate_at(s, item, at_s);
}

/* Put the page, which has been placed, where the evaluation says it belongs. */
static void
reschedule(struct scheduler *s, uint32_t number, double least,
    struct evaluation *evaluation)
{
	struct sched_page *page = &s->pages[number];
	uint32_t node = page_node(s, page);
	uint32_t item = item_of(ITEM_PAGE, number);
	int64_t may_s = page_may_s(s, page);

	update_gain(s, number, evaluation->moves);
	if ((page->flags & PAGE_FORCED) != 0)
		evaluation->value = forced_value(
		    s, NODE_PAGES, page_late_s(s, page));
	else if (may_s > s->now_s) {
		put_off(s, page, item, may_s);
		return;
	}
	/* NaN counts as 0 */
	if (!(evaluation->value >= 0))
		evaluation->value = 0;
	if (!item_is_waiting(s, item))
		item_remove(s, item, node);
	/* a page that waits already only changes its value */
	if (evaluation->value >= least)
		item_wait(s, item, node, evaluation->value);
	else
		limiter_put_later(s->limiter,
		    &(struct limiter_choice){.node = node, .number = item},
		    next_evaluation_s(s, page, evaluation->days));
}

void
page_leave(struct scheduler *s, uint32_t number)
{
	item_remove(
	    s, item_of(ITEM_PAGE, number), page_node(s, &s->pages[number]));
}

/* A page that is out needs an outcome first; a retired one must be returned. */
static bool
is_away(struct scheduler *s, uint32_t number)
{
	const struct sched_page *page = &s->pages[number];

	if ((page->flags & PAGE_OUT) == 0 && !page->is_retired)
		return false;
	if (page->is_retired)
		update_gain(s, number, 0);
	page_leave(s, number);
	return true;
}

void
page_reschedule(struct scheduler *s, uint32_t number)
{
	struct evaluation evaluation;
	double least;

	if (is_away(s, number))
		return;
	note_overdue(s, &s->pages[number], item_of(ITEM_PAGE, number));
	least = least_of(s, number);
	page_evaluate(s, number, 0, least, &evaluation);
	reschedule(s, number, least, &evaluation);
}

/* reschedule_some(scheduler, numbers, count, is_now): with is_now, pages
 * wait for their turn whatever they are worth. */
static void
reschedule_some(
    struct scheduler *s, uint32_t *numbers, size_t count, bool is_now)
{
	struct evaluation evaluations[EVALUATIONS_MAX];
	double least[EVALUATIONS_MAX];
	size_t n = 0;

	least[0] = 0;
	pages_prefetch(s, numbers, count);
	for (size_t i = 0; i < count; i++) {
		if (is_away(s, numbers[i]))
			continue;
		note_overdue(
		    s, &s->pages[numbers[i]], item_of(ITEM_PAGE, numbers[i]));
		least[n] = least_of(s, numbers[i]);
		numbers[n++] = numbers[i];
	}
	pages_evaluate(s, numbers, n, least, evaluations);
	for (size_t i = 0; i < n; i++)
		reschedule(
		    s, numbers[i], is_now ? 0 : least[i], &evaluations[i]);
}

void
pages_reschedule(struct scheduler *s, uint32_t *numbers, size_t count)
{
	reschedule_some(s, numbers, count, false);
}

void
pages_reschedule_now(struct scheduler *s, uint32_t *numbers, size_t count)
{
	reschedule_some(s, numbers, count, true);
}

void
page_put_back(struct scheduler *s, uint32_t number, int64_t for_s)
{
	const struct sched_page *page = &s->pages[number];
	uint32_t item = item_of(ITEM_PAGE, number);

	if (item_is_waiting(s, item) && (page->flags & PAGE_FORCED) == 0)
		limiter_put_later(s->limiter,
		    &(struct limiter_choice){
			.node = page_node(s, page), .number = item},
		    s->now_s + for_s);
}

/* Move pages that belong to other documents to the lists of those. */
static void
relink_pages(struct scheduler *s, uint32_t number)
{
	struct sched_source *source = &s->sources[number];
	uint32_t *at = &source->first;

	source->has_moved_pages = false;
	while (*at != 0) {
		struct sched_page *page = &s->pages[*at - 1];
		struct sched_source *home = &s->sources[page->document];
		uint32_t which = *at;

		if (page->document == number) {
			at = &page->next;
			continue;
		}
		/* the pages behind this one are still to be evaluated */
		if (source->refresh == which)
			source->refresh = page->next;
		*at = page->next;
		page->next = home->first;
		home->first = which;
	}
}

uint32_t
source_first_page(struct scheduler *s, uint32_t number)
{
	while (!fifo_is_empty(&s->relinks))
		relink_pages(s, fifo_take(&s->relinks));
	return s->sources[number].first;
}

void
source_refresh(struct scheduler *s, uint32_t number)
{
	struct sched_source *source = &s->sources[number];

	if (source->is_index)
		return;
	source->refresh = source_first_page(s, number);
	if (source->is_refreshing)
		return;
	source->is_refreshing = true;
	fifo_put(&s->refreshes, number);
}
