/* The driver: origins and hosts that were not asked for long are forgotten. */
#include "crawler/crawl/run_forget.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_rules.h"
#include "sched/host_queue.h"

#define LEAST_ORIGINS 1024 /* fewer are not searched */
#define IDLE_MS 600000

struct forgetting {
	struct run *run;
	int64_t now_ms;
	uint64_t crawls_since; /* the smallest serial of a crawl with targets */
	bool *origins; /* owned; by number: the origin is in use */
	bool *hosts; /* owned; by number: the host is in use */
};

/* Mark the origins that crawls may still come to. */
static void
mark_crawls(struct forgetting *forgetting)
{
	const struct run *run = forgetting->run;

	for (size_t i = 0; i < run->crawl_count; i++) {
		const struct crawl *crawl = &run->crawls[i];

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

	for (size_t i = 0; i < run->task_count; i++)
		if (run->tasks[i].site != NONE && run->tasks[i].origin != NONE)
			forgetting->origins[run->tasks[i].origin] = true;
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

static void
forget_origin(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];

	free(origin->awaiting);
	free(origin->waiting);
	rules_use(run, number, NULL);
	*origin = (struct origin){.host = NONE, .seed_site = NONE};
	names_remove(&run->origin_names, number);
	run->origins_used--;
}

/* An origin that stays marks its host. */
static void
forget_origins(struct forgetting *forgetting)
{
	struct run *run = forgetting->run;

	for (uint32_t i = 0; i < run->origin_count; i++) {
		const struct origin *origin = &run->origins[i];

		if (origin->text == NULL)
			continue;
		if (forgetting->origins[i] || !is_idle(forgetting, origin))
			forgetting->hosts[origin->host] = true;
		else
			forget_origin(run, i);
	}
	for (size_t i = 0; i < run->noted_count; i++)
		forgetting->hosts[run->noted[i]] = true;
}

static void
forget_hosts(const struct forgetting *forgetting)
{
	struct run *run = forgetting->run;

	for (uint32_t i = 0; i < run->host_state_count; i++) {
		struct host_state *host_state = &run->host_states[i];

		if (host_state->rules != NULL && !forgetting->hosts[i] &&
		    !host_state_remembers(run, i) &&
		    host_queue_forget(run->host_queue, i, forgetting->now_ms))
			*host_state = (struct host_state){0};
	}
	host_queue_tidy(run->host_queue, forgetting->now_ms);
}

void
forget_some(struct run *run)
{
	struct forgetting forgetting = {.run = run,
	    .now_ms = loop_now_ms(run->options.loop),
	    .crawls_since = UINT64_MAX};

	if (run->origins_used < LEAST_ORIGINS ||
	    run->origins_used / 2 < run->origins_kept)
		return;
	forgetting.origins = mem_zero(run->origin_count + 1);
	forgetting.hosts = mem_zero(run->host_state_count + 1);
	mark_crawls(&forgetting);
	mark_tasks(&forgetting);
	forget_origins(&forgetting);
	forget_hosts(&forgetting);
	run->origins_kept = run->origins_used;
	free(forgetting.origins);
	free(forgetting.hosts);
}
