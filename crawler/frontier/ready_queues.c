/* The ready queues. */
#include "crawler/frontier/ready_queues.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_hosts.h"

/* With so many pages in its queue a host is paused. */
#define READY_FULL 8
/* The same where the host is not that of the pages' site. */
#define READY_OTHER_FULL 1000
#define PAUSE_S 1

static struct site_item *
ready_site_of(const struct frontier *f, const struct sched_page *page)
{
	return site_at(f, page_site_of(f, page));
}

void
ready_add(struct frontier *f, uint32_t number, int64_t ready_s)
{
	struct sched_page *page = page_at(f, number);
	uint32_t name = page_host_of(f, page);
	uint32_t site_host = ready_site_of(f, page)->host;
	struct host_item *host = host_at(f->hosts, name);
	int64_t pause_s = ready_s - f->context.now_s;
	uint32_t full = READY_FULL;

	page->owner_flags |= PAGE_READY;
	page_list_add(f, &host->ready, number);
	host->ready_count++;
	ready_site_of(f, page)->ready++;
	if (!ranking_has(&f->ready.turns, name))
		ranking_put(&f->ready.turns, name, ++f->ready.turn);
	/* The host of the site is paused for another host only briefly, and
	 * only when very many pages wait there. */
	if (name != site_host) {
		pause_s = 0;
		full = READY_OTHER_FULL;
	}
	if (host->ready_count < full && pause_s <= 0)
		return;
	if (pause_s < PAUSE_S)
		pause_s = PAUSE_S;
	scheduler_hold(f->scheduler, host_at(f->hosts, site_host)->number,
	    SCHEDULER_HOLD_PAUSE, f->context.now_s, pause_s);
}

uint32_t
ready_take(struct frontier *f, uint32_t name)
{
	struct host_item *host = host_at(f->hosts, name);
	uint32_t number = host->ready.first - 1;
	struct sched_page *page = page_at(f, number);
	uint32_t paused;

	page_list_remove(f, &host->ready, number);
	page->owner_flags &= (uint8_t)~PAGE_READY;
	ready_site_of(f, page)->ready--;
	if (--host->ready_count > 0)
		return number;
	ranking_remove(&f->ready.turns, name);
	paused = host_at(f->hosts, ready_site_of(f, page)->host)->number;
	if (scheduler_held_s(f->scheduler, paused, SCHEDULER_HOLD_PAUSE) >
	    f->context.now_s)
		scheduler_unhold(f->scheduler, paused, SCHEDULER_HOLD_PAUSE);
	return number;
}

void
ready_drop(struct frontier *f, uint32_t number)
{
	struct sched_page *page = page_at(f, number);
	struct origin_item *origin = origin_at(f, page->origin);
	struct host_item *host = host_at(f->hosts, origin->host);

	if ((page->owner_flags & PAGE_READY) != 0) {
		page_list_remove(f, &host->ready, number);
		ready_site_of(f, page)->ready--;
		if (--host->ready_count == 0)
			ranking_remove(&f->ready.turns, origin->host);
	}
	if ((page->owner_flags & PAGE_CLOSED) != 0)
		page_list_remove(f, &origin->closed, number);
	page->owner_flags &= (uint8_t) ~(
	    PAGE_READY | PAGE_CLOSED | PAGE_INELIGIBLE);
}

void
ready_return(struct frontier *f, uint32_t number)
{
	if ((page_at(f, number)->owner_flags & PAGE_READY) == 0)
		return;
	ready_drop(f, number);
	page_return(f, number);
}

/* Return all pages of one site that wait in the queue of a host. */
static void
ready_return_host(struct frontier *f, uint32_t name, uint32_t site)
{
	for (uint32_t page = host_at(f->hosts, name)->ready.first; page != 0;) {
		uint32_t number = page - 1;
		uint32_t document = page_at(f, number)->document;

		page = page_at(f, number)->after;
		if (document_at(f, document)->owner_site == site)
			ready_return(f, number);
	}
}

void
ready_return_site(struct frontier *f, uint32_t number)
{
	const struct site_item *site = site_at(f, number);

	/* nearly always, all pages of a site are at the host of the site */
	if (site->ready > 0)
		ready_return_host(f, site->host, number);
	for (uint32_t i = 0; i < host_count(f->hosts) && site->ready > 0; i++)
		ready_return_host(f, i, number);
}
