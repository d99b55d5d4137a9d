/* What the frontier owes each host and address. */
#include "sched/politeness.h"

#include <assert.h>
#include <string.h>

#include "sched/host_queue_internal.h"

void
host_queue_set_delay(
    struct host_queue *host_queue, uint32_t number, int64_t delay_ms)
{
	struct host *host = host_queue_get(host_queue, number);

	host->delay_ms = delay_ms;
	host_update(host_queue, host);
}

struct slice
host_queue_name(const struct host_queue *host_queue, uint32_t number)
{
	return slice_of(names_text(&host_queue->names, number));
}

int64_t
host_queue_delay(const struct host_queue *host_queue, uint32_t number)
{
	return host_queue_get(host_queue, number)->delay_ms;
}

void
host_queue_hold(
    struct host_queue *host_queue, uint32_t number, int64_t until_ms)
{
	struct host *host = host_queue_get(host_queue, number);

	if (until_ms > host->hold_until_ms)
		host->hold_until_ms = until_ms;
	host_update(host_queue, host);
}

void
host_queue_share(
    struct host_queue *host_queue, uint32_t number, int64_t until_ms)
{
	struct host *host = host_queue_get(host_queue, number);

	host->shared_until_ms = until_ms;
	host_update(host_queue, host);
}

bool
host_queue_waits(const struct host_queue *host_queue, uint32_t number)
{
	return host_queue_get(host_queue, number)->items.count > 0;
}

static bool
is_there(const struct host *host, const struct addr *addr)
{
	if (host->address == NULL || addr == NULL)
		return host->address == NULL && addr == NULL;
	return memcmp(&host->address->addr, addr, sizeof(*addr)) == 0;
}

/* move(frontier, host, address): a request under way is counted where it began
 * no more, and at the new address from now on. */
static void
move(struct host_queue *host_queue, struct host *host, struct address *address)
{
	struct address *old = host->address;

	if (old != NULL) {
		time_heap_remove(&old->hosts, &host->entry);
		if (host->is_busy)
			old->in_flight--;
		address_update(host_queue, old);
	} else {
		time_heap_remove(&host_queue->ready, &host->entry);
	}
	host->address = address;
	if (old != NULL)
		old->host_count--;
	if (address != NULL)
		address->host_count++;
	if (address != NULL && host->is_busy)
		address->in_flight++;
	host_update(host_queue, host);
}

void
host_queue_set_address(
    struct host_queue *host_queue, uint32_t number, const struct addr *addr)
{
	struct host *host = host_queue_get(host_queue, number);

	if (!is_there(host, addr))
		move(host_queue, host,
		    addr == NULL ? NULL
				 : addresses_get(&host_queue->addresses, addr));
}

bool
host_queue_admit(struct host_queue *host_queue, uint32_t number,
    const struct addr *addr, int64_t now_ms)
{
	const struct host_queue_options *options = &host_queue->options;
	struct host *host = host_queue_get(host_queue, number);
	struct address *address;
	bool may;

	assert(host->is_busy);
	if (is_there(host, addr))
		return true; /* it was counted when it was taken */
	address = addresses_get(&host_queue->addresses, addr);
	may = address->in_flight < options->address_in_flight &&
	    address_ready_ms(address, options->address_per_second) <= now_ms;
	if (may)
		address_sent(address, now_ms, options->address_per_second);
	move(host_queue, host, address);
	return may;
}

void
host_queue_tidy(struct host_queue *host_queue, int64_t now_ms)
{
	addresses_tidy(&host_queue->addresses, now_ms);
}

void
host_queue_return(struct host_queue *host_queue, uint32_t number)
{
	struct host *host = host_queue_get(host_queue, number);

	host->last_sent_ms = host->before_ms;
	host_queue_done(host_queue, number, host->before_ms);
}

void
host_queue_set_aside(struct host_queue *host_queue, uint32_t number)
{
	struct host *host = host_queue_get(host_queue, number);

	assert(host->is_busy && !host->is_aside);
	if (host->address != NULL)
		move(host_queue, host, NULL);
	host->last_sent_ms = host->before_ms;
	host->is_aside = true;
	host_queue->in_flight--;
	host_update(host_queue, host);
}

void
host_queue_bring_back(
    struct host_queue *host_queue, uint32_t number, int64_t now_ms)
{
	struct host *host = host_queue_get(host_queue, number);

	assert(host->is_aside);
	host->is_aside = false;
	host->before_ms = host->last_sent_ms;
	host->last_sent_ms = now_ms;
	host_queue->in_flight++;
	host_update(host_queue, host);
}
