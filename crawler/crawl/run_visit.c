/* The driver: a visit from its beginning to the answer of its server. */
#include "crawler/crawl/run_visit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/addr.h"
#include "base/mem.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_document.h"
#include "crawler/crawl/run_internal.h"
#include "crawler/crawl/run_ledger.h"
#include "crawler/crawl/run_owner.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_peer.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_rules.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_shared.h"
#include "crawler/event/loop_delay.h"
#include "crawler/parse/page.h"
#include "sched/politeness.h"
#include "store/site.h"

#define ROBOTS_WIRE_BYTES (ROBOTS_MAX_BYTES + 4096)

void
visit_drop_spool(struct journey *journey)
{
	if (journey->spool != NULL)
		spool_put(journey->spool);
	journey->spool = NULL;
}

static void
journey_free(struct journey *journey)
{
	if (journey == NULL)
		return;
	visit_drop_spool(journey);
	url_release(&journey->current);
	string_set_release(&journey->passed);
	findings_release(&journey->findings);
	page_look_free(journey->look);
	free(journey->ancestry);
	accept_free(journey->accept);
	location_scope_release(&journey->location);
	reading_free(journey->reading);
	free(journey);
}

/* journey_new(run, number): from the visit's own URL, already normalised. */
static struct journey *
journey_new(struct run *run, uint32_t number)
{
	struct journey *journey = mem_zero(sizeof(*journey));
	struct profile profile = profile_default(PROFILE_GOOGLE);
	enum diag_code code;

	profile.max_loc_chars = URL_MAX_BYTES;
	journey->run = run;
	journey->number = number;
	url_init(&journey->current);
	code = url_parse(&journey->current,
	    slice_of(run_visit(run, number)->url), NULL, &profile,
	    (struct diag_sink){0});
	assert(code == DIAG_OK); /* it is normalised */
	(void)code;
	return journey;
}

struct journey *
visit_journey(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);

	if (visit->journey == NULL)
		visit->journey = journey_new(run, number);
	return visit->journey;
}

void
visit_finish(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);

	journey_free(visit->journey);
	visit->journey = NULL;
	if (visit->state == VISIT_DONE)
		return;
	visit->state = VISIT_DONE;
	/* It may have been the last one that its crawl waited for. */
	run_kick(run);
	run_crawl_of(run, number)->open--;
	run->sites[visit->site].open--;
	if (run->sites[visit->site].is_single)
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
visit_give_up(
    struct run *run, uint32_t number, enum diag_code code, struct slice text)
{
	struct visit *visit = run_visit(run, number);
	struct journey *journey = visit_journey(run, number);

	if (visit->type == VISIT_PAGE) {
		page_give_up(run, number, code, text);
		return;
	}
	if (visit->type == VISIT_PROBE) {
		if (code != DIAG_FETCH_NOT_FOUND)
			crawl_problem(run_crawl_of(run, number), code,
			    slice_of(visit->url), text);
		seed_end_probe(run, number, code);
		return;
	}
	if (journey->reading == NULL)
		(void)read_begin(run, number, NULL);
	journey->reading->outcome = is_refusal(code) ? OUTCOME_REFUSED
						     : OUTCOME_FAILED;
	journey->reading->failure = code;
	findings_add(&journey->findings, code, 0, text);
	read_submit(run, number);
}

/* From the beginning to the frontier. */

void
visit_put_back(struct run *run, uint32_t number, uint32_t host)
{
	struct visit *visit = run_visit(run, number);
	struct host_queue_item item = {.id = number,
	    .host = host,
	    .class = visit->class,
	    .newest_s = visit->newest_s};

	visit->state = VISIT_QUEUED;
	host_queue_add(run->host_queue, &item);
}

/*
 * There may be 100,000 in the queue: those that have nothing to remember do
 * without a journey until they are fetched.
 */
void
visit_rest(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);
	const struct journey *journey = visit->journey;

	if (journey->hops > 0 || journey->tries > 0 ||
	    journey->findings.count > 0)
		return;
	journey_free(visit->journey);
	visit->journey = NULL;
}

void
visit_queue(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);
	struct journey *journey = visit_journey(run, number);

	if (visit->type != VISIT_ROBOTS && crawl_skips(run, number))
		return;
	journey->host = run_host(run, url_host(&journey->current));
	visit_put_back(run, number, journey->host);
	visit_rest(run, number);
	run_kick(run);
}

/* wait_for_robots(run, number, origin): true when it is not known yet. */
static bool
wait_for_robots(struct run *run, uint32_t number, uint32_t origin_number)
{
	uint32_t site = run_visit(run, number)->site;
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
	run_visit(run, number)->state = VISIT_WAITING;
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
	struct visit *visit = run_visit(run, number);
	const struct origin *origin = &run->origins[origin_number];
	struct robots_verdict verdict;
	char text[160];

	if (origin->closed_by != DIAG_OK) {
		visit_give_up(run, number, origin->closed_by,
		    slice_of(why_closed(origin->closed_by)));
		return true;
	}
	verdict = rules_verdict(
	    run, origin_number, url_target(&visit->journey->current));
	if (!owner_works(run, origin_number, verdict.work)) {
		visit_give_up(run, number, DIAG_BUDGET_REACHED,
		    slice_of("robots.txt of its domain have cost so much time "
			     "that it waits until tomorrow"));
		return true;
	}
	visit->journey->judged_by = origin->rules_stamp;
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
	visit_give_up(
	    run, number, DIAG_FETCH_BLOCKED_BY_ROBOTS, slice_of(text));
	return true;
}

/* is_same_scope(run, number, document): was it read under today's rules? */
static bool
is_same_scope(struct run *run, uint32_t number, const struct document *document)
{
	struct visit *visit = run_visit(run, number);
	struct url final;
	bool is_same;

	url_init(&final);
	is_same = document->final_url != NULL &&
	    url_resolve(&final, slice_of(document->final_url),
		&visit->journey->current, (struct diag_sink){0}) == DIAG_OK;
	if (is_same) {
		visit->fingerprint = read_fingerprint(
		    run, number, &final, document->kind == KIND_INDEX);
		is_same = visit->fingerprint == document->fingerprint;
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
	struct visit *visit = run_visit(run, number);
	const struct site *site = &run->sites[visit->site];
	struct document document;
	bool is_read;

	if (!site->is_resumed || crawl_starts_anew(run, site->crawl) ||
	    visit->journey->hops > 0 || visit->document_id == 0 ||
	    !store_document_get(
		run->options.store, visit->document_id, &document))
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
	const struct visit *visit = run_visit(run, number);
	const struct url *url = &visit->journey->current;
	struct peer *peer;

	if (run->options.local == NULL || visit->type != VISIT_DOCUMENT ||
	    visit->journey->hops > 0 || local_takes(run->options.local, url))
		return false;
	peer = run_peer(run, run_host(run, url_host(url)));
	if (peer->is_named)
		return false;
	if (!peer->is_left)
		crawl_problem(run_crawl_of(run, number), DIAG_OK, url_text(url),
		    slice_of("nobody is asked for it: it is neither below "
			     "--base nor a target"));
	peer->is_left = true;
	visit_finish(run, number);
	return true;
}

void
visit_begin(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);
	uint32_t origin;
	const char *text;
	enum diag_code code;

	if ((visit->state != VISIT_NEW && visit->state != VISIT_WAITING) ||
	    (visit->type != VISIT_ROBOTS && crawl_skips(run, number)))
		return;
	(void)visit_journey(run, number);
	if (visit->type == VISIT_ROBOTS) {
		robots_begin(run, number);
		return;
	}
	if (leaves_out(run, number))
		return;
	origin = run_origin(run, &visit->journey->current);
	if (wait_for_robots(run, number, origin) ||
	    is_closed(run, number, origin))
		return;
	if (is_already_read(run, number)) {
		read_children(run, number);
		return;
	}
	code = peer_is_dead(run,
	    run_host(run, url_host(&run_visit(run, number)->journey->current)),
	    &text);
	if (code != DIAG_OK)
		visit_give_up(run, number, code, slice_of(text));
	else
		visit_queue(run, number);
}

/* From the frontier to the answer. */

static void
answered(void *arg, const struct fetch_result *result)
{
	struct journey *journey = arg;
	struct run *run = journey->run;
	uint32_t number = journey->number;
	uint32_t host = journey->host;
	const char *text;
	enum diag_code code;

	loop_doing(run->options.loop, "an answer");
	if (result->deferral != DEFERRED_NOT) {
		peer_defer(run, number, result->deferral);
		return;
	}
	ledger_note(run, journey, result);
	peer_learn(run, journey, result);
	peer_count(run, host, result);
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
		run_peer(run, host)->throttles = 0;
	if (run_visit(run, number)->type == VISIT_ROBOTS)
		robots_answered(run, number, result);
	else if (run_visit(run, number)->type == VISIT_PAGE)
		page_answered(run, number, result);
	else
		read_answered(run, number, result);
	code = peer_is_dead(run, host, &text);
	if (code != DIAG_OK)
		peer_fail(run, host, code, text);
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
	struct journey *journey = run_visit(run, number)->journey;

	journey->is_conditional = false;
	if (is_forced(run, number) || !document->is_complete ||
	    document->final_url == NULL || document->fingerprint == 0 ||
	    (document->etag == NULL && document->last_modified == NULL) ||
	    read_is_overdue(run, document) ||
	    !slice_is(url_text(&journey->current), document->final_url))
		return;
	run_visit(run, number)->fingerprint = read_fingerprint(
	    run, number, &journey->current, document->kind == KIND_INDEX);
	journey->is_conditional = run_visit(run, number)->fingerprint ==
	    document->fingerprint;
	if (!journey->is_conditional)
		return;
	request->etag = document->etag;
	request->last_modified = document->last_modified;
}

bool
visit_is_file(const struct run *run, const struct url *url)
{
	return run->options.local != NULL &&
	    local_takes(run->options.local, url);
}

static void
ask(struct run *run, struct journey *journey,
    const struct fetch_request *request)
{
	if (visit_is_file(run, &journey->current))
		local_start(run->options.local, request, answered, journey);
	else
		fetch_start(run->options.fetcher, request, answered, journey);
}

/* set_limits(visit, request): of what is no document. */
static void
set_limits(const struct visit *visit, struct fetch_request *request)
{
	if (visit->type == VISIT_PAGE) {
		request->max_bytes = PAGE_MAX_BYTES;
		request->takes_any = true; /* the beginning of a longer one */
	}
	if (visit->type != VISIT_ROBOTS)
		return;
	request->max_bytes = ROBOTS_WIRE_BYTES;
	request->is_identity = true;
	request->takes_any = true; /* SPEC */
}

void
visit_fetch(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);
	struct journey *journey = visit_journey(run, number);
	uint32_t origin = run_origin(run, &journey->current);
	const struct site_rules *rules = run_rules(run, number);
	struct fetch_request request = {.url = &journey->current,
	    .admit = peer_admits,
	    .max_bytes = rules->max_bytes};
	struct document document;
	bool has_document;

	journey->host = run_host(run, url_host(&journey->current));
	request.is_single = seed_is_left(run, number);
	run_shared_asked(run, journey->host);
	visit->state = VISIT_FETCHING;
	journey->spool = spool_get(run->options.spool);
	if (journey->spool == NULL) {
		run_fail_spool(run);
		return;
	}
	request.spool = journey->spool;
	set_limits(visit, &request);
	if (run->origins[origin].named_by == run->sites[visit->site].id) {
		request.headers = rules->headers;
		request.credentials = rules->credentials;
	}
	has_document = visit->document_id != 0 &&
	    store_document_get(
		run->options.store, visit->document_id, &document);
	if (has_document && visit->type == VISIT_ROBOTS)
		robots_conditions(run, number, &document, &request);
	else if (has_document)
		set_conditions(run, number, &document, &request);
	if (has_document && journey->hops == 0)
		journey->index_lastmod = document.index_lastmod;
	ask(run, journey, &request);
	if (has_document)
		document_release(&document);
}
