/* The driver: its tables, its pump, its counts. */
#include "crawler/crawl/run.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_begin.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_dns_queue.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_request_log.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_tally.h"
#include "crawler/crawl/run_task.h"
#include "crawler/event/loop.h"
#include "sched/host_queue.h"
#include "store/document_list.h"

#define MAX_SPOOLED_BYTES (512ull << 20) /* of bodies on the disk at once */
#define READERS_MS 10 /* until a reader may have ended, */
#define GATE_MS 2 /* or a look-up: healthy names wait for the next, too */
#define TAKE_MS 4 /* of one round: each is judged by a robots.txt */

static void
release_task(struct task *task)
{
	assert(task->attempt == NULL);
	free(task->url);
}

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

	/* A row that is not found may be one that could not be read. */
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

enum diag_code
run_flush(struct run *run)
{
	struct loop *loop = run->options.loop;
	enum diag_code code;

	request_log_write(run);
	if (run->options.before_commit != NULL)
		run->options.before_commit(run->options.before_commit_arg);
	if (!store_pending(run->options.store))
		return store_flush(run->options.store);
	loop_commit_begin(loop);
	code = store_flush(run->options.store);
	loop_commit_end(loop);
	run->commits += code == DIAG_OK;
	tally_stored(run);
	return code;
}

/* look_at_size(run): has the store become as large as it may? */
static void
look_at_size(struct run *run)
{
	uint64_t max = run->options.max_store_bytes;

	if (max > 0 && !run->is_full && run->fatal == DIAG_OK &&
	    store_bytes(run->options.store) >= max)
		run->is_full = run->has_closed = true;
}

/* flush(run): COMMIT what waits; visits go on from their done callbacks. */
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

/*
 * is_busy(run): would another body only wait for a reader or fill the disk,
 * might those under way use up the descriptors, or the limit of URLs?
 */
static bool
is_busy(const struct run *run)
{
	unsigned waiting = readers_backlog(run->options.readers);
	unsigned under_way = waiting + fetch_active(run->options.fetcher);

	return waiting >= run->options.max_backlog ||
	    under_way >= fetch_capacity(run->options.fetcher) ||
	    spool_expected(run->options.spool) >= MAX_SPOOLED_BYTES ||
	    (under_way > 0 && under_way >= crawl_room(run));
}

/*
 * has_file(run): is there one for the next body?  Without a descriptor for it
 * others wait until one is given back, if there is anything to come.
 */
static bool
has_file(struct run *run)
{
	if (spool_reserve(run->options.spool))
		return true;
	if ((errno != EMFILE && errno != ENFILE) ||
	    (fetch_active(run->options.fetcher) == 0 &&
		readers_backlog(run->options.readers) == 0))
		run_fail_spool(run);
	return false;
}

/* waits(run, visit, now_ms): for the readers, if it would otherwise pass the
 * limit of its site by what they are about to read. */
static bool
waits(struct run *run, uint32_t number, int64_t now_ms)
{
	uint32_t host;

	if (!crawl_waits(run, number))
		return false;
	host = run_host(run, url_host(&task_attempt(run, number)->current));
	host_queue_return(run->host_queue, host);
	host_queue_hold(run->host_queue, host, now_ms + READERS_MS);
	task_put_back(run, number, host);
	return true;
}

static void
send(struct run *run, uint32_t number, int64_t now_ms)
{
	if (!robots_admit(run, number) || waits(run, number, now_ms))
		return;
	run_crawl_of(run, number)->totals.requests++;
	task_fetch(run, number);
}

static void
take(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);
	bool has_held = false;
	uint32_t number;
	uint64_t id;
	int64_t wait_ms, until_ms;

	while (!is_busy(run) && !dns_queue_is_empty(run) && has_file(run) &&
	    dns_queue_next(run, &number))
		send(run, number, now_ms);
	until_ms = loop_now_ms(run->options.loop) + TAKE_MS;
	while (!is_busy(run) && loop_now_ms(run->options.loop) < until_ms &&
	    host_queue_wait_ms(run->host_queue, now_ms) == 0 && has_file(run) &&
	    host_queue_take(run->host_queue, now_ms, &id)) {
		if (dns_queue_holds(run, (uint32_t)id))
			has_held = true;
		else
			send(run, (uint32_t)id, now_ms);
	}
	wait_ms = host_queue_wait_ms(run->host_queue, now_ms);
	if (!dns_queue_is_empty(run) && (wait_ms < 0 || wait_ms > GATE_MS))
		wait_ms = has_held ? 0 : GATE_MS;
	if (wait_ms >= 0 && !is_busy(run))
		loop_timer_set(run->pump, wait_ms);
}

static void
pump(void *arg)
{
	struct run *run = arg;

	/* A commit may be far away, or never come. */
	if (store_failed(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	if (run->fatal != DIAG_OK || run->is_stopping)
		return;
	loop_doing(run->options.loop, "crawls");
	crawls_step(run);
	/* Each for a few milliseconds: together they are a round. */
	loop_doing(run->options.loop, "lines of robots.txt");
	if (lines_some(run))
		run_kick(run);
	loop_doing(run->options.loop, "children of an index");
	if (read_accept_some(run))
		run_kick(run);
	if (read_lead_some(run))
		run_kick(run);
	loop_doing(run->options.loop, "proofs that came later");
	if (read_suspects(run))
		run_kick(run);
	loop_doing(run->options.loop, "documents that begin");
	begin_some(run);
	loop_doing(run->options.loop, "what sites list");
	if (tally_step(run))
		run_kick(run);
	loop_doing(run->options.loop, "requests");
	take(run);
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
drop_attempts(struct run *run)
{
	for (size_t i = 0; i < run->task_count; i++)
		task_finish(run, (uint32_t)i);
}

void
run_free(struct run *run)
{
	if (run == NULL)
		return;
	drop_attempts(run);
	for (size_t i = 0; i < run->task_count; i++)
		release_task(&run->tasks[i]);
	for (size_t i = 0; i < run->site_count; i++)
		self_listed_release(run->sites[i].listed);
	for (size_t i = 0; i < run->origin_count; i++) {
		free(run->origins[i].gates);
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
	fifo_release(&run->leading);
	fifo_release(&run->suspects);
	free(run->noted);
	dns_queue_free(run->dns_queue);
	owners_free(run->owners);
	lines_free(run->lines);
	run_tally_free(run->tally);
	fifo_release(&run->beginning);
	idmap_release(&run->by_document);
	host_queue_free(run->host_queue);
	loop_timer_free(run->pump);
	loop_timer_free(run->commit);
	loop_timer_free(run->patience);
	free(run);
}

/* reload_site(run, site): its rules; it has a name, since it was begun. */
static void
reload_site(struct run *run, struct site *site)
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
		task_politeness(run, i);
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
