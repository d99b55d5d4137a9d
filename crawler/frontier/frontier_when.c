/* When a consumer may have a page: see frontier_when.h. */
#include "crawler/frontier/frontier_when.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/consumer_table.h"
#include "crawler/frontier/eligible_sites.h"
#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_orphans.h"
#include "crawler/frontier/frontier_pages.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/tag_table.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_some.h"

struct when {
	struct frontier *frontier;
	const struct frontier_consumer *consumer;
	int64_t *ready_s; /* owned: of each site; FRONTIER_NEVER: the consumer
			   * may not have its pages */
	int64_t freed_s; /* the end of the first lease; FRONTIER_NEVER: none */
	int64_t next_s; /* the earliest time so far */
	uint32_t site; /* of the page that may be had then; NONE: none */
};

static int64_t
later(int64_t a_s, int64_t b_s)
{
	return a_s > b_s ? a_s : b_s;
}

/* When the host may be asked, and the consumer may have one page more of it. */
static int64_t
host_s(const struct when *when, uint32_t name)
{
	const struct frontier_consumer *consumer = when->consumer;
	int64_t at_s = host_ready_s(when->frontier, name, consumer->is_spaced);

	if (!consumer_has_room(when->frontier, consumer, name) ||
	    !consumer_may_add(consumer->leased, name, consumer->hosts) ||
	    !consumer_has_time(when->frontier, consumer, name))
		at_s = later(at_s, when->freed_s);
	return at_s;
}

static int64_t
page_s(const struct when *when, uint32_t number)
{
	struct frontier *frontier = when->frontier;
	const struct page_item *page = page_at(frontier->pages, number);
	int64_t ready_s =
	    when->ready_s[document_at(frontier->documents, page->document)
			      ->site];
	int64_t at_s = frontier->now_s;

	if (ready_s == FRONTIER_NEVER || !page_is_eligible(frontier, number) ||
	    (page->flags & (PAGE_CLOSED | PAGE_INELIGIBLE)) != 0)
		return FRONTIER_NEVER;
	if ((page->flags & PAGE_LEASED) != 0)
		at_s = later(
		    (int64_t)ranking_key(&frontier->leases, number), ready_s);
	else if ((page->flags & PAGE_READY) == 0)
		at_s = later(
		    scheduler_page_due_s(frontier->scheduler, number), ready_s);
	if (at_s == FRONTIER_NEVER)
		return at_s;
	return later(at_s,
	    host_s(when, origin_at(frontier->origins, page->origin)->host));
}

/* Of the entries of a document that are no pages yet. */
static int64_t
listed_s(const struct when *when, uint32_t number)
{
	const struct document_item *document = document_at(
	    when->frontier->documents, number);
	int64_t ready_s = when->ready_s[document->site];
	int64_t at_s;

	if (ready_s == FRONTIER_NEVER || document->is_index)
		return FRONTIER_NEVER;
	at_s = scheduler_listed_due_s(when->frontier->scheduler, number);
	if (at_s == FRONTIER_NEVER)
		return at_s;
	return later(later(at_s, ready_s),
	    host_s(when, site_at(when->frontier->sites, document->site)->host));
}

static void
note(struct when *when, int64_t at_s, uint32_t document)
{
	if (at_s >= when->next_s)
		return;
	when->next_s = at_s;
	when->site = document_at(when->frontier->documents, document)->site;
}

/* Find a tag of the site whose budget is used up until ready_s. */
static bool
spent_tag(const struct frontier *frontier, const struct site_item *site,
    int64_t ready_s, struct frontier_spent *spent)
{
	for (size_t i = 0; i < tag_table_count(frontier->tags); i++) {
		const struct tag_item *tag = tag_table_at(frontier->tags, i);
		struct slice name = slice_of(tag->name);

		if (tag->per_hour <= 0 || !strings_has(&site->tags, name) ||
		    scheduler_tag_ready_s(frontier->scheduler, tag->number) <
			ready_s)
			continue;
		*spent = (struct frontier_spent){"tag", name, tag->per_hour};
		return true;
	}
	return false;
}

/* The budget that the first page waits for, if it is a budget. */
static struct frontier_spent
spent_of(const struct when *when)
{
	struct frontier *frontier = when->frontier;
	struct frontier_spent spent = {0};
	const struct site_item *site;
	const struct host_item *host;
	int64_t ready_s;

	if (when->site == NONE)
		return spent;
	site = site_at(frontier->sites, when->site);
	host = host_at(frontier->hosts, site->host);
	ready_s = when->ready_s[when->site];
	if (ready_s <= frontier->now_s || ready_s < when->next_s ||
	    host_held_s(frontier, site->host) >= ready_s)
		return spent;
	if (frontier->options.requests_per_hour > 0 &&
	    scheduler_all_ready_s(frontier->scheduler) >= ready_s)
		spent = (struct frontier_spent){.of = "total",
		    .per_hour = frontier->options.requests_per_hour};
	else if (!spent_tag(frontier, site, ready_s, &spent) &&
	    host->per_hour > 0 && host->rate >= host->per_hour)
		/* otherwise the delay of the host allows less than the budget
		 */
		spent = (struct frontier_spent){"site",
		    slice_of(host_name(frontier->hosts, site->host)),
		    host->per_hour};
	return spent;
}

int64_t
frontier_next_s(struct frontier *frontier, struct frontier_consumer *consumer,
    int64_t now_s, struct frontier_spent *spent)
{
	const struct ranking_item *first;
	struct when when = {.frontier = frontier,
	    .consumer = consumer,
	    .freed_s = FRONTIER_NEVER,
	    .next_s = FRONTIER_NEVER,
	    .site = NONE};

	now_s = frontier_clock(frontier, now_s);
	orphans_refresh(frontier);
	eligible_refresh(frontier, consumer);
	first = ranking_first(&frontier->leases);
	if (first != NULL)
		when.freed_s = (int64_t)first->key;
	when.ready_s = mem_alloc(
	    ((size_t)site_count(frontier->sites) + 1) * sizeof(int64_t));
	for (uint32_t i = 0; i < site_count(frontier->sites); i++)
		when.ready_s[i] = eligible_has(consumer, i) &&
			!site_at(frontier->sites, i)->is_removed
		    ? scheduler_site_ready_s(frontier->scheduler,
			  site_at(frontier->sites, i)->number)
		    : FRONTIER_NEVER;
	for (uint32_t i = 0; i < page_count(frontier->pages); i++)
		note(&when, page_s(&when, i),
		    page_at(frontier->pages, i)->document);
	for (uint32_t i = 0; i < document_count(frontier->documents); i++)
		note(&when, listed_s(&when, i), i);
	*spent = spent_of(&when);
	free(when.ready_s);
	/* the consumer got none now, though it might have */
	return later(when.next_s, now_s + 1);
}
