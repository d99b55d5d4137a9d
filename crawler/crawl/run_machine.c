/*
 * The driver: the machine that moves tasks from state to state.
 *
 *	NEW         task_judge(): limits, robots.txt, the host's failures
 *	WAITING     for robots.txt; machine_run(): NEW again
 *	QUEUED      in the host queue, or in the DNS queue; machine_take()
 *	FETCHING    task_fetch(); the answer comes to answered()
 *	READING     a reader has the body; then comes machine_was_read()
 *	ACCEPTING   commit_accept(): the children of an index are judged
 *	COMMITTING  the store has the reading; committed()
 *	EXPANDING   commit_expand_one(): the children of an index begin
 *	GIVEN_UP    machine_give_up(): there will be no answer
 *	DONE        machine_finish()
 *
 * The arrows between the states are in run_tables.h.
 */
#include "crawler/crawl/run_machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/local.h"
#include "crawler/crawl/run_commit.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_sign.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_target.h"
#include "crawler/parse/page.h"
#include "crawler/sandbox/readers.h"

/* Limit for the bodies under way, in bytes on the disk. */
#define MAX_SPOOLED_BYTES (512ull << 20)

/* How long each kind of work may last in one round of the loop. Judging takes
 * long: a robots.txt may have thousands of rules with stars, and each of them
 * is tried on up to 50,000 long URLs of an index. */
#define EXPAND_MS 2
#define LOOK_AGAIN_MS 2
#define BEGIN_MS 4
#define TAKE_MS 4

/* The end of a job of a reader, or of a look-up, is not reported here: the pump
 * looks again after this time. Requests to known names wait as long while
 * look-ups wait. */
#define READERS_MS 10
#define LOOKUP_MS 2

#define DEFERRED_MS 250 /* until a name is looked up again */
#define SHORT_MS 100 /* until a descriptor may be free again */
#define MAX_SHORT 50 /* tries without success, together 5 s */

/* May a task be asked for, and what is its request? */

/* A document that is dated by itself is read whole once a day, a little less so
 * that a daily crawl does it each time. */
#define ITSELF_S (DAY_S - 1800)
#define ROBOTS_WIRE_BYTES (ROBOTS_MAX_BYTES + 4096)

/* Post GIVEN_UP before a request; but a document or page that was given to the
 * driver is returned if its host is held: it has not failed.  Nor has a page of
 * a host that is dead, unless the page itself was asked for.  A page that
 * redirected to the host has failed: it would be asked for again at once. */
static void
task_leave(
    struct run *run, uint32_t number, enum diag_code code, const char *text)
{
	const struct task *task = run_task(run, number);
	bool is_page = task->type == TASK_PAGE;

	if (task->is_given && !(is_page && task->attempt->hops > 0) &&
	    (code == DIAG_FETCH_RATE_LIMITED ||
		(is_page && task->attempt->tries == 0)))
		task_post(run, number, TASK_DONE);
	else
		task_give_up(run, number, code, slice_of(text));
}

/* True if robots.txt is not known yet; the task is WAITING then. */
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
		return false; /* the rules were in the store */
	fifo_put(&origin->waiting, number);
	task_post(run, number, TASK_WAITING);
	return true;
}

/* True if robots.txt forbids the task, which is given up then. */
static bool
is_closed(struct run *run, uint32_t number, uint32_t origin_number)
{
	struct task *task = run_task(run, number);
	const struct origin *origin = &run->origins[origin_number];
	struct robots_verdict verdict;
	char text[160];

	/* No request may go to the origin; say why in words. */
	if (origin->closed_by != DIAG_OK) {
		task_give_up(run, number, origin->closed_by,
		    slice_of(origin->closed_by == DIAG_PRIVATE_ADDRESS
			    ? "an address of a private network, of which "
			      "robots.txt may not be asked for either"
			    : origin->closed_by == DIAG_BUDGET_REACHED
			    ? "so many hosts of its domain were asked for a "
			      "robots.txt that it waits until tomorrow"
			    : "robots.txt cannot be had, so nothing may be "
			      "asked for"));
		return true;
	}
	verdict = robots_judge(
	    run, number, origin_number, url_target(&task->attempt->current));
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

/* Has an interrupted crawl of the site already read the document under the same
 * rules, or failed to read it? Then its children begin, and the document is not
 * asked for. */
static bool
is_already_read(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	const struct crawled_site *site = &run->sites[task->site];
	const struct crawl_options *options = &run_crawl_of(run, number)
						   ->options;
	struct run_totals *totals = &run_crawl_of(run, number)->totals;
	struct document document;
	struct url final = {0};
	bool is_read;

	if (!site->is_resumed ||
	    (options->is_forced && !options->is_continued) ||
	    task->attempt->hops > 0 || task->document_id == 0 ||
	    !store_document_get(
		run->options.store, task->document_id, &document))
		return false;
	is_read = document.last_try_s >= site->begun_s;
	/* Was it read under the rules of today? */
	if (is_read && document.failures == 0) {
		is_read = document.final_url != NULL &&
		    url_resolve(&final, slice_of(document.final_url),
			&task->attempt->current) == DIAG_OK;
		if (is_read)
			task->fingerprint = run_fingerprint(
			    run, number, &final, document.kind == KIND_INDEX);
		is_read = is_read && task->fingerprint == document.fingerprint;
	}
	url_release(&final);
	/* Count the document for this run, and report its failure once more. */
	totals->done += is_read;
	if (is_read && document.failures > 0) {
		totals->failed++;
		crawl_problem(run_crawl_of(run, number),
		    store_last_failure(run->options.store, document.id),
		    slice_of(document.url), slice_of("earlier in this crawl"));
	} else if (is_read) {
		totals->already++;
		totals->partial += !document.is_complete;
	}
	if (is_read && document.failures == 0 && document.kind != KIND_INDEX) {
		totals->listed += document.entries;
		totals->refused_by[document.refused_by] += document.refused;
	}
	document_release(&document);
	return is_read;
}

/* `check` reads a change before it is published. The change may lead to a host
 * that the operator did not name, and which therefore gets no requests. */
static bool
task_leaves_out(struct run *run, uint32_t number)
{
	const struct task *task = run_task(run, number);
	const struct url *url = &task->attempt->current;
	struct host_state *host_state;

	if (run->options.local == NULL || task->type != TASK_DOCUMENT ||
	    task->attempt->hops > 0 || local_takes(run->options.local, url))
		return false;
	host_state = host_states_at(run, host_state_of(run, url_host(url)));
	if (host_state->is_named)
		return false;
	if (!host_state->is_left)
		crawl_problem(run_crawl_of(run, number), DIAG_OK, url_text(url),
		    slice_of("nobody is asked for it: it is neither below "
			     "--base nor a target"));
	host_state->is_left = true;
	task_post(run, number, TASK_DONE);
	return true;
}

/* On entering NEW: may the task's URL be asked for, by
 * the limits of its crawl, by robots.txt, and by what its host has shown? Posts
 * QUEUED, WAITING, EXPANDING (an interrupted crawl has read the document),
 * GIVEN_UP or DONE. */
static void
task_judge(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	uint32_t origin;
	const char *text;
	enum diag_code code;

	/* A robots.txt is requested without being judged; but after a redirect,
	 * the new host may have asked for a pause. */
	if (task->type == TASK_ROBOTS) {
		uint32_t host = host_state_of(
		    run, url_host(&task_attempt(run, number)->current));

		if (host_state_is_dead(run, host, &text) ==
		    DIAG_FETCH_RATE_LIMITED)
			robots_answered(run, number,
			    &(struct fetch_result){
				.code = DIAG_FETCH_RATE_LIMITED});
		else
			task_post(run, number, TASK_QUEUED);
		return;
	}
	if (limits_skip(run, number))
		return;
	(void)task_attempt(run, number);
	if (task_leaves_out(run, number))
		return;
	if (order_yields(run, number)) {
		task_post(run, number, TASK_DONE);
		return;
	}
	origin = origins_of(run, &task->attempt->current);
	if (wait_for_robots(run, number, origin) ||
	    is_closed(run, number, origin) ||
	    !limits_may_keep(run, number, NULL))
		return;
	if (is_already_read(run, number)) {
		task_post(run, number, TASK_EXPANDING);
		return;
	}
	code = host_state_is_dead(run,
	    host_state_of(
		run, url_host(&run_task(run, number)->attempt->current)),
	    &text);
	/* Pages that were ordered look whether a host lives again: whoever
	 * orders them knows which hosts have failed. */
	task = run_task(run, number);
	if (task->type == TASK_PAGE && task->is_given &&
	    code != DIAG_FETCH_RATE_LIMITED)
		code = DIAG_OK;
	if (code != DIAG_OK)
		task_leave(run, number, code, text);
	else
		task_post(run, number, TASK_QUEUED);
}

/* The request. */

/* SPEC, 15.1: validators are sent only to the URL that they came
 * from. They are sent only while the rules are the same, because a 304 brings
 * no body that new rules could judge. */
static void
set_conditions(struct run *run, uint32_t number,
    const struct document *document, struct fetch_request *request)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	int64_t now_s = run_now_s(run);
	const struct date *newest = &document->newest;
	int64_t span_s = newest->precision >= DATE_SECOND ? 1
	    : newest->precision == DATE_MINUTE            ? 60
							  : DAY_S;
	int64_t modified_s;
	bool is_dated_by_itself;

	attempt->is_conditional = false;
	/* Does Last-Modified say no more than the newest lastmod of the
	 * document itself?  Then it stays when a page is removed, so that a 304
	 * would hide that. */
	is_dated_by_itself = document->etag == NULL &&
	    document->last_modified != NULL && newest->precision >= DATE_DAY &&
	    date_parse_http(&modified_s, slice_of(document->last_modified)) &&
	    modified_s >= newest->epoch_s &&
	    modified_s - newest->epoch_s < span_s;
	if (run_crawl_of(run, number)->options.is_forced ||
	    !document->is_complete || document->final_url == NULL ||
	    document->fingerprint == 0 ||
	    (document->etag == NULL && document->last_modified == NULL) ||
	    run_is_overdue(run, document) ||
	    /* all of it is to be sent, whatever it was at the last reading */
	    attempt->is_spoilt || attempt->is_settling ||
	    document->plain_until_s > now_s ||
	    (is_dated_by_itself && document->whole_s + ITSELF_S <= now_s) ||
	    !slice_is(url_text(&attempt->current), document->final_url))
		return;
	run_task(run, number)->fingerprint = run_fingerprint(
	    run, number, &attempt->current, document->kind == KIND_INDEX);
	attempt->is_conditional = run_task(run, number)->fingerprint ==
	    document->fingerprint;
	if (!attempt->is_conditional)
		return;
	request->etag = document->etag;
	request->last_modified = document->last_modified;
}

static bool
admits(void *arg, const struct addr *addr)
{
	const struct attempt *attempt = arg;
	struct run *run = attempt->run;

	/* HOSTILE T10: many names may have one address. */
	return policy_is_local(run->options.policy, &attempt->current, addr) ||
	    host_queue_admit(
		run->host_queue, attempt->host, addr, run_now_ms(run));
}

/* The right to ask the host may have been lost since it was taken. */
static bool
attempt_may_send(void *arg)
{
	const struct attempt *attempt = arg;
	const struct host_table *table = attempt->run->table;

	return host_may_send(table, table->items[attempt->host]);
}

/* On entering FETCHING: send the request; done has
 * the attempt as its argument. */
static void
task_fetch(struct run *run, uint32_t number, fetch_done_fn *done)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task_attempt(run, number);
	uint32_t origin = origins_of(run, &attempt->current);
	const struct site_rules *rules = run_site_of(run, number)->rules;
	struct fetch_request request = {.url = &attempt->current,
	    .admit = admits,
	    .may_send = attempt_may_send,
	    .max_bytes = rules->max_bytes};
	struct run_activity *activity = &run->activity;
	struct document document;
	bool has_document;

	/* whoever watches the driver sees the request from now on */
	*MEM_PUSH(activity->asked, activity->asked_count,
	    activity->asked_cap) = (struct request_under_way){
	    .task = number, .since_ms = run_now_ms(run)};
	attempt->host = host_state_of(run, url_host(&attempt->current));
	request.is_single = seed_is_left(run, number);
	attempt->spool = spool_get(run->options.spool);
	if (attempt->spool == NULL) {
		run_fail_spool(run);
		return;
	}
	request.spool = attempt->spool;
	request.wants_heads = run->options.exchange != NULL &&
	    task->type != TASK_PAGE;
	/* Limits of requests for pages and robots.txt. */
	if (attempt->ordered != NULL) {
		order_request(run, number, &request);
	} else if (task->type == TASK_PAGE) {
		request.max_bytes = PAGE_MAX_BYTES;
		request.is_page = true;
		/* of a longer page, take the beginning */
		request.takes_any = true;
	}
	if (task->type == TASK_ROBOTS) {
		request.max_bytes = ROBOTS_WIRE_BYTES;
		request.is_identity = true;
		request.takes_any = true; /* SPEC */
	}

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
		attempt->index_lastmod = store_index_lastmod(
		    run->options.store, document.id);
	if (has_document) {
		attempt->kind = document.kind;
		attempt->entries = document.entries;
		attempt->refused = document.refused;
		attempt->refused_by = document.refused_by;
	}
	if (local_takes(run->options.local, &attempt->current)) {
		local_start(run->options.local, &request, done, attempt);
	} else {
		int64_t now_s = loop_wall_s(run->options.loop);

		attempt->is_signed = signer_sign(&run->options.signer,
		    rules->sign, &attempt->current, attempt->challenge, now_s,
		    now_s + SIGN_VALID_S, &request.signature);
		fetch_start(run->options.fetcher, &request, done, attempt);
		signature_release(&request.signature);
	}
	if (has_document)
		document_release(&document);
}

/* A page is reported, a probe leads to the next default location, and the
 * failure of a document is stored. */
static void
machine_give_up(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	enum diag_code code = attempt->failure;
	struct slice why = slice_of(attempt->why);

	if (task->type == TASK_PAGE) {
		page_give_up(run, number, code, why);
		return;
	}
	if (task->type == TASK_PROBE) {
		if (code != DIAG_FETCH_NOT_FOUND)
			crawl_problem(run_crawl_of(run, number), code,
			    slice_of(task->url), why);
		seed_end_probe(run, number, code);
		return;
	}
	if (attempt->reading == NULL)
		(void)read_begin(run, number, NULL);
	attempt->reading->outcome = (code == DIAG_FETCH_BLOCKED_BY_ROBOTS ||
					code == DIAG_FETCH_REDIRECT_UNSAFE ||
					code == DIAG_PRIVATE_ADDRESS ||
					code == DIAG_ROBOTS_UNREACHABLE ||
					code == DIAG_BUDGET_REACHED)
	    ? OUTCOME_REFUSED
	    : OUTCOME_FAILED;
	attempt->reading->failure = code;
	findings_add(&attempt->findings, code, 0, why);
	task_post(run, number, TASK_COMMITTING);
}

/* The pump is woken, because the crawl may have waited for this task only. */
static void
machine_finish(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	uint32_t crawl = run->sites[task->site].crawl;

	run_kick(run);
	run_crawl_of(run, number)->open--;
	run->sites[task->site].open--;
	if (!run->sites[task->site].is_single)
		return;
	if (task->is_given && !task->is_reported && task->type != TASK_PAGE)
		crawl_returns(&run->crawls[crawl], task->document_id);
	/* After the last task of the entry, its number becomes free, too. */
	uint32_t site = task->site;

	/* may a document begin that waited for this one? */
	if (run->sites[site].is_pages ? task->type == TASK_ROBOTS
				      : run->sites[site].open == 0)
		run->has_given = true;
	task_remove(run, number);
	if (run->sites[site].open == 0)
		sites_end(run, site);
}

/* Events that end a state. */

/* The host is dead: all tasks that wait for it fail. */
static void
fail_host(struct run *run, uint32_t host, enum diag_code code, const char *text)
{
	uint64_t id;

	while (host_queue_drain(run->host_queue, host, false, &id)) {
		uint32_t number = (uint32_t)id;

		run_work_for(run, number);
		if (run_task(run, number)->type != TASK_ROBOTS) {
			task_leave(run, number, code, text);
		} else {
			/* No further try is left: a robots.txt that is tried
			 * again would come back into the queue that this loop
			 * empties. */
			task_attempt(run, number)
			    ->tries = run_site_of(run, number)->rules->retry;
			robots_answered(run, number,
			    &(struct fetch_result){
				.code = code, .is_connect_failure = true});
		}
		machine_run(run);
	}
}

void
machine_hold(struct run *run)
{
	for (uint32_t i = 0; i < run->host_state_count; i++) {
		const char *text;
		enum diag_code code;
		uint64_t id;

		if (run->host_states[i] == NULL ||
		    host_state_held_ms(run, i) == 0 ||
		    run->table->items[i]->waiting[HOST_DOCUMENTS] == 0)
			continue;
		code = host_state_is_dead(run, i, &text);
		if (code != DIAG_OK)
			fail_host(run, i, code, text);
		while (host_queue_drain(run->host_queue, i, true, &id))
			task_post(run, (uint32_t)id, TASK_NEW);
	}
	/* Pages that wait for a robots.txt of these hosts come back, too. */
	for (uint32_t i = 0; i < run->origin_count; i++) {
		struct fifo *waiting = &run->origins[i].waiting;

		while (fifo_count(waiting) > 0 &&
		    host_state_held_ms(run, run->origins[i].host) > 0)
			task_begin_later(run, fifo_take(waiting));
	}
}

/* The request was not sent: the task is QUEUED again. */
static void
deferred(struct run *run, uint32_t number, enum fetch_deferral why)
{
	struct task *task = run_task(run, number);
	uint32_t host = task->attempt->host;
	int64_t now_ms = run_now_ms(run);

	activity_ended(run, number, NULL);
	task_drop_spool(task->attempt);
	run_crawl_of(run, number)->totals.requests--;
	host_queue_return(run->host_queue, host);
	if (why == DEFERRED_LOOKUP || why == DEFERRED_RIGHT)
		host_queue_hold(run->host_queue, host, now_ms + DEFERRED_MS);
	if (why == DEFERRED_DESCRIPTORS) {
		host_queue_hold(run->host_queue, host, now_ms + SHORT_MS);
		/* Has nothing been under way for MAX_SHORT tries that could
		 * give a descriptor back? */
		if (fetch_active(run->options.fetcher) > 0 ||
		    readers_backlog(run->options.readers) > 0)
			run->short_of = 0;
		if (++run->short_of > MAX_SHORT) {
			errno = EMFILE;
			run_fail_spool(run);
		}
	}
	task_put_back(run, number, host);
	run_kick(run);
	task->state = TASK_QUEUED;
}

static void
answered(void *arg, const struct fetch_result *result)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;
	uint32_t number = attempt->number;
	uint32_t host = attempt->host;
	const char *text;
	enum diag_code code;

	run_work_for(run, number);
	loop_doing(run->options.loop, "an answer");
	if (result->deferral != DEFERRED_NOT) {
		deferred(run, number, result->deferral);
		return;
	}
	/* A request was sent, so there was a descriptor for it. */
	run->short_of = 0;
	activity_ended(run, number, result);
	/* Note what the answer shows of the host. */
	host_state_ended(run, host, &attempt->current, result);
	host_queue_done(run->host_queue, attempt->host, result->answered_ms);
	if (result->code == DIAG_DISK_FULL)
		run_fail_spool(run);
	if (run->options.exchange != NULL &&
	    run_task(run, number)->type != TASK_PAGE)
		run->options.exchange(run->options.exchange_arg,
		    &(struct page_exchange){.url = url_text(&attempt->current),
			.at_us = run_asked_us(run, result),
			.result = result,
			.body = attempt->spool});
	/* Nothing can be decided without the store. */
	if (run->fatal != DIAG_OK ||
	    store_failed(run->options.store) != DIAG_OK) {
		run_kick(run);
		return;
	}
	/* A robots.txt comes first each time, and costs a server little: that
	 * it is there says nothing of what follows. */
	if (result->status != 0 && result->status != 429 &&
	    result->status != 503 &&
	    run_task(run, number)->type != TASK_ROBOTS &&
	    run->table->items[host]->is_limited) {
		run->table->items[host]->is_limited = false;
		store_answered(
		    run->options.store, names_slice(&run->table->names, host));
	}
	if (run_sign_answered(run, number, result))
		; /* it is asked for once more */
	else if (run_task(run, number)->type == TASK_ROBOTS)
		robots_answered(run, number, result);
	else if (run_task(run, number)->type == TASK_PAGE)
		page_answered(run, number, result);
	else
		read_answered(run, number, result);
	machine_run(run);
	code = host_state_is_dead(run, host, &text);
	if (code != DIAG_OK)
		fail_host(run, host, code, text);
	run_kick(run);
}

static void
machine_was_read(void *arg, enum diag_code result, struct content *content)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;

	run_work_for(run, attempt->number);
	if (result == DIAG_READER_CRASHED &&
	    readers_are_lost(run->options.readers, &run->error)) {
		content_release(content); /* the document stays due */
		run_fail(run, DIAG_READER_CRASHED);
		return;
	}
	if (run_task(run, attempt->number)->type == TASK_ROBOTS)
		robots_finished(run, attempt->number, result, content);
	else if (run_task(run, attempt->number)->type == TASK_PAGE)
		page_finished(run, attempt->number, result, content);
	else
		read_finished(run, attempt->number, result, content);
	machine_run(run);
}

static void
committed(void *arg, const struct reading *reading, int64_t reading_id)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;
	struct crawl *crawl;

	(void)reading_id;
	run_work_for(run, attempt->number);
	loop_commit(run->options.loop, false);
	crawl = run_crawl_of(run, attempt->number);
	crawl_report_clock(run, crawl);
	activity_read(run, slice_of(run_task(run, attempt->number)->url),
	    reading, run_now_s(run));
	crawl_report(crawl, run_task(run, attempt->number), reading,
	    &run_site_of(run, attempt->number)->rules->profile);
	if (run_task(run, attempt->number)->type == TASK_ROBOTS)
		task_post(run, attempt->number, TASK_DONE);
	else
		commit_done(run, attempt->number, reading);
	machine_run(run);
}

/* Only this function changes the state of a task; deferred() is the one
 * exception. */
static void
machine_enter(struct run *run, uint32_t number, enum task_state state)
{
	struct task *task = run_task(run, number);
	bool was_done = task->state == TASK_DONE;
	struct reading *reading;

	run_work_for(run, number);
	task->next = TASK_STATES;
	task->state = (uint8_t)state;
	switch (state) {
	case TASK_NEW:
		task_judge(run, number);
		break;
	case TASK_QUEUED: {
		struct attempt *attempt = task_attempt(run, number);

		if (run_task(run, number)->type == TASK_ROBOTS ||
		    !limits_skip(run, number)) {
			attempt->host = host_state_of(
			    run, url_host(&attempt->current));
			task_put_back(run, number, attempt->host);
			task_rest(run, number);
			run_kick(run);
		}
		break;
	}
	case TASK_FETCHING:
		task_fetch(run, number, answered);
		break;
	case TASK_READING: {
		struct reader_job *job = task->attempt->job;

		task->attempt->job = NULL;
		readers_submit(
		    run->options.readers, job, machine_was_read, task->attempt);
		free(job);
		break;
	}
	case TASK_ACCEPTING:
		commit_accept(run, number);
		break;
	case TASK_COMMITTING:
		if (task->type != TASK_ROBOTS)
			commit_prepare(run, number);
		reading = task->attempt->reading;
		task->attempt->reading = NULL;
		/* COMMIT in the next round of the loop if many readings
		 * wait. */
		if (store_submit(run->options.store, reading, committed,
			task->attempt)) {
			run->is_committing = true;
			loop_timer_set(run->commit, 0);
		}
		run_kick(run);
		break;
	case TASK_EXPANDING:
		fifo_put(&run->lists[LIST_EXPANDING], number);
		run_kick(run);
		break;
	case TASK_GIVEN_UP:
		machine_give_up(run, number);
		break;
	case TASK_DONE:
		order_return(run, number);
		task_drop_attempt(run, number);
		if (!was_done)
			machine_finish(run, number);
		break;
	case TASK_WAITING:
	case TASK_STATES:
		break;
	}
}

void
machine_run(struct run *run)
{
	/* The loop below runs already, and has called back this function. */
	if (run->is_moving)
		return;
	run->is_moving = true;
	while (fifo_count(&run->lists[LIST_POSTED]) > 0 ||
	    fifo_count(&run->known) > 0) {
		if (fifo_count(&run->lists[LIST_POSTED]) > 0) {
			uint32_t number = fifo_take(&run->lists[LIST_POSTED]);

			machine_enter(run, number, run_task(run, number)->next);
		} else {
			/* The robots.txt of the origin is known: continue the
			 * crawls, seeds and tasks that waited for it. */
			uint32_t number = fifo_take(&run->known);
			struct origin *origin = &run->origins[number];
			struct fifo waiting = origin->waiting;

			origin->waiting = (struct fifo){0};
			robots_release_crawls(run, number);
			target_seed_origin(run, number);
			while (fifo_count(&waiting) > 0)
				task_begin_later(run, fifo_take(&waiting));
			free(waiting.items);
			run_kick(run);
		}
	}
	run->is_moving = false;
}

void
machine_end_all(struct run *run)
{
	run->is_stopping = true;
	for (uint32_t i = 0; i < run->task_count; i++)
		machine_enter(run, i, TASK_DONE);
}

void
machine_go_on(struct run *run)
{
	struct fifo *expanding = &run->lists[LIST_EXPANDING];
	struct fifo *suspects = &run->lists[LIST_SUSPECTS];
	struct fifo *beginning = &run->lists[LIST_BEGINNING];
	struct loop *loop = run->options.loop;
	int64_t end_ms = loop_now_ms(loop) + EXPAND_MS;

	/* Children of committed indexes begin. */
	while (fifo_count(expanding) > 0 && loop_now_ms(loop) < end_ms) {
		uint32_t number = expanding->items[expanding->first];

		commit_expand_one(run);
		machine_run(run);
		if (run_task(run, number)->state == TASK_DONE &&
		    run_task(run, number)->has_new_proof)
			run_suspect(run, number);
	}
	loop_doing(loop, "proofs that came later");
	end_ms = loop_now_ms(loop) + LOOK_AGAIN_MS;
	while (fifo_count(suspects) > 0 && loop_now_ms(loop) < end_ms) {
		commit_look_again(run);
		machine_run(run);
	}
	loop_doing(loop, "documents that begin");
	end_ms = loop_now_ms(loop) + BEGIN_MS;
	while (fifo_count(beginning) > 0 && loop_now_ms(loop) < end_ms) {
		task_start(run, fifo_take(beginning));
		machine_run(run);
	}
	if (fifo_count(expanding) > 0 || fifo_count(suspects) > 0 ||
	    fifo_count(beginning) > 0)
		run_kick(run);
}

/*
 * Tasks whose host names must be looked up first.
 *
 * The look-up of a name that does not exist takes a while, there are few
 * threads for look-ups, and up to 100,000 such names may come. Tasks that wait
 * for a thread stand in rows, and the rows take turns. All names below one
 * registered domain (fetch_owner) stand in the same row, so that many names of
 * one owner do not delay the names of others. A task whose address is known
 * does not wait here.
 */

/* The host queue gave the task out; if its request would only wait for a
 * look-up, the task waits here, without a transfer, a file or an attempt.
 * False: it need not wait. */
static bool
dns_queue_holds(struct run *run, uint32_t number)
{
	struct dns_queue *dns_queue = &run->dns_queue;
	struct attempt *attempt = task_attempt(run, number);
	uint64_t owner;

	/* Nor does a host whose time is reserved: it would be over. */
	if (local_takes(run->options.local, &attempt->current) ||
	    run->table->items[host_state_of(run, url_host(&attempt->current))]
		->is_shared)
		return false;
	owner = fetch_owner(run->options.fetcher, &attempt->current);
	if (owner == 0)
		return false;
	host_queue_set_aside(
	    run->host_queue, host_state_of(run, url_host(&attempt->current)));
	run_task(run, number)->owner = owner;
	fifo_put(&dns_queue->rows[owner % DNS_QUEUE_ROWS], number);
	dns_queue->count++;
	task_rest(run, number);
	return true;
}

/* Remove the first entry of the row; *number is its task.  The host is set back
 * to the state in which the host queue gave the task out.  False: the host may
 * not be asked now, so the task is QUEUED again. */
static bool
dns_queue_take(struct run *run, struct fifo *row, uint32_t *number)
{
	uint32_t host;

	run->dns_queue.count--;
	*number = fifo_take(row);
	host = host_state_of(
	    run, url_host(&task_attempt(run, *number)->current));
	if (host_queue_bring_back(run->host_queue, host, run_now_ms(run)))
		return true;
	task_put_back(run, *number, host);
	task_rest(run, *number);
	return false;
}

/* A task that may be started now, as if the host queue had just given it out;
 * false: there is none. The end of a look-up is not reported, so machine_take()
 * asks for the next task again after a while. */
static bool
dns_queue_next(struct run *run, uint32_t *task)
{
	struct dns_queue *dns_queue = &run->dns_queue;

	for (unsigned i = 0; i < DNS_QUEUE_ROWS && dns_queue->count > 0; i++) {
		struct fifo
		    *row = &dns_queue->rows[dns_queue->turn++ % DNS_QUEUE_ROWS];

		if (fifo_count(row) == 0 ||
		    !fetch_may_look_up(run->options.fetcher,
			run_task(run, row->items[row->first])->owner))
			continue;
		if (dns_queue_take(run, row, task))
			return true;
	}
	return false;
}

void
dns_queue_open(struct run *run)
{
	struct dns_queue *dns_queue = &run->dns_queue;

	for (unsigned i = 0; i < DNS_QUEUE_ROWS; i++)
		while (fifo_count(&dns_queue->rows[i]) > 0) {
			uint32_t task, host;

			if (!dns_queue_take(run, &dns_queue->rows[i], &task))
				continue;
			host = host_state_of(run,
			    url_host(&run_task(run, task)->attempt->current));
			host_queue_return(run->host_queue, host);
			task_put_back(run, task, host);
		}
}

/* Requests. */

/* Should no further request be sent now? This process may ask no host, another
 * body would only wait for a reader, or for COMMITs that wait for PostgreSQL,
 * or would fill the disk, or the requests under way may already use up the
 * descriptors or the limit of URLs. */
static bool
is_busy(const struct run *run)
{
	unsigned waiting = readers_backlog(run->options.readers);
	unsigned under_way = waiting + fetch_active(run->options.fetcher);

	return waiting >= run->options.max_backlog ||
	    !host_may_ask(run->table) || store_is_full(run->options.store) ||
	    under_way >= fetch_capacity(run->options.fetcher) ||
	    spool_expected(run->options.spool) >= MAX_SPOOLED_BYTES ||
	    (under_way > 0 && under_way >= limits_room(run));
}

/* Is there a file for the next body?  Without a free descriptor, requests
 * wait until one is given back; if nothing is under way that could give one
 * back, the run fails. */
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

static void
machine_send(struct run *run, uint32_t number, int64_t now_ms)
{
	run_work_for(run, number);
	if (!robots_admit(run, number)) {
		machine_run(run);
		return;
	}
	/* A task waits while readers have documents of its site whose URLs may
	 * reach the limit of the site. */
	if (limits_defer(run, number)) {
		uint32_t host = host_state_of(
		    run, url_host(&task_attempt(run, number)->current));

		host_queue_return(run->host_queue, host);
		host_queue_hold(run->host_queue, host, now_ms + READERS_MS);
		task_put_back(run, number, host);
	} else {
		run_crawl_of(run, number)->totals.requests++;
		machine_enter(run, number, TASK_FETCHING);
	}
	machine_run(run);
}

void
machine_take(struct run *run)
{
	int64_t now_ms = run_now_ms(run);
	bool has_held = false;
	uint32_t number;
	uint64_t id;
	int64_t wait_ms, until_ms;

	while (!is_busy(run) && run->dns_queue.count > 0 && has_file(run) &&
	    dns_queue_next(run, &number))
		machine_send(run, number, now_ms);
	until_ms = run_now_ms(run) + TAKE_MS;
	while (!is_busy(run) && run_now_ms(run) < until_ms &&
	    host_queue_wait_ms(run->host_queue, now_ms) == 0 && has_file(run) &&
	    host_queue_take(run->host_queue, now_ms, &id)) {
		if (dns_queue_holds(run, (uint32_t)id))
			has_held = true;
		else
			machine_send(run, (uint32_t)id, now_ms);
	}
	wait_ms = host_queue_wait_ms(run->host_queue, now_ms);
	if (run->dns_queue.count > 0 && (wait_ms < 0 || wait_ms > LOOKUP_MS))
		wait_ms = has_held ? 0 : LOOKUP_MS;
	if (wait_ms >= 0 && !is_busy(run))
		loop_timer_set(run->pump, wait_ms);
}
