/*
 * What to request next: see scheduler_next.h.
 *
 *	calendar --may be requested--> waiting --its turn--> out
 *	   ^                                                  |
 *	   +------------- event (scheduler_events.h) ---------+
 *
 * A page is in the calendar until it may be fetched; then it waits, and its
 * value grows.  The best page whose host may be asked goes out, so nobody who
 * asks gets nothing while there is one.  A page below the level of its node is
 * evaluated again when it will be worth the level, other waiting items in turn
 * (limiter.h).  A reading waits once it is worth the price, which is 0 where no
 * budget binds.
 */
#include "sched/scheduler_next.h"

#include <assert.h>
#include <math.h>

#include "sched/estimate.h"
#include "sched/quota.h"
#include "sched/scheduler_parts.h"

/* At most this many sites with a page are compared.  Looking at 10,000 sites
 * that have none takes less than a millisecond. */
#define SITES_COMPARED 64
#define BATCH 64 /* items that are evaluated together */
/* How many evaluations a tick makes at least, however few requests the last
 * one made. */
#define EVALUATIONS_LEAST 64
/* How many due items a tick evaluates at most.  After that, each request
 * evaluates EVALUATIONS_MORE items, until none is left. */
#define EVALUATIONS_MOST 65536
#define EVALUATIONS_MORE 1024
/* How many pages that are refreshed, and how many waiting items, each request
 * evaluates.  With 1 waiting item a million pages lost two points of freshness;
 * with 2 a request costs a fifth more. */
#define REFRESH_EVALUATIONS 4
#define WAITING_EVALUATIONS 1.5
/* A waiting item was evaluated in this tick or the one before; if its value
 * has fallen below this share of what it was then, it is put back with the
 * new one. */
#define STALE_SHARE 0.99
/* How many items may prove to have lost value before one of them is taken. */
#define TRIES_MOST 64
/* A reading is made while it is worth this share of the price. */
#define READING_SHARE 0.5
/* This share of a site's requests for pages goes to unlisted pages, besides
 * the requests for which nothing else waits.  UNLISTED_MAX of them may be
 * saved up. */
#define UNLISTED_SHARE 0.02F
#define UNLISTED_MAX 2
/* So much of a request for a ceiling each other request earns, and how many may
 * be made at once. */
#define CEILINGS_SHARE 0.1
#define CEILINGS_MAX 4
/* How many of the next items at a node are fetched into the cache, and how
 * many of those with their sources. */
#define NEXT_PAGES 7
#define CACHE_LINE 64
#define NEXT_SOURCES 3
/* For this many seconds, a page that was given back comes after the other pages
 * of its host. */
#define BACK_S 60

static uint32_t
kinds_node(const struct scheduler *s, unsigned kinds)
{
	if (kinds == SCHEDULER_KINDS_ALL)
		return LIMITER_ROOT;
	return s->hosts
	    .kind_nodes[kinds == SCHEDULER_KINDS_PAGES ? NODE_PAGES
						       : NODE_READINGS];
}

/* enum item_flag, with others. */
static uint8_t *
item_flags(const struct sched_pages *pages, uint32_t item)
{
	uint32_t number = item_number(item);

	if (item_kind(item) == ITEM_PAGE)
		return &pages->items[number].flags;
	return item_kind(item) == ITEM_READING
	    ? &pages->sources->items[number].flags
	    : &pages->sources->items[number].listed_flags;
}

static void
item_reschedule(struct sched_pages *pages, uint32_t item)
{
	uint32_t number = item_number(item);

	if (item_kind(item) == ITEM_PAGE)
		page_reschedule(pages, number, false);
	else if (item_kind(item) == ITEM_READING)
		source_reschedule(pages->sources, number);
	else
		source_reschedule_listed(pages->sources, number);
}

/* Evaluate and place all these items. Pages are evaluated together. */
static void
reschedule_all(struct sched_pages *pages, const uint32_t *items, size_t count)
{
	uint32_t numbers[BATCH];
	size_t n = 0;

	/* Pages are spread over memory.  These are known in advance, so they
	 * can be fetched into the cache. */
	for (size_t i = 0; i < count; i++)
		if (item_kind(items[i]) == ITEM_PAGE)
			__builtin_prefetch(
			    &pages->items[item_number(items[i])], 1);
	for (size_t i = 0; i < count; i++)
		if (item_kind(items[i]) == ITEM_PAGE)
			numbers[n++] = item_number(items[i]);
		else
			item_reschedule(pages, items[i]);
	pages_reschedule(pages, numbers, n, false);
}

/* Take up to `most` entries of the FIFO of waiting items, and write those
 * that still wait. */
static size_t
take_waiting(struct sched_pages *pages, uint32_t *items, size_t most)
{
	size_t all = fifo_count(&pages->queues->waiting);
	size_t count = all < most ? all : most;
	const uint32_t *first = pages->queues->waiting.items +
	    pages->queues->waiting.first;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (item_kind(first[i]) == ITEM_PAGE)
			__builtin_prefetch(
			    &pages->items[item_number(first[i])], 1);
	for (size_t i = 0; i < count; i++) {
		items[n] = fifo_take(&pages->queues->waiting);
		*item_flags(pages, items[n]) &= (uint8_t)~ITEM_WAITING;
		n += queues_is_waiting(pages->queues, items[n]);
	}
	return n;
}

/* Evaluate items that are due: those for later that are now worth the level of
 * their node, or those of the calendar.  After a leap of the clock all items
 * may be due, and evaluating them takes many calls.  Returns how many were
 * evaluated. */
static size_t
evaluate_due(struct scheduler *s, bool is_later, size_t most)
{
	uint32_t items[BATCH];
	size_t n = BATCH, done = 0;

	while (n == BATCH && done < most) {
		n = is_later ? limiter_take_due(s->queues.limiter, items, BATCH)
			     : queues_take_due(&s->queues, items, BATCH);
		reschedule_all(&s->pages, items, n);
		done += n;
	}
	if (!is_later)
		s->is_behind = n == BATCH;
	return done;
}

static void
begin_tick(struct scheduler *s)
{
	int64_t tick = s->clock.now_s / s->options.tick_s;

	if (tick == s->tick) {
		if (s->is_behind)
			(void)evaluate_due(s, false, EVALUATIONS_MORE);
		return;
	}
	limiter_end_tick(s->queues.limiter, s->clock.now_s * 1000);
	s->sites.levels++;
	s->tick = tick;
	/* for its effect: items for later become due */
	(void)limiter_wait_ms(
	    s->queues.limiter, s->clock.now_s * 1000, LIMITER_ROOT);
	(void)evaluate_due(s, true, EVALUATIONS_MOST);
	/* Evaluate pages of sources that source_refresh asked for. */
	size_t left = EVALUATIONS_LEAST + REFRESH_EVALUATIONS * s->asked;
	uint32_t pages[BATCH];

	while (left > 0 && fifo_count(&s->pages.refreshes) > 0) {
		uint32_t number = fifo_take(&s->pages.refreshes);
		struct sched_source *source = &s->sources.items[number];
		size_t n = 0;

		for (; n < left && n < BATCH && source->refresh != 0; n++) {
			pages[n] = source->refresh - 1;
			source->refresh = s->pages.items[pages[n]].next;
		}
		left -= n;
		pages_reschedule(&s->pages, pages, n, false);
		if (source->refresh != 0)
			fifo_put(&s->pages.refreshes, number);
		else
			source->is_refreshing = false;
	}
	/* Evaluate some waiting items again, since their values grow while they
	 * wait. */
	size_t most = EVALUATIONS_LEAST +
	    (size_t)(WAITING_EVALUATIONS * (double)s->asked);

	left = fifo_count(&s->queues.waiting);
	for (left = left < most ? left : most; left > 0;) {
		size_t some = left < BATCH ? left : BATCH;

		reschedule_all(
		    &s->pages, pages, take_waiting(&s->pages, pages, some));
		left -= some;
	}
	(void)evaluate_due(s, false, EVALUATIONS_MOST);
	s->asked = 0;
}

/* Let the first overdue item of these kinds wait as due.  False: there is none
 * that is still late, or waits. */
static bool
force_one(struct sched_pages *pages, unsigned kinds)
{
	uint32_t item;

	while (queues_take_overdue(pages->queues, kinds, &item)) {
		uint8_t *flags = item_flags(pages, item);
		uint32_t number = item_number(item);
		bool is_page = item_kind(item) == ITEM_PAGE;
		bool is_late = item_kind(item) == ITEM_LISTED ||
		    (is_page ? page_is_overdue(pages, &pages->items[number])
			     : source_is_overdue(pages->sources,
				   &pages->sources->items[number]));

		*flags &= (uint8_t)~ITEM_OVERDUE;
		if ((*flags & ITEM_OUT) != 0 || (is_page && !is_late))
			continue;
		if (is_late)
			*flags |= ITEM_FORCED;
		item_reschedule(pages, item);
		/* A listed page may be too young by now.  A document that is
		 * not late waits for its value, or for its quota. */
		if ((*flags & ITEM_FORCED) != 0 ||
		    (!is_late && queues_is_waiting(pages->queues, item)))
			return true;
	}
	return false;
}

/* The choice. */

/* Compute the present value of the item.  INFINITY: the item is due whatever
 * its value is.  Returns false if the item was moved to its right place
 * instead. */
static bool
evaluate_best(
    struct scheduler *s, const struct limiter_choice *best, double *value)
{
	uint32_t number = item_number(best->number);
	const struct sched_source *source;
	const struct sched_page *page;
	struct evaluation evaluation;
	int64_t now_ms = s->clock.now_s * 1000;

	*value = INFINITY;
	switch (item_kind(best->number)) {
	case ITEM_READING:
		source = &s->sources.items[number];
		if (source_allowed_s(&s->sources, source) > s->clock.now_s)
			break;
		if (budget_ready_ms(&s->documents, now_ms, 1) > now_ms) {
			queues_remove(&s->queues, best->number, best->node);
			queues_evaluate_at(&s->queues, best->number,
			    budget_ready_ms(&s->documents, now_ms, 1) / 1000 +
				1);
			return false;
		}
		if (!IS_FORCED(best->value))
			*value = source_evaluate(&s->sources, number, 0);
		if (*value >=
		    READING_SHARE * site_price(&s->sites, source->site)->price)
			return true;
		break;
	case ITEM_LISTED:
		if (!IS_FORCED(best->value))
			*value = source_listed_value(&s->sources, number);
		return true;
	case ITEM_PAGE:
		/* The ceiling, floor or site of the page may have changed since
		 * it began to wait. */
		page = &s->pages.items[number];
		if ((page->flags & ITEM_FORCED) != 0
			? page_is_overdue(&s->pages, page)
			: page_may_s(&s->pages, page) <= s->clock.now_s &&
			    page->place ==
				(unsigned)quota_place(&s->pages, page)) {
			if (IS_FORCED(best->value))
				return true;
			page_evaluate(&s->pages, number, 0, 0, &evaluation);
			*value = evaluation.value;
			return true;
		}
		break;
	}
	item_reschedule(&s->pages, best->number);
	return false;
}

/* Requests for listed pages earn the site a few for unlisted ones. */
static void
count_unlisted(struct sched_sites *sites, uint32_t number, bool is_unlisted)
{
	struct sched_site *site = &sites->items[number];

	if (!is_unlisted && site->unlisted_credit < UNLISTED_MAX)
		site->unlisted_credit += UNLISTED_SHARE;
	else if (is_unlisted)
		site->unlisted_credit = fmaxf(site->unlisted_credit - 1, 0);
	if (site->unlisted != SCHEDULER_NONE)
		limiter_set_last(sites->queues->limiter, site->unlisted,
		    site->unlisted_credit < 1);
}

/* find_choice(scheduler, kinds, node, best, value): the best item of these
 * kinds at the node that may be sent, and its value now. */
static bool
find_choice(struct scheduler *s, unsigned kinds, uint32_t node,
    struct limiter_choice *best, double *value)
{
	struct limiter_choice fallen = {.value = -1};
	int64_t now_ms = s->clock.now_s * 1000;
	int tries = 0;
	bool is_found;

	/* Readings have a budget of their own, and cost less than all the
	 * pages that wait for them. */
	if (kinds == SCHEDULER_KINDS_DOCUMENTS)
		while (force_one(&s->pages, kinds))
			continue;
	for (;;) {
		if (s->ceilings >= 1 && force_one(&s->pages, kinds))
			s->ceilings--;
		is_found = limiter_best(s->queues.limiter, now_ms, node, best);
		if (evaluate_due(s, true, EVALUATIONS_MOST) > 0)
			continue;
		if (!is_found) {
			if (budget_ready_ms(&s->all, now_ms, 1) > now_ms ||
			    !force_one(&s->pages, kinds))
				return false;
			continue;
		}
		if (best->is_later) {
			/* No item that may be sent is worth the level of its
			 * node.  The next items for later wait with their
			 * present values from now on, and the level falls. */
			uint32_t items[BATCH];
			size_t n = limiter_take_later(
			    s->queues.limiter, best->node, items, BATCH);

			limiter_accept(s->queues.limiter, best->node, -1);
			for (size_t i = 0; i < n; i++)
				items[i] = item_number(items[i]);
			pages_reschedule(&s->pages, items, n, true);
			continue;
		}
		if (!evaluate_best(s, best, value))
			continue;
		if (*value >= best->value * STALE_SHARE)
			return true;
		/* The item has lost value, and waits on with its new one. */
		limiter_put(s->queues.limiter,
		    &(struct limiter_choice){.node = best->node,
			.number = best->number,
			.value = (float)*value});
		/* Remember the best of such items.  One event may lower the
		 * values of all pages of a site; then this item is good
		 * enough. */
		if (*value > (double)fallen.value) {
			fallen = *best;
			fallen.value = (float)*value;
		}
		if (++tries < TRIES_MOST ||
		    !queues_is_waiting(&s->queues, fallen.number))
			continue;
		*best = fallen;
		*value = (double)best->value;
		return true;
	}
}

/* Describe the choice, and take the item out of its queue. */
static void
send_choice(struct scheduler *s, const struct limiter_choice *best,
    double value, struct scheduler_choice *choice)
{
	uint32_t number = item_number(best->number);
	uint32_t document = item_kind(best->number) == ITEM_PAGE
	    ? s->pages.items[number].document
	    : number;
	uint32_t site = s->sources.items[document].site;

	*choice = (struct scheduler_choice){.number = number,
	    .reason = REASON_VALUE,
	    .value = value,
	    .price = site_price(&s->sites, site)->price};
	/* unlisted pages say nothing about the value of other pages */
	if (!isinf(value) && best->node != s->sites.items[site].unlisted)
		limiter_accept(s->queues.limiter, best->node, value);
	limiter_send(s->queues.limiter, s->clock.now_s * 1000, best);
	budget_spend(&s->all, s->clock.now_s * 1000, 1);
	s->asked++;
	/* what was due because of its ceiling earns nothing for ceilings */
	if ((*item_flags(&s->pages, best->number) & ITEM_FORCED) == 0 &&
	    s->ceilings < CEILINGS_MAX)
		s->ceilings += CEILINGS_SHARE;
	/* Bring items that may be next into the cache. */
	uint32_t items[NEXT_PAGES];
	size_t n = limiter_first(
	    s->queues.limiter, best->node, items, NEXT_PAGES);

	for (size_t i = 0; i < n; i++) {
		const struct sched_page *page;

		if (item_kind(items[i]) != ITEM_PAGE)
			continue;
		page = &s->pages.items[item_number(items[i])];
		__builtin_prefetch(page, 1);
		/* the request before has fetched the pages of the first items
		 * into the cache */
		if (i < NEXT_SOURCES)
			__builtin_prefetch(page_source(&s->pages, page), 0);
	}

	switch (item_kind(best->number)) {
	case ITEM_READING: {
		struct sched_source *source = &s->sources.items[number];

		choice->kind = SCHEDULER_DOCUMENT;
		if ((source->flags & ITEM_FORCED) != 0)
			choice->reason = source->owed_s != 0 &&
				s->clock.now_s >= source->owed_s
			    ? REASON_OWED
			    : REASON_CEILING;
		else if (source->read_s == SCHEDULER_NEVER)
			choice->reason = REASON_NEW;
		else if (IS_FORCED(choice->value))
			choice->reason = REASON_INTERVAL;
		source->flags |= ITEM_OUT;
		/* What a ceiling demands comes on top of the quota. */
		if (source->read_s == SCHEDULER_NEVER ||
		    !source_is_exempt(&s->sources, source))
			quota_asked(&s->sources, site, source, 1);
		budget_spend(
		    &s->documents, s->clock.now_s * 1000, source->cost);
	} break;
	case ITEM_LISTED:
		choice->kind = SCHEDULER_LISTED;
		choice->reason = REASON_NEW;
		backlog_take(&s->sources.items[number].backlog);
		s->sources.items[number].listed_flags &= (uint8_t)~ITEM_FORCED;
		count_unlisted(&s->sites, site, false);
		source_reschedule_listed(&s->sources, number);
		break;
	case ITEM_PAGE: {
		struct sched_page *page = &s->pages.items[number];

		choice->kind = SCHEDULER_PAGE;
		if ((page->flags & ITEM_FORCED) != 0)
			choice->reason = REASON_CEILING;
		else if (page->fetched == NEVER || page_is_anew(page))
			choice->reason = REASON_NEW;
		else if ((page->flags & PAGE_VERIFY) != 0)
			choice->reason = REASON_REMOVED;
		page->flags |= ITEM_OUT;
		quota_sent(&s->sites, site, page, 1);
		count_unlisted(&s->sites, site, page->place == PLACE_UNLISTED);
		/* Fetch the trust into the cache: if the answer comes at once,
		 * trust is needed next. */
		const struct trust *trust = source_dates(
		    page_source(&s->pages, page));
		for (size_t i = 0; i < TRUST_CELLS;
		     i += CACHE_LINE / sizeof(float))
			__builtin_prefetch(&trust->cells[i], 1);
		__builtin_prefetch(&trust->moves, 1);
	} break;
	}
}

bool
scheduler_next_of(struct scheduler *s, int64_t now_s, unsigned kinds,
    struct scheduler_some *some, struct scheduler_choice *choice)
{
	uint32_t node = kinds_node(s, kinds);
	struct limiter_choice best;
	size_t at = 0;
	int64_t now_ms;
	double value;
	bool is_found;

	assert(kinds == SCHEDULER_KINDS_ALL ||
	    (kinds > 0 && kinds < SCHEDULER_KINDS_ALL &&
		s->options.asks_apart));
	assert(some == NULL || kinds == SCHEDULER_KINDS_PAGES);
	if (some != NULL && some->count == 0)
		return false;
	clock_set(s, now_s);
	now_ms = s->clock.now_s * 1000;
	begin_tick(s);
	/* the best page of a site may prove to belong to another site by now */
	do {
		/* Find the site whose best page is the best.  Sites are looked
		 * at in turn, until some of them have a page. */
		size_t found = 0;
		float most = 0;

		for (size_t i = 0;
		     some != NULL && i < some->count && found < SITES_COMPARED;
		     i++) {
			size_t site = (some->at + i) % some->count;

			if (!limiter_best(s->queues.limiter, now_ms,
				s->sites.items[some->sites[site]]
				    .nodes[NODE_PAGES],
				&best) ||
			    (found++ > 0 && best.value <= most))
				continue;
			most = best.value;
			at = site;
		}
		if (some != NULL && found == 0 &&
		    (budget_ready_ms(&s->all, now_ms, 1) > now_ms ||
			!force_one(&s->pages, kinds)))
			return false;
		if (some != NULL)
			node = s->sites.items[some->sites[at]]
				   .nodes[NODE_PAGES];
		is_found = find_choice(s, kinds, node, &best, &value);
	} while (!is_found && some != NULL);
	if (some != NULL)
		some->at = at + 1;
	if (is_found)
		send_choice(s, &best, value, choice);
	return is_found;
}

void
scheduler_give_back(
    struct scheduler *s, int64_t now_s, const struct scheduler_choice *choice)
{
	struct sched_source *source = choice->kind == SCHEDULER_PAGE
	    ? NULL
	    : sched_source_at(s, choice->number);
	struct sched_page *page;

	clock_set(s, now_s);
	switch (choice->kind) {
	case SCHEDULER_PAGE:
		page = sched_page_at(s, choice->number);
		page->flags &= (uint8_t) ~(ITEM_OUT | ITEM_FORCED);
		page->is_back = true;
		page_reschedule(&s->pages, choice->number, false);
		page_put_back(&s->pages, choice->number, BACK_S);
		break;
	case SCHEDULER_LISTED:
		/* the page goes to the end of the backlog */
		backlog_set(&source->backlog, source->backlog.count + 1,
		    s->clock.now_s);
		source_reschedule_listed(&s->sources, choice->number);
		break;
	case SCHEDULER_DOCUMENT:
		source->flags &= (uint8_t) ~(ITEM_OUT | ITEM_FORCED);
		quota_asked(&s->sources, source->site, source, -1);
		source_reschedule(&s->sources, choice->number);
		break;
	}
}

void
scheduler_spare(struct scheduler *s, const struct scheduler_choice *choice)
{
	uint32_t document = choice->number;
	int64_t now_ms = s->clock.now_s * 1000;

	assert(choice->kind != SCHEDULER_DOCUMENT);
	if (choice->kind == SCHEDULER_PAGE)
		document = s->pages.items[choice->number].document;
	budget_spend(&s->all, now_ms, -1);
	if (choice->kind == SCHEDULER_PAGE)
		quota_sent(&s->sites, s->sources.items[document].site,
		    &s->pages.items[choice->number], -1);
	limiter_spend(s->queues.limiter, now_ms,
	    s->sites.items[s->sources.items[document].site].nodes[NODE_PAGES],
	    -1);
}

/* When the next item will be due. */

int64_t
scheduler_due_of_s(struct scheduler *s, int64_t now_s, unsigned kinds)
{
	int64_t next_s, wait_ms;

	clock_set(s, now_s);
	next_s = queues_next_s(&s->queues);
	if (s->tick == INT64_MIN)
		next_s = s->clock.now_s;
	/* Due items are evaluated once a tick, if that is enough. */
	else if (next_s <= s->clock.now_s && s->is_behind)
		next_s = s->clock.now_s + 1;
	else if (next_s <= s->clock.now_s &&
	    s->tick == s->clock.now_s / s->options.tick_s)
		next_s = (s->tick + 1) * s->options.tick_s;
	wait_ms = limiter_wait_ms(
	    s->queues.limiter, s->clock.now_s * 1000, kinds_node(s, kinds));
	if (wait_ms >= 0 && s->clock.now_s + (wait_ms + 999) / 1000 < next_s)
		next_s = s->clock.now_s + (wait_ms + 999) / 1000;
	return next_s > s->clock.now_s ? next_s : s->clock.now_s;
}

int64_t
scheduler_ready_s(
    struct scheduler *s, enum scheduler_limits limits, uint32_t number)
{
	int64_t now_ms = s->clock.now_s * 1000;
	int64_t ready_ms = now_ms, node_ms = now_ms;

	if (limits != LIMITS_TAG)
		ready_ms = budget_ready_ms(&s->all, now_ms, 1);
	if (limits == LIMITS_SITE) {
		node_ms = limiter_ready_ms(s->queues.limiter, now_ms,
		    sched_site_at(s, number)->nodes[NODE_PAGES]);
	} else if (limits == LIMITS_TAG) {
		assert(number < s->hosts.tag_count);
		node_ms = limiter_ready_ms(s->queues.limiter, now_ms,
		    s->hosts.tags[number].nodes[NODE_PAGES]);
	}
	if (node_ms > ready_ms)
		ready_ms = node_ms;
	if (ready_ms > INT64_MAX - 999)
		return SCHEDULER_NEVER;
	return ready_ms <= now_ms ? s->clock.now_s : (ready_ms + 999) / 1000;
}

int64_t
scheduler_item_due_s(
    const struct scheduler *s, enum scheduler_kind kind, uint32_t number)
{
	uint32_t item = item_of(
	    kind == SCHEDULER_PAGE ? ITEM_PAGE : ITEM_LISTED, number);
	const struct sched_page *page;
	int64_t at_s;

	assert(kind != SCHEDULER_DOCUMENT);
	assert(number <
	    (kind == SCHEDULER_PAGE ? s->pages.count : s->sources.count));
	at_s = queues_is_waiting(&s->queues, item)
	    ? INT64_MIN
	    : queues_due_s(&s->queues, item);
	if (at_s == INT64_MIN || at_s == SCHEDULER_NEVER ||
	    kind == SCHEDULER_LISTED)
		return at_s;
	/* A page in the calendar may be fetched once its floor has passed. */
	page = &s->pages.items[number];
	if ((page->flags & PAGE_REMOVED) != 0)
		return at_s;
	if (page->fetched == NEVER)
		return s->clock.now_s;
	return time_unpack(page->fetched) +
	    page_site(&s->pages, page)->is.page_floor_s;
}

/* What is believed, for people. */

/* Show what is believed, and the dates from which it was learned. */
static void
show_view(struct scheduler_terms *terms, const struct scheduler *s,
    const struct view *view, const struct pending *pending,
    const struct sched_source *source)
{
	const struct trust *trust = source_dates(source);
	struct trust_figures figures = trust_figures(trust), hinted;
	const struct hints *hints = source_site(&s->sources, source)->hints;

	if (hints != NULL) {
		hinted = trust_figures(&hints->trust);
		terms->has_hints = true;
		terms->hint_precision = hinted.precision;
		terms->hint_recall = hinted.recall;
		terms->hint_checks = (double)hints->trust.moves;
		terms->hints = (unsigned)pending->hints;
	}
	terms->weight = view->rates.weight;
	terms->days = pending->tau;
	terms->changes_per_day = view->changes_per_day;
	terms->alpha = view->rates.alpha;
	terms->gamma = view->rates.gamma;
	terms->q = view->rates.q;
	terms->hazard = isinf(pending->tau)
	    ? INFINITY
	    : value_hazard(&view->rates, &view->evidence);
	terms->fresh = exp(-terms->hazard);
	terms->moves = (unsigned)pending->moves;
	terms->mass = (unsigned)pending->mass;
	terms->precision = figures.precision;
	terms->recall = figures.recall;
	terms->mass_precision = figures.mass_precision;
	terms->checks = (double)trust->moves;
	terms->generator = source_known(source);
	terms->is_gated = trust->is_gated;
	terms->is_believed = figures.is_believed;
	terms->is_distrusted = figures.is_distrusted;
}

static void
show_place(struct scheduler_terms *terms, struct scheduler *s, uint32_t site,
    uint32_t item)
{
	terms->price = site_price(&s->sites, site)->price;
	terms->is_waiting = queues_is_waiting(&s->queues, item);
	terms->due_s = queues_due_s(&s->queues, item);
}

/* What would be due waits for the quota of its site, which has something left
 * at left_s. */
static void
show_quota(struct scheduler_terms *terms, int64_t left_s, int64_t now_s)
{
	if (left_s <= now_s || (!terms->is_waiting && terms->due_s > left_s))
		return;
	terms->is_waiting = false;
	terms->is_quota = true;
	terms->due_s = left_s;
}

void
scheduler_explain_page(struct scheduler *s, uint32_t number, int64_t now_s,
    struct scheduler_terms *terms)
{
	struct sched_page *page = sched_page_at(s, number);
	const struct sched_source *source = page_source(&s->pages, page);
	struct evaluation evaluation;
	struct estimate_of of;
	struct pending pending;
	struct view view;

	clock_set(s, now_s);
	page_evaluate(&s->pages, number, 0, 0, &evaluation);
	*terms = (struct scheduler_terms){.value = evaluation.value};
	if ((page->flags & ITEM_FORCED) != 0)
		terms->value = INFINITY;
	page_estimate(&s->pages, number, &of, &pending);
	estimate_view(&view, &of, &pending);
	view.rates.weight = (double)page->weight *
	    page_site(&s->pages, page)->is.weight;
	show_view(terms, s, &view, &pending, source);
	show_place(terms, s, source->site, item_of(ITEM_PAGE, number));
	/* a page without a known change waits for the quota */
	if (terms->is_waiting && (page->flags & ITEM_FORCED) == 0 &&
	    page->place == PLACE_SILENT)
		show_quota(
		    terms, quota_ready_s(&s->sites, source->site), now_s);
	terms->is_out = (page->flags & ITEM_OUT) != 0;
	terms->is_overdue = page_is_overdue(&s->pages, page);
	terms->failures = page->failures;
	if (page->again != NEVER && time_unpack(page->again) > s->clock.now_s)
		terms->again_s = time_unpack(page->again);
}

void
scheduler_explain_listed(struct scheduler *s, uint32_t number, int64_t now_s,
    struct scheduler_terms *terms)
{
	const struct sched_source *source = sched_source_at(s, number);

	clock_set(s, now_s);
	*terms = (struct scheduler_terms){
	    .value = source_listed_value(&s->sources, number),
	    .weight = source_site(&s->sources, source)->is.weight,
	    .days = INFINITY,
	    .hazard = INFINITY};
	if ((source->listed_flags & ITEM_FORCED) != 0)
		terms->value = INFINITY;
	terms->changes_per_day = rate_mean(
	    &source_site(&s->sources, source)->rates, &s->sections.rates);
	show_place(terms, s, source->site, item_of(ITEM_LISTED, number));
	terms->is_overdue = (source->listed_flags &
				(ITEM_OVERDUE | ITEM_FORCED)) != 0;
}

void
scheduler_explain_document(struct scheduler *s, uint32_t number, int64_t now_s,
    struct scheduler_terms *terms)
{
	struct sched_source *source = sched_source_at(s, number);
	bool is_forced = (source->flags & ITEM_FORCED) != 0;
	struct pending pending;
	struct view view;

	clock_set(s, now_s);
	*terms = (struct scheduler_terms){
	    .value = source_evaluate(&s->sources, number, 0)};
	if (IS_FORCED(terms->value) || is_forced)
		terms->value = INFINITY;
	source_view(&s->sources, number, 0, &view, &pending);
	show_view(terms, s, &view, &pending, source);
	terms->weight = source_rules(&s->sources, source)->weight;
	show_place(terms, s, source->site, item_of(ITEM_READING, number));
	if (!is_forced)
		show_quota(terms, source_allowed_s(&s->sources, source), now_s);
	terms->is_out = (source->flags & ITEM_OUT) != 0;
	terms->is_overdue = source_is_overdue(&s->sources, source);
	terms->owed_s = source->owed_s;
	terms->failures = source->failures;
	if (source->failures > 0 && source->held_s > s->clock.now_s)
		terms->again_s = source->held_s;
}
