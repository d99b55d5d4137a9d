/* Addresses that several hosts answer from. */
#include "sched/addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SECOND_MS 1000
#define FIRST_SLOTS 64

static size_t
slot_of(const struct addresses *addresses, const struct addr *addr)
{
	struct slice bytes = slice_make(
	    (const char *)addr->bytes, sizeof(addr->bytes));
	size_t mask = addresses->slot_count - 1;
	size_t at = hash_key(bytes, addresses->key) & mask;

	while (addresses->slots[at] != 0 &&
	    memcmp(&addresses->items[addresses->slots[at] - 1]->addr, addr,
		sizeof(*addr)) != 0)
		at = (at + 1) & mask;
	return at;
}

/* place_all(addresses): in new slots. */
static void
place_all(struct addresses *addresses)
{
	free(addresses->slots);
	addresses->slots = mem_zero(
	    addresses->slot_count * sizeof(*addresses->slots));
	for (size_t i = 0; i < addresses->count; i++)
		addresses->slots[slot_of(
		    addresses, &addresses->items[i]->addr)] = (uint32_t)i + 1;
}

static void
grow(struct addresses *addresses)
{
	addresses->slot_count = addresses->slot_count == 0
	    ? FIRST_SLOTS
	    : addresses->slot_count * 2;
	place_all(addresses);
}

struct address *
addresses_get(struct addresses *addresses, const struct addr *addr)
{
	struct address *address;
	size_t at;

	if (addresses->count * 2 >= addresses->slot_count)
		grow(addresses);
	at = slot_of(addresses, addr);
	if (addresses->slots[at] != 0)
		return addresses->items[addresses->slots[at] - 1];
	mem_limit(addresses->count, UINT32_MAX - 1);
	address = mem_zero(sizeof(*address));
	address->entry.is_address = true;
	address->addr = *addr;
	addresses->items = mem_grow(addresses->items, &addresses->cap,
	    addresses->count + 1, sizeof(struct address *));
	addresses->items[addresses->count++] = address;
	addresses->slots[at] = (uint32_t)addresses->count;
	return address;
}

static void
address_free(struct address *address)
{
	time_heap_release(&address->hosts);
	free(address->sent_ms);
	free(address);
}

void
addresses_tidy(struct addresses *addresses, int64_t now_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < addresses->count; i++) {
		struct address *address = addresses->items[i];

		if (address->host_count > 0 || address->in_flight > 0 ||
		    (address->sent_count > 0 &&
			address->sent_ms[address->sent_count - 1] + SECOND_MS >
			    now_ms))
			addresses->items[kept++] = address;
		else
			address_free(address);
	}
	if (kept == addresses->count)
		return;
	addresses->count = kept;
	place_all(addresses);
}

void
addresses_release(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->count; i++)
		address_free(addresses->items[i]);
	free(addresses->items);
	free(addresses->slots);
	*addresses = (struct addresses){0};
}

void
address_sent(struct address *address, int64_t now_ms, uint32_t per_second)
{
	uint32_t old = 0;

	while (old < address->sent_count &&
	    address->sent_ms[old] + SECOND_MS <= now_ms)
		old++;
	/* Never more than the limit counts. */
	if (address->sent_count - old >= per_second)
		old = address->sent_count - per_second + 1;
	address->sent_count -= old;
	if (address->sent_count > 0)
		memmove(address->sent_ms, address->sent_ms + old,
		    address->sent_count * sizeof(*address->sent_ms));
	address->sent_ms = mem_resize(address->sent_ms,
	    (address->sent_count + 1) * sizeof(*address->sent_ms));
	address->sent_ms[address->sent_count++] = now_ms;
}

int64_t
address_ready_ms(const struct address *address, uint32_t per_second)
{
	if (address->sent_count < per_second)
		return INT64_MIN;
	return address->sent_ms[address->sent_count - per_second] + SECOND_MS;
}
