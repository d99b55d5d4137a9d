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
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_status.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tally.h"
#include "crawler/crawl/run_tasks.h"
#include "crawler/event/loop.h"
#include "sched/host_queue.h"
#include "store/aside.h"
#include "store/document.h"
#include "store/site.h"

#define COMMIT_MS 20 /* DESIGN 7 */
/* A log of that length is written into the store while no host may be asked for
 * that long: it takes some 2 ms a megabyte, and the disk's time. */
#define REST_BYTES (4u << 20)
#define REST_MS 200

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

/* COMMIT what is not committed yet. The store calls back for each reading, and
 * its task goes on. */
static void
run_write_some(void *arg)
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
	run_write_some(run);
	return run->fatal == DIAG_OK;
}

/* The pump. */

static void
pump(void *arg)
{
	struct run *run = arg;
	bool is_begun;
	enum diag_code counted;

	/* The failure is reported here: the next commit may never come. */
	if (store_failed(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	if (run->fatal != DIAG_OK || run->is_stopping)
		return;
	is_begun = store_read_begin(run->options.store);
	/* Each part works for a few milliseconds; a round is their sum.
	 * Requests come first, because their hosts wait, and because
	 * machine_take() sets the timer of the pump to the time of the next
	 * request: a part that has more to do sets the timer after that. */
	loop_doing(run->options.loop, "requests");
	crawls_drain(run);
	if (run->has_held)
		machine_hold(run);
	run->has_held = false;
	machine_take(run);
	loop_doing(run->options.loop, "crawls");
	crawls_step(run);
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
	if (tally_step(run->tally, &counted))
		run_kick(run);
	if (counted != DIAG_OK)
		run_fail(run, counted);
	if (is_begun)
		store_read_end(run->options.store);
	if (!store_pending(run->options.store)) {
		/* While all hosts wait, shorten the log of the store; else all
		 * of that is done at the end of the crawl. */
		int64_t now_ms = loop_now_ms(run->options.loop);

		if (host_queue_wait_ms(run->host_queue, now_ms) >= REST_MS &&
		    fetch_active(run->options.fetcher) == 0 &&
		    readers_backlog(run->options.readers) == 0 &&
		    store_log_bytes(run->options.store) >= REST_BYTES) {
			loop_commit_begin(run->options.loop);
			(void)store_rest(run->options.store);
			loop_commit_end(run->options.loop);
		}
	} else if (!run->is_committing) {
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
	run->clock = (struct run_clock){.loop = options->loop,
	    .steady = {.base_s = store_latest_s(options->store),
		.base_ms = loop_now_ms(options->loop)}};
	run->pump = loop_timer_new(options->loop, pump, run);
	run->commit = loop_timer_new(options->loop, run_write_some, run);
	run->patience = loop_timer_new(options->loop, grow_impatient, run);
	run->host_queue = host_queue_new(&politeness);
	run->hosts = host_states_new(
	    &run->options, run->host_queue, &run->clock);
	run->origins = origins_new(&run->options, run->hosts);
	run->owners = owners_new(run);
	run->crawls = crawls_new();
	run->sites = sites_new();
	run->tasks = tasks_new(run, run->pump);
	run->dns_queue = dns_queue_new(run);
	run->lines = lines_new();
	run->tally = run_tally_new(run);
	run->activity = run_activity_new(options->loop);
	look_at_size(run);
	return run;
}

void
run_free(struct run *run)
{
	if (run == NULL)
		return;
	machine_end_all(run);
	run_tally_free(run->tally);
	run_activity_free(run->activity);
	lines_free(run->lines);
	dns_queue_free(run->dns_queue);
	tasks_free(run->tasks);
	sites_free(run->sites);
	crawls_free(run->crawls);
	owners_free(run->owners);
	origins_free(run->origins);
	host_states_free(run->hosts);
	host_queue_free(run->host_queue);
	loop_timer_free(run->pump);
	loop_timer_free(run->commit);
	loop_timer_free(run->patience);
	free(run);
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

/* The crawls of a run. */

uint32_t
run_crawl(struct run *run, const struct crawl_options *options)
{
	return crawls_add(
	    run->crawls, options, store_last_reading(run->options.store));
}

/* A site at which the whole program ended twice in a row is set aside
 * (at_work.h), and reported to the crawl. */
static bool
is_aside(struct run *run, struct crawl *crawl, const struct url *url)
{
	int64_t until_s = aside_host_until(
	    run->options.store, url_host(url), run_clock_now_s(&run->clock));
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
	struct crawl *crawl = crawls_at(run->crawls, number);
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
	struct crawl *crawl = crawls_at(run->crawls, number);

	assert(crawl->state != CRAWL_OVER && crawl->state != CRAWL_FREE);
	crawl_give(crawl, document_id);
	run->has_given = true;
	run_kick(run);
}

void
run_start(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	crawl->state = CRAWL_ROBOTS;
	run->has_given = true;
	crawl->robots_end_ms = loop_now_ms(run->options.loop) + ROBOTS_WAIT_MS;
	crawl->robots_until_ms = crawl->robots_end_ms;
	crawl_report_clock(crawl, &run->clock);
	run_kick(run);
}

void
run_drop(struct run *run, uint32_t number)
{
	crawls_drop(run, number);
}

void
run_hold(struct run *run, struct slice name, int64_t until_s)
{
	int64_t wait_s = until_s - loop_now_s(run->options.loop);
	uint32_t host;

	/* A host that is not known has the hold of the store later. */
	if (!host_queue_find(run->host_queue, name, &host))
		return;
	host_state_hold(run->hosts, host, wait_s > 0 ? wait_s : 0);
	run->has_held = true;
	run_kick(run);
}

bool
run_spare(struct run *run, struct slice name, int64_t wait_ms)
{
	uint32_t host = host_state_of(run->hosts, name);
	bool is_waiting = host_queue_waits(run->host_queue, host);

	host_state_share(run->hosts, host, wait_ms);
	/* The wait may be shorter than the one for which the timer is set. */
	if (is_waiting)
		run_kick(run);
	return is_waiting;
}

const struct run_totals *
run_totals(struct run *run, uint32_t number)
{
	struct run_totals *totals = &crawls_at(run->crawls, number)->totals;
	struct loop_delays delays = loop_delays(run->options.loop);

	totals->gap_ms = (uint64_t)(delays.longest_gap_us + 999) / 1000;
	totals->gap_cpu_ms = (uint64_t)(delays.longest_cpu_us + 999) / 1000;
	totals->commit_ms = (uint64_t)(delays.longest_commit_us + 999) / 1000;
	return totals;
}
