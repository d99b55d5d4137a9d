/* Pages inside the scheduler: see pages.h. */
#include "sched/pages.h"

#include <math.h>

#include "base/civil.h"
#include "sched/limiter.h"
#include "sched/quota.h"

/* A page that is no longer listed, but was not gone at its last fetch, is
 * fetched again after this time, since it may be gone by then. */
#define UNLISTED_S (30 * DAY_S)

_Static_assert(sizeof(struct sched_page) <= 60 + 16, "DESIGN 7");

/* The time of the last fetch, or the time when the page became known if it was
 * never fetched. */
static int64_t
since_s(const struct sched_page *page)
{
	return time_unpack(
	    page->fetched == NEVER ? page->added : page->fetched);
}

bool
page_is_overdue(const struct sched_pages *pages, const struct sched_page *page)
{
	uint32_t site = page_source(pages, page)->site;
	int64_t ceiling_s = pages->sites->items[site].is.page_ceiling_s;

	/* Pages that are no longer listed have no ceiling: only their value
	 * decides. With a ceiling, a site that moved would spend a tenth of all
	 * requests on pages that are gone, before its new pages. */
	return !page->is_retired &&
	    (page->again == NEVER ||
		pages->clock->now_s >= time_unpack(page->again)) &&
	    ceiling_s > 0 && (page->flags & PAGE_REMOVED) == 0 &&
	    pages->clock->now_s - since_s(page) >= ceiling_s;
}

int64_t
page_may_s(const struct sched_pages *pages, const struct sched_page *page)
{
	const struct sched_site *site = page_site(pages, page);
	int64_t may_s = pages->clock->now_s;

	/* Is the page gone and no longer listed? A page that is gone but still
	 * listed may come back, so it is not over. */
	if ((page->flags & PAGE_REMOVED) != 0 &&
	    (page->dead > 0 || page->fetched == NEVER))
		return SCHEDULER_NEVER;
	if (page->fetched != NEVER)
		may_s = time_unpack(page->fetched) + site->is.page_floor_s;
	if ((page->flags & (PAGE_REMOVED | PAGE_VERIFY)) == PAGE_REMOVED)
		may_s = time_unpack(page->fetched) + UNLISTED_S;
	/* A page that failed pauses. */
	if (page->again != NEVER && may_s < time_unpack(page->again))
		may_s = time_unpack(page->again);
	return may_s > pages->clock->now_s ? may_s : pages->clock->now_s;
}

/* Returns when the page will pass its ceiling. SCHEDULER_NEVER: it has passed
 * it already, or it has no ceiling. */
static int64_t
late_s(const struct sched_pages *pages, const struct sched_page *page)
{
	int64_t ceiling_s = page_site(pages, page)->is.page_ceiling_s;

	if (ceiling_s <= 0 || (page->flags & PAGE_REMOVED) != 0 ||
	    pages->clock->now_s - since_s(page) >= ceiling_s)
		return SCHEDULER_NEVER;
	return since_s(page) + ceiling_s;
}

/* Returns when to evaluate a page again that may be fetched now, but has too
 * little value. */
static int64_t
next_evaluation_s(
    struct sched_pages *pages, const struct sched_page *page, double days)
{
	int64_t late = late_s(pages, page), due_s;

	if (!(days < EVALUATION_DAYS))
		days = EVALUATION_DAYS;
	due_s = pages->clock->now_s + (int64_t)(days * 86400);
	if (page->place == PLACE_SILENT) {
		int64_t expects_s = quota_expects_s(pages, page);

		if (expects_s > pages->clock->now_s && expects_s < due_s)
			due_s = expects_s;
	}
	if (due_s <= pages->clock->now_s)
		due_s = pages->clock->now_s + 1;
	return due_s < late ? due_s : late;
}

void
page_set_gain(
    struct sched_pages *pages, uint32_t number, double gain, double moves)
{
	struct sched_page *page = &pages->items[number];
	struct gain kept = {page->gain, page->gain_place};

	source_add_gain(page_source(pages, page), &kept, gain, moves);
	page->gain = kept.value;
	page->gain_place = kept.place;
}

/* Update what the page adds to the value of a reading: how much the news that
 * its date moved would be worth, since it has not moved so far
 * (scheduling-formulas.md, P1). */
static void
update_gain(struct sched_pages *pages, uint32_t number, double moves)
{
	struct sched_page *page = &pages->items[number];
	struct evaluation evaluation;
	double gain = 0;

	if (!pages->options->reads_documents ||
	    page_source(pages, page)->is_index)
		return;
	if (moves > 0 && page->fetched != NEVER &&
	    (page->flags & PAGE_REMOVED) == 0) {
		page_evaluate(pages, number, 1, 0, &evaluation);
		gain = evaluation.value -
		    site_price(pages->sites, page_source(pages, page)->site)
			->price;
	}
	page_set_gain(pages, number, gain, moves);
}

/* The node where the page waits. */
static uint32_t
page_node(struct sched_pages *pages, const struct sched_page *page)
{
	struct sched_sites *sites = pages->sites;
	uint32_t number = page_source(pages, page)->site;
	struct sched_site *site = &sites->items[number];

	switch ((enum page_place)page->place) {
	case PLACE_SILENT:
		/* The node of the quota is made when it is needed, too. */
		if (site->silent != SCHEDULER_NONE)
			return site->silent;
		quota_set(sites, number, true);
		site->silent = limiter_node(sites->queues->limiter,
		    site->nodes[NODE_PAGES], site->quota,
		    &sites->queues->positions);
		site->price.levels = 0;
		return site->silent;
	case PLACE_UNLISTED:
		if (site->unlisted != SCHEDULER_NONE)
			return site->unlisted;
		/* The node for unlisted pages, which come after all others, is
		 * made when it is needed. */
		site->unlisted = limiter_node(sites->queues->limiter,
		    site->nodes[NODE_PAGES],
		    limiter_limit(
			sites->queues->limiter, &(struct limiter_limit){0}),
		    &sites->queues->positions);
		limiter_set_last(sites->queues->limiter, site->unlisted, true);
		site->price.levels = 0;
		return site->unlisted;
	case PLACE_HOST:
	case PAGE_PLACES:
		break;
	}
	return site->nodes[NODE_PAGES];
}

/* Put the page, which has been placed, where the evaluation says it belongs. */
static void
reschedule(struct sched_pages *pages, uint32_t number, double least,
    struct evaluation *evaluation)
{
	struct sched_page *page = &pages->items[number];
	uint32_t node = page_node(pages, page);
	uint32_t item = item_of(ITEM_PAGE, number);
	int64_t may_s = page_may_s(pages, page);

	update_gain(pages, number, evaluation->moves);
	if ((page->flags & ITEM_FORCED) != 0) {
		/* The page goes after those that passed their ceilings
		 * earlier, and one that was given back after all. */
		int64_t since = page->is_back
		    ? pages->clock->now_s
		    : since_s(page) + page_site(pages, page)->is.page_ceiling_s;

		evaluation->value = forced_value(
		    pages->queues, NODE_PAGES, since);
	} else if (may_s > pages->clock->now_s) {
		/* Handle a page that may not be fetched now, or not at all. */
		int64_t at_s = late_s(pages, page);

		queues_remove(pages->queues, item, node);
		if (may_s < at_s)
			at_s = may_s;
		if (at_s != SCHEDULER_NEVER)
			queues_evaluate_at(pages->queues, item, at_s);
		return;
	}
	/* NaN counts as 0 */
	if (!(evaluation->value >= 0))
		evaluation->value = 0;
	if (!queues_is_waiting(pages->queues, item))
		queues_remove(pages->queues, item, node);
	/* if the page waits already, only its value changes */
	if (evaluation->value < least) {
		limiter_put_later(pages->queues->limiter,
		    &(struct limiter_choice){.node = node, .number = item},
		    next_evaluation_s(pages, page, evaluation->days));
		return;
	}
	queues_wait(pages->queues, item, node, evaluation->value, &page->flags);
}

void
page_leave(struct sched_pages *pages, uint32_t number)
{
	queues_remove(pages->queues, item_of(ITEM_PAGE, number),
	    page_node(pages, &pages->items[number]));
}

void
page_reschedule(struct sched_pages *pages, uint32_t number, bool is_now)
{
	struct sched_page *page = &pages->items[number];
	uint32_t item = item_of(ITEM_PAGE, number);
	uint32_t site = page_source(pages, page)->site;
	struct evaluation evaluation;
	enum page_place place;
	double least;

	/* A leased page needs an outcome first, and a retired one must come
	 * back first. */
	if ((page->flags & ITEM_OUT) != 0 || page->is_retired) {
		if (page->is_retired)
			update_gain(pages, number, 0);
		page_leave(pages, number);
		return;
	}
	queues_note_overdue(
	    pages->queues, item, page_is_overdue(pages, page), &page->flags);
	/* The page is evaluated for the node at which it will wait. */
	place = quota_place(pages, page);
	if (page->place != (unsigned)place) {
		page_leave(pages, number);
		page->place = (unsigned)place & 3;
	}
	/* the least value with which pages are handed out there */
	least = DUE_SHARE * site_price(pages->sites, site)->value[page->place];
	page_evaluate(pages, number, 0, least, &evaluation);
	reschedule(pages, number, is_now ? 0 : least, &evaluation);
}

void
pages_reschedule(struct sched_pages *pages, const uint32_t *numbers,
    size_t count, bool is_now)
{
	/* Pages, their sources and their sites are spread over memory, so each
	 * access would miss the cache. */
	for (size_t i = 0; i < count; i++) {
		const struct sched_source *source = page_source(
		    pages, &pages->items[numbers[i]]);

		__builtin_prefetch(source, 0);
		__builtin_prefetch(&source->read_s, 0);
	}
	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(
		    page_site(pages, &pages->items[numbers[i]]), 0);
	for (size_t i = 0; i < count; i++)
		page_reschedule(pages, numbers[i], is_now);
}

void
page_put_back(struct sched_pages *pages, uint32_t number, int64_t for_s)
{
	const struct sched_page *page = &pages->items[number];
	uint32_t item = item_of(ITEM_PAGE, number);

	if (queues_is_waiting(pages->queues, item) &&
	    (page->flags & ITEM_FORCED) == 0)
		limiter_put_later(pages->queues->limiter,
		    &(struct limiter_choice){
			.node = page_node(pages, page), .number = item},
		    pages->clock->now_s + for_s);
}

uint32_t
source_first_page(struct sched_pages *pages, uint32_t number)
{
	/* Move each page that belongs to another document to the list of that
	 * document. */
	while (fifo_count(&pages->relinks) > 0) {
		uint32_t from = fifo_take(&pages->relinks);
		struct sched_source *source = &pages->sources->items[from];
		uint32_t *at = &source->first;

		source->has_moved_pages = false;
		while (*at != 0) {
			struct sched_page *page = &pages->items[*at - 1];
			struct sched_source *home = page_source(pages, page);
			uint32_t which = *at;

			if (page->document == from) {
				at = &page->next;
				continue;
			}
			/* the pages behind this one are still to be
			 * evaluated */
			if (source->refresh == which)
				source->refresh = page->next;
			*at = page->next;
			page->next = home->first;
			home->first = which;
		}
	}
	return pages->sources->items[number].first;
}

void
source_refresh(struct sched_pages *pages, uint32_t number)
{
	struct sched_source *source = &pages->sources->items[number];

	if (source->is_index)
		return;
	source->refresh = source_first_page(pages, number);
	if (source->is_refreshing)
		return;
	source->is_refreshing = true;
	fifo_put(&pages->refreshes, number);
}
