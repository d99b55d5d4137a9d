/* The driver: what all of its modules share. */
#include "crawler/crawl/run_base.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/sandbox/readers.h"
#include "store/site.h"

#define SMALL_S 2 /* clocks are corrected by less all the time */

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

/* Time. */

void
run_time_begin(struct run *run)
{
	run->base_s = store_latest_s(run->options.store);
	run->base_ms = loop_now_ms(run->options.loop);
	(void)run_now_s(run);
}

int64_t
run_now_s(struct run *run)
{
	int64_t now_s = loop_now_s(run->options.loop);
	int64_t now_ms = loop_now_ms(run->options.loop);
	int64_t flown_s = run->base_s + (now_ms - run->base_ms) / 1000;

	if (now_s >= flown_s) {
		run->base_s = now_s;
		run->base_ms = now_ms;
		return now_s;
	}
	if (flown_s - now_s >= SMALL_S && run->behind_s == 0)
		run->behind_s = flown_s - now_s;
	return flown_s;
}

/* Entries. */

struct task *
run_task(struct run *run, uint32_t number)
{
	struct task *task = &run->tasks[number];

	assert(number < run->task_count);
	if (task->site < run->site_count)
		at_work_site(run->sites[task->site].at_work);
	return task;
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

bool
run_is_single(const struct run *run, uint32_t number)
{
	return run->sites[run->tasks[number].site].is_single;
}

bool
run_site_is_crawled(const struct crawled_site *site, uint32_t crawl)
{
	return site->crawl == crawl && !site->is_single;
}

/* Attempts. */

static void
page_look_free(struct page_look *look)
{
	if (look == NULL)
		return;
	free(look->noindex);
	free(look->canonical);
	free(look);
}

void
task_drop_spool(struct attempt *attempt)
{
	if (attempt->spool != NULL)
		spool_put(attempt->spool);
	attempt->spool = NULL;
}

static void
attempt_free(struct attempt *attempt)
{
	if (attempt == NULL)
		return;
	task_drop_spool(attempt);
	url_release(&attempt->current);
	string_set_release(&attempt->passed);
	findings_release(&attempt->findings);
	page_look_free(attempt->look);
	assert(attempt->job == NULL);
	free(attempt->why);
	free(attempt->ancestry);
	accept_free(attempt->accept);
	location_scope_release(&attempt->location);
	reading_free(attempt->reading);
	free(attempt);
}

/* The URL of the task is normalised: parsing it cannot fail. */
static struct attempt *
attempt_new(struct run *run, uint32_t number)
{
	struct attempt *attempt = mem_zero(sizeof(*attempt));
	struct profile profile = profile_default(PROFILE_GOOGLE);
	enum diag_code code;

	profile.max_loc_chars = URL_MAX_BYTES;
	attempt->run = run;
	attempt->number = number;
	url_init(&attempt->current);
	code = url_parse(&attempt->current,
	    slice_of(run_task(run, number)->url), NULL, &profile,
	    (struct diag_sink){0});
	assert(code == DIAG_OK);
	(void)code;
	return attempt;
}

struct attempt *
task_attempt(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	if (task->attempt == NULL)
		task->attempt = attempt_new(run, number);
	return task->attempt;
}

void
task_drop_attempt(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	attempt_free(task->attempt);
	task->attempt = NULL;
}

/* There may be 100,000 tasks in the host queue: those that have nothing to
 * remember do without an attempt until they are fetched. */
void
task_rest(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	const struct attempt *attempt = task->attempt;

	if (attempt->hops > 0 || attempt->tries > 0 ||
	    attempt->findings.count > 0)
		return;
	task_drop_attempt(run, number);
}

void
task_put_back(struct run *run, uint32_t number, uint32_t host)
{
	const struct task *task = run_task(run, number);
	struct host_queue_item item = {.id = number,
	    .host = host,
	    .class = task->class,
	    .newest_s = task->newest_s};

	host_queue_add(run->host_queue, &item);
}

bool
task_is_file(const struct run *run, const struct url *url)
{
	return run->options.local != NULL &&
	    local_takes(run->options.local, url);
}

/* What is posted. */

void
task_post(struct run *run, uint32_t number, enum task_state state)
{
	struct task *task = run_task(run, number);

	if (task->next == state)
		return;
	assert(task->next == TASK_STATES);
	task->next = (uint8_t)state;
	fifo_put(&run->posted, number);
}

void
task_start(struct run *run, uint32_t number)
{
	const struct task *task = run_task(run, number);

	if ((task->state == TASK_NEW || task->state == TASK_WAITING) &&
	    task->next == TASK_STATES)
		task_post(run, number, TASK_NEW);
}

void
task_give_up(
    struct run *run, uint32_t number, enum diag_code code, struct slice text)
{
	struct attempt *attempt = task_attempt(run, number);

	attempt->failure = code;
	free(attempt->why);
	attempt->why = text.p == NULL ? NULL : slice_dup(text);
	task_post(run, number, TASK_GIVEN_UP);
}

void
task_begin_later(struct run *run, uint32_t number)
{
	fifo_put(&run->beginning, number);
	run_kick(run);
}

/* The number of looks is limited: a child of very many indexes must not be
 * looked at for each of them.  A proof that comes later than that counts when
 * the document is read the next time. */
void
task_suspect(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	if (task->is_suspect || task->state != TASK_DONE ||
	    task->fingerprint == 0 || task->rereads >= MAX_INDEX_DEPTH ||
	    task->checks >= 2 * MAX_INDEX_DEPTH)
		return;
	task->checks++;
	task->is_suspect = true;
	fifo_put(&run->suspects, number);
	run_crawl_of(run, number)->pending++;
	run_kick(run);
}
