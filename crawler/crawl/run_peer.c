/* The driver: what the hosts that are asked have shown of themselves. */
#include "crawler/crawl/run_peer.h"

#include <errno.h>

#include "base/addr.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_visit.h"
#include "crawler/fetch/fetch_headers.h"
#include "sched/politeness.h"

#define DEAD_AFTER 5 /* failures in a row (HOSTILE T11) */
#define DEAD_MS 3600000 /* then it is asked once more */
#define FORGIVEN_MS 86400000 /* what it refused in a row */
#define LOOKUP_MS 250 /* until a name may wait to be looked up again */
#define SHORT_MS 100 /* until there may be a descriptor again, */
#define MAX_SHORT 50 /* and that often in vain: 5 s */

static int64_t
delay_of(const struct peer *peer)
{
	int64_t delay_ms = host_queue_options_default().delay_ms;

	if (peer->is_file)
		return 0;
	if (peer->rules->has_delay)
		delay_ms = peer->rules->delay_ms;
	else if (peer->is_local)
		delay_ms = 0;
	if (peer->crawl_delay_ms > delay_ms)
		delay_ms = peer->crawl_delay_ms;
	return delay_ms;
}

void
visit_politeness(struct run *run, uint32_t host)
{
	host_queue_set_delay(
	    run->host_queue, host, delay_of(run_peer(run, host)));
}

void
peer_set_delay(struct run *run, uint32_t origin, uint32_t delay_ms)
{
	uint32_t host = run->origins[origin].host;
	struct peer *peer = run_peer(run, host);
	bool was_largest = run->origins[origin].crawl_delay_ms ==
	    peer->crawl_delay_ms;

	run->origins[origin].crawl_delay_ms = delay_ms;
	if (delay_ms < peer->crawl_delay_ms && was_largest) {
		peer->crawl_delay_ms = 0;
		for (size_t i = 0; i < run->origin_count; i++)
			if (run->origins[i].host == host &&
			    run->origins[i].crawl_delay_ms >
				peer->crawl_delay_ms)
				peer->crawl_delay_ms = run->origins[i]
							   .crawl_delay_ms;
	}
	if (delay_ms > peer->crawl_delay_ms)
		peer->crawl_delay_ms = delay_ms;
	visit_politeness(run, host);
}

void
peer_spare(struct run *run, uint32_t host)
{
	host_queue_hold(run->host_queue, host,
	    loop_now_ms(run->options.loop) + delay_of(run_peer(run, host)));
}

void
peer_learn(struct run *run, const struct journey *journey,
    const struct fetch_result *result)
{
	struct peer *peer = run_peer(run, journey->host);
	bool is_local;

	if (!result->has_peer && visit_is_file(run, &journey->current)) {
		peer->is_file = true;
		visit_politeness(run, journey->host);
	}
	if (!result->has_peer)
		return;
	is_local = policy_is_local(
	    run->options.policy, &journey->current, &result->peer);
	peer->is_local = is_local;
	visit_politeness(run, journey->host);
	host_queue_set_address(
	    run->host_queue, journey->host, is_local ? NULL : &result->peer);
}

bool
peer_admits(void *arg, const struct addr *addr)
{
	const struct journey *journey = arg;
	struct run *run = journey->run;

	return policy_is_local(run->options.policy, &journey->current, addr) ||
	    host_queue_admit(run->host_queue, journey->host, addr,
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
peer_defer(struct run *run, uint32_t number, enum fetch_deferral why)
{
	struct journey *journey = run_visit(run, number)->journey;
	int64_t now_ms = loop_now_ms(run->options.loop);

	visit_drop_spool(journey);
	run_crawl_of(run, number)->totals.requests--;
	host_queue_return(run->host_queue, journey->host);
	if (why == DEFERRED_LOOKUP)
		host_queue_hold(
		    run->host_queue, journey->host, now_ms + LOOKUP_MS);
	if (why == DEFERRED_DESCRIPTORS)
		host_queue_hold(
		    run->host_queue, journey->host, now_ms + SHORT_MS);
	if (why == DEFERRED_DESCRIPTORS && is_stuck(run)) {
		errno = EMFILE;
		run_fail_spool(run);
	}
	visit_put_back(run, number, journey->host);
	run_kick(run);
}

void
peer_fail(struct run *run, uint32_t host, enum diag_code code, const char *text)
{
	uint64_t id;

	while (host_queue_drain(run->host_queue, host, &id)) {
		uint32_t number = (uint32_t)id;

		if (run_visit(run, number)->type != VISIT_ROBOTS) {
			visit_give_up(run, number, code, slice_of(text));
			continue;
		}
		/* It would only come back into the queue that is emptied. */
		visit_journey(run, number)->tries = run_rules(run, number)
							->retry;
		robots_answered(run, number,
		    &(struct fetch_result){
			.code = code, .is_connect_failure = true});
	}
}

void
peer_count(struct run *run, uint32_t host, const struct fetch_result *result)
{
	struct peer *peer = run_peer(run, host);

	if (result->code != DIAG_FETCH_NETWORK_ERROR) {
		peer->failures = 0;
		return;
	}
	peer->failures++;
	peer->failed_ms = loop_now_ms(run->options.loop);
}

bool
peer_remembers(struct run *run, uint32_t host)
{
	const struct peer *peer = run_peer(run, host);
	int64_t now_ms = loop_now_ms(run->options.loop);

	return peer->noted.requests > 0 || peer->parked_until_ms > now_ms ||
	    (peer->failures > 0 && peer->failed_ms + DEAD_MS > now_ms) ||
	    (peer->throttles > 0 && peer->ended_ms + FORGIVEN_MS > now_ms);
}

void
peer_park(struct run *run, uint32_t host, int64_t wait_ms)
{
	int64_t until_ms = loop_now_ms(run->options.loop) + wait_ms;
	struct peer *peer = run_peer(run, host);

	if (wait_ms > MAX_PARK_MS && until_ms > peer->parked_until_ms)
		peer->parked_until_ms = until_ms;
	host_queue_hold(run->host_queue, host, until_ms);
}

void
peer_recall(struct run *run, uint32_t host, struct slice origin)
{
	int64_t left_s = store_parked_until(run->options.store, origin) -
	    run_now_s(run);

	if (left_s > HEADER_MAX_WAIT_S)
		left_s = HEADER_MAX_WAIT_S;
	if (left_s > 0)
		peer_park(run, host, left_s * 1000);
}

enum diag_code
peer_is_dead(struct run *run, uint32_t host, const char **text)
{
	const struct peer *peer = run_peer(run, host);

	if (peer->failures >= DEAD_AFTER * (peer->rules->retry + 1) &&
	    loop_now_ms(run->options.loop) < peer->failed_ms + DEAD_MS) {
		*text = "the host gave no answer again and again";
		return DIAG_FETCH_NETWORK_ERROR;
	}
	if (peer->parked_until_ms > loop_now_ms(run->options.loop)) {
		*text = "the host asked to be left alone for longer";
		return DIAG_FETCH_RATE_LIMITED;
	}
	return DIAG_OK;
}
