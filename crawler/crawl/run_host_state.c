/* What the driver has seen of hosts. */
#include "crawler/crawl/run_host_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "base/civil.h"
#include "base/mem.h"
#include "crawler/crawl/run.h"
#include "crawler/crawl/run_clock.h"
#include "crawler/fetch/fetch_headers.h"
#include "sched/host_queue.h"
#include "sched/host_table.h"
#include "store/hold.h"

#define DEAD_AFTER 5 /* failures in a row (HOSTILE T11) */
#define DEAD_MS 3600000 /* a dead host gets no request for this long */

struct host_states {
	const struct run_options *options; /* borrowed, as the next three */
	struct host_table *table;
	struct host_queue *host_queue;
	struct run_clock *clock;
	/* owned, with what they point to; NULL: the driver does not know the
	 * host of that number */
	struct host_state **items;
	size_t count, cap;
	/* when this run began, a page of any host was asked for last; 0: none
	 */
	int64_t paged_s;
	uint32_t *noted; /* owned: hosts with a note for the request log */
	size_t noted_count, noted_cap;
};

struct host_states *
host_states_new(const struct run_options *options, struct host_table *table,
    struct host_queue *host_queue, struct run_clock *clock)
{
	struct host_states *hosts = mem_zero(sizeof(*hosts));

	hosts->options = options;
	hosts->table = table;
	hosts->host_queue = host_queue;
	hosts->clock = clock;
	hosts->paged_s = store_pages_asked_s(options->store);
	return hosts;
}

void
host_states_free(struct host_states *hosts)
{
	if (hosts == NULL)
		return;
	for (size_t i = 0; i < hosts->count; i++)
		free(hosts->items[i]);
	free(hosts->items);
	free(hosts->noted);
	free(hosts);
}

uint32_t
host_states_count(const struct host_states *hosts)
{
	return (uint32_t)hosts->count;
}

struct host_state *
host_states_find(const struct host_states *hosts, uint32_t host)
{
	return host < hosts->count ? hosts->items[host] : NULL;
}

struct host_state *
host_states_at(const struct host_states *hosts, uint32_t host)
{
	assert(host < hosts->count && hosts->items[host] != NULL);
	return hosts->items[host];
}

static struct slice
host_state_name(const struct host_states *hosts, uint32_t host)
{
	return slice_of(host_name(hosts->table, host));
}

void
host_state_spare(struct host_states *hosts, uint32_t host)
{
	host_queue_hold(hosts->host_queue, host,
	    loop_now_ms(hosts->options->loop) +
		host_at(hosts->table, host)->delay_ms);
}

/* The request log. */

static void
write_host_state(struct host_states *hosts, uint32_t host)
{
	struct host_state *host_state = host_states_at(hosts, host);

	if (host_state->noted.requests > 0)
		store_request_log_add(hosts->options->store,
		    host_state_name(hosts, host), &host_state->noted);
	host_state->noted.requests = 0;
}

void
host_state_note(
    struct host_states *hosts, uint32_t host, const struct fetch_result *result)
{
	struct host_state *host_state = host_states_at(hosts, host);
	int64_t now_ms = loop_now_ms(hosts->options->loop);
	int64_t gap_ms = result->asked_ms - host_state->asked_ms;
	int64_t delay_ms = host_at(hosts->table, host)->delay_ms;
	int64_t asked_s = run_clock_now_s(hosts->clock) -
	    (now_ms - result->asked_ms) / SECOND_MS;
	int64_t minute_s = asked_s - asked_s % MINUTE_S;
	int64_t answer_ms;
	struct request_log_note *note = &host_state->noted;

	if (result->asked_ms == 0)
		return; /* no request was sent */
	/* Each minute has a note; that of the minute before is written. */
	if (note->requests == 0) {
		hosts->noted = mem_grow(hosts->noted, &hosts->noted_cap,
		    hosts->noted_count + 1, sizeof(*hosts->noted));
		hosts->noted[hosts->noted_count++] = host;
	}
	if (note->requests == 0 || note->minute_s != minute_s) {
		write_host_state(hosts, host);
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
host_states_write(struct host_states *hosts)
{
	for (size_t i = 0; i < hosts->noted_count; i++)
		write_host_state(hosts, hosts->noted[i]);
	hosts->noted_count = 0;
}

void
host_states_stop(struct host_states *hosts)
{
	int64_t now_s = run_clock_now_s(hosts->clock);

	for (uint32_t i = 0; i < hosts->count; i++)
		if (hosts->items[i] != NULL &&
		    host_at(hosts->table, i)->is_busy)
			store_request_log_add(hosts->options->store,
			    host_state_name(hosts, i),
			    &(struct request_log_note){
				.minute_s = now_s - now_s % MINUTE_S,
				.last_s = now_s,
				.least_gap_ms = -1,
				.delay_ms = host_at(hosts->table, i)
						->delay_ms});
}

/* Failures, and holds. */

void
host_state_learn(struct host_states *hosts, uint32_t host,
    const struct url *url, const struct fetch_result *result)
{
	if (!result->has_peer && local_takes(hosts->options->local, url)) {
		host_at(hosts->table, host)->is_file = true;
		host_set_delay(hosts->table, host_at(hosts->table, host));
	}
	if (result->has_peer)
		host_queue_set_address(hosts->host_queue, host,
		    policy_is_local(hosts->options->policy, url, &result->peer)
			? NULL
			: &result->peer);
}

void
host_state_count(
    struct host_states *hosts, uint32_t host, const struct fetch_result *result)
{
	struct host_state *host_state = host_states_at(hosts, host);

	if (result->code != DIAG_FETCH_NETWORK_ERROR) {
		host_state->failures = 0;
		return;
	}
	host_state->failures++;
	host_state->failed_ms = loop_now_ms(hosts->options->loop);
}

bool
host_state_admits(struct host_states *hosts, uint32_t host,
    const struct url *url, const struct addr *addr)
{
	return policy_is_local(hosts->options->policy, url, addr) ||
	    host_queue_admit(hosts->host_queue, host, addr,
		loop_now_ms(hosts->options->loop));
}

int64_t
host_state_limited(
    struct host_states *hosts, uint32_t host, int64_t retry_after_s)
{
	struct slice name = host_state_name(hosts, host);
	int64_t now_s = loop_now_s(hosts->options->loop);
	int64_t wait_s;
	bool is_longer = store_limited(
	    hosts->options->store, name, now_s, retry_after_s, &wait_s);

	host_at(hosts->table, host)->is_limited = true;
	host_hold(hosts->table, host_at(hosts->table, host), HELD_ALL,
	    now_s + wait_s, now_s, is_longer ? "limited" : "retry-after");
	return wait_s * SECOND_MS;
}

void
host_state_answered(struct host_states *hosts, uint32_t host)
{
	struct host *is = host_at(hosts->table, host);

	if (!is->is_limited)
		return;
	is->is_limited = false;
	store_answered(hosts->options->store, host_state_name(hosts, host));
}

int64_t
host_state_held_ms(const struct host_states *hosts, uint32_t host)
{
	int64_t held_ms = host_at(hosts->table, host)->held_ms;
	int64_t now_ms = loop_now_ms(hosts->options->loop);

	return held_ms > now_ms ? held_ms - now_ms : 0;
}

enum diag_code
host_state_is_dead(struct host_states *hosts, uint32_t host, const char **text)
{
	const struct host_state *host_state = host_states_at(hosts, host);

	if (host_state->failures >=
		DEAD_AFTER * (host_at(hosts->table, host)->rules->retry + 1) &&
	    loop_now_ms(hosts->options->loop) <
		host_state->failed_ms + DEAD_MS) {
		*text = "the host gave no answer again and again";
		return DIAG_FETCH_NETWORK_ERROR;
	}
	if (host_state_held_ms(hosts, host) > MAX_PARK_MS) {
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
host_state_recall(struct host_states *hosts, struct host *host)
{
	struct store *store = hosts->options->store;
	struct slice name = host_state_name(hosts, host->number);
	int64_t now_s = run_clock_now_s(hosts->clock);
	int64_t delay_ms;
	int64_t last_s = store_asked_s(store, name, now_s, &delay_ms);
	struct hold_times times;
	int64_t wait_s;

	/* The frontier knows of each host when a fetcher last asked it. Without
	 * a frontier this is not looked up: it may have been any host. */
	if (!hosts->table->has_pages && hosts->paged_s > last_s)
		last_s = hosts->paged_s;
	host_recall(hosts->table, host, last_s, now_s, delay_ms);
	/* The frontier knows all holds of its hosts.  A run before this one,
	 * or a fetcher, may have met a reason to hold another one. */
	if (host->is_kept)
		return;
	times = store_hold_get(store, name);
	now_s = loop_now_s(hosts->options->loop);
	wait_s = store_hold_left_s(store, &times, now_s);
	if (wait_s > 0)
		host_hold(hosts->table, host, HELD_ALL, now_s + wait_s, now_s,
		    "before");
	host->is_limited = times.limited > 0 || wait_s > 0;
}

uint32_t
host_state_of(struct host_states *hosts, struct slice name)
{
	uint32_t host = host_put(hosts->table, name);

	if (host_states_find(hosts, host) != NULL)
		return host;
	hosts->items = mem_grow(hosts->items, &hosts->cap, (size_t)host + 1,
	    sizeof(struct host_state *));
	while (hosts->count <= host)
		hosts->items[hosts->count++] = NULL;
	hosts->items[host] = mem_zero(sizeof(struct host_state));
	if (!host_at(hosts->table, host)->is_recalled)
		host_state_recall(hosts, host_at(hosts->table, host));
	return host;
}

void
host_states_forget(struct host_states *hosts, bool *in_use)
{
	int64_t now_ms = loop_now_ms(hosts->options->loop);

	for (size_t i = 0; i < hosts->noted_count; i++)
		in_use[hosts->noted[i]] = true;
	for (uint32_t i = 0; i < hosts->count; i++) {
		const struct host_state *host_state = hosts->items[i];

		/* what was seen of a host that fails lasts for a time */
		if (host_state == NULL || in_use[i] ||
		    host_state->noted.requests > 0 ||
		    (host_state->failures > 0 &&
			host_state->failed_ms + DEAD_MS > now_ms) ||
		    !host_queue_forget(hosts->host_queue, i, now_ms))
			continue;
		free(hosts->items[i]);
		hosts->items[i] = NULL;
	}
	host_queue_tidy(hosts->host_queue, now_ms);
}
