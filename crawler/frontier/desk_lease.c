/* Leases of pages, and who has them: see desk_lease.h. */
#include "crawler/frontier/desk_lease.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/desk_pace.h"
#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_wanted.h"

/* Those with a limit of hosts that are remembered at once. */
#define TAKERS_MAX 60000
#define SECOND_MS 1000

struct taken {
	uint32_t host;
	uint32_t pages; /* that are out */
};

/* Where a taker has pages. */
struct desk_taker_at {
	struct taken *hosts; /* owned; as many as its limit, at most */
	size_t count, cap;
	size_t number; /* in desk->takers */
	bool is_released; /* nobody looks any more, but pages are out */
};

static struct taken *
find(const struct desk_taker_at *at, uint32_t host)
{
	for (size_t i = 0; i < at->count; i++)
		if (at->hosts[i].host == host)
			return &at->hosts[i];
	return NULL;
}

bool
taker_may(const struct desk_taker *taker, uint32_t host)
{
	if (taker->hosts == 0 || taker->at == NULL)
		return true;
	return taker->at->count < taker->hosts || find(taker->at, host) != NULL;
}

bool
taker_has_room(
    const struct desk *desk, const struct desk_taker *taker, uint32_t name)
{
	const struct host_at *host = &desk->hosts[name];
	uint32_t most = taker->per_host;

	if (most == 0 && taker->is_spaced && host->delay_ms > 0)
		most = 1;
	return most == 0 || host->leases < most;
}

bool
taker_has_time(
    const struct desk *desk, const struct desk_taker *taker, uint32_t name)
{
	const struct host_at *host = &desk->hosts[name];

	return host->leases == 0 ||
	    ((int64_t)host->leases + 1) * host->delay_ms <=
	    taker->lease_s * SECOND_MS / 2;
}

/* A place in the desk's list, used again when one is free. */
static struct desk_taker_at *
register_taker(struct desk *desk)
{
	struct desk_taker_at *at = mem_zero(sizeof(*at));

	while (
	    at->number < desk->taker_count && desk->takers[at->number] != NULL)
		at->number++;
	if (at->number == desk->taker_count) {
		desk->takers = mem_grow(desk->takers, &desk->taker_cap,
		    desk->taker_count + 1, sizeof(struct desk_taker_at *));
		desk->taker_count++;
	}
	desk->takers[at->number] = at;
	return at;
}

static void
take(struct desk_taker_at *at, uint32_t host)
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
forget(struct desk *desk, struct desk_taker_at *at)
{
	desk->takers[at->number] = NULL;
	free(at->hosts);
	free(at);
}

static void
give(struct desk *desk, struct desk_taker_at *at, uint32_t host)
{
	struct taken *taken = find(at, host);

	if (taken == NULL || --taken->pages > 0)
		return;
	*taken = at->hosts[--at->count];
	if (at->count == 0 && at->is_released)
		forget(desk, at);
}

void
lease_begin(struct desk *desk, struct desk_taker *taker, uint32_t number,
    int64_t until_s)
{
	struct page_at *page = &desk->pages[number];
	uint32_t host = desk->origins[page->origin].host;

	page->flags |= PAGE_LEASED;
	page->taker = 0;
	ranking_put(&desk->leases, number, (double)until_s);
	desk->hosts[host].leases++;
	if (taker == NULL || taker->hosts == 0)
		return;
	if (taker->at == NULL && desk->taker_count < TAKERS_MAX)
		taker->at = register_taker(desk);
	if (taker->at == NULL)
		return;
	take(taker->at, host);
	page->taker = (uint16_t)(taker->at->number + 1);
}

void
lease_end(struct desk *desk, uint32_t number)
{
	struct page_at *page = &desk->pages[number];
	uint32_t host = desk->origins[page->origin].host;

	page->flags &= (uint8_t)~PAGE_LEASED;
	ranking_remove(&desk->leases, number);
	if (--desk->hosts[host].leases == 0)
		pace_over(desk, host);
	if (page->taker > 0)
		give(desk, desk->takers[page->taker - 1], host);
	page->taker = 0;
}

void
desk_taker_release(struct desk *desk, struct desk_taker *taker)
{
	wanted_release(taker);
	if (taker->at == NULL)
		return;
	taker->at->is_released = true;
	if (taker->at->count == 0)
		forget(desk, taker->at);
	taker->at = NULL;
}

void
desk_expire(struct desk *desk, int64_t now_s)
{
	const struct ranking_item *first;

	now_s = desk_clock(desk, now_s);
	while ((first = ranking_first(&desk->leases)) != NULL &&
	    first->key <= (double)now_s) {
		uint32_t number = first->number;

		store_lease_end(desk->options.store, desk->pages[number].id);
		lease_end(desk, number);
		page_return(desk, number);
	}
}

void
leases_release(struct desk *desk)
{
	for (size_t i = 0; i < desk->taker_count; i++)
		if (desk->takers[i] != NULL)
			forget(desk, desk->takers[i]);
	free(desk->takers);
	ranking_release(&desk->leases);
	ranking_release(&desk->shelves);
}
