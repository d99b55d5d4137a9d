/* The driver: a visit from its beginning to the answer of its server. */
#include "crawler/crawl/run_task.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/addr.h"
#include "base/mem.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_document.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_internal.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_request_log.h"
#include "crawler/crawl/run_rules.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_shared.h"
#include "crawler/event/loop.h"
#include "crawler/parse/page.h"
#include "sched/host_queue.h"
#include "store/site.h"

#define ROBOTS_WIRE_BYTES (ROBOTS_MAX_BYTES + 4096)

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
	free(attempt->ancestry);
	accept_free(attempt->accept);
	location_scope_release(&attempt->location);
	reading_free(attempt->reading);
	free(attempt);
}

/* attempt_new(run, number): from the visit's own URL, already normalised. */
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
	assert(code == DIAG_OK); /* it is normalised */
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
task_finish(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	attempt_free(task->attempt);
	task->attempt = NULL;
	if (task->state == TASK_DONE)
		return;
	task->state = TASK_DONE;
	/* It may have been the last one that its crawl waited for. */
	run_kick(run);
	run_crawl_of(run, number)->open--;
	run->sites[task->site].open--;
	if (run->sites[task->site].is_single)
		document_over(run, number);
}

static bool
is_refusal(enum diag_code code)
{
	return code == DIAG_FETCH_BLOCKED_BY_ROBOTS ||
	    code == DIAG_FETCH_REDIRECT_UNSAFE ||
	    code == DIAG_PRIVATE_ADDRESS || code == DIAG_ROBOTS_UNREACHABLE ||
	    code == DIAG_BUDGET_REACHED;
}

void
task_give_up(
    struct run *run, uint32_t number, enum diag_code code, struct slice text)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task_attempt(run, number);

	if (task->type == TASK_PAGE) {
		page_give_up(run, number, code, text);
		return;
	}
	if (task->type == TASK_PROBE) {
		if (code != DIAG_FETCH_NOT_FOUND)
			crawl_problem(run_crawl_of(run, number), code,
			    slice_of(task->url), text);
		seed_end_probe(run, number, code);
		return;
	}
	if (attempt->reading == NULL)
		(void)read_begin(run, number, NULL);
	attempt->reading->outcome = is_refusal(code) ? OUTCOME_REFUSED
						     : OUTCOME_FAILED;
	attempt->reading->failure = code;
	findings_add(&attempt->findings, code, 0, text);
	read_submit(run, number);
}

/* From the beginning to the frontier. */

void
task_put_back(struct run *run, uint32_t number, uint32_t host)
{
	struct task *task = run_task(run, number);
	struct host_queue_item item = {.id = number,
	    .host = host,
	    .class = task->class,
	    .newest_s = task->newest_s};

	task->state = TASK_QUEUED;
	host_queue_add(run->host_queue, &item);
}

/*
 * There may be 100,000 in the queue: those that have nothing to remember do
 * without a attempt until they are fetched.
 */
void
task_rest(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	const struct attempt *attempt = task->attempt;

	if (attempt->hops > 0 || attempt->tries > 0 ||
	    attempt->findings.count > 0)
		return;
	attempt_free(task->attempt);
	task->attempt = NULL;
}

void
task_queue(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task_attempt(run, number);

	if (task->type != TASK_ROBOTS && crawl_skips(run, number))
		return;
	attempt->host = run_host(run, url_host(&attempt->current));
	task_put_back(run, number, attempt->host);
	task_rest(run, number);
	run_kick(run);
}

/* wait_for_robots(run, number, origin): true when it is not known yet. */
static bool
wait_for_robots(struct run *run, uint32_t number, uint32_t origin_number)
{
	uint32_t site = run_task(run, number)->site;
	struct origin *origin;

	if (robots_is_known(run, origin_number, site))
		return false;
	if (run->origins[origin_number].state == ORIGIN_NEW)
		robots_ask(run, origin_number, site);
	origin = &run->origins[origin_number];
	if (origin->state == ORIGIN_KNOWN)
		return false; /* by the store */
	origin->waiting = mem_grow(origin->waiting, &origin->waiting_cap,
	    origin->waiting_count + 1, sizeof(*origin->waiting));
	origin->waiting[origin->waiting_count++] = number;
	run_task(run, number)->state = TASK_WAITING;
	return true;
}

/* why_closed(code): nothing of the origin may be asked for. */
static const char *
why_closed(enum diag_code code)
{
	switch ((int)code) {
	case DIAG_PRIVATE_ADDRESS:
		return "nor may its robots.txt be asked for";
	case DIAG_BUDGET_REACHED:
		return "so many hosts of its domain were asked for a "
		       "robots.txt that it waits until tomorrow";
	default:
		return "robots.txt cannot be had, so nothing may be asked for";
	}
}

/* is_closed(run, number, origin): true when robots.txt says no. */
static bool
is_closed(struct run *run, uint32_t number, uint32_t origin_number)
{
	struct task *task = run_task(run, number);
	const struct origin *origin = &run->origins[origin_number];
	struct robots_verdict verdict;
	char text[160];

	if (origin->closed_by != DIAG_OK) {
		task_give_up(run, number, origin->closed_by,
		    slice_of(why_closed(origin->closed_by)));
		return true;
	}
	verdict = rules_verdict(
	    run, origin_number, url_target(&task->attempt->current));
	if (!owner_works(run, origin_number, verdict.work)) {
		task_give_up(run, number, DIAG_BUDGET_REACHED,
		    slice_of("robots.txt of its domain have cost so much time "
			     "that it waits until tomorrow"));
		return true;
	}
	task->attempt->judged_by = origin->rules_stamp;
	if (verdict.is_allowed)
		return false;
	if (verdict.is_given_up)
		(void)snprintf(
		    text, sizeof(text), "robots.txt has %s", ROBOTS_GIVEN_UP);
	else
		(void)snprintf(text, sizeof(text),
		    "robots.txt line %" PRIu32 ": %.*s", verdict.line,
		    (int)(verdict.rule.len < 100 ? verdict.rule.len : 100),
		    verdict.rule.p);
	task_give_up(run, number, DIAG_FETCH_BLOCKED_BY_ROBOTS, slice_of(text));
	return true;
}

/* is_same_scope(run, number, document): was it read under today's rules? */
static bool
is_same_scope(struct run *run, uint32_t number, const struct document *document)
{
	struct task *task = run_task(run, number);
	struct url final;
	bool is_same;

	url_init(&final);
	is_same = document->final_url != NULL &&
	    url_resolve(&final, slice_of(document->final_url),
		&task->attempt->current, (struct diag_sink){0}) == DIAG_OK;
	if (is_same) {
		task->fingerprint = read_fingerprint(
		    run, number, &final, document->kind == KIND_INDEX);
		is_same = task->fingerprint == document->fingerprint;
	}
	url_release(&final);
	return is_same;
}

static bool
is_forced(struct run *run, uint32_t number)
{
	return run_crawl_of(run, number)->options.is_forced;
}

/* Of this run, though it was done before it: failures are named once more. */
static void
count_already(struct run *run, uint32_t number, const struct document *document)
{
	struct crawl *crawl = run_crawl_of(run, number);
	struct run_totals *totals = &crawl->totals;

	totals->done++;
	if (document->failures > 0) {
		totals->failed++;
		crawl_problem(crawl,
		    store_last_failure(run->options.store, document->id),
		    slice_of(document->url), slice_of("earlier in this crawl"));
		return;
	}
	totals->already++;
	totals->partial += !document->is_complete;
	if (document->kind != KIND_INDEX) {
		totals->listed += document->entries;
		totals->refused_by[document->refused_by] += document->refused;
	}
}

/*
 * is_already_read(run, number): an interrupted crawl of the site has asked
 * for the document, and read it under the same rules, or not at all: its
 * children are due, it is not.
 */
static bool
is_already_read(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	const struct site *site = &run->sites[task->site];
	struct document document;
	bool is_read;

	if (!site->is_resumed || crawl_starts_anew(run, site->crawl) ||
	    task->attempt->hops > 0 || task->document_id == 0 ||
	    !store_document_get(
		run->options.store, task->document_id, &document))
		return false;
	is_read = document.last_try_s >= site->begun_s &&
	    (document.failures > 0 || is_same_scope(run, number, &document));
	if (is_read)
		count_already(run, number, &document);
	document_release(&document);
	return is_read;
}

/*
 * leaves_out(run, number): what is not published yet leads to another host, of
 * which nobody named anything: it is not asked, and what is there stays unread.
 */
static bool
leaves_out(struct run *run, uint32_t number)
{
	const struct task *task = run_task(run, number);
	const struct url *url = &task->attempt->current;
	struct host_state *host_state;

	if (run->options.local == NULL || task->type != TASK_DOCUMENT ||
	    task->attempt->hops > 0 || local_takes(run->options.local, url))
		return false;
	host_state = run_host_state(run, run_host(run, url_host(url)));
	if (host_state->is_named)
		return false;
	if (!host_state->is_left)
		crawl_problem(run_crawl_of(run, number), DIAG_OK, url_text(url),
		    slice_of("nobody is asked for it: it is neither below "
			     "--base nor a target"));
	host_state->is_left = true;
	task_finish(run, number);
	return true;
}

void
task_begin(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	uint32_t origin;
	const char *text;
	enum diag_code code;

	if ((task->state != TASK_NEW && task->state != TASK_WAITING) ||
	    (task->type != TASK_ROBOTS && crawl_skips(run, number)))
		return;
	(void)task_attempt(run, number);
	if (task->type == TASK_ROBOTS) {
		robots_begin(run, number);
		return;
	}
	if (leaves_out(run, number))
		return;
	origin = run_origin(run, &task->attempt->current);
	if (wait_for_robots(run, number, origin) ||
	    is_closed(run, number, origin))
		return;
	if (is_already_read(run, number)) {
		read_children(run, number);
		return;
	}
	code = host_state_is_dead(run,
	    run_host(run, url_host(&run_task(run, number)->attempt->current)),
	    &text);
	if (code != DIAG_OK)
		task_give_up(run, number, code, slice_of(text));
	else
		task_queue(run, number);
}

/* From the frontier to the answer. */

static void
answered(void *arg, const struct fetch_result *result)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;
	uint32_t number = attempt->number;
	uint32_t host = attempt->host;
	const char *text;
	enum diag_code code;

	loop_doing(run->options.loop, "an answer");
	if (result->deferral != DEFERRED_NOT) {
		host_state_defer(run, number, result->deferral);
		return;
	}
	request_log_note(run, attempt, result);
	host_state_learn(run, attempt, result);
	host_state_count(run, host, result);
	host_queue_done(run->host_queue, host, result->answered_ms);
	run_shared_asked(run, host);
	if (result->code == DIAG_DISK_FULL)
		run_fail_spool(run);
	/* The store tells nothing any more: nothing can be decided. */
	if (run->fatal != DIAG_OK ||
	    store_failed(run->options.store) != DIAG_OK) {
		run_kick(run);
		return;
	}
	if (result->status != 0 && result->status != 429 &&
	    result->status != 503)
		run_host_state(run, host)->throttles = 0;
	if (run_task(run, number)->type == TASK_ROBOTS)
		robots_answered(run, number, result);
	else if (run_task(run, number)->type == TASK_PAGE)
		page_answered(run, number, result);
	else
		read_answered(run, number, result);
	code = host_state_is_dead(run, host, &text);
	if (code != DIAG_OK)
		host_state_fail(run, host, code, text);
	run_kick(run);
}

/*
 * set_conditions(run, number, document, request): SPEC, 15.1: only
 * for the URL that the validators came from, and only while the rules are the
 * same, since a 304 brings no bytes to judge anew.
 */
static void
set_conditions(struct run *run, uint32_t number,
    const struct document *document, struct fetch_request *request)
{
	struct attempt *attempt = run_task(run, number)->attempt;

	attempt->is_conditional = false;
	if (is_forced(run, number) || !document->is_complete ||
	    document->final_url == NULL || document->fingerprint == 0 ||
	    (document->etag == NULL && document->last_modified == NULL) ||
	    read_is_overdue(run, document) ||
	    !slice_is(url_text(&attempt->current), document->final_url))
		return;
	run_task(run, number)->fingerprint = read_fingerprint(
	    run, number, &attempt->current, document->kind == KIND_INDEX);
	attempt->is_conditional = run_task(run, number)->fingerprint ==
	    document->fingerprint;
	if (!attempt->is_conditional)
		return;
	request->etag = document->etag;
	request->last_modified = document->last_modified;
}

bool
task_is_file(const struct run *run, const struct url *url)
{
	return run->options.local != NULL &&
	    local_takes(run->options.local, url);
}

static void
ask(struct run *run, struct attempt *attempt,
    const struct fetch_request *request)
{
	if (task_is_file(run, &attempt->current))
		local_start(run->options.local, request, answered, attempt);
	else
		fetch_start(run->options.fetcher, request, answered, attempt);
}

/* set_limits(visit, request): of what is no document. */
static void
set_limits(const struct task *task, struct fetch_request *request)
{
	if (task->type == TASK_PAGE) {
		request->max_bytes = PAGE_MAX_BYTES;
		request->takes_any = true; /* the beginning of a longer one */
	}
	if (task->type != TASK_ROBOTS)
		return;
	request->max_bytes = ROBOTS_WIRE_BYTES;
	request->is_identity = true;
	request->takes_any = true; /* SPEC */
}

void
task_fetch(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task_attempt(run, number);
	uint32_t origin = run_origin(run, &attempt->current);
	const struct site_rules *rules = run_rules(run, number);
	struct fetch_request request = {.url = &attempt->current,
	    .admit = host_state_admits,
	    .max_bytes = rules->max_bytes};
	struct document document;
	bool has_document;

	attempt->host = run_host(run, url_host(&attempt->current));
	request.is_single = seed_is_left(run, number);
	run_shared_asked(run, attempt->host);
	task->state = TASK_FETCHING;
	attempt->spool = spool_get(run->options.spool);
	if (attempt->spool == NULL) {
		run_fail_spool(run);
		return;
	}
	request.spool = attempt->spool;
	set_limits(task, &request);
	if (run->origins[origin].named_by == run->sites[task->site].id) {
		request.headers = rules->headers;
		request.credentials = rules->credentials;
	}
	has_document = task->document_id != 0 &&
	    store_document_get(
		run->options.store, task->document_id, &document);
	if (has_document && task->type == TASK_ROBOTS)
		robots_conditions(run, number, &document, &request);
	else if (has_document)
		set_conditions(run, number, &document, &request);
	if (has_document && attempt->hops == 0)
		attempt->index_lastmod = document.index_lastmod;
	ask(run, attempt, &request);
	if (has_document)
		document_release(&document);
}
