/*
 * The driver: robots.txt of each origin, and the tasks and crawls that wait for
 * it (SPEC section 8).
 */
#include "crawler/crawl/run_robots.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/robots.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_hop.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_rules.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tasks.h"
#include "crawler/event/loop.h"
#include "sched/host_queue.h"
#include "store/robots_fallback.h"

#define CACHE_S 86400 /* SPEC R-104 */

/* Tasks and crawls that wait for robots.txt. */

void
robots_release_crawls(struct run *run, uint32_t number)
{
	struct origin *origin = origins_at(run->origins, number);

	for (size_t i = 0; i < origin->awaiting_count; i++)
		crawl_robots_known(crawls_at(run->crawls, origin->awaiting[i]),
		    number, origin->closed_by != DIAG_OK,
		    loop_now_ms(run->options.loop));
	origin->awaiting_count = 0;
}

bool
robots_is_known(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = origins_at(run->origins, number);
	const struct crawled_site *asking = sites_at(run->sites, site);
	bool is_old = asking->is_single
	    ? origin->fresh_until_s <= run_clock_now_s(&run->clock)
	    : crawls_at(run->crawls, asking->crawl)->serial > origin->serial;

	if (origin->state == ORIGIN_KNOWN && is_old)
		origin->state = ORIGIN_NEW;
	return origin->state == ORIGIN_KNOWN;
}

/* run_machine.c continues the tasks and crawls that wait for this
 * robots.txt. */
static void
set_known(struct run *run, uint32_t number)
{
	origins_at(run->origins, number)->state = ORIGIN_KNOWN;
	fifo_put(origins_known(run->origins), number);
}

/* Asking for robots.txt. */

/* Until the answer comes, the rules that were known before do not count. */
static void
begin_asking(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = origins_at(run->origins, number);

	origin->state = ORIGIN_ASKED;
	origin->closed_by = DIAG_OK;
	origin->serial =
	    crawls_at(run->crawls, sites_at(run->sites, site)->crawl)->serial;
	origin->fresh_until_s = INT64_MAX;
}

void
robots_task(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = origins_at(run->origins, number);
	struct task task = {.type = TASK_ROBOTS,
	    .class = CLASS_ROBOTS,
	    .site = site,
	    .origin = number,
	    .parent = NONE,
	    .newest_s = INT64_MIN};
	struct document document;
	struct buf url;

	begin_asking(run, number, site);
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_print(&url, "%s/robots.txt", origin->text);
	store_document(run->options.store, sites_at(run->sites, site)->id,
	    buf_text(&url), &document);
	task.document_id = document.id;
	document_release(&document);
	task.url = buf_take(&url);
	task_start(run->tasks, run_add_task(run, &task));
}

/* HOSTILE E35: false if the budget of the owner has no further host today; the
 * origin is closed then. */
static bool
may_ask(struct run *run, uint32_t number)
{
	if (owner_may_ask(run->owners, number))
		return true;
	rules_use(run, number, NULL);
	origins_at(run->origins, number)->closed_by = DIAG_BUDGET_REACHED;
	rules_set_fresh(run, number, 0);
	return false;
}

void
robots_ask(struct run *run, uint32_t number, uint32_t site_number)
{
	const struct crawled_site *site = sites_at(run->sites, site_number);
	bool is_known;

	begin_asking(run, number, site_number);
	is_known = rules_recall(run, number, site) ||
	    rules_if_parked(run, number, site) || !may_ask(run, number);
	if (site->is_resumed)
		host_state_spare(
		    run->hosts, origins_at(run->origins, number)->host);
	if (is_known)
		set_known(run, number);
	else
		robots_task(run, number, site_number);
}

void
robots_want(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = origins_at(run->origins, number);
	uint32_t crawl = sites_at(run->sites, site)->crawl;

	if (robots_is_known(run, number, site))
		return;
	origin->awaiting = mem_grow(origin->awaiting, &origin->awaiting_cap,
	    origin->awaiting_count + 1, sizeof(*origin->awaiting));
	origin->awaiting[origin->awaiting_count++] = crawl;
	crawls_at(run->crawls, crawl)->robots_open++;
	if (origin->state == ORIGIN_NEW)
		robots_ask(run, number, site);
}

/* Was the last answer a file, and is its copy in the store? */
static bool
has_good_copy(struct run *run, const struct origin *origin,
    struct robots_fact *fact, struct buf *body)
{
	return store_robots_get(
		   run->options.store, slice_of(origin->text), fact, body) &&
	    fact->has_body && fact->failing_since_s == 0;
}

void
robots_conditions(struct run *run, uint32_t number,
    const struct document *document, struct fetch_request *request)
{
	struct task *task = tasks_at(run->tasks, number);
	struct robots_fact fact;
	struct buf body;

	buf_init(&body, SIZE_MAX);
	task->attempt->is_conditional = !run_crawl_of(run, number)
					     ->options.is_forced &&
	    document->final_url != NULL &&
	    (document->etag != NULL || document->last_modified != NULL) &&
	    slice_is(url_text(&task->attempt->current), document->final_url) &&
	    has_good_copy(
		run, origins_at(run->origins, task->origin), &fact, &body);
	if (task->attempt->is_conditional) {
		request->etag = document->etag;
		request->last_modified = document->last_modified;
	}
	buf_release(&body);
}

/* The answer. */

static const struct crawled_site *
site_of(const struct run *run, const struct task *task)
{
	return sites_at(run->sites, task->site);
}

/* Store the fact, and the Sitemap lines as proofs: as many lines as the budget
 * of the owner allows today. */
static void
keep(struct run *run, struct task *task, struct robots_fact *fact)
{
	const struct origin *origin = origins_at(run->origins, task->origin);
	uint32_t count = robots_sitemaps(origin->robots), line;
	uint32_t most = owner_sitemaps(run->owners, task->origin, count);
	uint64_t lost;
	struct slice *sitemaps = mem_alloc((most + 1) * sizeof(*sitemaps));
	uint32_t *lines = mem_alloc((most + 1) * sizeof(*lines));

	for (uint32_t i = 0; i < most; i++)
		sitemaps[i] = robots_sitemap(origin->robots, i, &lines[i]);
	if (most < count) {
		(void)robots_sitemap(origin->robots, most, &line);
		findings_add(&task->attempt->findings,
		    DIAG_TOO_MANY_ROBOTS_SITEMAPS, line,
		    slice_of("of all hosts of its domain today"));
	}
	fact->origin = slice_of(origin->text);
	fact->sitemaps = sitemaps;
	fact->lines = lines;
	fact->sitemap_count = most;
	fact->is_cut = most < count;
	fact->is_of_host = origin->is_of_host;
	loop_commit_begin(run->options.loop);
	lost = store_robots(run->options.store, fact);
	loop_commit_end(run->options.loop);
	if (lost > 0)
		findings_add(&task->attempt->findings, DIAG_SITEMAP_LINE_LOST,
		    0,
		    slice_of("it names no sitemap any more; what it named is "
			     "read on"));
	sites_proofs_changed(run->sites);
	free(sitemaps);
	free(lines);
	origins_trim_robots(run->origins, task->origin);
}

static void
seed(struct run *run, const struct task *task)
{
	const struct crawled_site *site = sites_at(run->sites, task->site);

	if (site->is_single &&
	    origins_at(run->origins, task->origin)->is_seeded)
		lines_seed_single(run, task->origin, site->id);
}

static void
submit(struct run *run, uint32_t number, const struct fetch_result *result,
    enum diag_code failure)
{
	struct task *task = tasks_at(run->tasks, number);
	struct attempt *attempt = task->attempt;
	struct reading *reading = read_begin(run, number, result);

	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = failure == DIAG_OK;
	reading->content.decoded_bytes = result->wire_bytes;
	reading->outcome = failure == DIAG_OK ? OUTCOME_READ : OUTCOME_FAILED;
	if (result->status == 304 && failure == DIAG_OK)
		reading->outcome = OUTCOME_UNCHANGED;
	reading->failure = failure;
	reading->content.findings = attempt->findings;
	attempt->findings = (struct findings){0};
	task_post(run->tasks, number, TASK_COMMITTING);
}

/* SPEC R-104: the answer expires after its max-age, but after a day at the
 * latest. */
static int64_t
expiry(const struct fetch_result *result, int64_t now_s)
{
	if (result->max_age_s >= 0 && result->max_age_s < CACHE_S)
		return now_s + result->max_age_s;
	return now_s + CACHE_S;
}

/* If a file is over the limit, the line that the limit cuts is dropped (SPEC
 * it might mean something else than the whole line. */
static struct slice
whole_lines(struct slice body)
{
	body.len = ROBOTS_MAX_BYTES;
	while (body.len > 0 && body.p[body.len - 1] != '\n' &&
	    body.p[body.len - 1] != '\r')
		body.len--;
	return body;
}

/* The rules that were known before remain in force, and their Sitemap lines
 * remain proofs. */
static void
fall_back(struct run *run, struct task *task, struct robots_fact *fact,
    enum diag_code failure)
{
	const struct crawled_site *site = site_of(run, task);
	int64_t now_s = fact->fetched_s;

	if (fact->failing_since_s == 0)
		fact->failing_since_s = now_s;
	fact->origin = slice_of(origins_at(run->origins, task->origin)->text);
	/* A redirect to a private address does not make the origin itself
	 * private. */
	rules_close(run, task->origin, site, fact,
	    failure == DIAG_PRIVATE_ADDRESS && task->attempt->hops == 0
		? DIAG_PRIVATE_ADDRESS
		: DIAG_ROBOTS_UNREACHABLE);
	if (fact->has_body)
		rules_parse(run, task->origin, site, fact->body,
		    &task->attempt->findings);
	keep(run, task, fact);
	if (robots_has_given_up(&site->rules->profile, fact, now_s))
		rules_use(run, task->origin, NULL);
}

/* robots.txt cannot be fetched; `why` says the reason, NULL: the result has
 * it. */
static void
unreachable(struct run *run, uint32_t number, const struct fetch_result *result,
    enum diag_code failure, const char *why)
{
	struct task *task = tasks_at(run->tasks, number);
	struct origin *origin = origins_at(run->origins, task->origin);
	struct robots_fact fact = {0};
	struct buf body;
	char status[40];

	if (why == NULL)
		why = result->detail;
	if (result->code == DIAG_OK && why == result->detail) {
		(void)snprintf(
		    status, sizeof(status), "status %d", result->status);
		why = status;
	}
	buf_init(&body, SIZE_MAX);
	(void)store_robots_get(
	    run->options.store, slice_of(origin->text), &fact, &body);
	fact.fetched_s = run_clock_now_s(&run->clock);
	fact.expires_s = fact.fetched_s;
	fact.status = result->status;
	fall_back(run, task, &fact, failure);
	rules_set_fresh(run, task->origin, fact.fetched_s + ROBOTS_LEAST_S);
	findings_add(&task->attempt->findings, DIAG_ROBOTS_UNREACHABLE, 0,
	    slice_of(why));
	if (failure != DIAG_ROBOTS_UNREACHABLE)
		findings_add(
		    &task->attempt->findings, failure, 0, slice_of(why));
	crawl_problem(run_crawl_of(run, number), failure, slice_of(task->url),
	    slice_of(result->detail));
	buf_release(&body);
	submit(run, number, result, failure);
	set_known(run, task->origin);
}

/* The rules are known: store the fact and the reading, and go on with the tasks
 * that waited for the rules. */
static void
finish(struct run *run, uint32_t number, const struct fetch_result *result,
    struct robots_fact *fact)
{
	struct task *task = tasks_at(run->tasks, number);

	keep(run, task, fact);
	seed(run, task);
	rules_set_fresh(run, task->origin, fact->expires_s);
	submit(run, number, result, DIAG_OK);
	set_known(run, task->origin);
}

/* SPEC: use the rules of the file, or allow everything if there is
 * no file. */
static void
parsed(struct run *run, uint32_t number, const struct fetch_result *result,
    bool has_file)
{
	struct task *task = tasks_at(run->tasks, number);
	int64_t now_s = run_clock_now_s(&run->clock);
	struct robots_fact fact = {.fetched_s = now_s,
	    .expires_s = expiry(result, now_s),
	    .status = result->status,
	    .has_body = has_file};
	struct buf body;

	buf_init(&body, ROBOTS_MAX_BYTES + 16384);
	if (has_file) {
		const char *why = NULL;

		(void)spool_read(task->attempt->spool, &body);
		if (robots_is_packed(buf_text(&body), result->content_encoding))
			why = ROBOTS_PACKED;
		else if (!owner_takes(run->owners, task->origin, body.len))
			why = "the daily budget for robots.txt of its domain "
			      "is used up";
		if (why != NULL) {
			buf_release(&body);
			unreachable(
			    run, number, result, DIAG_ROBOTS_UNREACHABLE, why);
			return;
		}
		rules_parse(run, task->origin, site_of(run, task),
		    buf_text(&body), &task->attempt->findings);
	} else {
		rules_use(run, task->origin, NULL);
	}
	fact.body = buf_text(&body);
	if (fact.body.len > ROBOTS_MAX_BYTES)
		fact.body = whole_lines(fact.body);
	finish(run, number, result, &fact);
	buf_release(&body);
}

/* Status 304: the copy in the store is still right. */
static void
not_modified(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct task *task = tasks_at(run->tasks, number);
	struct robots_fact fact;
	struct buf body;

	buf_init(&body, SIZE_MAX);
	if (!has_good_copy(
		run, origins_at(run->origins, task->origin), &fact, &body)) {
		buf_release(&body);
		store_damaged(run->options.store,
		    "origin: no robots.txt of '%s' is there",
		    origins_at(run->origins, task->origin)->text);
		run_fail(run, DIAG_STORE_DAMAGED);
		return;
	}
	rules_parse(run, task->origin, site_of(run, task), fact.body,
	    &task->attempt->findings);
	fact.fetched_s = run_clock_now_s(&run->clock);
	fact.expires_s = expiry(result, fact.fetched_s);
	finish(run, number, result, &fact);
	buf_release(&body);
}

static bool
try_http(struct run *run, uint32_t number, const struct fetch_result *result)
{
	uint32_t from = tasks_at(run->tasks, number)->origin;
	uint32_t site = origins_at(run->origins, from)->seed_site;
	struct url url;
	struct buf why;
	uint32_t to;

	if (site == NONE)
		site = tasks_at(run->tasks, number)->site;
	if (sites_at(run->sites, site)->is_single ||
	    !origins_at(run->origins, from)->may_be_http ||
	    !result->is_connect_failure || result->is_untrusted ||
	    sites_at(run->sites, site)->rules->credentials != NULL ||
	    sites_at(run->sites, site)->rules->headers != NULL)
		return false;
	url_init(&url);
	seed_http_of(run, from, &url);
	buf_init(&why, SIZE_MAX);
	(void)buf_print(&why, "%s; going on with http", result->detail);
	crawl_problem(run_crawl_of(run, number), DIAG_OK,
	    slice_of(tasks_at(run->tasks, number)->url), buf_text(&why));
	buf_release(&why);
	to = origins_of(run->origins, &url);
	policy_allow_target(run->options.policy, &url);
	url_release(&url);
	origins_at(run->origins, from)->seed_site = NONE;
	origins_at(run->origins, from)->may_be_http = false;
	origins_at(run->origins, to)->is_of_host = true;
	origins_seed_later(run->origins, to, site);
	robots_want(run, to, site);
	return true;
}

void
robots_answered(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	int status = result->status;

	/* SPEC R-99: the part past the limit is ignored; that is no error. */
	if (result->code == DIAG_BODY_TOO_BIG && status / 100 == 2) {
		parsed(run, number, result, true);
		return;
	}
	if (result->code != DIAG_OK) {
		if (try_http(run, number, result)) {
			uint32_t origin = tasks_at(run->tasks, number)->origin;

			task_post(run->tasks, number, TASK_DONE);
			set_known(run, origin);
			return;
		}
		if (hop_retry(run, number, result))
			return;
		unreachable(run, number, result, result->code, NULL);
		return;
	}
	if (status == 304 &&
	    tasks_at(run->tasks, number)->attempt->is_conditional) {
		not_modified(run, number, result);
		return;
	}
	if (status >= 300 && status < 400 && status != 304) {
		if (!hop_redirect(run, number, result))
			parsed(run, number, result, false);
		return;
	}
	if (status == 429 || status >= 500) {
		if (hop_retry(run, number, result))
			return;
		unreachable(run, number, result, DIAG_ROBOTS_UNREACHABLE, NULL);
		return;
	}
	parsed(run, number, result, status >= 200 && status < 300);
}

/* Tasks that come out of the host queue. */

bool
robots_admit(struct run *run, uint32_t number)
{
	struct task *task = tasks_at(run->tasks, number);
	struct attempt *attempt = task_attempt(run->tasks, number);
	uint32_t number_of = origins_of(run->origins, &attempt->current);
	struct origin *origin = origins_at(run->origins, number_of);

	if (task->type == TASK_ROBOTS)
		return true;
	if (origin->state == ORIGIN_KNOWN &&
	    origin->fresh_until_s <= run_clock_now_s(&run->clock))
		origin->state = ORIGIN_NEW;
	/* Usually the rules are still those by which the task was judged before
	 * it waited in the host queue. */
	if (origin->state == ORIGIN_KNOWN && origin->closed_by == DIAG_OK &&
	    (attempt->judged_by == origin->rules_stamp ||
		rules_verdict(run, number_of, url_target(&attempt->current))
		    .is_allowed))
		return true;
	host_queue_return(run->host_queue,
	    host_state_of(run->hosts, url_host(&attempt->current)));
	task_post(run->tasks, number, TASK_NEW);
	return false;
}

/* Does another crawl want the robots.txt, or another site of this crawl that is
 * not closed? The task belongs to the site that asked first, which may be
 * closed now. */
static bool
is_wanted(struct run *run, const struct origin *origin, uint32_t crawl)
{
	for (size_t i = 0; i < origin->awaiting_count; i++)
		if (origin->awaiting[i] != crawl)
			return true;
	for (size_t i = 0; i < origin->waiting_count; i++)
		if (!limits_forbid(run, origin->waiting[i]))
			return true;
	return origin->seed_site != NONE && !run->is_full &&
	    !sites_at(run->sites, origin->seed_site)->is_closed &&
	    !crawls_at(
		run->crawls, sites_at(run->sites, origin->seed_site)->crawl)
		 ->is_closed;
}

bool
robots_forget(struct run *run, uint32_t number)
{
	struct origin *origin = origins_at(
	    run->origins, tasks_at(run->tasks, number)->origin);

	if (is_wanted(run, origin,
		sites_at(run->sites, tasks_at(run->tasks, number)->site)
		    ->crawl))
		return false;
	robots_release_crawls(run, tasks_at(run->tasks, number)->origin);
	origin->state = ORIGIN_NEW;
	origin->seed_site = NONE;
	for (size_t i = 0; i < origin->waiting_count; i++)
		(void)limits_skip(run, origin->waiting[i]);
	origin->waiting_count = 0;
	task_post(run->tasks, number, TASK_DONE);
	return true;
}
