/* The driver: pages that run_page() was asked for. */
#include "crawler/crawl/run_order.h"

#include <string.h>
#include <sys/mman.h>

#include "base/ascii.h"
#include "base/civil.h"
#include "base/mem.h"
#include "crawler/crawl/run.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_target.h"
#include "crawler/parse/page.h"

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

/* The request, and reading what came. */

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
	request->is_head = ordered->order.is_head;
	request->takes_all = true;
	request->wants_heads = ordered->order.wants_exchange;
}

void
order_reads(struct run *run, uint32_t number, struct reader_job *job)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	struct ordered_page *ordered = attempt->ordered;

	/* a link to another page is one to another URL */
	job->scope.location.has_location = true;
	job->scope.page_bytes = ordered->order.max_bytes;
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

/* Is the URL, by its words, that of a place where readers log in? */
static bool
url_logs_in(const struct url *url)
{
	/* the last two are words of articles, too */
	static const char *const words[] = {
	    "login", "signin", "sso", "auth", "account"};
	struct slice path = url_path(url);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(path, words[i], i >= 3))
			return true;
	return memmem(path.p, path.len, "sign-in", 7) != NULL ||
	    memmem(path.p, path.len, "sign_in", 7) != NULL;
}

bool
order_meets_wall(struct run *run, uint32_t number)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	const char *location = attempt->look->last.location;
	const char *wall = NULL;
	struct url next;

	url_init(&next);
	if (location != NULL &&
	    url_resolve(&next, slice_of(location), &attempt->current,
		(struct diag_sink){0}) == DIAG_OK) {
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

/* What is reported. */

void
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

void
order_tell(struct run *run, uint32_t number, struct listed_page *page)
{
	const struct attempt *attempt = run_task(run, number)->attempt;
	const struct ordered_page *ordered = attempt->ordered;
	const struct crawl *crawl;

	page->id = ordered->order.id;
	page->failure = attempt->failure;
	page->text_fd = page->facts != NULL ? ordered->text_fd : -1;
	page->retry_after_s = -1;
	page->first_location = slice_of(ordered->first_location);
	page->wall = ordered->wall;
	if (attempt->look != NULL) {
		const struct fetch_result *last = &attempt->look->last;

		page->etag = slice_of(last->etag);
		page->last_modified = slice_of(last->last_modified);
		page->content_type = slice_of(last->content_type);
		page->retry_after_s = last->retry_after_s;
		page->bytes = last->wire_bytes;
		page->ms = last->duration_ms;
	}
	order_exchange(run, number, page);
	run_task(run, number)->is_reported = true;
	/* the callback may have begun a crawl */
	crawl = run_crawl_of(run, number);
	if (!crawl->is_dropped)
		crawl->options.page(crawl->options.arg, page);
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
		crawl->options.page_returned(
		    crawl->options.arg, task->attempt->ordered->order.id);
}
