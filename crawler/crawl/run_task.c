/* The driver: may a task be asked for, and what is its request? */
#include "crawler/crawl/run_task.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/civil.h"
#include "base/mem.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tasks.h"
#include "crawler/parse/page.h"
#include "sched/host_queue.h"
#include "store/site.h"

/* A document that is dated by itself is read whole once a day, a little less so
 * that a daily crawl does it each time. */
#define ITSELF_S (DAY_S - 1800)
#define ROBOTS_WIRE_BYTES (ROBOTS_MAX_BYTES + 4096)

/* Judging a task: may it be asked for? */

/* True if robots.txt is not known yet; the task is WAITING then. */
static bool
wait_for_robots(struct run *run, uint32_t number, uint32_t origin_number)
{
	uint32_t site = tasks_at(run->tasks, number)->site;
	struct origin *origin;

	if (robots_is_known(run, origin_number, site))
		return false;
	if (origins_at(run->origins, origin_number)->state == ORIGIN_NEW)
		robots_ask(run, origin_number, site);
	origin = origins_at(run->origins, origin_number);
	if (origin->state == ORIGIN_KNOWN)
		return false; /* the rules were in the store */
	origin->waiting = mem_grow(origin->waiting, &origin->waiting_cap,
	    origin->waiting_count + 1, sizeof(*origin->waiting));
	origin->waiting[origin->waiting_count++] = number;
	task_post(run->tasks, number, TASK_WAITING);
	return true;
}

/* The reason, in words, why no request may go to the origin. */
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

/* True if robots.txt forbids the task, which is given up then. */
static bool
is_closed(struct run *run, uint32_t number, uint32_t origin_number)
{
	struct task *task = tasks_at(run->tasks, number);
	const struct origin *origin = origins_at(run->origins, origin_number);
	struct robots_verdict verdict;
	char text[160];

	if (origin->closed_by != DIAG_OK) {
		task_give_up(run->tasks, number, origin->closed_by,
		    slice_of(why_closed(origin->closed_by)));
		return true;
	}
	verdict = robots_judge(
	    run, origin_number, url_target(&task->attempt->current));
	if (!owner_works(run->owners, origin_number, verdict.work)) {
		task_give_up(run->tasks, number, DIAG_BUDGET_REACHED,
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
	task_give_up(
	    run->tasks, number, DIAG_FETCH_BLOCKED_BY_ROBOTS, slice_of(text));
	return true;
}

/* Was the document read under the rules of today? */
static bool
is_same_scope(struct run *run, uint32_t number, const struct document *document)
{
	struct task *task = tasks_at(run->tasks, number);
	struct url final;
	bool is_same;

	url_init(&final);
	is_same = document->final_url != NULL &&
	    url_resolve(&final, slice_of(document->final_url),
		&task->attempt->current, (struct diag_sink){0}) == DIAG_OK;
	if (is_same) {
		task->fingerprint = run_fingerprint(
		    run, number, &final, document->kind == KIND_INDEX);
		is_same = task->fingerprint == document->fingerprint;
	}
	url_release(&final);
	return is_same;
}

/* Count the document for this run, and report its failure once more. */
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

/* Has an interrupted crawl of the site already read the document under the same
 * rules, or failed to read it? Then its children begin, and the document is not
 * asked for. */
static bool
is_already_read(struct run *run, uint32_t number)
{
	struct task *task = tasks_at(run->tasks, number);
	const struct crawled_site *site = sites_at(run->sites, task->site);
	struct document document;
	bool is_read;

	if (!site->is_resumed ||
	    crawl_starts_anew(crawls_at(run->crawls, site->crawl)) ||
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

/* `check` reads a change before it is published. The change may lead to a host
 * that the operator did not name, and which therefore gets no requests. */
static bool
task_leaves_out(struct run *run, uint32_t number)
{
	const struct task *task = tasks_at(run->tasks, number);
	const struct url *url = &task->attempt->current;
	struct host_state *host_state;

	if (run->options.local == NULL || task->type != TASK_DOCUMENT ||
	    task->attempt->hops > 0 || local_takes(run->options.local, url))
		return false;
	host_state = host_states_at(
	    run->hosts, host_state_of(run->hosts, url_host(url)));
	if (host_state->is_named)
		return false;
	if (!host_state->is_left)
		crawl_problem(run_crawl_of(run, number), DIAG_OK, url_text(url),
		    slice_of("nobody is asked for it: it is neither below "
			     "--base nor a target"));
	host_state->is_left = true;
	task_post(run->tasks, number, TASK_DONE);
	return true;
}

void
task_judge(struct run *run, uint32_t number)
{
	struct task *task = tasks_at(run->tasks, number);
	uint32_t origin;
	const char *text;
	enum diag_code code;

	if (limits_skip(run, number))
		return;
	(void)task_attempt(run->tasks, number);
	if (task_leaves_out(run, number))
		return;
	origin = origins_of(run->origins, &task->attempt->current);
	if (wait_for_robots(run, number, origin) ||
	    is_closed(run, number, origin) || limits_kept(run, number))
		return;
	if (is_already_read(run, number)) {
		task_post(run->tasks, number, TASK_EXPANDING);
		return;
	}
	code = host_state_is_dead(run->hosts,
	    host_state_of(run->hosts,
		url_host(&tasks_at(run->tasks, number)->attempt->current)),
	    &text);
	if (code != DIAG_OK)
		task_leave(run->tasks, number, code, text);
	else
		task_post(run->tasks, number, TASK_QUEUED);
}

/* The request. */

/* Does Last-Modified say no more than the newest lastmod of the document
 * itself?  Then it stays when a page is removed, so that a 304 would hide that
 * (R-74). */
static bool
is_dated_by_itself(const struct document *document)
{
	const struct date *newest = &document->newest;
	int64_t span_s = newest->precision >= DATE_SECOND ? 1
	    : newest->precision == DATE_MINUTE            ? 60
							  : DAY_S;
	int64_t modified_s;

	return document->etag == NULL && document->last_modified != NULL &&
	    newest->precision >= DATE_DAY &&
	    date_parse_http(&modified_s, slice_of(document->last_modified)) &&
	    modified_s >= newest->epoch_s &&
	    modified_s - newest->epoch_s < span_s;
}

/* SPEC, 15.1: validators are sent only to the URL that they came
 * from. They are sent only while the rules are the same, because a 304 brings
 * no body that new rules could judge. */
static void
set_conditions(struct run *run, uint32_t number,
    const struct document *document, struct fetch_request *request)
{
	struct attempt *attempt = tasks_at(run->tasks, number)->attempt;
	int64_t now_s = run_clock_now_s(&run->clock);

	attempt->is_conditional = false;
	if (run_crawl_of(run, number)->options.is_forced ||
	    !document->is_complete || document->final_url == NULL ||
	    document->fingerprint == 0 ||
	    (document->etag == NULL && document->last_modified == NULL) ||
	    run_is_overdue(run, document) ||
	    /* all of it is to be sent, whatever it was at the last reading */
	    attempt->is_spoilt || attempt->is_settling ||
	    document->plain_until_s > now_s ||
	    (is_dated_by_itself(document) &&
		document->whole_s + ITSELF_S <= now_s) ||
	    !slice_is(url_text(&attempt->current), document->final_url))
		return;
	tasks_at(run->tasks, number)->fingerprint = run_fingerprint(
	    run, number, &attempt->current, document->kind == KIND_INDEX);
	attempt->is_conditional = tasks_at(run->tasks, number)->fingerprint ==
	    document->fingerprint;
	if (!attempt->is_conditional)
		return;
	request->etag = document->etag;
	request->last_modified = document->last_modified;
}

/* Limits of requests for pages and robots.txt. */
static void
task_set_limits(const struct task *task, struct fetch_request *request)
{
	if (task->type == TASK_PAGE) {
		request->max_bytes = PAGE_MAX_BYTES;
		request->is_page = true;
		/* of a longer page, take the beginning */
		request->takes_any = true;
	}
	if (task->type != TASK_ROBOTS)
		return;
	request->max_bytes = ROBOTS_WIRE_BYTES;
	request->is_identity = true;
	request->takes_any = true; /* SPEC */
}

static bool
admits(void *arg, const struct addr *addr)
{
	const struct attempt *attempt = arg;

	return host_state_admits(
	    attempt->run->hosts, attempt->host, &attempt->current, addr);
}

void
task_fetch(struct run *run, uint32_t number, fetch_done_fn *done)
{
	struct task *task = tasks_at(run->tasks, number);
	struct attempt *attempt = task_attempt(run->tasks, number);
	uint32_t origin = origins_of(run->origins, &attempt->current);
	const struct site_rules *rules = run_rules(run, number);
	struct fetch_request request = {.url = &attempt->current,
	    .admit = admits,
	    .max_bytes = rules->max_bytes};
	struct document document;
	bool has_document;

	attempt->host = host_state_of(run->hosts, url_host(&attempt->current));
	request.is_single = seed_is_left(run, number);
	host_state_report_asked(run->hosts, attempt->host, true);
	attempt->spool = spool_get(run->options.spool);
	if (attempt->spool == NULL) {
		run_fail_spool(run);
		return;
	}
	request.spool = attempt->spool;
	task_set_limits(task, &request);
	if (origins_at(run->origins, origin)->named_by ==
	    sites_at(run->sites, task->site)->id) {
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
	if (local_takes(run->options.local, &attempt->current))
		local_start(run->options.local, &request, done, attempt);
	else
		fetch_start(run->options.fetcher, &request, done, attempt);
	if (has_document)
		document_release(&document);
}
