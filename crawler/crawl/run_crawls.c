/* The driver: all crawls, from their first target to their end. */
#include "crawler/crawl/run_crawls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/crawl/run_commit.h"
#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_dns_queue.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_lines.h"
#include "crawler/crawl/run_machine.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_tally.h"
#include "crawler/crawl/run_target.h"
#include "crawler/crawl/run_tasks.h"
#include "sched/host_queue.h"
#include "store/document.h"
#include "store/site.h"
#include "store/watch.h"

/* Time in one round of the loop; fewer targets begin in this time than the DNS
 * queue can hold. */
#define BEGIN_MS 3
#define FIRST 1 /* serial of the crawl whose entry stays, see run_crawl() */

/* The end of a crawl. */

/* The ends of all sites are stored together, so that a crawl whose process dies
 * before can be resumed as a whole. */
static void
store_ends(struct run *run, uint32_t number)
{
	for (uint32_t i = 0; i < sites_count(run->sites); i++) {
		const struct crawled_site *site = sites_at(run->sites, i);

		if (site_is_crawled(site, number) &&
		    sites_place(run->sites, site->id)->crawl == i)
			store_crawl_end(run->options.store, site->id);
	}
}

/* Count the sites that were read through for the first time. */
static void
first_reads(struct run *run, uint32_t number)
{
	for (uint32_t i = 0; i < sites_count(run->sites); i++)
		if (site_is_crawled(sites_at(run->sites, i), number))
			crawls_at(run->crawls, number)
			    ->totals.first_sites += store_first_read(
			    run->options.store, sites_at(run->sites, i)->id);
}

static bool
crawl_is_alone(const struct run *run, const struct crawl *crawl)
{
	for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
		if (crawls_at(run->crawls, i) != crawl &&
		    (crawls_at(run->crawls, i)->state == CRAWL_ROBOTS ||
			crawls_at(run->crawls, i)->state == CRAWL_DOCUMENTS))
			return false;
	return true;
}

/* The number of the commit that will contain everything of the crawl. */
static uint64_t
commit_at_last(struct run *run, const struct crawl *crawl)
{
	uint64_t number = run->commits + 1;

	if (crawl_is_alone(run, crawl) && run_flush(run) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	return number;
}

static bool
is_committed(const struct run *run, uint64_t number)
{
	return run->commits >= number || !store_pending(run->options.store);
}

/* Nothing of the crawl is under way. Is all its work committed, and its end,
 * too? Hundreds of crawls may end in one second, so they share commits, because
 * each commit waits for the disk. may_end() is called again after the next
 * commit. */
static bool
may_end(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	if (crawl->totals.sites == 0)
		return true;
	if (crawl->ended == 0) {
		if (!crawl->is_dropped)
			first_reads(run, number);
		crawl->ended = commit_at_last(run, crawl);
	}
	if (!is_committed(run, crawl->ended))
		return false;
	if (crawl->is_dropped)
		return true;
	if (!run->options.is_scratch && crawl->sealed == 0) {
		if (!tally_is_over(run->tally, number))
			return false;
		tally_sum(run->tally, number);
	}
	/* The end is stored in the same commit as the numbers of the sites. If
	 * the crawl is interrupted before that commit, the next crawl resumes
	 * it and counts the sites again. */
	if (crawl->sealed == 0) {
		if (!crawl->totals.is_over_budget)
			store_ends(run, number);
		crawl->sealed = commit_at_last(run, crawl);
	}
	return is_committed(run, crawl->sealed);
}

/* The totals stay until another crawl gets the entry. */
static void
free_crawl(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	if (crawl->totals.sites > 0) {
		/* No Sitemap line becomes a seed of the crawl any more. */
		size_t count;
		const uint32_t *to_seed = origins_to_seed(run->origins, &count);

		for (size_t i = 0; i < count; i++) {
			struct origin *origin = origins_at(
			    run->origins, to_seed[i]);

			if (origin->seed_site != NONE &&
			    sites_at(run->sites, origin->seed_site)->crawl ==
				number)
				origin->seed_site = NONE;
		}
		origins_tidy_to_seed(run->origins);
		run_free_crawl(run, number);
	}
	crawl_release(crawl);
	crawl->state = crawl->serial == FIRST ? CRAWL_OVER : CRAWL_FREE;
	run->has_given = true;
	run_kick(run);
}

/* Forgetting. */

#define IDLE_MS 600000 /* origins unused for so long may be forgotten */

/* When there are twice as many origins as after the last
 * look, forget those that nobody has used for a while, and their hosts. If such
 * an origin is needed later, what the store knows of it is read again. Hosts
 * that fail, or asked for a pause, are kept until that is over. */
static void
forget_some(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);
	/* the smallest serial of a crawl with targets */
	uint64_t crawls_since = UINT64_MAX;
	bool *origins, *hosts; /* by number: it is in use */

	if (!origins_are_many(run->origins))
		return;
	origins = mem_zero(origins_count(run->origins) + 1);
	hosts = mem_zero(host_states_count(run->hosts) + 1);
	/* what crawls under way may still need */
	for (uint32_t i = 0; i < crawls_count(run->crawls); i++) {
		const struct crawl *crawl = crawls_at(run->crawls, i);

		if (crawl->state == CRAWL_OVER || crawl->state == CRAWL_FREE)
			continue;
		if (crawl->target_count > 0 && crawl->serial < crawls_since)
			crawls_since = crawl->serial;
		for (size_t k = 0; k < crawl->late_count; k++)
			origins[crawl->late[k]] = true;
	}
	for (uint32_t i = 0; i < tasks_count(run->tasks); i++) {
		const struct task *task = run_task(run, i);

		if (task->site != NONE && task->origin != NONE)
			origins[task->origin] = true;
	}
	lines_mark(run, origins);
	for (uint32_t i = 0; i < origins_count(run->origins); i++) {
		const struct origin *origin = run_origin(run, i);

		if (origin->text == NULL)
			continue;
		if (origins[i] || origin->state == ORIGIN_ASKED ||
		    origin->waiting_count > 0 || origin->awaiting_count > 0 ||
		    origin->seed_site != NONE ||
		    origin->serial >= crawls_since ||
		    origin->used_ms + IDLE_MS > now_ms) {
			hosts[origin->host] = true;
		} else {
			robots_allow_all(run, i);
			origins_forget(run->origins, i);
		}
	}
	origins_are_searched(run->origins);
	host_states_forget(run->hosts, hosts);
	free(origins);
	free(hosts);
}

/* Closed crawls and sites. */

/* Closed crawls and sites send no further requests; another run reads the rest.
 * All tasks leave the host queue and the DNS queue, and those that are still
 * wanted go back. */
static void
crawl_drain(struct run *run)
{
	uint32_t *kept = NULL;
	size_t cap = 0;

	run->has_closed = false;
	dns_queue_open(run->dns_queue);
	for (uint32_t host = 0; host < host_states_count(run->hosts); host++) {
		size_t count = 0;
		uint64_t id;

		while (host_states_at(run->hosts, host)->rules != NULL &&
		    host_queue_drain(run->host_queue, host, &id)) {
			uint32_t task = (uint32_t)id;

			/* A task of a closed crawl leaves the host queue; but a
			 * robots.txt stays if others wait for it. */
			if (limits_forbid(run, task) &&
			    (run_task(run, task)->type == TASK_ROBOTS
				    ? robots_forget(run, task)
				    : limits_skip(run, task)))
				continue;
			kept = mem_grow(kept, &cap, count + 1, sizeof(*kept));
			kept[count++] = task;
		}
		for (size_t i = 0; i < count; i++)
			task_put_back(
			    run->tasks, run->host_queue, kept[i], host);
	}
	free(kept);
	machine_run(run);
}

void
crawls_drain(struct run *run)
{
	if (run->has_closed)
		crawl_drain(run);
}

void
crawls_drop(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	assert(crawl->state != CRAWL_FREE);
	if (crawl->state == CRAWL_OVER)
		return;
	crawl->is_dropped = true;
	crawl->waiting = 0;
	crawl->given_count = 0;
	crawl->is_closed = true;
	if (sites_want_no_place(run->sites))
		run->has_given = true;
	if (crawl->state == CRAWL_NEW)
		free_crawl(run, number);
	else
		crawl_drain(run);
	run_kick(run);
}

/* Documents that are read one by one, without a crawl of their site. Each of
 * them has a site entry of its own, which it shares with its robots.txt. A
 * reading stores what differs from the reading before, so only one task may
 * read a document at a time: the crawl of a site and its single documents
 * exclude each other, see struct site_place. */

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

	if (run_origin(run, origin)->state == ORIGIN_ASKED)
		return false;
	/* If a task began now, it would report the pause as a failure of
	 * robots.txt. */
	if (host_state_is_dead(run->hosts, run_origin(run, origin)->host,
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
		run_task(run, number)->is_given = true;
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
	uint32_t site = number == NONE ? NONE : run_task(run, number)->site;

	if (site == NONE || sites_at(run->sites, site)->crawl != crawl)
		return false;
	if (!sites_at(run->sites, site)->is_single)
		return true;
	if (run_task(run, number)->type != TASK_ROBOTS ||
	    run_task(run, number)->is_given)
		return false;
	run_task(run, number)->is_given = true;
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

/* For a few milliseconds, begin documents that
 * were given to the crawl and that no other task reads. */
static void
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

/* From state to state. */

/* Begin targets whose sites are free, as many as one round of the loop has
 * time for; false: some are left for the next round. */
static bool
start_waiting(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);
	int64_t end_ms = loop_now_ms(run->options.loop) + BEGIN_MS;

	for (size_t i = 0; i < crawl->target_count && crawl->waiting > 0; i++) {
		if (crawl->targets[i].site != NONE)
			continue;
		if (loop_now_ms(run->options.loop) >= end_ms) {
			run_kick(run);
			return false;
		}
		if (target_start(run, number, &crawl->targets[i]))
			crawl->waiting--;
		machine_run(run);
	}
	return true;
}

/* SPEC 15.4: now that all robots.txt are known, look at proofs that came late.
 * False: there are none. */
static bool
look_again(struct run *run, uint32_t number)
{
	struct crawl *crawl = crawls_at(run->crawls, number);

	while (crawl->late_count > 0)
		lines_prove(run, crawl->late[--crawl->late_count], number);
	return crawl->pending > 0;
}

static void
crawl_step(struct run *run, uint32_t number, int64_t now_ms)
{
	bool is_begun = start_waiting(run, number);
	struct crawl *crawl = crawls_at(run->crawls, number);

	if (crawl->state == CRAWL_ROBOTS &&
	    ((is_begun && crawl->robots_open == 0) ||
		now_ms >= crawl->robots_until_ms)) {
		crawl->state = CRAWL_DOCUMENTS;
		target_seed(run, number);
		machine_run(run);
	}
	if (crawl->state == CRAWL_DOCUMENTS && crawl->open == 0 &&
	    crawl->pending == 0 && crawl->waiting == 0 &&
	    crawl->given_count == 0 && crawl->robots_open == 0 &&
	    !look_again(run, number) && !page_sample(run, number)) {
		struct crawl_options options = crawl->options;
		bool is_dropped = crawl->is_dropped;

		if (may_end(run, number) && run->fatal == DIAG_OK) {
			free_crawl(run, number);
			if (!is_dropped)
				options.done(options.done_arg);
		}
	}
}

void
crawls_step(struct run *run)
{
	int64_t now_ms = loop_now_ms(run->options.loop);

	forget_some(run);
	/* Begin documents that waited for something that is over now. */
	if (run->has_given) {
		run->has_given = false;
		for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
			if (crawls_at(run->crawls, i)->given_count > 0 &&
			    crawls_at(run->crawls, i)->state != CRAWL_NEW) {
				document_begin_some(run, i);
				machine_run(run);
			}
	}
	for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
		if (crawls_at(run->crawls, i)->state == CRAWL_ROBOTS ||
		    crawls_at(run->crawls, i)->state == CRAWL_DOCUMENTS)
			crawl_step(run, i, now_ms);
	/* Set the timer that wakes the pump when the first crawl stops waiting
	 * for robots.txt. */
	int64_t until_ms = INT64_MAX;

	for (uint32_t i = 0; i < crawls_count(run->crawls); i++)
		if (crawls_at(run->crawls, i)->state == CRAWL_ROBOTS &&
		    crawls_at(run->crawls, i)->robots_until_ms < until_ms)
			until_ms = crawls_at(run->crawls, i)->robots_until_ms;
	if (until_ms != INT64_MAX)
		loop_timer_set(run->patience, until_ms - now_ms);
}
