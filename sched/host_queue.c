/*
 * The host queue: hosts ordered by the time when they may be asked again, each
 * with its documents, the best one first.
 *
 *	IDLE --add--> WAITING --take--> BUSY --done--> WAITING or IDLE
 *	                                 |  ^
 *	                       set_aside v  | bring_back
 *	                                ASIDE
 *
 * A WAITING host whose address is unknown is in the queue's heap.  One whose
 * address is known is in the heap of that address, and the address is in the
 * queue's heap for as long as it may be asked at all.  So hosts behind a busy
 * address cost nothing.
 */
#include "sched/host_queue.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "sched/heap.h"
#include "sched/host_table.h"

#define NEVER_SENT INT64_MIN
/* the class is in the bits of a rank above these, the order of arrival
 * below */
#define CLASS_SHIFT 56
#define NO_HOST UINT32_MAX
#define TURNS_MOST 9007199254740992.0 /* 2^53: a double is exact up to it */
#define MS_MOST 9e18 /* a later time is as good as never */
#define BACKOFF_MS 500
#define BACKOFF_MOST_MS 60000

/* There may be 100,000 items of one host, or 100,000 hosts with one item each,
 * so both must be small. */
struct queued_item {
	uint64_t id;
	int64_t newest_s;
	uint64_t rank; /* class, then order of arrival */
};

/* Zeroed: empty. */
struct host_items {
	struct queued_item *queued; /* owned; a heap */
	uint32_t count, cap;
};

/* Of the hosts that wait for an address, the first one is in the queue's
 * `ready`, for as long as the address may be asked at all. */
struct queued_address {
	struct addr addr;
	struct ranking hosts; /* hosts that wait for the address */
	uint32_t first; /* the host in `ready`; NO_HOST: none */
	/* owned; times of the requests of the last second, in order */
	int64_t *sent_ms;
	size_t sent_count, sent_cap;
	uint32_t in_flight;
	uint32_t host_count; /* hosts that answer from there */
};

/* A number is that of the address in `names`, as text. */
struct address_table {
	struct names names;
	struct queued_address **items; /* owned; NULL: the number is free */
	size_t count, cap;
	struct positions *hosts; /* borrowed: at_addresses of the queue */
};

/* What the queue knows of a host that it has had items of. */
struct queued_host {
	struct host *host; /* borrowed; the number of its items is there */
	uint64_t turn; /* when it came to wait */
	struct host_items items;
	struct host_items pages; /* those of CLASS_PAGE */
	bool was_page; /* the item that was taken last */
	struct queued_address *address; /* NULL: no limit per address applies */
	/* when the request in flight was noted at `address`; NEVER_SENT: it
	 * was not */
	int64_t noted_ms;
	int64_t hold_until_ms; /* host_queue_hold() */
	bool is_busy; /* an item was taken, and is not done */
	bool is_aside; /* busy, but not in flight */
	bool is_counted; /* it is among the queue's `active` */
};

struct host_queue {
	struct host_queue_options options;
	struct host_table *table; /* borrowed */
	/* owned, with what they point to; by the number of the host, NULL: no
	 * item of it came yet */
	struct queued_host **hosts;
	size_t host_count, host_cap;
	/* Hosts by the time at which they may be asked.  Of those at one
	 * address only the first one. */
	struct ranking ready;
	struct positions
	    at_addresses; /* of hosts in those of their addresses */
	struct address_table addresses;
	uint64_t arrivals;
	uint64_t turns;
	uint32_t in_flight;
	uint32_t active; /* hosts that wait or are busy */
};

static bool
is_better(const struct queued_item *a, const struct queued_item *b)
{
	uint64_t class_a = a->rank >> CLASS_SHIFT;
	uint64_t class_b = b->rank >> CLASS_SHIFT;

	if (class_a != class_b)
		return class_a < class_b;
	if (a->newest_s != b->newest_s)
		return a->newest_s > b->newest_s;
	return a->rank < b->rank;
}

static uint64_t
items_take(struct host_items *items)
{
	struct queued_item last;
	uint64_t id;
	size_t at = 0;

	assert(items->count > 0);
	id = items->queued[0].id;
	last = items->queued[--items->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= items->count)
			break;
		if (child + 1 < items->count &&
		    is_better(&items->queued[child + 1], &items->queued[child]))
			child++;
		if (!is_better(&items->queued[child], &last))
			break;
		items->queued[at] = items->queued[child];
		at = child;
	}
	items->queued[at] = last;
	if (items->count == 0) {
		free(items->queued);
		*items = (struct host_items){0};
	}
	return id;
}

/* How many items the host has. */
static uint32_t
queued_count(const struct queued_host *host)
{
	return host->items.count + host->pages.count;
}

static uint64_t
queued_take(struct queued_host *host)
{
	bool is_page = host->pages.count > 0 &&
	    (host->items.count == 0 || !host->was_page);

	host->was_page = is_page;
	return items_take(is_page ? &host->pages : &host->items);
}

static struct queued_address *
addresses_get(struct address_table *addresses, const struct addr *addr)
{
	struct queued_address *address;
	char text[46];
	uint32_t number;

	addr_print(addr, text);
	number = names_put(&addresses->names, slice_of(text));
	if (number < addresses->count && addresses->items[number] != NULL)
		return addresses->items[number];
	address = mem_zero(sizeof(*address));
	address->addr = *addr;
	address->first = NO_HOST;
	address->hosts.positions = addresses->hosts;
	addresses->items = mem_grow(addresses->items, &addresses->cap,
	    (size_t)number + 1, sizeof(struct queued_address *));
	if (number == addresses->count)
		addresses->count++;
	addresses->items[number] = address;
	return address;
}

static int64_t
address_ready_ms(const struct queued_address *address, uint32_t per_second)
{
	if (address->sent_count < per_second)
		return INT64_MIN;
	return address->sent_ms[address->sent_count - per_second] + SECOND_MS;
}

const struct host_queue_options host_queue_options_default = {
    .max_in_flight = 1024, .address_in_flight = 32, .address_per_second = 32};

int64_t
host_backoff_ms(unsigned tries)
{
	int64_t wait_ms = (int64_t)BACKOFF_MS << (tries < 16 ? tries : 16);

	return wait_ms < BACKOFF_MOST_MS ? wait_ms : BACKOFF_MOST_MS;
}

struct host_queue *
host_queue_new(
    const struct host_queue_options *options, struct host_table *table)
{
	struct host_queue *queue = mem_zero(sizeof(*queue));

	assert(options->address_per_second > 0);
	queue->options = *options;
	queue->table = table;
	queue->addresses.names = (struct names){.key = options->hash_key};
	queue->addresses.hosts = &queue->at_addresses;
	return queue;
}

void
host_queue_free(struct host_queue *queue)
{
	if (queue == NULL)
		return;
	for (size_t i = 0; i < queue->host_count; i++) {
		if (queue->hosts[i] != NULL) {
			free(queue->hosts[i]->items.queued);
			free(queue->hosts[i]->pages.queued);
		}
		free(queue->hosts[i]);
	}
	free(queue->hosts);
	for (size_t i = 0; i < queue->addresses.count; i++) {
		struct queued_address *address = queue->addresses.items[i];

		if (address == NULL)
			continue;
		ranking_release(&address->hosts);
		free(address->sent_ms);
		free(address);
	}
	free(queue->addresses.items);
	names_release(&queue->addresses.names);
	ranking_release(&queue->ready);
	free(queue->at_addresses.items);
	free(queue);
}

/* The queue's part of the host, made when it is new. */
static struct queued_host *
host_queue_host_at(struct host_queue *queue, uint32_t number)
{
	struct queued_host *host;

	if (number < queue->host_count && queue->hosts[number] != NULL)
		return queue->hosts[number];
	assert(queue->table->items[number] != NULL);
	queue->hosts = mem_grow(queue->hosts, &queue->host_cap,
	    (size_t)number + 1, sizeof(struct queued_host *));
	while (queue->host_count <= number)
		queue->hosts[queue->host_count++] = NULL;
	host = queue->hosts[number] = mem_zero(sizeof(*host));
	host->host = queue->table->items[number];
	host->noted_ms = NEVER_SENT;
	return host;
}

static int64_t
queued_ready_ms(const struct host_queue *queue, const struct queued_host *host)
{
	int64_t ready_ms = host_ready_ms(
	    queue->table, host->host, HOST_DOCUMENTS, NULL);

	return ready_ms > host->hold_until_ms ? ready_ms : host->hold_until_ms;
}

static void
address_update(struct host_queue *queue, struct queued_address *address)
{
	const struct ranking_item *first = ranking_first(&address->hosts);

	if (address->first != NO_HOST)
		ranking_remove(&queue->ready, address->first);
	address->first = NO_HOST;
	if (first == NULL ||
	    address->in_flight >= queue->options.address_in_flight)
		return;
	address->first = first->number;
	ranking_put(&queue->ready, first->number,
	    fmax(first->key,
		(double)address_ready_ms(
		    address, queue->options.address_per_second)));
}

static void
queued_update(struct host_queue *queue, struct queued_host *host)
{
	uint32_t number = host->host->number;
	bool is_active;
	struct ranking *hosts = host->address == NULL ? &queue->ready
						      : &host->address->hosts;

	host->host->waiting[HOST_DOCUMENTS] = queued_count(host);
	if (host->is_busy || queued_count(host) == 0)
		ranking_remove(hosts, number);
	else {
		int64_t ready_ms = queued_ready_ms(queue, host);

		if (ranking_find(hosts, number) == NULL)
			host->turn = queue->turns++;
		/* Hosts that may be asked at any time come first, in the order
		 * in which they came to wait. */
		ranking_put(hosts, number,
		    ready_ms > 0 ? (double)ready_ms
				 : (double)host->turn - TURNS_MOST);
	}
	if (host->address != NULL)
		address_update(queue, host->address);
	/* Count the hosts that wait or are busy. */
	is_active = (host->is_busy && !host->is_aside) ||
	    queued_count(host) > 0;
	queue->active = queue->active + is_active - host->is_counted;
	host->is_counted = is_active;
}

void
host_queue_update(struct host_queue *queue, uint32_t number)
{
	if (number < queue->host_count && queue->hosts[number] != NULL)
		queued_update(queue, queue->hosts[number]);
}

void
host_queue_hold(struct host_queue *queue, uint32_t number, int64_t until_ms)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	if (until_ms > host->hold_until_ms)
		host->hold_until_ms = until_ms;
	queued_update(queue, host);
}

bool
host_queue_forget(struct host_queue *queue, uint32_t number, int64_t now_ms)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	if (host->is_busy || queued_count(host) > 0 ||
	    queued_ready_ms(queue, host) > now_ms)
		return false;
	if (host->address != NULL)
		host->address->host_count--;
	if (!host->host->is_kept)
		host_forget(queue->table, number);
	free(host); /* it has no items */
	queue->hosts[number] = NULL;
	return true;
}

/* Items. */

void
host_queue_add(struct host_queue *queue, const struct host_queue_item *item)
{
	struct queued_host *host = host_queue_host_at(queue, item->host);
	struct host_items *items = item->class == CLASS_PAGE ? &host->pages
							     : &host->items;
	uint64_t order = queue->arrivals++;
	struct queued_item queued = {.id = item->id,
	    .newest_s = item->newest_s,
	    .rank = (uint64_t)item->class << CLASS_SHIFT | order};
	size_t cap = items->cap;
	size_t at;

	assert(order >> CLASS_SHIFT == 0);
	mem_limit(items->count, UINT32_MAX / 2);
	if (items->count == 0 && items->queued == NULL) {
		/* Most hosts have one item at a time. */
		cap = 1;
		items->queued = mem_alloc(sizeof(*items->queued));
	}
	items->queued = mem_grow(items->queued, &cap, (size_t)items->count + 1,
	    sizeof(*items->queued));
	items->cap = (uint32_t)cap;
	at = items->count++;
	while (at > 0 && is_better(&queued, &items->queued[(at - 1) / 2])) {
		items->queued[at] = items->queued[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	items->queued[at] = queued;
	queued_update(queue, host);
}

static void
note_sent(struct host_queue *queue, struct queued_host *host, int64_t now_ms)
{
	struct queued_address *address = host->address;
	uint32_t per_second = queue->options.address_per_second;
	size_t old = 0;

	while (old < address->sent_count &&
	    address->sent_ms[old] + SECOND_MS <= now_ms)
		old++;
	/* Remember no more requests than the limit counts. */
	if (address->sent_count - old >= per_second)
		old = address->sent_count - per_second + 1;
	address->sent_count -= old;
	if (address->sent_count > 0)
		memmove(address->sent_ms, address->sent_ms + old,
		    address->sent_count * sizeof(*address->sent_ms));
	*MEM_PUSH(
	    address->sent_ms, address->sent_count, address->sent_cap) = now_ms;
	host->noted_ms = now_ms;
}

/* The request in flight was not sent to the address where it was noted.
 * Requests of other hosts may have been noted since. */
static void
take_back(struct queued_host *host)
{
	struct queued_address *address = host->address;
	size_t at = address == NULL || host->noted_ms == NEVER_SENT
	    ? 0
	    : address->sent_count;

	while (at > 0 && address->sent_ms[at - 1] != host->noted_ms)
		at--;
	host->noted_ms = NEVER_SENT;
	if (at == 0)
		return;
	address->sent_count--;
	memmove(address->sent_ms + at - 1, address->sent_ms + at,
	    (address->sent_count - (at - 1)) * sizeof(*address->sent_ms));
}

bool
host_queue_take(struct host_queue *queue, int64_t now_ms, uint64_t *id)
{
	const struct ranking_item *first;
	struct queued_host *host;

	for (;;) {
		first = ranking_first(&queue->ready);
		if (queue->in_flight >= queue->options.max_in_flight ||
		    first == NULL || !host_may_ask(queue->table) ||
		    first->key > (double)now_ms)
			return false;
		host = host_queue_host_at(queue, first->number);
		if (queued_ready_ms(queue, host) <= now_ms &&
		    host_reserve(queue->table, host->host, HOST_DOCUMENTS))
			break;
		/* a fetcher has told since that it has asked the host, or a
		 * time is reserved first */
		queued_update(queue, host);
	}
	*id = queued_take(host);
	queue->in_flight++;
	host->is_busy = true;
	host_asks(queue->table, host->host, now_ms);
	if (host->address != NULL) {
		host->address->in_flight++;
		note_sent(queue, host, now_ms);
	}
	queued_update(queue, host);
	return true;
}

void
host_queue_done(struct host_queue *queue, uint32_t number, int64_t answered_ms)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	assert(host->is_busy && !host->is_aside);
	host->is_busy = false;
	host->noted_ms = NEVER_SENT;
	/* a request that was returned is not under way any more */
	if (host->host->is_busy)
		host_answered(queue->table, host->host, answered_ms);
	if (host->address != NULL)
		host->address->in_flight--;
	queue->in_flight--;
	queued_update(queue, host);
}

void
host_queue_return(struct host_queue *queue, uint32_t number)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	take_back(host);
	host_unasked(queue->table, host->host);
	host_queue_done(queue, number, NEVER_SENT);
}

bool
host_queue_drain(
    struct host_queue *queue, uint32_t number, bool is_page, uint64_t *id)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	if (host->pages.count + (is_page ? 0 : host->items.count) == 0)
		return false;
	*id = is_page ? items_take(&host->pages) : queued_take(host);
	queued_update(queue, host);
	return true;
}

int64_t
host_queue_wait_ms(const struct host_queue *queue, int64_t now_ms)
{
	const struct ranking_item *first = ranking_first(&queue->ready);

	if (first == NULL || queue->in_flight >= queue->options.max_in_flight)
		return -1;
	return first->key > (double)now_ms
	    ? (int64_t)fmin(first->key, MS_MOST) - now_ms
	    : 0;
}

static bool
host_queue_is_there(const struct queued_host *host, const struct addr *addr)
{
	if (host->address == NULL || addr == NULL)
		return host->address == NULL && addr == NULL;
	return memcmp(&host->address->addr, addr, sizeof(*addr)) == 0;
}

/* host_queue_move(queue, host, address): give the host another address. A
 * request in flight now counts at the new address, and no longer at the old
 * one. */
static void
host_queue_move(struct host_queue *queue, struct queued_host *host,
    struct queued_address *address)
{
	struct queued_address *old = host->address;

	if (old != NULL) {
		ranking_remove(&old->hosts, host->host->number);
		if (host->is_busy)
			old->in_flight--;
		address_update(queue, old);
	} else {
		ranking_remove(&queue->ready, host->host->number);
	}
	host->address = address;
	host->noted_ms = NEVER_SENT;
	if (old != NULL)
		old->host_count--;
	if (address != NULL)
		address->host_count++;
	if (address != NULL && host->is_busy)
		address->in_flight++;
	queued_update(queue, host);
}

void
host_queue_set_address(
    struct host_queue *queue, uint32_t number, const struct addr *addr)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	if (!host_queue_is_there(host, addr))
		host_queue_move(queue, host,
		    addr == NULL ? NULL
				 : addresses_get(&queue->addresses, addr));
}

bool
host_queue_admit(struct host_queue *queue, uint32_t number,
    const struct addr *addr, int64_t now_ms)
{
	const struct host_queue_options *options = &queue->options;
	struct queued_host *host = host_queue_host_at(queue, number);
	struct queued_address *address;
	bool may;

	assert(host->is_busy);
	if (host_queue_is_there(host, addr))
		return true; /* host_queue_take() has counted the request */
	take_back(host);
	address = addresses_get(&queue->addresses, addr);
	may = address->in_flight < options->address_in_flight &&
	    address_ready_ms(address, options->address_per_second) <= now_ms;
	host_queue_move(queue, host, address);
	if (may)
		note_sent(queue, host, now_ms);
	address_update(queue, address);
	return may;
}

void
host_queue_set_aside(struct host_queue *queue, uint32_t number)
{
	struct queued_host *host = host_queue_host_at(queue, number);

	assert(host->is_busy && !host->is_aside);
	take_back(host);
	if (host->address != NULL)
		host_queue_move(queue, host, NULL);
	host_unasked(queue->table, host->host);
	host->is_aside = true;
	queue->in_flight--;
	queued_update(queue, host);
}

bool
host_queue_bring_back(struct host_queue *queue, uint32_t number, int64_t now_ms)
{
	struct queued_host *host = host_queue_host_at(queue, number);
	bool may = queued_ready_ms(queue, host) <= now_ms &&
	    host_reserve(queue->table, host->host, HOST_DOCUMENTS);

	assert(host->is_aside);
	host->is_aside = false;
	queue->in_flight++;
	if (may)
		host_asks(queue->table, host->host, now_ms);
	else
		host_queue_done(queue, number, NEVER_SENT);
	queued_update(queue, host);
	return may;
}

void
host_queue_tidy(struct host_queue *queue, int64_t now_ms)
{
	for (uint32_t i = 0; i < queue->addresses.count; i++) {
		struct queued_address *address = queue->addresses.items[i];

		if (address == NULL || address->host_count > 0 ||
		    address->in_flight > 0 ||
		    (address->sent_count > 0 &&
			address->sent_ms[address->sent_count - 1] + SECOND_MS >
			    now_ms))
			continue;
		ranking_release(&address->hosts);
		free(address->sent_ms);
		free(address);
		queue->addresses.items[i] = NULL;
		names_remove(&queue->addresses.names, i);
	}
}

uint32_t
host_queue_hosts(const struct host_queue *queue)
{
	return queue->active;
}
