/*
 * Leasing pages: see frontier_lease.h.
 *
 *	scheduler --chosen--> ready queue --its host's turn--> leased --> result
 *	    ^                                                      |
 *	    +----------------- lease over, or given back ----------+
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
#include <stdlib.h>

#include "base/at_work.h"
#include "base/civil.h"
#include "base/page_filter.h"
#include "base/url.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/page_parents.h"
#include "crawler/frontier/promotion.h"
#include "sched/scheduler_next.h"
#include "store/document.h"
#include "store/page.h"
#include "store/site.h"

#define PAUSE_S 1
/* A call ends after this many choices that only other consumers may have.
 * Choices that no consumer may have do not count: their number has no limit,
 * and a command that makes a frontier for one call would never get past
 * them. */
#define TRIES_MOST 4096
/* A call ends after it has read this many entries without a result, which
 * takes some milliseconds.  A document counts as VAIN_DOCUMENT entries more, a
 * page that is not leased as VAIN_PAGE, and VAIN_WORK of matching rules with
 * stars as one. */
#define VAIN_MOST 20000
#define VAIN_DOCUMENT 100
#define VAIN_PAGE 10
#define VAIN_WORK 500
/* Hosts whose ready queues are looked at in one call. */
#define HOSTS_MOST 1024
/* Pages of a host that the driver has at once: with a delay, one is under way
 * and the next one waits; without one, each goes out when the one before has
 * come, and a round of commits must not hold them up. */
#define OWN_SPACED 2
#define OWN_FREE 8

/* So many such consumers are remembered at once: a slot is 16 bits. */
#define CONSUMERS_MAX 60000

static struct host_pages *
consumer_find(const struct consumer_hosts *hosts, uint32_t host)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (hosts->items[i].host == host)
			return &hosts->items[i];
	return NULL;
}

/* The consumer has one more page of that host.  Returns its slot, for
 * lease_end(); 0: the table is full, and the consumer stays without a limit. */
static uint16_t
consumer_add_page(struct consumer_table *table,
    struct frontier_consumer *consumer, uint32_t host)
{
	struct consumer_hosts *hosts = consumer->leased;
	struct host_pages *found;

	if (hosts == NULL && table->count >= CONSUMERS_MAX)
		return 0;
	if (hosts == NULL) {
		hosts = consumer->leased = mem_zero(sizeof(*hosts));
		hosts->is_own = consumer->is_own;
		while (hosts->number < table->count &&
		    table->items[hosts->number] != NULL)
			hosts->number++;
		if (hosts->number == table->count)
			(void)MEM_PUSH(table->items, table->count, table->cap);
		table->items[hosts->number] = hosts;
	}
	found = consumer_find(hosts, host);
	if (found != NULL) {
		found->pages++;
	} else {
		*MEM_PUSH(hosts->items, hosts->count,
		    hosts->cap) = (struct host_pages){.host = host, .pages = 1};
	}
	return (uint16_t)(hosts->number + 1);
}

/* Leases. */

uint32_t
lease_first(const struct frontier *f)
{
	const struct ranking_item *first = ranking_first(&f->lease_ends);

	return first == NULL ? NONE : first->number;
}

int64_t
lease_until_s(const struct frontier *f, uint32_t page)
{
	return page == NONE ? FRONTIER_NEVER
			    : (int64_t)ranking_find(&f->lease_ends, page)->key;
}

uint64_t
lease_running(const struct frontier *f)
{
	uint64_t count = 0;

	for (size_t i = 0; i < f->lease_ends.count; i++)
		count += f->lease_ends.items[i].key > (double)f->now_s;
	return count;
}

void
lease_begin(struct frontier *f, struct frontier_consumer *consumer,
    uint32_t number, int64_t until_s)
{
	struct sched_page *page = page_at(f, number);
	uint32_t name = page_host_of(f, page);
	struct host *host = f->hosts->items[name];

	page->owner_flags |= PAGE_LEASED;
	page->consumer = 0;
	ranking_put(&f->lease_ends, number, (double)until_s);
	if (host->leases++ == 0)
		host->holder = consumer == NULL ? 0 : consumer->number;
	if (consumer != NULL && (consumer->hosts > 0 || consumer->is_own))
		page->consumer = consumer_add_page(
		    &f->consumer_table, consumer, name);
	if (consumer != NULL && consumer->is_own && page->consumer != 0)
		host->owned++;
}

void
lease_end(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);
	uint32_t host = page_host_of(f, page);
	struct consumer_hosts *hosts;
	struct host_pages *found;

	hosts = page->consumer == 0
	    ? NULL
	    : f->consumer_table.items[page->consumer - 1];
	page->owner_flags &= (uint8_t)~PAGE_LEASED;
	page->consumer = 0;
	ranking_remove(&f->lease_ends, number);
	if (hosts != NULL && hosts->is_own)
		f->hosts->items[host]->owned--;
	if (--f->hosts->items[host]->leases == 0)
		host_returned(f->hosts, f->hosts->items[host]);
	/* While others wait for their turn, the host goes behind them. */
	if (f->ready.slots.count > 0 && f->hosts->items[host]->leases == 0 &&
	    ranking_find(&f->ready.own, host) != NULL)
		ready_wait_slot(f, host);
	else
		ready_wake(f, host);
	found = hosts == NULL ? NULL : consumer_find(hosts, host);
	if (found == NULL || --found->pages > 0)
		return;
	*found = hosts->items[--hosts->count];
	if (hosts->count == 0 && hosts->has_left)
		consumer_forget(&f->consumer_table, hosts->number);
}

void
lease_return(struct frontier *f, uint32_t number)
{
	(void)store_lease(f->store, page_at(f, number)->id, 0, 0, 0);
	lease_end(f, number);
	page_return(f, number);
}

void
frontier_expire(struct frontier *f, int64_t now_s)
{
	now_s = frontier_clock(f, now_s);
	while (lease_until_s(f, lease_first(f)) <= now_s)
		lease_return(f, lease_first(f));
}

/* The sites that a consumer may have pages of, if it does not mean all. */

struct eligible_sites {
	/* what sites.changes was when the other members were made */
	uint64_t changes;
	bool *has; /* owned; by the number of the site */
	uint32_t count; /* of sites then */
	uint32_t
	    *numbers; /* owned; the same sites, as the scheduler has them */
	struct scheduler_some some; /* of numbers */
};

/* Update the sites of the consumer after sites or tags have changed. */
static void
eligible_refresh(const struct frontier *f, struct frontier_consumer *consumer)
{
	bool has_names = consumer->sites != NULL && consumer->sites->count > 0;
	bool has_tags = consumer->tags != NULL && consumer->tags->count > 0;
	struct eligible_sites *eligible = consumer->eligible;
	size_t most = f->scheduler->sites.count + 1;
	size_t at = eligible == NULL ? 0 : eligible->some.at;
	bool *named; /* for each host: does the consumer name it? */

	if (eligible != NULL && eligible->changes == f->sites.changes)
		return;
	if (eligible != NULL) {
		free(eligible->has);
		free(eligible->numbers);
		free(eligible);
	}
	consumer->eligible = NULL;
	if (!has_names && !has_tags)
		return;
	eligible = consumer->eligible = mem_zero(sizeof(*eligible));
	eligible->changes = f->sites.changes;
	eligible->count = (uint32_t)f->scheduler->sites.count;
	eligible->has = mem_zero(most);
	eligible->numbers = mem_alloc(most * sizeof(uint32_t));
	named = mem_zero((size_t)f->hosts->count + 1);
	for (size_t i = 0; has_names && i < consumer->sites->count; i++) {
		uint32_t host = names_find(
		    &f->hosts->names, slice_of(consumer->sites->items[i]));

		if (host != NONE)
			named[host] = true;
	}
	for (uint32_t i = 0; i < f->scheduler->sites.count; i++) {
		const struct sched_site *site = site_at(f, i);
		bool has_tag = !has_tags;

		for (size_t k = 0; k < site->tags.count && !has_tag; k++)
			has_tag = strings_has(
			    consumer->tags, slice_of(site->tags.items[k]));
		if (!has_tag || (has_names && !named[site->host]))
			continue;
		eligible->has[i] = true;
		eligible->numbers[eligible->some.count++] = i;
	}
	eligible->some.sites = eligible->numbers;
	eligible->some.at = at;
	free(named);
}

/* May the consumer have pages of that site? */
static bool
eligible_has(const struct frontier_consumer *consumer, uint32_t site)
{
	const struct eligible_sites *eligible = consumer->eligible;

	return eligible == NULL ||
	    (site < eligible->count && eligible->has[site]);
}

void
frontier_consumer_release(
    struct frontier *f, struct frontier_consumer *consumer)
{
	if (consumer->eligible != NULL) {
		free(consumer->eligible->has);
		free(consumer->eligible->numbers);
		free(consumer->eligible);
		consumer->eligible = NULL;
	}
	page_filter_free(consumer->filter);
	free(consumer->filter_text);
	consumer->filter = NULL;
	consumer->filter_text = NULL;
	if (consumer->leased == NULL)
		return;
	/* its slot becomes free when its last page has come back */
	consumer->leased->has_left = true;
	if (consumer->leased->count == 0)
		consumer_forget(&f->consumer_table, consumer->leased->number);
	consumer->leased = NULL;
}

bool
frontier_consumer_filter(
    struct frontier_consumer *consumer, const struct strings *rules)
{
	struct page_filter_texts texts = {
	    (const char *const *)rules->items, rules->count};
	struct buf text = BUF_UP_TO(FILTER_MAX_BYTES);
	bool is_good = true;

	for (size_t i = 0; i < rules->count && is_good; i++)
		is_good = page_filter_check(rules->items[i]) &&
		    buf_print(&text, "%s\n", rules->items[i]);
	if (is_good)
		consumer->filter = page_filter_new(
		    texts, (struct page_filter_texts){0}, false);
	if (consumer->filter != NULL)
		consumer->filter_text = buf_take(&text);
	buf_release(&text);
	return is_good;
}

/* May this consumer have a page of that host? */

/* May one more page of that host be leased?  The driver and other fetchers have
 * no pages of a host with a delay at the same time. */
static bool
consumer_has_room(const struct frontier *f,
    const struct frontier_consumer *consumer, uint32_t name)
{
	const struct host *host = f->hosts->items[name];
	bool is_paced = host->delay_ms > 0 || host->is_shared;
	uint32_t own_most = f->ready.slots.count > 0 ? 1
	    : is_paced                               ? OWN_SPACED
						     : OWN_FREE;

	if (consumer->is_own)
		return host->owned < own_most &&
		    (!is_paced || host->leases == host->owned);
	if (is_paced && host->owned > 0)
		return false;
	if (consumer->per_host > 0)
		return host->leases <
		    (host->is_shared ? 1 : consumer->per_host);
	/* Two that each keep the delay would ask twice as often. */
	return host->leases == 0 || (host->delay_ms <= 0 && !host->is_shared) ||
	    (!consumer->is_spaced && host->holder == consumer->number);
}

/* May the consumer have pages of that host, without having pages of more hosts
 * than it wants? */
static bool
consumer_has_slot(const struct frontier_consumer *consumer, uint32_t name)
{
	return consumer->hosts == 0 || consumer->leased == NULL ||
	    consumer->leased->count < consumer->hosts ||
	    consumer_find(consumer->leased, name) != NULL;
}

/* May the consumer have one more page of that host?  And could it fetch that
 * page, after those that are leased, within half of a lease? */
static bool
consumer_can_add(const struct host_table *hosts,
    const struct frontier_consumer *consumer, uint32_t name)
{
	const struct host *host = hosts->items[name];

	return consumer_has_slot(consumer, name) &&
	    (host->leases == 0 ||
		((int64_t)host->leases + 1) * host->delay_ms <=
		    consumer->lease_s * SECOND_MS / 2);
}

/* The driver may not have the page of that host at the head of its queue before
 * ready_s, or before it has pages of fewer hosts. */
static void
own_waits(struct frontier *f, const struct frontier_consumer *consumer,
    uint32_t host, int64_t ready_s)
{
	if (ready_s == FRONTIER_NEVER && !consumer_has_slot(consumer, host))
		ready_wait_slot(f, host);
	else
		ready_wait(
		    f, host, ready_s > f->now_s ? ready_s : f->now_s + PAUSE_S);
}

/* May the consumer have this page now?  Else *ready_s is when the host may be
 * asked again. */
static bool
may_lease(struct frontier *f, const struct frontier_consumer *consumer,
    uint32_t number, int64_t *ready_s)
{
	const struct sched_page *page = page_at(f, number);
	uint32_t name = page_host_of(f, page);
	uint32_t site = page_site_of(f, page);

	/* its robots.txt may name a longer delay */
	origin_know(f, page->origin);
	*ready_s = host_held_s(f->hosts->items[name]);
	if (*ready_s > f->now_s)
		return false;
	*ready_s = f->now_s;
	if (consumer->is_own) {
		/* the driver keeps the delay; a lease that ends is noticed */
		if (consumer_has_room(f, consumer, name) &&
		    consumer_has_slot(consumer, name))
			return eligible_has(consumer, site);
		*ready_s = FRONTIER_NEVER;
		return false;
	}
	if (!host_lets(f, consumer, name)) {
		*ready_s = f->now_s + PAUSE_S;
		return false;
	}
	if (!consumer_has_room(f, consumer, name)) {
		if (consumer->is_spaced || consumer->per_host == 0)
			*ready_s = f->now_s + PAUSE_S;
		return false;
	}
	return eligible_has(consumer, site) &&
	    consumer_can_add(f->hosts, consumer, name);
}

/* The page in the ready queue of that host, if the driver may have it; else the
 * host waits; NONE. */
static uint32_t
ready_try(
    struct frontier *f, const struct frontier_consumer *consumer, uint32_t host)
{
	const struct fifo *ready = &f->hosts->items[host]->ready;
	uint32_t page = ready->items[ready->first];
	int64_t ready_s;

	if (may_lease(f, consumer, page, &ready_s))
		return ready_take(f, host);
	own_waits(f, consumer, host, ready_s);
	return NONE;
}

/* The same of the hosts that may have become free. */
static uint32_t
from_own(struct frontier *f, const struct frontier_consumer *consumer)
{
	const struct ranking_item *first;
	uint32_t page = NONE;

	while (page == NONE && (first = ranking_first(&f->ready.own)) != NULL &&
	    first->key <= (double)f->now_s)
		page = ready_try(f, consumer, first->number);
	while (page == NONE &&
	    (first = ranking_first(&f->ready.slots)) != NULL &&
	    consumer_has_slot(consumer, first->number)) {
		uint32_t host = first->number;

		ready_wait(f, host, 0);
		page = ready_try(f, consumer, host);
	}
	return page;
}

/* A page from the ready queues that the consumer may have; NONE: none. */
static uint32_t
from_ready(struct frontier *f, const struct frontier_consumer *consumer)
{
	size_t most;

	if (consumer->is_own && consumer->eligible == NULL)
		return from_own(f, consumer);

	ready_end_pace(
	    f, consumer->is_own || (f->ready.is_lent && !consumer->is_spaced));
	most = f->ready.turns.count;
	/* a consumer of few sites looks at all queues */
	if (most > HOSTS_MOST && consumer->eligible == NULL)
		most = HOSTS_MOST;
	while (most-- > 0) {
		uint32_t host = ranking_first(&f->ready.turns)->number;
		const struct fifo *ready = &f->hosts->items[host]->ready;
		uint32_t page = ready->items[ready->first];
		int64_t ready_s;

		/* the host goes to the end of those that wait for a turn */
		ranking_put(&f->ready.turns, host, ++f->ready.turn);
		if (may_lease(f, consumer, page, &ready_s))
			return ready_take(f, host);
	}
	return NONE;
}

/* Let the scheduler choose.  *number: the page, NONE when the choice was a
 * document that lists nothing eligible; the cost of entries that were read
 * without a result is added to *vain.  Returns false when there is nothing to
 * choose. */
static bool
lease_choose(struct frontier *f, struct frontier_consumer *consumer,
    uint32_t *number, uint64_t *vain)
{
	struct scheduler_some *some = consumer->eligible == NULL
	    ? NULL
	    : &consumer->eligible->some;
	uint64_t fills = f->candidates.fills;
	struct scheduler_choice choice;
	struct sched_page *page;

	if (!scheduler_next_of(
		f->scheduler, f->now_s, SCHEDULER_KINDS_PAGES, some, &choice))
		return false;
	*number = choice.number;
	if (choice.kind == SCHEDULER_LISTED) {
		/* a crash report names the site from now on */
		at_work_site(at_work_name(names_slice(&f->hosts->names,
		    site_at(f, document_at(f, choice.number)->site)->host)));
		*number = promotion_next(f, choice.number, consumer);
	}
	if (*number == NONE) {
		scheduler_spare(f->scheduler, &choice);
		/* what the candidate cache knows costs little */
		if (fills != f->candidates.fills)
			*vain += document_at(f, choice.number)->listed;
		*vain += VAIN_DOCUMENT;
		return true;
	}
	page = page_at(f, *number);
	page->reason = (uint8_t)choice.reason;
	/* a page without a price comes first */
	page->value = (float)(isfinite(choice.value) ? choice.value
						     : choice.price);
	return true;
}

/* Is the page eligible, and does robots.txt allow it?  If not, it stays
 * chosen. */
static bool
is_open(struct frontier *f, uint32_t number, const struct page_row *row,
    struct robots_verdict *robots)
{
	struct sched_page *page = page_at(f, number);
	uint32_t site = page_site_of(f, page);
	enum frontier_robots verdict;

	if (!page_is_eligible(f, number) ||
	    !site_wants(f, site_at(f, site), row->url, &row->lastmod,
		row->first_seen_s)) {
		page->owner_flags |= PAGE_INELIGIBLE;
		return false;
	}
	verdict = origin_judge(f, page->origin, url_parts(row->url).target,
	    site_filter(f, site_at(f, site), false), robots);
	if (verdict == FRONTIER_ROBOTS_ALLOW ||
	    (verdict == FRONTIER_ROBOTS_UNKNOWN && f->is_own))
		return true;
	if (verdict == FRONTIER_ROBOTS_UNKNOWN)
		document_of_robots(f, page->origin, site);
	page->owner_flags |= PAGE_CLOSED;
	origin_at(f, page->origin)->closed++;
	return false;
}

static void
lease_describe(struct frontier *f, uint32_t number, const struct page_row *row,
    struct frontier_page *out)
{
	const struct sched_page *page = page_at(f, number);
	const struct sched_source *document = document_at(f, page->document);
	const struct sched_site *site = site_at(f, document->site);
	struct document_list_row list;
	struct scheduler_terms terms;

	out->page_id = row->id;
	out->site_id = site->id;
	out->url = row->url;
	out->host = url_parts(row->url).host;
	out->due_s = f->now_s;
	out->value = (double)page->value;
	out->why = frontier_why((enum scheduler_reason)page->reason);
	if (page->reason == REASON_VALUE) {
		scheduler_explain_page(f->scheduler, number, f->now_s, &terms);
		if (terms.moves > 0)
			out->why = "lastmod-moved";
	}
	out->lastmod = row->lastmod;
	out->first_seen_s = row->first_seen_s;
	out->site = names_slice(&f->hosts->names, site->host);
	out->tags = &site->tags;
	/* The URL of the sitemap, which is that of many pages in a row.  A
	 * document that lists no pages is here for its site only. */
	out->sitemap = slice_of("");
	if (!document->is_robots && !document->is_unlisted) {
		if (f->told_id != document->id) {
			buf_clear(&f->told_url);
			f->told_id = document->id;
			if (store_document_list(f->store, document->id, &list))
				(void)buf_put_slice(&f->told_url, list.url);
		}
		out->sitemap = buf_text(&f->told_url);
	}
	out->failures = page->failures;
	out->etag = row->etag;
	out->last_modified = row->last_modified;
	out->delay_ms = f->hosts->items[page_host_of(f, page)]->delay_ms;
}

/* Report, once, that the site's ceiling passed twice over since the page was
 * fetched, if the pace of the host does not allow the ceiling to be kept. */
static void
note_late(struct frontier *f, uint32_t number, int64_t fetched_s)
{
	const struct sched_page *page = page_at(f, number);
	struct sched_site *site = site_at(f, page_site_of(f, page));
	struct frontier_round round;

	if (page->reason != REASON_CEILING || fetched_s <= 0 || site->is_late ||
	    f->now_s - fetched_s < 2 * site->is.page_ceiling_s)
		return;
	round = site_round(f, page_site_of(f, page), true);
	if (!frontier_round_is_late(&round))
		return;
	site->is_late = true;
	if (f->options.late != NULL)
		f->options.late(f->options.arg,
		    names_slice(&f->hosts->names, site->host), &round);
}

/* Lease a page to a consumer; false: the page stays chosen. */
static bool
lease(struct frontier *f, struct frontier_consumer *consumer, uint32_t number,
    struct frontier_page *out)
{
	struct sched_page *page = page_at(f, number);
	uint32_t host = page_host_of(f, page);
	int64_t until_s = f->now_s + consumer->lease_s;
	struct robots_verdict robots;
	struct page_row row;

	if (!store_page_get(f->store, page->id, &row) ||
	    !is_open(f, number, &row, &robots))
		return false;
	if (!page_filter_wants(consumer->filter, row.url, &row.lastmod,
		row.first_seen_s, f->now_s)) {
		passed_add(f, consumer, item_of(ITEM_PAGE, number));
		return false;
	}
	lease_describe(f, number, &row, out);
	out->purposes = robots.said;
	note_late(f, number, row.fetched_s);
	/* To another process a lease of the driver is over at once. */
	if (row.leases == UINT32_MAX ||
	    !store_lease(f->store, page->id, row.leases + 1, f->now_s,
		consumer->is_own ? f->now_s : until_s))
		return false;
	(void)snprintf(out->token, sizeof(out->token), "%s%" PRIx64 ".%x",
	    f->options.lease_prefix == NULL ? "" : f->options.lease_prefix,
	    (uint64_t)page->id, row.leases + 1);
	out->lease_until_s = until_s;
	lease_begin(f, consumer, number, until_s);
	if (!consumer->is_own)
		host_lend(f->hosts, f->hosts->items[host], true,
		    consumer->per_host <= 1);
	site_leased(f, page_site_of(f, page));
	return true;
}

bool
frontier_lease(struct frontier *f, struct frontier_consumer *consumer,
    int64_t now_s, struct frontier_page *out)
{
	uint64_t work = f->origins.work;
	uint64_t vain = 0;
	int64_t ready_s;
	int tries = 0;

	frontier_expire(f, now_s);
	orphans_refresh(f);
	eligible_refresh(f, consumer);
	f->leased_s = f->now_s;
	f->is_own = consumer->is_own;
	if (consumer->is_spaced && !consumer->is_own)
		f->hosts->streamed_ms = host_table_now_ms(f->hosts);
	if (consumer->number == 0)
		consumer->number = ++f->consumers;
	consumer->is_later = false;
	(void)passed_look(f, consumer);
	while (tries < TRIES_MOST && !consumer->is_later) {
		uint32_t number = from_ready(f, consumer);
		bool is_chosen = number == NONE;

		if (is_chosen && !lease_choose(f, consumer, &number, &vain)) {
			size_t looks = passed_look(f, consumer);

			if (looks == 0)
				return false;
			vain += looks * VAIN_PAGE;
		}
		if (number != NONE) {
			if (!may_lease(f, consumer, number, &ready_s)) {
				ready_add(f, number, ready_s);
				if (consumer->is_own)
					own_waits(f, consumer,
					    page_host_of(f, page_at(f, number)),
					    ready_s);
				tries++;
			} else if (lease(f, consumer, number, out)) {
				return true;
			} else {
				/* what the scheduler has just chosen does not
				 * count as a request */
				if (is_chosen)
					scheduler_spare(f->scheduler,
					    &(struct scheduler_choice){
						.kind = SCHEDULER_PAGE,
						.number = number});
				vain += VAIN_PAGE;
			}
		}
		if (store_failed(f->store) != DIAG_OK)
			return false;
		consumer->is_later = vain +
			(f->origins.work - work) / VAIN_WORK >=
		    VAIN_MOST;
	}
	return false;
}

int64_t
frontier_due_s(struct frontier *f, int64_t now_s)
{
	int64_t due_s, freed_s, first_s = FRONTIER_NEVER;

	now_s = frontier_clock(f, now_s);
	due_s = scheduler_due_of_s(f->scheduler, now_s, SCHEDULER_KINDS_PAGES);
	/* pages in ready queues may be for other consumers, or their hosts wait
	 */
	if (f->ready.turns.count + f->ready.paced.count > 0 &&
	    due_s > now_s + PAUSE_S)
		due_s = now_s + PAUSE_S;
	freed_s = lease_until_s(f, lease_first(f));
	if (due_s > freed_s)
		due_s = freed_s;
	/* if all hosts are held, not before the end of the first hold */
	for (uint32_t i = 0; i < f->hosts->count; i++) {
		const struct host *host = host_kept(f->hosts, i);

		if (host == NULL)
			continue;
		if (host_held_s(host) <= now_s)
			return due_s > now_s ? due_s : now_s;
		if (host_held_s(host) < first_s)
			first_s = host_held_s(host);
	}
	if (first_s == FRONTIER_NEVER)
		first_s = now_s;
	return due_s > first_s ? due_s : first_s;
}

bool
frontier_knows_site(struct frontier *f, struct slice host)
{
	uint32_t number = names_find(&f->hosts->names, host);

	return (number != NONE && f->hosts->items[number]->limit != NONE) ||
	    store_site_find(f->store, host) != 0;
}

bool
frontier_knows_tag(struct frontier *f, struct slice tag)
{
	for (uint32_t i = 0; i < f->scheduler->sites.count; i++)
		if (site_at(f, i)->is_watched &&
		    strings_has(&site_at(f, i)->tags, tag))
			return true;
	return false;
}

/* When a consumer may have a page. */

static int64_t
later(int64_t a_s, int64_t b_s)
{
	return a_s > b_s ? a_s : b_s;
}

/* When the host may be asked, and the consumer may have one more of its pages;
 * the first lease ends at freed_s. */
static int64_t
host_s(const struct frontier *f, const struct frontier_consumer *consumer,
    int64_t freed_s, uint32_t name)
{
	const struct host *host = f->hosts->items[name];
	int64_t now_ms = host_table_now_ms(f->hosts);
	int64_t at_s = later(f->now_s, host_held_s(host));

	/* Other consumers space the pages themselves, and the scheduler knows
	 * how many they get. */
	if ((consumer->is_spaced || host->limit == NONE) && !host->is_busy) {
		int64_t ready_ms = host_ready_ms(
		    f->hosts, host, HOST_PAGES, NULL);

		if (ready_ms > now_ms)
			at_s = later(at_s,
			    f->now_s +
				(ready_ms - now_ms + SECOND_MS - 1) /
				    SECOND_MS);
	}
	if (!consumer_has_room(f, consumer, name) ||
	    !consumer_can_add(f->hosts, consumer, name))
		at_s = later(at_s, freed_s);
	return at_s;
}

struct frontier_spent
frontier_site_spent(const struct frontier *f, uint32_t number, int64_t ready_s)
{
	struct frontier_spent spent = {0};
	const struct sched_site *site = site_at(f, number);
	const struct host *host = f->hosts->items[site->host];

	if (ready_s <= f->now_s || host_held_s(host) >= ready_s)
		return spent;
	if (f->options.requests_per_hour > 0 &&
	    scheduler_ready_s(f->scheduler, LIMITS_ALL, 0) >= ready_s)
		return (struct frontier_spent){
		    .of = "total", .per_hour = f->options.requests_per_hour};
	for (size_t i = 0; i < f->tags.count; i++) {
		const struct tag_item *tag = &f->tags.items[i];
		struct slice name = slice_of(tag->name);

		if (tag->per_hour > 0 && strings_has(&site->tags, name) &&
		    scheduler_ready_s(f->scheduler, LIMITS_TAG, tag->number) >=
			ready_s)
			return (struct frontier_spent){.of = "tag",
			    .name = name,
			    .per_hour = tag->per_hour};
	}
	/* otherwise the delay of the host allows less than the budget */
	if (host->per_hour > 0 && host->rate >= host->per_hour)
		return (struct frontier_spent){.of = "site",
		    .name = names_slice(&f->hosts->names, site->host),
		    .per_hour = host->per_hour};
	return spent;
}

int64_t
frontier_next_s(struct frontier *f, struct frontier_consumer *consumer,
    int64_t now_s, struct frontier_spent *spent)
{
	int64_t freed_s, next_s = FRONTIER_NEVER;
	/* of each site; FRONTIER_NEVER: the consumer may not have its pages */
	int64_t *readies_s;
	uint32_t site = NONE; /* of the page that may be had at next_s */

	now_s = frontier_clock(f, now_s);
	orphans_refresh(f);
	eligible_refresh(f, consumer);
	freed_s = lease_until_s(f, lease_first(f));
	readies_s = mem_alloc(
	    (f->scheduler->sites.count + 1) * sizeof(int64_t));
	for (uint32_t i = 0; i < f->scheduler->sites.count; i++)
		readies_s[i] = eligible_has(consumer, i) &&
			!site_at(f, i)->is_removed
		    ? scheduler_ready_s(f->scheduler, LIMITS_SITE, i)
		    : FRONTIER_NEVER;
	for (uint32_t i = 0; i < f->scheduler->pages.count; i++) {
		const struct sched_page *page = page_at(f, i);
		int64_t ready_s = readies_s[page_site_of(f, page)];
		int64_t at_s = now_s;

		if (ready_s == FRONTIER_NEVER || !page_is_eligible(f, i) ||
		    (page->owner_flags &
			(PAGE_CLOSED | PAGE_INELIGIBLE | PAGE_PASSED)) != 0)
			continue;
		if ((page->owner_flags & PAGE_LEASED) != 0)
			at_s = later(lease_until_s(f, i), ready_s);
		else if ((page->owner_flags & PAGE_READY) == 0)
			at_s = later(scheduler_item_due_s(
					 f->scheduler, SCHEDULER_PAGE, i),
			    ready_s);
		if (at_s == FRONTIER_NEVER)
			continue;
		at_s = later(
		    at_s, host_s(f, consumer, freed_s, page_host_of(f, page)));
		if (at_s < next_s) {
			next_s = at_s;
			site = page_site_of(f, page);
		}
	}
	/* entries of documents that are no pages yet */
	for (uint32_t i = 0; i < f->scheduler->sources.count; i++) {
		const struct sched_source *document = document_at(f, i);
		int64_t ready_s = readies_s[document->site];
		int64_t at_s;

		if (ready_s == FRONTIER_NEVER || document->is_index)
			continue;
		at_s = scheduler_item_due_s(f->scheduler, SCHEDULER_LISTED, i);
		if (at_s == FRONTIER_NEVER)
			continue;
		at_s = later(later(at_s, ready_s),
		    host_s(f, consumer, freed_s,
			site_at(f, document->site)->host));
		if (at_s < next_s) {
			next_s = at_s;
			site = document->site;
		}
	}
	/* the budget that the first page waits for, if it waits for one */
	*spent = (struct frontier_spent){0};
	if (site != NONE && readies_s[site] >= next_s)
		*spent = frontier_site_spent(f, site, readies_s[site]);
	if (spent->of == NULL && next_s == freed_s)
		spent->leases = lease_running(f);
	free(readies_s);
	/* the consumer has got no page now, although it seems that it may
	 * have one */
	return later(next_s, now_s + 1);
}
