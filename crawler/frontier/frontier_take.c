/*
 * Handing out pages: see frontier_hand.h.
 *
 *	scheduler --chosen--> shelf of its host --its turn--> leased --> told
 *	    ^                                                   |
 *	    +---------------- over, or given back --------------+
 *
 * What is chosen may not be for whoever asks (its host is held, or has enough
 * out): then it waits on a shelf, and its host is asked for no more for a
 * moment.  What robots.txt refuses, or is of a site that is not wanted, stays
 * out until that changes; no limit counts it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "crawler/frontier/eligible_sites.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_holds.h"
#include "crawler/frontier/frontier_homes.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_listed.h"
#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_sites.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_show.h"
#include "sched/scheduler_some.h"
#include "sched/scheduler_tell.h"
#include "sched/scheduler_wants.h"

#define SECOND_MS 1000
/* Choices that may prove to be for others, in one call.  Those that are for
 * nobody are no tries: there may be any number of them, and a frontier that is
 * made for one call would come no further. */
#define TRIES_MOST 4096
/* Entries that are gone through in one call for nothing, some milliseconds. */
#define VAIN_MOST 20000
/* A document counts for so many besides, a page that stays out for so many, and
 * so much work of rules with stars for one. */
#define VAIN_DOCUMENT 100
#define VAIN_PAGE 10
#define VAIN_WORK 500
/* Hosts whose shelves are looked at in one call. */
#define SHELVES_MOST 1024
/* Pages of a host that wait before the scheduler is told to leave it alone. */
#define SHELF_FULL 8
/* The same where it is another host than that of their site. */
#define SHELF_OTHER_FULL 1000
#define PAUSE_S 1

static const char *
why_of(struct frontier *frontier, uint32_t number)
{
	struct scheduler_terms terms;

	switch ((enum scheduler_reason)frontier->pages[number].reason) {
	case REASON_NEW:
		return "new";
	case REASON_CEILING:
		return "ceiling";
	case REASON_REMOVED:
		return "removed";
	case REASON_INTERVAL:
	case REASON_OWED:
	case REASON_VALUE:
		break;
	}
	scheduler_explain_page(
	    frontier->scheduler, number, frontier->now_s, &terms);
	return terms.moves > 0 ? "lastmod-moved" : "value";
}

static struct site_at *
site_of(struct frontier *frontier, const struct page_at *page)
{
	return &frontier->sites[frontier->documents[page->document].site];
}

/* It waits for its host, or for somebody who may have it. */
static void
shelve(struct frontier *frontier, uint32_t number, int64_t ready_s)
{
	struct page_at *page = &frontier->pages[number];
	uint32_t name = frontier->origins[page->origin].host;
	uint32_t site_host = site_of(frontier, page)->host;
	struct host_at *host = &frontier->hosts[name];
	int64_t pause_s = ready_s - frontier->now_s;
	uint32_t full = SHELF_FULL;

	page->flags |= PAGE_SHELVED;
	chain_put(frontier, &host->shelf, number);
	host->shelf_count++;
	site_of(frontier, page)->shelved++;
	if (!ranking_has(&frontier->shelves, name))
		ranking_put(&frontier->shelves, name, ++frontier->turn);
	/* Another host than that of its site holds that one up only a little,
	 * and only when very many wait for it. */
	if (name != site_host) {
		pause_s = 0;
		full = SHELF_OTHER_FULL;
	}
	if (host->shelf_count < full && pause_s <= 0)
		return;
	host_pause(frontier, site_host,
	    frontier->now_s + (pause_s < PAUSE_S ? PAUSE_S : pause_s));
}

/* The first of a shelf, taken from it. */
static uint32_t
unshelve(struct frontier *frontier, uint32_t name)
{
	struct host_at *host = &frontier->hosts[name];
	uint32_t number = host->shelf.first - 1;
	struct page_at *page = &frontier->pages[number];

	chain_take(frontier, &host->shelf, number);
	page->flags &= (uint8_t)~PAGE_SHELVED;
	site_of(frontier, page)->shelved--;
	if (--host->shelf_count == 0)
		ranking_remove(&frontier->shelves, name);
	/* Who has had all of it may have more. */
	if (host->shelf_count == 0)
		host_unpause(frontier, site_of(frontier, page)->host);
	return number;
}

void
shelf_drop(struct frontier *frontier, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];
	struct origin_at *origin = &frontier->origins[page->origin];
	struct host_at *host = &frontier->hosts[origin->host];

	if ((page->flags & PAGE_SHELVED) != 0) {
		chain_take(frontier, &host->shelf, number);
		site_of(frontier, page)->shelved--;
		if (--host->shelf_count == 0)
			ranking_remove(&frontier->shelves, origin->host);
	}
	if ((page->flags & PAGE_CLOSED) != 0)
		chain_take(frontier, &origin->closed, number);
	page->flags &= (uint8_t) ~(PAGE_SHELVED | PAGE_CLOSED | PAGE_LEFT);
}

void
shelf_return(struct frontier *frontier, uint32_t number)
{
	if ((frontier->pages[number].flags & PAGE_SHELVED) == 0)
		return;
	shelf_drop(frontier, number);
	page_return(frontier, number);
}

/* Those of the site that wait for that host. */
static void
shelf_return_site(struct frontier *frontier, uint32_t name, uint32_t site)
{
	for (uint32_t page = frontier->hosts[name].shelf.first; page != 0;) {
		uint32_t number = page - 1;
		uint32_t document = frontier->pages[number].document;

		page = frontier->pages[number].next;
		if (frontier->documents[document].site == site)
			shelf_return(frontier, number);
	}
}

void
shelves_return(struct frontier *frontier, uint32_t number)
{
	const struct site_at *site = &frontier->sites[number];

	/* nearly all wait for the host of the site, or none does */
	if (site->shelved > 0)
		shelf_return_site(frontier, site->host, number);
	for (uint32_t i = 0; i < frontier->host_count && site->shelved > 0; i++)
		shelf_return_site(frontier, i, number);
}

/* May this one have a page of that host now?  *ready_s: when it may. */
static bool
may_have(struct frontier *frontier, const struct frontier_consumer *consumer,
    uint32_t number, int64_t *ready_s)
{
	const struct page_at *page = &frontier->pages[number];
	uint32_t name = frontier->origins[page->origin].host;
	uint32_t site = frontier->documents[page->document].site;

	*ready_s = host_ready_s(frontier, name, consumer->is_spaced);
	if (*ready_s > frontier->now_s)
		return false;
	if (!pace_allows(frontier, consumer, name)) {
		*ready_s = frontier->now_s + PAUSE_S;
		return false;
	}
	if (!consumer_has_room(frontier, consumer, name)) {
		if (consumer->is_spaced)
			*ready_s = frontier->now_s + PAUSE_S;
		return false;
	}
	if (!consumer_has_time(frontier, consumer, name))
		return false;
	if (!wanted_has(consumer, site))
		return false;
	return consumer_may_use(consumer, name);
}

/* One that waits and may be had by this one; NONE: there is none. */
static uint32_t
from_shelves(
    struct frontier *frontier, const struct frontier_consumer *consumer)
{
	size_t most = frontier->shelves.count;

	/* who wants little looks everywhere */
	if (most > SHELVES_MOST && consumer->wanted == NULL)
		most = SHELVES_MOST;

	while (most-- > 0) {
		uint32_t name = ranking_first(&frontier->shelves)->number;
		int64_t ready_s;

		ranking_put(&frontier->shelves, name, ++frontier->turn);
		if (may_have(frontier, consumer,
			frontier->hosts[name].shelf.first - 1, &ready_s))
			return unshelve(frontier, name);
	}
	return NONE;
}

static void
close_page(struct frontier *frontier, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];
	struct origin_at *origin = &frontier->origins[page->origin];

	page->flags |= PAGE_CLOSED;
	chain_put(frontier, &origin->closed, number);
}

/* Is it wanted, and allowed?  Else it stays out. */
static bool
is_open(struct frontier *frontier, uint32_t number, struct slice url)
{
	struct page_at *page = &frontier->pages[number];
	uint32_t site = frontier->documents[page->document].site;
	enum frontier_robots verdict;

	if (!home_is_wanted(frontier, number) ||
	    !site_wants(&frontier->sites[site], url)) {
		page->flags |= PAGE_LEFT;
		return false;
	}
	verdict = origin_judge(
	    frontier, page->origin, frontier_url(url).target, NULL);
	if (verdict == FRONTIER_ROBOTS_ALLOW)
		return true;
	if (verdict == FRONTIER_ROBOTS_UNKNOWN)
		document_of_robots(frontier, page->origin, site);
	close_page(frontier, number);
	return false;
}

/* The next one that the scheduler chooses; *vain: what was gone through for
 * nothing so far. */
static bool
choose(struct frontier *frontier, struct frontier_consumer *consumer,
    uint32_t *number, uint64_t *vain)
{
	struct scheduler_some *some = wanted_sites(consumer);
	struct scheduler_choice choice;
	struct page_at *page;

	if (some != NULL ? !scheduler_next_page(frontier->scheduler,
			       frontier->now_s, some, &choice)
			 : !scheduler_next_of(frontier->scheduler,
			       frontier->now_s, SCHEDULER_KINDS_PAGES, &choice))
		return false;
	*number = choice.number;
	if (choice.kind == SCHEDULER_LISTED) {
		site_at_work(frontier, frontier->documents[choice.number].site);
		*number = listed_take(frontier, choice.number);
	}
	if (*number == NONE) {
		/* what it lists is not wanted, or robots.txt refuses it */
		scheduler_spare(frontier->scheduler, &choice);
		*vain += frontier->documents[choice.number].listed +
		    VAIN_DOCUMENT;
		return true;
	}
	page = &frontier->pages[*number];
	page->reason = (uint8_t)choice.reason;
	/* what has no price comes first */
	page->value = (float)(isfinite(choice.value) ? choice.value
						     : choice.price);
	return true;
}

static void
describe(struct frontier *frontier, uint32_t number, const struct page_row *row,
    struct frontier_page *out)
{
	const struct page_at *page = &frontier->pages[number];

	out->url = row->url;
	out->host = frontier_url(row->url).host;
	out->due_s = frontier->now_s;
	out->value = (double)page->value;
	out->why = why_of(frontier, number);
	out->lastmod = (struct date){0};
	if (row->has_lastmod)
		out->lastmod = (struct date){.epoch_s = row->lastmod_s,
		    .precision = row->is_day ? DATE_DAY : DATE_SECOND,
		    .zone = row->is_day ? ZONE_NONE : ZONE_EXPLICIT};
	out->etag = row->etag;
	out->last_modified = row->last_modified;
	out->delay_ms = frontier->hosts[frontier->origins[page->origin].host]
			    .delay_ms;
}

/* A ceiling that is over for as long as it lasts, and that the pace of the host
 * does not allow to be kept. */
static void
note_late(struct frontier *frontier, uint32_t number, int64_t fetched_s)
{
	const struct page_at *page = &frontier->pages[number];
	struct site_at
	    *site = &frontier->sites[frontier->documents[page->document].site];
	struct frontier_round round;
	struct frontier_late late;

	if (page->reason != REASON_CEILING || fetched_s <= 0 || site->is_late ||
	    frontier->now_s - fetched_s < 2 * site->is.page_ceiling_s)
		return;
	round = site_round(
	    frontier, frontier->documents[page->document].site, true);
	if (!frontier_round_is_late(&round))
		return;
	site->is_late = true;
	late = (struct frontier_late){.pages = round.requests,
	    .ceiling_s = round.most_s,
	    .each_s = round.each_s};
	late.host = slice_of(names_text(&frontier->host_names, site->host));
	if (frontier->options.late != NULL)
		frontier->options.late(frontier->options.arg, &late);
}

/* Leased, and what the host owes is counted. */
static bool
hand(struct frontier *frontier, struct frontier_consumer *consumer,
    uint32_t number, struct frontier_page *out)
{
	struct page_at *page = &frontier->pages[number];
	struct host_at
	    *host = &frontier->hosts[frontier->origins[page->origin].host];
	int64_t until_s = frontier->now_s + consumer->lease_s;
	struct page_row row;
	uint32_t lease;

	if (!store_page_get(frontier->options.store, page->id, &row))
		return false;
	if (!is_open(frontier, number, row.url))
		return false;
	describe(frontier, number, &row, out);
	note_late(frontier, number, row.fetched_s);
	lease = store_lease(
	    frontier->options.store, page->id, frontier->now_s, until_s);
	if (lease == 0)
		return false;
	(void)snprintf(out->token, sizeof(out->token), "%" PRIx64 ".%x",
	    (uint64_t)page->id, lease);
	out->lease_until_s = until_s;
	lease_begin(frontier, consumer, number, until_s);
	budget_spend(&host->spacing, frontier->now_s * SECOND_MS, 1);
	pace_handed(frontier, frontier->origins[page->origin].host,
	    consumer->is_spaced && consumer->per_host <= 1);
	site_taken(frontier, frontier->documents[page->document].site);
	return true;
}

/* Nobody will ask for it: chosen just now, or a while ago. */
static void
leave(
    struct frontier *frontier, uint32_t number, bool is_chosen, uint64_t *vain)
{
	if (is_chosen)
		scheduler_spare(frontier->scheduler,
		    &(struct scheduler_choice){
			.kind = SCHEDULER_PAGE, .number = number});
	*vain += VAIN_PAGE;
}

bool
frontier_lease_some(struct frontier *frontier,
    struct frontier_consumer *consumer, int64_t now_s,
    struct frontier_page *out)
{
	uint64_t work = frontier->work;
	uint64_t vain = 0;
	int64_t ready_s;
	int tries = 0;

	frontier_expire(frontier, now_s);
	orphans_settle(frontier);
	wanted_refresh(frontier, consumer);
	pace_asked_for(frontier, consumer);
	consumer->is_later = false;
	while (tries < TRIES_MOST && !consumer->is_later) {
		uint32_t number = from_shelves(frontier, consumer);
		bool is_chosen = number == NONE;

		if (is_chosen && !choose(frontier, consumer, &number, &vain))
			return false;
		if (number != NONE) {
			if (!may_have(frontier, consumer, number, &ready_s)) {
				shelve(frontier, number, ready_s);
				tries++;
			} else if (hand(frontier, consumer, number, out)) {
				return true;
			} else {
				leave(frontier, number, is_chosen, &vain);
			}
		}
		if (store_failed(frontier->options.store) != DIAG_OK)
			return false;
		consumer->is_later = vain +
			(frontier->work - work) / VAIN_WORK >=
		    VAIN_MOST;
	}
	return false;
}

bool
frontier_lease(struct frontier *frontier, struct frontier_consumer *consumer,
    int64_t now_s, struct frontier_page *out)
{
	bool is_one;

	do
		is_one = frontier_lease_some(frontier, consumer, now_s, out);
	while (!is_one && consumer->is_later &&
	    store_failed(frontier->options.store) == DIAG_OK);
	return is_one;
}

/* When the first host that is held is free; now, if one is not held. */
static int64_t
all_held_s(const struct frontier *frontier)
{
	int64_t first_s = FRONTIER_NEVER;

	for (size_t i = 0; i < frontier->host_count; i++) {
		int64_t held_s = host_held_s(frontier, (uint32_t)i);

		if (held_s <= frontier->now_s)
			return frontier->now_s;
		if (held_s < first_s)
			first_s = held_s;
	}
	return frontier->host_count > 0 ? first_s : frontier->now_s;
}

int64_t
frontier_due_s(struct frontier *frontier, int64_t now_s)
{
	const struct ranking_item *first;
	int64_t due_s, held_s;

	now_s = frontier_clock(frontier, now_s);
	due_s = scheduler_due_of_s(
	    frontier->scheduler, now_s, SCHEDULER_KINDS_PAGES);
	/* What waits may be for others, or its host for a while yet. */
	if (frontier->shelves.count > 0 && due_s > now_s + PAUSE_S)
		due_s = now_s + PAUSE_S;
	first = ranking_first(&frontier->leases);
	if (first != NULL && (double)due_s > first->key)
		due_s = (int64_t)first->key;
	held_s = all_held_s(frontier);
	return due_s > held_s ? due_s : held_s;
}
