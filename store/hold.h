/*
 * Hosts that are left alone for a time.
 *
 * A hold belongs to a host, whoever met its reason: the driver, a fetcher of
 * pages, or the operator.  The store has it, so it outlives the process.
 */
#ifndef FRESHET_HOLD_H
#define FRESHET_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/store.h"

struct store;

#define HOLD_FIRST_S 60 /* SPEC R-76, as the two below */
#define HOLD_MOST_S 21600
#define HOLD_RETRY_AFTER_MOST_S 86400
/* No hold lasts longer: a later end comes from a clock that was wrong. */
#define HOLD_END_MOST_S (366 * 86400)

/* A hold on a host: until when it gets no requests; 0: no hold. */
struct hold_times {
	int64_t all_s; /* no requests at all */
	int64_t pages_s; /* no requests for pages, but for sitemaps */
	/* answers 429 and 503 in a row; store_hold() does not change it */
	uint32_t limited;
	/* Of store_hold_get() only: for how many seconds the host still gets no
	 * requests at all; 0: it may be asked.  If the clock was put back since
	 * the hold began, the hold lasts as long as it would have. */
	int64_t left_s;
};

/* store_hold(store, host, times): set the hold on a host; no hold at all also
 * forgets the answers 429 and 503.  Durable with the next store_flush.
 * store_each_hold(store, fn, arg): all holds, expired ones too, in order of
 * hosts; borrowed. */
void store_hold(struct store *, struct slice host, struct hold_times);
typedef void store_hold_fn(
    void *arg, struct slice host, const struct hold_times *);
void store_each_hold(struct store *, store_hold_fn *, void *arg);

/* store_hold_get(store, host, now_s): the hold on that host. */
struct hold_times store_hold_get(
    struct store *, struct slice host, int64_t now_s);

/*
 * store_limited(store, host, now_s, retry_after_s, wait_s):
 * The host answered 429 or 503, with that Retry-After; -1: without.  Count the
 * answer and hold the host; a hold that ends later stays.  *wait_s is how long
 * the host is left alone now.  Returns whether that is longer than the host
 * asked for.
 *
 * Answers that come while the host is held were asked for before that, and
 * count as one with it.  Source: SPEC R-76.
 */
bool store_limited(struct store *, struct slice host, int64_t now_s,
    int64_t retry_after_s, int64_t *wait_s);

/* store_answered(store, host): the host answered otherwise: the next 429 or 503
 * is the first one in a row. */
void store_answered(struct store *, struct slice host);

/* hold_limited_s(host, count, retry_after_s): How long a host is left alone
 * after the count-th answer 429 or 503 in a row.  Without Retry-After (-1): a
 * minute, doubled for each answer before, six hours at most.  Each such pause
 * is longer by up to a quarter, which the name of the host and the count
 * decide, so that hosts of one server do not come back at the same moment.
 * With Retry-After: what it says, but a day at most; from the third answer in a
 * row on no less than those pauses, the first one now. */
int64_t hold_limited_s(
    struct slice host, uint32_t count, int64_t retry_after_s);

/* What a host wants of requests, as its challenges and answers have shown (SPEC
 * */
struct host_signing {
	unsigned form; /* enum agent_form of crawler/identity/identity.h */
	/* a signed request was answered last, exact to a day; negative: one was
	 * refused since then; 0: neither */
	int64_t at_s;
};

/* store_signing(store, host, signing): remember that; durable with the next
 * store_flush.
 * store_signing_get(store, host): what is known of the host; else zero. */
void store_signing(struct store *, struct slice host, struct host_signing);
struct host_signing store_signing_get(struct store *, struct slice host);

/* What the scheduler learned about sites, documents and hosts. */

/*
 * store_learned(store, kind, id, data):
 * Store bytes under a kind, which is a word of the caller's, and a number.
 * Empty bytes remove what is stored there.  Durable with the next store_flush.
 *
 * store_learned_get(store, kind, id, data): append the bytes to data; false if
 * there are none.
 */
void store_learned(
    struct store *, const char *kind, int64_t id, struct slice data);
bool store_learned_get(
    struct store *, const char *kind, int64_t id, struct buf *data);

/* store_each_learned(store, kind, fn, arg): all of a kind, in order of numbers;
 * data are borrowed, fn may use the store. */
typedef void store_learned_fn(void *arg, int64_t id, struct slice data);
void store_each_learned(
    struct store *, const char *kind, store_learned_fn *, void *arg);

/* The request log: the requests to each host, by the minute, so that users can
 * show that no host got more requests than agreed (HOSTILE J17). */

/* Requests of one minute. */
struct request_log_note {
	int64_t minute_s; /* its start; a multiple of 60 */
	int64_t last_s; /* the last request */
	uint32_t requests;
	uint32_t overlaps; /* started before the previous one ended */
	int64_t least_gap_ms; /* between two requests; -1: there was one */
	int64_t delay_ms; /* the least delay that a request had to keep */
};

/* store_request_log_add(store, host, note): add to what is known of the minute;
 * durable with the next store_flush. */
void store_request_log_add(
    struct store *, struct slice host, const struct request_log_note *);

/* store_asked_s(store, host, now_s, *delay_ms): when freshet may have asked the
 * host for the last time, before this process began to ask it; 0: never.  A
 * process that was killed may have sent requests that are not stored.
 * *delay_ms: the delay that the last request in the log had to keep. */
int64_t store_asked_s(
    struct store *, struct slice host, int64_t now_s, int64_t *delay_ms);

#endif
