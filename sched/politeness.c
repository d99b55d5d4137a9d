/* What the frontier owes each host and address. */
#include "sched/politeness.h"

#include <assert.h>
#include <string.h>

#include "sched/frontier_internal.h"

void
frontier_set_delay(struct frontier *frontier, uint32_t number, int64_t delay_ms)
{
	struct host *host = frontier_get(frontier, number);

	host->delay_ms = delay_ms;
	host_settle(frontier, host);
}

struct slice
frontier_name(const struct frontier *frontier, uint32_t number)
{
	return slice_of(names_text(&frontier->names, number));
}

int64_t
frontier_delay(const struct frontier *frontier, uint32_t number)
{
	return frontier_get(frontier, number)->delay_ms;
}

void
frontier_hold(struct frontier *frontier, uint32_t number, int64_t until_ms)
{
	struct host *host = frontier_get(frontier, number);

	if (until_ms > host->hold_until_ms)
		host->hold_until_ms = until_ms;
	host_settle(frontier, host);
}

void
frontier_share(struct frontier *frontier, uint32_t number, int64_t until_ms)
{
	struct host *host = frontier_get(frontier, number);

	host->shared_until_ms = until_ms;
	host_settle(frontier, host);
}

bool
frontier_waits(const struct frontier *frontier, uint32_t number)
{
	return frontier_get(frontier, number)->items.count > 0;
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
move(struct frontier *frontier, struct host *host, struct address *address)
{
	struct address *old = host->address;

	if (old != NULL) {
		units_remove(&old->hosts, &host->unit);
		if (host->is_busy)
			old->in_flight--;
		address_settle(frontier, old);
	} else {
		units_remove(&frontier->ready, &host->unit);
	}
	host->address = address;
	if (old != NULL)
		old->host_count--;
	if (address != NULL)
		address->host_count++;
	if (address != NULL && host->is_busy)
		address->in_flight++;
	host_settle(frontier, host);
}

void
frontier_set_address(
    struct frontier *frontier, uint32_t number, const struct addr *addr)
{
	struct host *host = frontier_get(frontier, number);

	if (!is_there(host, addr))
		move(frontier, host,
		    addr == NULL ? NULL
				 : addresses_get(&frontier->addresses, addr));
}

bool
frontier_admit(struct frontier *frontier, uint32_t number,
    const struct addr *addr, int64_t now_ms)
{
	const struct frontier_options *options = &frontier->options;
	struct host *host = frontier_get(frontier, number);
	struct address *address;
	bool may;

	assert(host->is_busy);
	if (is_there(host, addr))
		return true; /* it was counted when it was taken */
	address = addresses_get(&frontier->addresses, addr);
	may = address->in_flight < options->address_in_flight &&
	    address_ready_ms(address, options->address_per_second) <= now_ms;
	if (may)
		address_sent(address, now_ms, options->address_per_second);
	move(frontier, host, address);
	return may;
}

void
frontier_tidy(struct frontier *frontier, int64_t now_ms)
{
	addresses_tidy(&frontier->addresses, now_ms);
}

void
frontier_return(struct frontier *frontier, uint32_t number)
{
	struct host *host = frontier_get(frontier, number);

	host->last_sent_ms = host->before_ms;
	frontier_done(frontier, number, host->before_ms);
}

void
frontier_set_aside(struct frontier *frontier, uint32_t number)
{
	struct host *host = frontier_get(frontier, number);

	assert(host->is_busy && !host->is_aside);
	if (host->address != NULL)
		move(frontier, host, NULL);
	host->last_sent_ms = host->before_ms;
	host->is_aside = true;
	frontier->in_flight--;
	host_settle(frontier, host);
}

void
frontier_bring_back(struct frontier *frontier, uint32_t number, int64_t now_ms)
{
	struct host *host = frontier_get(frontier, number);

	assert(host->is_aside);
	host->is_aside = false;
	host->before_ms = host->last_sent_ms;
	host->last_sent_ms = now_ms;
	frontier->in_flight++;
	host_settle(frontier, host);
}
