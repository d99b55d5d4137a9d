/*
 * The frontier: which document its host may be asked for now (DESIGN 5.3).
 *
 * Politeness is per host and per address, in virtual time: all times are
 * milliseconds of one monotonic clock, given by the caller.
 */
#ifndef FRESHET_FRONTIER_H
#define FRESHET_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/slice.h"

struct frontier;

struct frontier_options {
	int64_t delay_ms; /* between requests to a host: 1,000 */
	uint32_t max_in_flight; /* of all hosts */
	uint32_t address_in_flight; /* of one address: 32 (HOSTILE T10) */
	uint32_t address_per_second; /* requests to one address: 32 */
	uint64_t hash_key; /* of names, unknown to whoever chooses them */
};

struct frontier_options frontier_options_default(void);

struct frontier *frontier_new(const struct frontier_options *);
void frontier_free(struct frontier *);

/* frontier_host(frontier, name): the number of that host, made when new. */
uint32_t frontier_host(struct frontier *, struct slice name);

/* Items of a host are taken in this order, newest date first within one. */
enum frontier_class { CLASS_ROBOTS, CLASS_SEED, CLASS_CHILD };

struct frontier_item {
	uint64_t id; /* the caller's */
	uint32_t host;
	uint8_t class; /* enum frontier_class */
	int64_t newest_s; /* INT64_MIN: no date */
};

void frontier_add(struct frontier *, const struct frontier_item *);

/*
 * frontier_take(frontier, now_ms, *id): the best item of the host that has
 * waited longest among those that may be asked now; hosts that wait for one
 * address take turns there, and the address with the others.  The host is then
 * busy until frontier_done.  False when nobody may be asked now.  now_ms never
 * goes back.  Like all that changes a host: O(log hosts).
 */
bool frontier_take(struct frontier *, int64_t now_ms, uint64_t *id);

/*
 * frontier_done(frontier, host, sent_ms): the request that was taken is over;
 * sent_ms is when it went out: the next one is due delay_ms after that; at
 * once when there is no delay, also if sent_ms was rounded up by 1.
 */
void frontier_done(struct frontier *, uint32_t host, int64_t sent_ms);

/* frontier_wait_ms(frontier, now_ms): how long until frontier_take can
 * succeed if nothing else happens; -1: only frontier_done can change that. */
int64_t frontier_wait_ms(const struct frontier *, int64_t now_ms);

/* frontier_queued(frontier), frontier_in_flight(frontier): of all hosts;
 * frontier_hosts(frontier): how many have anything of these. */
uint32_t frontier_hosts(const struct frontier *);
uint64_t frontier_queued(const struct frontier *);
uint32_t frontier_in_flight(const struct frontier *);

/* frontier_drain(frontier, host, *id): take any item of the host without
 * asking it anything (its server is dead); false when it has none. */
bool frontier_drain(struct frontier *, uint32_t host, uint64_t *id);

#endif
