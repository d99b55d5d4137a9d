/*
 * The driver: documents that are read one by one, without a crawl of their
 * site.
 *
 * Each of these documents has a site entry of its own, which it shares with its
 * robots.txt. A reading stores what differs from the reading before, so only
 * one task may read a document at a time: the crawl of a site and its single
 * documents exclude each other, see struct site_place.
 */
#include "crawler/crawl/run_document.h"

#include <stdlib.h>
#include <string.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_target.h"
#include "crawler/crawl/run_tasks.h"
#include "store/document_list.h"
#include "store/site.h"
#include "store/watch.h"

#define BEGIN_MS 3 /* time in one round of the loop */

/* Does no other task read the document, and does no crawl wait for its site? */
static bool
is_free(struct run *run, const struct document *document)
{
	const struct site_place *place = sites_place_find(
	    run->sites, document->site_id);

	if (tasks_of_document(run->tasks, document->id) != NONE)
		return false;
	if (place == NULL)
		return true;
	return !place->is_wanted &&
	    (place->crawl == NONE ||
		!crawls_site_is_busy(
		    run->crawls, sites_at(run->sites, place->crawl)));
}

/* Is the document a robots.txt?  Its origin is written to *origin. */
static bool
given_is_robots(
    struct run *run, const struct document *document, uint32_t *origin)
{
	static const char path[] = "/robots.txt";
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct url url;
	bool is_it;

	profile.max_loc_chars = URL_MAX_BYTES;
	url_init(&url);
	is_it = url_parse(&url, slice_of(document->url), NULL, &profile,
		    (struct diag_sink){0}) == DIAG_OK &&
	    slice_is(url_target(&url), path) &&
	    url_text(&url).len == url_origin(&url).len + strlen(path);
	if (is_it)
		*origin = origins_of(run->origins, &url);
	url_release(&url);
	return is_it;
}

static uint32_t
given_site(struct run *run, uint32_t crawl, int64_t site_id)
{
	struct crawled_site site = {
	    .id = site_id, .is_single = true, .crawl = crawl};
	struct buf host;

	/* The targets in the watch list count as named by the operator. */
	struct watch watch;
	struct target target;

	if (store_watch_get(run->options.store, site_id, &watch)) {
		for (size_t i = 0; watch.is_watched && i < watch.targets.count;
		     i++) {
			if (target_parse(&target,
				slice_of(watch.targets.items[i])) == DIAG_OK)
				target_name(run, site_id, &target);
			target_release(&target);
		}
		watch_release(&watch);
	}
	buf_init(&host, SIZE_MAX);
	(void)store_site_host(run->options.store, site_id, &host);
	site.at_work = at_work_name(buf_text(&host));
	site.rules = run->options.rules(
	    run->options.rules_arg, buf_text(&host));
	sites_place(run->sites, site_id)->singles++;
	buf_release(&host);
	return sites_begin(run->sites, &site);
}

/* Begin the robots.txt; false while another task asks for it. */
static bool
begin_robots(struct run *run, uint32_t crawl, const struct document *document,
    uint32_t origin)
{
	uint32_t number;
	const char *text;

	if (origins_at(run->origins, origin)->state == ORIGIN_ASKED)
		return false;
	/* If a task began now, it would report the pause as a failure of
	 * robots.txt. */
	if (host_state_is_dead(run->hosts,
		origins_at(run->origins, origin)->host,
		&text) == DIAG_FETCH_RATE_LIMITED) {
		crawl_returns(crawls_at(run->crawls, crawl), document->id);
		return true;
	}
	robots_task(run, origin, given_site(run, crawl, document->site_id));
	number = tasks_of_document(run->tasks, document->id);
	if (number == NONE)
		store_damaged(run->options.store,
		    "document %lld: it is not found by its URL",
		    (long long)document->id);
	else
		tasks_at(run->tasks, number)->is_given = true;
	return true;
}

/* If the document has a task already: was its reading reported to that crawl,
 * or will it be? It is if the crawl reads the whole site, or if the task is the
 * robots.txt that another document of the crawl waits for; such a robots.txt is
 * reported only once. */
static bool
is_reported_to(struct run *run, uint32_t crawl, int64_t document_id)
{
	uint32_t number = tasks_of_document(run->tasks, document_id);
	uint32_t site = number == NONE ? NONE
				       : tasks_look(run->tasks, number)->site;

	if (site == NONE || sites_at(run->sites, site)->crawl != crawl)
		return false;
	if (!sites_at(run->sites, site)->is_single)
		return true;
	if (tasks_look(run->tasks, number)->type != TASK_ROBOTS ||
	    tasks_look(run->tasks, number)->is_given)
		return false;
	tasks_look(run->tasks, number)->is_given = true;
	return true;
}

/* Begin the document; false: it has to wait. */
static bool
given_try(struct run *run, uint32_t crawl, int64_t document_id)
{
	struct document document;
	uint32_t origin;
	bool has_begun = true;

	/* Otherwise two tasks would wait for each other, or a document that was
	 * just read would be read again. */
	if (is_reported_to(run, crawl, document_id))
		return true;
	if (tasks_of_document(run->tasks, document_id) != NONE)
		return false;
	if (!store_document_get(run->options.store, document_id, &document)) {
		crawl_returns(crawls_at(run->crawls, crawl), document_id);
		return true;
	}
	if (!is_free(run, &document))
		has_begun = false;
	else if (given_is_robots(run, &document, &origin))
		has_begun = begin_robots(run, crawl, &document, origin);
	else {
		struct ancestry ancestry;
		struct task task = {.document_id = document.id,
		    .url = document.url,
		    .site = given_site(run, crawl, document.site_id),
		    .parent = NONE,
		    .origin = NONE,
		    .newest_s = INT64_MIN,
		    .lastmod = store_index_lastmod(
			run->options.store, document.id),
		    .type = TASK_DOCUMENT,
		    .class = CLASS_CHILD,
		    .is_given = true};

		document.url = NULL; /* the task owns it */
		ancestry_find(&ancestry, run->options.store, document.id);
		task.depth = ancestry.depth;
		task.is_child = ancestry.count > 1;
		task_begin_later(run->tasks, run_add_task(run, &task));
	}
	document_release(&document);
	return has_begun;
}

void
document_begin_some(struct run *run, uint32_t number)
{
	int64_t *given = crawls_at(run->crawls, number)->given;
	size_t count = crawls_at(run->crawls, number)->given_count;
	int64_t end_ms = loop_now_ms(run->options.loop) + BEGIN_MS;
	size_t i;

	crawls_at(run->crawls, number)->given = NULL;
	crawls_at(run->crawls, number)->given_count = 0;
	crawls_at(run->crawls, number)->given_cap = 0;
	for (i = 0; i < count && loop_now_ms(run->options.loop) < end_ms; i++)
		if (!given_try(run, number, given[i]))
			crawl_give(crawls_at(run->crawls, number), given[i]);
	if (i < count)
		run->has_given = true;
	for (; i < count; i++)
		crawl_give(crawls_at(run->crawls, number), given[i]);
	free(given);
	if (run->has_given)
		run_kick(run);
}
