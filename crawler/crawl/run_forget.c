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
#include "crawler/crawl/run_rules.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tasks.h"
#include "sched/host_queue.h"

#define IDLE_MS 600000

struct forgetting {
	struct run *run;
	int64_t now_ms;
	uint64_t crawls_since; /* the smallest serial of a crawl with targets */
	bool *origins; /* owned; by number: the origin is in use */
	bool *hosts; /* owned; by number: the host is in use */
};

/* Mark the origins that crawls under way may still need. */
static void
mark_crawls(struct forgetting *forgetting)
{
	const struct run *run = forgetting->run;

	for (uint32_t i = 0; i < crawls_count(run->crawls); i++) {
		const struct crawl *crawl = crawls_at(run->crawls, i);

		if (crawl->state == CRAWL_OVER || crawl->state == CRAWL_FREE)
			continue;
		if (crawl->target_count > 0 &&
		    crawl->serial < forgetting->crawls_since)
			forgetting->crawls_since = crawl->serial;
		for (size_t k = 0; k < crawl->late_count; k++)
			forgetting->origins[crawl->late[k]] = true;
	}
}

static void
mark_tasks(struct forgetting *forgetting)
{
	const struct run *run = forgetting->run;

	for (uint32_t i = 0; i < tasks_count(run->tasks); i++)
		if (tasks_look(run->tasks, i)->site != NONE &&
		    tasks_look(run->tasks, i)->origin != NONE)
			forgetting
			    ->origins[tasks_look(run->tasks, i)->origin] = true;
	lines_mark(run, forgetting->origins);
}

static bool
is_idle(const struct forgetting *forgetting, const struct origin *origin)
{
	return origin->state != ORIGIN_ASKED && origin->waiting_count == 0 &&
	    origin->awaiting_count == 0 && origin->seed_site == NONE &&
	    origin->serial < forgetting->crawls_since &&
	    origin->used_ms + IDLE_MS <= forgetting->now_ms;
}

/* Forget unused origins, and mark the hosts of the others as in use. */
static void
forget_origins(struct forgetting *forgetting)
{
	struct run *run = forgetting->run;

	for (uint32_t i = 0; i < origins_count(run->origins); i++) {
		const struct origin *origin = origins_at(run->origins, i);

		if (origin->text == NULL)
			continue;
		if (forgetting->origins[i] || !is_idle(forgetting, origin)) {
			forgetting->hosts[origin->host] = true;
		} else {
			rules_use(run, i, NULL);
			origins_forget(run->origins, i);
		}
	}
	origins_are_searched(run->origins);
}

void
forget_some(struct run *run)
{
	struct forgetting forgetting = {.run = run,
	    .now_ms = loop_now_ms(run->options.loop),
	    .crawls_since = UINT64_MAX};

	if (!origins_are_many(run->origins))
		return;
	forgetting.origins = mem_zero(origins_count(run->origins) + 1);
	forgetting.hosts = mem_zero(host_states_count(run->hosts) + 1);
	mark_crawls(&forgetting);
	mark_tasks(&forgetting);
	forget_origins(&forgetting);
	host_states_forget(run->hosts, forgetting.hosts);
	free(forgetting.origins);
	free(forgetting.hosts);
}
