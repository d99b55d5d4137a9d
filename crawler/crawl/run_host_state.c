/* What the driver has seen of hosts. */
#include "crawler/crawl/run_host_state.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_tables.h"

#define DEAD_AFTER 5 /* failures in a row (HOSTILE T11) */
#define DEAD_MS 3600000 /* a dead host gets no request for this long */

struct host_state *
host_states_at(const struct run *run, uint32_t host)
{
	assert(host < run->host_state_count && run->host_states[host] != NULL);
	return run->host_states[host];
}

void
host_state_write(struct run *run, uint32_t host)
{
	struct host_state *host_state = host_states_at(run, host);

	if (host_state->noted.requests > 0)
		store_request_log_add(run->options.store,
		    names_slice(&run->table->names, host), &host_state->noted);
	host_state->noted.requests = 0;
}

/* Note the request, which was sent, for the request log. */
static void
host_state_note(
    struct run *run, uint32_t host, const struct fetch_result *result)
{
	struct host_state *host_state = host_states_at(run, host);
	int64_t now_ms = run_now_ms(run);
	int64_t gap_ms = result->asked_ms - host_state->asked_ms;
	int64_t delay_ms = run->table->items[host]->delay_ms;
	int64_t asked_s = run_now_s(run) -
	    (now_ms - result->asked_ms) / SECOND_MS;
	int64_t minute_s = asked_s - asked_s % MINUTE_S;
	int64_t answer_ms;
	struct request_log_note *note = &host_state->noted;

	/* Each minute has a note; that of the minute before is written. */
	if (note->requests == 0)
		fifo_put(&run->noted, host);
	if (note->requests == 0 || note->minute_s != minute_s) {
		host_state_write(run, host);
		*note = (struct request_log_note){.minute_s = minute_s,
		    .least_gap_ms = -1,
		    .delay_ms = INT64_MAX};
	}
	note->requests++;
	note->last_s = asked_s;
	if (delay_ms < note->delay_ms)
		note->delay_ms = delay_ms;
	if (host_state->asked_ms != 0) {
		if (note->least_gap_ms < 0 || gap_ms < note->least_gap_ms)
			note->least_gap_ms = gap_ms < 0 ? 0 : gap_ms;
		note->overlaps += result->asked_ms < host_state->ended_ms;
	}
	/* A quarter of each new time counts, and all of the first. */
	answer_ms = result->answered_ms - result->asked_ms;
	host_state->answer_ms += host_state->asked_ms == 0
	    ? answer_ms
	    : (answer_ms - host_state->answer_ms) / 4;
	host_state->asked_ms = result->asked_ms;
	host_state->ended_ms = result->ended_ms;
}

void
host_state_ended(struct run *run, uint32_t host, const struct url *url,
    const struct fetch_result *result)
{
	struct host_state *host_state = host_states_at(run, host);
	struct host *is = run->table->items[host];

	if (result->asked_ms != 0)
		host_state_note(run, host, result);
	/* The answer shows the address of the host. */
	if (result->has_peer) {
		host_queue_set_address(run->host_queue, host,
		    policy_is_local(run->options.policy, url, &result->peer)
			? NULL
			: &result->peer);
	} else if (local_takes(run->options.local, url)) {
		is->is_file = true;
		host_set_delay(run->table, is);
	}
	if (result->code != DIAG_FETCH_NETWORK_ERROR) {
		host_state->failures = 0;
	} else {
		host_state->failures++;
		host_state->failed_ms = run_now_ms(run);
	}
}

int64_t
host_state_held_ms(const struct run *run, uint32_t host)
{
	int64_t held_ms = run->table->items[host]->held_ms;
	int64_t now_ms = run_now_ms(run);

	return held_ms > now_ms ? held_ms - now_ms : 0;
}

enum diag_code
host_state_is_dead(struct run *run, uint32_t host, const char **text)
{
	const struct host_state *host_state = host_states_at(run, host);

	if (host_state->failures >=
		DEAD_AFTER * (run->table->items[host]->rules->retry + 1) &&
	    run_now_ms(run) < host_state->failed_ms + DEAD_MS) {
		*text = "the host gave no answer again and again";
		return DIAG_FETCH_NETWORK_ERROR;
	}
	if (host_state_held_ms(run, host) > MAX_PARK_MS) {
		*text = "the host is left alone for a time, because it asked "
			"for that or 'freshet hold' did";
		return DIAG_FETCH_RATE_LIMITED;
	}
	return DIAG_OK;
}

/* Adding and forgetting entries. */

/* Find when the host was asked for the last time before this process knew it,
 * and until when it is to be left alone. */
static void
host_state_recall(struct run *run, struct host *host)
{
	struct store *store = run->options.store;
	struct slice name = names_slice(&run->table->names, host->number);
	int64_t now_s = run_now_s(run);
	int64_t delay_ms;
	int64_t last_s = store_asked_s(store, name, now_s, &delay_ms);
	struct hold_times times;

	/* The frontier knows of each host when a fetcher last asked it. Without
	 * a frontier this is not looked up: it may have been any host. */
	if (!run->table->has_pages && run->paged_s > last_s)
		last_s = run->paged_s;
	host_recall(run->table, host, last_s, now_s, delay_ms);
	/* The frontier knows all holds of its hosts.  A run before this one,
	 * or a fetcher, may have met a reason to hold another one. */
	if (host->is_kept)
		return;
	now_s = loop_now_s(run->options.loop);
	times = store_hold_get(store, name, now_s);
	if (times.left_s > 0)
		host_hold(run->table, host, HELD_ALL, now_s + times.left_s,
		    now_s, "before");
	host->is_limited = times.limited > 0 || times.left_s > 0;
}

uint32_t
host_state_of(struct run *run, struct slice name)
{
	uint32_t host = host_put(run->table, name);

	if (host < run->host_state_count && run->host_states[host] != NULL)
		return host;
	run->host_states = mem_grow(run->host_states, &run->host_state_cap,
	    (size_t)host + 1, sizeof(struct host_state *));
	while (run->host_state_count <= host)
		run->host_states[run->host_state_count++] = NULL;
	run->host_states[host] = mem_zero(sizeof(struct host_state));
	if (!run->table->items[host]->is_recalled)
		host_state_recall(run, run->table->items[host]);
	return host;
}

void
host_states_forget(struct run *run, bool *in_use)
{
	int64_t now_ms = run_now_ms(run);

	for (size_t i = 0; i < run->noted.end; i++)
		in_use[run->noted.items[i]] = true;
	for (uint32_t i = 0; i < run->host_state_count; i++) {
		const struct host_state *host_state = run->host_states[i];

		/* what was seen of a host that fails lasts for a time */
		if (host_state == NULL || in_use[i] ||
		    host_state->noted.requests > 0 ||
		    (host_state->failures > 0 &&
			host_state->failed_ms + DEAD_MS > now_ms) ||
		    !host_queue_forget(run->host_queue, i, now_ms))
			continue;
		free(run->host_states[i]);
		run->host_states[i] = NULL;
	}
	host_queue_tidy(run->host_queue, now_ms);
}
