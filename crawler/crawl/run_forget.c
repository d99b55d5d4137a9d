/*
 * The driver: forget origins and hosts that have had no request for a long
 * time.
 */
#include "crawler/crawl/run_forget.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tasks.h"
#include "sched/host_queue.h"

#define IDLE_MS 600000

void
forget_some(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);
	/* the smallest serial of a crawl with targets */
	uint64_t crawls_since = UINT64_MAX;
	bool *origins, *hosts; /* by number: it is in use */

	if (!origins_are_many(run->origins))
		return;
	origins = mem_zero(origins_count(run->origins) + 1);
	hosts = mem_zero(host_states_count(run->hosts) + 1);
	/* what crawls under way may still need */
	for (uint32_t i = 0; i < crawls_count(run->crawls); i++) {
		const struct crawl *crawl = crawls_at(run->crawls, i);

		if (crawl->state == CRAWL_OVER || crawl->state == CRAWL_FREE)
			continue;
		if (crawl->target_count > 0 && crawl->serial < crawls_since)
			crawls_since = crawl->serial;
		for (size_t k = 0; k < crawl->late_count; k++)
			origins[crawl->late[k]] = true;
	}
	for (uint32_t i = 0; i < tasks_count(run->tasks); i++) {
		const struct task *task = tasks_look(run->tasks, i);

		if (task->site != NONE && task->origin != NONE)
			origins[task->origin] = true;
	}
	lines_mark(run, origins);
	for (uint32_t i = 0; i < origins_count(run->origins); i++) {
		const struct origin *origin = origins_at(run->origins, i);

		if (origin->text == NULL)
			continue;
		if (origins[i] || origin->state == ORIGIN_ASKED ||
		    origin->waiting_count > 0 || origin->awaiting_count > 0 ||
		    origin->seed_site != NONE ||
		    origin->serial >= crawls_since ||
		    origin->used_ms + IDLE_MS > now_ms) {
			hosts[origin->host] = true;
		} else {
			robots_allow_all(run, i);
			origins_forget(run->origins, i);
		}
	}
	origins_are_searched(run->origins);
	host_states_forget(run->hosts, hosts);
	free(origins);
	free(hosts);
}
