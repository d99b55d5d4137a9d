/*
 * Leasing pages: see frontier_lease.h.
 *
 *	scheduler --chosen--> ready queue --turn of its host--> leased -->
 *result ^                                                     |
 *	    +----------------- lease over, or given back ---------+
 *
 * A chosen page may not be for the consumer that asks, because its host is held
 * or has enough pages out.  Then the page waits in the ready queue of its host,
 * and the scheduler chooses none of that host for a moment.  A page that
 * robots.txt disallows, or whose site does not want it, stays chosen until that
 * changes, and no limit counts it.
 */
#include "crawler/frontier/frontier_lease.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "crawler/frontier/consumer_table.h"
#include "crawler/frontier/eligible_sites.h"
#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_listed.h"
#include "crawler/frontier/frontier_origins.h"
#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/frontier/frontier_pages.h"
#include "crawler/frontier/frontier_ready.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/url_parts.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_explain.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_some.h"
#include "store/page.h"
#include "store/query.h"

#define SECOND_MS 1000
#define PAUSE_S 1
/* Choices in one call that may turn out to be for other consumers.  Choices for
 * nobody do not count: there may be any number of them, and a frontier that is
 * made for one call would get no further. */
#define TRIES_MOST 4096
/* Entries that are gone through in vain in one call: some milliseconds.  A
 * document counts for VAIN_DOCUMENT besides, a page that stays out for
 * VAIN_PAGE, and VAIN_WORK of matching rules with stars for one. */
#define VAIN_MOST 20000
#define VAIN_DOCUMENT 100
#define VAIN_PAGE 10
#define VAIN_WORK 500
/* Hosts whose ready queues are looked at in one call. */
#define HOSTS_MOST 1024

/* Leases. */

void
lease_begin(struct frontier *frontier, struct frontier_consumer *consumer,
    uint32_t number, int64_t until_s)
{
	struct page_item *page = page_at(frontier->pages, number);
	uint32_t host = origin_at(frontier->origins, page->origin)->host;

	page->flags |= PAGE_LEASED;
	page->consumer = 0;
	ranking_put(&frontier->leases, number, (double)until_s);
	host_at(frontier->hosts, host)->leases++;
	if (consumer != NULL && consumer->hosts > 0)
		page->consumer = consumer_add_page(
		    frontier->consumers, &consumer->leased, host);
}

void
lease_end(struct frontier *frontier, uint32_t number)
{
	struct page_item *page = page_at(frontier->pages, number);
	uint32_t host = origin_at(frontier->origins, page->origin)->host;

	page->flags &= (uint8_t)~PAGE_LEASED;
	ranking_remove(&frontier->leases, number);
	if (--host_at(frontier->hosts, host)->leases == 0)
		pace_returned(frontier, host);
	consumer_remove_page(frontier->consumers, page->consumer, host);
	page->consumer = 0;
}

void
frontier_expire(struct frontier *frontier, int64_t now_s)
{
	const struct ranking_item *first;

	now_s = frontier_clock(frontier, now_s);
	while ((first = ranking_first(&frontier->leases)) != NULL &&
	    first->key <= (double)now_s) {
		uint32_t number = first->number;

		store_lease_end(frontier->options.store,
		    page_at(frontier->pages, number)->id);
		lease_end(frontier, number);
		page_return(frontier, number);
	}
}

void
frontier_consumer_release(
    struct frontier *frontier, struct frontier_consumer *consumer)
{
	eligible_release(consumer);
	consumer_leaves(frontier->consumers, consumer->leased);
	consumer->leased = NULL;
}

/* May this consumer have a page of that host? */

bool
consumer_has_room(const struct frontier *frontier,
    const struct frontier_consumer *consumer, uint32_t name)
{
	const struct host_item *host = host_at(frontier->hosts, name);
	uint32_t most = consumer->per_host;

	if (most == 0 && consumer->is_spaced && host->delay_ms > 0)
		most = 1;
	return most == 0 || host->leases < most;
}

bool
consumer_has_time(const struct frontier *frontier,
    const struct frontier_consumer *consumer, uint32_t name)
{
	const struct host_item *host = host_at(frontier->hosts, name);

	return host->leases == 0 ||
	    ((int64_t)host->leases + 1) * host->delay_ms <=
	    consumer->lease_s * SECOND_MS / 2;
}

/* May the consumer have this page now?  Else *ready_s is when the host may be
 * asked again. */
static bool
may_lease(struct frontier *frontier, const struct frontier_consumer *consumer,
    uint32_t number, int64_t *ready_s)
{
	const struct page_item *page = page_at(frontier->pages, number);
	uint32_t name = origin_at(frontier->origins, page->origin)->host;
	uint32_t site = document_at(frontier->documents, page->document)->site;

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
	return consumer_has_time(frontier, consumer, name) &&
	    eligible_has(consumer, site) &&
	    consumer_may_add(consumer->leased, name, consumer->hosts);
}

/* A page from the ready queues that the consumer may have; NONE: none. */
static uint32_t
from_ready(struct frontier *frontier, const struct frontier_consumer *consumer)
{
	size_t most = ready_hosts(frontier);

	/* who wants few sites looks everywhere */
	if (most > HOSTS_MOST && consumer->eligible == NULL)
		most = HOSTS_MOST;
	while (most-- > 0) {
		uint32_t host = ready_turn(frontier);
		int64_t ready_s;

		if (may_lease(frontier, consumer, ready_first(frontier, host),
			&ready_s))
			return ready_take(frontier, host);
	}
	return NONE;
}

/*
 * Let the scheduler choose.  *number: the page, NONE when the choice was a
 * document that lists nothing eligible; *vain grows by what was gone through in
 * vain.  Returns false when there is nothing to choose.
 */
static bool
choose(struct frontier *frontier, struct frontier_consumer *consumer,
    uint32_t *number, uint64_t *vain)
{
	struct scheduler_some *some = eligible_some(consumer);
	struct scheduler_choice choice;
	struct page_item *page;

	if (some != NULL ? !scheduler_next_page(frontier->scheduler,
			       frontier->now_s, some, &choice)
			 : !scheduler_next_of(frontier->scheduler,
			       frontier->now_s, SCHEDULER_KINDS_PAGES, &choice))
		return false;
	*number = choice.number;
	if (choice.kind == SCHEDULER_LISTED) {
		site_at_work(frontier,
		    document_at(frontier->documents, choice.number)->site);
		*number = listed_take(frontier, choice.number);
	}
	if (*number == NONE) {
		scheduler_spare(frontier->scheduler, &choice);
		*vain += document_at(frontier->documents, choice.number)
			     ->listed +
		    VAIN_DOCUMENT;
		return true;
	}
	page = page_at(frontier->pages, *number);
	page->reason = (uint8_t)choice.reason;
	/* a page without a price comes first */
	page->value = (float)(isfinite(choice.value) ? choice.value
						     : choice.price);
	return true;
}

/* Is the page eligible, and allowed?  Else it stays out. */
static bool
is_open(struct frontier *frontier, uint32_t number, struct slice url)
{
	struct page_item *page = page_at(frontier->pages, number);
	uint32_t site = document_at(frontier->documents, page->document)->site;
	enum frontier_robots verdict;

	if (!page_is_eligible(frontier, number) ||
	    !site_wants(site_at(frontier->sites, site), url)) {
		page->flags |= PAGE_INELIGIBLE;
		return false;
	}
	verdict = origin_judge(
	    frontier, page->origin, url_parts(url).target, NULL);
	if (verdict == FRONTIER_ROBOTS_ALLOW)
		return true;
	if (verdict == FRONTIER_ROBOTS_UNKNOWN)
		document_of_robots(frontier, page->origin, site);
	page->flags |= PAGE_CLOSED;
	page_list_add(frontier->pages,
	    &origin_at(frontier->origins, page->origin)->closed, number);
	return false;
}

static const char *
why_of(struct frontier *frontier, uint32_t number)
{
	struct scheduler_terms terms;

	switch (
	    (enum scheduler_reason)page_at(frontier->pages, number)->reason) {
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

static void
describe(struct frontier *frontier, uint32_t number, const struct page_row *row,
    struct frontier_page *out)
{
	const struct page_item *page = page_at(frontier->pages, number);

	out->url = row->url;
	out->host = url_parts(row->url).host;
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
	out->delay_ms = host_at(
	    frontier->hosts, origin_at(frontier->origins, page->origin)->host)
			    ->delay_ms;
}

/* Report, once, that the site's ceiling passed twice over since the page was
 * fetched, if the pace of the host does not allow the ceiling to be kept. */
static void
note_late(struct frontier *frontier, uint32_t number, int64_t fetched_s)
{
	const struct page_item *page = page_at(frontier->pages, number);
	struct site_item *site = site_at(frontier->sites,
	    document_at(frontier->documents, page->document)->site);
	struct frontier_round round;
	struct frontier_late late;

	if (page->reason != REASON_CEILING || fetched_s <= 0 || site->is_late ||
	    frontier->now_s - fetched_s < 2 * site->is.page_ceiling_s)
		return;
	round = site_round(frontier,
	    document_at(frontier->documents, page->document)->site, true);
	if (!frontier_round_is_late(&round))
		return;
	site->is_late = true;
	late = (struct frontier_late){.pages = round.requests,
	    .ceiling_s = round.most_s,
	    .each_s = round.each_s};
	late.host = slice_of(host_name(frontier->hosts, site->host));
	if (frontier->options.late != NULL)
		frontier->options.late(frontier->options.arg, &late);
}

/* Lease a page to a consumer; false: the page stays out. */
static bool
lease(struct frontier *frontier, struct frontier_consumer *consumer,
    uint32_t number, struct frontier_page *out)
{
	struct page_item *page = page_at(frontier->pages, number);
	uint32_t host = origin_at(frontier->origins, page->origin)->host;
	int64_t until_s = frontier->now_s + consumer->lease_s;
	struct page_row row;
	uint32_t lease_number;

	if (!store_page_get(frontier->options.store, page->id, &row))
		return false;
	if (!is_open(frontier, number, row.url))
		return false;
	describe(frontier, number, &row, out);
	note_late(frontier, number, row.fetched_s);
	lease_number = store_lease(
	    frontier->options.store, page->id, frontier->now_s, until_s);
	if (lease_number == 0)
		return false;
	(void)snprintf(out->token, sizeof(out->token), "%" PRIx64 ".%x",
	    (uint64_t)page->id, lease_number);
	out->lease_until_s = until_s;
	lease_begin(frontier, consumer, number, until_s);
	budget_spend(&host_at(frontier->hosts, host)->spacing,
	    frontier->now_s * SECOND_MS, 1);
	pace_leased(
	    frontier, host, consumer->is_spaced && consumer->per_host <= 1);
	site_leased(
	    frontier, document_at(frontier->documents, page->document)->site);
	return true;
}

/* A page that stays out does not count as a request of the scheduler, if the
 * scheduler chose it just now. */
static void
skip(struct frontier *frontier, uint32_t number, bool is_chosen, uint64_t *vain)
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
	uint64_t work = frontier->robots.work;
	uint64_t vain = 0;
	int64_t ready_s;
	int tries = 0;

	frontier_expire(frontier, now_s);
	orphans_refresh(frontier);
	eligible_refresh(frontier, consumer);
	pace_asked(frontier, consumer);
	consumer->is_later = false;
	while (tries < TRIES_MOST && !consumer->is_later) {
		uint32_t number = from_ready(frontier, consumer);
		bool is_chosen = number == NONE;

		if (is_chosen && !choose(frontier, consumer, &number, &vain))
			return false;
		if (number != NONE) {
			if (!may_lease(frontier, consumer, number, &ready_s)) {
				ready_add(frontier, number, ready_s);
				tries++;
			} else if (lease(frontier, consumer, number, out)) {
				return true;
			} else {
				skip(frontier, number, is_chosen, &vain);
			}
		}
		if (store_failed(frontier->options.store) != DIAG_OK)
			return false;
		consumer->is_later = vain +
			(frontier->robots.work - work) / VAIN_WORK >=
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

/* The end of the first hold, if all hosts are held; else now. */
static int64_t
all_held_s(const struct frontier *frontier)
{
	int64_t first_s = FRONTIER_NEVER;

	for (uint32_t i = 0; i < host_count(frontier->hosts); i++) {
		int64_t held_s = host_held_s(frontier, i);

		if (held_s <= frontier->now_s)
			return frontier->now_s;
		if (held_s < first_s)
			first_s = held_s;
	}
	return host_count(frontier->hosts) > 0 ? first_s : frontier->now_s;
}

int64_t
frontier_due_s(struct frontier *frontier, int64_t now_s)
{
	const struct ranking_item *first;
	int64_t due_s, held_s;

	now_s = frontier_clock(frontier, now_s);
	due_s = scheduler_due_of_s(
	    frontier->scheduler, now_s, SCHEDULER_KINDS_PAGES);
	/* pages in ready queues may be for other consumers, or their hosts wait
	 */
	if (ready_hosts(frontier) > 0 && due_s > now_s + PAUSE_S)
		due_s = now_s + PAUSE_S;
	first = ranking_first(&frontier->leases);
	if (first != NULL && (double)due_s > first->key)
		due_s = (int64_t)first->key;
	held_s = all_held_s(frontier);
	return due_s > held_s ? due_s : held_s;
}

bool
frontier_knows_site(struct frontier *frontier, struct slice host)
{
	uint32_t number = host_find(frontier->hosts, host);

	return (number != NONE &&
		   host_at(frontier->hosts, number)->number != NONE) ||
	    store_has_site(frontier->options.store, host);
}

bool
frontier_knows_tag(struct frontier *frontier, struct slice tag)
{
	for (uint32_t i = 0; i < site_count(frontier->sites); i++)
		if (site_at(frontier->sites, i)->is_watched &&
		    strings_has(&site_at(frontier->sites, i)->tags, tag))
			return true;
	return false;
}
