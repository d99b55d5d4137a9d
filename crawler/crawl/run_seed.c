/* The driver: targets, and the documents they lead to. */
#include "crawler/crawl/run_seed.h"

#include <assert.h>
#include <stdlib.h>

#include "base/addr.h"
#include "base/mem.h"
#include "crawler/crawl/run_begin.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_internal.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_task.h"
#include "sched/host_queue.h"
#include "store/reach.h"
#include "store/site.h"

/* libcurl goes through all connections that it keeps with each request: that
 * many are kept, though nobody waits for them. */
#define FEW_HOSTS 64

void
seed_want_robots(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	uint32_t crawl = run->sites[site].crawl;

	if (robots_is_known(run, number, site))
		return;
	origin->gates = mem_grow(origin->gates, &origin->dns_queue_cap,
	    origin->dns_queue_count + 1, sizeof(*origin->gates));
	origin->gates[origin->dns_queue_count++] = crawl;
	run->crawls[crawl].robots_open++;
	if (origin->state == ORIGIN_NEW)
		robots_ask(run, number, site);
}

/* http_of(run, origin, url): the same host over http. */
static void
http_of(const struct run *run, uint32_t number, struct url *url)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	enum diag_code code;
	struct buf text;

	buf_init(&text, URL_MAX_BYTES);
	(void)buf_print(
	    &text, "http%s/", run->origins[number].text + strlen("https"));
	code = url_parse(
	    url, buf_text(&text), NULL, &profile, (struct diag_sink){0});
	assert(code == DIAG_OK); /* an origin is a URL */
	(void)code;
	buf_release(&text);
}

void
seed_name(struct run *run, int64_t site_id, const struct target *target)
{
	uint32_t number = run_origin(run, &target->url);
	struct url url;

	policy_allow_target(run->options.policy, &target->url);
	run->origins[number].named_by = site_id;
	run_host_state(run, run->origins[number].host)->is_named = true;
	if (target->kind == TARGET_DOCUMENT)
		return;
	run->origins[number].is_seeded = true;
	if (!target->has_no_scheme)
		return;
	run->origins[number].is_of_host = true;
	url_init(&url);
	http_of(run, number, &url);
	number = run_origin(run, &url);
	run->origins[number].is_seeded = true;
	policy_allow_target(run->options.policy, &url);
	url_release(&url);
}

/* seed_later(run, origin, site): it is to be sown for that site. */
static void
seed_later(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];

	origin->seed_site = site;
	if (origin->is_unsown)
		return;
	origin->is_unsown = true;
	run->unsown = mem_grow(run->unsown, &run->unsown_cap,
	    run->unsown_count + 1, sizeof(*run->unsown));
	run->unsown[run->unsown_count++] = number;
}

/* tidy(run): those that were sown leave the list. */
static void
tidy(struct run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->unsown_count; i++) {
		struct origin *origin = &run->origins[run->unsown[i]];

		origin->is_unsown = origin->seed_site != NONE;
		if (origin->is_unsown)
			run->unsown[count++] = run->unsown[i];
	}
	run->unsown_count = count;
}

uint32_t
seed_document(struct run *run, uint32_t site, struct slice url,
    int64_t document_id, enum host_queue_class class)
{
	struct task task = {.document_id = document_id,
	    .site = site,
	    .parent = NONE,
	    .origin = NONE,
	    .newest_s = INT64_MIN,
	    .type = TASK_DOCUMENT,
	    .class = (uint8_t) class};
	uint32_t number;

	if (document_id == 0) {
		struct document document;

		store_document(
		    run->options.store, run->sites[site].id, url, &document);
		task.document_id = document.id;
		document_release(&document);
	}
	number = run_find(run, site, task.document_id);
	if (number != NONE)
		return number;
	task.url = slice_dup(url);
	return run_add_task(run, &task);
}

bool
seed_leads_inward(struct run *run, uint32_t number, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct slice host = host_queue_name(
	    run->host_queue, run->origins[number].host);
	struct url url;
	bool is_inward;

	url_init(&url);
	is_inward = !addr_host_is_private(host) &&
	    url_parse(&url, text, NULL, &profile, (struct diag_sink){0}) ==
		DIAG_OK &&
	    addr_host_is_private(url_host(&url));
	url_release(&url);
	return is_inward;
}

/*
 * ask_at(run, visit, base, place): is there a sitemap at base and place?  The
 * visit is copied.  False: that was just tried.
 */
static bool
ask_at(struct run *run, struct task *task, struct slice base, const char *place)
{
	struct buf url;
	uint32_t other = NONE;

	buf_init(&url, SIZE_MAX);
	(void)buf_put_slice(&url, base);
	(void)buf_put_slice(&url, slice_of(place));
	task->parent = NONE;
	task->newest_s = INT64_MIN;
	task->type = TASK_PROBE;
	task->class = CLASS_SEED;
	task->document_id = store_document_id(
	    run->options.store, run->sites[task->site].id, buf_text(&url));
	task->url = buf_take(&url);
	if (task->document_id != 0)
		other = run_find(run, task->site, task->document_id);
	if (other != NONE) {
		free(task->url);
		/* else it is a target itself */
		return !run->tasks[other].is_guess;
	}
	task_begin(run, run_add_task(run, task));
	return true;
}

bool
seed_probe(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	struct task task = {.site = site, .origin = number};

	if (origin->probes >= TARGET_PLACES)
		return false;
	return ask_at(run, &task, slice_of(origin->text),
		   target_places[origin->probes++]) ||
	    seed_probe(run, number, site);
}

/*
 * probe_below(run, like, folder, place): the place of that number below a
 * target; behind the last one it is a document itself, if it can be: a folder
 * of files cannot.
 */
static bool
probe_below(
    struct run *run, const struct task *like, struct slice folder, size_t place)
{
	struct task task = {
	    .site = like->site, .origin = like->origin, .is_below = true};

	if (place < TARGET_PLACES) {
		folder.len--; /* a place begins with the slash */
		(void)ask_at(run, &task, folder, target_places[place]);
		return true;
	}
	if (run_host_state(run, run->origins[task.origin].host)->is_file)
		return false;
	task_begin(run, seed_document(run, task.site, folder, 0, CLASS_SEED));
	return true;
}

/* below(visit, *place): the target that a place is below, with its slash. */
static struct slice
below(const struct task *task, size_t *place)
{
	const char *name = strrchr(task->url, '/');

	for (size_t i = 0; i < TARGET_PLACES; i++)
		if (strcmp(name, target_places[i]) == 0)
			*place = i;
	return slice_make(task->url, (size_t)(name - task->url) + 1);
}

bool
seed_next(struct run *run, uint32_t number)
{
	struct task task = *run_task(run, number);
	size_t place = 0;
	struct slice folder;

	if (!task.is_below)
		return seed_probe(run, task.origin, task.site);
	folder = below(&task, &place);
	return probe_below(run, &task, folder, place + 1);
}

static void
sow_document(struct run *run, uint32_t site, struct slice url)
{
	uint32_t task = seed_document(run, site, url, 0, CLASS_SEED);

	reach_root(run->options.store, run->sites[site].id,
	    run_task(run, task)->document_id, ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	task_begin(run, task);
}

/* sow(run, crawl, target): a target that is a document itself, or lies above
 * one. */
static void
sow(struct run *run, const struct crawl *crawl,
    const struct crawl_target *target)
{
	const struct url *url = &target->target.url;
	struct slice path = url_path(url);
	struct task like = {.site = target->site};

	if (target->target.kind != TARGET_DOCUMENT)
		return;
	like.origin = run_origin(run, url);
	if (crawl->options.finds_below && path.p[path.len - 1] == '/' &&
	    path.len == url_target(url).len &&
	    url_text(url).len + strlen("sitemap_index.xml") < URL_MAX_BYTES &&
	    run->origins[like.origin].closed_by == DIAG_OK)
		(void)probe_below(run, &like, url_text(url), 0);
	else
		sow_document(run, target->site, url_text(url));
}

bool
seed_target(struct run *run, uint32_t crawl, struct crawl_target *to)
{
	const struct target *target = &to->target;
	uint32_t number = run_origin(run, &target->url);
	struct origin *origin = &run->origins[number];

	to->site = run_site(run, crawl, url_host(&target->url));
	if (to->site == NONE)
		return false;
	policy_allow_target(run->options.policy, &target->url);
	origin->named_by = run->sites[to->site].id;
	run_host_state(run, origin->host)->is_named = true;
	if (target->kind != TARGET_DOCUMENT) {
		seed_later(run, number, to->site);
		origin->probes = 0;
	}
	if (target->has_no_scheme)
		origin->may_be_http = origin->is_of_host = true;
	seed_want_robots(run, number, to->site);
	if (run->crawls[crawl].state == CRAWL_DOCUMENTS) {
		sow(run, &run->crawls[crawl], to);
		seed_origin(run, number);
	}
	return true;
}

/* Will its host be asked for nothing soon?  A child leads to no further one. */
static bool
is_last(struct run *run, const struct task *task)
{
	if (task->type == TASK_PROBE)
		return !task->is_below &&
		    run->origins[task->origin].probes >= TARGET_PLACES;
	return task->type == TASK_DOCUMENT &&
	    (task->parent != NONE || task->is_child) &&
	    !host_queue_waits(run->host_queue, task->attempt->host);
}

bool
seed_is_left(struct run *run, uint32_t number)
{
	size_t hosts = host_queue_hosts(run->host_queue);

	/* others will have taken its place before its host's next turn */
	if (hosts > fetch_capacity(run->options.fetcher))
		return true;
	return hosts > FEW_HOSTS && is_last(run, &run->tasks[number]);
}

void
seed_end_probe(struct run *run, uint32_t number, enum diag_code code)
{
	struct crawl *crawl = run_crawl_of(run, number);
	const struct task task = *run_task(run, number);
	size_t place;
	bool is_lost = false;
	bool answers = code != DIAG_ROBOTS_UNREACHABLE &&
	    code != DIAG_PRIVATE_ADDRESS && code != DIAG_FETCH_NETWORK_ERROR &&
	    code != DIAG_FETCH_RATE_LIMITED;

	crawl->totals.known--;
	if (!answers || !seed_next(run, number)) {
		crawl->totals.lost_targets++;
		is_lost = true;
	}
	task_finish(run, number);
	if (answers && is_lost)
		crawl_problem(crawl, DIAG_NO_SITEMAP_FOUND,
		    task.is_below ? below(&task, &place)
				  : slice_of(run->origins[task.origin].text),
		    slice_of(NULL));
}

void
seed_origin(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];
	uint32_t site = origin->seed_site;
	struct crawl *crawl;

	if (site == NONE || origin->state != ORIGIN_KNOWN)
		return;
	crawl = &run->crawls[run->sites[site].crawl];
	if (crawl->state != CRAWL_DOCUMENTS)
		return;
	origin->seed_site = NONE;
	if (origin->closed_by != DIAG_OK)
		crawl->totals.lost_targets++;
	else
		lines_sow(run, number, site);
}

void
seed_documents(struct run *run, uint32_t number)
{
	for (size_t i = 0; i < run->crawls[number].target_count; i++)
		if (run->crawls[number].targets[i].site != NONE)
			sow(run, &run->crawls[number],
			    &run->crawls[number].targets[i]);
	/* of those that a run has ever seen few are new */
	for (size_t i = 0; i < run->unsown_count; i++)
		seed_origin(run, run->unsown[i]);
	tidy(run);
}

void
seed_drop(struct run *run, uint32_t crawl)
{
	for (size_t i = 0; i < run->unsown_count; i++) {
		struct origin *origin = &run->origins[run->unsown[i]];

		if (origin->seed_site != NONE &&
		    run->sites[origin->seed_site].crawl == crawl)
			origin->seed_site = NONE;
	}
	tidy(run);
}

bool
seed_try_http(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	uint32_t from = run_task(run, number)->origin;
	uint32_t site = run->origins[from].seed_site;
	struct url url;
	struct buf why;
	uint32_t to;

	if (site == NONE)
		site = run_task(run, number)->site;
	if (run->sites[site].is_single || !run->origins[from].may_be_http ||
	    !result->is_connect_failure || result->is_untrusted ||
	    run->sites[site].rules->credentials != NULL ||
	    run->sites[site].rules->headers != NULL)
		return false;
	url_init(&url);
	http_of(run, from, &url);
	buf_init(&why, SIZE_MAX);
	(void)buf_print(&why, "%s; going on with http", result->detail);
	crawl_problem(run_crawl_of(run, number), DIAG_OK,
	    slice_of(run_task(run, number)->url), buf_text(&why));
	buf_release(&why);
	to = run_origin(run, &url);
	policy_allow_target(run->options.policy, &url);
	url_release(&url);
	run->origins[from].seed_site = NONE;
	run->origins[from].may_be_http = false;
	run->origins[to].is_of_host = true;
	seed_later(run, to, site);
	seed_want_robots(run, to, site);
	return true;
}
