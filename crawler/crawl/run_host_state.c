/* The driver: hosts, and the requests that they got. */
#include "crawler/crawl/run_host_state.h"

#include <errno.h>
#include <stdlib.h>

#include "base/addr.h"
#include "base/mem.h"
#include "crawler/fetch/fetch_headers.h"
#include "sched/host_queue.h"

#define DEAD_AFTER 5 /* failures in a row (HOSTILE T11) */
#define DEAD_MS 3600000 /* then the host is asked once more */
#define FORGIVEN_MS 86400000 /* until refusals in a row are forgotten */
#define LOOKUP_MS 250 /* until a name is looked up again */
#define SHORT_MS 100 /* until a descriptor may be free again */
#define MAX_SHORT 50 /* tries in vain, together 5 s */

#define MINUTE_S 60
#define SECOND_MS 1000

/* Delays. */

static int64_t
delay_of(const struct host_state *host_state)
{
	int64_t delay_ms = host_queue_options_default().delay_ms;

	if (host_state->is_file)
		return 0;
	if (host_state->rules->has_delay)
		delay_ms = host_state->rules->delay_ms;
	else if (host_state->is_local)
		delay_ms = 0;
	if (host_state->crawl_delay_ms > delay_ms)
		delay_ms = host_state->crawl_delay_ms;
	return delay_ms;
}

void
host_state_set_politeness(struct run *run, uint32_t host)
{
	host_queue_set_delay(
	    run->host_queue, host, delay_of(run_host_state(run, host)));
}

void
host_state_set_delay(struct run *run, uint32_t origin, uint32_t delay_ms)
{
	uint32_t host = run->origins[origin].host;
	struct host_state *host_state = run_host_state(run, host);
	bool was_largest = run->origins[origin].crawl_delay_ms ==
	    host_state->crawl_delay_ms;

	run->origins[origin].crawl_delay_ms = delay_ms;
	if (delay_ms < host_state->crawl_delay_ms && was_largest) {
		host_state->crawl_delay_ms = 0;
		for (size_t i = 0; i < run->origin_count; i++)
			if (run->origins[i].host == host &&
			    run->origins[i].crawl_delay_ms >
				host_state->crawl_delay_ms)
				host_state->crawl_delay_ms =
				    run->origins[i].crawl_delay_ms;
	}
	if (delay_ms > host_state->crawl_delay_ms)
		host_state->crawl_delay_ms = delay_ms;
	host_state_set_politeness(run, host);
}

void
host_state_spare(struct run *run, uint32_t host)
{
	host_queue_hold(run->host_queue, host,
	    loop_now_ms(run->options.loop) +
		delay_of(run_host_state(run, host)));
}

/* Hosts that others ask at the same time. */

void
host_state_share(struct run *run, uint32_t host, int64_t wait_ms)
{
	host_queue_share(
	    run->host_queue, host, loop_now_ms(run->options.loop) + wait_ms);
}

void
host_state_report_asked(struct run *run, uint32_t host)
{
	int64_t wait_ms;

	if (run->options.asked == NULL)
		return;
	wait_ms = run->options.asked(
	    run->options.asked_arg, host_queue_name(run->host_queue, host));
	if (wait_ms > 0)
		host_state_share(run, host, wait_ms);
}

/* The request log. */

static void
resume(struct run *run, uint32_t host, struct slice name)
{
	int64_t now_s = run_now_s(run);
	int64_t delay_ms;
	int64_t last_s = store_request_log_last(
	    run->options.store, name, &delay_ms);
	int64_t wait_ms;

	if (last_s == 0 || delay_ms == 0)
		return;
	/* The stored times are whole seconds, cut; the clock may have been
	 * set back. */
	wait_ms = now_s < last_s ? delay_ms
				 : delay_ms - (now_s - last_s - 1) * SECOND_MS;
	if (wait_ms > 0)
		host_queue_hold(run->host_queue, host,
		    loop_now_ms(run->options.loop) + wait_ms);
}

static void
write_host_state(struct run *run, uint32_t host)
{
	struct host_state *host_state = run_host_state(run, host);

	if (host_state->noted.requests > 0)
		store_request_log_add(run->options.store,
		    host_queue_name(run->host_queue, host), &host_state->noted);
	host_state->noted.requests = 0;
}

/* The note of that minute. */
static struct request_log_note *
begin_note(struct run *run, uint32_t host, int64_t minute_s)
{
	struct host_state *host_state = run_host_state(run, host);

	if (host_state->noted.requests > 0 &&
	    host_state->noted.minute_s == minute_s)
		return &host_state->noted;
	if (host_state->noted.requests == 0) {
		run->noted = mem_grow(run->noted, &run->noted_cap,
		    run->noted_count + 1, sizeof(*run->noted));
		run->noted[run->noted_count++] = host;
	}
	write_host_state(run, host);
	host_state->noted = (struct request_log_note){
	    .minute_s = minute_s, .least_gap_ms = -1, .delay_ms = INT64_MAX};
	return &host_state->noted;
}

void
host_state_note(struct run *run, const struct attempt *attempt,
    const struct fetch_result *result)
{
	struct host_state *host_state = run_host_state(run, attempt->host);
	int64_t now_ms = loop_now_ms(run->options.loop);
	int64_t gap_ms = result->asked_ms - host_state->asked_ms;
	int64_t delay_ms = host_queue_delay(run->host_queue, attempt->host);
	int64_t asked_s = run_now_s(run) -
	    (now_ms - result->asked_ms) / SECOND_MS;
	struct request_log_note *note;

	if (result->asked_ms == 0)
		return; /* no request was sent */
	note = begin_note(run, attempt->host, asked_s - asked_s % MINUTE_S);
	note->requests++;
	note->last_s = asked_s;
	if (delay_ms < note->delay_ms)
		note->delay_ms = delay_ms;
	if (host_state->asked_ms != 0) {
		if (note->least_gap_ms < 0 || gap_ms < note->least_gap_ms)
			note->least_gap_ms = gap_ms < 0 ? 0 : gap_ms;
		note->overlaps += result->asked_ms < host_state->ended_ms;
	}
	host_state->asked_ms = result->asked_ms;
	host_state->ended_ms = result->ended_ms;
}

void
host_state_write(struct run *run)
{
	for (size_t i = 0; i < run->noted_count; i++)
		write_host_state(run, run->noted[i]);
	run->noted_count = 0;
}

/* Failures, and pauses that hosts asked for. */

void
host_state_learn(struct run *run, const struct attempt *attempt,
    const struct fetch_result *result)
{
	struct host_state *host_state = run_host_state(run, attempt->host);
	bool is_local;

	if (!result->has_peer && task_is_file(run, &attempt->current)) {
		host_state->is_file = true;
		host_state_set_politeness(run, attempt->host);
	}
	if (!result->has_peer)
		return;
	is_local = policy_is_local(
	    run->options.policy, &attempt->current, &result->peer);
	host_state->is_local = is_local;
	host_state_set_politeness(run, attempt->host);
	host_queue_set_address(
	    run->host_queue, attempt->host, is_local ? NULL : &result->peer);
}

void
host_state_count(
    struct run *run, uint32_t host, const struct fetch_result *result)
{
	struct host_state *host_state = run_host_state(run, host);

	if (result->code != DIAG_FETCH_NETWORK_ERROR) {
		host_state->failures = 0;
		return;
	}
	host_state->failures++;
	host_state->failed_ms = loop_now_ms(run->options.loop);
}

bool
host_state_admits(void *arg, const struct addr *addr)
{
	const struct attempt *attempt = arg;
	struct run *run = attempt->run;

	return policy_is_local(run->options.policy, &attempt->current, addr) ||
	    host_queue_admit(run->host_queue, attempt->host, addr,
		loop_now_ms(run->options.loop));
}

/* Was nothing under way for long that could give a descriptor back? */
static bool
is_stuck(struct run *run)
{
	if (fetch_active(run->options.fetcher) > 0 ||
	    readers_backlog(run->options.readers) > 0)
		run->short_of = 0;
	return ++run->short_of > MAX_SHORT;
}

void
host_state_defer(struct run *run, uint32_t number, enum fetch_deferral why)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	int64_t now_ms = loop_now_ms(run->options.loop);

	task_drop_spool(attempt);
	run_crawl_of(run, number)->totals.requests--;
	host_queue_return(run->host_queue, attempt->host);
	if (why == DEFERRED_LOOKUP)
		host_queue_hold(
		    run->host_queue, attempt->host, now_ms + LOOKUP_MS);
	if (why == DEFERRED_DESCRIPTORS)
		host_queue_hold(
		    run->host_queue, attempt->host, now_ms + SHORT_MS);
	if (why == DEFERRED_DESCRIPTORS && is_stuck(run)) {
		errno = EMFILE;
		run_fail_spool(run);
	}
	task_put_back(run, number, attempt->host);
	run_kick(run);
}

bool
host_state_remembers(struct run *run, uint32_t host)
{
	const struct host_state *host_state = run_host_state(run, host);
	int64_t now_ms = loop_now_ms(run->options.loop);

	return host_state->noted.requests > 0 ||
	    host_state->parked_until_ms > now_ms ||
	    (host_state->failures > 0 &&
		host_state->failed_ms + DEAD_MS > now_ms) ||
	    (host_state->throttles > 0 &&
		host_state->ended_ms + FORGIVEN_MS > now_ms);
}

void
host_state_park(struct run *run, uint32_t host, int64_t wait_ms)
{
	int64_t until_ms = loop_now_ms(run->options.loop) + wait_ms;
	struct host_state *host_state = run_host_state(run, host);

	if (wait_ms > MAX_PARK_MS && until_ms > host_state->parked_until_ms)
		host_state->parked_until_ms = until_ms;
	host_queue_hold(run->host_queue, host, until_ms);
}

static void
recall(struct run *run, uint32_t host, struct slice origin)
{
	int64_t left_s = store_parked_until(run->options.store, origin) -
	    run_now_s(run);

	if (left_s > HEADER_MAX_WAIT_S)
		left_s = HEADER_MAX_WAIT_S;
	if (left_s > 0)
		host_state_park(run, host, left_s * 1000);
}

enum diag_code
host_state_is_dead(struct run *run, uint32_t host, const char **text)
{
	const struct host_state *host_state = run_host_state(run, host);

	if (host_state->failures >=
		DEAD_AFTER * (host_state->rules->retry + 1) &&
	    loop_now_ms(run->options.loop) < host_state->failed_ms + DEAD_MS) {
		*text = "the host gave no answer again and again";
		return DIAG_FETCH_NETWORK_ERROR;
	}
	if (host_state->parked_until_ms > loop_now_ms(run->options.loop)) {
		*text = "the host asked to be left alone for longer";
		return DIAG_FETCH_RATE_LIMITED;
	}
	return DIAG_OK;
}

/* Entries. */

uint32_t
run_host(struct run *run, struct slice name)
{
	uint32_t host = host_queue_host(run->host_queue, name);
	struct host_state *host_state = run_host_state(run, host);

	if (host_state->rules == NULL) {
		host_state->rules = run->options.rules(
		    run->options.rules_arg, name);
		host_state_set_politeness(run, host);
		resume(run, host, name);
	}
	return host;
}

/* A new entry for an origin. */
static void
begin_origin(struct run *run, uint32_t number, const struct url *url)
{
	struct origin *origin;

	if (number == run->origin_count) {
		run->origins = mem_grow(run->origins, &run->origin_cap,
		    run->origin_count + 1, sizeof(*run->origins));
		run->origin_count++;
	}
	run->origins_used++;
	origin = &run->origins[number];
	*origin = (struct origin){
	    .text = names_text(&run->origin_names, number), .seed_site = NONE};
	origin->host = run_host(run, url_host(url));
	recall(run, origin->host, slice_of(origin->text));
}

uint32_t
run_origin(struct run *run, const struct url *url)
{
	uint32_t number = names_find(&run->origin_names, url_origin(url));

	if (number == NAMES_NONE) {
		number = names_put(&run->origin_names, url_origin(url));
		begin_origin(run, number, url);
	}
	run->origins[number].used_ms = loop_now_ms(run->options.loop);
	return number;
}
