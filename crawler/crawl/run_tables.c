/* The driver: struct run, and functions that need several of its tables. */
#include "crawler/crawl/run_tables.h"

#include <assert.h>
#include <errno.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tasks.h"
#include "store/site.h"

void
run_kick(struct run *run)
{
	loop_timer_set(run->pump, 0);
}

void
run_commit_now(struct run *run)
{
	run->is_committing = true;
	loop_timer_set(run->commit, 0);
}

void
run_fail(struct run *run, enum diag_code code)
{
	enum diag_code cause = store_failed(run->options.store);

	/* A row is also missing when the store could not read it. */
	if (run->fatal == DIAG_OK)
		run->fatal = cause != DIAG_OK ? cause : code;
	loop_stop(run->options.loop);
}

void
run_fail_spool(struct run *run)
{
	run->error = errno;
	run_fail(run, DIAG_DISK_FULL);
}

/* Tasks. */

struct task *
run_task(const struct run *run, uint32_t number)
{
	return tasks_at(run->tasks, number);
}

struct origin *
run_origin(const struct run *run, uint32_t number)
{
	return origins_at(run->origins, number);
}

void
run_work_for(const struct run *run, uint32_t number)
{
	uint32_t at_work = run_task(run, number)->at_work;

	if (at_work != 0)
		at_work_site(at_work);
}

struct crawled_site *
run_site_of(const struct run *run, uint32_t number)
{
	return sites_at(run->sites, run_task(run, number)->site);
}

struct crawl *
run_crawl_of(struct run *run, uint32_t number)
{
	return crawls_at(run->crawls, run_site_of(run, number)->crawl);
}

const struct site_rules *
run_rules(struct run *run, uint32_t number)
{
	return run_site_of(run, number)->rules;
}

bool
run_is_single(const struct run *run, uint32_t number)
{
	return run_site_of(run, number)->is_single;
}

struct reader_job *
run_read_body(struct run *run, uint32_t number, const struct profile *profile,
    const char *content_type, const char *content_encoding)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	int fd = spool_reader_fd(attempt->spool);
	struct reader_job *job;

	if (fd < 0) {
		run_fail_spool(run);
		return NULL;
	}
	job = mem_zero(sizeof(*job));
	job->body_fd = fd;
	job->body_len = spool_length(attempt->spool);
	job->site_id = run_site_of(run, number)->id;
	scope_init(&job->scope, profile);
	url_copy(&job->scope.location.requested, &attempt->current);
	url_copy(&job->scope.location.final, &attempt->current);
	if (content_type != NULL)
		job->scope.content_type = mem_copy(content_type);
	if (content_encoding != NULL)
		job->scope.content_encoding = mem_copy(content_encoding);
	attempt->job = job;
	task_post(run->tasks, number, TASK_READING);
	return job;
}

uint32_t
run_add_task(struct run *run, const struct task *task)
{
	struct crawled_site *site = sites_at(run->sites, task->site);
	struct crawl *crawl = crawls_at(run->crawls, site->crawl);
	uint32_t number = tasks_add(run->tasks, task);

	run_task(run, number)->at_work = site->at_work;
	crawl->open++;
	site->open++;
	if (task->type == TASK_PAGE)
		crawl->totals.pages++;
	else if (task->type != TASK_ROBOTS)
		crawl->totals.known++;
	return number;
}

void
run_reopen(struct run *run, uint32_t number)
{
	struct crawl *crawl = run_crawl_of(run, number);

	assert(run_task(run, number)->state == TASK_DONE);
	crawl->open++;
	crawl->totals.done--;
	run_site_of(run, number)->open++;
	task_post(run->tasks, number, TASK_NEW);
}

/* The number of checks is limited, because a child of very many indexes must
 * not be checked for each of them. A proof that comes after the last check
 * counts when the document is read the next time. */
void
run_suspect(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	task->has_new_proof = task->state != TASK_DONE;
	if (task->is_suspect || task->has_new_proof || task->fingerprint == 0 ||
	    task->rereads >= INDEX_MAX_DEPTH ||
	    task->checks >= 2 * INDEX_MAX_DEPTH)
		return;
	task->checks++;
	task->is_suspect = true;
	fifo_put(task_list(run->tasks, LIST_SUSPECTS), number);
	run_crawl_of(run, number)->pending++;
	run_kick(run);
}

uint32_t
run_find(struct run *run, uint32_t site, int64_t document_id)
{
	uint32_t number = tasks_of_document(run->tasks, document_id);

	/* A document belongs to one site, so a task of another site entry is of
	 * an earlier crawl. */
	return number == NONE || run_task(run, number)->site != site ? NONE
								     : number;
}

/* Sites. */

static uint32_t
begin_site(struct run *run, uint32_t number, int64_t id, struct slice host)
{
	struct crawl *crawl = crawls_at(run->crawls, number);
	struct crawled_site site = {.id = id,
	    .at_work = at_work_name(host),
	    .crawl = number,
	    .rules = run->options.rules(run->options.rules_arg, host)};

	/* A forced crawl reads again what an interrupted one has read. */
	if (crawl->options.is_forced && !crawl->options.is_continued)
		store_crawl_end(run->options.store, id);
	site.begun_s = store_crawl_begin(run->options.store, id,
	    run_clock_now_s(&run->clock), &site.is_resumed);
	crawl->totals.sites++;
	return sites_begin(run->sites, &site);
}

uint32_t
run_site(struct run *run, uint32_t crawl, struct slice host)
{
	int64_t id = store_site(run->options.store, host);
	struct site_place *place = sites_place(run->sites, id);

	if (place->crawl != NONE) {
		const struct crawled_site *site = sites_at(
		    run->sites, place->crawl);

		if (site->crawl == crawl)
			return place->crawl;
		if (crawls_site_is_busy(run->crawls, site))
			return NONE;
		/* If a limit left something out, the store keeps the crawl of
		 * the site open, and the next run continues it. */
		if (!crawls_at(run->crawls, site->crawl)
			 ->totals.is_over_budget &&
		    !crawls_at(run->crawls, site->crawl)->is_dropped)
			store_crawl_end(run->options.store, id);
	}
	/* While a crawl wants the place, no further single document begins. */
	place->is_wanted = place->singles > 0;
	if (place->is_wanted)
		return NONE;
	place->crawl = begin_site(run, crawl, id, host);
	return place->crawl;
}

void
run_end_single(struct run *run, uint32_t number)
{
	uint32_t site = run_task(run, number)->site;

	tasks_remove(run->tasks, number);
	if (sites_at(run->sites, site)->open == 0) {
		sites_end(run->sites, site);
		run->has_given = true;
	}
	run_kick(run);
}

/* Crawls. */

void
run_free_crawl(struct run *run, uint32_t crawl)
{
	for (uint32_t i = 0; i < tasks_count(run->tasks); i++) {
		uint32_t site = run_task(run, i)->site;

		if (site != NONE && sites_at(run->sites, site)->crawl == crawl)
			tasks_remove(run->tasks, i);
	}
	tasks_forget_removed(run->tasks);
	for (uint32_t i = 0; i < sites_count(run->sites); i++)
		if (sites_at(run->sites, i)->crawl == crawl)
			sites_end(run->sites, i);
	run->has_given = true;
}
