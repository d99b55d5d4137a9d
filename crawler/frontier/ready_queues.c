/* The ready queues. */
#include "crawler/frontier/ready_queues.h"

#include "crawler/frontier/document_table.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/host_table.h"
#include "crawler/frontier/origin_table.h"
#include "crawler/frontier/page_table.h"

/* With so many pages in its queue a host is paused. */
#define READY_FULL 8
/* The same where the host is not that of the pages' site. */
#define READY_OTHER_FULL 1000
#define PAUSE_S 1

static struct site_item *
ready_site_of(const struct ready_queues *queues, const struct page_item *page)
{
	return site_at(queues->sites,
	    document_at(queues->documents, page->document)->site);
}

void
ready_add(struct ready_queues *queues, uint32_t number, int64_t ready_s)
{
	struct page_item *page = page_at(queues->pages, number);
	uint32_t name = origin_at(queues->origins, page->origin)->host;
	uint32_t site_host = ready_site_of(queues, page)->host;
	struct host_item *host = host_at(queues->hosts, name);
	int64_t pause_s = ready_s - queues->context->now_s;
	uint32_t full = READY_FULL;

	page->flags |= PAGE_READY;
	page_list_add(queues->pages, &host->ready, number);
	host->ready_count++;
	ready_site_of(queues, page)->ready++;
	if (!ranking_has(&queues->turns, name))
		ranking_put(&queues->turns, name, ++queues->turn);
	/* The host of the site is paused for another host only briefly, and
	 * only when very many pages wait there. */
	if (name != site_host) {
		pause_s = 0;
		full = READY_OTHER_FULL;
	}
	if (host->ready_count < full && pause_s <= 0)
		return;
	host_pause(queues->hosts, site_host,
	    queues->context->now_s + (pause_s < PAUSE_S ? PAUSE_S : pause_s));
}

size_t
ready_hosts(const struct ready_queues *queues)
{
	return queues->turns.count;
}

uint32_t
ready_turn(struct ready_queues *queues)
{
	uint32_t host = ranking_first(&queues->turns)->number;

	ranking_put(&queues->turns, host, ++queues->turn);
	return host;
}

uint32_t
ready_first(const struct ready_queues *queues, uint32_t host)
{
	return host_at(queues->hosts, host)->ready.first - 1;
}

uint32_t
ready_take(struct ready_queues *queues, uint32_t name)
{
	struct host_item *host = host_at(queues->hosts, name);
	uint32_t number = host->ready.first - 1;
	struct page_item *page = page_at(queues->pages, number);

	page_list_remove(queues->pages, &host->ready, number);
	page->flags &= (uint8_t)~PAGE_READY;
	ready_site_of(queues, page)->ready--;
	if (--host->ready_count > 0)
		return number;
	ranking_remove(&queues->turns, name);
	host_unpause(queues->hosts, ready_site_of(queues, page)->host);
	return number;
}

void
ready_drop(struct ready_queues *queues, uint32_t number)
{
	struct page_item *page = page_at(queues->pages, number);
	struct origin_item *origin = origin_at(queues->origins, page->origin);
	struct host_item *host = host_at(queues->hosts, origin->host);

	if ((page->flags & PAGE_READY) != 0) {
		page_list_remove(queues->pages, &host->ready, number);
		ready_site_of(queues, page)->ready--;
		if (--host->ready_count == 0)
			ranking_remove(&queues->turns, origin->host);
	}
	if ((page->flags & PAGE_CLOSED) != 0)
		page_list_remove(queues->pages, &origin->closed, number);
	page->flags &= (uint8_t) ~(PAGE_READY | PAGE_CLOSED | PAGE_INELIGIBLE);
}

void
ready_return(struct ready_queues *queues, uint32_t number)
{
	if ((page_at(queues->pages, number)->flags & PAGE_READY) == 0)
		return;
	ready_drop(queues, number);
	page_return(queues->pages, number);
}

/* Return all pages of one site that wait in the queue of a host. */
static void
ready_return_host(struct ready_queues *queues, uint32_t name, uint32_t site)
{
	for (uint32_t page = host_at(queues->hosts, name)->ready.first;
	     page != 0;) {
		uint32_t number = page - 1;
		uint32_t document = page_at(queues->pages, number)->document;

		page = page_at(queues->pages, number)->next;
		if (document_at(queues->documents, document)->site == site)
			ready_return(queues, number);
	}
}

void
ready_return_site(struct ready_queues *queues, uint32_t number)
{
	const struct site_item *site = site_at(queues->sites, number);

	/* nearly always, all pages of a site are at the host of the site */
	if (site->ready > 0)
		ready_return_host(queues, site->host, number);
	for (uint32_t i = 0; i < host_count(queues->hosts) && site->ready > 0;
	     i++)
		ready_return_host(queues, i, number);
}
