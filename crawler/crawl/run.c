/* The driver: a run, its pump and its commits. */
#include "crawler/crawl/run.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_commit.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_crawls.h"
#include "crawler/crawl/run_dns_queue.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_machine.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tally.h"
#include "crawler/event/loop.h"
#include "sched/host_queue.h"
#include "store/aside.h"
#include "store/document_list.h"
#include "store/site.h"

/* Commits. */

/* The store may have reached its largest size (HOSTILE T18). */
static void
look_at_size(struct run *run)
{
	uint64_t max = run->options.max_store_bytes;

	if (max > 0 && !run->is_full && run->fatal == DIAG_OK &&
	    store_bytes(run->options.store) >= max)
		run->is_full = run->has_closed = true;
}

/* COMMIT what waits; tasks go on from the callbacks of the store. */
static void
flush(void *arg)
{
	struct run *run = arg;
	enum diag_code code = run_flush(run);

	run->is_committing = false;
	if (code != DIAG_OK)
		run_fail(run, code);
	look_at_size(run);
	run_kick(run);
}

bool
run_commit(struct run *run)
{
	flush(run);
	return run->fatal == DIAG_OK;
}

/* The pump. */

static void
pump(void *arg)
{
	struct run *run = arg;

	/* The failure is reported here: the next commit may never come. */
	if (store_failed(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	if (run->fatal != DIAG_OK || run->is_stopping)
		return;
	loop_doing(run->options.loop, "crawls");
	crawls_step(run);
	/* Each part works for a few milliseconds; a round is their sum. */
	loop_doing(run->options.loop, "lines of robots.txt");
	if (lines_some(run))
		run_kick(run);
	machine_run(run);
	loop_doing(run->options.loop, "children of an index");
	machine_accept(run);
	machine_expand(run);
	loop_doing(run->options.loop, "proofs that came later");
	machine_look_again(run);
	loop_doing(run->options.loop, "documents that begin");
	machine_begin(run);
	loop_doing(run->options.loop, "what sites list");
	if (tally_step(run))
		run_kick(run);
	loop_doing(run->options.loop, "requests");
	machine_take(run);
	if (store_pending(run->options.store) && !run->is_committing) {
		run->is_committing = true;
		loop_timer_set(run->commit, COMMIT_MS);
	}
}

static void
grow_impatient(void *arg)
{
	run_kick(arg);
}

/* A run. */

struct run *
run_new(const struct run_options *options)
{
	struct run *run = mem_zero(sizeof(*run));
	struct host_queue_options politeness = host_queue_options_default();

	run->options = *options;
	politeness.hash_key = options->hash_key;
	run->host_queue = host_queue_new(&politeness);
	run->dns_queue = dns_queue_new();
	run->owners = owners_new(options->hash_key);
	run->lines = lines_new();
	run->tally = run_tally_new(run);
	run->pump = loop_timer_new(options->loop, pump, run);
	run->commit = loop_timer_new(options->loop, flush, run);
	run->patience = loop_timer_new(options->loop, grow_impatient, run);
	run->proofs = 1;
	run_time_begin(run);
	run->free_task = run->free_site = run->free_place = NONE;
	names_init(&run->origin_names, options->hash_key);
	look_at_size(run);
	return run;
}

static void
release_task(struct task *task)
{
	assert(task->attempt == NULL);
	free(task->url);
}

void
run_free(struct run *run)
{
	if (run == NULL)
		return;
	machine_end_all(run);
	for (size_t i = 0; i < run->task_count; i++)
		release_task(&run->tasks[i]);
	for (size_t i = 0; i < run->site_count; i++)
		self_listed_release(run->sites[i].listed);
	for (size_t i = 0; i < run->origin_count; i++) {
		free(run->origins[i].awaiting);
		free(run->origins[i].waiting);
		robots_free(run->origins[i].robots);
	}
	for (size_t i = 0; i < run->crawl_count; i++)
		crawl_release(&run->crawls[i]);
	free(run->tasks);
	free(run->crawls);
	free(run->places);
	idmap_release(&run->by_site);
	names_release(&run->origin_names);
	free(run->sites);
	free(run->unsown);
	free(run->origins);
	free(run->host_states);
	fifo_release(&run->accepting);
	fifo_release(&run->expanding);
	fifo_release(&run->suspects);
	free(run->noted);
	dns_queue_free(run->dns_queue);
	owners_free(run->owners);
	lines_free(run->lines);
	run_tally_free(run->tally);
	fifo_release(&run->beginning);
	fifo_release(&run->posted);
	fifo_release(&run->known);
	idmap_release(&run->by_document);
	host_queue_free(run->host_queue);
	loop_timer_free(run->pump);
	loop_timer_free(run->commit);
	loop_timer_free(run->patience);
	free(run);
}

/* The site has a name in the store, since its crawl was begun. */
static void
reload_site(struct run *run, struct crawled_site *site)
{
	struct buf host;

	buf_init(&host, SIZE_MAX);
	(void)store_site_host(run->options.store, site->id, &host);
	site->rules = run->options.rules(
	    run->options.rules_arg, buf_text(&host));
	buf_release(&host);
}

void
run_reload(struct run *run)
{
	for (uint32_t i = 0; i < run->host_state_count; i++) {
		struct host_state *host_state = &run->host_states[i];

		if (host_state->rules == NULL)
			continue;
		host_state->rules = run->options.rules(run->options.rules_arg,
		    host_queue_name(run->host_queue, i));
		host_state_set_politeness(run, i);
	}
	for (size_t i = 0; i < run->site_count; i++)
		if (run->sites[i].id != 0)
			reload_site(run, &run->sites[i]);
}

void
run_stop(struct run *run)
{
	run->is_stopping = true;
	if (run_flush(run) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	loop_stop(run->options.loop);
}

enum diag_code
run_failure(const struct run *run, int *error)
{
	*error = run->error;
	return run->fatal;
}

/* Its crawls. */

uint32_t
run_crawl(struct run *run, const struct crawl_options *options)
{
	uint32_t number = run_new_crawl(run);

	run->crawls[number] = (struct crawl){.options = *options,
	    .serial = ++run->serials,
	    .before_id = store_last_reading(run->options.store)};
	return number;
}

/* A site at which the whole program ended twice in a row is set aside
 * (at_work.h); the crawl is told. */
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
run_document(struct run *run, uint32_t number, int64_t document_id)
{
	struct crawl *crawl = &run->crawls[number];

	assert(crawl->state != CRAWL_OVER && crawl->state != CRAWL_FREE);
	crawl_give(crawl, document_id);
	run->has_given = true;
	run_kick(run);
}

void
run_start(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	crawl->state = CRAWL_ROBOTS;
	run->has_given = true;
	crawl->robots_end_ms = loop_now_ms(run->options.loop) + ROBOTS_WAIT_MS;
	crawl->robots_until_ms = crawl->robots_end_ms;
	crawl_report_clock(run, number);
	run_kick(run);
}

void
run_drop(struct run *run, uint32_t number)
{
	crawls_drop(run, number);
}

bool
run_spare(struct run *run, struct slice name, int64_t wait_ms)
{
	uint32_t host = run_host(run, name);

	host_state_share(run, host, wait_ms);
	return host_queue_waits(run->host_queue, host);
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
