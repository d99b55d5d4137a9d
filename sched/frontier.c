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
#include "sched/frontier.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/frontier_internal.h"
#include "sched/politeness.h"

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
	frontier->addresses.key = options->hash_key;
	names_init(&frontier->names, options->hash_key);
	return frontier;
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
frontier_free(struct frontier *frontier)
{
	if (frontier == NULL)
		return;
	for (size_t i = 0; i < frontier->host_count; i++)
		host_free(frontier->hosts[i]);
	free(frontier->hosts);
	names_release(&frontier->names);
	addresses_release(&frontier->addresses);
	units_release(&frontier->ready);
	free(frontier);
}

uint32_t
frontier_host(struct frontier *frontier, struct slice name)
{
	uint32_t number = names_put(&frontier->names, name);
	struct host *host;

	if (number < frontier->host_count && frontier->hosts[number] != NULL)
		return number;
	host = mem_zero(sizeof(*host));
	host->delay_ms = frontier->options.delay_ms;
	host->last_sent_ms = host->before_ms = NEVER_SENT;
	if (number == frontier->host_count) {
		frontier->hosts = mem_grow(frontier->hosts, &frontier->host_cap,
		    frontier->host_count + 1, sizeof(struct host *));
		frontier->host_count++;
	}
	frontier->hosts[number] = host;
	return number;
}

struct host *
frontier_get(const struct frontier *frontier, uint32_t number)
{
	assert(
	    number < frontier->host_count && frontier->hosts[number] != NULL);
	return frontier->hosts[number];
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
address_settle(struct frontier *frontier, struct address *address)
{
	const struct unit *first = units_first(&address->hosts);
	struct unit *unit = &address->unit;
	int64_t ready_ms;

	if (first == NULL ||
	    address->in_flight >= frontier->options.address_in_flight) {
		units_remove(&frontier->ready, unit);
		return;
	}
	ready_ms = address_ready_ms(
	    address, frontier->options.address_per_second);
	unit->ready_ms = first->ready_ms > ready_ms ? first->ready_ms
						    : ready_ms;
	unit->turn = first->turn;
	units_put(&frontier->ready, unit);
}

static void
count(struct frontier *frontier, struct host *host)
{
	bool is_active = (host->is_busy && !host->is_aside) ||
	    host->items.count > 0;

	if (is_active && !host->is_counted)
		frontier->active++;
	if (!is_active && host->is_counted)
		frontier->active--;
	host->is_counted = is_active;
}

void
host_settle(struct frontier *frontier, struct host *host)
{
	struct units *units = host->address == NULL ? &frontier->ready
						    : &host->address->hosts;

	if (host->is_busy || host->items.count == 0) {
		units_remove(units, &host->unit);
	} else {
		if (host->unit.place == 0)
			host->unit.turn = frontier->turns++;
		host->unit.ready_ms = host_ready_ms(host);
		units_put(units, &host->unit);
	}
	if (host->address != NULL)
		address_settle(frontier, host->address);
	count(frontier, host);
}

bool
frontier_forget(struct frontier *frontier, uint32_t number, int64_t now_ms)
{
	struct host *host = frontier_get(frontier, number);

	if (host->is_busy || host->items.count > 0 ||
	    host_ready_ms(host) > now_ms)
		return false;
	if (host->address != NULL)
		host->address->host_count--;
	host_free(host);
	frontier->hosts[number] = NULL;
	names_remove(&frontier->names, number);
	return true;
}

/* first_host(frontier, now_ms): the one that is next, NULL when nobody is. */
static struct host *
first_host(const struct frontier *frontier, int64_t now_ms)
{
	struct unit *unit = units_first(&frontier->ready);

	if (unit == NULL || unit->ready_ms > now_ms)
		return NULL;
	if (unit->is_address)
		unit = units_first(&((struct address *)unit)->hosts);
	return (struct host *)unit;
}

/* Items. */

void
frontier_add(struct frontier *frontier, const struct frontier_item *item)
{
	struct host *host = frontier_get(frontier, item->host);

	items_add(&host->items, item, frontier->arrivals++);
	frontier->queued++;
	host_settle(frontier, host);
}

bool
frontier_take(struct frontier *frontier, int64_t now_ms, uint64_t *id)
{
	struct host *host;

	if (frontier->in_flight >= frontier->options.max_in_flight)
		return false;
	host = first_host(frontier, now_ms);
	if (host == NULL)
		return false;
	*id = items_take(&host->items);
	frontier->queued--;
	frontier->in_flight++;
	host->is_busy = true;
	host->before_ms = host->last_sent_ms;
	host->last_sent_ms = now_ms;
	if (host->address != NULL) {
		host->address->in_flight++;
		address_sent(host->address, now_ms,
		    frontier->options.address_per_second);
	}
	host_settle(frontier, host);
	return true;
}

void
frontier_done(struct frontier *frontier, uint32_t number, int64_t sent_ms)
{
	struct host *host = frontier_get(frontier, number);

	assert(host->is_busy && !host->is_aside);
	host->is_busy = false;
	if (sent_ms > host->last_sent_ms)
		host->last_sent_ms = sent_ms;
	if (host->address != NULL)
		host->address->in_flight--;
	frontier->in_flight--;
	host_settle(frontier, host);
}

bool
frontier_drain(struct frontier *frontier, uint32_t number, uint64_t *id)
{
	struct host *host = frontier_get(frontier, number);

	if (host->items.count == 0)
		return false;
	*id = items_take(&host->items);
	frontier->queued--;
	host_settle(frontier, host);
	return true;
}

int64_t
frontier_wait_ms(const struct frontier *frontier, int64_t now_ms)
{
	const struct unit *unit = units_first(&frontier->ready);

	if (unit == NULL ||
	    frontier->in_flight >= frontier->options.max_in_flight)
		return -1;
	return unit->ready_ms > now_ms ? unit->ready_ms - now_ms : 0;
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

uint32_t
frontier_hosts(const struct frontier *frontier)
{
	return frontier->active;
}
