/* The driver: a document from the answer of its server to its reading; and, for
 * tasks of all types, redirects and further tries. */
#include "crawler/crawl/run_read.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/wall.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/parse/scope.h"
#include "store/query.h"
#include "store/reach.h"
#include "store/siblings.h"

struct reading *
read_begin(struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	struct reading *reading = reading_new(
	    task->document_id, run_now_s(run));

	assert(attempt->reading == NULL);
	attempt->reading = reading;
	reading->absent_s = reading->at_s;
	reading->index_lastmod = attempt->index_lastmod;
	reading->http.final_url = slice_dup(url_text(&attempt->current));
	if (result == NULL)
		return reading;
	reading->http.status = result->status;
	reading->http.wall = result->wall;
	reading->http.etag = mem_copy(result->etag);
	reading->http.last_modified = mem_copy(result->last_modified);
	reading->http.content_type = mem_copy(result->content_type);
	reading->http.content_encoding = mem_copy(result->content_encoding);
	reading->http.hub = mem_copy(result->hub);
	reading->http.wire_bytes = result->wire_bytes;
	reading->http.duration_ms = result->duration_ms;
	return reading;
}

static void
note_redirect(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	struct url requested = {0};
	enum diag_code code;
	bool is_same;

	if (attempt->hops == 0)
		return;
	code = url_resolve(&requested, slice_of(task->url), &attempt->current);
	assert(code == DIAG_OK); /* the URL is normalised */
	(void)code;
	is_same = slice_equal(
	    url_host(&requested), url_host(&attempt->current));
	findings_add(&attempt->findings,
	    is_same ? DIAG_SITEMAP_REDIRECTED : DIAG_CROSS_HOST_REDIRECT, 0,
	    url_text(&attempt->current));
	url_release(&requested);
}

/* The reader's job. */

/* The previous segment; its blocks are read from the start once more when
 * another reader gets the job. */
struct previous {
	struct store *store;
	int64_t document_id;
	struct block_source *source;
};

static struct slice
previous_pull(void *arg)
{
	struct previous *previous = arg;

	if (previous->source == NULL)
		previous->source = block_source_new(
		    previous->store, BLOCKS_OF_SEGMENT, previous->document_id);
	return block_source_pull(previous->source);
}

static void
previous_rewind(void *arg)
{
	struct previous *previous = arg;

	block_source_close(previous->source, NULL, 0);
	previous->source = NULL;
}

static void
previous_free(void *arg)
{
	previous_rewind(arg);
	free(arg);
}

/* SPEC R-120, 15.16: what does this reading decide of what is absent?  In a
 * crawl of a whole site, entries are absent since it began, so that siblings
 * that were read before the document in this crawl count as read since. */
static void
set_absence(struct run *run, uint32_t number, const struct document *document,
    struct scope *scope)
{
	const struct task *task = run_task(run, number);
	int64_t begun_s = run->sites[task->site].begun_s;
	int64_t siblings_s = document->missed > 0
	    ? siblings_open_s(run->options.store, document->id, scope->now_s)
	    : 0;

	scope->absent_s = scope->now_s;
	if (!run_site_of(run, number)->is_single &&
	    begun_s > document->last_read_s)
		scope->absent_s = begun_s;
	scope->missed_open_s = siblings_s;
	scope->held_open_s = scope->now_s - HELD_S + 1;
	task->attempt->reading->absent_s = scope->absent_s;
}

static void
start_reading(struct run *run, uint32_t number, const struct document *document)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	const struct http_facts *http = &attempt->reading->http;
	struct reader_job *job = run_read_body(run, number,
	    &run_site_of(run, number)->rules->profile, http->content_type,
	    http->content_encoding);
	struct scope *scope;

	if (job == NULL)
		return;
	scope = &job->scope;
	location_scope_copy(&scope->location, &attempt->location);
	scope->checks = run->options.checks;
	scope->is_scratch = run->options.is_scratch;
	scope->is_scan_off = run->options.is_scan_off;
	scope->now_s = attempt->reading->at_s;
	set_absence(run, number, document, scope);
	scope->is_child = task->parent != NONE || task->is_child;
	scope->depth = task->depth;
	scope->is_truncated = attempt->is_truncated;
	scope->listed_s = task->lastmod.precision == DATE_NONE
	    ? 0
	    : task->lastmod.epoch_s;
	if (http->last_modified != NULL &&
	    !date_parse_http(&scope->modified_s, slice_of(http->last_modified)))
		scope->modified_s = 0;
	/* A segment may have been written by an old version that did not store
	 * refused entries, and may seem empty. */
	scope->is_baseline = document->lacks_refused && !task->is_renewed;
	scope->has_previous = (document->entries + document->missed > 0 ||
				  scope->is_baseline) &&
	    !task->is_renewed;
	attempt->is_first = !scope->has_previous &&
	    (task->is_renewed ||
		store_number(run->options.store, STORE_IS_BASELINE,
		    document->id, 0) != 0);
	scope->is_first = attempt->is_first;
	attempt->is_baseline = scope->is_baseline;
	scope->window = document->window;
	if (scope->has_previous) {
		struct previous *previous = mem_zero(sizeof(*previous));

		previous->store = run->options.store;
		previous->document_id = document->id;
		job->previous = previous_pull;
		job->previous_arg = previous;
		job->previous_free = previous_free;
		job->previous_rewind = previous_rewind;
	}
	scope->is_held = attempt->is_held;
	if (run->options.body != NULL && !attempt->is_held)
		run->options.body(run->options.body_arg, document->id,
		    slice_of(task->url), job, attempt->spool);
	run->sites[task->site].at_readers++;
}

/* Append what changed in the rules, if one of a few guesses explains it.  The
 * store keeps only a fingerprint of the rules of the reading before (SPEC
 * 15.1): a guess is right if the rules of today, with that change taken back,
 * have the same. */
static void
put_cause(struct buf *out, const struct location_scope *now,
    const struct document *document)
{
	static const char *const causes[] = {
	    [PROFILE_STRICT] = "it was read with profile strict before",
	    [PROFILE_GOOGLE] = "it was read with profile google before",
	    [PROFILE_LENIENT] = "it was read with profile lenient before",
	    "no Sitemap line of its robots.txt leads to it any more",
	    "a Sitemap line leads to it now",
	    "what --own says is new"};
	struct location_scope was;

	if (document->final_url == NULL ||
	    location_fingerprint(now, READER_VERSION) == document->fingerprint)
		return;
	if (!slice_is(url_text(&now->final), document->final_url)) {
		(void)buf_print(out, "; it comes from another URL now");
		return;
	}
	location_scope_init(&was, &now->profile);
	for (int i = 0; i < (int)(LENGTH(causes)); i++) {
		location_scope_copy(&was, now);
		if (i <= PROFILE_LENIENT)
			was.profile = profile_default((enum profile_name)i);
		else if (i == PROFILE_LENIENT + 1)
			string_set_add(
			    &was.proof_origins, url_origin(&now->requested));
		if (was.profile.robots_proof != SWITCH_ON ||
		    i == PROFILE_LENIENT + 2)
			string_set_release(&was.proof_origins);
		if (was.profile.ownership != SWITCH_ON ||
		    i == PROFILE_LENIENT + 3)
			string_set_release(&was.own);
		if (location_fingerprint(&was, READER_VERSION) !=
		    document->fingerprint)
			continue;
		(void)buf_print(out, "; %s", causes[i]);
		break;
	}
	location_scope_release(&was);
}

/* If the new reading of the task refuses entries that were accepted before, or
 * the other way round, add one finding (VERDICT_CHANGED): how many entries, by
 * which rule, and why.  A document that is read once more in the same crawl,
 * because a proof came late, gets none. */
static void
verdict_note(
    struct store *store, const struct task *task, const struct content *content)
{
	struct document document;
	struct buf text = BUF_UP_TO(FINDING_TEXT_MAX);

	/* If a document is read again because a proof came late, its verdicts
	 * are expected to change (SPEC 15.4). */
	if (task->rereads > 0 ||
	    content->merge.changes[DELTA_REFUSED] +
		    content->merge.changes[DELTA_ACCEPTED] ==
		0 ||
	    !store_document_get(store, task->document_id, &document))
		return;
	const char *what = content->kind == KIND_INDEX ? "sitemap" : "URL";
	enum diag_code code = verdict_codes[merge_refused_by(&content->merge)];
	uint64_t refused = content->merge.changes[DELTA_REFUSED];
	uint64_t accepted = content->merge.changes[DELTA_ACCEPTED];

	/* Name the rule that refuses most entries now. */
	if (refused > 0)
		(void)buf_print(&text, "%" PRIu64 " %s%s now refused (%s, %s)",
		    refused, what, refused == 1 ? "" : "s", diag_name(code),
		    diag_info(code)->rule);
	if (accepted > 0)
		(void)buf_print(&text, "%s%" PRIu64 " %s%s now accepted",
		    refused > 0 ? ", " : "", accepted, what,
		    accepted == 1 ? "" : "s");
	put_cause(&text, &task->attempt->location, &document);
	findings_add(
	    &task->attempt->findings, DIAG_VERDICT_CHANGED, 0, buf_text(&text));
	buf_release(&text);
	document_release(&document);
}

/* What was read. */

/* Is the decoded body the same as that of the stored segment, though it was
 * compressed in another way (SPEC 15.1)? */
static bool
is_same_content(struct run *run, uint32_t number, const struct content *content)
{
	const struct task *task = run_task(run, number);
	struct document document;
	bool is_same;

	if (run_crawl_of(run, number)->options.is_forced ||
	    !content->is_complete || !task->attempt->has_digest ||
	    !store_document_get(
		run->options.store, task->document_id, &document))
		return false;
	is_same = document.is_complete && document.has_digest &&
	    !run_is_overdue(run, &document) &&
	    document.fingerprint == task->fingerprint &&
	    memcmp(document.decoded_digest.bytes, content->decoded_digest.bytes,
		sizeof(content->decoded_digest.bytes)) == 0;
	document_release(&document);
	return is_same;
}

/* The document is unchanged: the previous segment stays (SPEC 15.1, 15.2). */
static void
unchanged(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	struct content *content = &attempt->reading->content;

	attempt->reading->outcome = OUTCOME_UNCHANGED;
	content->is_complete = true;
	content->kind = attempt->kind;
	content->merge.entries = attempt->entries;
	content->merge.refused = attempt->refused;
	content->merge.refused_by[attempt->refused_by] = attempt->refused;
	findings_add(
	    &attempt->findings, DIAG_NOT_MODIFIED, 0, slice_make(NULL, 0));
	task_post(run, number, TASK_COMMITTING);
}

/* The stored segment cannot be decoded, and the crawl is forced: the document
 * is asked for again, and read as if for the first time. */
static bool
renews(struct run *run, uint32_t number, enum diag_code result)
{
	struct task *task = run_task(run, number);

	if (result != DIAG_STORE_DAMAGED || task->is_renewed ||
	    !run_crawl_of(run, number)->options.is_forced)
		return false;
	task->is_renewed = true;
	reading_free(task->attempt->reading);
	task->attempt->reading = NULL;
	task_drop_spool(task->attempt);
	task_post(run, number, TASK_QUEUED);
	return true;
}

/* If so many entries are missing that it may be a fault of the site, the body
 * is read once more, and in that reading nothing is removed (SPEC R-120,
 * HOSTILE I8). */
static bool
drops_too_much(struct run *run, uint32_t number, const struct content *content)
{
	struct task *task = run_task(run, number);
	struct document document;

	if (!content->is_complete || task->attempt->is_held ||
	    !merge_is_drop(
		&content->merge, run_site_of(run, number)->rules->max_drop) ||
	    !store_document_get(
		run->options.store, task->document_id, &document))
		return false;
	/* A document that has become an index, or is no index any more, lists
	 * other things than before. */
	task->attempt->is_held = (document.kind == KIND_INDEX) ==
	    (content->kind == KIND_INDEX);
	if (task->attempt->is_held)
		start_reading(run, number, &document);
	document_release(&document);
	return task->attempt->is_held;
}

void
read_finished(struct run *run, uint32_t number, enum diag_code result,
    struct content *content)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	struct reading *reading = attempt->reading;

	run_site_of(run, number)->at_readers--;
	if (renews(run, number, result)) {
		content_release(content);
		return;
	}
	/* The kind of the document is known now, and so is the fingerprint of
	 * its scope. */
	struct task *task = run_task(run, number);
	struct location_scope *location = &task->attempt->location;

	if (content->kind != KIND_INDEX) {
		self_listed_release(location->listed);
		location->listed = NULL;
	}
	task->fingerprint = location_fingerprint(location, READER_VERSION);
	if (result == DIAG_OK && drops_too_much(run, number, content)) {
		content_release(content);
		return;
	}
	if (result == DIAG_OK && !limits_may_keep(run, number, content)) {
		content_release(content);
		return;
	}
	content_release(&reading->content);
	reading->content = *content;
	reading->content.is_held = attempt->is_held;
	/* The children of an index begin even if they are held. */
	attempt->is_held |= content->merge.held > 0;
	/* Report what is held; what an earlier reading held already is still
	 * so. */
	uint64_t listed = content->merge.lasting + content->merge.held -
	    (attempt->reading->content.is_held ? content->merge.lacking : 0);
	char text[160];

	if (content->merge.held != 0) {
		(void)snprintf(text, sizeof(text),
		    "%" PRIu64 " of %" PRIu64 " are %s; they stay "
		    "listed unless a reading a day later lacks them, too",
		    content->merge.held, listed,
		    content->merge.held_since_s < reading->absent_s
			? "still absent"
			: "not there any more");
		findings_add(
		    &attempt->findings, DIAG_MASS_DROP, 0, slice_of(text));
	}
	reading->content.is_baseline = attempt->is_first ||
	    attempt->is_baseline;
	task_drop_spool(attempt);
	reading->outcome = result == DIAG_OK ? OUTCOME_READ : OUTCOME_FAILED;
	reading->failure = result;
	if (result == DIAG_OK)
		verdict_note(
		    run->options.store, run_task(run, number), content);
	if (result == DIAG_OK && content->kind != KIND_INDEX)
		limits_claim(run, number, content->merge.entries);
	if (result == DIAG_OK && is_same_content(run, number, content)) {
		block_list_release(&reading->content.segment);
		block_list_release(&reading->content.delta);
		reading->content.merge = (struct merge_counts){0};
		unchanged(run, number);
	} else if (result == DIAG_OK && content->kind == KIND_INDEX) {
		task_post(run, number, TASK_ACCEPTING);
	} else {
		task_post(run, number, TASK_COMMITTING);
	}
}

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
	struct url final = {0};
	bool may = false;

	if (!store_document_get(run->options.store, index_id, &index))
		return false;
	if (index.final_url != NULL &&
	    url_resolve(&final, slice_of(index.final_url), next) == DIAG_OK) {
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
	struct url next = {0};

	if (result->location != NULL &&
	    url_resolve(&next, slice_of(result->location),
		&task->attempt->current) == DIAG_OK)
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

/* The answer. */

/* A document is at the default location: the probe becomes its task. False: the
 * document has a task of its own already. */
static bool
promote(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct document document;
	uint32_t other;

	if (task->document_id == 0) {
		store_document(run->options.store, run->sites[task->site].id,
		    slice_of(task->url), &document);
		task->document_id = document.id;
		document_release(&document);
	}
	other = run_find(run, task->site, task->document_id);
	if (other != NONE && other != number) {
		run_crawl_of(run, number)->totals.known--;
		task_post(run, number, TASK_DONE);
		return false;
	}
	reach_root(run->options.store, run->sites[task->site].id,
	    task->document_id, ROOT_OF_PLACE,
	    slice_of(run->origins[task->origin].text));
	idmap_put(&run->task_by_document, task->document_id, number);
	task->type = TASK_DOCUMENT;
	task->is_guess = true;
	return true;
}

/* Take the body of a 200, or the beginning of one that broke off. */
static void
read_take_body(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	struct reading *reading;
	struct self_listed *listed;
	struct document document;

	if (task->type == TASK_PROBE && !promote(run, number))
		return;
	if (!store_document_get(
		run->options.store, task->document_id, &document)) {
		store_damaged(run->options.store,
		    "document %lld: it is not there",
		    (long long)task->document_id);
		run_fail(run, DIAG_STORE_DAMAGED);
		return;
	}
	note_redirect(run, number);
	reading = read_begin(run, number, result);
	reading->http.has_digest = true;
	reading->http.wire_digest = digester_value(attempt->spool->digester);
	/* Only the reading shows whether the document is an index. */
	location_scope_release(&attempt->location);
	run_scope(run,
	    &(struct scoped){.site = task->site,
		.document_id = task->document_id,
		.url = slice_of(task->url),
		.final = &attempt->current,
		.is_index = true},
	    &attempt->location);
	/* What robots.txt lists changes the verdicts of an index alone: it must
	 * not make a sitemap be read again. */
	listed = attempt->location.listed;
	if (document.kind != KIND_INDEX)
		attempt->location.listed = NULL;
	task->fingerprint = location_fingerprint(
	    &attempt->location, READER_VERSION);
	attempt->location.listed = listed;
	attempt->has_digest = document.has_digest && document.is_complete;
	/* SPEC 15.1: the bytes are those of the stored reading, under the same
	 * rules. */
	if (!run_crawl_of(run, number)->options.is_forced &&
	    !result->is_truncated && !run_is_overdue(run, &document) &&
	    document.has_digest && document.is_complete &&
	    document.fingerprint == task->fingerprint &&
	    memcmp(document.wire_digest.bytes, reading->http.wire_digest.bytes,
		sizeof(document.wire_digest.bytes)) == 0) {
		unchanged(run, number);
	} else {
		attempt->is_truncated = result->is_truncated;
		attempt->is_held = false;
		start_reading(run, number, &document);
	}
	document_release(&document);
}

static enum diag_code
status_code(int status)
{
	switch (status) {
	case 404:
	case 410:
		return DIAG_FETCH_NOT_FOUND;
	case 401:
	case 403:
	case 407:
		return DIAG_FETCH_UNAUTHORIZED;
	case 429:
	case 503:
		return DIAG_FETCH_RATE_LIMITED;
	default:
		return status >= 500 && status <= 599 ? DIAG_FETCH_SERVER_ERROR
						      : DIAG_FETCH_HTTP_ERROR;
	}
}

/* SPEC R-115: an index dates the document later than it was last sent whole,
 * and yet it is said to be unchanged.  Without conditions it will be seen who
 * is right. */
static bool
settles(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	const struct date *dated = &attempt->index_lastmod;
	struct document document;

	if (attempt->is_settling || dated->precision == DATE_NONE ||
	    date_doubt(dated, run_now_s(run)) != DIAG_OK ||
	    !store_document_get(
		run->options.store, task->document_id, &document))
		return false;
	attempt->is_settling = !document.index_is_wrong &&
	    dated->epoch_s > document.whole_s;
	document_release(&document);
	if (!attempt->is_settling)
		return false;
	task_drop_spool(attempt);
	task_post(run, number, TASK_QUEUED);
	return true;
}

void
read_answered(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	struct task *task = run_task(run, number);
	int status = result->status;

	if (hop_unconditional(run, number, result))
		return;
	if (result->code != DIAG_OK) {
		/* the next try is without conditions, then; of a document that
		 * ends early, that is found when it was read */
		task->attempt->is_spoilt |= task->attempt->is_conditional &&
		    result->status == 200 && result->is_truncated;
		/* No complete answer came. */
		struct attempt *attempt = task->attempt;

		if (hop_retry(run, number, result))
			return;
		if (result->is_truncated && attempt->spool->length > 0) {
			/* HOSTILE N4: entries that came are kept, and no entry
			 * counts as removed. */
			findings_add(&attempt->findings, result->code, 0,
			    slice_of(result->detail));
			read_take_body(run, number, result);
			return;
		}
		if (task->type != TASK_PROBE)
			(void)read_begin(run, number, result);
		task_drop_spool(attempt);
		task_give_up(
		    run, number, result->code, slice_of(result->detail));
	} else if (status == 200) {
		read_take_body(run, number, result);
	} else if (status == 304 && task->attempt->is_conditional) {
		if (task->type == TASK_PROBE && !promote(run, number))
			return;
		if (settles(run, number))
			return;
		note_redirect(run, number);
		(void)read_begin(run, number, result);
		unchanged(run, number);
	} else if (status == 301 || status == 302 || status == 303 ||
	    status == 307 || status == 308) {
		(void)hop_redirect(run, number, result);
	} else if (!hop_retry(run, number, result)) {
		/* SPEC R-72. */
		struct buf text = BUF_UP_TO(SIZE_MAX);
		enum diag_code code;

		if (run_task(run, number)->type != TASK_PROBE)
			(void)read_begin(run, number, result);
		task_drop_spool(run_task(run, number)->attempt);
		(void)buf_print(&text, "status %d%s%s", result->status,
		    result->wall != NULL            ? " from " WALL_OF_BOTS
			: result->detail[0] != '\0' ? ": "
						    : "",
		    result->wall != NULL ? result->wall : result->detail);
		code = run_sign_failure(run, number, result, &text);
		if (result->retry_after_s >= 0)
			(void)buf_print(&text, ", Retry-After: %lld s",
			    (long long)result->retry_after_s);
		task_give_up(run, number,
		    code != DIAG_OK ? code : status_code(result->status),
		    buf_text(&text));
		buf_release(&text);
	}
}
