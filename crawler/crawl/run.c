/*
 * The driver: a run, its pump and its commits, and its crawls from their first
 * target to their end.
 */
#include "crawler/crawl/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/crawl/run_commit.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_limits.h"
#include "crawler/crawl/run_machine.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/crawl/run_target.h"
#include "store/aside.h"
#include "store/reach.h"
#include "store/site_tally.h"

#define COMMIT_MS 20 /* DESIGN 7 */
/* A log of that length is written into the store while no host may be asked for
 * that long: it takes some 2 ms a megabyte, and the disk's time. */
#define REST_BYTES (4u << 20)
#define REST_MS 200

/* Time in one round of the loop; fewer targets begin in this time than the DNS
 * queue can hold. */
#define BEGIN_MS 3
#define FIRST 1 /* serial of the crawl whose entry stays, see run_crawl() */
#define IDLE_MS 600000 /* origins unused for so long may be forgotten */
/* If there are fewer origins, none is forgotten. */
#define LEAST_ORIGINS 1024

/* The numbers of entries that sites list.  A site is counted after its readings
 * are stored.  A large site is counted in steps, while other sites are read and
 * stored: a database connection of its own shows the site as it was at one
 * moment. */

#define TALLY_MS 4 /* time in one round of the loop */
#define STEP_WORK 1000 /* about this many microseconds */
/* A site with no more entries than these is counted at once, which takes some
 * ten milliseconds. */
#define SMALL_ENTRIES 50000
/* After all due sites were counted, the next count begins this much later, so
 * that several readings of a site are counted together. */
#define PAUSE_MS 1000

/* Give up the count that is under way. */
static void
tally_drop(struct run_tally *tally)
{
	site_tally_free(tally->tally);
	tally->tally = NULL;
	store_close(tally->snapshot);
	tally->snapshot = NULL;
}

/* Is the site in doubt: may what is reachable there have changed since that was
 * worked out last? */
static bool
tally_is_in_doubt(struct run *run, int64_t site_id)
{
	struct run_tally *tally = &run->tally;
	int64_t now_s = loop_now_s(run->options.loop);

	if (!store_settle(run->options.store, site_id, now_s))
		return false;
	loop_timer_set(tally->timer, PAUSE_MS);
	return true;
}

static void
tally_begin(struct run *run, int64_t site_id)
{
	struct run_tally *tally = &run->tally;
	struct store *store = run->options.store;

	tally->site_id = site_id;
	tally->tally = site_tally_new(store, site_id);
	if (site_tally_state(tally->tally) != TALLY_NEEDS_STORE ||
	    site_tally_size(tally->tally) <= SMALL_ENTRIES)
		return;
	tally->snapshot = store_snapshot(store);
	if (tally->snapshot == NULL)
		return;
	site_tally_free(tally->tally);
	tally->tally = site_tally_new(tally->snapshot, site_id);
}

/* Begin with the next site that is due; false: there is none. */
static bool
tally_next(struct run *run)
{
	struct run_tally *tally = &run->tally;
	int64_t now_ms = run_now_ms(run);
	const struct site_place *place;
	int64_t id;

	if (tally->is_due && now_ms < tally->next_ms)
		loop_timer_set(tally->timer, tally->next_ms - now_ms);
	if (!tally->is_due || now_ms < tally->next_ms)
		return false;
	while ((id = store_number(run->options.store, STORE_UNTALLIED,
		    tally->last_id, 0)) != 0) {
		tally->last_id = id;
		/* A site that is being crawled is counted at the end of its
		 * crawl. */
		place = sites_place_find(run, id);
		if (place != NULL && place->crawl != NONE &&
		    crawls_site_is_busy(run, &run->sites[place->crawl]) &&
		    run->crawls[run->sites[place->crawl].crawl].ended == 0)
			continue;
		if (tally_is_in_doubt(run, id)) {
			tally->is_in_doubt = true;
			continue;
		}
		tally_begin(run, id);
		return true;
	}
	tally->is_due = tally->is_in_doubt;
	tally->is_in_doubt = false;
	tally->last_id = 0;
	tally->next_ms = now_ms + PAUSE_MS;
	return false;
}

/* Are the numbers of all sites of the crawl stored?  If not, these sites are
 * counted first. */
static bool
tally_is_over(struct run *run, uint32_t number)
{
	struct run_tally *tally = &run->tally;

	if (tally->ending != number)
		tally->over = 0;
	tally->ending = number;
	for (; tally->over < run->site_count; tally->over++) {
		const struct crawled_site *site = &run->sites[tally->over];

		if (site->crawl != number || site->is_single)
			continue;
		if (tally_is_in_doubt(run, site->id))
			return false;
		if (site->id == 0 ||
		    store_number(run->options.store, STORE_UNTALLIED,
			site->id - 1, 0) != site->id)
			continue;
		if (tally->tally == NULL)
			tally_begin(run, site->id);
		loop_timer_set(run->pump, 0);
		return false;
	}
	tally->ending = NONE;
	return true;
}

/* Count for a few milliseconds; false: there is nothing to count now.
 * *failure is DIAG_OK, or why a site could not be counted. */
static bool
tally_step(struct run *run, enum diag_code *failure)
{
	struct run_tally *tally = &run->tally;
	int64_t end_ms = run_now_ms(run) + TALLY_MS;

	*failure = DIAG_OK;
	while (run_now_ms(run) < end_ms) {
		enum diag_code code;

		/* Begin with the next site of the crawl that waits, if there is
		 * one. */
		if (tally->tally == NULL && tally->ending != NONE &&
		    run->crawls[tally->ending].ended != 0)
			(void)tally_is_over(run, tally->ending);
		if (tally->tally == NULL && !tally_next(run))
			return false;
		/* From the store, but without a snapshot, a site is counted
		 * without a pause, because nothing may be written meanwhile. */
		while (site_tally_some(tally->tally, STEP_WORK) &&
		    ((tally->snapshot == NULL &&
			 site_tally_state(tally->tally) == TALLY_NEEDS_STORE) ||
			run_now_ms(run) < end_ms))
			;
		if (site_tally_state(tally->tally) != TALLY_IS_DONE)
			continue;
		code = tally->snapshot == NULL ? DIAG_OK
					       : store_failed(tally->snapshot);
		if (code == DIAG_OK)
			site_tally_put(tally->tally, run->options.store);
		tally_drop(tally);
		/* why a count could not be finished */
		if (*failure == DIAG_OK)
			*failure = code;
	}
	return true;
}

/* Add the numbers up to the totals of the crawl. */
static void
tally_sum(struct run *run, uint32_t number)
{
	struct run_totals *totals = &run->crawls[number].totals;
	struct site_sum sum = {0};

	for (uint32_t i = 0; i < run->site_count; i++) {
		const struct crawled_site *site = &run->sites[i];

		if (site->crawl == number && !site->is_single)
			store_site_sum(run->options.store, site->id,
			    run->crawls[number].before_id, &sum);
	}
	totals->listed = sum.numbers.listed;
	totals->waiting = sum.waiting;
	totals->waiting_urls = sum.waiting_urls;
	memcpy(totals->changes, sum.changes, sizeof(totals->changes));
}

/* Commits. */

/* COMMIT what is not committed yet. The store calls back for each reading, and
 * its task goes on. */
bool
run_commit_begin(struct run *run)
{
	enum diag_code code = run_flush(run);

	run->is_committing = false;
	if (code != DIAG_OK)
		run_fail(run, code);
	/* The store may have reached its largest size (HOSTILE T18). */
	if (run->options.max_store_bytes > 0 && !run->is_full &&
	    run->fatal == DIAG_OK &&
	    store_bytes(run->options.store) >= run->options.max_store_bytes)
		run->is_full = run->has_closed = true;
	run_kick(run);
	return run->fatal == DIAG_OK;
}

static void
run_write_some(void *arg)
{
	struct run *run = arg;

	/* Enough is under way: what was read waits, and no more is asked for
	 * (is_busy() in run_machine.c). */
	if (store_is_full(run->options.store))
		loop_timer_set(run->commit, COMMIT_MS);
	else
		(void)run_commit_begin(run);
}

bool
run_commit(struct run *run)
{
	enum diag_code code = store_await(run->options.store);

	/* Also where the hold is in doubt: the wait ends it, or the store. */
	if (code == DIAG_OK && run_commit_begin(run))
		code = store_await(run->options.store);
	if (code != DIAG_OK && run->fatal == DIAG_OK)
		run_fail(run, code);
	return run->fatal == DIAG_OK;
}

void
run_acked(struct run *run)
{
	enum diag_code code = store_failed(run->options.store);

	if (code != DIAG_OK && run->fatal == DIAG_OK)
		run_fail(run, code);
	run_kick(run);
}

/* Is the COMMIT of that number durable, or nothing left that one could have? */
static bool
run_is_durable(const struct run *run, uint64_t commit)
{
	const struct store *store = run->options.store;

	return store_is_durable(store, commit) ||
	    (!store_pending(store) &&
		store_is_durable(store, store_commits(store)));
}

/* The end of a crawl. */

/* The number of the commit that will contain everything of the crawl. */
static uint64_t
commit_at_last(struct run *run, const struct crawl *crawl)
{
	uint64_t number = store_commits(run->options.store) + 1;
	bool is_alone = true;

	/* Other crawls may end in the same second, and share a later commit. */
	for (uint32_t i = 0; i < run->crawl_count; i++)
		is_alone = is_alone &&
		    (&run->crawls[i] == crawl ||
			(run->crawls[i].state != CRAWL_ROBOTS &&
			    run->crawls[i].state != CRAWL_DOCUMENTS));
	if (is_alone && run_flush(run) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	return number;
}

/* Nothing of the crawl is under way. Is all its work committed, and its end,
 * too? Hundreds of crawls may end in one second, so they share commits, because
 * each commit waits for the disk. may_end() is called again after the next
 * commit. */
static bool
may_end(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	if (crawl->totals.sites == 0)
		return true;
	if (crawl->ended == 0) {
		/* Count the sites that were read through for the first time. */
		for (uint32_t i = 0; !crawl->is_dropped && i < run->site_count;
		     i++)
			if (run->sites[i].crawl == number &&
			    !run->sites[i].is_single)
				crawl->totals.first_sites += store_first_read(
				    run->options.store, run->sites[i].id);
		crawl->ended = commit_at_last(run, crawl);
	}
	if (!run_is_durable(run, crawl->ended))
		return false;
	if (crawl->is_dropped)
		return true;
	if (!run->options.is_scratch && crawl->sealed == 0) {
		if (!tally_is_over(run, number))
			return false;
		tally_sum(run, number);
	}
	/* The ends of all sites are stored together, in the same commit as the
	 * numbers of the sites. If the process dies before that commit, the
	 * next crawl resumes this one as a whole and counts the sites again. */
	if (crawl->sealed == 0) {
		for (uint32_t i = 0;
		     !crawl->totals.is_over_budget && i < run->site_count;
		     i++) {
			const struct crawled_site *site = &run->sites[i];
			const struct site_place *place = sites_place_find(
			    run, site->id);

			/* Another crawl may be at the site since, or may have
			 * left it again. */
			if (site->crawl == number && !site->is_single &&
			    place != NULL && place->crawl == i)
				store_crawl_end(run->options.store, site->id);
		}
		crawl->sealed = commit_at_last(run, crawl);
	}
	return run_is_durable(run, crawl->sealed);
}

static bool
task_is_in_use(void *arg, uint32_t number)
{
	return run_task(arg, number)->site != NONE;
}

/* Free all that the crawl owns; the totals stay. */
static void
crawl_release(struct crawl *crawl)
{
	for (size_t i = 0; i < crawl->target_count; i++)
		url_release(&crawl->targets[i].target.url);
	free(crawl->targets);
	crawl->targets = NULL;
	free(crawl->late.items);
	crawl->late = (struct fifo){0};
	free(crawl->given);
	crawl->given = NULL;
	crawl->target_count = crawl->given_count = crawl->given_cap = 0;
}

/* The totals stay until another crawl gets the entry. */
static void
crawl_free(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	if (crawl->totals.sites > 0) {
		/* No Sitemap line becomes a seed of the crawl any more. */
		for (size_t i = 0; i < run->to_seed.end; i++) {
			struct origin
			    *origin = &run->origins[run->to_seed.items[i]];

			if (origin->seed_site != NONE &&
			    run->sites[origin->seed_site].crawl == number)
				origin->seed_site = NONE;
		}
		origins_tidy_to_seed(run);
		/* The numbers of all its tasks and site entries become free. */
		for (uint32_t i = 0; i < run->task_count; i++) {
			uint32_t site = run_task(run, i)->site;

			if (site != NONE && run->sites[site].crawl == number)
				task_remove(run, i);
		}
		fifo_keep(&run->lists[LIST_BEGINNING], task_is_in_use, run);
		fifo_keep(&run->lists[LIST_SUSPECTS], task_is_in_use, run);
		for (uint32_t i = 0; i < run->site_count; i++)
			if (run->sites[i].crawl == number)
				sites_end(run, i);
	}
	crawl_release(crawl);
	crawl->state = crawl->serial == FIRST ? CRAWL_OVER : CRAWL_FREE;
	run->has_given = true;
	run_kick(run);
}

/* When there are twice as many origins as after the last
 * look, forget those that nobody has used for a while, and their hosts. If such
 * an origin is needed later, what the store knows of it is read again. Hosts
 * that fail, or asked for a pause, are kept until that is over. */
static void
forget_some(struct run *run)
{
	int64_t now_ms = run_now_ms(run);
	/* the smallest serial of a crawl with targets */
	uint64_t crawls_since = UINT64_MAX;
	bool *origins, *hosts; /* by number: it is in use */

	if (run->origins_used < LEAST_ORIGINS ||
	    run->origins_used / 2 < run->origins_kept)
		return;
	origins = mem_zero(run->origin_count + 1);
	hosts = mem_zero(run->host_state_count + 1);
	/* what crawls under way may still need */
	for (uint32_t i = 0; i < run->crawl_count; i++) {
		const struct crawl *crawl = &run->crawls[i];

		if (crawl->state == CRAWL_OVER || crawl->state == CRAWL_FREE)
			continue;
		if (crawl->target_count > 0 && crawl->serial < crawls_since)
			crawls_since = crawl->serial;
		for (size_t k = 0; k < crawl->late.end; k++)
			origins[crawl->late.items[k]] = true;
	}
	for (uint32_t i = 0; i < run->task_count; i++) {
		const struct task *task = run_task(run, i);

		if (task->site != NONE && task->origin != NONE)
			origins[task->origin] = true;
	}
	for (const struct line_job *job = run->lines.first; job != NULL;
	     job = job->next)
		origins[job->origin] = true;
	for (uint32_t i = 0; i < run->origin_count; i++) {
		const struct origin *origin = &run->origins[i];

		if (origin->text == NULL)
			continue;
		if (origins[i] || origin->state == ORIGIN_ASKED ||
		    origin->waiting.end > 0 || origin->awaiting.end > 0 ||
		    origin->seed_site != NONE ||
		    origin->serial >= crawls_since ||
		    origin->used_ms + IDLE_MS > now_ms) {
			hosts[origin->host] = true;
		} else {
			robots_use(run, i, NULL, NULL);
			free(origin->awaiting.items);
			free(origin->waiting.items);
			free(origin->linked);
			run->origins[i] = (struct origin){
			    .host = NONE, .seed_site = NONE};
			names_remove(&run->origin_names, i);
			run->origins_used--;
		}
	}
	run->origins_kept = run->origins_used;
	host_states_forget(run, hosts);
	free(origins);
	free(hosts);
}

/* Closed crawls and sites send no further requests; another run reads the rest.
 * All tasks leave the host queue and the DNS queue, and those that are still
 * wanted go back. */
static void
run_drain(struct run *run)
{
	struct fifo kept = {0};

	run->has_closed = false;
	dns_queue_open(run);
	for (uint32_t host = 0; host < run->host_state_count; host++) {
		uint64_t id;

		while (run->host_states[host] != NULL &&
		    host_queue_drain(run->host_queue, host, false, &id)) {
			uint32_t task = (uint32_t)id;

			/* A task of a closed crawl leaves the host queue; but a
			 * robots.txt stays if others wait for it. */
			if (limits_forbid(run, task) &&
			    (run_task(run, task)->type == TASK_ROBOTS
				    ? robots_forget(run, task)
				    : limits_skip(run, task)))
				continue;
			fifo_put(&kept, task);
		}
		while (fifo_count(&kept) > 0)
			task_put_back(run, fifo_take(&kept), host);
	}
	free(kept.items);
	machine_run(run);
}

void
run_drop(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	assert(crawl->state != CRAWL_FREE);
	if (crawl->state == CRAWL_OVER)
		return;
	crawl->is_dropped = true;
	crawl->waiting = 0;
	crawl->given_count = 0;
	crawl->is_closed = true;
	/* No place is wanted any more; a crawl that still waits for single
	 * documents wants its places again. */
	for (uint32_t i = 0; i < run->place_count; i++)
		if (run->places[i].is_wanted) {
			run->places[i].is_wanted = false;
			sites_leave_place(run, &run->places[i]);
			run->has_given = true;
		}
	if (crawl->state == CRAWL_NEW)
		crawl_free(run, number);
	else
		run_drain(run);
	run_kick(run);
}

/* Documents that are read one by one, without a crawl of their site. Each of
 * them has a site entry of its own, which it shares with its robots.txt. A
 * reading stores what differs from the reading before, so only one task may
 * read a document at a time: the crawl of a site and its single documents
 * exclude each other, see struct site_place. */

/* Is the document a robots.txt?  Its origin is written to *origin. */
static bool
given_is_robots(
    struct run *run, const struct document *document, uint32_t *origin)
{
	static const char path[] = "/robots.txt";
	struct url url = {0};
	bool is_it;

	is_it = url_parse_raw(&url, slice_of(document->url), NULL) == DIAG_OK &&
	    slice_is(url_target(&url), path) &&
	    url_text(&url).len == url_origin(&url).len + strlen(path);
	if (is_it)
		*origin = origins_of(run, &url);
	url_release(&url);
	return is_it;
}

/* Begin the robots.txt; false while another task asks for it. */
static bool
begin_robots(struct run *run, uint32_t crawl, const struct document *document,
    uint32_t origin)
{
	uint32_t number;
	const char *text;

	if (run->origins[origin].state == ORIGIN_ASKED)
		return false;
	/* If a task began now, it would report the pause as a failure of
	 * robots.txt. */
	if (host_state_is_dead(run, run->origins[origin].host, &text) ==
	    DIAG_FETCH_RATE_LIMITED) {
		crawl_returns(&run->crawls[crawl], document->id);
		return true;
	}
	robots_task(
	    run, origin, target_single(run, crawl, document->site_id, false));
	number = idmap_get(&run->task_by_document, document->id);
	if (number == NONE)
		store_damaged(run->options.store,
		    "document %lld: it is not found by its URL",
		    (long long)document->id);
	else
		run_task(run, number)->is_given = true;
	return true;
}

/* A robots.txt that pages of another crawl wait for is read for this crawl from
 * now on. */
static void
given_adopt(struct run *run, uint32_t crawl, uint32_t number)
{
	uint32_t from = run_task(run, number)->site;
	uint32_t to = target_single(run, crawl, run->sites[from].id, false);

	run_task(run, number)->site = to;
	run_task(run, number)->is_given = true;
	run->crawls[run->sites[from].crawl].open--;
	run->crawls[crawl].open++;
	run->sites[to].open++;
	if (--run->sites[from].open == 0)
		sites_end(run, from);
}

/* Begin the document; false: it has to wait. */
static bool
given_try(struct run *run, uint32_t crawl, int64_t document_id)
{
	uint32_t number = idmap_get(&run->task_by_document, document_id);
	const struct site_place *place;
	struct document document;
	uint32_t origin;
	bool has_begun = true;

	if (number != NONE) {
		/* The document has a task already: was its reading reported to
		 * the crawl, or will it be? It is if the crawl reads the whole
		 * site, or if the task is the robots.txt that another document
		 * of the crawl waits for; such a robots.txt is reported only
		 * once. Else two tasks would wait for each other, or a document
		 * that was just read would be read again. */
		struct task *task = run_task(run, number);
		const struct crawled_site *site = &run->sites[task->site];

		if (site->is_pages && site->crawl != crawl) {
			given_adopt(run, crawl, number);
			return true;
		}
		if (site->crawl != crawl ||
		    (site->is_single &&
			(task->type != TASK_ROBOTS || task->is_given)))
			return false;
		task->is_given = task->is_given || site->is_single;
		return true;
	}
	if (!store_document_get(run->options.store, document_id, &document)) {
		crawl_returns(&run->crawls[crawl], document_id);
		return true;
	}
	/* While a crawl is at the site, or waits for it, no document begins. */
	place = sites_place_find(run, document.site_id);
	if (place != NULL &&
	    (place->is_wanted ||
		(place->crawl != NONE &&
		    crawls_site_is_busy(run, &run->sites[place->crawl]))))
		has_begun = false;
	else if (given_is_robots(run, &document, &origin))
		has_begun = begin_robots(run, crawl, &document, origin);
	else {
		struct ancestry ancestry;
		struct task task = {.document_id = document.id,
		    .url = document.url,
		    .site = target_single(run, crawl, document.site_id, false),
		    .parent = NONE,
		    .origin = NONE,
		    .lastmod = store_index_lastmod(
			run->options.store, document.id),
		    .type = TASK_DOCUMENT,
		    .class = CLASS_CHILD,
		    .is_given = true};

		document.url = NULL; /* the task owns it */
		ancestry_find(&ancestry, run->options.store, document.id);
		task.depth = ancestry.depth;
		task.is_child = ancestry.count > 1;
		task_begin_later(run, run_add_task(run, &task));
	}
	document_release(&document);
	return has_begun;
}

static void
crawl_step(struct run *run, uint32_t number, int64_t now_ms)
{
	int64_t end_ms = run_now_ms(run) + BEGIN_MS;
	struct crawl *crawl = &run->crawls[number];
	bool has_time = true;

	/* Begin targets whose sites are free, as many as one round of the loop
	 * has time for. */
	for (size_t i = 0;
	     i < crawl->target_count && crawl->waiting > 0 && has_time; i++) {
		if (crawl->targets[i].site != NONE)
			continue;
		has_time = run_now_ms(run) < end_ms;
		if (has_time && target_start(run, number, &crawl->targets[i]))
			crawl->waiting--;
		machine_run(run);
	}
	if (!has_time)
		run_kick(run);
	/* Documents begin when all robots.txt of the targets are known, or when
	 * the wait for them is over. */
	if (crawl->state == CRAWL_ROBOTS &&
	    ((has_time && crawl->robots_open == 0) ||
		now_ms >= crawl->robots_until_ms)) {
		crawl->state = CRAWL_DOCUMENTS;
		target_seed(run, number);
		machine_run(run);
	}
	if (crawl->options.takes_pages && !crawl->is_dropped)
		return;
	if (crawl->state != CRAWL_DOCUMENTS || crawl->open > 0 ||
	    crawl->pending > 0 || crawl->waiting > 0 ||
	    crawl->given_count > 0 || crawl->robots_open > 0)
		return;
	/* SPEC 15.4: now that all robots.txt are known, look at proofs that
	 * came late. */
	while (crawl->late.end > 0)
		lines_add(run,
		    &(struct line_job){.use = USE_PROVE,
			.origin = crawl->late.items[--crawl->late.end],
			.crawl = number});
	if (crawl->pending == 0 && !page_sample(run, number)) {
		struct crawl_options options = crawl->options;
		bool is_dropped = crawl->is_dropped;

		/* The callback may ask for a crawl that gets this entry. */
		if (may_end(run, number) && run->fatal == DIAG_OK) {
			crawl_free(run, number);
			if (!is_dropped)
				options.done(options.done_arg);
		}
	}
}

static void
crawls_step(struct run *run)
{
	int64_t now_ms = run_now_ms(run);

	forget_some(run);
	/* Begin documents that waited for something that is over now. */
	if (run->has_given) {
		run->has_given = false;
		for (uint32_t i = 0; i < run->crawl_count; i++) {
			int64_t *given = run->crawls[i].given;
			size_t count = run->crawls[i].given_count, k;
			int64_t end_ms = run_now_ms(run) + BEGIN_MS;

			if (count == 0 || run->crawls[i].state == CRAWL_NEW)
				continue;
			/* What has to wait is given to the crawl again. */
			run->crawls[i].given = NULL;
			run->crawls[i].given_count = run->crawls[i]
							 .given_cap = 0;
			for (k = 0; k < count && run_now_ms(run) < end_ms; k++)
				if (!given_try(run, i, given[k]))
					crawl_give(&run->crawls[i], given[k]);
			if (k < count)
				run->has_given = true;
			for (; k < count; k++)
				crawl_give(&run->crawls[i], given[k]);
			free(given);
			if (run->has_given)
				run_kick(run);
			machine_run(run);
		}
	}
	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].state == CRAWL_ROBOTS ||
		    run->crawls[i].state == CRAWL_DOCUMENTS)
			crawl_step(run, i, now_ms);
	/* Set the timer that wakes the pump when the first crawl stops waiting
	 * for robots.txt. */
	int64_t until_ms = INT64_MAX;

	for (uint32_t i = 0; i < run->crawl_count; i++)
		if (run->crawls[i].state == CRAWL_ROBOTS &&
		    run->crawls[i].robots_until_ms < until_ms)
			until_ms = run->crawls[i].robots_until_ms;
	if (until_ms != INT64_MAX)
		loop_timer_set(run->patience, until_ms - now_ms);
}

static void
pump(void *arg)
{
	struct run *run = arg;
	bool is_begun;
	enum diag_code counted;

	/* The failure is reported here: the next commit may never come. */
	if (store_failed(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	if (run->fatal != DIAG_OK || run->is_stopping)
		return;
	is_begun = store_read_begin(run->options.store);
	/* Each part works for a few milliseconds; a round is their sum.
	 * Requests come first, because their hosts wait, and because
	 * machine_take() sets the timer of the pump to the time of the next
	 * request: a part that has more to do sets the timer after that. */
	loop_doing(run->options.loop, "requests");
	if (run->has_closed)
		run_drain(run);
	if (run->has_held)
		machine_hold(run);
	run->has_held = false;
	machine_take(run);
	loop_doing(run->options.loop, "crawls");
	crawls_step(run);
	loop_doing(run->options.loop, "lines of robots.txt");
	if (lines_some(run))
		run_kick(run);
	machine_run(run);
	loop_doing(run->options.loop, "children of an index");
	if (commit_accept_some(run))
		run_kick(run);
	machine_run(run);
	machine_go_on(run);
	loop_doing(run->options.loop, "what sites list");
	if (tally_step(run, &counted))
		run_kick(run);
	if (counted != DIAG_OK)
		run_fail(run, counted);
	if (is_begun)
		store_read_end(run->options.store);
	if (!store_pending(run->options.store)) {
		/* While all hosts wait, shorten the log of the store; else all
		 * of that is done at the end of the crawl. */
		int64_t now_ms = run_now_ms(run);

		if (host_queue_wait_ms(run->host_queue, now_ms) >= REST_MS &&
		    fetch_active(run->options.fetcher) == 0 &&
		    readers_backlog(run->options.readers) == 0 &&
		    store_log_bytes(run->options.store) >= REST_BYTES) {
			loop_commit(run->options.loop, true);
			(void)store_rest(run->options.store);
			loop_commit(run->options.loop, false);
		}
	} else if (!run->is_committing) {
		run->is_committing = true;
		loop_timer_set(run->commit, COMMIT_MS);
	}
}

static void
run_go_on(void *arg)
{
	run_kick(arg);
}

/* A run. */

static int64_t
run_clock_ms(void *loop)
{
	return loop_now_ms(loop);
}

/* A host may be asked at another time, because a fetcher asks it, or has asked
 * it.  That time may be earlier than the one for which the timer is set. */
static void
run_host_changed(void *arg, struct host *host)
{
	struct run *run = arg;

	host_queue_update(run->host_queue, host->number);
	if (host->waiting[HOST_DOCUMENTS] > 0)
		run_kick(run);
}

static void
run_host_held(
    void *arg, struct host *host, enum held_kind kind, const char *why)
{
	struct run *run = arg;

	(void)why;
	if (kind != HELD_ALL)
		return;
	host_queue_update(run->host_queue, host->number);
	run->has_held = true;
	run_kick(run);
}

struct run *
run_new(const struct run_options *options)
{
	struct run *run = mem_zero(sizeof(*run));
	struct host_queue_options politeness = host_queue_options_default;

	run->options = *options;
	if (options->agent == NULL)
		run->options.agent = ROBOTS_PRODUCT;
	politeness.hash_key = options->hash_key;
	run->steady.base_s = store_number(options->store, STORE_LATEST_S, 0, 0);
	run->steady.base_ms = run_now_ms(run);
	run->pump = loop_timer_new(options->loop, pump, run);
	run->commit = loop_timer_new(options->loop, run_write_some, run);
	run->patience = loop_timer_new(options->loop, run_go_on, run);
	run->table = host_table_new(
	    options->rules, options->rules_arg, options->hash_key);
	run->table->others = options->others;
	host_table_set_clock(run->table, run_clock_ms, options->loop);
	run->table->followers[HOST_DOCUMENTS] = (struct host_follower){
	    .changed = run_host_changed, .held = run_host_held, .arg = run};
	run->host_queue = host_queue_new(&politeness, run->table);
	run->paged_s = store_number(options->store, STORE_PAGES_ASKED_S, 0, 0);
	run->origin_names = (struct names){.key = options->hash_key};
	run->owner_names = (struct names){.key = options->hash_key};
	run->free_task = run->free_site = run->free_place = NONE;
	run->proofs = 1;
	run->tally.ending = NONE;
	/* another run may have left sites uncounted */
	run->tally.is_due = true;
	run->tally.timer = loop_timer_new(options->loop, run_go_on, run);
	/* the store may have its largest size already */
	run->is_full = run->has_closed = options->max_store_bytes > 0 &&
	    store_bytes(options->store) >= options->max_store_bytes;
	return run;
}

void
run_free(struct run *run)
{
	if (run == NULL)
		return;
	machine_end_all(run);
	tally_drop(&run->tally);
	loop_timer_free(run->tally.timer);
	free(run->activity.asked);
	for (size_t i = 0; i < run->lines.url_count; i++)
		free(run->lines.urls[i]);
	free(run->lines.urls);
	while (run->lines.first != NULL) {
		struct line_job *job = run->lines.first;

		run->lines.first = job->next;
		free(job);
	}
	for (int i = 0; i < DNS_QUEUE_ROWS; i++)
		free(run->dns_queue.rows[i].items);
	/* No task has an attempt any more, since all of them are DONE. */
	for (uint32_t i = 0; i < run->task_count; i++)
		free(run->tasks[i].url);
	free(run->tasks);
	free(run->task_by_document.slots);
	for (int i = 0; i < TASK_LISTS; i++)
		free(run->lists[i].items);
	for (uint32_t i = 0; i < run->site_count; i++)
		self_listed_release(run->sites[i].listed);
	free(run->sites);
	free(run->places);
	free(run->place_by_site.slots);
	for (uint32_t i = 0; i < run->crawl_count; i++)
		crawl_release(&run->crawls[i]);
	free(run->crawls);
	for (uint32_t i = 0; i < run->origin_count; i++) {
		free(run->origins[i].awaiting.items);
		free(run->origins[i].linked);
		free(run->origins[i].waiting.items);
	}
	free(run->origins);
	free(run->to_seed.items);
	names_release(&run->origin_names);
	free(run->known.items);
	names_release(&run->owner_names);
	free(run->owners);
	for (uint32_t i = 0; i < run->host_state_count; i++)
		free(run->host_states[i]);
	free(run->host_states);
	free(run->noted.items);
	host_queue_free(run->host_queue);
	host_table_free(run->table);
	loop_timer_free(run->pump);
	loop_timer_free(run->commit);
	loop_timer_free(run->patience);
	free(run);
}

void
run_stop(struct run *run)
{
	int64_t now_s = run_now_s(run);

	run->is_stopping = true;
	/* Nobody waits for the answers that are under way: note in the request
	 * log that these hosts were asked, for whoever asks them next. */
	for (uint32_t i = 0; i < run->host_state_count; i++)
		if (run->host_states[i] != NULL &&
		    run->table->items[i]->is_busy)
			store_request_log_add(run->options.store,
			    names_slice(&run->table->names, i),
			    &(struct request_log_note){
				.minute_s = now_s - now_s % MINUTE_S,
				.last_s = now_s,
				.least_gap_ms = -1,
				.delay_ms = run->table->items[i]->delay_ms});
	if (run_flush(run) != DIAG_OK ||
	    store_await(run->options.store) != DIAG_OK)
		run_fail(run, store_failed(run->options.store));
	loop_stop(run->options.loop);
}

enum diag_code
run_failure(const struct run *run, int *error)
{
	*error = run->error;
	return run->fatal;
}

uint32_t
run_crawl(struct run *run, const struct crawl_options *options)
{
	uint32_t number = 0;

	while (number < run->crawl_count &&
	    run->crawls[number].state != CRAWL_FREE)
		number++;
	if (number == run->crawl_count)
		(void)MEM_PUSH(run->crawls, run->crawl_count, run->crawl_cap);
	run->crawls[number] = (struct crawl){.options = *options,
	    .serial = ++run->serials,
	    .before_id = store_number(
		run->options.store, STORE_LAST_READING, 0, 0)};
	if (options->takes_pages) {
		/* what it reads is robots.txt, which pages need */
		run->crawls[number].is_sampled = true;
		run->crawls[number].options.max_urls = UINT64_MAX;
	}
	return number;
}

enum diag_code
run_target(struct run *run, uint32_t number, struct slice text)
{
	struct crawl *crawl = &run->crawls[number];
	struct crawl_target target = {.site = NONE};
	enum diag_code code = target_parse(&target.target, text);

	assert(crawl->state == CRAWL_NEW);
	if (code == DIAG_OK) {
		/* A site at which the whole program ended twice in a row is set
		 * aside (at_work.h), and reported to the crawl. */
		const struct url *url = &target.target.url;
		int64_t until_s = aside_until(run->options.store,
		    store_site_find(run->options.store, url_host(url)),
		    run_now_s(run));
		struct buf why = BUF_UP_TO(SIZE_MAX);

		if (until_s != 0) {
			code = DIAG_SITE_SET_ASIDE;
			crawl->totals.lost_targets++;
			aside_text(&why, url_host(url), until_s);
			crawl_problem(
			    crawl, code, url_text(url), buf_text(&why));
		}
		buf_release(&why);
	}
	if (code != DIAG_OK) {
		url_release(&target.target.url);
		return code;
	}
	*MEM_PUSH(
	    crawl->targets, crawl->target_count, crawl->target_cap) = target;
	crawl->waiting++;
	return DIAG_OK;
}

void
run_document(struct run *run, uint32_t number, int64_t document_id)
{
	struct crawl *crawl = &run->crawls[number];

	assert(crawl->state != CRAWL_OVER && crawl->state != CRAWL_FREE);
	crawl_give(crawl, document_id);
	run->has_given = true;
	run_kick(run);
}

void
run_start(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];

	crawl->state = CRAWL_ROBOTS;
	run->has_given = true;
	crawl->robots_end_ms = run_now_ms(run) + ROBOTS_WAIT_MS;
	crawl->robots_until_ms = crawl->robots_end_ms;
	crawl_report_clock(run, crawl);
	run_kick(run);
}

struct host_table *
run_hosts(struct run *run)
{
	return run->table;
}

const struct run_totals *
run_totals(struct run *run, uint32_t number)
{
	struct run_totals *totals = &run->crawls[number].totals;
	struct loop_delays delays = loop_delays(run->options.loop);

	totals->gap_ms = (uint64_t)(delays.longest_gap_us + 999) / 1000;
	totals->gap_cpu_ms = (uint64_t)(delays.longest_cpu_us + 999) / 1000;
	totals->commit_ms = (uint64_t)(delays.longest_commit_us + 999) / 1000;
	return totals;
}

uint64_t
totals_refused(const struct run_totals *totals, enum verdict *most)
{
	uint64_t sum = 0;

	*most = VERDICT_ACCEPTED;
	for (int i = VERDICT_ACCEPTED + 1; i < VERDICTS; i++) {
		sum += totals->refused_by[i];
		if (totals->refused_by[i] > totals->refused_by[*most])
			*most = (enum verdict)i;
	}
	return sum;
}
