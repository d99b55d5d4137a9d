/* The driver's tables of tasks, sites, crawls and origins. */
#include "crawler/crawl/run_tables.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "base/page_filter.h"
#include "crawler/crawl/run_host_state.h"
#include "store/site.h"

#define SMALL_S 2 /* smaller corrections of the clock are normal */

int64_t
run_asked_us(struct run *run, const struct fetch_result *result)
{
	int64_t age_ms = result->asked_ms == 0
	    ? 0
	    : run_now_ms(run) - result->asked_ms;

	/* Two requests never have one time, also when a process was killed in
	 * between: records of an archive are named by it. */
	return (run_now_s(run) * SECOND_MS - age_ms) * 1000 +
	    loop_wall_us(run->options.loop) % 1000000;
}

void
run_kick(struct run *run)
{
	loop_timer_set(run->pump, 0);
}

void
run_fail(struct run *run, enum diag_code code)
{
	enum diag_code cause = store_failed(run->options.store);

	/* A row is also missing when the store could not read it. */
	if (run->fatal == DIAG_OK)
		run->fatal = cause != DIAG_OK ? cause : code;
	loop_stop(run->options.loop);
}

void
run_fail_spool(struct run *run)
{
	run->error = errno;
	run_fail(run, DIAG_DISK_FULL);
}

/* Tasks. */

struct task *
run_task(const struct run *run, uint32_t number)
{
	assert(number < run->task_count);
	return &run->tasks[number];
}

struct crawled_site *
run_site_of(const struct run *run, uint32_t number)
{
	return &run->sites[run_task(run, number)->site];
}

struct crawl *
run_crawl_of(const struct run *run, uint32_t number)
{
	return &run->crawls[run_site_of(run, number)->crawl];
}

void
run_work_for(const struct run *run, uint32_t number)
{
	uint32_t site = run_task(run, number)->site;

	if (site != NONE && run->sites[site].at_work != 0)
		at_work_site(run->sites[site].at_work);
}

uint32_t
run_add_task(struct run *run, const struct task *task)
{
	struct crawled_site *site = &run->sites[task->site];
	struct crawl *crawl = &run->crawls[site->crawl];
	uint32_t number = run->free_task;

	if (number != NONE) {
		run->free_task = run->tasks[number].parent;
	} else {
		number = run->task_count;
		(void)MEM_PUSH(run->tasks, run->task_count, run->task_cap);
	}
	run->tasks[number] = *task;
	run->tasks[number].next = TASK_STATES;
	/* A probe gets its document when there is an answer. */
	if (task->document_id != 0)
		idmap_put(&run->task_by_document, task->document_id, number);
	crawl->open++;
	site->open++;
	if (task->type == TASK_PAGE)
		crawl->totals.pages++;
	else if (task->type != TASK_ROBOTS)
		crawl->totals.known++;
	return number;
}

void
task_remove(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	assert(task->state == TASK_DONE && task->next == TASK_STATES &&
	    task->attempt == NULL);
	/* A later task of another crawl may be for the same document. */
	if (idmap_get(&run->task_by_document, task->document_id) == number)
		idmap_remove(&run->task_by_document, task->document_id);
	free(task->url);
	*task = (struct task){.state = TASK_DONE,
	    .next = TASK_STATES,
	    .parent = run->free_task,
	    .site = NONE};
	run->free_task = number;
}

bool
run_leaves_out(struct run *run, uint32_t site, struct slice url,
    const struct date *lastmod, unsigned indexes)
{
	const struct page_filter *filter = run->sites[site].rules->sitemaps;

	return filter != NULL &&
	    page_filter_refuses(filter,
		&(struct page_filter_subject){.url = url,
		    .lastmod = lastmod,
		    .indexes = indexes,
		    .now_s = run_now_s(run)}) != NULL;
}

uint32_t
run_find(const struct run *run, uint32_t site, int64_t document_id)
{
	uint32_t number = idmap_get(&run->task_by_document, document_id);

	/* A document belongs to one site, so a task of another site entry is of
	 * an earlier crawl. */
	return number == NONE || run_task(run, number)->site != site ? NONE
								     : number;
}

/* The number of checks is limited, because a child of very many indexes must
 * not be checked for each of them. A proof that comes after the last check
 * counts when the document is read the next time. */
void
run_suspect(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	/* A document that is being read is looked at when that is over. */
	task->has_new_proof = task->state != TASK_DONE;
	if (task->is_suspect || task->has_new_proof || task->fingerprint == 0 ||
	    task->rereads >= INDEX_MAX_DEPTH ||
	    task->checks >= 2 * INDEX_MAX_DEPTH)
		return;
	task->checks++;
	task->is_suspect = true;
	fifo_put(&run->lists[LIST_SUSPECTS], number);
	run_crawl_of(run, number)->pending++;
	run_kick(run);
}

void
task_drop_spool(struct attempt *attempt)
{
	if (attempt->spool != NULL)
		spool_put(attempt->spool);
	attempt->spool = NULL;
}

struct attempt *
task_attempt(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	if (task->attempt == NULL) {
		/* The URL of the task is normalised: parsing it cannot fail. */
		struct attempt *attempt = mem_zero(sizeof(*attempt));
		enum diag_code code;

		attempt->run = run;
		attempt->number = number;
		code = url_parse_raw(
		    &attempt->current, slice_of(task->url), NULL);
		assert(code == DIAG_OK);
		(void)code;
		task->attempt = attempt;
	}
	return task->attempt;
}

void
task_drop_attempt(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	if (task->attempt != NULL) {
		task_drop_spool(task->attempt);
		url_release(&task->attempt->current);
		string_set_release(&task->attempt->passed);
		findings_release(&task->attempt->findings);
		if (task->attempt->look != NULL)
			buf_release(&task->attempt->look->texts);
		free(task->attempt->look);
		if (task->attempt->ordered != NULL) {
			struct ordered_page *ordered = task->attempt->ordered;

			free(ordered->etag);
			free(ordered->last_modified);
			free(ordered->first_location);
			if (ordered->text_fd >= 0)
				(void)close(ordered->text_fd);
			free(ordered);
		}
		assert(task->attempt->job == NULL);
		free(task->attempt->why);
		free(task->attempt->challenge);
		free(task->attempt->ancestry);
		accept_free(task->attempt->accept);
		location_scope_release(&task->attempt->location);
		reading_free(task->attempt->reading);
		free(task->attempt);
	}
	task->attempt = NULL;
}

/* There may be 100,000 tasks in the host queue. To save memory, tasks have no
 * attempt until they are fetched, unless an earlier hop or try left data in
 * it. */
void
task_rest(struct run *run, uint32_t number)
{
	const struct attempt *attempt = run_task(run, number)->attempt;

	if (attempt->hops > 0 || attempt->tries > 0 || attempt->is_spoilt ||
	    attempt->is_settling || attempt->findings.count > 0 ||
	    attempt->ordered != NULL || attempt->challenge != NULL)
		return;
	task_drop_attempt(run, number);
}

struct reader_job *
run_read_body(struct run *run, uint32_t number, const struct profile *profile,
    const char *content_type, const char *content_encoding)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	int fd = spool_reader_fd(attempt->spool);
	struct reader_job *job;

	if (fd < 0) {
		run_fail_spool(run);
		return NULL;
	}
	job = mem_zero(sizeof(*job));
	job->body_fd = fd;
	job->body_len = attempt->spool->length;
	scope_init(&job->scope, profile);
	url_copy(&job->scope.location.requested, &attempt->current);
	url_copy(&job->scope.location.final, &attempt->current);
	job->scope.content_type = mem_copy(content_type);
	job->scope.content_encoding = mem_copy(content_encoding);
	attempt->job = job;
	task_post(run, number, TASK_READING);
	return job;
}

void
task_put_back(struct run *run, uint32_t number, uint32_t host)
{
	const struct task *task = run_task(run, number);
	struct host_queue_item item = {.id = number,
	    .host = host,
	    .class = task->class,
	    /* single documents keep their order */
	    .newest_s = task->is_given || task->lastmod.precision == DATE_NONE
		? INT64_MIN
		: task->lastmod.epoch_s};

	host_queue_add(run->host_queue, &item);
}

void
task_post(struct run *run, uint32_t number, enum task_state state)
{
	struct task *task = run_task(run, number);

	/* Two modules may come to the same end within one event. */
	if (task->next == state)
		return;
	assert(task->next == TASK_STATES);
	task->next = (uint8_t)state;
	fifo_put(&run->lists[LIST_POSTED], number);
}

void
task_start(struct run *run, uint32_t number)
{
	const struct task *task = run_task(run, number);

	if ((task->state == TASK_NEW || task->state == TASK_WAITING) &&
	    task->next == TASK_STATES)
		task_post(run, number, TASK_NEW);
}

void
task_give_up(
    struct run *run, uint32_t number, enum diag_code code, struct slice text)
{
	struct attempt *attempt = task_attempt(run, number);

	attempt->failure = code;
	free(attempt->why);
	attempt->why = text.p == NULL ? NULL : slice_dup(text);
	task_post(run, number, TASK_GIVEN_UP);
}

void
task_begin_later(struct run *run, uint32_t number)
{
	fifo_put(&run->lists[LIST_BEGINNING], number);
	run_kick(run);
}

/* Sites. */

uint32_t
run_site(struct run *run, uint32_t number, struct slice host)
{
	int64_t id = store_site(run->options.store, host);
	struct site_place *place = sites_place(run, id);
	struct crawl *crawl = &run->crawls[number];
	struct crawled_site begun = {.id = id, .crawl = number};

	if (place->crawl != NONE) {
		const struct crawled_site *site = &run->sites[place->crawl];

		if (site->crawl == number)
			return place->crawl;
		if (crawls_site_is_busy(run, site))
			return NONE;
		/* If a limit left something out, the store keeps the crawl of
		 * the site open, and the next run continues it. */
		if (!run->crawls[site->crawl].totals.is_over_budget &&
		    !run->crawls[site->crawl].is_dropped)
			store_crawl_end(run->options.store, id);
	}
	/* While a crawl wants the place, no further single document begins. */
	place->is_wanted = place->singles > 0;
	if (place->is_wanted)
		return NONE;
	begun.at_work = at_work_name(host);
	begun.rules = run->options.rules(run->options.rules_arg, host);
	/* A forced crawl reads again what an interrupted one has read. */
	if (crawl->options.is_forced && !crawl->options.is_continued)
		store_crawl_end(run->options.store, id);
	begun.begun_s = store_crawl_begin(
	    run->options.store, id, run_now_s(run), &begun.is_resumed);
	crawl->totals.sites++;
	place->crawl = sites_begin(run, &begun);
	return place->crawl;
}

uint32_t
sites_begin(struct run *run, const struct crawled_site *site)
{
	uint32_t number = run->free_site;

	if (number != NONE) {
		run->free_site = run->sites[number].open;
	} else {
		number = run->site_count;
		(void)MEM_PUSH(run->sites, run->site_count, run->site_cap);
	}
	run->sites[number] = *site;
	return number;
}

void
sites_leave_place(struct run *run, struct site_place *place)
{
	uint32_t number = (uint32_t)(place - run->places);

	if (place->crawl != NONE || place->singles > 0 || place->is_wanted ||
	    place->pages != NONE)
		return;
	idmap_remove(&run->place_by_site, place->site_id);
	*place = (struct site_place){
	    .crawl = NONE, .pages = NONE, .singles = run->free_place};
	run->free_place = number;
}

void
sites_end(struct run *run, uint32_t number)
{
	struct crawled_site *site = &run->sites[number];
	struct site_place *place = sites_place(run, site->id);

	assert(site->open == 0);
	if (place->pages == number)
		place->pages = NONE;
	else if (site->is_pages)
		; /* a later entry has the place */
	else if (site->is_single)
		place->singles--;
	else if (place->crawl == number)
		place->crawl = NONE;
	sites_leave_place(run, place);
	self_listed_release(site->listed);
	*site = (struct crawled_site){.crawl = NONE, .open = run->free_site};
	run->free_site = number;
}

struct site_place *
sites_place_find(const struct run *run, int64_t site_id)
{
	uint32_t number = idmap_get(&run->place_by_site, site_id);

	return number == IDMAP_NONE ? NULL : &run->places[number];
}

struct site_place *
sites_place(struct run *run, int64_t site_id)
{
	struct site_place *place = sites_place_find(run, site_id);
	uint32_t number = run->free_place;

	if (place != NULL)
		return place;
	if (number != NONE) {
		run->free_place = run->places[number].singles;
	} else {
		number = run->place_count;
		(void)MEM_PUSH(run->places, run->place_count, run->place_cap);
	}
	idmap_put(&run->place_by_site, site_id, number);
	place = &run->places[number];
	*place = (struct site_place){
	    .site_id = site_id, .crawl = NONE, .pages = NONE};
	return place;
}

/* Crawls. */

void
crawl_give(struct crawl *crawl, int64_t document_id)
{
	*MEM_PUSH(
	    crawl->given, crawl->given_count, crawl->given_cap) = document_id;
}

void
crawl_problem(struct crawl *crawl, enum diag_code code, struct slice url,
    struct slice text)
{
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.problem(crawl->options.arg, code, url, text);
}

void
crawl_returns(const struct crawl *crawl, int64_t document_id)
{
	if (!crawl->is_dropped && crawl->options.returned != NULL)
		crawl->options.returned(crawl->options.arg, document_id);
}

void
crawl_report_clock(struct run *run, struct crawl *crawl)
{
	int64_t wall_s = loop_wall_s(run->options.loop);
	int64_t now_s = run_now_s(run);
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (now_s - wall_s < SMALL_S || crawl->is_clock_reported)
		return;
	crawl->is_clock_reported = true;
	/* A crawl says it once, however often the clock is corrected. */
	crawl->totals.codes[DIAG_CLOCK_JUMP]++;
	(void)buf_print(&text, "the clock says ");
	time_print(&text, wall_s);
	(void)buf_print(&text, ", and it has been ");
	time_print(&text, now_s);
	(void)buf_print(&text, " before; times go on from there");
	crawl_problem(
	    crawl, DIAG_CLOCK_JUMP, slice_make(NULL, 0), buf_text(&text));
	buf_release(&text);
}

void
crawl_report(struct crawl *crawl, struct task *task,
    const struct reading *reading, const struct profile *profile)
{
	const struct content *content = &reading->content;
	struct run_totals *totals = &crawl->totals;
	bool is_document = task->type != TASK_ROBOTS;

	task->is_reported = true;
	for (size_t i = 0; i < content->findings.count; i++)
		totals->codes[content->findings.items[i].code] +=
		    content->findings.items[i].count;
	totals->wire_bytes += reading->http.wire_bytes;
	/* robots.txt is no document of the site, but one that could not be read
	 * is among those that the end of a crawl names. */
	totals->done += is_document || reading->outcome == OUTCOME_FAILED ||
	    reading->outcome == OUTCOME_REFUSED;
	totals->failed += reading->outcome == OUTCOME_FAILED;
	totals->refused += reading->outcome == OUTCOME_REFUSED;
	if (is_document) {
		totals->read += reading->outcome == OUTCOME_READ;
		totals->partial += reading->outcome == OUTCOME_READ &&
		    !content->is_complete;
		totals->unchanged += reading->outcome == OUTCOME_UNCHANGED;
		totals->refused_entries += content->refused;
	}
	/* Which parser read the document? */
	if (is_document && content->is_scanned) {
		totals->scanned++;
		totals->scanned_bytes += content->decoded_bytes;
	} else if (is_document && content->decoded_bytes > 0) {
		totals->parsed++;
		totals->parsed_bytes += content->decoded_bytes;
		totals->asides[content->aside]++;
	}
	/* The entries of an index are sitemaps, and none of the site's URLs. */
	if (is_document && content->kind == KIND_INDEX) {
		totals->refused_children += content->refused;
	} else if (is_document) {
		totals->listed += content->merge.entries;
		totals->refused_by[merge_refused_by(&content->merge)] +=
		    content->merge.refused;
		for (int i = 0; i < DELTA_KINDS; i++)
			totals->changes[i] += content->merge.changes[i];
	}
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.document(
		    crawl->options.arg, slice_of(task->url), reading, profile);
}

bool
crawls_site_is_busy(const struct run *run, const struct crawled_site *site)
{
	const struct crawl *crawl = &run->crawls[site->crawl];

	return site->open > 0 || crawl->state == CRAWL_ROBOTS ||
	    crawl->robots_open > 0 || crawl->pending > 0;
}

/* Origins. */

uint32_t
origins_of(struct run *run, const struct url *url)
{
	uint32_t number = names_find(&run->origin_names, url_origin(url));

	if (number == NAMES_NONE) {
		number = names_put(&run->origin_names, url_origin(url));
		if (number == run->origin_count)
			(void)MEM_PUSH(
			    run->origins, run->origin_count, run->origin_cap);
		/* The number of a forgotten origin may come again. */
		run->origins_used++;
		run->origins[number] = (struct origin){
		    .text = names_text(&run->origin_names, number),
		    .host = host_state_of(run, url_host(url)),
		    .seed_site = NONE};
	}
	run->origins[number].used_ms = run_now_ms(run);
	return number;
}

void
origins_seed_later(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];

	origin->seed_site = site;
	/* The list has each origin once. */
	if (origin->is_to_seed)
		return;
	origin->is_to_seed = true;
	fifo_put(&run->to_seed, number);
}

static bool
origin_is_to_seed(void *arg, uint32_t number)
{
	struct run *run = arg;
	struct origin *origin = &run->origins[number];

	origin->is_to_seed = origin->seed_site != NONE;
	return origin->is_to_seed;
}

void
origins_tidy_to_seed(struct run *run)
{
	fifo_keep(&run->to_seed, origin_is_to_seed, run);
}
