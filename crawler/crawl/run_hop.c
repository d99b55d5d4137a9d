/* The driver: redirects, and further tries. */
#include "crawler/crawl/run_hop.h"

#include "base/wall.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_tables.h"

#define MAX_HOPS 10 /* SPEC R-73 */
#define MAX_ROBOTS_HOPS 5 /* SPEC R-100 */

/* Redirects, one hop at a time (SPEC ). */

/* May that index of the site list the URL? */
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
		run_scope(run,
		    &(struct scoped){.site = run_task(run, number)->site,
			.document_id = index.id,
			.url = slice_of(index.url),
			.final = &final,
			.is_index = true},
		    &scope);
		may = location_judge(&scope, next, SUBJECT_CHILD).is_accepted;
		location_scope_release(&scope);
	}
	url_release(&final);
	document_release(&index);
	return may;
}

/* On FETCH_REDIRECT_UNSAFE, *why is the reason; else it stays as it is. */
static enum diag_code
judge_hop(
    struct run *run, uint32_t number, const struct url *next, const char **why)
{
	const struct task *task = run_task(run, number);
	const struct attempt *attempt = task->attempt;
	unsigned max = task->type == TASK_ROBOTS ? MAX_ROBOTS_HOPS : MAX_HOPS;
	struct ancestry above;
	bool leaves;

	if (addr_host_reach(url_host(next)) != ADDR_PUBLIC &&
	    addr_host_reach(url_host(&attempt->current)) == ADDR_PUBLIC) {
		*why = "redirects to a private address";
		return DIAG_FETCH_REDIRECT_UNSAFE;
	}
	if (slice_equal(url_text(next), url_text(&attempt->current)) ||
	    string_set_has(&attempt->passed, url_text(next)))
		return DIAG_FETCH_REDIRECT_LOOP;
	if (attempt->hops >= max)
		return DIAG_FETCH_TOO_MANY_REDIRECTS;
	/* Is the redirect of a child to another host forbidden, because none of
	 * its indexes would be allowed to list the new URL? */
	leaves = (task->type == TASK_DOCUMENT || task->type == TASK_PROBE) &&
	    (task->parent != NONE || task->is_child) &&
	    !slice_equal(url_host(next), url_host(&attempt->current));
	if (leaves && task->parent != NONE) {
		leaves = !may_list(run, number,
		    run_task(run, task->parent)->document_id, next);
	} else if (leaves) {
		ancestry_find(&above, run->options.store, task->document_id);
		for (uint32_t i = 1; leaves && i <= above.parents; i++)
			leaves = !may_list(run, number, above.ids[i], next);
	}
	if (leaves) {
		*why = "redirects to another host, whose URLs its index may "
		       "not list";
		return DIAG_FETCH_REDIRECT_UNSAFE;
	}
	return DIAG_OK;
}

bool
hop_redirect(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct task *task = run_task(run, number);
	enum diag_code code = DIAG_FETCH_REDIRECT_UNSAFE;
	const char *why = "redirects to what is no http or https URL";
	struct url next;

	url_init(&next);
	if (result->location != NULL &&
	    url_resolve(&next, slice_of(result->location),
		&task->attempt->current, (struct diag_sink){0}) == DIAG_OK)
		code = judge_hop(run, number, &next, &why);
	if (code == DIAG_OK) {
		struct attempt *attempt = task->attempt;

		string_set_add(&attempt->passed, url_text(&attempt->current));
		url_copy(&attempt->current, &next);
		attempt->hops++;
		attempt->tries = 0;
		attempt->judged_by = 0;
		task_drop_spool(attempt);
		task_post(run, number, TASK_NEW);
	} else if (task->type == TASK_ROBOTS) {
		findings_add(&task->attempt->findings,
		    DIAG_ROBOTS_REDIRECT_LIMIT, 0, slice_of(result->location));
	} else {
		task_drop_spool(task->attempt);
		/* Give up, and say where the redirect leads to; if it is
		 * unsafe, say why. */
		const char *location = result->location;
		struct buf text = BUF_UP_TO(SIZE_MAX);

		if (location == NULL)
			(void)buf_print(&text, "a redirect without Location");
		else if (code == DIAG_FETCH_REDIRECT_UNSAFE)
			(void)buf_print(&text, "%s: %s", why, location);
		else
			(void)buf_print(&text, "%s", location);
		if (code == DIAG_FETCH_REDIRECT_LOOP && result->cookie != NULL)
			(void)buf_print(&text,
			    WALL_OF_COOKIE "%s' comes back, which "
					   "crawlers do not send",
			    result->cookie);
		task_give_up(run, number, code, buf_text(&text));
		buf_release(&text);
	}
	url_release(&next);
	return code == DIAG_OK || task->type != TASK_ROBOTS;
}

/* Trying again (SPEC R-76, HOSTILE N19 to N21, N27). */

bool
hop_retry(struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	int64_t now_s = loop_now_s(run->options.loop);
	int64_t wait_s;
	struct host *host;
	bool is_longer;
	bool may = attempt->tries < run_site_of(run, number)->rules->retry &&
	    !result->is_nameless;

	if (result->code == DIAG_FETCH_NETWORK_ERROR) {
		if (!may)
			return false;
		host_queue_hold(run->host_queue, attempt->host,
		    run_now_ms(run) + host_backoff_ms(attempt->tries));
	} else {
		if (result->code != DIAG_OK ||
		    (result->status != 429 && result->status != 503))
			return false;
		/* Hold the host in the store and in the table of hosts. */
		host = run->table->items[attempt->host];
		is_longer = store_limited(run->options.store,
		    names_slice(&run->table->names, attempt->host), now_s,
		    result->retry_after_s, &wait_s);
		host->is_limited = true;
		host_hold(run->table, host, HELD_ALL, now_s + wait_s, now_s,
		    is_longer ? "limited" : "retry-after");
		/* A page that was ordered does not wait: other pages take its
		 * place, and it may be the only one that is answered so. */
		if ((result->retry_after_s < 0 && attempt->challenge == NULL) ||
		    attempt->ordered != NULL ||
		    wait_s * SECOND_MS > MAX_PARK_MS || !may)
			return false;
	}
	attempt->tries++;
	task_drop_spool(attempt);
	task_post(run, number, TASK_QUEUED);
	return true;
}

bool
hop_unconditional(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct attempt *attempt = run_task(run, number)->attempt;

	if (!attempt->is_conditional || result->code != DIAG_OK ||
	    (result->status != 400 && result->status != 412 &&
		(result->status != 200 || attempt->spool->length > 0)))
		return false;
	attempt->is_spoilt = true;
	task_drop_spool(attempt);
	task_post(run, number, TASK_QUEUED);
	return true;
}
