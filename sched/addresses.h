/* Addresses that several hosts answer from, and their limits (HOSTILE T10);
 * private to the frontier. */
#ifndef FRESHET_ADDRESSES_H
#define FRESHET_ADDRESSES_H

#include "base/addr.h"
#include "sched/time_heap.h"

/* An address: it stands in the frontier's heap for the hosts that wait for
 * it, as long as it may be asked again at all. */
struct address {
	struct heap_entry entry; /* first: it is found by it */
	struct addr addr;
	struct time_heap hosts; /* that wait */
	int64_t *sent_ms; /* owned; of the last second, in order */
	uint32_t sent_count;
	uint32_t in_flight;
	uint32_t host_count; /* that answer from there */
};

struct addresses {
	struct address **items; /* owned, and what they point to */
	size_t count, cap;
	uint32_t *slots; /* owned; number + 1, 0: free */
	size_t slot_count;
	uint64_t key; /* of the hash */
};

/* addresses_get(addresses, addr): made when new; it never moves. */
struct address *addresses_get(struct addresses *, const struct addr *);
/* addresses_tidy(addresses, now_ms): those that nobody answers from any more
 * are gone. */
void addresses_tidy(struct addresses *, int64_t now_ms);
void addresses_release(struct addresses *);

/* address_sent(address, now_ms, per_second): a request goes out there. */
void address_sent(struct address *, int64_t now_ms, uint32_t per_second);

/* address_ready_ms(address, per_second): when its rate allows one more. */
int64_t address_ready_ms(const struct address *, uint32_t per_second);

#endif
