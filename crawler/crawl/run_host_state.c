/* The driver: what the hosts that are asked have shown of themselves. */
#include "crawler/crawl/run_host_state.h"

#include <errno.h>

#include "base/addr.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_task.h"
#include "crawler/fetch/fetch_headers.h"
#include "sched/host_queue.h"

#define DEAD_AFTER 5 /* failures in a row (HOSTILE T11) */
#define DEAD_MS 3600000 /* then it is asked once more */
#define FORGIVEN_MS 86400000 /* what it refused in a row */
#define LOOKUP_MS 250 /* until a name may wait to be looked up again */
#define SHORT_MS 100 /* until there may be a descriptor again, */
#define MAX_SHORT 50 /* and that often in vain: 5 s */

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
task_politeness(struct run *run, uint32_t host)
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
	task_politeness(run, host);
}

void
host_state_spare(struct run *run, uint32_t host)
{
	host_queue_hold(run->host_queue, host,
	    loop_now_ms(run->options.loop) +
		delay_of(run_host_state(run, host)));
}

void
host_state_learn(struct run *run, const struct attempt *attempt,
    const struct fetch_result *result)
{
	struct host_state *host_state = run_host_state(run, attempt->host);
	bool is_local;

	if (!result->has_peer && task_is_file(run, &attempt->current)) {
		host_state->is_file = true;
		task_politeness(run, attempt->host);
	}
	if (!result->has_peer)
		return;
	is_local = policy_is_local(
	    run->options.policy, &attempt->current, &result->peer);
	host_state->is_local = is_local;
	task_politeness(run, attempt->host);
	host_queue_set_address(
	    run->host_queue, attempt->host, is_local ? NULL : &result->peer);
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

/* is_stuck(run): has nothing been under way for long that could give a
 * descriptor back? */
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

void
host_state_fail(
    struct run *run, uint32_t host, enum diag_code code, const char *text)
{
	uint64_t id;

	while (host_queue_drain(run->host_queue, host, &id)) {
		uint32_t number = (uint32_t)id;

		if (run_task(run, number)->type != TASK_ROBOTS) {
			task_give_up(run, number, code, slice_of(text));
			continue;
		}
		/* It would only come back into the queue that is emptied. */
		task_attempt(run, number)->tries = run_rules(run, number)
						       ->retry;
		robots_answered(run, number,
		    &(struct fetch_result){
			.code = code, .is_connect_failure = true});
	}
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

void
host_state_recall(struct run *run, uint32_t host, struct slice origin)
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
