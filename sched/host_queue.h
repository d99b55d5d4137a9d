/*
 * The frontier: which document its host may be asked for now (DESIGN 5.3).
 *
 * Politeness is per host and per address, in virtual time: all times are
 * milliseconds of one monotonic clock, given by the caller.
 */
#ifndef FRESHET_HOST_QUEUE_H
#define FRESHET_HOST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/slice.h"

struct host_queue;

struct host_queue_options {
	int64_t delay_ms; /* between requests to a host: 1,000 */
	uint32_t max_in_flight; /* of all hosts */
	uint32_t address_in_flight; /* of one address: 32 (HOSTILE T10) */
	uint32_t address_per_second; /* requests to one address: 32 */
	uint64_t hash_key; /* of names, unknown to whoever chooses them */
};

struct host_queue_options host_queue_options_default(void);

struct host_queue *host_queue_new(const struct host_queue_options *);
void host_queue_free(struct host_queue *);

/* host_queue_host(frontier, name): the number of that host, made when new. */
uint32_t host_queue_host(struct host_queue *, struct slice name);

/* Items of a host are taken in this order, newest date first within one. */
enum host_queue_class { CLASS_ROBOTS, CLASS_SEED, CLASS_CHILD };

struct host_queue_item {
	uint64_t id; /* the caller's */
	uint32_t host;
	uint8_t class; /* enum host_queue_class */
	int64_t newest_s; /* INT64_MIN: no date */
};

void host_queue_add(struct host_queue *, const struct host_queue_item *);

/*
 * host_queue_take(frontier, now_ms, *id): the best item of the host that has
 * waited longest among those that may be asked now; hosts that wait for one
 * address take turns there, and the address with the others.  The host is then
 * busy until host_queue_done.  False when nobody may be asked now.  now_ms
 * never goes back.  Like all that changes a host: O(log hosts).
 */
bool host_queue_take(struct host_queue *, int64_t now_ms, uint64_t *id);

/*
 * host_queue_done(frontier, host, sent_ms): the request that was taken is over;
 * sent_ms is when it went out: the next one is due delay_ms after that; at
 * once when there is no delay, also if sent_ms was rounded up by 1.
 */
void host_queue_done(struct host_queue *, uint32_t host, int64_t sent_ms);

/* host_queue_wait_ms(frontier, now_ms): how long until host_queue_take can
 * succeed if nothing else happens; -1: only host_queue_done can change that. */
int64_t host_queue_wait_ms(const struct host_queue *, int64_t now_ms);

/* host_queue_queued(frontier), host_queue_in_flight(frontier): of all hosts;
 * host_queue_hosts(frontier): how many have anything of these. */
uint32_t host_queue_hosts(const struct host_queue *);
uint64_t host_queue_queued(const struct host_queue *);
uint32_t host_queue_in_flight(const struct host_queue *);

/* host_queue_drain(frontier, host, *id): take any item of the host without
 * asking it anything (its server is dead); false when it has none. */
bool host_queue_drain(struct host_queue *, uint32_t host, uint64_t *id);

#endif
