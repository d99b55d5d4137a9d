/* The driver: what is over makes room in its tables. */
#include "crawler/crawl/run_reuse.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_begin.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tally.h"
#include "crawler/crawl/run_task.h"
#include "store/site.h"

#define FIRST 1 /* crawl: it is kept, see run.h */

/* Visits. */

uint32_t
reuse_task(struct run *run)
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

static void
free_task(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	assert(task->state == TASK_DONE && task->attempt == NULL);
	if (idmap_get(&run->by_document, task->document_id) == number)
		idmap_remove(&run->by_document, task->document_id);
	free(task->url);
	*task = (struct task){
	    .state = TASK_DONE, .parent = run->free_task, .site = NONE};
	run->free_task = number;
}

/* Sites and their places. */

uint32_t
reuse_site(struct run *run)
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

struct place *
reuse_place(struct run *run, int64_t site_id)
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
	run->places[number] = (struct place){.site_id = site_id, .crawl = NONE};
	return &run->places[number];
}

/* leave_place(run, place): free it when nobody is there. */
static void
leave_place(struct run *run, struct place *place)
{
	uint32_t number = (uint32_t)(place - run->places);

	run->has_given = true;
	if (place->crawl != NONE || place->singles > 0 || place->is_wanted)
		return;
	idmap_remove(&run->by_site, place->site_id);
	*place = (struct place){.crawl = NONE, .singles = run->free_place};
	run->free_place = number;
}

static void
free_site(struct run *run, uint32_t number)
{
	struct site *site = &run->sites[number];
	struct place *place = reuse_place(run, site->id);

	assert(site->open == 0);
	if (site->is_single)
		place->singles--;
	else if (place->crawl == number)
		place->crawl = NONE;
	leave_place(run, place);
	self_listed_release(site->listed);
	*site = (struct site){.crawl = NONE, .open = run->free_site};
	run->free_site = number;
}

void
reuse_want_no_place(struct run *run)
{
	for (size_t i = 0; i < run->place_count; i++)
		if (run->places[i].is_wanted) {
			run->places[i].is_wanted = false;
			leave_place(run, &run->places[i]);
		}
}

void
reuse_end_single(struct run *run, uint32_t number)
{
	uint32_t site = run_task(run, number)->site;

	free_task(run, number);
	if (run->sites[site].open == 0)
		free_site(run, site);
	run_kick(run);
}

/* Parties. */

uint32_t
reuse_crawl(struct run *run)
{
	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].state == CRAWL_FREE)
			return i;
	run->crawls = mem_grow(run->crawls, &run->crawl_cap,
	    run->crawl_count + 1, sizeof(*run->crawls));
	return (uint32_t)run->crawl_count++;
}

/*
 * store_ends(run, crawl): the crawls of its sites are over, together, so that
 * a run that dies before can be resumed as a whole; what a limit left out
 * keeps them open for the next run.
 */
static void
store_ends(struct run *run, uint32_t number)
{
	for (size_t i = 0; i < run->place_count; i++) {
		const struct place *place = &run->places[i];

		if (place->crawl != NONE &&
		    run->sites[place->crawl].crawl == number)
			store_crawl_end(run->options.store, place->site_id);
	}
}

/* first_reads(run, crawl): its sites have been read through. */
static void
first_reads(struct run *run, uint32_t number)
{
	for (size_t i = 0; i < run->site_count; i++)
		if (site_is_crawled(&run->sites[i], number))
			run->crawls[number]
			    .totals.first_sites += store_first_read(
			    run->options.store, run->sites[i].id);
}

static bool
is_alone(const struct run *run, const struct crawl *crawl)
{
	for (size_t i = 0; i < run->crawl_count; i++)
		if (&run->crawls[i] != crawl &&
		    (run->crawls[i].state == CRAWL_ROBOTS ||
			run->crawls[i].state == CRAWL_DOCUMENTS))
			return false;
	return true;
}

/* commit_at_last(run, crawl): answers which commit has all of it. */
static uint64_t
commit_at_last(struct run *run, const struct crawl *crawl)
{
	uint64_t number = run->commits + 1;

	if (is_alone(run, crawl) && run_flush(run) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	return number;
}

static bool
is_committed(const struct run *run, uint64_t number)
{
	return run->commits >= number || !store_pending(run->options.store);
}

bool
reuse_may_end(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	if (crawl->totals.sites == 0)
		return true;
	if (crawl->ended == 0) {
		if (!crawl->is_dropped)
			first_reads(run, number);
		crawl->ended = commit_at_last(run, crawl);
	}
	if (!is_committed(run, crawl->ended))
		return false;
	if (crawl->is_dropped)
		return true;
	if (!run->options.is_scratch && crawl->sealed == 0) {
		if (!tally_is_over(run, number))
			return false;
		tally_sum(run, number);
	}
	/* With the numbers of its sites: a crawl that is cut off before them
	 * goes on with them. */
	if (crawl->sealed == 0) {
		if (!crawl->totals.is_over_budget)
			store_ends(run, number);
		crawl->sealed = commit_at_last(run, crawl);
	}
	return is_committed(run, crawl->sealed);
}

/* end_crawls(run, crawl): its sites, and all visits to them. */
static void
end_crawls(struct run *run, uint32_t crawl)
{
	seed_drop(run, crawl);
	for (uint32_t i = 0; i < run->task_count; i++) {
		uint32_t site = run->tasks[i].site;

		if (site != NONE && run->sites[site].crawl == crawl)
			free_task(run, i);
	}
	begin_forget_free(run);
	for (uint32_t i = 0; i < run->site_count; i++)
		if (run->sites[i].crawl == crawl)
			free_site(run, i);
}

void
reuse_end_crawl(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	if (crawl->totals.sites > 0)
		end_crawls(run, number);
	crawl_release(crawl);
	crawl->state = crawl->serial == FIRST ? CRAWL_OVER : CRAWL_FREE;
	run->has_given = true;
	run_kick(run);
}
