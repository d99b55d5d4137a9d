/* The driver: redirects, and asking again. */
#include "base/addr.h"
#include "crawler/crawl/run_ancestry.h"
#include "crawler/crawl/run_internal.h"
#include "crawler/crawl/run_peer.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_visit.h"
#include "sched/politeness.h"

#define BACKOFF_MS 500 /* doubled for each further try */
#define THROTTLE_MS 60000 /* SPEC R-76, doubled for each in a row */
#define THROTTLE_MAX_MS 21600000 /* SPEC R-76: 6 h */

/* Redirects, by hand, hop by hop (SPEC ). */

/* may_list(run, number, index_id, next): would that index of the site be
 * allowed to list the place? */
static bool
may_list(
    struct run *run, uint32_t number, int64_t index_id, const struct url *next)
{
	struct location_scope scope;
	struct document index;
	struct url final;
	bool may = false;

	if (!store_document_get(run->options.store, index_id, &index))
		return false;
	url_init(&final);
	if (index.final_url != NULL &&
	    url_resolve(&final, slice_of(index.final_url), next,
		(struct diag_sink){0}) == DIAG_OK) {
		read_scope_of(
		    run, run_visit(run, number)->site, &index, &final, &scope);
		may = location_redirect_ok(&scope, next);
		location_scope_release(&scope);
	}
	url_release(&final);
	document_release(&index);
	return may;
}

/* leaves_index(run, number, next): would no index of the child be allowed to
 * list the place on another host that it redirects to? */
static bool
leaves_index(struct run *run, uint32_t number, const struct url *next)
{
	const struct visit *visit = run_visit(run, number);
	struct ancestry above;

	if (visit->type == VISIT_PAGE ||
	    slice_equal(url_host(next), url_host(&visit->journey->current)))
		return false;
	if (visit->parent != NONE)
		return !may_list(run, number,
		    run_visit(run, visit->parent)->document_id, next);
	if (!visit->is_child)
		return false;
	ancestry_find(&above, run->options.store, visit->document_id);
	for (uint32_t i = 1; i <= above.parents; i++)
		if (may_list(run, number, above.ids[i], next))
			return false;
	return true;
}

static enum diag_code
judge_hop(struct run *run, uint32_t number, const struct url *next)
{
	const struct visit *visit = run_visit(run, number);
	const struct journey *journey = visit->journey;
	unsigned max = visit->type == VISIT_ROBOTS ? MAX_ROBOTS_HOPS : MAX_HOPS;

	if (addr_host_is_private(url_host(next)) &&
	    !addr_host_is_private(url_host(&journey->current)))
		return DIAG_FETCH_REDIRECT_UNSAFE;
	if (slice_equal(url_text(next), url_text(&journey->current)) ||
	    string_set_has(&journey->passed, url_text(next)))
		return DIAG_FETCH_REDIRECT_LOOP;
	if (journey->hops >= max)
		return DIAG_FETCH_TOO_MANY_REDIRECTS;
	if (visit->type != VISIT_ROBOTS && leaves_index(run, number, next))
		return DIAG_FETCH_REDIRECT_UNSAFE;
	return DIAG_OK;
}

static void
follow(struct run *run, uint32_t number, const struct url *next)
{
	struct visit *visit = run_visit(run, number);
	struct journey *journey = visit->journey;

	string_set_add(&journey->passed, url_text(&journey->current));
	url_copy(&journey->current, next);
	journey->hops++;
	journey->tries = 0;
	journey->judged_by = 0;
	visit_drop_spool(journey);
	visit->state = VISIT_NEW;
	visit_begin(run, number);
}

bool
visit_redirect(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct visit *visit = run_visit(run, number);
	enum diag_code code = DIAG_FETCH_REDIRECT_UNSAFE;
	struct url next;

	url_init(&next);
	if (result->location != NULL &&
	    url_resolve(&next, slice_of(result->location),
		&visit->journey->current, (struct diag_sink){0}) == DIAG_OK)
		code = judge_hop(run, number, &next);
	if (code == DIAG_OK) {
		follow(run, number, &next);
	} else if (visit->type == VISIT_ROBOTS) {
		findings_add(&visit->journey->findings,
		    DIAG_ROBOTS_REDIRECT_LIMIT, 0, slice_of(result->location));
	} else {
		visit_drop_spool(visit->journey);
		visit_give_up(run, number, code,
		    result->location == NULL
			? slice_of("a redirect without Location")
			: slice_of(result->location));
	}
	url_release(&next);
	return code == DIAG_OK || visit->type != VISIT_ROBOTS;
}

/* Trying again (SPEC R-76, HOSTILE N19 to N21, N27). */

static int64_t
throttle_ms(struct peer *peer, const struct fetch_result *result)
{
	int64_t wait_ms = THROTTLE_MS;

	for (unsigned i = 0; i < peer->throttles; i++)
		if (wait_ms < THROTTLE_MAX_MS)
			wait_ms *= 2;
	peer->throttles++;
	return result->retry_after_s >= 0 ? result->retry_after_s * 1000
					  : wait_ms;
}

static void
again(struct run *run, uint32_t number, int64_t wait_ms)
{
	struct visit *visit = run_visit(run, number);

	host_queue_hold(run->host_queue, visit->journey->host,
	    loop_now_ms(run->options.loop) + wait_ms);
	visit->journey->tries++;
	visit_drop_spool(visit->journey);
	visit_queue(run, number);
}

bool
visit_retry(struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct journey *journey = run_visit(run, number)->journey;
	int64_t wait_ms;
	bool may = journey->tries < run_rules(run, number)->retry &&
	    !result->is_nameless;

	if (result->code == DIAG_FETCH_NETWORK_ERROR) {
		if (may)
			again(run, number, BACKOFF_MS << journey->tries);
		return may;
	}
	if (result->code != DIAG_OK ||
	    (result->status != 429 && result->status != 503))
		return false;
	wait_ms = throttle_ms(run_peer(run, journey->host), result);
	peer_park(run, journey->host, wait_ms);
	if (result->retry_after_s > 0)
		store_park(run->options.store, url_origin(&journey->current),
		    run_now_s(run) + result->retry_after_s);
	if (result->retry_after_s < 0 || wait_ms > MAX_PARK_MS || !may)
		return false;
	again(run, number, wait_ms);
	return true;
}
