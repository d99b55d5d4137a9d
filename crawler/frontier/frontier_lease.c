/* Leases of pages, and who has them: see frontier_lease.h. */
#include "crawler/frontier/frontier_lease.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/eligible_sites.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/frontier/frontier_parts.h"

/* Those with a limit of hosts that are remembered at once. */
#define CONSUMERS_MAX 60000
#define SECOND_MS 1000

struct taken {
	uint32_t host;
	uint32_t pages; /* that are out */
};

/* Where a consumer has pages. */
struct consumer_hosts {
	struct taken *hosts; /* owned; as many as its limit, at most */
	size_t count, cap;
	size_t number; /* in frontier->consumers */
	bool is_released; /* nobody looks any more, but pages are out */
};

static struct taken *
find(const struct consumer_hosts *at, uint32_t host)
{
	for (size_t i = 0; i < at->count; i++)
		if (at->hosts[i].host == host)
			return &at->hosts[i];
	return NULL;
}

bool
consumer_may_use(const struct frontier_consumer *consumer, uint32_t host)
{
	if (consumer->hosts == 0 || consumer->at == NULL)
		return true;
	return consumer->at->count < consumer->hosts ||
	    find(consumer->at, host) != NULL;
}

bool
consumer_has_room(const struct frontier *frontier,
    const struct frontier_consumer *consumer, uint32_t name)
{
	const struct host_at *host = &frontier->hosts[name];
	uint32_t most = consumer->per_host;

	if (most == 0 && consumer->is_spaced && host->delay_ms > 0)
		most = 1;
	return most == 0 || host->leases < most;
}

bool
consumer_has_time(const struct frontier *frontier,
    const struct frontier_consumer *consumer, uint32_t name)
{
	const struct host_at *host = &frontier->hosts[name];

	return host->leases == 0 ||
	    ((int64_t)host->leases + 1) * host->delay_ms <=
	    consumer->lease_s * SECOND_MS / 2;
}

/* A place in the frontier's list, used again when one is free. */
static struct consumer_hosts *
register_consumer(struct frontier *frontier)
{
	struct consumer_hosts *at = mem_zero(sizeof(*at));

	while (at->number < frontier->consumer_count &&
	    frontier->consumers[at->number] != NULL)
		at->number++;
	if (at->number == frontier->consumer_count) {
		frontier->consumers = mem_grow(frontier->consumers,
		    &frontier->consumer_cap, frontier->consumer_count + 1,
		    sizeof(struct consumer_hosts *));
		frontier->consumer_count++;
	}
	frontier->consumers[at->number] = at;
	return at;
}

static void
take(struct consumer_hosts *at, uint32_t host)
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
forget(struct frontier *frontier, struct consumer_hosts *at)
{
	frontier->consumers[at->number] = NULL;
	free(at->hosts);
	free(at);
}

static void
give(struct frontier *frontier, struct consumer_hosts *at, uint32_t host)
{
	struct taken *taken = find(at, host);

	if (taken == NULL || --taken->pages > 0)
		return;
	*taken = at->hosts[--at->count];
	if (at->count == 0 && at->is_released)
		forget(frontier, at);
}

void
lease_begin(struct frontier *frontier, struct frontier_consumer *consumer,
    uint32_t number, int64_t until_s)
{
	struct page_at *page = &frontier->pages[number];
	uint32_t host = frontier->origins[page->origin].host;

	page->flags |= PAGE_LEASED;
	page->consumer = 0;
	ranking_put(&frontier->leases, number, (double)until_s);
	frontier->hosts[host].leases++;
	if (consumer == NULL || consumer->hosts == 0)
		return;
	if (consumer->at == NULL && frontier->consumer_count < CONSUMERS_MAX)
		consumer->at = register_consumer(frontier);
	if (consumer->at == NULL)
		return;
	take(consumer->at, host);
	page->consumer = (uint16_t)(consumer->at->number + 1);
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
	if (page->consumer > 0)
		give(frontier, frontier->consumers[page->consumer - 1], host);
	page->consumer = 0;
}

void
frontier_consumer_release(
    struct frontier *frontier, struct frontier_consumer *consumer)
{
	wanted_release(consumer);
	if (consumer->at == NULL)
		return;
	consumer->at->is_released = true;
	if (consumer->at->count == 0)
		forget(frontier, consumer->at);
	consumer->at = NULL;
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
	for (size_t i = 0; i < frontier->consumer_count; i++)
		if (frontier->consumers[i] != NULL)
			forget(frontier, frontier->consumers[i]);
	free(frontier->consumers);
	ranking_release(&frontier->leases);
	ranking_release(&frontier->shelves);
}
