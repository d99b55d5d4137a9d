/* The ready queues: see frontier_ready.h. */
#include "crawler/frontier/frontier_ready.h"

#include "crawler/frontier/frontier_hosts.h"
#include "crawler/frontier/frontier_tables.h"

/* With so many pages in its queue a host is paused. */
#define READY_FULL 8
/* The same where the host is not that of the pages' site. */
#define READY_OTHER_FULL 1000
#define PAUSE_S 1

static struct site_item *
site_of(const struct frontier *frontier, const struct page_item *page)
{
	return site_at(frontier->sites,
	    document_at(frontier->documents, page->document)->site);
}

void
ready_add(struct frontier *frontier, uint32_t number, int64_t ready_s)
{
	struct page_item *page = page_at(frontier->pages, number);
	uint32_t name = origin_at(frontier->origins, page->origin)->host;
	uint32_t site_host = site_of(frontier, page)->host;
	struct host_item *host = host_at(frontier->hosts, name);
	int64_t pause_s = ready_s - frontier->now_s;
	uint32_t full = READY_FULL;

	page->flags |= PAGE_READY;
	page_list_add(frontier->pages, &host->ready, number);
	host->ready_count++;
	site_of(frontier, page)->ready++;
	if (!ranking_has(&frontier->ready, name))
		ranking_put(&frontier->ready, name, ++frontier->turn);
	/* The host of the site is paused for another host only briefly, and
	 * only when very many pages wait there. */
	if (name != site_host) {
		pause_s = 0;
		full = READY_OTHER_FULL;
	}
	if (host->ready_count < full && pause_s <= 0)
		return;
	host_pause(frontier, site_host,
	    frontier->now_s + (pause_s < PAUSE_S ? PAUSE_S : pause_s));
}

size_t
ready_hosts(const struct frontier *frontier)
{
	return frontier->ready.count;
}

uint32_t
ready_turn(struct frontier *frontier)
{
	uint32_t host = ranking_first(&frontier->ready)->number;

	ranking_put(&frontier->ready, host, ++frontier->turn);
	return host;
}

uint32_t
ready_first(const struct frontier *frontier, uint32_t host)
{
	return host_at(frontier->hosts, host)->ready.first - 1;
}

uint32_t
ready_take(struct frontier *frontier, uint32_t name)
{
	struct host_item *host = host_at(frontier->hosts, name);
	uint32_t number = host->ready.first - 1;
	struct page_item *page = page_at(frontier->pages, number);

	page_list_remove(frontier->pages, &host->ready, number);
	page->flags &= (uint8_t)~PAGE_READY;
	site_of(frontier, page)->ready--;
	if (--host->ready_count > 0)
		return number;
	ranking_remove(&frontier->ready, name);
	host_unpause(frontier, site_of(frontier, page)->host);
	return number;
}

void
ready_drop(struct frontier *frontier, uint32_t number)
{
	struct page_item *page = page_at(frontier->pages, number);
	struct origin_item *origin = origin_at(frontier->origins, page->origin);
	struct host_item *host = host_at(frontier->hosts, origin->host);

	if ((page->flags & PAGE_READY) != 0) {
		page_list_remove(frontier->pages, &host->ready, number);
		site_of(frontier, page)->ready--;
		if (--host->ready_count == 0)
			ranking_remove(&frontier->ready, origin->host);
	}
	if ((page->flags & PAGE_CLOSED) != 0)
		page_list_remove(frontier->pages, &origin->closed, number);
	page->flags &= (uint8_t) ~(PAGE_READY | PAGE_CLOSED | PAGE_INELIGIBLE);
}

void
ready_return(struct frontier *frontier, uint32_t number)
{
	if ((page_at(frontier->pages, number)->flags & PAGE_READY) == 0)
		return;
	ready_drop(frontier, number);
	page_return(frontier, number);
}

/* Those of the pages in the queue of a host that are of one site. */
static void
ready_return_host(struct frontier *frontier, uint32_t name, uint32_t site)
{
	for (uint32_t page = host_at(frontier->hosts, name)->ready.first;
	     page != 0;) {
		uint32_t number = page - 1;
		uint32_t document = page_at(frontier->pages, number)->document;

		page = page_at(frontier->pages, number)->next;
		if (document_at(frontier->documents, document)->site == site)
			ready_return(frontier, number);
	}
}

void
ready_return_site(struct frontier *frontier, uint32_t number)
{
	const struct site_item *site = site_at(frontier->sites, number);

	/* nearly always, all pages of a site are at the host of the site */
	if (site->ready > 0)
		ready_return_host(frontier, site->host, number);
	for (uint32_t i = 0; i < host_count(frontier->hosts) && site->ready > 0;
	     i++)
		ready_return_host(frontier, i, number);
}
