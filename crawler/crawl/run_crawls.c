/* The driver: all crawls, from their first target to their end. */
#include "crawler/crawl/run_crawls.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_commit.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_dns_queue.h"
#include "crawler/crawl/run_document.h"
#include "crawler/crawl/run_forget.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_machine.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tally.h"
#include "crawler/crawl/run_target.h"
#include "crawler/crawl/run_tasks.h"
#include "store/site.h"

/* Time in one round of the loop; fewer targets begin in this time than the DNS
 * queue can hold. */
#define BEGIN_MS 3
#define FIRST 1 /* serial of the crawl whose entry stays, see run_crawl() */

/* The end of a crawl. */

/* The ends of all sites are stored together, so that a crawl whose process dies
 * before can be resumed as a whole. */
static void
store_ends(struct run *run, uint32_t number)
{
	for (uint32_t i = 0; i < sites_count(run->sites); i++) {
		const struct crawled_site *site = sites_at(run->sites, i);

		if (site_is_crawled(site, number) &&
		    sites_place(run->sites, site->id)->crawl == i)
			store_crawl_end(run->options.store, site->id);
	}
}

/* Count the sites that were read through for the first time. */
static void
first_reads(struct run *run, uint32_t number)
{
	for (uint32_t i = 0; i < sites_count(run->sites); i++)
		if (site_is_crawled(sites_at(run->sites, i), number))
			crawls_at(run->crawls, number)
			    ->totals.first_sites += store_first_read(
			    run->options.store, sites_at(run->sites, i)->id);
}

static bool
crawl_is_alone(const struct run *run, const struct crawl *crawl)
{
	for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
		if (crawls_at(run->crawls, i) != crawl &&
		    (crawls_at(run->crawls, i)->state == CRAWL_ROBOTS ||
			crawls_at(run->crawls, i)->state == CRAWL_DOCUMENTS))
			return false;
	return true;
}

/* The number of the commit that will contain everything of the crawl. */
static uint64_t
commit_at_last(struct run *run, const struct crawl *crawl)
{
	uint64_t number = run->commits + 1;

	if (crawl_is_alone(run, crawl) && run_flush(run) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	return number;
}

static bool
is_committed(const struct run *run, uint64_t number)
{
	return run->commits >= number || !store_pending(run->options.store);
}

/* Nothing of the crawl is under way. Is all its work committed, and its end,
 * too? Hundreds of crawls may end in one second, so they share commits, because
 * each commit waits for the disk. may_end() is called again after the next
 * commit. */
static bool
may_end(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

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
		if (!tally_is_over(run->tally, number))
			return false;
		tally_sum(run->tally, number);
	}
	/* The end is stored in the same commit as the numbers of the sites. If
	 * the crawl is interrupted before that commit, the next crawl resumes
	 * it and counts the sites again. */
	if (crawl->sealed == 0) {
		if (!crawl->totals.is_over_budget)
			store_ends(run, number);
		crawl->sealed = commit_at_last(run, crawl);
	}
	return is_committed(run, crawl->sealed);
}

/* The totals stay until another crawl gets the entry. */
static void
free_crawl(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	if (crawl->totals.sites > 0) {
		/* No Sitemap line becomes a seed of the crawl any more. */
		size_t count;
		const uint32_t *to_seed = origins_to_seed(run->origins, &count);

		for (size_t i = 0; i < count; i++) {
			struct origin *origin = origins_at(
			    run->origins, to_seed[i]);

			if (origin->seed_site != NONE &&
			    sites_at(run->sites, origin->seed_site)->crawl ==
				number)
				origin->seed_site = NONE;
		}
		origins_tidy_to_seed(run->origins);
		run_free_crawl(run, number);
	}
	crawl_release(crawl);
	crawl->state = crawl->serial == FIRST ? CRAWL_OVER : CRAWL_FREE;
	run->has_given = true;
	run_kick(run);
}

/* Closed crawls and sites. */

/* Closed crawls and sites send no further requests; another run reads the rest.
 * All tasks leave the host queue and the DNS queue, and those that are still
 * wanted go back. */
static void
crawl_drain(struct run *run)
{
	uint32_t *kept = NULL;
	size_t cap = 0;

	run->has_closed = false;
	dns_queue_open(run->dns_queue);
	for (uint32_t host = 0; host < host_states_count(run->hosts); host++) {
		size_t count = 0;
		uint64_t id;

		while (host_states_at(run->hosts, host)->rules != NULL &&
		    host_queue_drain(run->host_queue, host, &id)) {
			uint32_t task = (uint32_t)id;

			/* A task of a closed crawl leaves the host queue; but a
			 * robots.txt stays if others wait for it. */
			if (limits_forbid(run, task) &&
			    (tasks_at(run->tasks, task)->type == TASK_ROBOTS
				    ? robots_forget(run, task)
				    : limits_skip(run, task)))
				continue;
			kept = mem_grow(kept, &cap, count + 1, sizeof(*kept));
			kept[count++] = task;
		}
		for (size_t i = 0; i < count; i++)
			task_put_back(
			    run->tasks, run->host_queue, kept[i], host);
	}
	free(kept);
	machine_run(run);
}

void
crawls_drain(struct run *run)
{
	if (run->has_closed)
		crawl_drain(run);
}

void
crawls_drop(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	assert(crawl->state != CRAWL_FREE);
	if (crawl->state == CRAWL_OVER)
		return;
	crawl->is_dropped = true;
	crawl->waiting = 0;
	crawl->given_count = 0;
	crawl->is_closed = true;
	if (sites_want_no_place(run->sites))
		run->has_given = true;
	if (crawl->state == CRAWL_NEW)
		free_crawl(run, number);
	else
		crawl_drain(run);
	run_kick(run);
}

/* From state to state. */

/* Begin targets whose sites are free, as many as one round of the loop has
 * time for; false: some are left for the next round. */
static bool
start_waiting(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);
	int64_t end_ms = loop_now_ms(run->options.loop) + BEGIN_MS;

	for (size_t i = 0; i < crawl->target_count && crawl->waiting > 0; i++) {
		if (crawl->targets[i].site != NONE)
			continue;
		if (loop_now_ms(run->options.loop) >= end_ms) {
			run_kick(run);
			return false;
		}
		if (target_start(run, number, &crawl->targets[i]))
			crawl->waiting--;
		machine_run(run);
	}
	return true;
}

/* SPEC 15.4: now that all robots.txt are known, look at proofs that came late.
 * False: there are none. */
static bool
look_again(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	while (crawl->late_count > 0)
		lines_prove(run, crawl->late[--crawl->late_count], number);
	return crawl->pending > 0;
}

static void
crawl_step(struct run *run, uint32_t number, int64_t now_ms)
{
	bool is_begun = start_waiting(run, number);
	struct crawl *crawl = crawls_at(run->crawls, number);

	if (crawl->state == CRAWL_ROBOTS &&
	    ((is_begun && crawl->robots_open == 0) ||
		now_ms >= crawl->robots_until_ms)) {
		crawl->state = CRAWL_DOCUMENTS;
		target_seed(run, number);
		machine_run(run);
	}
	if (crawl->state == CRAWL_DOCUMENTS && crawl->open == 0 &&
	    crawl->pending == 0 && crawl->waiting == 0 &&
	    crawl->given_count == 0 && crawl->robots_open == 0 &&
	    !look_again(run, number) && !page_sample(run, number)) {
		struct crawl_options options = crawl->options;
		bool is_dropped = crawl->is_dropped;

		if (may_end(run, number) && run->fatal == DIAG_OK) {
			free_crawl(run, number);
			if (!is_dropped)
				options.done(options.done_arg);
		}
	}
}

void
crawls_step(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);

	forget_some(run);
	/* Begin documents that waited for something that is over now. */
	if (run->has_given) {
		run->has_given = false;
		for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
			if (crawls_at(run->crawls, i)->given_count > 0 &&
			    crawls_at(run->crawls, i)->state != CRAWL_NEW) {
				document_begin_some(run, i);
				machine_run(run);
			}
	}
	for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
		if (crawls_at(run->crawls, i)->state == CRAWL_ROBOTS ||
		    crawls_at(run->crawls, i)->state == CRAWL_DOCUMENTS)
			crawl_step(run, i, now_ms);
	/* Set the timer that wakes the pump when the first crawl stops waiting
	 * for robots.txt. */
	int64_t until_ms = INT64_MAX;

	for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
		if (crawls_at(run->crawls, i)->state == CRAWL_ROBOTS &&
		    crawls_at(run->crawls, i)->robots_until_ms < until_ms)
			until_ms = crawls_at(run->crawls, i)->robots_until_ms;
	if (until_ms != INT64_MAX)
		loop_timer_set(run->patience, until_ms - now_ms);
}
