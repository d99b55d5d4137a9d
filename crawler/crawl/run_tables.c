/* The driver: entries of its tables come, and go. */
#include "crawler/crawl/run_tables.h"

#include <assert.h>
#include <stdlib.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "store/site.h"

/* Tasks. */

static uint32_t
new_task(struct run *run)
{
	uint32_t number = run->free_task;

	if (number != NONE) {
		run->free_task = run->tasks[number].parent;
		return number;
	}
	run->tasks = mem_grow(run->tasks, &run->task_cap, run->task_count + 1,
	    sizeof(*run->tasks));
	return (uint32_t)run->task_count++;
}

uint32_t
run_add_task(struct run *run, const struct task *task)
{
	uint32_t number = new_task(run);

	run->tasks[number] = *task;
	run->tasks[number].next = TASK_STATES;
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
	run_crawl_of(run, number)->open++;
	run_crawl_of(run, number)->totals.done--;
	run->sites[task->site].open++;
	task_post(run, number, TASK_NEW);
}

uint32_t
run_find(struct run *run, uint32_t site, int64_t document_id)
{
	uint32_t number = idmap_get(&run->by_document, document_id);

	/* A document has one site: another entry of the site is of an earlier
	 * crawl. */
	return number == IDMAP_NONE || run_task(run, number)->site != site
	    ? NONE
	    : number;
}

static void
free_task(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	assert(task->state == TASK_DONE && task->next == TASK_STATES &&
	    task->attempt == NULL);
	if (idmap_get(&run->by_document, task->document_id) == number)
		idmap_remove(&run->by_document, task->document_id);
	free(task->url);
	*task = (struct task){.state = TASK_DONE,
	    .next = TASK_STATES,
	    .parent = run->free_task,
	    .site = NONE};
	run->free_task = number;
}

/* Sites and their places. */

uint32_t
run_new_site(struct run *run)
{
	uint32_t number = run->free_site;

	if (number != NONE) {
		run->free_site = run->sites[number].open;
		return number;
	}
	run->sites = mem_grow(run->sites, &run->site_cap, run->site_count + 1,
	    sizeof(*run->sites));
	return (uint32_t)run->site_count++;
}

struct site_place *
run_place(struct run *run, int64_t site_id)
{
	uint32_t number = idmap_get(&run->by_site, site_id);

	if (number != IDMAP_NONE)
		return &run->places[number];
	number = run->free_place;
	if (number != NONE) {
		run->free_place = run->places[number].singles;
	} else {
		run->places = mem_grow(run->places, &run->place_cap,
		    run->place_count + 1, sizeof(*run->places));
		number = (uint32_t)run->place_count++;
	}
	idmap_put(&run->by_site, site_id, number);
	run->places[number] = (struct site_place){
	    .site_id = site_id, .crawl = NONE};
	return &run->places[number];
}

bool
run_site_is_busy(const struct run *run, const struct crawled_site *site)
{
	const struct crawl *crawl = &run->crawls[site->crawl];

	return site->open > 0 || crawl->state == CRAWL_ROBOTS ||
	    crawl->robots_open > 0 || crawl->pending > 0;
}

/* The store keeps the crawl of a site open if a limit left something out: the
 * next run goes on with it. */
static bool
left_open(const struct crawl *crawl)
{
	return crawl->totals.is_over_budget || crawl->is_dropped;
}

static uint32_t
begin_site(struct run *run, uint32_t crawl, int64_t id, struct slice host)
{
	uint32_t number = run_new_site(run);
	struct crawled_site *site = &run->sites[number];
	int64_t now_s = run_now_s(run);

	*site = (struct crawled_site){.id = id,
	    .at_work = at_work_name(host),
	    .crawl = crawl,
	    .rules = run->options.rules(run->options.rules_arg, host)};
	/* A forced crawl reads again what an interrupted one has read. */
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
	struct site_place *place = run_place(run, id);

	if (place->crawl != NONE) {
		const struct crawled_site *site = &run->sites[place->crawl];

		if (site->crawl == crawl)
			return place->crawl;
		if (run_site_is_busy(run, site))
			return NONE;
		if (!left_open(&run->crawls[site->crawl]))
			store_crawl_end(run->options.store, id);
	}
	/* While a crawl wants the place, no further single document begins. */
	place->is_wanted = place->singles > 0;
	if (place->is_wanted)
		return NONE;
	place->crawl = begin_site(run, crawl, id, host);
	return place->crawl;
}

/* A place that nobody is at becomes free. */
static void
leave_place(struct run *run, struct site_place *place)
{
	uint32_t number = (uint32_t)(place - run->places);

	run->has_given = true;
	if (place->crawl != NONE || place->singles > 0 || place->is_wanted)
		return;
	idmap_remove(&run->by_site, place->site_id);
	*place = (struct site_place){.crawl = NONE, .singles = run->free_place};
	run->free_place = number;
}

static void
free_site(struct run *run, uint32_t number)
{
	struct crawled_site *site = &run->sites[number];
	struct site_place *place = run_place(run, site->id);

	assert(site->open == 0);
	if (site->is_single)
		place->singles--;
	else if (place->crawl == number)
		place->crawl = NONE;
	leave_place(run, place);
	self_listed_release(site->listed);
	*site = (struct crawled_site){.crawl = NONE, .open = run->free_site};
	run->free_site = number;
}

void
run_want_no_place(struct run *run)
{
	for (size_t i = 0; i < run->place_count; i++)
		if (run->places[i].is_wanted) {
			run->places[i].is_wanted = false;
			leave_place(run, &run->places[i]);
		}
}

void
run_end_single(struct run *run, uint32_t number)
{
	uint32_t site = run_task(run, number)->site;

	free_task(run, number);
	if (run->sites[site].open == 0)
		free_site(run, site);
	run_kick(run);
}

/* Crawls. */

uint32_t
run_new_crawl(struct run *run)
{
	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].state == CRAWL_FREE)
			return i;
	run->crawls = mem_grow(run->crawls, &run->crawl_cap,
	    run->crawl_count + 1, sizeof(*run->crawls));
	return (uint32_t)run->crawl_count++;
}

static bool
is_in_use(void *arg, uint32_t number)
{
	return run_task(arg, number)->site != NONE;
}

void
run_free_crawl(struct run *run, uint32_t crawl)
{
	for (uint32_t i = 0; i < run->task_count; i++) {
		uint32_t site = run->tasks[i].site;

		if (site != NONE && run->sites[site].crawl == crawl)
			free_task(run, i);
	}
	fifo_keep(&run->beginning, is_in_use, run);
	fifo_keep(&run->suspects, is_in_use, run);
	for (uint32_t i = 0; i < run->site_count; i++)
		if (run->sites[i].crawl == crawl)
			free_site(run, i);
}
