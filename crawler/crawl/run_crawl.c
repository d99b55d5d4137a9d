/* The driver: crawls from their first target to their end. */
#include "crawler/crawl/run_crawl.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_dns_queue.h"
#include "crawler/crawl/run_document.h"
#include "crawler/crawl/run_forget.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_reuse.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_task.h"
#include "crawler/event/loop.h"
#include "store/aside.h"
#include "store/site.h"

#define BEGIN_MS 3 /* of one round: targets, less than the gate can hold */
#define USUAL_ENTRIES 50000 /* at most, in one document: SPEC R-36 */

uint32_t
run_crawl(struct run *run, const struct crawl_options *options)
{
	uint32_t number = reuse_crawl(run);

	run->crawls[number] = (struct crawl){.options = *options,
	    .serial = ++run->serials,
	    .before_id = store_last_reading(run->options.store)};
	return number;
}

/* is_aside(run, crawl, url): is its site set aside?  Then that is told. */
static bool
is_aside(struct run *run, struct crawl *crawl, const struct url *url)
{
	int64_t until_s = aside_host_until(
	    run->options.store, url_host(url), run_now_s(run));
	struct buf why;

	if (until_s == 0)
		return false;
	crawl->totals.lost_targets++;
	buf_init(&why, SIZE_MAX);
	aside_text(&why, url_host(url), until_s);
	crawl_problem(
	    crawl, DIAG_SITE_SET_ASIDE, url_text(url), buf_text(&why));
	buf_release(&why);
	return true;
}

enum diag_code
run_target(struct run *run, uint32_t number, struct slice text)
{
	struct crawl *crawl = &run->crawls[number];
	struct crawl_target target = {.site = NONE};
	enum diag_code code = target_parse(&target.target, text);

	assert(crawl->state == CRAWL_NEW);
	if (code == DIAG_OK && is_aside(run, crawl, &target.target.url))
		code = DIAG_SITE_SET_ASIDE;
	if (code != DIAG_OK) {
		target_release(&target.target);
		return code;
	}
	crawl->targets = mem_grow(crawl->targets, &crawl->target_cap,
	    crawl->target_count + 1, sizeof(*crawl->targets));
	crawl->targets[crawl->target_count++] = target;
	crawl->waiting++;
	return DIAG_OK;
}

void
run_start(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	crawl->state = CRAWL_ROBOTS;
	run->has_given = true;
	crawl->robots_end_ms = loop_now_ms(run->options.loop) + ROBOTS_WAIT_MS;
	crawl->robots_until_ms = crawl->robots_end_ms;
	crawl_tell_time(run, number);
	run_kick(run);
}

/*
 * The others rarely come long after one another: a server that does not answer,
 * or never ends, must not keep those that do from being read.
 */
void
crawl_heard_robots(struct run *run, uint32_t number, uint32_t origin)
{
	struct crawl *crawl = &run->crawls[number];
	int64_t until_ms = loop_now_ms(run->options.loop) + ROBOTS_QUIET_MS;

	crawl->robots_open--;
	/* However many are lost, they are not waited for. */
	if (run->origins[origin].closed_by == DIAG_OK)
		crawl->robots_until_ms = until_ms < crawl->robots_end_ms
		    ? until_ms
		    : crawl->robots_end_ms;
	if (crawl->state != CRAWL_DOCUMENTS)
		return;
	crawl->late = mem_grow(crawl->late, &crawl->late_cap,
	    crawl->late_count + 1, sizeof(*crawl->late));
	crawl->late[crawl->late_count++] = origin;
}

void
crawl_release(struct crawl *crawl)
{
	for (size_t i = 0; i < crawl->target_count; i++)
		target_release(&crawl->targets[i].target);
	free(crawl->targets);
	crawl->targets = NULL;
	free(crawl->late);
	crawl->late = NULL;
	free(crawl->given);
	crawl->given = NULL;
	crawl->target_count = crawl->given_count = crawl->given_cap = 0;
}

const struct run_totals *
run_totals(struct run *run, uint32_t number)
{
	struct run_totals *totals = &run->crawls[number].totals;
	struct loop_delays delays = loop_delays(run->options.loop);

	totals->gap_ms = (uint64_t)(delays.longest_gap_us + 999) / 1000;
	totals->gap_cpu_ms = (uint64_t)(delays.longest_cpu_us + 999) / 1000;
	totals->commit_ms = (uint64_t)(delays.longest_commit_us + 999) / 1000;
	return totals;
}

void
crawl_problem(struct crawl *crawl, enum diag_code code, struct slice url,
    struct slice text)
{
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.problem(crawl->options.arg, code, url, text);
}

void
crawl_returns(struct run *run, uint32_t number, int64_t document_id)
{
	const struct crawl *crawl = &run->crawls[number];

	if (!crawl->is_dropped && crawl->options.returned != NULL)
		crawl->options.returned(crawl->options.arg, document_id);
}

static void
count_outcome(struct run_totals *totals, const struct reading *reading)
{
	totals->done++;
	switch (reading->outcome) {
	case OUTCOME_READ:
		totals->read++;
		totals->partial += !reading->content.is_complete;
		break;
	case OUTCOME_UNCHANGED:
		totals->unchanged++;
		break;
	case OUTCOME_FAILED:
		totals->failed++;
		break;
	case OUTCOME_REFUSED:
		totals->refused++;
		break;
	case OUTCOME_ENDED:
		break;
	}
}

static void
count(struct run_totals *totals, const struct reading *reading, bool is_robots)
{
	const struct content *content = &reading->content;

	for (size_t i = 0; i < content->findings.count; i++)
		totals->codes[content->findings.items[i].code] +=
		    content->findings.items[i].count;
	totals->wire_bytes += reading->http.wire_bytes;
	if (is_robots)
		return;
	count_outcome(totals, reading);
	totals->refused_entries += content->refused;
	if (content->kind == KIND_INDEX)
		totals->refused_children += content->refused;
	if (content->kind == KIND_INDEX)
		return;
	totals->listed += content->merge.entries;
	totals->refused_by[merge_refused_by(&content->merge)] += content->merge
								     .refused;
	for (int i = 0; i < DELTA_KINDS; i++)
		totals->changes[i] += content->merge.changes[i];
}

void
crawl_heard(struct run *run, uint32_t number, const struct reading *reading)
{
	struct task *task = run_task(run, number);
	struct crawl *crawl = run_crawl_of(run, number);

	task->is_heard = true;
	count(&crawl->totals, reading, task->type == TASK_ROBOTS);
	crawl_tell_time(run, run->sites[task->site].crawl);
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.document(crawl->options.arg, slice_of(task->url),
		    reading, &run_rules(run, number)->profile);
}

void
crawl_claim(struct run *run, uint32_t task, uint64_t urls)
{
	struct crawl *crawl = run_crawl_of(run, task);
	struct site *site = &run->sites[run_task(run, task)->site];

	if (site->is_single)
		return;
	crawl->claimed += urls;
	crawl->claims++;
	site->claimed += urls;
	site->claims++;
	if (!crawl->is_closed && crawl->claimed >= crawl->options.max_urls)
		crawl->is_closed = run->has_closed = true;
	if (!site->is_closed && site->claimed >= site->rules->max_urls)
		site->is_closed = run->has_closed = true;
}

/* documents(left, claimed, claims): how many have room in what is left, if
 * they are as large as those so far. */
static uint64_t
documents(uint64_t left, uint64_t claimed, uint64_t claims)
{
	return left / (claims == 0 ? USUAL_ENTRIES : claimed / claims + 1);
}

static uint64_t
room(const struct crawl *crawl)
{
	return documents(crawl->options.max_urls - crawl->claimed,
	    crawl->claimed, crawl->claims);
}

bool
crawl_waits(struct run *run, uint32_t task)
{
	const struct site *site = &run->sites[run_task(run, task)->site];

	return run_task(run, task)->type == TASK_DOCUMENT && !site->is_closed &&
	    site->at_readers > 0 &&
	    site->at_readers >= documents(site->rules->max_urls - site->claimed,
				    site->claimed, site->claims);
}

uint64_t
crawl_room(const struct run *run)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < run->crawl_count; i++) {
		const struct crawl *crawl = &run->crawls[i];

		if (crawl->state == CRAWL_DOCUMENTS && !crawl->is_closed &&
		    room(crawl) < least)
			least = room(crawl);
	}
	return least;
}

bool
crawl_starts_anew(const struct run *run, uint32_t number)
{
	const struct crawl_options *options = &run->crawls[number].options;

	return options->is_forced && !options->is_continued;
}

/* Asking for nothing more. */

/* Pages are few, and add no URL to any limit. */
bool
crawl_is_closed(struct run *run, uint32_t task)
{
	if (run_task(run, task)->type == TASK_PAGE)
		return run_crawl_of(run, task)->is_dropped;
	if (document_is_single(run, task))
		return run->is_full || run_crawl_of(run, task)->is_dropped;
	return run->is_full || run_crawl_of(run, task)->is_closed ||
	    run->sites[run_task(run, task)->site].is_closed;
}

bool
crawl_skips(struct run *run, uint32_t task)
{
	struct crawl *crawl = run_crawl_of(run, task);

	if (!crawl_is_closed(run, task))
		return false;
	if (!crawl->totals.is_over_budget && !crawl->is_dropped) {
		crawl->totals.is_over_budget = true;
		crawl_problem(crawl, DIAG_BUDGET_REACHED, slice_make(NULL, 0),
		    slice_of(run->is_full
			    ? "the store has the size that it may have"
			    : "the limit of URLs was reached"));
	}
	task_finish(run, task);
	return true;
}

/* skip(run, visit): is what waited in the frontier not asked for any more?
 * Others may wait for a robots.txt. */
static bool
skip(struct run *run, uint32_t task)
{
	if (!crawl_is_closed(run, task))
		return false;
	return run_task(run, task)->type == TASK_ROBOTS
	    ? robots_forget(run, task)
	    : crawl_skips(run, task);
}

/* drain(run): what crawls and sites that are closed have not asked for yet is
 * left to another run; what others wait for goes back into the frontier. */
static void
drain(struct run *run)
{
	uint32_t *kept = NULL;
	size_t cap = 0;

	run->has_closed = false;
	dns_queue_open(run);
	for (uint32_t host = 0; host < run->host_state_count; host++) {
		size_t count = 0;
		uint64_t id;

		while (run->host_states[host].rules != NULL &&
		    host_queue_drain(run->host_queue, host, &id)) {
			if (skip(run, (uint32_t)id))
				continue;
			kept = mem_grow(kept, &cap, count + 1, sizeof(*kept));
			kept[count++] = (uint32_t)id;
		}
		for (size_t i = 0; i < count; i++)
			task_put_back(run, kept[i], host);
	}
	free(kept);
}

void
run_drop(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	assert(crawl->state != CRAWL_FREE);
	if (crawl->state == CRAWL_OVER)
		return;
	crawl->is_dropped = true;
	crawl->waiting = 0;
	crawl->given_count = 0;
	crawl->is_closed = true;
	reuse_want_no_place(run);
	if (crawl->state == CRAWL_NEW)
		reuse_end_crawl(run, number);
	else
		drain(run);
	run_kick(run);
}

/* From step to step. */

/* start_waiting(run, crawl): its targets, as far as their sites are free, a few
 * in each round of the loop; false: some are left for the next. */
static bool
start_waiting(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];
	int64_t end_ms = loop_now_ms(run->options.loop) + BEGIN_MS;

	for (size_t i = 0; i < crawl->target_count && crawl->waiting > 0; i++) {
		if (crawl->targets[i].site != NONE)
			continue;
		if (loop_now_ms(run->options.loop) >= end_ms) {
			run_kick(run);
			return false;
		}
		if (seed_target(run, number, &crawl->targets[i]))
			crawl->waiting--;
	}
	return true;
}

static bool
is_over(const struct crawl *crawl)
{
	return crawl->state == CRAWL_DOCUMENTS && crawl->open == 0 &&
	    crawl->pending == 0 && crawl->waiting == 0 &&
	    crawl->given_count == 0 && crawl->robots_open == 0;
}

/* look_again(run, number): SPEC 15.4, now that all robots.txt are known; false
 * when there is nothing to look at. */
static bool
look_again(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	while (crawl->late_count > 0)
		lines_prove(run, crawl->late[--crawl->late_count], number);
	return crawl->pending > 0;
}

static void
end_crawl(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];
	struct crawl_options options = crawl->options;
	bool is_dropped = crawl->is_dropped;

	if (!reuse_may_end(run, number) || run->fatal != DIAG_OK)
		return;
	reuse_end_crawl(run, number);
	if (!is_dropped)
		options.done(options.done_arg);
}

static void
step(struct run *run, uint32_t number, int64_t now_ms)
{
	bool is_begun = start_waiting(run, number);
	struct crawl *crawl = &run->crawls[number];

	if (crawl->state == CRAWL_ROBOTS &&
	    ((is_begun && crawl->robots_open == 0) ||
		now_ms >= crawl->robots_until_ms)) {
		crawl->state = CRAWL_DOCUMENTS;
		seed_documents(run, number);
	}
	if (is_over(crawl) && !look_again(run, number) &&
	    !page_sample(run, number))
		end_crawl(run, number);
}

/* set_patience(run, now_ms): until the first crawl waits no longer. */
static void
set_patience(struct run *run, int64_t now_ms)
{
	int64_t until_ms = INT64_MAX;

	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].state == CRAWL_ROBOTS &&
		    run->crawls[i].robots_until_ms < until_ms)
			until_ms = run->crawls[i].robots_until_ms;
	if (until_ms != INT64_MAX)
		loop_timer_set(run->patience, until_ms - now_ms);
}

/* begin_given(run): documents that may have waited for what is over now. */
static void
begin_given(struct run *run)
{
	if (!run->has_given)
		return;
	run->has_given = false;
	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].given_count > 0 &&
		    run->crawls[i].state != CRAWL_NEW)
			documents_begin(run, i);
}

void
crawls_step(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);

	if (run->has_closed)
		drain(run);
	forget_some(run);
	begin_given(run);
	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].state == CRAWL_ROBOTS ||
		    run->crawls[i].state == CRAWL_DOCUMENTS)
			step(run, i, now_ms);
	set_patience(run, now_ms);
}
