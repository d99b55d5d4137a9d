/*
 * The frontier: a heap of hosts by the time they may be asked again, each
 * with a heap of its items by their worth.
 *
 *	IDLE --add--> WAITING --take--> BUSY --done--> WAITING or IDLE
 *
 * WAITING hosts, and no others, are in the heap of hosts.
 */
#include "sched/frontier.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/politeness.h"

#define NOT_IN_HEAP UINT32_MAX
#define NO_ADDRESS UINT32_MAX
#define SECOND_MS 1000
#define LOOK_AGAIN_MS 50 /* whether a busy address is free */

struct queued {
	struct frontier_item item;
	uint64_t order; /* of arrival, for equal worth */
};

struct host {
	char *name; /* owned */
	struct queued *items; /* owned; a heap */
	size_t count, cap;
	int64_t delay_ms;
	int64_t last_sent_ms;
	int64_t hold_until_ms;
	int64_t ready_ms; /* its key in the heap of hosts, */
	uint64_t turn; /* and for equal ones: who came first */
	uint32_t heap_at; /* NOT_IN_HEAP unless WAITING */
	uint32_t address; /* NO_ADDRESS: not limited */
	bool is_busy;
	bool was_asked;
};

/* A limit of requests per second, as times of the last ones in a ring. */
struct address {
	struct addr addr;
	int64_t *sent_ms; /* owned; address_per_second of them */
	uint32_t next;
	uint32_t in_flight;
};

struct frontier {
	struct frontier_options options;
	struct host *hosts; /* owned */
	size_t host_count, host_cap;
	uint32_t *heap; /* owned; hosts by ready_ms */
	size_t heap_count, heap_cap;
	struct address *addresses; /* owned */
	size_t address_count, address_cap;
	uint32_t *buckets; /* owned; hash table of names: host + 1, 0: free */
	size_t bucket_count;
	uint64_t arrivals;
	uint64_t turns;
	uint64_t queued;
	uint32_t in_flight;
};

struct frontier_options
frontier_options_default(void)
{
	return (struct frontier_options){.delay_ms = 1000,
	    .max_in_flight = 1024,
	    .address_in_flight = 32,
	    .address_per_second = 32};
}

struct frontier *
frontier_new(const struct frontier_options *options)
{
	struct frontier *frontier = mem_zero(sizeof(*frontier));

	assert(options->address_per_second > 0);
	frontier->options = *options;
	frontier->bucket_count = 64;
	frontier->buckets = mem_zero(
	    frontier->bucket_count * sizeof(*frontier->buckets));
	return frontier;
}

void
frontier_free(struct frontier *frontier)
{
	if (frontier == NULL)
		return;
	for (size_t i = 0; i < frontier->host_count; i++) {
		free(frontier->hosts[i].name);
		free(frontier->hosts[i].items);
	}
	for (size_t i = 0; i < frontier->address_count; i++)
		free(frontier->addresses[i].sent_ms);
	free(frontier->addresses);
	free(frontier->hosts);
	free(frontier->heap);
	free(frontier->buckets);
	free(frontier);
}

/* Names: open addressing over FNV-1a; names come from URLs that were
 * accepted, a flood of them is bounded by the limits on documents. */

static size_t
bucket_of(const struct frontier *frontier, struct slice name)
{
	uint64_t hash = 14695981039346656037u;
	size_t at;

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.p[i]) * 1099511628211u;
	at = hash & (frontier->bucket_count - 1);
	while (frontier->buckets[at] != 0 &&
	    !slice_is(name, frontier->hosts[frontier->buckets[at] - 1].name))
		at = (at + 1) & (frontier->bucket_count - 1);
	return at;
}

static void
grow_buckets(struct frontier *frontier)
{
	free(frontier->buckets);
	frontier->bucket_count *= 2;
	frontier->buckets = mem_zero(
	    frontier->bucket_count * sizeof(*frontier->buckets));
	for (size_t i = 0; i < frontier->host_count; i++) {
		size_t at = bucket_of(
		    frontier, slice_of(frontier->hosts[i].name));

		frontier->buckets[at] = (uint32_t)i + 1;
	}
}

uint32_t
frontier_host(struct frontier *frontier, struct slice name)
{
	size_t at = bucket_of(frontier, name);
	struct host *host;

	if (frontier->buckets[at] != 0)
		return frontier->buckets[at] - 1;
	frontier->hosts = mem_grow(frontier->hosts, &frontier->host_cap,
	    frontier->host_count + 1, sizeof(*frontier->hosts));
	host = &frontier->hosts[frontier->host_count++];
	*host = (struct host){.name = slice_dup(name),
	    .delay_ms = frontier->options.delay_ms,
	    .heap_at = NOT_IN_HEAP,
	    .address = NO_ADDRESS};
	frontier->buckets[at] = (uint32_t)frontier->host_count;
	if (frontier->host_count * 2 > frontier->bucket_count)
		grow_buckets(frontier);
	return (uint32_t)frontier->host_count - 1;
}

/* The heap of hosts. */

static void
place(struct frontier *frontier, size_t at, uint32_t number)
{
	frontier->heap[at] = number;
	frontier->hosts[number].heap_at = (uint32_t)at;
}

/* is_before(frontier, a, b): does host a stand above host b? */
static bool
is_before(const struct frontier *frontier, uint32_t a, uint32_t b)
{
	const struct host *x = &frontier->hosts[a];
	const struct host *y = &frontier->hosts[b];

	if (x->ready_ms != y->ready_ms)
		return x->ready_ms < y->ready_ms;
	return x->turn < y->turn;
}

static void
sift_up(struct frontier *frontier, size_t at)
{
	uint32_t number = frontier->heap[at];

	while (at > 0 &&
	    is_before(frontier, number, frontier->heap[(at - 1) / 2])) {
		place(frontier, at, frontier->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(frontier, at, number);
}

static void
sift_down(struct frontier *frontier, size_t at)
{
	uint32_t number = frontier->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= frontier->heap_count)
			break;
		if (child + 1 < frontier->heap_count &&
		    is_before(frontier, frontier->heap[child + 1],
			frontier->heap[child]))
			child++;
		if (!is_before(frontier, frontier->heap[child], number))
			break;
		place(frontier, at, frontier->heap[child]);
		at = child;
	}
	place(frontier, at, number);
}

static void
heap_remove(struct frontier *frontier, uint32_t number)
{
	size_t at = frontier->hosts[number].heap_at;
	uint32_t last = frontier->heap[--frontier->heap_count];

	frontier->hosts[number].heap_at = NOT_IN_HEAP;
	if (last == number)
		return;
	place(frontier, at, last);
	sift_up(frontier, at);
	sift_down(frontier, frontier->hosts[last].heap_at);
}

/* host_ready_ms(host): when politeness lets it be asked. */
static int64_t
host_ready_ms(const struct host *host)
{
	int64_t ready_ms = host->hold_until_ms;

	if (host->was_asked && host->last_sent_ms + host->delay_ms > ready_ms)
		ready_ms = host->last_sent_ms + host->delay_ms;
	return ready_ms;
}

/* settle(frontier, number): into the heap, out of it, or to its place. */
static void
settle(struct frontier *frontier, uint32_t number)
{
	struct host *host = &frontier->hosts[number];
	bool is_waiting = !host->is_busy && host->count > 0;

	host->ready_ms = host_ready_ms(host);
	if (!is_waiting) {
		if (host->heap_at != NOT_IN_HEAP)
			heap_remove(frontier, number);
		return;
	}
	if (host->heap_at == NOT_IN_HEAP) {
		frontier->heap = mem_grow(frontier->heap, &frontier->heap_cap,
		    frontier->heap_count + 1, sizeof(*frontier->heap));
		frontier->heap_count++;
		host->turn = frontier->turns++;
		place(frontier, frontier->heap_count - 1, number);
	}
	sift_up(frontier, host->heap_at);
	sift_down(frontier, host->heap_at);
}

/* The heap of one host's items. */

static bool
is_better(const struct queued *a, const struct queued *b)
{
	if (a->item.class != b->item.class)
		return a->item.class < b->item.class;
	if (a->item.newest_s != b->item.newest_s)
		return a->item.newest_s > b->item.newest_s;
	return a->order < b->order;
}

void
frontier_add(struct frontier *frontier, const struct frontier_item *item)
{
	struct host *host = &frontier->hosts[item->host];
	struct queued queued = {*item, frontier->arrivals++};
	size_t at;

	assert(item->host < frontier->host_count);
	host->items = mem_grow(
	    host->items, &host->cap, host->count + 1, sizeof(*host->items));
	at = host->count++;
	while (at > 0 && is_better(&queued, &host->items[(at - 1) / 2])) {
		host->items[at] = host->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	host->items[at] = queued;
	frontier->queued++;
	settle(frontier, item->host);
}

static uint64_t
pop_item(struct frontier *frontier, struct host *host)
{
	uint64_t id = host->items[0].item.id;
	struct queued last = host->items[--host->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= host->count)
			break;
		if (child + 1 < host->count &&
		    is_better(&host->items[child + 1], &host->items[child]))
			child++;
		if (!is_better(&host->items[child], &last))
			break;
		host->items[at] = host->items[child];
		at = child;
	}
	host->items[at] = last;
	frontier->queued--;
	return id;
}

/* address_ready_ms(…): when the host's address lets it be asked; -1: only
 * when one of its requests is over. */
static int64_t
address_ready_ms(
    const struct frontier *frontier, const struct host *host, int64_t now_ms)
{
	const struct address *address;

	if (host->address == NO_ADDRESS)
		return now_ms;
	address = &frontier->addresses[host->address];
	if (address->in_flight >= frontier->options.address_in_flight)
		return -1;
	return address->sent_ms[address->next] + SECOND_MS;
}

static void
begin(struct frontier *frontier, uint32_t number, int64_t now_ms)
{
	struct host *host = &frontier->hosts[number];

	if (host->address != NO_ADDRESS) {
		struct address *address = &frontier->addresses[host->address];

		address->sent_ms[address->next] = now_ms;
		address->next = (address->next + 1) %
		    frontier->options.address_per_second;
		address->in_flight++;
	}
	host->is_busy = true;
	host->was_asked = true;
	host->last_sent_ms = now_ms;
	frontier->in_flight++;
	settle(frontier, number);
}

bool
frontier_take(struct frontier *frontier, int64_t now_ms, uint64_t *id)
{
	if (frontier->in_flight >= frontier->options.max_in_flight)
		return false;
	while (frontier->heap_count > 0) {
		uint32_t number = frontier->heap[0];
		struct host *host = &frontier->hosts[number];
		int64_t ready_ms;

		if (host->ready_ms > now_ms)
			return false;
		ready_ms = address_ready_ms(frontier, host, now_ms);
		if (ready_ms >= 0 && ready_ms <= now_ms) {
			*id = pop_item(frontier, host);
			begin(frontier, number, now_ms);
			return true;
		}
		/* Its address is busy: others first, then it again. */
		host->ready_ms = ready_ms < 0 ? now_ms + LOOK_AGAIN_MS
					      : ready_ms;
		sift_down(frontier, 0);
	}
	return false;
}

void
frontier_done(struct frontier *frontier, uint32_t number, int64_t sent_ms)
{
	struct host *host = &frontier->hosts[number];

	assert(host->is_busy);
	host->is_busy = false;
	if (sent_ms > host->last_sent_ms)
		host->last_sent_ms = sent_ms;
	if (host->address != NO_ADDRESS &&
	    frontier->addresses[host->address].in_flight > 0)
		frontier->addresses[host->address].in_flight--;
	frontier->in_flight--;
	settle(frontier, number);
}

int64_t
frontier_wait_ms(const struct frontier *frontier, int64_t now_ms)
{
	int64_t ready_ms;

	if (frontier->heap_count == 0 ||
	    frontier->in_flight >= frontier->options.max_in_flight)
		return -1;
	ready_ms = frontier->hosts[frontier->heap[0]].ready_ms;
	return ready_ms > now_ms ? ready_ms - now_ms : 0;
}

void
frontier_set_delay(struct frontier *frontier, uint32_t number, int64_t delay_ms)
{
	frontier->hosts[number].delay_ms = delay_ms;
	settle(frontier, number);
}

int64_t
frontier_delay(const struct frontier *frontier, uint32_t number)
{
	return frontier->hosts[number].delay_ms;
}

static uint32_t
find_address(struct frontier *frontier, const struct addr *addr)
{
	struct address *address;
	uint32_t ring = frontier->options.address_per_second;

	for (size_t i = 0; i < frontier->address_count; i++)
		if (memcmp(&frontier->addresses[i].addr, addr, sizeof(*addr)) ==
		    0)
			return (uint32_t)i;
	frontier->addresses = mem_grow(frontier->addresses,
	    &frontier->address_cap, frontier->address_count + 1,
	    sizeof(*frontier->addresses));
	address = &frontier->addresses[frontier->address_count];
	*address = (struct address){.addr = *addr};
	address->sent_ms = mem_alloc(ring * sizeof(*address->sent_ms));
	for (uint32_t i = 0; i < ring; i++)
		address->sent_ms[i] = -SECOND_MS;
	return (uint32_t)frontier->address_count++;
}

void
frontier_set_address(
    struct frontier *frontier, uint32_t number, const struct addr *addr)
{
	struct host *host = &frontier->hosts[number];
	uint32_t now = addr == NULL ? NO_ADDRESS : find_address(frontier, addr);

	if (host->address == now)
		return;
	/* A request under way is counted where it began no more, and at the
	 * new address from now on. */
	if (host->is_busy && host->address != NO_ADDRESS)
		frontier->addresses[host->address].in_flight--;
	if (host->is_busy && now != NO_ADDRESS)
		frontier->addresses[now].in_flight++;
	host->address = now;
}

void
frontier_hold(struct frontier *frontier, uint32_t number, int64_t until_ms)
{
	struct host *host = &frontier->hosts[number];

	if (until_ms > host->hold_until_ms)
		host->hold_until_ms = until_ms;
	settle(frontier, number);
}

uint64_t
frontier_queued(const struct frontier *frontier)
{
	return frontier->queued;
}

uint32_t
frontier_in_flight(const struct frontier *frontier)
{
	return frontier->in_flight;
}

bool
frontier_drain(struct frontier *frontier, uint32_t number, uint64_t *id)
{
	struct host *host = &frontier->hosts[number];

	if (host->count == 0)
		return false;
	*id = pop_item(frontier, host);
	settle(frontier, number);
	return true;
}
