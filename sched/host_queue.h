/*
 * The host queue: which document may be requested from its host now
 * (DESIGN 5.3).
 *
 * Politeness holds per host (host_table.h) and per address.  All times are
 * milliseconds of the clock of the table of hosts, given by the caller.  Each
 * call that changes a host costs O(log hosts).
 */
#ifndef FRESHET_HOST_QUEUE_H
#define FRESHET_HOST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/slice.h"

struct host_queue;
struct host_table;

struct host_queue_options {
	uint32_t max_in_flight; /* requests to all hosts */
	uint32_t address_in_flight; /* to one address: 32 (HOSTILE T10) */
	uint32_t address_per_second; /* requests to one address: 32 */
	/* of addresses; secret, against chosen collisions */
	uint64_t hash_key;
};

extern const struct host_queue_options host_queue_options_default;

/* host_backoff_ms(tries): how long a host is left alone after a network error
 * before a further try, when there were so many further tries before: half a
 * second, doubled for each of them, and a minute at most. */
int64_t host_backoff_ms(unsigned tries);

/* The hosts are borrowed. */
struct host_queue *host_queue_new(
    const struct host_queue_options *, struct host_table *);
void host_queue_free(struct host_queue *);

/* host_queue_update(queue, host): what the table of hosts says of the host has
 * changed. */
void host_queue_update(struct host_queue *, uint32_t host);

/* host_queue_hold(queue, host, until_ms): the driver takes no item of the host
 * before that time, for a reason of its own; a hold that ends later stays. */
void host_queue_hold(struct host_queue *, uint32_t host, int64_t until_ms);

/* host_queue_set_address(queue, host, addr): the host answers from that
 * address; NULL: no limit per address holds for the host (a loopback address).
 */
void host_queue_set_address(
    struct host_queue *, uint32_t host, const struct addr *);

/* host_queue_forget(queue, host, now_ms): Forget the host, in the table, too,
 * unless the frontier keeps it there.  Returns false, and does nothing, while
 * the host has items, is busy, or has to wait for its delay or a hold. */
bool host_queue_forget(struct host_queue *, uint32_t host, int64_t now_ms);

/* host_queue_tidy(queue, now_ms): forget the addresses that no remembered host
 * answers from. */
void host_queue_tidy(struct host_queue *, int64_t now_ms);

/* A host's items are taken in this order; within a class the newest date comes
 * first.  CLASS_LACKING: a child whose last reading lacked entries; its
 * siblings come first, because one of them may have what it lacks.  CLASS_PAGE:
 * a page; as long as a host has pages and other items, they take turns, one by
 * one. */
enum host_queue_class {
	CLASS_ROBOTS,
	CLASS_SEED,
	CLASS_CHILD,
	CLASS_LACKING,
	CLASS_PAGE
};

struct host_queue_item {
	uint64_t id; /* the caller's */
	uint32_t host;
	uint8_t class; /* enum host_queue_class */
	int64_t newest_s; /* INT64_MIN: no date */
};

void host_queue_add(struct host_queue *, const struct host_queue_item *);

/* host_queue_take(queue, now_ms, id): Take the best item of that host which has
 * waited longest among those that may be asked now.  Hosts at one address take
 * turns with each other, and as one with all other hosts.  The host is busy
 * until host_queue_done.  Returns false when no host may be asked now. */
bool host_queue_take(struct host_queue *, int64_t now_ms, uint64_t *id);

/* host_queue_done(queue, host, answered_ms): The request is over; the next one
 * may be sent delay_ms after answered_ms, the time when its answer began: a
 * machine that is busy may send a request later than it was noted.  Without a
 * delay the next one may be sent at once, even if answered_ms was rounded up by
 * 1. */
void host_queue_done(struct host_queue *, uint32_t host, int64_t answered_ms);

/* host_queue_return(queue, host): the item taken last was never requested: no
 * delay follows from it, and it does not count at its address.  The caller adds
 * the item again. */
void host_queue_return(struct host_queue *, uint32_t host);

/* host_queue_admit(queue, host, addr, now_ms): May the request that was taken
 * be sent to that address now?  Returns true and counts the request there; or
 * false when other hosts have used up the limits of the address: the host then
 * belongs to that address, and the caller calls host_queue_return. */
bool host_queue_admit(
    struct host_queue *, uint32_t host, const struct addr *, int64_t now_ms);

/*
 * host_queue_set_aside(queue, host):
 * The item taken last waits for something else than its host.  The host stays
 * busy, but does not count as in flight, and its address is forgotten.
 * host_queue_bring_back(queue, host, now_ms): the wait is over; the item counts
 * as taken at now_ms.  False: the host may not be asked now, because it was
 * held, or a page of it was leased; the item counts as returned.
 */
void host_queue_set_aside(struct host_queue *, uint32_t host);
bool host_queue_bring_back(struct host_queue *, uint32_t host, int64_t now_ms);

/* host_queue_drain(queue, host, is_page, id): take any item of the host, or any
 * page, without a request, because its server is dead; false when the host has
 * none. */
bool host_queue_drain(
    struct host_queue *, uint32_t host, bool is_page, uint64_t *id);

/* host_queue_wait_ms(queue, now_ms): for how long host_queue_take will fail if
 * nothing else happens; -1: until a call of host_queue_done. */
int64_t host_queue_wait_ms(const struct host_queue *, int64_t now_ms);

/* host_queue_hosts(queue): the number of hosts with items or requests in
 * flight. */
uint32_t host_queue_hosts(const struct host_queue *);

#endif
