/* The driver: its tables, its pump, its counts. */
#include "crawler/run.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/run_internal.h"
#include "crawler/run_read.h"
#include "crawler/run_seed.h"
#include "crawler/run_visit.h"
#include "store/site.h"

#define USUAL_ENTRIES 50000 /* at most, in one document: SPEC R-36 */
#define MAX_SPOOLED_BYTES (512ull << 20) /* of bodies on the disk at once */

static void
release_visit(struct visit *visit)
{
	assert(visit->journey == NULL);
	free(visit->url);
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
	if (run->totals.fatal == DIAG_OK)
		run->totals.fatal = code;
	loop_stop(run->options.loop);
}

void
run_fail_spool(struct run *run)
{
	run->totals.error = errno;
	run_fail(run, DIAG_DISK_FULL);
}

void
run_problem(
    struct run *run, enum diag_code code, struct slice url, struct slice text)
{
	run->options.problem(run->options.arg, code, url, text);
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
	}
}

void
run_count(struct run *run, const struct reading *reading, bool is_robots)
{
	struct run_totals *totals = &run->totals;
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
	for (int i = 0; i < DELTA_KINDS; i++)
		totals->changes[i] += content->merge.changes[i];
}

/* flush(run): COMMIT what waits; visits go on from their done callbacks. */
static void
flush(void *arg)
{
	struct run *run = arg;
	enum diag_code code = store_flush(run->options.store);

	run->is_committing = false;
	if (code != DIAG_OK)
		run_fail(run, code);
	run_kick(run);
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
	    (under_way > 0 &&
		run->claimed + under_way * USUAL_ENTRIES >=
		    run->options.max_urls);
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

/* end_sites(run): the crawl of a site is over when all of it was looked at;
 * what was left out keeps it open for the next run. */
static void
end_sites(struct run *run)
{
	for (size_t i = 0; i < run->site_count; i++)
		if (!run->totals.is_over_budget)
			store_crawl_end(run->options.store, run->sites[i].id);
}

/* finish(run): nothing is left to do. */
static void
finish(struct run *run)
{
	end_sites(run);
	if (store_flush(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	loop_stop(run->options.loop);
}

static void
take(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);
	uint64_t id;
	int64_t wait_ms;

	while (!is_busy(run) && frontier_wait_ms(run->frontier, now_ms) == 0 &&
	    has_file(run) && frontier_take(run->frontier, now_ms, &id)) {
		run->totals.requests++;
		visit_fetch(run, (uint32_t)id);
	}
	wait_ms = frontier_wait_ms(run->frontier, now_ms);
	if (wait_ms >= 0 && !is_busy(run))
		loop_timer_set(run->pump, wait_ms);
}

/*
 * skip_rest(run): over budget: what has not been asked for yet is left to the
 * next run.
 */
static void
skip_rest(struct run *run)
{
	if (frontier_queued(run->frontier) == 0)
		return;
	if (!run->totals.is_over_budget)
		run_problem(run, DIAG_BUDGET_REACHED, slice_make(NULL, 0),
		    slice_of("the limit of URLs was reached"));
	run->totals.is_over_budget = true;
	for (uint32_t host = 0; host < run->peer_count; host++) {
		uint64_t id;

		while (frontier_drain(run->frontier, host, &id)) {
			if (run_visit(run, (uint32_t)id)->type == VISIT_ROBOTS)
				robots_skip(run, (uint32_t)id);
			visit_finish(run, (uint32_t)id);
		}
	}
}

static void
pump(void *arg)
{
	struct run *run = arg;

	if (run->totals.fatal != DIAG_OK || run->is_stopping)
		return;
	if (run->robots_open == 0 && !run->has_started_documents) {
		run->has_started_documents = true;
		seed_documents(run);
	}
	if (read_accept_some(run))
		run_kick(run);
	if (run->claimed >= run->options.max_urls)
		skip_rest(run);
	take(run);
	if (store_pending(run->options.store) && !run->is_committing) {
		run->is_committing = true;
		loop_timer_set(run->commit, COMMIT_MS);
	}
	if (run->open == 0)
		finish(run);
}

struct run *
run_new(const struct run_options *options)
{
	struct run *run = mem_zero(sizeof(*run));
	struct frontier_options politeness = frontier_options_default();

	run->options = *options;
	run->frontier = frontier_new(&politeness);
	run->pump = loop_timer_new(options->loop, pump, run);
	run->commit = loop_timer_new(options->loop, flush, run);
	return run;
}

static void
drop_journeys(struct run *run)
{
	for (size_t i = 0; i < run->visit_count; i++)
		visit_finish(run, (uint32_t)i);
}

void
run_free(struct run *run)
{
	if (run == NULL)
		return;
	drop_journeys(run);
	for (size_t i = 0; i < run->visit_count; i++)
		release_visit(&run->visits[i]);
	for (size_t i = 0; i < run->site_count; i++) {
		free(run->sites[i].name);
		string_set_release(&run->sites[i].listed);
	}
	for (size_t i = 0; i < run->origin_count; i++) {
		free(run->origins[i].text);
		free(run->origins[i].waiting);
		robots_free(run->origins[i].robots);
	}
	for (size_t i = 0; i < run->target_count; i++)
		target_release(&run->targets[i]);
	free(run->visits);
	free(run->sites);
	free(run->origins);
	free(run->peers);
	free(run->targets);
	free(run->steps);
	idmap_release(&run->by_document);
	frontier_free(run->frontier);
	loop_timer_free(run->pump);
	loop_timer_free(run->commit);
	free(run);
}

enum diag_code
run_target(struct run *run, struct slice text)
{
	struct target target;
	enum diag_code code = target_parse(&target, text);

	if (code != DIAG_OK) {
		target_release(&target);
		return code;
	}
	run->targets = mem_grow(run->targets, &run->target_cap,
	    run->target_count + 1, sizeof(*run->targets));
	run->targets[run->target_count++] = target;
	return DIAG_OK;
}

void
run_start(struct run *run)
{
	seed_start(run);
	run_kick(run);
}

void
run_stop(struct run *run)
{
	run->is_stopping = true;
	if (store_flush(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	loop_stop(run->options.loop);
}

const struct run_totals *
run_totals(const struct run *run)
{
	return &run->totals;
}
