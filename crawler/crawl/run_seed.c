/* The driver: documents that a site begins with: those of Sitemap lines, and
 * default locations. */
#include "crawler/crawl/run_seed.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_tables.h"
#include "store/reach.h"
#include "store/site.h"

/* For each request, libcurl looks at all connections that it keeps. Up to this
 * number, idle connections cost little time and may stay. */
#define FEW_HOSTS 64

#define LINES_MS 3 /* time in one round of the loop */

uint32_t
seed_document(struct run *run, uint32_t site, struct slice url,
    int64_t document_id, enum host_queue_class class)
{
	struct task task = {.document_id = document_id,
	    .site = site,
	    .parent = NONE,
	    .origin = NONE,
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

/* SPEC R-70: does a host with a name, or a public address, name a URL with a
 * private address? */
static bool
seed_leads_inward(struct run *run, uint32_t number, struct slice text)
{
	struct slice host = names_slice(
	    &run->table->names, run->origins[number].host);
	struct url url = {0};
	bool is_inward;

	is_inward = addr_host_reach(host) == ADDR_PUBLIC &&
	    url_parse_raw(&url, text, NULL) == DIAG_OK &&
	    addr_host_reach(url_host(&url)) != ADDR_PUBLIC;
	url_release(&url);
	return is_inward;
}

/* Default locations. */

/* Add a copy of the task, which asks whether a sitemap is at `base` followed by
 * `place`. False: a task for that URL has just failed. */
static bool
ask_at(struct run *run, struct task *task, struct slice base, const char *place)
{
	struct buf url = BUF_UP_TO(SIZE_MAX);
	uint32_t other = NONE;

	(void)buf_put_slice(&url, base);
	(void)buf_put_slice(&url, slice_of(place));
	task->parent = NONE;
	task->type = TASK_PROBE;
	task->class = CLASS_SEED;
	task->document_id = store_document_id(
	    run->options.store, run->sites[task->site].id, buf_text(&url));
	task->url = buf_take(&url);
	if (task->document_id != 0)
		other = run_find(run, task->site, task->document_id);
	if (other != NONE) {
		free(task->url);
		/* If the other task is not a guess, the URL is a target
		 * itself. */
		return !run_task(run, other)->is_guess;
	}
	task_start(run, run_add_task(run, task));
	return true;
}

/* Ask for what the caller has found in its folder. False: nothing. */
static bool
seed_found(struct run *run, const struct task *like)
{
	const struct crawl *crawl = &run->crawls[run->sites[like->site].crawl];
	bool is_any = false;
	struct buf url = BUF_UP_TO(SIZE_MAX);

	while (crawl->options.found != NULL &&
	    crawl->options.found(crawl->options.arg, &url)) {
		struct task task = {.site = like->site, .origin = like->origin};

		run->sites[like->site].is_found = true;
		is_any |= ask_at(run, &task, buf_text(&url), "");
		buf_clear(&url);
	}
	buf_release(&url);
	return is_any;
}

/* Try the next default location of the origin for that site entry. Before all
 * its start page is asked for, because it may name one, and because a generator
 * that it names has names of its own. */
static bool
seed_probe(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];
	struct task task = {.site = site, .origin = number};

	/* a folder is searched for what it has */
	if (run->table->items[origin->host]->is_file &&
	    !origin->is_start_known) {
		origin->places = target_places_for(slice_of(NULL));
		origin->is_start_known = true;
	}
	if (!origin->is_start_known) {
		struct task start = {.site = site,
		    .origin = number,
		    .parent = NONE,
		    .type = TASK_PAGE,
		    .class = CLASS_SEED};
		struct buf url = BUF_UP_TO(SIZE_MAX);

		origin->is_start_known = true;
		(void)buf_print(&url, "%s/", origin->text);
		start.url = buf_take(&url);
		task_start(run, run_add_task(run, &start));
		return true;
	}
	while (origin->probes >= TARGET_PLACES_USUAL &&
	    origin->probes < TARGET_PLACES &&
	    (origin->places >> origin->probes & 1) == 0)
		origin->probes++;
	if (origin->probes >= TARGET_PLACES) {
		char *linked = origin->linked;
		bool is_asked;

		origin->linked = NULL;
		is_asked = linked != NULL &&
		    ask_at(run, &task, slice_of(linked), "");
		free(linked);
		return is_asked || seed_found(run, &task);
	}
	return ask_at(run, &task, slice_of(origin->text),
		   target_places[origin->probes++]) ||
	    seed_probe(run, number, site);
}

bool
seed_probe_below(
    struct run *run, const struct task *like, struct slice folder, size_t place)
{
	struct task task = {
	    .site = like->site, .origin = like->origin, .is_below = true};

	if (place < TARGET_PLACES_USUAL) {
		folder.len--; /* a place begins with a slash */
		(void)ask_at(run, &task, folder, target_places[place]);
		return true;
	}
	if (run->table->items[run->origins[task.origin].host]->is_file)
		return seed_found(run, &task);
	task_start(run, seed_document(run, task.site, folder, 0, CLASS_SEED));
	return true;
}

bool
seed_next(struct run *run, uint32_t number)
{
	struct task task = *run_task(run, number);
	const char *name = strrchr(task.url, '/');
	size_t place = 0;

	if (!task.is_below)
		return seed_probe(run, task.origin, task.site);
	/* Which default location below the target did the task ask for? */
	for (size_t i = 0; i < TARGET_PLACES; i++)
		if (strcmp(name, target_places[i]) == 0)
			place = i;
	/* the target with its slash */
	struct slice folder = slice_make(
	    task.url, (size_t)(name - task.url) + 1);

	return seed_probe_below(run, &task, folder, place + 1);
}

void
seed_end_probe(struct run *run, uint32_t number, enum diag_code code)
{
	struct crawl *crawl = run_crawl_of(run, number);
	const struct task task = *run_task(run, number);
	struct slice below = slice_of(task.url);
	bool is_lost = false;
	bool answers = code != DIAG_ROBOTS_UNREACHABLE &&
	    code != DIAG_PRIVATE_ADDRESS && code != DIAG_FETCH_NETWORK_ERROR &&
	    code != DIAG_FETCH_RATE_LIMITED;

	crawl->totals.known--;
	if (!answers || !seed_next(run, number)) {
		crawl->totals.lost_targets++;
		is_lost = true;
	}
	task_post(run, number, TASK_DONE);
	/* the target below which the task looked for a sitemap, with its slash
	 */
	while (task.is_below && below.p[below.len - 1] != '/')
		below.len--;
	if (answers && is_lost)
		crawl_problem(crawl, DIAG_NO_SITEMAP_FOUND,
		    task.is_below ? below
				  : slice_of(run->origins[task.origin].text),
		    slice_of(NULL));
}

void
seed_start_known(struct run *run, uint32_t number, struct slice generator,
    struct slice sitemap)
{
	const struct task task = *run_task(run, number);
	struct origin *origin = &run->origins[task.origin];
	struct task like = {.site = task.site, .origin = task.origin};
	struct crawl *crawl = run_crawl_of(run, number);
	size_t len = strlen(origin->text);

	/* it is no page that somebody lists */
	crawl->totals.pages--;
	origin->places = target_places_for(generator);
	/* A page proves nothing for another site, nor that a sitemap in a
	 * folder may list what is not below it: that one is asked for last. */
	bool is_own = sitemap.len > len &&
	    slice_starts(sitemap, slice_of(origin->text)) &&
	    sitemap.p[len] == '/';
	bool is_below = is_own &&
	    memchr(sitemap.p + len + 1, '/', sitemap.len - len - 1) != NULL;

	free(origin->linked);
	origin->linked = is_below ? slice_dup(sitemap) : NULL;
	if (is_own && !is_below && ask_at(run, &like, sitemap, "")) {
		task_post(run, number, TASK_DONE);
		run_kick(run);
		return;
	}
	/* as if it were a probe that found nothing; what keeps a start page
	 * from being read need not keep a sitemap */
	crawl->totals.known++;
	seed_end_probe(run, number, DIAG_OK);
	run_kick(run);
}

bool
seed_is_left(struct run *run, uint32_t number)
{
	size_t hosts = host_queue_hosts(run->host_queue);
	const struct task *task = run_task(run, number);

	/* With so many hosts, libcurl closes this connection in favour of
	 * others before it is used again. */
	if (hosts > fetch_capacity(run->options.fetcher))
		return true;
	if (hosts <= FEW_HOSTS)
		return false;
	/* Is this perhaps the last request to the host for now? A child leads
	 * to no further document. */
	if (task->type == TASK_PROBE)
		return !task->is_below &&
		    run->origins[task->origin].probes >= TARGET_PLACES;
	return task->type == TASK_DOCUMENT &&
	    (task->parent != NONE || task->is_child) &&
	    run->table->items[task->attempt->host]->waiting[HOST_DOCUMENTS] ==
	    0;
}

void
seed_http_of(const struct run *run, uint32_t number, struct url *url)
{
	enum diag_code code;
	struct buf text = BUF_UP_TO(URL_MAX_BYTES);

	(void)buf_print(
	    &text, "http%s/", run->origins[number].text + strlen("https"));
	code = url_parse_raw(url, buf_text(&text), NULL);
	assert(code == DIAG_OK); /* the text of an origin is a URL */
	(void)code;
	buf_release(&text);
}

/* Sitemap lines. */

void
lines_add(struct run *run, const struct line_job *job)
{
	struct sitemap_lines *lines = &run->lines;
	struct line_job *copy = mem_alloc(sizeof(*copy));

	*copy = *job;
	copy->next = NULL;
	*(lines->end == NULL ? &lines->first : lines->end) = copy;
	lines->end = &copy->next;
	if (job->crawl != NONE)
		run->crawls[job->crawl].pending++;
	run_kick(run);
}

static void
prove(struct run *run, const struct line_job *job, struct slice text)
{
	const struct site_place *place;
	uint32_t site, task;
	struct url url = {0};

	if (url_parse_raw(&url, text, NULL) == DIAG_OK &&
	    !slice_is(url_origin(&url), run->origins[job->origin].text)) {
		place = sites_place_find(
		    run, store_site_find(run->options.store, url_host(&url)));
		site = place == NULL ? NONE : place->crawl;
		task = site == NONE
		    ? NONE
		    : run_find(run, site,
			  store_document_id(run->options.store,
			      run->sites[site].id, url_text(&url)));
		if (task != NONE)
			run_suspect(run, task);
	}
	url_release(&url);
}

/* All lines of a robots.txt. */

static void
lines_keep_url(void *arg, struct slice url)
{
	struct sitemap_lines *lines = arg;

	*MEM_PUSH(lines->urls, lines->url_count, lines->url_cap) = slice_dup(
	    url);
}

/* The line makes the document a root of the site, without reading it. */
static void
lines_root(struct run *run, const struct line_job *job, int64_t site_id,
    struct slice url)
{
	struct document document;

	store_document(run->options.store, site_id, url, &document);
	reach_root(run->options.store, site_id, document.id, ROOT_OF_LINE,
	    slice_of(run->origins[job->origin].text));
	document_release(&document);
}

/* Targets and default locations are read, whatever the filter says. */
static bool
lines_leaves_out(struct run *run, uint32_t site, struct slice url)
{
	struct store *store = run->options.store;
	enum reach_root_kind kind;

	return run_leaves_out(run, site, url, NULL, 0) &&
	    (!reach_root_kind(store,
		 store_document_id(store, run->sites[site].id, url), &kind) ||
		kind == ROOT_OF_LINE);
}

static void
lines_use(struct run *run, const struct line_job *job, struct slice url)
{
	switch (job->use) {
	case USE_SEED: {
		const struct sitemap_lines *lines = &run->lines;
		bool is_inward = seed_leads_inward(run, job->origin, url);
		bool is_named = lines->next <= lines->named;
		uint32_t task;

		if (lines_leaves_out(run, job->site, url)) {
			if (is_named)
				lines_root(
				    run, job, run->sites[job->site].id, url);
			break;
		}
		task = seed_document(run, job->site, url, 0, CLASS_SEED);
		run_work_for(run, task);
		if (is_named)
			reach_root(run->options.store, run->sites[job->site].id,
			    run_task(run, task)->document_id, ROOT_OF_LINE,
			    slice_of(run->origins[job->origin].text));
		/* When this document cannot be read, default locations are
		 * tried. */
		if (lines->named == 0 &&
		    run_task(run, task)->state == TASK_NEW) {
			run_task(run, task)->is_guess = true;
			run_task(run, task)->origin = job->origin;
		}
		if (!is_inward)
			task_begin_later(run, task);
		else if (run_task(run, task)->state == TASK_NEW)
			task_give_up(run, task, DIAG_PRIVATE_ADDRESS,
			    slice_of(
				"named by robots.txt of a host that has none"));
		break;
	}
	case USE_SEED_SINGLE:
		if (!seed_leads_inward(run, job->origin, url))
			lines_root(run, job, job->site_id, url);
		break;
	case USE_PROVE:
		prove(run, job, url);
		break;
	}
}

bool
lines_some(struct run *run)
{
	struct sitemap_lines *lines = &run->lines;
	int64_t end_ms = run_now_ms(run) + LINES_MS;

	while (lines->first != NULL && run_now_ms(run) < end_ms) {
		struct line_job job = *lines->first;
		/* A closed crawl needs no lines. */
		bool is_wanted = job.crawl == NONE ||
		    (!run->crawls[job.crawl].is_dropped && !run->is_full);

		if (is_wanted && !lines->is_loaded) {
			store_each_url(run->options.store, URLS_SEEDS, 0,
			    slice_of(run->origins[job.origin].text),
			    lines_keep_url, lines);
			lines->named = lines->url_count;
			if (job.use == USE_SEED)
				store_each_url(run->options.store, URLS_ROOTS,
				    run->sites[job.site].id,
				    slice_of(run->origins[job.origin].text),
				    lines_keep_url, lines);
			lines->is_loaded = true;
			if (lines->url_count == 0 && job.use == USE_SEED)
				(void)seed_probe(run, job.origin, job.site);
		}
		if (is_wanted && lines->next < lines->url_count)
			lines_use(
			    run, &job, slice_of(lines->urls[lines->next++]));
		else {
			/* The first job is done. */
			for (size_t i = 0; i < lines->url_count; i++)
				free(lines->urls[i]);
			free(lines->urls);
			lines->urls = NULL;
			lines->url_count = lines->url_cap = 0;
			lines->next = lines->named = 0;
			lines->is_loaded = false;
			if (job.crawl != NONE)
				run->crawls[job.crawl].pending--;
			/* a copy made above may lack the jobs added since */
			job.next = lines->first->next;
			free(lines->first);
			lines->first = job.next;
			if (job.next == NULL)
				lines->end = NULL;
			run_kick(run);
		}
	}
	return lines->first != NULL;
}
