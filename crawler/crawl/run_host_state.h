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

/* host_states_at(run, host): what is known of a host that the driver knows. */
struct host_state *host_states_at(const struct run *, uint32_t host);

/* host_state_of(run, name): the number of the host; it is added if it is not
 * there. */
uint32_t host_state_of(struct run *, struct slice name);

/* host_states_forget(run, in_use): forget the hosts for whose number in_use
 * is false. Hosts with failures, with a pause, or with requests that are not
 * stored yet are kept. The function changes in_use. */
void host_states_forget(struct run *, bool *in_use);

/* host_state_ended(run, host, url, result): a request for that URL of the host
 * has ended, with or without an answer: note it for the request log, learn the
 * address of the host from the answer, and count failures in a row. */
void host_state_ended(struct run *, uint32_t host, const struct url *,
    const struct fetch_result *);

/* host_state_write(run, host): write the note of the host into the request log,
 * in the transaction under way. */
void host_state_write(struct run *, uint32_t host);

/* host_state_held_ms(run, host): how long the hold of the host (store/hold.h)
 * still lasts; 0: none.  A new entry has the hold that the store knows. */
int64_t host_state_held_ms(const struct run *, uint32_t host);

/* host_state_is_dead(run, host, *text): the reason why no request should be
 * sent to the host now, or DIAG_OK; text is static. */
enum diag_code host_state_is_dead(
    struct run *, uint32_t host, const char **text);

#endif
