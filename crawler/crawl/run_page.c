/* The driver: looking at pages, those of a sample and those that were ordered.
 */
#include "crawler/crawl/run_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include "base/ascii.h"
#include "base/civil.h"
#include "base/mem.h"
#include "base/wall.h"
#include "crawler/crawl/run.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_read.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_target.h"
#include "crawler/parse/page.h"
#include "store/query.h"

#define TEXT_BYTES 600

/* Which pages are looked at. */

/* A document that lists pages. */
struct sample_source {
	uint32_t task;
	uint64_t entries;
	uint64_t share; /* pages of the sample that come from this document */
};

struct sample {
	struct run *run;
	struct sample_source *sources; /* owned; sorted by URL */
	size_t count, cap;
	struct string_set seen; /* URLs that were chosen */
	struct fifo chosen; /* owned: tasks */
};

static void
find_sources(struct sample *sample, uint32_t crawl)
{
	struct run *run = sample->run;

	for (uint32_t i = 0; i < run->task_count; i++) {
		const struct task *task = run_task(run, i);
		struct document document;

		if (task->site == NONE || task->type != TASK_DOCUMENT ||
		    run->sites[task->site].crawl != crawl ||
		    !store_document_get(
			run->options.store, task->document_id, &document))
			continue;
		uint64_t accepted = verdict_accepted(
		    document.entries, document.refused);
		if (document.kind != KIND_INDEX && accepted > 0)
			*MEM_PUSH(sample->sources, sample->count,
			    sample->cap) = (struct sample_source){
			    .task = i, .entries = accepted};
		document_release(&document);
	}
}

/* Documents are sorted by URL, so that the order is always the same; the
 * numbers of tasks depend on the order of answers. */
static int
compare_urls(const void *a, const void *b, void *arg)
{
	const struct sample_source *x = a;
	const struct sample_source *y = b;
	struct run *run = arg;

	return strcmp(run_task(run, x->task)->url, run_task(run, y->task)->url);
}

static void
sample_choose(struct sample *sample, uint32_t parent, struct slice url)
{
	const struct task *document = run_task(sample->run, parent);
	struct task task = {.url = slice_dup(url),
	    .type = TASK_PAGE,
	    .class = CLASS_CHILD,
	    .site = document->site,
	    .parent = parent,
	    .origin = NONE};

	string_set_add(&sample->seen, url);
	fifo_put(&sample->chosen, run_add_task(sample->run, &task));
}

/* Choose pages at even distances in the order of their URLs; instead of a
 * page that was chosen from another document, choose the next one. */
static void
choose_from(struct sample *sample, const struct sample_source *source)
{
	struct block_source *blocks = block_source_new(
	    sample->run->options.store, BLOCKS_OF_SEGMENT,
	    run_task(sample->run, source->task)->document_id);
	struct block_reader *reader = block_source_reader(blocks);
	struct entry entry;
	uint64_t taken = 0, at = 0;

	while (taken < source->share && block_next(reader, &entry)) {
		uint64_t due = (2 * taken + 1) * source->entries /
		    (2 * source->share);

		if (entry.missed > 0 || entry.verdict != VERDICT_ACCEPTED ||
		    at++ < due || string_set_has(&sample->seen, entry.url))
			continue;
		sample_choose(sample, source->task, entry.url);
		taken++;
	}
	block_source_close(blocks, NULL, 0);
}

bool
page_sample(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];
	struct sample sample = {.run = run};

	if ((crawl->options.pages == 0 && crawl->options.further == NULL) ||
	    crawl->is_sampled || crawl->is_dropped)
		return false;
	crawl->is_sampled = true;
	find_sources(&sample, number);
	if (sample.count > 0)
		qsort_r(sample.sources, sample.count, sizeof(*sample.sources),
		    compare_urls, run);
	/* Every document contributes the same number of pages, unless it has
	 * fewer. If the remaining pages are fewer than the documents, documents
	 * at even distances contribute one more. */
	uint64_t n = crawl->options.pages;

	while (n > 0) {
		uint64_t open = 0, each, k = 0, given = 0;

		for (size_t i = 0; i < sample.count; i++)
			open += sample.sources[i].share <
			    sample.sources[i].entries;
		if (open == 0)
			break;
		each = n / open;
		for (size_t i = 0; i < sample.count; i++) {
			struct sample_source *source = &sample.sources[i];
			uint64_t room = source->entries - source->share;
			uint64_t part = each;

			if (room == 0)
				continue;
			k++;
			if (each == 0)
				part = k * n / open - (k - 1) * n / open;
			if (part > room)
				part = room;
			source->share += part;
			given += part;
		}
		n -= given;
	}
	for (size_t i = 0; i < sample.count; i++)
		if (sample.sources[i].share > 0)
			choose_from(&sample, &sample.sources[i]);
	/* Choose the pages that the crawl asks for besides. */
	struct buf url = BUF_UP_TO(SIZE_MAX);

	if (crawl->options.further != NULL && sample.count != 0) {
		while (crawl->options.further(crawl->options.arg, &url)) {
			sample_choose(
			    &sample, sample.sources[0].task, buf_text(&url));
			buf_clear(&url);
		}
		buf_release(&url);
	}
	free(sample.sources);
	string_set_release(&sample.seen);
	/* after the loops above, which walk through the table of tasks */
	for (size_t i = 0; i < sample.chosen.end; i++)
		task_begin_later(run, sample.chosen.items[i]);
	free(sample.chosen.items);
	return sample.chosen.end > 0;
}

/* Pages that are ordered. */

/* The entry of the site for pages of the crawl. */
static uint32_t
order_site(struct run *run, uint32_t crawl, int64_t site_id)
{
	uint32_t number = sites_place(run, site_id)->pages;

	if (number == NONE || run->sites[number].crawl != crawl)
		number = target_single(run, crawl, site_id, true);
	return number;
}

void
run_page(struct run *run, uint32_t crawl, const struct page_order *order)
{
	struct ordered_page *ordered = mem_zero(sizeof(*ordered));
	struct task task = {.url = slice_dup(order->url),
	    .type = TASK_PAGE,
	    .class = CLASS_PAGE,
	    .site = order_site(run, crawl, order->site_id),
	    .parent = NONE,
	    .origin = NONE,
	    .is_given = true};
	uint32_t number = run_add_task(run, &task);

	ordered->order = *order;
	ordered->order.url = ordered->order.etag =
	    ordered->order.last_modified = slice_of(NULL);
	if (order->etag.len > 0)
		ordered->etag = slice_dup(order->etag);
	if (order->last_modified.len > 0)
		ordered->last_modified = slice_dup(order->last_modified);
	ordered->text_fd = -1;
	task_attempt(run, number)->ordered = ordered;
	task_begin_later(run, number);
}

void
order_request(struct run *run, uint32_t number, struct fetch_request *request)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	const struct ordered_page *ordered = attempt->ordered;

	/* Validators belong to the URL that they came from (SPEC R-74). */
	attempt->is_conditional = attempt->hops == 0 && !attempt->is_spoilt &&
	    !ordered->order.is_head &&
	    (ordered->etag != NULL || ordered->last_modified != NULL);
	if (attempt->is_conditional) {
		request->etag = ordered->etag;
		request->last_modified = ordered->last_modified;
	}
	if (ordered->order.max_bytes > 0)
		request->max_bytes = ordered->order.max_bytes;
	request->is_page = true;
	request->agent = run->options.agent;
	request->is_head = ordered->order.is_head;
	request->is_identity = ordered->order.is_identity;
	request->takes_all = true;
	request->wants_heads = ordered->order.wants_exchange;
}

/* Whoever orders pages counts a hold in whole seconds, so it may be over there
 * when it lasts here for a moment. */
#define YIELD_MS 2000

static int64_t
order_held_ms(struct run *run, uint32_t number)
{
	const struct attempt *attempt = run_task(run, number)->attempt;

	return host_state_held_ms(
	    run, host_state_of(run, url_host(&attempt->current)));
}

bool
order_yields(struct run *run, uint32_t number)
{
	const struct attempt *attempt = run_task(run, number)->attempt;

	/* A page that redirected to the host waits: its own host is not held,
	 * and would be asked for it again at once. */
	return attempt->ordered != NULL && attempt->hops == 0 &&
	    order_held_ms(run, number) > YIELD_MS;
}

/* A reader gets the body of an ordered page. */
static void
order_reads(struct run *run, uint32_t number, struct reader_job *job)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	struct ordered_page *ordered = attempt->ordered;

	/* a link to another page is one to another URL */
	job->scope.location.has_location = true;
	job->scope.page_bytes = ordered->order.max_bytes;
	job->scope.is_truncated = attempt->look->last.code != DIAG_OK;
	job->scope.agent = mem_copy(run->options.agent);
	if (!ordered->order.wants_text)
		return;
	/* A file for one page: a reader that was subverted may keep it, and
	 * must not write to that of another page. */
	ordered->text_fd = memfd_create("freshet-text", MFD_CLOEXEC);
	if (ordered->text_fd < 0) {
		run_fail_spool(run);
		return;
	}
	job->scope.wants_text = true;
	job->out_fd = ordered->text_fd;
}

/* Places for people only. */

/* Does the text have the word?  Words are runs of letters and digits; with
 * is_whole, it must be all between two slashes but for an ending, such as
 * ".php". */
static bool
has_word(struct slice text, const char *word, bool is_whole)
{
	size_t end;

	for (size_t at = 0; at < text.len; at = end + 1) {
		for (end = at; end < text.len &&
		     (ascii_is_letter(text.p[end]) ||
			 ascii_is_digit(text.p[end]));)
			end++;
		if (slice_equal_nocase(
			slice_make(text.p + at, end - at), slice_of(word)) &&
		    (!is_whole ||
			(at > 0 && text.p[at - 1] == '/' &&
			    (end == text.len || text.p[end] == '/' ||
				text.p[end] == '.'))))
			return true;
	}
	return false;
}

/* Is the URL, by the words of its path or the first one of its host, that of a
 * place where readers log in? */
static bool
url_logs_in(const struct url *url)
{
	/* those from the fourth on are words of articles, too */
	static const char *const words[] = {"login", "signin", "sso", "auth",
	    "account", "accounts", "oauth", "oauth2"};
	struct slice path = url_path(url), host = url_host(url);

	for (size_t i = 0; i < LENGTH(words); i++)
		if (has_word(path, words[i], i >= 3) ||
		    (slice_starts(host, slice_of(words[i])) &&
			host.len > strlen(words[i]) &&
			host.p[strlen(words[i])] == '.'))
			return true;
	return memmem(path.p, path.len, "sign-in", 7) != NULL ||
	    memmem(path.p, path.len, "sign_in", 7) != NULL;
}

/* Does the redirect that came last lead to a place where readers log in or
 * consent?  Nothing lies behind it for a crawler. */
static bool
order_meets_wall(struct run *run, uint32_t number)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	const char *location = attempt->look->last.location;
	const char *wall = NULL;
	struct url next = {0};

	if (location != NULL &&
	    url_resolve(&next, slice_of(location), &attempt->current) ==
		DIAG_OK) {
		if (attempt->ordered->first_location == NULL)
			attempt->ordered->first_location = slice_dup(
			    url_text(&next));
		if (url_logs_in(&next) && !url_logs_in(&attempt->current))
			wall = "login";
		else if (!slice_equal(
			     url_host(&next), url_host(&attempt->current)) &&
		    (has_word(url_host(&next), "consent", false) ||
			has_word(url_path(&next), "consent", false)))
			wall = "consent";
	}
	url_release(&next);
	attempt->ordered->wall = wall;
	return wall != NULL;
}

/* Which URL the page names as its canonical one. */

struct naming {
	const struct url *page;
	/* the first URL that is named; empty text: none yet */
	struct url first;
	enum page_canonical verdict;
};

/* Take one more URL that the page names as canonical. */
static void
name_one(struct naming *naming, struct slice text, const struct url *base)
{
	struct url url = {0};

	if (text.len == 0)
		return;
	if (url_resolve(&url, text, base) != DIAG_OK) {
		if (naming->verdict == CANONICAL_NONE)
			naming->verdict = CANONICAL_INVALID;
	} else if (url_text(&naming->first).len == 0) {
		url_copy(&naming->first, &url);
		naming->verdict = slice_equal(
				      url_text(&url), url_text(naming->page))
		    ? CANONICAL_SELF
		    : CANONICAL_OTHER;
	} else if (!slice_equal(url_text(&url), url_text(&naming->first))) {
		naming->verdict = CANONICAL_SEVERAL;
	}
	url_release(&url);
}

/* Does the page send its readers on to a URL that is not its own? */
static bool
sends_on(const struct url *page, const struct url *base,
    const struct page_facts *facts)
{
	struct slice target = page_refresh_target(facts->refresh);
	struct url url = {0};
	bool is_other;

	if (target.len == 0)
		return false;
	is_other = url_resolve(&url, target, base) == DIAG_OK &&
	    !slice_equal(url_text(&url), url_text(page));
	url_release(&url);
	return is_other;
}

/* The end of a task. */

/* The last answer is told; `page` is what came of it, or NULL. */
static void
order_exchange(struct run *run, uint32_t number, const struct listed_page *page)
{
	const struct crawl *crawl = run_crawl_of(run, number);
	struct attempt *attempt = run_task(run, number)->attempt;
	struct ordered_page *ordered = attempt->ordered;
	struct page_exchange exchange = {.id = ordered->order.id,
	    .hop = attempt->hops,
	    .url = url_text(&attempt->current),
	    .body = attempt->spool,
	    .page = page};

	if (ordered->is_told || attempt->look == NULL ||
	    attempt->look->last.status == 0)
		return;
	ordered->is_told = true;
	exchange.result = &attempt->look->last;
	exchange.at_us = run_asked_us(run, exchange.result);
	if (ordered->order.wants_exchange && !crawl->is_dropped &&
	    crawl->options.exchange != NULL)
		crawl->options.exchange(crawl->options.arg, &exchange);
}

/* Complete `page` with what is known of the order. */
static void
order_complete(struct run *run, uint32_t number, struct listed_page *page)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	const struct ordered_page *ordered = attempt->ordered;

	page->id = ordered->order.id;
	page->failure = attempt->failure;
	page->text_fd = page->facts != NULL ? ordered->text_fd : -1;
	page->retry_after_s = -1;
	page->first_location = slice_of(ordered->first_location);
	page->wall = ordered->wall;
	if (attempt->look != NULL) {
		const struct fetch_result *last = &attempt->look->last;

		page->final_url = attempt->look->url;
		page->etag = slice_of(last->etag);
		page->last_modified = slice_of(last->last_modified);
		page->content_type = slice_of(last->content_type);
		page->retry_after_s = last->retry_after_s;
		page->bytes = last->wire_bytes;
		page->ms = last->duration_ms;
	}
}

/* Complete `page` with what the task knows, and report it. */
static void
page_tell(struct run *run, uint32_t number, struct listed_page *page)
{
	struct task *task = run_task(run, number);
	const struct attempt *attempt = task->attempt;
	struct crawl *crawl = run_crawl_of(run, number);

	page->url = slice_of(task->url);
	page->final_url = url_text(&attempt->current);
	page->hops += attempt->hops;
	if (attempt->look != NULL) {
		page->status = attempt->look->status;
		page->final_status = attempt->look->last.status;
	}
	crawl->totals.pages_done++;
	task->is_reported = true;
	if (attempt->ordered == NULL) {
		page->document_id = run_task(run, task->parent)->document_id;
	} else {
		order_complete(run, number, page);
		order_exchange(run, number, page);
	}
	/* that callback may have begun a crawl */
	crawl = run_crawl_of(run, number);
	if (!crawl->is_dropped)
		crawl->options.page(crawl->options.arg, page);
	task_post(run, number, TASK_DONE);
	run_kick(run);
}

void
order_return(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	const struct crawl *crawl;

	if (task->type != TASK_PAGE || !task->is_given || task->is_reported)
		return;
	task->is_reported = true;
	crawl = run_crawl_of(run, number);
	if (!crawl->is_dropped && !run->is_stopping)
		crawl->options.page_returned(crawl->options.arg,
		    task->attempt->ordered->order.id,
		    order_held_ms(run, number));
}

void
page_give_up(
    struct run *run, uint32_t number, enum diag_code code, struct slice text)
{
	struct listed_page page = {.end = PAGE_LOST};
	const char *before = "";
	struct buf words = BUF_UP_TO(SIZE_MAX);

	struct attempt *attempt = run_task(run, number)->attempt;

	attempt->failure = code;
	if (attempt->ordered == NULL)
		task_drop_spool(attempt);
	if (attempt->ordered == NULL && run_task(run, number)->parent == NONE) {
		seed_start_known(run, number, slice_of(NULL), slice_of(NULL));
		return;
	}
	switch ((int)code) {
	case DIAG_FETCH_BLOCKED_BY_ROBOTS:
		page.end = PAGE_DISALLOWED;
		break;
	case DIAG_FETCH_TOO_MANY_REDIRECTS:
		before = "redirects without end, here to ";
		break;
	case DIAG_FETCH_REDIRECT_LOOP:
		before = "redirects in a circle, back to ";
		break;
	case DIAG_FETCH_REDIRECT_UNSAFE:
		before = "is not followed: ";
		break;
	default:
		break;
	}
	page.is_endless = code == DIAG_FETCH_TOO_MANY_REDIRECTS ||
	    code == DIAG_FETCH_REDIRECT_LOOP;
	page.hops = before[0] != '\0';
	(void)buf_print(&words, "%s%.*s", before, (int)text.len, text.p);
	page.detail = buf_text(&words);
	page_tell(run, number, &page);
	buf_release(&words);
}

static void
fail_wall(struct run *run, uint32_t number, const char *whose)
{
	char text[80];

	if (run_task(run, number)->attempt->ordered != NULL)
		run_task(run, number)->attempt->ordered->wall = whose;
	(void)snprintf(text, sizeof(text), PAGE_OF_WALL "%s", whose);
	page_give_up(run, number, DIAG_FETCH_UNAUTHORIZED, slice_of(text));
}

/* A start page was sent. Tell where it says that a sitemap is. */
static void
start_answer(struct run *run, uint32_t number, const struct page_facts *facts)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	const struct url *base = &attempt->current;
	struct slice named = slice_of(attempt->look->last.sitemap);
	struct url inside = {0}, url = {0};

	task_drop_spool(attempt);
	if (named.len == 0) {
		named = facts->sitemap;
		if (facts->base.len > 0 &&
		    url_resolve(&inside, facts->base, base) == DIAG_OK)
			base = &inside;
	}
	if (named.len > 0 && url_resolve(&url, named, base) != DIAG_OK)
		url_release(&url);
	seed_start_known(run, number, facts->generator, url_text(&url));
	url_release(&inside);
	url_release(&url);
}

/* Add what robots.txt, the headers and the page say of purposes. */
static void
page_say_purposes(struct run *run, uint32_t number,
    const struct page_facts *facts, struct listed_page *page)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	const struct url *url = &attempt->current;
	const struct fetch_result *last = &attempt->look->last;
	struct purposes *said = &page->purposes;

	*said = robots_judge(run, number, origins_of(run, url), url_target(url))
		    .said;
	page->robots_tag = slice_of(last->robots_tag);
	purposes_add_directives(said, page->robots_tag);
	purposes_add_directives(said, facts->robots);
	if (page->noindex.len > 0)
		purposes_add_directives(said, slice_of("noindex"));
	if (!purposes_add_statement(said, slice_of(last->usage), true))
		page->bad_usage = slice_of(last->usage);
}

/* The server sent a page; `facts` is what the page states about itself. */
static void
page_answer(struct run *run, uint32_t number, const struct page_facts *facts,
    bool was_read)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	const struct fetch_result *last = &attempt->look->last;
	struct listed_page page = {
	    .was_read = was_read, .facts = was_read ? facts : NULL};
	struct naming naming;
	struct buf text = BUF_UP_TO(TEXT_BYTES + PAGE_MAX_VALUE),
		   detail = BUF_UP_TO(TEXT_BYTES + PAGE_MAX_VALUE);

	if (facts->wall != 0) {
		fail_wall(run, number, page_wall_name(facts->wall));
		return;
	}
	if (attempt->ordered == NULL && run_task(run, number)->parent == NONE) {
		start_answer(run, number, facts);
		return;
	}
	/* of an ordered page the body is told, however much was read of it */
	page.is_cut = (was_read && facts->is_cut) ||
	    (last->code == DIAG_BODY_TOO_BIG &&
		(was_read || attempt->ordered != NULL));
	if (attempt->ordered == NULL)
		task_drop_spool(attempt);
	else if (facts->is_login)
		attempt->ordered->wall = "login";
	if (last->noindex != NULL)
		(void)buf_print(&text, "X-Robots-Tag: %s", last->noindex);
	else if (facts->noindex.len > 0)
		(void)buf_print(&text, "<meta name=%s>: %.*s",
		    facts->noindex_name == ROBOTS_OWN ? run->options.agent
			: facts->noindex_name == ROBOTS_GOOGLEBOT ? "googlebot"
								  : "robots",
		    (int)facts->noindex.len, facts->noindex.p);
	page.noindex = buf_text(&text);
	const struct url *base = &attempt->current;
	struct url inside = {0};

	naming = (struct naming){.page = &attempt->current};
	name_one(&naming, slice_of(last->canonical), base);
	if (facts->base.len > 0 &&
	    url_resolve(&inside, facts->base, base) == DIAG_OK)
		base = &inside;
	name_one(&naming, facts->canonical, base);
	name_one(&naming, facts->other, base);
	if (facts->canonicals > 2)
		naming.verdict = CANONICAL_SEVERAL;
	page.is_soft_404 = (was_read && facts->is_empty && !page.is_cut) ||
	    facts->gone.len > 0;
	/* an error page that leads elsewhere is an error page */
	page.has_refresh = !page.is_soft_404 &&
	    sends_on(naming.page, base, facts);
	if (page.has_refresh)
		(void)buf_print(&detail, "<meta http-equiv=refresh>: %.*s",
		    (int)facts->refresh.len, facts->refresh.p);
	else if (facts->gone.len > 0)
		(void)buf_print(&detail, "<title>: %.*s", (int)facts->gone.len,
		    facts->gone.p);
	else if (page.is_soft_404)
		(void)buf_print(&detail, "it is empty");
	page.detail = buf_text(&detail);
	page.generator = facts->generator;
	page.canonical = naming.verdict;
	page.canonical_url = url_text(&naming.first);
	page_say_purposes(run, number, facts, &page);
	if ((page.purposes.no & page_purposes(run, number)) != 0) {
		/* as if robots.txt forbade it */
		buf_clear(&detail);
		purposes_print(&detail, "its answer says ", page.purposes);
		page.detail = buf_text(&detail);
		attempt->failure = DIAG_FETCH_BLOCKED_BY_ROBOTS;
		page.end = PAGE_DISALLOWED;
		page.facts = NULL;
	}
	page_tell(run, number, &page);
	url_release(&inside);
	url_release(&naming.first);
	buf_release(&detail);
	buf_release(&text);
}

void
page_finished(struct run *run, uint32_t number, enum diag_code result,
    struct content *content)
{
	struct page_facts facts = {0};

	if (result == DIAG_OK && page_get(buf_text(&content->page), &facts))
		page_answer(run, number, &facts, true);
	else
		page_give_up(run, number,
		    result == DIAG_OK || result == DIAG_UNSUPPORTED_ENCODING
			? DIAG_FETCH_HTTP_ERROR
			: result,
		    slice_of(result == DIAG_UNSUPPORTED_ENCODING
			    ? "a Content-Encoding that was not asked for"
			    : result == DIAG_GZIP_TRUNCATED
			    ? "its gzip stream ends too early"
			    : result == DIAG_COMPRESSION_ERROR ||
				result == DIAG_GZIP_TOO_MANY_LAYERS
			    ? "it cannot be unpacked"
			    : "its bytes could not be read"));
	content_release(content);
}

/* An answer that is a page, or its beginning: what a page states about itself
 * stands at its beginning. */
static void
page_take_body(struct run *run, uint32_t number)
{
	struct attempt *attempt = run_task(run, number)->attempt;
	const struct fetch_result *last = &attempt->look->last;
	const char *type = last->content_type;
	struct page_facts none = {0};
	struct reader_job *job;

	if (last->wall != NULL) {
		fail_wall(run, number, last->wall);
		return;
	}
	/* An answer without Content-Type may be HTML. */
	if ((type != NULL && strncasecmp(type, "text/html", 9) != 0 &&
		strncasecmp(type, "application/xhtml+xml", 21) != 0) ||
	    (attempt->ordered != NULL && attempt->ordered->order.is_head)) {
		page_answer(run, number, &none, false);
		return;
	}
	job = run_read_body(run, number,
	    &run_site_of(run, number)->rules->profile, type,
	    last->content_encoding);
	if (job == NULL)
		return;
	job->scope.is_page = true;
	job->scope.now_s = loop_now_s(run->options.loop);
	if (attempt->ordered != NULL)
		order_reads(run, number, job);
}

/* look_keep(look, url, result): keep the URL that was asked for and a copy of
 * its answer, whose texts are gone when the fetcher goes on. */
static void
look_keep(
    struct page_look *look, struct slice url, const struct fetch_result *result)
{
	struct fetch_result *copy = &look->last;
#define PLACE(name) &copy->name,
	const char **const texts[] = {FETCH_TEXTS(PLACE)};
#undef PLACE
	struct slice *const slices[] = {
	    &look->url, &copy->request_head, &copy->answer_head};
	size_t size = 1;

	*copy = *result;
	look->url = url;
	for (size_t i = 0; i < LENGTH(slices); i++)
		size += slices[i]->len;
	for (size_t i = 0; i < LENGTH(texts); i++)
		size += slice_of(*texts[i]).len + 1;
	/* With enough room from the beginning, no text moves. */
	buf_release(&look->texts);
	look->texts = (struct buf)BUF_UP_TO(SIZE_MAX);
	(void)buf_reserve(&look->texts, size);
	for (size_t i = 0; i < LENGTH(texts); i++) {
		const char *at = look->texts.p + look->texts.len;

		if (*texts[i] == NULL)
			continue;
		(void)buf_put_slice(&look->texts, slice_of(*texts[i]));
		(void)buf_put_char(&look->texts, '\0');
		*texts[i] = at;
	}
	for (size_t i = 0; i < LENGTH(slices); i++) {
		const char *at = look->texts.p + look->texts.len;

		(void)buf_put_slice(&look->texts, *slices[i]);
		slices[i]->p = at;
	}
}

void
page_answered(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	int status = result->status;
	struct attempt *attempt = run_task(run, number)->attempt;
	/* a body that was cut is no failure where the beginning is enough */
	bool is_whole = result->code == DIAG_OK ||
	    (result->code == DIAG_BODY_TOO_BIG &&
		(status == 200 || attempt->ordered != NULL));

	if (attempt->look == NULL)
		attempt->look = mem_zero(sizeof(*attempt->look));
	if (attempt->hops == 0)
		attempt->look->status = status;
	look_keep(attempt->look, url_text(&attempt->current), result);
	if (attempt->ordered != NULL)
		attempt->ordered->is_told = false;
	if (attempt->ordered != NULL && !attempt->ordered->order.is_head &&
	    hop_unconditional(run, number, result))
		return;
	if (status == 200 && is_whole) {
		page_take_body(run, number);
	} else if (status == 304 && attempt->is_conditional && is_whole) {
		struct page_facts none = {0};

		page_answer(run, number, &none, false);
	} else if (!is_whole) {
		if (!hop_retry(run, number, result))
			page_give_up(run, number, result->code,
			    slice_of(result->detail));
	} else if (status == 301 || status == 302 || status == 303 ||
	    status == 307 || status == 308) {
		if (attempt->ordered != NULL && order_meets_wall(run, number)) {
			page_give_up(run, number, DIAG_FETCH_UNAUTHORIZED,
			    slice_of(result->location));
			return;
		}
		if (attempt->ordered != NULL)
			order_exchange(run, number, NULL);
		(void)hop_redirect(run, number, result);
	} else if (!hop_retry(run, number, result)) {
		/* the detail of a whole answer says why there is no file */
		const char *why = result->code == DIAG_OK ? result->detail : "";
		struct buf text = BUF_UP_TO(SIZE_MAX);
		const struct wall *wall;
		enum diag_code code;

		if (status == 304)
			why = "the request had no validators";
		(void)buf_print(&text, "status %d%s%s%s%s", status,
		    result->wall != NULL ? " from " WALL_OF_BOTS : "",
		    result->wall != NULL ? result->wall : "",
		    why[0] != '\0' ? ": " : "", why);
		code = run_sign_failure(run, number, result, &text);
		if (code == DIAG_OK)
			code = status == 401 ? DIAG_FETCH_UNAUTHORIZED
					     : DIAG_FETCH_HTTP_ERROR;
		wall = wall_of(code, buf_text(&text));
		if (attempt->ordered != NULL)
			attempt->ordered->wall = result->wall != NULL ||
				wall == NULL
			    ? result->wall
			    : wall->name;
		page_give_up(run, number, code, buf_text(&text));
		buf_release(&text);
	}
}
