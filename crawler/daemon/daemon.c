/*
 * The daemon: see daemon.h.
 *
 *	turn -> sync -> sites to be crawled whole -> documents -> save
 *	  ^                                                        |
 *	  +-- something was committed, or the next thing is due <--+
 *
 * A job is a crawl of the driver: a site from its targets, or documents of a
 * site.
 */
#include "crawler/daemon/daemon.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/daemon/page_asks.h"
#include "crawler/event/log.h"
#include "crawler/frontier/site_crawl.h"
#include "sched/heap.h"
#include "store/aside.h"
#include "store/prune.h"
#include "store/site.h"
#include "store/watch.h"

#define COMMIT_MS 20 /* DESIGN.md section 7 */
/* The wall clock is looked at no less often: while a machine is suspended its
 * monotonic clock, and so a timer, stands still. */
#define HEARTBEAT_MS 300000
#define BEHIND_MS 1 /* the loop does other work meanwhile */
#define SOON_MS 50 /* the frontier counts seconds, and may be early */
#define JUMP_S 60 /* clocks are corrected by less all the time */
/* Old readings are pruned little by little, and not soon after a start or a
 * jump of the clock, which may be wrong. */
#define PRUNE_MS 60000
#define PRUNE_FIRST_MS 3600000
#define REST_MS 60000 /* between two calls of store_rest() */
#define ONCE_S 10 /* with is_once: what is due by then is due now */
#define SPARE_S 300 /* the hold of a host that a document came back from */

/* SPEC R-76 asks for patience with hosts in trouble: a lost site is tried again
 * after AGAIN_S, then after twice as long each time, up to a week.  A ceiling
 * of the operator makes that more often, up to once an hour. */
#define AGAIN_S 900
#define AGAIN_OFTEN_S 3600
#define AGAIN_MOST_S (7 * 86400)
/* A site is lost when nothing of it was read for so long; the store is asked no
 * more often than every LOOK_S. */
#define LOST_S 86400
#define LOOK_S 3600
/* A site that is set aside is looked at again after this time. */
#define ASIDE_LOOK_S 900
/* After so many tries the interval, which doubles, is longer than any ceiling:
 * 900 s << 10 is more than a week. */
#define MAX_TRIES SITE_CRAWL_TRIES

/* A document that the driver was asked to read. */
struct asked {
	int64_t document_id;
	const char *why; /* static */
};

/* A whole crawl that is over; its event waits for the commit. */
struct crawled {
	struct crawled *next;
	uint32_t site;
	int64_t next_s;
	struct run_totals totals;
};

#define NEVER_S SITE_CRAWL_NEVER

/*
 * A site of the watch list.
 *
 *	NEW -> crawled whole -> FOUND
 *	        |        ^        |
 *	        |        |        v  nothing could be read for a day
 *	        +-> LOST +<-------+
 *	          (tried again later)
 */
struct daemon_site {
	int64_t id;
	int64_t whole_s; /* when the site is crawled whole; NEVER_S: FOUND */
	/* FOUND: when the store was asked whether it is lost */
	int64_t looked_s;
	int64_t most_s; /* LOST: the ceiling of its interval; 0: none */
	int64_t lost_s; /* LOST: since when; 0: not known */
	uint8_t tries; /* LOST: failed tries in a row */
	bool is_watched;
	struct job *job; /* the crawl under way; NULL: none */
};

struct job {
	struct daemon *daemon;
	LIST_ENTRY(job) link;
	uint32_t site; /* number */
	uint32_t crawl; /* of the driver */
	bool is_whole; /* from the targets of the site */
	bool has_failed; /* a document could not be read */
	struct asked *asked; /* owned; documents that are not read yet */
	size_t count, cap;
};

struct daemon {
	struct daemon_options how;
	struct loop_timer *turn, *commit; /* owned */
	struct page_asks *asks; /* owned; NULL: no page is asked */
	struct daemon_site *sites; /* owned */
	uint32_t *positions; /* owned; by site: in the heap, see sched/heap.h */
	size_t site_count, site_cap, position_cap;
	struct idmap by_site; /* id -> number */
	/* sites to be crawled whole; the next one first */
	struct heap whole;
	int64_t base_s; /* the heap's values are differences to this time */
	LIST_HEAD(, job) jobs; /* owned */
	struct crawled *crawled; /* owned; the last one first */
	struct crawled *committed; /* owned; those of the COMMIT below */
	uint64_t commit_number; /* it is not durable yet; 0: there is none */
	unsigned job_count, whole_count; /* all jobs; those with is_whole */
	unsigned asked; /* documents of all jobs */
	struct idmap seen; /* is_once: documents that were asked for */
	int64_t last_s, last_ms; /* what both clocks said last */
	int64_t prune_ms; /* when old readings are pruned next */
	int64_t pruned_id; /* how far that came, see store_prune_some() */
	int64_t rest_ms; /* when store_rest() is called next */
	bool has_seen_all; /* is_once: everything that was due was asked for */
	bool is_stopped;
};

/* Sites. */

/* Plan when the site is crawled whole, unless a job is under way.  Call this
 * function when a member of the site has changed. */
static void
site_plan(struct daemon *daemon, uint32_t number)
{
	const struct daemon_site *site = &daemon->sites[number];
	struct heap_words words = {daemon->positions, POSITIONS_QUEUED};
	struct heap_item item = {.number = number};
	/* Sites that were never crawled come before all planned ones, whose
	 * plans reach no further than a week; the others have their turn in the
	 * order of their plans. */
	int64_t early_s = site->tries == 0 ? 2 * (int64_t)AGAIN_MOST_S : 0;

	if (!site->is_watched || site->whole_s == NEVER_S ||
	    site->job != NULL) {
		if (daemon->positions[number] != POSITIONS_NOWHERE)
			heap_remove(&daemon->whole, words, number);
		return;
	}
	item.value = (float)(daemon->base_s - site->whole_s + early_s);
	heap_put(&daemon->whole, words, item);
}

/* When the next site is due to be crawled whole; NEVER_S: none. */
static int64_t
site_whole_s(const struct daemon *daemon)
{
	return daemon->whole.count == 0
	    ? NEVER_S
	    : daemon->sites[daemon->whole.items[0].number].whole_s;
}

/* Take over a row of the watch list, and what was saved of crawls. */
static void
site_take_row(struct daemon *daemon, uint32_t number, const struct watch *watch,
    int64_t now_s)
{
	struct daemon_site *site = &daemon->sites[number];
	struct site_crawl crawl;

	if (site->is_watched != watch->is_watched)
		daemon->how.counts->sites += watch->is_watched ? 1 : UINT64_MAX;
	site->is_watched = watch->is_watched;
	site->most_s = watch->every_most_s;
	if (!watch->is_watched) {
		site_plan(daemon, number);
		return;
	}
	if (!site_crawl_get(daemon->how.store, watch, &crawl))
		crawl = (struct site_crawl){.whole_s = now_s};
	else if (crawl.whole_s != NEVER_S &&
	    crawl.whole_s > now_s + AGAIN_MOST_S)
		crawl.whole_s = now_s; /* the clock was put back */
	site->tries = crawl.tries;
	site->whole_s = crawl.whole_s;
	site->lost_s = crawl.lost_s;
	site_plan(daemon, number);
}

static uint32_t
site_add(struct daemon *daemon, int64_t site_id)
{
	uint32_t number = (uint32_t)daemon->site_count;

	daemon->positions = mem_grow(daemon->positions, &daemon->position_cap,
	    daemon->site_count + 1, sizeof(*daemon->positions));
	daemon->positions[number] = POSITIONS_NOWHERE;
	*MEM_PUSH(daemon->sites, daemon->site_count,
	    daemon->site_cap) = (struct daemon_site){
	    .id = site_id, .whole_s = NEVER_S};
	idmap_put(&daemon->by_site, site_id, number);
	return number;
}

static void
daemon_on_watch(void *arg, const struct watch *watch)
{
	struct daemon *daemon = arg;
	uint32_t number = idmap_get(&daemon->by_site, watch->site_id);

	if (number == IDMAP_NONE)
		number = site_add(daemon, watch->site_id);
	site_take_row(daemon, number, watch, loop_now_s(daemon->how.loop));
	if (daemon->asks != NULL)
		page_asks_site(daemon->asks, watch);
}

/* The site was crawled whole.  The result is saved.  If nothing was found, the
 * site is planned again, and the function returns that time; else 0. */
static int64_t
site_crawled(
    struct daemon *daemon, uint32_t number, bool is_found, int64_t now_s)
{
	struct daemon_site *site = &daemon->sites[number];

	if (is_found || site->tries == 0)
		site->lost_s = is_found ? 0 : now_s;
	if (is_found)
		site->tries = 0;
	else if (site->tries < MAX_TRIES)
		site->tries++;
	site->whole_s = NEVER_S;
	if (!is_found) {
		/* A lost site is left alone for twice as long each time. */
		int64_t again_s = (int64_t)AGAIN_S << (site->tries - 1);
		int64_t most_s = AGAIN_MOST_S;

		if (site->most_s > 0 && site->most_s < most_s)
			most_s = site->most_s > AGAIN_OFTEN_S ? site->most_s
							      : AGAIN_OFTEN_S;
		site->whole_s = now_s + (again_s > most_s ? most_s : again_s);
	}
	/* Save what has to be known after a restart. */
	struct site_crawl crawl = {.whole_s = site->whole_s,
	    .lost_s = site->lost_s,
	    .tries = site->tries};
	struct watch watch;

	if (store_watch_get(daemon->how.store, site->id, &watch)) {
		site_crawl_put(daemon->how.store, &watch, &crawl);
		watch_release(&watch);
	}

	site_plan(daemon, number);
	return is_found ? 0 : site->whole_s;
}

static void
report_event(struct daemon *daemon, struct daemon_event *event, uint32_t site)
{
	struct watch watch;
	bool is_known = store_watch_get(
	    daemon->how.store, daemon->sites[site].id, &watch);

	if (is_known)
		event->site = slice_of(watch.host);
	daemon->how.event(daemon->how.arg, event);
	if (is_known)
		watch_release(&watch);
}

/* Jobs. */

/* Remove the document from those that the job waits for.  Returns why it was
 * due; NULL: the job did not wait for it. */
static const char *
job_forget(struct job *job, int64_t document_id)
{
	const char *why = NULL;

	for (size_t i = 0; i < job->count && why == NULL; i++)
		if (job->asked[i].document_id == document_id) {
			why = job->asked[i].why;
			job->asked[i] = job->asked[--job->count];
			job->daemon->asked--;
		}
	return why;
}

static void
job_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct job *job = arg;
	struct daemon_event event = {
	    .kind = DAEMON_PROBLEM, .url = url, .code = code, .text = text};

	report_event(job->daemon, &event, job->site);
}

static void
job_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct job *job = arg;
	struct daemon *daemon = job->daemon;
	struct daemon_event event = {.kind = DAEMON_DOCUMENT,
	    .url = url,
	    .why = job_forget(job, reading->document_id),
	    .reading = reading};

	static const enum diag_code told[] = {
	    DIAG_MASS_DROP, DIAG_VERDICT_CHANGED};

	(void)profile;
	if (event.why == NULL)
		event.why = job->is_whole ? "crawl" : "robots";
	report_event(daemon, &event, job->site);
	for (size_t i = 0; i < LENGTH(told); i++) {
		const struct finding *finding = findings_get(
		    &reading->content.findings, told[i]);

		if (finding != NULL)
			job_on_problem(job, told[i], url,
			    slice_of(finding->samples[0].text));
	}
	if (daemon->asks != NULL)
		page_asks_read(
		    daemon->asks, daemon->sites[job->site].id, reading);
	job->has_failed |= reading->outcome != OUTCOME_READ &&
	    reading->outcome != OUTCOME_UNCHANGED;
	daemon_wake(daemon);
}

/* The driver returns a document unread because its host is to be left alone,
 * or the store is full.  The host is held, since asking again at once would
 * not help. */
static void
on_returned(void *arg, int64_t document_id)
{
	const struct job *job = arg;
	struct daemon *daemon = job->daemon;
	int64_t now_s = loop_now_s(daemon->how.loop);
	struct watch watch;

	(void)job_forget(arg, document_id);
	frontier_document_back(daemon->how.frontier, document_id, now_s);
	if (!store_watch_get(
		daemon->how.store, daemon->sites[job->site].id, &watch))
		return;
	(void)frontier_hold(daemon->how.frontier, slice_of(watch.host),
	    now_s + SPARE_S, now_s, "spared");
	watch_release(&watch);
}

/* Free a job; documents that were not read may be read by another one. */
static void
job_free(struct job *job)
{
	struct daemon *daemon = job->daemon;

	LIST_REMOVE(job, link);
	daemon->job_count--;
	daemon->whole_count -= job->is_whole;
	for (size_t i = 0; i < job->count; i++)
		frontier_document_back(daemon->how.frontier,
		    job->asked[i].document_id, loop_now_s(daemon->how.loop));
	daemon->asked -= (unsigned)job->count;
	daemon->sites[job->site].job = NULL;
	site_plan(daemon, job->site);
	free(job->asked);
	free(job);
}

static void
job_on_done(void *arg)
{
	struct job *job = arg;
	struct daemon *daemon = job->daemon;
	const struct run_totals *totals = run_totals(
	    daemon->how.run, job->crawl);
	struct run_totals *sum = &daemon->how.counts->totals;
	struct daemon_site *site = &daemon->sites[job->site];
	int64_t now_s = loop_now_s(daemon->how.loop);

	sum->read += totals->read;
	sum->unchanged += totals->unchanged + totals->already;
	sum->failed += totals->failed;
	sum->refused += totals->refused;
	sum->partial += totals->partial;
	sum->refused_children += totals->refused_children;
	sum->lost_targets += totals->lost_targets;
	sum->is_over_budget |= totals->is_over_budget;
	if (job->is_whole) {
		/* Remember what a whole crawl has found, to report it after the
		 * commit. */
		bool is_found = totals->read + totals->unchanged +
			totals->already >
		    0;
		struct crawled *crawled = mem_alloc(sizeof(*crawled));

		*crawled = (struct crawled){.next = daemon->crawled,
		    .site = job->site,
		    .totals = *totals};
		crawled->next_s = site_crawled(
		    daemon, job->site, is_found, loop_now_s(daemon->how.loop));
		daemon->crawled = crawled;
		daemon->how.counts->crawls++;
	}
	/* Only now, since other documents may have been read meanwhile: if none
	 * could be read for a day, the site is crawled whole as a new one. */
	else if (job->has_failed && site->whole_s == NEVER_S &&
	    (now_s < site->looked_s || now_s - site->looked_s >= LOOK_S)) {
		struct site_totals found;

		site->looked_s = now_s;
		store_site_totals(daemon->how.store, site->id, &found);
		if (now_s - found.last_read_s >= LOST_S) {
			site->whole_s = now_s;
			site_plan(daemon, job->site);
		}
	}
	job_free(job);
	daemon_wake(daemon);
}

static struct job *
job_new(struct daemon *daemon, uint32_t site, bool is_whole)
{
	struct job *job = mem_zero(sizeof(*job));
	struct crawl_options crawl = {.max_urls = UINT64_MAX,
	    .document = job_on_document,
	    .problem = job_on_problem,
	    .returned = on_returned,
	    .done = job_on_done,
	    .arg = job,
	    .done_arg = job};

	job->daemon = daemon;
	job->site = site;
	job->is_whole = is_whole;
	job->crawl = run_crawl(daemon->how.run, &crawl);
	LIST_INSERT_HEAD(&daemon->jobs, job, link);
	daemon->job_count++;
	daemon->whole_count += is_whole;
	assert(daemon->sites[site].job == NULL);
	daemon->sites[site].job = job;
	/* A site has one job at a time: it is not crawled whole meanwhile. */
	site_plan(daemon, site);
	return job;
}

/* Crawl a site from its targets. */
static void
job_whole(struct daemon *daemon, uint32_t site)
{
	struct store *store = daemon->how.store;
	int64_t id = daemon->sites[site].id;
	int64_t now_s = loop_now_s(daemon->how.loop);
	struct job *job;
	struct watch watch;
	int64_t wait_s;
	size_t good = 0;

	if (!store_watch_get(store, id, &watch))
		return;
	/* While the site is set aside (store/aside.h), or its host held
	 * (store/hold.h), its crawl is planned again, for when the hold ends or
	 * for a look in a while. */
	wait_s = store_hold_get(store, slice_of(watch.host), now_s).left_s;
	if (wait_s > 0 || aside_until(store, id, now_s) != 0) {
		if (wait_s == 0 || wait_s > ASIDE_LOOK_S)
			wait_s = ASIDE_LOOK_S;
		daemon->sites[site].whole_s = now_s + wait_s;
		site_plan(daemon, site);
		watch_release(&watch);
		return;
	}
	job = job_new(daemon, site, true);
	/* targets were checked when they were added to the list */
	for (size_t i = 0; i < watch.targets.count; i++)
		good += run_target(daemon->how.run, job->crawl,
			    slice_of(watch.targets.items[i])) == DIAG_OK;
	if (good == 0)
		(void)run_target(
		    daemon->how.run, job->crawl, slice_of(watch.host));
	watch_release(&watch);
	run_start(daemon->how.run, job->crawl);
}

/* The turn. */

static bool
daemon_has_room(const struct daemon *daemon)
{
	return daemon->asked < daemon->how.max_documents &&
	    daemon->job_count < daemon->how.max_sites && !daemon->has_seen_all;
}

static void
take_documents(struct daemon *daemon, int64_t now_s)
{
	struct frontier_document document;

	while (daemon_has_room(daemon) &&
	    frontier_next_document(daemon->how.frontier, now_s, &document)) {
		uint32_t site = idmap_get(&daemon->by_site, document.site_id);
		struct job *job = NULL;
		struct watch watch;
		bool is_new;

		/* The site may be new on the list. */
		if (site == IDMAP_NONE &&
		    store_watch_get(
			daemon->how.store, document.site_id, &watch)) {
			site = site_add(daemon, document.site_id);
			site_take_row(daemon, site, &watch, now_s);
			watch_release(&watch);
		}
		if (site != IDMAP_NONE)
			job = daemon->sites[site].job;
		/* A document that comes again shows that everything that was
		 * due has been asked for. */
		if (daemon->how.is_once && site != IDMAP_NONE &&
		    idmap_get(&daemon->seen, document.id) != IDMAP_NONE)
			daemon->has_seen_all = true;
		if (site == IDMAP_NONE || daemon->has_seen_all) {
			frontier_document_back(
			    daemon->how.frontier, document.id, now_s);
			break;
		}
		/* Documents that a whole crawl may read do not count. */
		if (daemon->how.is_once && (job == NULL || !job->is_whole))
			idmap_put(&daemon->seen, document.id, 0);
		/* Read a document, in the job of its site if there is one. */
		is_new = job == NULL;

		if (is_new)
			job = job_new(daemon, site, false);
		*MEM_PUSH(job->asked, job->count, job->cap) = (struct asked){
		    document.id, document.why};
		daemon->asked++;
		/* A whole crawl reads the document anyway; documents that it
		 * does not reach are given back when it ends. */
		if (!job->is_whole)
			run_document(daemon->how.run, job->crawl, document.id);
		if (is_new)
			run_start(daemon->how.run, job->crawl);
	}
}

int64_t
daemon_next_s(struct daemon *daemon, int64_t now_s)
{
	int64_t next_s = NEVER_S;

	if (daemon_has_room(daemon))
		next_s = frontier_next_document_s(daemon->how.frontier, now_s);
	if (daemon->job_count < daemon->how.max_sites &&
	    site_whole_s(daemon) < next_s)
		next_s = site_whole_s(daemon);
	return next_s;
}

/* Let the store shorten its log.  Every commit and every heartbeat calls
 * this. */
static void
daemon_rest(struct daemon *daemon)
{
	int64_t now_ms = loop_now_ms(daemon->how.loop);

	if (now_ms < daemon->rest_ms || store_pending(daemon->how.store))
		return;
	daemon->rest_ms = now_ms + REST_MS;
	(void)store_rest(daemon->how.store);
}

static void
daemon_turn(void *arg)
{
	struct daemon *daemon = arg;
	int64_t now_s = loop_now_s(daemon->how.loop);
	int64_t wait_ms = HEARTBEAT_MS;
	int64_t due_s, over_s;
	unsigned most = daemon->how.max_sites;
	uint32_t site;
	bool is_behind;

	/* Has the wall clock moved by another time than the monotonic clock?
	 * What is planned goes by the loop's time, which never goes back. */
	int64_t wall_s = loop_wall_s(daemon->how.loop);
	int64_t now_ms = loop_now_ms(daemon->how.loop);
	int64_t jump_s = wall_s - daemon->last_s -
	    (now_ms - daemon->last_ms) / 1000;
	struct daemon_event event = {.kind = DAEMON_CLOCK, .jump_s = jump_s};

	daemon->last_s = wall_s;
	daemon->last_ms = now_ms;
	if (jump_s >= JUMP_S || jump_s <= -JUMP_S) {
		daemon->prune_ms = now_ms + PRUNE_FIRST_MS;
		daemon->how.event(daemon->how.arg, &event);
	}

	loop_doing(daemon->how.loop, "readings for the scheduler");
	is_behind = frontier_sync(daemon->how.frontier, now_s);
	daemon->how.synced(daemon->how.arg);
	/* the driver notices a failed store only when it has something to
	 * commit */
	if (!daemon->is_stopped && store_failed(daemon->how.store) != DIAG_OK) {
		daemon->is_stopped = true;
		daemon->how.over(daemon->how.arg);
	}
	if (!daemon->is_stopped) {
		struct heap_words words = {daemon->positions, POSITIONS_QUEUED};

		loop_doing(daemon->how.loop, "sites that are due");
		/* A quarter of the jobs is kept for documents, even if the list
		 * has 100,000 dead sites. */
		while (daemon->whole_count < most - most / 4 &&
		    daemon->job_count < most && site_whole_s(daemon) <= now_s) {
			site = daemon->whole.items[0].number;
			heap_remove(&daemon->whole, words, site);
			job_whole(daemon, site);
		}
		loop_doing(daemon->how.loop, "documents that are due");
		take_documents(daemon, now_s);
	}
	loop_doing(daemon->how.loop, "what was learned");
	frontier_save(daemon->how.frontier);
	if (store_pending(daemon->how.store))
		loop_timer_set(daemon->commit, COMMIT_MS);
	daemon_rest(daemon);
	if (daemon->is_stopped)
		return;
	if (is_behind) {
		loop_timer_set(daemon->turn, BEHIND_MS);
		return;
	}
	due_s = daemon_next_s(daemon, now_s);
	over_s = frontier_hold_over_s(daemon->how.frontier);
	/* With is_once: is nothing under way, and nothing due? */
	if (daemon->how.is_once && daemon->job_count == 0 &&
	    daemon->crawled == NULL && daemon->committed == NULL &&
	    (daemon->has_seen_all || due_s > now_s + ONCE_S)) {
		/* the driver counts within a second or two */
		if (store_number(daemon->how.store, STORE_UNTALLIED, 0, 0) !=
		    0) {
			loop_timer_set(daemon->turn, SOON_MS);
			return;
		}
		daemon->is_stopped = true;
		daemon->how.over(daemon->how.arg);
		return;
	}
	if (over_s < due_s)
		due_s = over_s;
	if (due_s < now_s + HEARTBEAT_MS / 1000)
		wait_ms = due_s > now_s ? (due_s - now_s) * 1000 : SOON_MS;
	loop_timer_set(daemon->turn, wait_ms);
}

static void
commit(void *arg)
{
	struct daemon *daemon = arg;

	/* PostgreSQL may be away: then nothing waits here. */
	if (daemon->commit_number == 0 && store_is_full(daemon->how.store)) {
		loop_timer_set(daemon->commit, SOON_MS);
		return;
	}
	if (daemon->commit_number == 0) {
		/* if the commit fails, the driver stops the loop */
		if (!run_commit_begin(daemon->how.run))
			return;
		daemon->commit_number = store_commits(daemon->how.store);
		daemon->committed = daemon->crawled;
		daemon->crawled = NULL;
	}
	if (!store_is_durable(daemon->how.store, daemon->commit_number)) {
		loop_timer_set(daemon->commit, SOON_MS);
		return;
	}
	daemon->commit_number = 0;
	/* Report the whole crawls that are committed. */
	while (daemon->committed != NULL) {
		struct crawled *crawled = daemon->committed;
		struct daemon_event event = {.kind = DAEMON_CRAWLED,
		    .totals = &crawled->totals,
		    .next_s = crawled->next_s};

		daemon->committed = crawled->next;
		report_event(daemon, &event, crawled->site);
		free(crawled);
	}
	if (daemon->crawled != NULL)
		loop_timer_set(daemon->commit, COMMIT_MS);

	/* Prune some of the readings that are too old, once everything is
	 * committed: others may have written since that COMMIT. */
	int64_t now_ms = loop_now_ms(daemon->how.loop);

	if (daemon->how.keep_s != 0 && now_ms >= daemon->prune_ms &&
	    !store_pending(daemon->how.store)) {
		daemon->prune_ms = now_ms + PRUNE_MS;
		loop_doing(daemon->how.loop, "readings that are too old");
		daemon->pruned_id = store_prune_some(daemon->how.store,
		    loop_now_s(daemon->how.loop) - daemon->how.keep_s,
		    daemon->pruned_id);
	}

	daemon_rest(daemon);
	if (daemon->how.is_once)
		daemon_wake(daemon);
}

/* What pages answered is stored. */
static void
daemon_on_written(void *arg)
{
	struct daemon *daemon = arg;

	loop_timer_set(daemon->commit, COMMIT_MS);
}

/* The interface. */

struct daemon *
daemon_new(const struct daemon_options *options)
{
	struct daemon *daemon = mem_zero(sizeof(*daemon));

	daemon->how = *options;
	daemon->turn = loop_timer_new(options->loop, daemon_turn, daemon);
	daemon->commit = loop_timer_new(options->loop, commit, daemon);
	daemon->last_s = loop_wall_s(options->loop);
	daemon->last_ms = loop_now_ms(options->loop);
	daemon->prune_ms = daemon->last_ms + PRUNE_FIRST_MS;
	daemon->rest_ms = daemon->last_ms + REST_MS;
	options->counts->sites = 0;
	daemon->base_s = loop_now_s(options->loop);
	if (options->options != NULL && !options->is_once)
		daemon->asks = page_asks_new(
		    &(struct page_asks_options){.loop = options->loop,
			.store = options->store,
			.run = options->run,
			.frontier = options->frontier,
			.options = options->options,
			.written = daemon_on_written,
			.arg = daemon});
	store_each_watch(options->store, daemon_on_watch, daemon);
	daemon_wake(daemon);
	return daemon;
}

void
daemon_free(struct daemon *daemon)
{
	if (daemon == NULL)
		return;
	daemon_stop(daemon);
	struct crawled *lists[] = {daemon->crawled, daemon->committed};

	for (size_t i = 0; i < LENGTH(lists); i++)
		while (lists[i] != NULL) {
			struct crawled *next = lists[i]->next;

			free(lists[i]);
			lists[i] = next;
		}
	loop_timer_free(daemon->turn);
	loop_timer_free(daemon->commit);
	free(daemon->seen.slots);
	heap_release(&daemon->whole);
	free(daemon->by_site.slots);
	free(daemon->sites);
	free(daemon->positions);
	free(daemon);
}

void
daemon_watch_changed(struct daemon *daemon, int64_t site_id)
{
	uint32_t number = idmap_get(&daemon->by_site, site_id);
	struct daemon_event event;
	const struct daemon_site *site;
	struct watch watch;
	bool was_watched;

	if (!store_watch_get(daemon->how.store, site_id, &watch))
		return;
	was_watched = number != IDMAP_NONE && daemon->sites[number].is_watched;
	daemon_on_watch(daemon, &watch);
	site = &daemon->sites[idmap_get(&daemon->by_site, site_id)];
	/* the job may crawl targets that the site does not have any more */
	if (site->job != NULL && (!watch.is_watched || site->job->is_whole)) {
		run_drop(daemon->how.run, site->job->crawl);
		job_free(site->job);
	}
	if (watch.is_watched != was_watched) {
		event = (struct daemon_event){
		    .kind = watch.is_watched ? DAEMON_ADDED : DAEMON_REMOVED,
		    .site = slice_of(watch.host)};
		daemon->how.event(daemon->how.arg, &event);
	}
	watch_release(&watch);
	daemon_wake(daemon);
}

void
daemon_wake(struct daemon *daemon)
{
	loop_timer_set(daemon->turn, 0);
}

void
daemon_stop(struct daemon *daemon)
{
	daemon->is_stopped = true;
	page_asks_free(daemon->asks);
	daemon->asks = NULL;
	while (!LIST_EMPTY(&daemon->jobs)) {
		run_drop(daemon->how.run, LIST_FIRST(&daemon->jobs)->crawl);
		job_free(LIST_FIRST(&daemon->jobs));
	}
}

static void
daemon_log_document(
    struct log *log, int64_t now_s, const struct daemon_event *event)
{
	const struct reading *reading = event->reading;

	log_begin(log, now_s, outcome_name(reading->outcome));
	log_text(log, "site", event->site);
	log_text(log, "url", event->url);
	log_text(log, "why", slice_of(event->why));
	if (reading->http.status != 0)
		log_number(log, "status", reading->http.status);
	if (reading->failure != DIAG_OK)
		log_text(log, "code", slice_of(diag_name(reading->failure)));
	if (reading->outcome == OUTCOME_READ) {
		/* What a document lists, and what has changed in it. */
		static const char *const names[DELTA_KINDS] = {"added",
		    "removed", "returned", "redated", "gone", "now_refused",
		    "now_accepted", "left", "back"};

		log_text(log, "kind",
		    slice_of(document_kind_name(reading->content.kind)));
		log_number(
		    log, "entries", (int64_t)reading->content.merge.entries);
		if (reading->content.merge.refused > 0)
			log_number(log, "refused",
			    (int64_t)reading->content.merge.refused);
		for (int i = 0; i < DELTA_KINDS; i++)
			if (reading->content.merge.changes[i] > 0)
				log_number(log, names[i],
				    (int64_t)reading->content.merge.changes[i]);
		if (!reading->content.is_complete)
			log_number(log, "partial", 1);
	}
	log_number(log, "bytes", (int64_t)reading->http.wire_bytes);
	log_number(log, "ms", reading->http.duration_ms);
	log_end(log);
}

void
daemon_log(struct log *log, int64_t now_s, const struct daemon_event *event)
{
	switch (event->kind) {
	case DAEMON_ADDED:
	case DAEMON_REMOVED:
		log_begin(log, now_s,
		    event->kind == DAEMON_ADDED ? "added" : "removed");
		log_text(log, "site", event->site);
		log_end(log);
		break;
	case DAEMON_DOCUMENT:
		daemon_log_document(log, now_s, event);
		break;
	case DAEMON_PROBLEM:
		log_begin(log, now_s, "problem");
		log_text(log, "site", event->site);
		log_text(log, "url", event->url);
		if (event->code != DIAG_OK)
			log_text(log, "code", slice_of(diag_name(event->code)));
		log_text(log, "text", event->text);
		log_end(log);
		break;
	case DAEMON_CRAWLED: {
		const struct run_totals *totals = event->totals;
		enum verdict most;
		uint64_t refused = totals_refused(totals, &most);

		log_begin(log, now_s, event->next_s == 0 ? "crawled" : "lost");
		log_text(log, "site", event->site);
		log_number(log, "read", (int64_t)totals->read);
		log_number(log, "unchanged",
		    (int64_t)(totals->unchanged + totals->already));
		log_number(log, "failed", (int64_t)totals->failed);
		log_number(log, "refused", (int64_t)totals->refused);
		log_number(log, "entries", (int64_t)totals->listed);
		if (refused > 0)
			log_number(log, "entries_refused", (int64_t)refused);
		if (event->next_s != 0)
			log_time(log, "next", event->next_s);
		log_end(log);
	} break;
	case DAEMON_CLOCK:
		log_begin(log, now_s, "clock");
		log_number(log, "jump_s", event->jump_s);
		log_end(log);
		break;
	}
}
