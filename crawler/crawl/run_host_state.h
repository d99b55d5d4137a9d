/*
 * The driver's table of hosts, and the requests that were sent to them. The
 * host queue enforces the delays, and this module sets them. It also remembers
 * what was seen of the hosts: failures, holds, and
 * requests that are not in the store's request log yet. A host has the same
 * number here and in the host queue; a pointer to an entry is valid until the
 * next host is added.
 */
#ifndef FRESHET_RUN_HOST_STATE_H
#define FRESHET_RUN_HOST_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "store/hold.h"

struct addr;
struct fetch_result;
struct host_queue;
struct host_states;
struct run_clock;
struct run_options;
struct site_rules;
struct url;

/* The longest time that a crawl waits for a host that is held: the first pause
 * after a 429 without Retry-After is as long (store/hold.h). */
#define MAX_PARK_MS 75000

/* What a run knows of a host. */
struct host_state {
	const struct site_rules *rules; /* NULL: the number is free */
	unsigned failures; /* of the network, in a row */
	uint32_t crawl_delay_ms; /* largest of its origins, 0: none */
	int64_t answer_ms; /* until an answer begins, smoothed; 0: unknown */
	int64_t failed_ms; /* time of the last failure */
	int64_t asked_ms, ended_ms; /* of the last request; 0: never */
	/* of the last one before this run knew the host, and its delay; if
	 * was_asked */
	int64_t before_ms, before_delay_ms;
	/* the note that is not stored yet; none if it has no requests */
	struct request_log_note noted;
	/* units of work that the rules of its robots.txt have cost today */
	uint64_t work;
	bool is_named; /* the operator named the host, see run_limits.h */
	bool was_asked; /* before this run knew the host */
	bool is_limited; /* its last answer may have been 429 or 503 */
	bool is_file; /* files answer for the host, see local.h */
	/* the report was made that the host's documents are skipped */
	bool is_left;
};

/* host_states_new(options, host_queue, clock): an empty table; everything is
 * borrowed. */
struct host_states *host_states_new(
    const struct run_options *, struct host_queue *, struct run_clock *);
void host_states_free(struct host_states *);

/* host_states_count(hosts): the numbers of hosts are below this count; some of
 * them are free. */
uint32_t host_states_count(const struct host_states *);
struct host_state *host_states_at(const struct host_states *, uint32_t host);

/* host_state_of(hosts, name): the number of the host; it is added if it is not
 * there. */
uint32_t host_state_of(struct host_states *, struct slice name);

/* host_states_forget(hosts, in_use): forget the hosts for whose number in_use
 * is false. Hosts with failures, with a pause, or with requests that are not
 * stored yet are kept. The function changes in_use. */
void host_states_forget(struct host_states *, bool *in_use);

/* host_state_set_delay(hosts, host, delay_ms): the largest delay that a
 * robots.txt of the host asks for; 0: none does (SPEC R-105). */
void host_state_set_delay(struct host_states *, uint32_t host, uint32_t);

/* host_state_spare(hosts, host): wait one delay, because an interrupted crawl
 * may have sent the host a request a moment ago. */
void host_state_spare(struct host_states *, uint32_t host);

/* host_state_share(hosts, host, wait_ms): somebody else sent the host a
 * request, so the run sends none for wait_ms.
 * host_state_report_asked(hosts, host, is_under_way): call run_options.asked.
 */
void host_state_share(struct host_states *, uint32_t host, int64_t wait_ms);
void host_state_report_asked(
    struct host_states *, uint32_t host, bool is_under_way);

/* A request to the host has ended, with or without an answer.
 * host_state_note(), which is called first, notes the request for the request
 * log; host_state_learn() takes the address of the host from the answer;
 * host_state_count() counts failures in a row. */
void host_state_note(
    struct host_states *, uint32_t host, const struct fetch_result *);
void host_state_learn(struct host_states *, uint32_t host, const struct url *,
    const struct fetch_result *);
void host_state_count(
    struct host_states *, uint32_t host, const struct fetch_result *);

/* host_states_write(hosts): write the notes of the request log into the
 * transaction under way. */
void host_states_write(struct host_states *);

/*
 * Holds (store/hold.h).  A new entry has the hold that the store knows.
 *
 * host_state_limited(hosts, host, retry_after_s): the host answered 429 or 503,
 * with that Retry-After; -1: without.  Hold it in the store, here, and by
 * run_options.held.  Returns for how many milliseconds.
 * host_state_answered(hosts, host): it gave another answer.
 * host_state_hold(hosts, host, wait_s): somebody else has held it for so long,
 * or has ended its hold (0).
 * host_state_held_ms(hosts, host): how long the hold still lasts; 0: none.
 */
int64_t host_state_limited(
    struct host_states *, uint32_t host, int64_t retry_after_s);
void host_state_answered(struct host_states *, uint32_t host);
void host_state_hold(struct host_states *, uint32_t host, int64_t wait_s);
int64_t host_state_held_ms(const struct host_states *, uint32_t host);

/* host_state_is_dead(hosts, host, *text): the reason why no request should be
 * sent to the host now, or DIAG_OK; text is static. */
enum diag_code host_state_is_dead(
    struct host_states *, uint32_t host, const char **text);

/* host_state_admits(hosts, host, url, addr): may the request for the URL go to
 * that address now (HOSTILE T10)? */
bool host_state_admits(struct host_states *, uint32_t host, const struct url *,
    const struct addr *);

#endif
