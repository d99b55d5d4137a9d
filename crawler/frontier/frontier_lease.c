/* Leases of pages, and who has them: see frontier_lease.h. */
#include "crawler/frontier/frontier_lease.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_wanted.h"

/* Those with a limit of hosts that are remembered at once. */
#define TAKERS_MAX 60000
#define SECOND_MS 1000

struct taken {
	uint32_t host;
	uint32_t pages; /* that are out */
};

/* Where a taker has pages. */
struct frontier_taker_at {
	struct taken *hosts; /* owned; as many as its limit, at most */
	size_t count, cap;
	size_t number; /* in frontier->takers */
	bool is_released; /* nobody looks any more, but pages are out */
};

static struct taken *
find(const struct frontier_taker_at *at, uint32_t host)
{
	for (size_t i = 0; i < at->count; i++)
		if (at->hosts[i].host == host)
			return &at->hosts[i];
	return NULL;
}

bool
taker_may(const struct frontier_taker *taker, uint32_t host)
{
	if (taker->hosts == 0 || taker->at == NULL)
		return true;
	return taker->at->count < taker->hosts || find(taker->at, host) != NULL;
}

bool
taker_has_room(const struct frontier *frontier,
    const struct frontier_taker *taker, uint32_t name)
{
	const struct host_at *host = &frontier->hosts[name];
	uint32_t most = taker->per_host;

	if (most == 0 && taker->is_spaced && host->delay_ms > 0)
		most = 1;
	return most == 0 || host->leases < most;
}

bool
taker_has_time(const struct frontier *frontier,
    const struct frontier_taker *taker, uint32_t name)
{
	const struct host_at *host = &frontier->hosts[name];

	return host->leases == 0 ||
	    ((int64_t)host->leases + 1) * host->delay_ms <=
	    taker->lease_s * SECOND_MS / 2;
}

/* A place in the frontier's list, used again when one is free. */
static struct frontier_taker_at *
register_taker(struct frontier *frontier)
{
	struct frontier_taker_at *at = mem_zero(sizeof(*at));

	while (at->number < frontier->taker_count &&
	    frontier->takers[at->number] != NULL)
		at->number++;
	if (at->number == frontier->taker_count) {
		frontier->takers = mem_grow(frontier->takers,
		    &frontier->taker_cap, frontier->taker_count + 1,
		    sizeof(struct frontier_taker_at *));
		frontier->taker_count++;
	}
	frontier->takers[at->number] = at;
	return at;
}

static void
take(struct frontier_taker_at *at, uint32_t host)
{
	struct taken *taken = find(at, host);

	if (taken != NULL) {
		taken->pages++;
		return;
	}
	at->hosts = mem_grow(
	    at->hosts, &at->cap, at->count + 1, sizeof(*at->hosts));
	at->hosts[at->count++] = (struct taken){.host = host, .pages = 1};
}

static void
forget(struct frontier *frontier, struct frontier_taker_at *at)
{
	frontier->takers[at->number] = NULL;
	free(at->hosts);
	free(at);
}

static void
give(struct frontier *frontier, struct frontier_taker_at *at, uint32_t host)
{
	struct taken *taken = find(at, host);

	if (taken == NULL || --taken->pages > 0)
		return;
	*taken = at->hosts[--at->count];
	if (at->count == 0 && at->is_released)
		forget(frontier, at);
}

void
lease_begin(struct frontier *frontier, struct frontier_taker *taker,
    uint32_t number, int64_t until_s)
{
	struct page_at *page = &frontier->pages[number];
	uint32_t host = frontier->origins[page->origin].host;

	page->flags |= PAGE_LEASED;
	page->taker = 0;
	ranking_put(&frontier->leases, number, (double)until_s);
	frontier->hosts[host].leases++;
	if (taker == NULL || taker->hosts == 0)
		return;
	if (taker->at == NULL && frontier->taker_count < TAKERS_MAX)
		taker->at = register_taker(frontier);
	if (taker->at == NULL)
		return;
	take(taker->at, host);
	page->taker = (uint16_t)(taker->at->number + 1);
}

void
lease_end(struct frontier *frontier, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];
	uint32_t host = frontier->origins[page->origin].host;

	page->flags &= (uint8_t)~PAGE_LEASED;
	ranking_remove(&frontier->leases, number);
	if (--frontier->hosts[host].leases == 0)
		pace_over(frontier, host);
	if (page->taker > 0)
		give(frontier, frontier->takers[page->taker - 1], host);
	page->taker = 0;
}

void
frontier_taker_release(struct frontier *frontier, struct frontier_taker *taker)
{
	wanted_release(taker);
	if (taker->at == NULL)
		return;
	taker->at->is_released = true;
	if (taker->at->count == 0)
		forget(frontier, taker->at);
	taker->at = NULL;
}

void
frontier_expire(struct frontier *frontier, int64_t now_s)
{
	const struct ranking_item *first;

	now_s = frontier_clock(frontier, now_s);
	while ((first = ranking_first(&frontier->leases)) != NULL &&
	    first->key <= (double)now_s) {
		uint32_t number = first->number;

		store_lease_end(
		    frontier->options.store, frontier->pages[number].id);
		lease_end(frontier, number);
		page_return(frontier, number);
	}
}

void
leases_release(struct frontier *frontier)
{
	for (size_t i = 0; i < frontier->taker_count; i++)
		if (frontier->takers[i] != NULL)
			forget(frontier, frontier->takers[i]);
	free(frontier->takers);
	ranking_release(&frontier->leases);
	ranking_release(&frontier->shelves);
}
