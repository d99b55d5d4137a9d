/* The driver: who waits for the robots.txt of an origin. */
#include <stdlib.h>

#include "crawler/crawl/run_begin.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_rules.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_task.h"
#include "sched/host_queue.h"

static void
open_gates(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];

	for (size_t i = 0; i < origin->dns_queue_count; i++)
		crawl_heard_robots(run, origin->gates[i], number);
	origin->dns_queue_count = 0;
}

void
robots_known(struct run *run, uint32_t number)
{
	uint32_t *waiting = run->origins[number].waiting;
	size_t count = run->origins[number].waiting_count;

	run->origins[number].waiting = NULL;
	run->origins[number].waiting_count = 0;
	run->origins[number].waiting_cap = 0;
	run->origins[number].state = ORIGIN_KNOWN;
	open_gates(run, number);
	seed_origin(run, number);
	for (size_t i = 0; i < count; i++)
		begin_later(run, waiting[i]);
	free(waiting);
	run_kick(run);
}

bool
robots_is_known(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	const struct site *asking = &run->sites[site];
	bool is_old = asking->is_single
	    ? origin->fresh_until_s <= run_now_s(run)
	    : run->crawls[asking->crawl].serial > origin->serial;

	if (origin->state == ORIGIN_KNOWN && is_old)
		origin->state = ORIGIN_NEW;
	return origin->state == ORIGIN_KNOWN;
}

/*
 * is_wanted(run, origin, crawl): by another crawl, or by a site of that one
 * that is not closed?  One that was closed by a limit of its own was perhaps
 * only the first to ask.
 */
static bool
is_wanted(struct run *run, const struct origin *origin, uint32_t crawl)
{
	for (size_t i = 0; i < origin->dns_queue_count; i++)
		if (origin->gates[i] != crawl)
			return true;
	for (size_t i = 0; i < origin->waiting_count; i++)
		if (!crawl_is_closed(run, origin->waiting[i]))
			return true;
	return origin->seed_site != NONE && !run->is_full &&
	    !run->sites[origin->seed_site].is_closed &&
	    !run->crawls[run->sites[origin->seed_site].crawl].is_closed;
}

bool
robots_forget(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[run_task(run, number)->origin];

	if (is_wanted(
		run, origin, run->sites[run_task(run, number)->site].crawl))
		return false;
	open_gates(run, run_task(run, number)->origin);
	origin->state = ORIGIN_NEW;
	origin->seed_site = NONE;
	for (size_t i = 0; i < origin->waiting_count; i++)
		(void)crawl_skips(run, origin->waiting[i]);
	origin->waiting_count = 0;
	task_finish(run, number);
	return true;
}

bool
robots_admit(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task_attempt(run, number);
	uint32_t number_of = run_origin(run, &attempt->current);
	struct origin *origin = &run->origins[number_of];

	if (task->type == TASK_ROBOTS)
		return true;
	if (origin->state == ORIGIN_KNOWN &&
	    origin->fresh_until_s <= run_now_s(run))
		origin->state = ORIGIN_NEW;
	/* Mostly by the rules that it was judged by before it waited here. */
	if (origin->state == ORIGIN_KNOWN && origin->closed_by == DIAG_OK &&
	    (attempt->judged_by == origin->rules_stamp ||
		rules_verdict(run, number_of, url_target(&attempt->current))
		    .is_allowed))
		return true;
	host_queue_return(
	    run->host_queue, run_host(run, url_host(&attempt->current)));
	task->state = TASK_NEW;
	task_begin(run, number);
	return false;
}

void
robots_begin(struct run *run, uint32_t number)
{
	const char *text;
	uint32_t host = run_host(
	    run, url_host(&run_task(run, number)->attempt->current));

	/* where a redirect leads to, since robots_ask asks for no other */
	if (host_state_is_dead(run, host, &text) == DIAG_FETCH_RATE_LIMITED)
		robots_answered(run, number,
		    &(struct fetch_result){.code = DIAG_FETCH_RATE_LIMITED});
	else
		task_queue(run, number);
}
