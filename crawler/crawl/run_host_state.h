/*
 * What the driver has seen of hosts, and the requests that it has sent to them:
 * failures, and requests that are not in the store's request log yet. A host
 * has the number of the table of hosts (sched/host_table.h), which says when it
 * may be asked. A pointer to an entry is valid until the host is forgotten.
 */
#ifndef FRESHET_RUN_HOST_STATE_H
#define FRESHET_RUN_HOST_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "store/hold.h"

struct fetch_result;
struct run;
struct url;

/* The longest time that a crawl waits for a host that is held: the first pause
 * after a 429 without Retry-After is as long (store/hold.h). */
#define MAX_PARK_MS 75000

/* What a run knows of a host. */
struct host_state {
	unsigned failures; /* of the network, in a row */
	int64_t answer_ms; /* until an answer begins, smoothed; 0: unknown */
	int64_t failed_ms; /* time of the last failure */
	int64_t asked_ms, ended_ms; /* of the last request; 0: never */
	/* the note that is not stored yet; none if it has no requests */
	struct request_log_note noted;
	/* units of work that the rules of its robots.txt have cost today */
	uint64_t work;
	bool is_named; /* the operator named the host, see run_limits.h */
	/* the report was made that the host's documents are skipped */
	bool is_left;
};

/* host_states_find(run, host): NULL: the driver does not know that host.
 * host_states_at(run, host): the driver knows it. */
struct host_state *host_states_find(const struct run *, uint32_t host);
struct host_state *host_states_at(const struct run *, uint32_t host);

/* host_state_of(run, name): the number of the host; it is added if it is not
 * there. */
uint32_t host_state_of(struct run *, struct slice name);

/* host_states_forget(run, in_use): forget the hosts for whose number in_use
 * is false. Hosts with failures, with a pause, or with requests that are not
 * stored yet are kept. The function changes in_use. */
void host_states_forget(struct run *, bool *in_use);

/* A request to the host has ended, with or without an answer.
 * host_state_note(), which is called first, notes the request for the request
 * log; host_state_learn() takes the address of the host from the answer;
 * host_state_count() counts failures in a row. */
void host_state_note(struct run *, uint32_t host, const struct fetch_result *);
void host_state_learn(struct run *, uint32_t host, const struct url *,
    const struct fetch_result *);
void host_state_count(struct run *, uint32_t host, const struct fetch_result *);

/* host_states_write(run): write the notes of the request log into the
 * transaction under way. */
void host_states_write(struct run *);

/*
 * Holds (store/hold.h).  A new entry has the hold that the store knows.
 *
 * host_state_answered(run, host): it gave another answer than 429 and 503.
 * host_state_held_ms(run, host): how long the hold still lasts; 0: none.
 */
void host_state_answered(struct run *, uint32_t host);
int64_t host_state_held_ms(const struct run *, uint32_t host);

/* host_state_is_dead(run, host, *text): the reason why no request should be
 * sent to the host now, or DIAG_OK; text is static. */
enum diag_code host_state_is_dead(
    struct run *, uint32_t host, const char **text);

#endif
