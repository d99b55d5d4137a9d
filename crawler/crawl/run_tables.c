/* The driver: the tables of its visits, sites, origins and hosts. */
#include "crawler/crawl/run_tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_request_log.h"
#include "crawler/crawl/run_reuse.h"
#include "crawler/crawl/run_task.h"
#include "store/site.h"

struct task *
run_task(struct run *run, uint32_t number)
{
	struct task *task = &run->tasks[number];

	assert(number < run->task_count);
	if (task->site < run->site_count)
		at_work_site(run->sites[task->site].at_work);
	return task;
}

struct crawl *
run_crawl_of(struct run *run, uint32_t number)
{
	return &run->crawls[run->sites[run_task(run, number)->site].crawl];
}

const struct site_rules *
run_rules(struct run *run, uint32_t number)
{
	return run->sites[run_task(run, number)->site].rules;
}

uint32_t
run_add_task(struct run *run, const struct task *task)
{
	uint32_t number = reuse_task(run);

	run->tasks[number] = *task;
	if (task->document_id != 0)
		idmap_put(&run->by_document, task->document_id, number);
	run_crawl_of(run, number)->open++;
	run->sites[task->site].open++;
	if (task->type == TASK_PAGE)
		run_crawl_of(run, number)->totals.pages++;
	else if (task->type != TASK_ROBOTS)
		run_crawl_of(run, number)->totals.known++;
	return number;
}

void
run_reopen(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	assert(task->state == TASK_DONE);
	task->state = TASK_NEW;
	run_crawl_of(run, number)->open++;
	run_crawl_of(run, number)->totals.done--;
	run->sites[task->site].open++;
	task_begin(run, number);
}

uint32_t
run_find(struct run *run, uint32_t site, int64_t document_id)
{
	uint32_t number = idmap_get(&run->by_document, document_id);

	/* A document belongs to one site: else it is of an earlier crawl. */
	return number == IDMAP_NONE || run_task(run, number)->site != site
	    ? NONE
	    : number;
}

bool
run_site_is_busy(const struct run *run, const struct site *site)
{
	const struct crawl *crawl = &run->crawls[site->crawl];

	return site->open > 0 || crawl->state == CRAWL_ROBOTS ||
	    crawl->robots_open > 0 || crawl->pending > 0;
}

/* left_open(crawl): what a limit left out is for the next run. */
static bool
left_open(const struct crawl *crawl)
{
	return crawl->totals.is_over_budget || crawl->is_dropped;
}

static uint32_t
begin_site(struct run *run, uint32_t crawl, int64_t id, struct slice host)
{
	uint32_t number = reuse_site(run);
	struct site *site = &run->sites[number];
	int64_t now_s = run_now_s(run);

	*site = (struct site){.id = id,
	    .at_work = at_work_name(host),
	    .crawl = crawl,
	    .rules = run->options.rules(run->options.rules_arg, host)};
	/* What an interrupted crawl has read does not count for a forced one.
	 */
	if (run->crawls[crawl].options.is_forced &&
	    !run->crawls[crawl].options.is_continued)
		store_crawl_end(run->options.store, site->id);
	site->begun_s = store_crawl_begin(
	    run->options.store, site->id, now_s, &site->is_resumed);
	run->crawls[crawl].totals.sites++;
	return number;
}

uint32_t
run_site(struct run *run, uint32_t crawl, struct slice host)
{
	int64_t id = store_site(run->options.store, host);
	struct place *place = reuse_place(run, id);

	if (place->crawl != NONE) {
		const struct site *site = &run->sites[place->crawl];

		if (site->crawl == crawl)
			return place->crawl;
		if (run_site_is_busy(run, site))
			return NONE;
		if (!left_open(&run->crawls[site->crawl]))
			store_crawl_end(run->options.store, id);
	}
	/* No further document begins meanwhile. */
	place->is_wanted = place->singles > 0;
	if (place->is_wanted)
		return NONE;
	place->crawl = begin_site(run, crawl, id, host);
	return place->crawl;
}

/* begin_origin(run, number, url): of a name that is new. */
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
	host_state_recall(run, origin->host, slice_of(origin->text));
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

struct host_state *
run_host_state(struct run *run, uint32_t host)
{
	if (host >= run->host_state_count) {
		run->host_states = mem_grow(run->host_states,
		    &run->host_state_cap, (size_t)host + 1,
		    sizeof(*run->host_states));
		memset(run->host_states + run->host_state_count, 0,
		    (host + 1 - run->host_state_count) *
			sizeof(*run->host_states));
		run->host_state_count = (size_t)host + 1;
	}
	return &run->host_states[host];
}

uint32_t
run_host(struct run *run, struct slice name)
{
	uint32_t host = host_queue_host(run->host_queue, name);
	struct host_state *host_state = run_host_state(run, host);

	if (host_state->rules == NULL) {
		host_state->rules = run->options.rules(
		    run->options.rules_arg, name);
		task_politeness(run, host);
		request_log_resume(run, host, name);
	}
	return host;
}
