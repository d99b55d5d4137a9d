/*
 * The frontier: hosts by the time they may be asked again, each with its
 * documents by their worth.
 *
 *	IDLE --add--> WAITING --take--> BUSY --done--> WAITING or IDLE
 *	                                 |  ^
 *	                       set_aside v  | bring_back
 *	                                ASIDE
 *
 * A WAITING host is in the heap of hosts, or, when its address is known, in
 * that of its address, which is in the heap of hosts in its stead for as long
 * as it may be asked again at all.  So hosts behind a busy address cost
 * nothing.
 */
#include "sched/host_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/host_queue_internal.h"
#include "sched/politeness.h"

struct host_queue_options
host_queue_options_default(void)
{
	return (struct host_queue_options){.delay_ms = 1000,
	    .max_in_flight = 1024,
	    .address_in_flight = 32,
	    .address_per_second = 32};
}

struct host_queue *
host_queue_new(const struct host_queue_options *options)
{
	struct host_queue *host_queue = mem_zero(sizeof(*host_queue));

	assert(options->address_per_second > 0);
	host_queue->options = *options;
	host_queue->addresses.key = options->hash_key;
	names_init(&host_queue->names, options->hash_key);
	return host_queue;
}

static void
host_free(struct host *host)
{
	if (host == NULL)
		return;
	items_release(&host->items);
	free(host);
}

void
host_queue_free(struct host_queue *host_queue)
{
	if (host_queue == NULL)
		return;
	for (size_t i = 0; i < host_queue->host_count; i++)
		host_free(host_queue->hosts[i]);
	free(host_queue->hosts);
	names_release(&host_queue->names);
	addresses_release(&host_queue->addresses);
	time_heap_release(&host_queue->ready);
	free(host_queue);
}

uint32_t
host_queue_host(struct host_queue *host_queue, struct slice name)
{
	uint32_t number = names_put(&host_queue->names, name);
	struct host *host;

	if (number < host_queue->host_count &&
	    host_queue->hosts[number] != NULL)
		return number;
	host = mem_zero(sizeof(*host));
	host->delay_ms = host_queue->options.delay_ms;
	host->last_sent_ms = host->before_ms = NEVER_SENT;
	if (number == host_queue->host_count) {
		host_queue->hosts = mem_grow(host_queue->hosts,
		    &host_queue->host_cap, host_queue->host_count + 1,
		    sizeof(struct host *));
		host_queue->host_count++;
	}
	host_queue->hosts[number] = host;
	return number;
}

struct host *
host_queue_get(const struct host_queue *host_queue, uint32_t number)
{
	assert(number < host_queue->host_count &&
	    host_queue->hosts[number] != NULL);
	return host_queue->hosts[number];
}

/* Who may be asked when. */

static int64_t
host_ready_ms(const struct host *host)
{
	/* The time of a request may have been rounded up to a millisecond that
	 * is not there yet; no delay must not become one of that. */
	int64_t delay_ms = host->delay_ms > 0 ? host->delay_ms : -1;
	int64_t ready_ms = host->hold_until_ms;

	if (host->shared_until_ms > ready_ms)
		ready_ms = host->shared_until_ms;
	if (host->last_sent_ms != NEVER_SENT &&
	    host->last_sent_ms + delay_ms > ready_ms)
		ready_ms = host->last_sent_ms + delay_ms;
	return ready_ms;
}

void
address_update(struct host_queue *host_queue, struct address *address)
{
	const struct heap_entry *first = time_heap_first(&address->hosts);
	struct heap_entry *entry = &address->entry;
	int64_t ready_ms;

	if (first == NULL ||
	    address->in_flight >= host_queue->options.address_in_flight) {
		time_heap_remove(&host_queue->ready, entry);
		return;
	}
	ready_ms = address_ready_ms(
	    address, host_queue->options.address_per_second);
	entry->ready_ms = first->ready_ms > ready_ms ? first->ready_ms
						     : ready_ms;
	entry->turn = first->turn;
	time_heap_put(&host_queue->ready, entry);
}

static void
count(struct host_queue *host_queue, struct host *host)
{
	bool is_active = (host->is_busy && !host->is_aside) ||
	    host->items.count > 0;

	if (is_active && !host->is_counted)
		host_queue->active++;
	if (!is_active && host->is_counted)
		host_queue->active--;
	host->is_counted = is_active;
}

void
host_update(struct host_queue *host_queue, struct host *host)
{
	struct time_heap *heap = host->address == NULL ? &host_queue->ready
						       : &host->address->hosts;

	if (host->is_busy || host->items.count == 0) {
		time_heap_remove(heap, &host->entry);
	} else {
		if (host->entry.place == 0)
			host->entry.turn = host_queue->turns++;
		host->entry.ready_ms = host_ready_ms(host);
		time_heap_put(heap, &host->entry);
	}
	if (host->address != NULL)
		address_update(host_queue, host->address);
	count(host_queue, host);
}

bool
host_queue_forget(
    struct host_queue *host_queue, uint32_t number, int64_t now_ms)
{
	struct host *host = host_queue_get(host_queue, number);

	if (host->is_busy || host->items.count > 0 ||
	    host_ready_ms(host) > now_ms)
		return false;
	if (host->address != NULL)
		host->address->host_count--;
	host_free(host);
	host_queue->hosts[number] = NULL;
	names_remove(&host_queue->names, number);
	return true;
}

/* first_host(frontier, now_ms): the one that is next, NULL when nobody is. */
static struct host *
first_host(const struct host_queue *host_queue, int64_t now_ms)
{
	struct heap_entry *entry = time_heap_first(&host_queue->ready);

	if (entry == NULL || entry->ready_ms > now_ms)
		return NULL;
	if (entry->is_address)
		entry = time_heap_first(&((struct address *)entry)->hosts);
	return (struct host *)entry;
}

/* Items. */

void
host_queue_add(
    struct host_queue *host_queue, const struct host_queue_item *item)
{
	struct host *host = host_queue_get(host_queue, item->host);

	items_add(&host->items, item, host_queue->arrivals++);
	host_queue->queued++;
	host_update(host_queue, host);
}

bool
host_queue_take(struct host_queue *host_queue, int64_t now_ms, uint64_t *id)
{
	struct host *host;

	if (host_queue->in_flight >= host_queue->options.max_in_flight)
		return false;
	host = first_host(host_queue, now_ms);
	if (host == NULL)
		return false;
	*id = items_take(&host->items);
	host_queue->queued--;
	host_queue->in_flight++;
	host->is_busy = true;
	host->before_ms = host->last_sent_ms;
	host->last_sent_ms = now_ms;
	if (host->address != NULL) {
		host->address->in_flight++;
		address_sent(host->address, now_ms,
		    host_queue->options.address_per_second);
	}
	host_update(host_queue, host);
	return true;
}

void
host_queue_done(struct host_queue *host_queue, uint32_t number, int64_t sent_ms)
{
	struct host *host = host_queue_get(host_queue, number);

	assert(host->is_busy && !host->is_aside);
	host->is_busy = false;
	if (sent_ms > host->last_sent_ms)
		host->last_sent_ms = sent_ms;
	if (host->address != NULL)
		host->address->in_flight--;
	host_queue->in_flight--;
	host_update(host_queue, host);
}

bool
host_queue_drain(struct host_queue *host_queue, uint32_t number, uint64_t *id)
{
	struct host *host = host_queue_get(host_queue, number);

	if (host->items.count == 0)
		return false;
	*id = items_take(&host->items);
	host_queue->queued--;
	host_update(host_queue, host);
	return true;
}

int64_t
host_queue_wait_ms(const struct host_queue *host_queue, int64_t now_ms)
{
	const struct heap_entry *entry = time_heap_first(&host_queue->ready);

	if (entry == NULL ||
	    host_queue->in_flight >= host_queue->options.max_in_flight)
		return -1;
	return entry->ready_ms > now_ms ? entry->ready_ms - now_ms : 0;
}

uint64_t
host_queue_queued(const struct host_queue *host_queue)
{
	return host_queue->queued;
}

uint32_t
host_queue_in_flight(const struct host_queue *host_queue)
{
	return host_queue->in_flight;
}

uint32_t
host_queue_hosts(const struct host_queue *host_queue)
{
	return host_queue->active;
}
