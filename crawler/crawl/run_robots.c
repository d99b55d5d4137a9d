/*
 * The driver: robots.txt of each origin, and the tasks and crawls that wait for
 * it (SPEC section 8).
 */
#include "crawler/crawl/run_robots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/page_filter.h"
#include "base/wall.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/parse/page.h"
#include "crawler/parse/read.h"
#include "store/proof.h"

#define CACHE_S 86400 /* SPEC R-104 */
#define ROBOTS_QUIET_MS 100 /* the longest wait for one more robots.txt */
/* Pages renew a robots.txt before it is too old, so that whoever reads it once
 * a day knows that, and does not ask for it again at the same moment. */
#define ROBOTS_EARLY_S 120

#define ROBOTS_WHY_BYTES 160

/* Do status and headers say that the rules cannot be known, whatever the status
 * is?  Then why says the reason. */
static bool
robots_is_hidden(const struct fetch_result *result, char why[ROBOTS_WHY_BYTES])
{
	if (result->is_challenge)
		(void)snprintf(why, ROBOTS_WHY_BYTES,
		    "status %d, a challenge of " WALL_OF_BOTS "%s",
		    result->status, result->wall);
	else if (result->status == 202)
		(void)snprintf(why, ROBOTS_WHY_BYTES,
		    "status 202, with which no file comes");
	return result->is_challenge || result->status == 202;
}

/* Rules (SPEC section 8). */

/* Takes the findings of a parsed robots.txt, with their lines. */
struct robots_sink {
	struct findings *findings;
	/* the rest of the body, from the line of the last finding */
	struct slice rest;
	uint32_t line; /* number of that line, from 1 */
};

/* Findings come in the order of lines; what a finding quotes is a part of the
 * body, or nothing. */
static void
robots_note_finding(void *arg, enum diag_code code, struct slice detail)
{
	struct robots_sink *sink = arg;
	struct slice *rest = &sink->rest;
	bool is_part = detail.len > 0 && detail.p >= rest->p &&
	    detail.p < rest->p + rest->len;

	while (is_part && rest->p < detail.p) {
		sink->line += rest->p[0] == '\n' ||
		    (rest->p[0] == '\r' && rest->p[1] != '\n');
		*rest = slice_from(*rest, 1);
	}
	findings_add(sink->findings, code, is_part ? sink->line : 0, detail);
}

struct robots *
robots_parse_noting(struct slice body, struct slice agent,
    const struct profile *profile, struct findings *findings)
{
	struct robots_sink sink = {findings, body, 1};

	return robots_parse(body, agent, profile,
	    (struct diag_sink){robots_note_finding, &sink});
}

/* Parse a body under the profile of the task's site. */
static struct robots *
robots_parse_body(const struct run *run, struct task *task, struct slice body)
{
	return robots_parse_noting(body, slice_of(run->options.agent),
	    &run->sites[task->site].rules->profile, &task->attempt->findings);
}

void
robots_use(struct run *run, uint32_t number, const struct crawled_site *site,
    const struct robots_fact *fact)
{
	struct origin *origin = &run->origins[number];
	struct host *host = run->table->items[origin->host];
	uint32_t most_ms = host->crawl_delay_ms[HOST_DOCUMENTS];
	bool was_largest = origin->crawl_delay_ms == most_ms;
	uint32_t delay_ms = 0;

	origin->has_rules = fact != NULL && fact->has_body;
	origin->rules_stamp = ++run->stamps;
	if (origin->has_rules) {
		origin->repairs = site->rules->profile.robots_repair ==
		    SWITCH_ON;
		delay_ms = robots_delay_ms(
		    store_rules(run->options.store, slice_of(origin->text),
			slice_of(run->options.agent), origin->repairs));
	}
	if (origin->has_rules &&
	    strcmp(run->options.agent, ROBOTS_PRODUCT) != 0) {
		/* The requests come from freshet even if the operator chose the
		 * rules of another agent, so the Crawl-delay for freshet
		 * counts, too. */
		struct robots *ours = robots_parse(fact->body,
		    slice_of(ROBOTS_PRODUCT), &site->rules->profile,
		    (struct diag_sink){0});

		if (robots_delay_ms(ours) > delay_ms)
			delay_ms = robots_delay_ms(ours);
		robots_free(ours);
	}
	/* The largest delay of the origins of a host holds (SPEC R-105). */
	origin->crawl_delay_ms = delay_ms;
	if (delay_ms < most_ms && was_largest) {
		most_ms = 0;
		for (uint32_t i = 0; i < run->origin_count; i++) {
			const struct origin *other = &run->origins[i];

			if (other->host == origin->host &&
			    other->crawl_delay_ms > most_ms)
				most_ms = other->crawl_delay_ms;
		}
	}
	if (delay_ms > most_ms)
		most_ms = delay_ms;
	host->crawl_delay_ms[HOST_DOCUMENTS] = most_ms;
	host_set_delay(run->table, host);
}

unsigned
page_purposes(const struct run *run, uint32_t task)
{
	return run_task(run, task)->attempt->ordered == NULL
	    ? 0
	    : page_filter_purposes(run_site_of(run, task)->rules->pages);
}

struct robots_verdict
robots_judge(
    struct run *run, uint32_t task, uint32_t number, struct slice target)
{
	const struct origin *origin = &run->origins[number];
	const struct robots *robots = NULL;

	if (origin->has_rules) {
		robots = store_rules(run->options.store, slice_of(origin->text),
		    slice_of(run->options.agent), origin->repairs);
		if (robots == NULL) {
			/* the store has lost them */
			run_fail(run, DIAG_STORE_DAMAGED);
			return (struct robots_verdict){.is_allowed = false};
		}
	}
	return robots_page_verdict(robots, target, page_purposes(run, task));
}

/* robots.txt is fresh until then, but at least for ROBOTS_LEAST_S. */
static void
robots_set_fresh(struct run *run, uint32_t number, int64_t until_s)
{
	int64_t least_s = run_now_s(run) + ROBOTS_LEAST_S;

	run->origins[number].fresh_until_s = until_s > least_s ? until_s
							       : least_s;
}

/* Tasks and crawls that wait for robots.txt. */

void
robots_release_crawls(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];

	int64_t until_ms = run_now_ms(run) + ROBOTS_QUIET_MS;

	for (size_t i = 0; i < origin->awaiting.end; i++) {
		struct crawl *crawl = &run->crawls[origin->awaiting.items[i]];

		crawl->robots_open--;
		/* The answers for robots.txt usually come shortly after one
		 * another. So after each answer the wait for the others is
		 * short: a server that does not answer, or whose answer never
		 * ends, must not hold up the documents of other sites. An
		 * origin without an answer does not prolong the wait. */
		if (origin->closed_by == DIAG_OK)
			crawl->robots_until_ms = until_ms < crawl->robots_end_ms
			    ? until_ms
			    : crawl->robots_end_ms;
		if (crawl->state == CRAWL_DOCUMENTS)
			fifo_put(&crawl->late, number);
	}
	origin->awaiting.end = 0;
}

/* A robots.txt that is fresh until then, or earlier, is too old for that site
 * entry. */
static int64_t
robots_old_s(struct run *run, uint32_t site)
{
	return run_now_s(run) +
	    (run->sites[site].is_pages ? ROBOTS_EARLY_S : 0);
}

bool
robots_is_known(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	const struct crawled_site *asking = &run->sites[site];
	bool is_old = asking->is_single
	    ? origin->fresh_until_s <= robots_old_s(run, site)
	    : run->crawls[asking->crawl].serial > origin->serial;

	if (origin->state == ORIGIN_KNOWN && is_old)
		origin->state = ORIGIN_NEW;
	return origin->state == ORIGIN_KNOWN;
}

/* run_machine.c continues the tasks and crawls that wait for this
 * robots.txt. */
static void
set_known(struct run *run, uint32_t number)
{
	run->origins[number].state = ORIGIN_KNOWN;
	fifo_put(&run->known, number);
}

/* Asking for robots.txt. */

/* Until the answer comes, the rules that were known before do not count. */
static void
begin_asking(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];

	origin->state = ORIGIN_ASKED;
	origin->closed_by = DIAG_OK;
	origin->serial = run->crawls[run->sites[site].crawl].serial;
	origin->fresh_until_s = INT64_MAX;
}

void
robots_task(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	struct task task = {.type = TASK_ROBOTS,
	    .class = CLASS_ROBOTS,
	    .site = site,
	    .origin = number,
	    .parent = NONE};
	struct document document;
	struct buf url = BUF_UP_TO(URL_MAX_BYTES);

	begin_asking(run, number, site);
	(void)buf_print(&url, "%s/robots.txt", origin->text);
	store_document(
	    run->options.store, run->sites[site].id, buf_text(&url), &document);
	task.document_id = document.id;
	document_release(&document);
	task.url = buf_take(&url);
	task_start(run, run_add_task(run, &task));
}

/* Bare hosts (SPEC 15.6): http is tried if https does not answer; but not with
 * the operator's secrets, which http would show to others. */

static bool
may_try_http(struct run *run, uint32_t from, uint32_t site)
{
	const struct site_rules *rules = run->sites[site].rules;

	return !run->sites[site].is_single && run->origins[from].may_be_http &&
	    rules->credentials == NULL && rules->headers == NULL;
}

/* The host is asked by http from here on, as its site's rules and seeds. */
static void
go_on_with_http(
    struct run *run, uint32_t from, uint32_t site, const char *reason)
{
	struct buf why = BUF_UP_TO(SIZE_MAX), asked = BUF_UP_TO(SIZE_MAX);
	struct url url = {0};
	uint32_t to;

	(void)buf_print(&why, "%s; going on with http", reason);
	(void)buf_print(&asked, "%s/robots.txt", run->origins[from].text);
	crawl_problem(&run->crawls[run->sites[site].crawl], DIAG_OK,
	    buf_text(&asked), buf_text(&why));
	buf_release(&asked);
	buf_release(&why);
	seed_http_of(run, from, &url);
	to = origins_of(run, &url);
	policy_allow_target(run->options.policy, &url);
	url_release(&url);
	run->origins[from].seed_site = NONE;
	run->origins[from].may_be_http = false;
	run->origins[to].is_of_host = true;
	origins_seed_later(run, to, site);
	robots_want(run, to, site);
}

/* A host that answers by http alone is asked for https once a week. */
static bool
skips_https(struct run *run, uint32_t number, uint32_t site)
{
	uint32_t seeded = run->origins[number].seed_site;

	if (seeded == NONE)
		seeded = site;
	if (!may_try_http(run, number, seeded) ||
	    !robots_is_spare(run->options.store,
		slice_of(run->origins[number].text), run_now_s(run)))
		return false;
	go_on_with_http(run, number, seeded,
	    "https has not answered, and is asked for once a week");
	return true;
}

void
robots_ask(struct run *run, uint32_t number, uint32_t site_number)
{
	const struct crawled_site *site = &run->sites[site_number];
	uint32_t host = run->origins[number].host;
	const struct crawl_options *options = &run->crawls[site->crawl].options;
	int64_t now_s = run_now_s(run);
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);
	const char *text;
	bool is_known, is_there, is_good = false, is_parked;

	begin_asking(run, number, site_number);
	/* May the stored answer be used without a new request? It is, if it is
	 * good enough for the site entry, or if the host asked for a pause, so
	 * that robots.txt cannot be asked for; the stored rules hold then. */
	is_there = store_robots_get(run->options.store,
	    slice_of(run->origins[number].text), &fact, &body);
	if (is_there && (site->is_resumed || site->is_single)) {
		/* A single document uses an answer that is fresh; a resumed
		 * crawl uses the answer that it got before. */
		int64_t until_s = fact.fetched_s + ROBOTS_LEAST_S;

		if (fact.failing_since_s == 0 && fact.expires_s > until_s)
			until_s = fact.expires_s;
		is_good = (!options->is_forced || options->is_continued) &&
		    until_s > robots_old_s(run, site_number) &&
		    fact.fetched_s <= now_s &&
		    (site->is_single ||
			(fact.failing_since_s == 0 &&
			    fact.fetched_s >= site->begun_s));
	}
	is_parked = !is_good &&
	    host_state_is_dead(run, host, &text) == DIAG_FETCH_RATE_LIMITED;
	if (is_good) {
		fact.has_body = fact.has_body &&
		    !robots_is_old(&fact, &site->rules->profile, now_s);
		robots_use(run, number, site, &fact);
		robots_set_fresh(run, number,
		    fact.failing_since_s != 0 ? fact.fetched_s + ROBOTS_LEAST_S
					      : fact.expires_s);
		if (fact.failing_since_s != 0) {
			/* SPEC R-102 */
			bool is_closed = robots_is_closed(run->options.store,
			    site->id, &site->rules->profile, &fact, now_s);

			run->origins[number].closed_by = is_closed
			    ? DIAG_ROBOTS_UNREACHABLE
			    : DIAG_OK;
		}
	} else if (is_parked && is_there && fact.has_body) {
		robots_use(run, number, site, &fact);
	}
	buf_release(&body);
	is_known = is_good || is_parked;
	if (!is_known && !owner_may_ask(run, number)) {
		/* HOSTILE E35: the budget of the owner has no further host
		 * today. */
		robots_use(run, number, NULL, NULL);
		run->origins[number].closed_by = DIAG_BUDGET_REACHED;
		robots_set_fresh(run, number, 0);
		is_known = true;
	}
	is_known = is_known || skips_https(run, number, site_number);
	if (site->is_resumed)
		/* An interrupted crawl may have sent the host a request a
		 * moment ago. */
		host_queue_hold(run->host_queue, host,
		    run_now_ms(run) + run->table->items[host]->delay_ms);
	if (is_known)
		set_known(run, number);
	else
		robots_task(run, number, site_number);
}

void
robots_want(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	uint32_t crawl = run->sites[site].crawl;

	if (robots_is_known(run, number, site))
		return;
	fifo_put(&origin->awaiting, crawl);
	run->crawls[crawl].robots_open++;
	if (origin->state == ORIGIN_NEW)
		robots_ask(run, number, site);
}

void
robots_conditions(struct run *run, uint32_t number,
    const struct document *document, struct fetch_request *request)
{
	struct task *task = run_task(run, number);
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);

	task->attempt->is_conditional = !task->is_renewed &&
	    !run_crawl_of(run, number)->options.is_forced &&
	    !task->attempt->is_spoilt &&
	    document->plain_until_s <= run_now_s(run) &&
	    document->final_url != NULL &&
	    (document->etag != NULL || document->last_modified != NULL) &&
	    slice_is(url_text(&task->attempt->current), document->final_url) &&
	    /* the last answer was a file, and its copy is in the store */
	    store_robots_get(run->options.store,
		slice_of(run->origins[task->origin].text), &fact, &body) &&
	    fact.has_body && fact.failing_since_s == 0;
	if (task->attempt->is_conditional) {
		request->etag = document->etag;
		request->last_modified = document->last_modified;
	}
	buf_release(&body);
}

/* The answer. */

/* Store the fact, and the Sitemap lines as proofs: as many lines as the budget
 * of the owner allows today. The rules of the fact hold from now on. Takes
 * robots over, which is the parsed body, or NULL. */
static void
robots_keep(struct run *run, struct task *task, struct robots_fact *fact,
    struct robots *robots)
{
	const struct crawled_site *site = &run->sites[task->site];
	const struct origin *origin = &run->origins[task->origin];
	uint32_t count = robots == NULL ? 0 : (uint32_t)robots->sitemaps.count;
	uint32_t line;
	uint32_t most = owner_sitemaps(run, task->origin, count);
	uint64_t lost;
	struct slice *sitemaps = mem_alloc((most + 1) * sizeof(*sitemaps));
	uint32_t *lines = mem_alloc((most + 1) * sizeof(*lines));

	for (uint32_t i = 0; i < most; i++)
		sitemaps[i] = robots_sitemap(robots, i, &lines[i]);
	if (most < count) {
		(void)robots_sitemap(robots, most, &line);
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
	loop_commit(run->options.loop, true);
	lost = store_robots(run->options.store, fact);
	loop_commit(run->options.loop, false);
	if (lost > 0)
		findings_add(&task->attempt->findings, DIAG_SITEMAP_LINE_LOST,
		    0,
		    slice_of("it names no sitemap any more; what it named is "
			     "read on"));
	run->proofs++;
	free(sitemaps);
	free(lines);
	if (robots != NULL)
		store_rules_keep(run->options.store, fact->origin, robots,
		    site->rules->profile.robots_repair == SWITCH_ON);
	robots_use(run, task->origin, site, fact);
}

static void
submit(struct run *run, uint32_t number, enum diag_code failure)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	struct reading *reading = attempt->reading;

	task_drop_spool(attempt);
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = failure == DIAG_OK;
	reading->content.decoded_bytes = reading->http.wire_bytes;
	reading->outcome = failure == DIAG_OK ? OUTCOME_READ : OUTCOME_FAILED;
	if (reading->http.status == 304 && failure == DIAG_OK)
		reading->outcome = OUTCOME_UNCHANGED;
	reading->failure = failure;
	reading->content.findings = attempt->findings;
	attempt->findings = (struct findings){0};
	task_post(run, number, TASK_COMMITTING);
}

/* The last good copy of robots.txt in the store. A page that once counted as
 * one is none. */
static bool
get_known(struct run *run, const struct task *task, struct robots_fact *fact,
    struct buf *body)
{
	(void)store_robots_get(run->options.store,
	    slice_of(run->origins[task->origin].text), fact, body);
	fact->has_body = fact->has_body && robots_is_file(fact->body);
	if (!fact->has_body)
		fact->body = slice_make(NULL, 0);
	return fact->has_body;
}

/* robots.txt cannot be read; `why` says the reason. The rules that were known
 * before remain in force, and their Sitemap lines remain proofs. */
static void
unreachable(
    struct run *run, uint32_t number, enum diag_code failure, const char *why)
{
	struct task *task = run_task(run, number);
	const struct crawled_site *site = &run->sites[task->site];
	struct origin *origin = &run->origins[task->origin];
	int64_t now_s = run_now_s(run);
	struct robots_fact fact = {0};
	struct buf body = BUF_UP_TO(SIZE_MAX), text = BUF_UP_TO(SIZE_MAX);

	(void)get_known(run, task, &fact, &body);
	fact.origin = slice_of(origin->text);
	fact.fetched_s = now_s;
	fact.expires_s = now_s;
	fact.status = failure == DIAG_ROBOTS_UNREACHABLE
	    ? task->attempt->reading->http.status
	    : 0;
	if (fact.failing_since_s == 0)
		fact.failing_since_s = now_s;
	/* If nothing may be fetched because robots.txt cannot be read (SPEC
	 * R-102), close the origin.  A redirect to a private address does not
	 * make the origin itself private. */
	origin->closed_by = DIAG_OK;
	if (robots_is_closed(run->options.store, site->id,
		&site->rules->profile, &fact, now_s))
		origin->closed_by = failure == DIAG_PRIVATE_ADDRESS &&
			task->attempt->hops == 0
		    ? DIAG_PRIVATE_ADDRESS
		    : DIAG_ROBOTS_UNREACHABLE;
	robots_keep(run, task, &fact,
	    fact.has_body ? robots_parse_body(run, task, fact.body) : NULL);
	if (robots_is_old(&fact, &site->rules->profile, now_s))
		robots_use(run, task->origin, NULL, NULL);
	robots_set_fresh(run, task->origin, now_s + ROBOTS_LEAST_S);
	(void)buf_print(&text, "%s%s",
	    origin->closed_by == DIAG_OK && fact.has_body
		? "what it said before holds; now: "
		: "",
	    why);
	findings_add(&task->attempt->findings, DIAG_ROBOTS_UNREACHABLE, 0,
	    buf_text(&text));
	if (failure != DIAG_ROBOTS_UNREACHABLE)
		findings_add(
		    &task->attempt->findings, failure, 0, slice_of(why));
	crawl_problem(run_crawl_of(run, number), failure, slice_of(task->url),
	    buf_text(&text));
	buf_release(&text);
	buf_release(&body);
	submit(run, number, failure);
	set_known(run, task->origin);
}

/* The rules are known: store the fact and the reading, and go on with the tasks
 * that waited for the rules. */
static void
robots_finish(struct run *run, uint32_t number, struct robots_fact *fact,
    struct robots *robots)
{
	struct task *task = run_task(run, number);

	robots_keep(run, task, fact, robots);
	const struct crawled_site *site = &run->sites[task->site];

	if (site->is_single && run->origins[task->origin].is_seeded)
		lines_add(run,
		    &(struct line_job){.use = USE_SEED_SINGLE,
			.origin = task->origin,
			.crawl = NONE,
			.site_id = site->id});
	robots_set_fresh(run, task->origin, fact->expires_s);
	submit(run, number, task->attempt->failure);
	set_known(run, task->origin);
}

/* SPEC R-101: everything is allowed if there is no file. */
static void
no_file(struct run *run, uint32_t number)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	struct robots_fact fact = {.fetched_s = run_now_s(run),
	    .expires_s = attempt->expires_s,
	    .status = attempt->reading->http.status};

	robots_finish(run, number, &fact, NULL);
}

/* What came with 2xx, unpacked: the file, or something in its place (SPEC
 * */
static void
robots_take(struct run *run, uint32_t number, struct slice text)
{
	struct task *task = run_task(run, number);
	struct robots_fact fact;
	struct buf body = {0};
	const char *why = robots_is_html(text) ? "a web page, and no robots.txt"
					       : "some text, and no robots.txt";
	bool holds, is_cut;

	if (robots_is_packed(text, NULL)) {
		unreachable(run, number, DIAG_ROBOTS_UNREACHABLE,
		    "it is packed in a coding that cannot be undone");
	} else if (!robots_is_file(text)) {
		/* SPEC R-106: a page in the place of robots.txt is no file; but
		 * rules that are known hold for 30 days, since a site rarely
		 * drops them so. */
		holds = get_known(run, task, &fact, &body) &&
		    fact.body.len > 0 &&
		    !robots_is_old(&fact, NULL, run_now_s(run));
		buf_release(&body);
		findings_add(&task->attempt->findings, DIAG_ROBOTS_HTML, 0,
		    slice_of(why));
		if (holds)
			unreachable(run, number, DIAG_ROBOTS_UNREACHABLE, why);
		else
			no_file(run, number);
	} else if (!owner_takes(run, task->origin, text.len)) {
		unreachable(run, number, DIAG_ROBOTS_UNREACHABLE,
		    "the daily budget for robots.txt of its domain is used up");
	} else {
		/* SPEC R-100: use the rules of the file. */
		fact = (struct robots_fact){.has_body = true,
		    .fetched_s = run_now_s(run),
		    .expires_s = task->attempt->expires_s,
		    .status = task->attempt->reading->http.status};
		/* The part of a body that counts: up to its limit (SPEC R-99),
		 * without the line that the limit, or the end of a transfer
		 * that was cut, falls into. */
		fact.body = text;
		is_cut = task->attempt->is_truncated ||
		    text.len > ROBOTS_MAX_BYTES;
		if (text.len > ROBOTS_MAX_BYTES)
			fact.body.len = ROBOTS_MAX_BYTES;
		while (is_cut && fact.body.len > 0 &&
		    fact.body.p[fact.body.len - 1] != '\n' &&
		    fact.body.p[fact.body.len - 1] != '\r')
			fact.body.len--;
		robots_finish(
		    run, number, &fact, robots_parse_body(run, task, text));
	}
}

/* Ask again, without conditions: an answer to a conditional request that is
 * neither 304 nor a file shows that the server cannot do them. */
static void
ask_anew(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	task->is_renewed = true;
	task_drop_spool(task->attempt);
	task_post(run, number, TASK_QUEUED);
}

/* An answer with 2xx. */
static void
robots_take_body(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	const char *coding = result->content_encoding;
	struct profile profile;
	struct reader_job *job;
	struct buf body = BUF_UP_TO(ROBOTS_MAX_BYTES + 16384);

	(void)spool_read(attempt->spool, &body);
	if (body.len == 0 && attempt->is_conditional) {
		ask_anew(run, number);
		buf_release(&body);
		return;
	}
	(void)read_begin(run, number, result);
	attempt->is_truncated = result->code == DIAG_BODY_TOO_BIG;
	/* Nearly every answer is plain text, and is judged at once; but what is
	 * packed, or may be a page, in the sandbox. */
	if (robots_is_packed(buf_text(&body), coding) ||
	    (robots_is_html(buf_text(&body)) &&
		!robots_is_file(buf_text(&body)))) {
		/* A reader unpacks the body, and looks at it. */
		profile = profile_default(PROFILE_GOOGLE);
		job = run_read_body(
		    run, number, &profile, result->content_type, coding);
		if (job != NULL) {
			job->scope.is_robots = true;
			job->scope.is_truncated = attempt->is_truncated;
		}
	} else {
		if (coding != NULL && strcasecmp(coding, "identity") != 0)
			findings_add(&attempt->findings,
			    DIAG_CONTENT_ENCODING_MISMATCH, 0,
			    slice_of(coding));
		robots_take(run, number, buf_text(&body));
	}
	buf_release(&body);
}

void
robots_finished(struct run *run, uint32_t number, enum diag_code result,
    struct content *content)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	struct slice text = {0};
	char why[ROBOTS_WHY_BYTES] = "";
	unsigned wall;

	for (size_t i = 0; i < content->findings.count; i++) {
		const struct finding *it = &content->findings.items[i];

		findings_add(&attempt->findings, it->code, 0,
		    it->sample_count > 0 ? slice_of(it->samples[0].text)
					 : slice_of(NULL));
	}
	if (result != DIAG_OK || !read_robots_get(content, &wall, &text))
		(void)snprintf(why, sizeof(why),
		    "its bytes cannot be unpacked: %s",
		    diag_name(result != DIAG_OK ? result : DIAG_READER_KILLED));
	else if (wall != 0)
		(void)snprintf(why, sizeof(why),
		    "a challenge of " WALL_OF_BOTS "%s", page_wall_name(wall));
	if (why[0] != '\0')
		unreachable(run, number, DIAG_ROBOTS_UNREACHABLE, why);
	else
		robots_take(run, number, text);
	content_release(content);
}

/* Status 304: the copy in the store is still right. */
static void
not_modified(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct task *task = run_task(run, number);
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);

	if (!store_robots_get(run->options.store,
		slice_of(run->origins[task->origin].text), &fact, &body) ||
	    !fact.has_body || fact.failing_since_s != 0) {
		buf_release(&body);
		store_damaged(run->options.store,
		    "origin: no robots.txt of '%s' is there",
		    run->origins[task->origin].text);
		run_fail(run, DIAG_STORE_DAMAGED);
		return;
	}
	fact.fetched_s = run_now_s(run);
	fact.expires_s = task->attempt->expires_s;
	(void)read_begin(run, number, result);
	robots_finish(
	    run, number, &fact, robots_parse_body(run, task, fact.body));
	buf_release(&body);
}

static bool
try_http(struct run *run, uint32_t number, const struct fetch_result *result)
{
	uint32_t from = run_task(run, number)->origin;
	uint32_t site = run->origins[from].seed_site;
	int64_t now_s = run_now_s(run);
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);

	if (site == NONE)
		site = run_task(run, number)->site;
	if (!may_try_http(run, from, site) || !result->is_connect_failure ||
	    result->is_untrusted)
		return false;
	/* Remember that the https origin did not answer, if it never did. */
	(void)store_robots_get(run->options.store,
	    slice_of(run->origins[from].text), &fact, &body);
	if (fact.status == 0 && !fact.has_body) {
		fact.fetched_s = fact.expires_s = now_s;
		if (fact.failing_since_s == 0)
			fact.failing_since_s = now_s;
		(void)store_robots(run->options.store, &fact);
	}
	buf_release(&body);
	go_on_with_http(run, from, site, result->detail);
	return true;
}

/* 4xx, or 2xx without a challenge. */
static void
take_answer(struct run *run, uint32_t number, const struct fetch_result *result)
{
	char why[ROBOTS_WHY_BYTES];

	if (robots_is_hidden(result, why)) {
		(void)read_begin(run, number, result);
		unreachable(run, number, DIAG_ROBOTS_UNREACHABLE, why);
	} else if (result->status / 100 == 2) {
		robots_take_body(run, number, result);
	} else if (run_task(run, number)->attempt->is_conditional &&
	    (result->status == 400 || result->status == 412)) {
		ask_anew(run, number);
	} else {
		struct attempt *attempt = run_task(run, number)->attempt;
		struct buf text = BUF_UP_TO(SIZE_MAX);

		(void)read_begin(run, number, result);
		/* A wall keeps no crawler out that never asked for more, but
		 * it may be why nothing is found at the site. */
		(void)buf_print(&text, "status %d", result->status);
		attempt->failure = run_sign_failure(run, number, result, &text);
		if (attempt->failure != DIAG_OK)
			findings_add(&attempt->findings, attempt->failure, 0,
			    buf_text(&text));
		buf_release(&text);
		no_file(run, number);
	}
}

void
robots_answered(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	int status = result->status;

	/* SPEC R-104: the answer expires after its max-age, but after a day at
	 * the latest. */
	attempt->expires_s = run_now_s(run) +
	    (result->max_age_s >= 0 && result->max_age_s < CACHE_S
		    ? result->max_age_s
		    : CACHE_S);
	/* SPEC R-99: the part past the limit is ignored; that is no error. */
	if (result->code == DIAG_BODY_TOO_BIG && status / 100 == 2) {
		take_answer(run, number, result);
		return;
	}
	if (result->code != DIAG_OK && try_http(run, number, result)) {
		uint32_t origin = run_task(run, number)->origin;

		task_post(run, number, TASK_DONE);
		set_known(run, origin);
		return;
	}
	/* No answer came, or one that is a failure of the server. */
	if (result->code != DIAG_OK || status == 429 || status >= 500) {
		char why[ROBOTS_WHY_BYTES];
		struct buf text = BUF_UP_TO(SIZE_MAX);

		if (hop_retry(run, number, result))
			return;
		(void)read_begin(run, number, result);
		if (result->code != DIAG_OK) {
			unreachable(run, number, result->code, result->detail);
			return;
		}
		(void)buf_print(&text, "status %d", status);
		(void)run_sign_failure(run, number, result, &text);
		unreachable(run, number, DIAG_ROBOTS_UNREACHABLE,
		    robots_is_hidden(result, why) ? why : buf_str(&text));
		buf_release(&text);
		return;
	}
	if (status == 304 && attempt->is_conditional) {
		not_modified(run, number, result);
		return;
	}
	/* an empty robots.txt would allow everything */
	if (hop_unconditional(run, number, result))
		return;
	if (status >= 300 && status < 400 && status != 304) {
		if (!hop_redirect(run, number, result)) {
			(void)read_begin(run, number, result);
			no_file(run, number);
		}
		return;
	}
	take_answer(run, number, result);
}

bool
robots_admit(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task_attempt(run, number);
	uint32_t number_of = origins_of(run, &attempt->current);
	struct origin *origin = &run->origins[number_of];

	if (task->type == TASK_ROBOTS)
		return true;
	if (origin->state == ORIGIN_KNOWN &&
	    origin->fresh_until_s <= robots_old_s(run, task->site))
		origin->state = ORIGIN_NEW;
	/* Usually the rules are still those by which the task was judged before
	 * it waited in the host queue. */
	if (origin->state == ORIGIN_KNOWN && origin->closed_by == DIAG_OK &&
	    (attempt->judged_by == origin->rules_stamp ||
		robots_judge(
		    run, number, number_of, url_target(&attempt->current))
		    .is_allowed))
		return true;
	host_queue_return(
	    run->host_queue, host_state_of(run, url_host(&attempt->current)));
	task_post(run, number, TASK_NEW);
	return false;
}

bool
robots_forget(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[run_task(run, number)->origin];

	uint32_t crawl = run_site_of(run, number)->crawl;

	/* Does another crawl want the robots.txt, or another site of this crawl
	 * that is not closed? The task belongs to the site that asked first,
	 * which may be closed now. */
	for (size_t i = 0; i < origin->awaiting.end; i++)
		if (origin->awaiting.items[i] != crawl)
			return false;
	for (size_t i = 0; i < origin->waiting.end; i++)
		if (!limits_forbid(run, origin->waiting.items[i]))
			return false;
	if (origin->seed_site != NONE && !run->is_full &&
	    !run->sites[origin->seed_site].is_closed &&
	    !run->crawls[run->sites[origin->seed_site].crawl].is_closed)
		return false;
	robots_release_crawls(run, run_task(run, number)->origin);
	origin->state = ORIGIN_NEW;
	origin->seed_site = NONE;
	for (size_t i = 0; i < origin->waiting.end; i++)
		(void)limits_skip(run, origin->waiting.items[i]);
	origin->waiting.end = 0;
	task_post(run, number, TASK_DONE);
	return true;
}
