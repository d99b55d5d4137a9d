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

#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/daemon/daemon_sites.h"
#include "crawler/event/loop.h"
#include "crawler/frontier/frontier.h"
#include "store/prune.h"
#include "store/site_tally.h"
#include "store/store.h"
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

struct job {
	struct daemon *daemon;
	struct job *next, *before;
	uint32_t site; /* of daemon_sites */
	uint32_t crawl; /* of the driver */
	bool is_whole; /* from the targets of the site */
	bool has_failed; /* a document could not be read */
	struct asked *asked; /* owned; documents that are not read yet */
	size_t count, cap;
};

struct daemon {
	struct daemon_options options;
	struct daemon_counts counts;
	struct loop_timer *turn, *commit; /* owned */
	struct daemon_sites *sites; /* owned */
	struct job *jobs; /* owned */
	struct crawled *crawled; /* owned; the last one first */
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

static void
report_event(struct daemon *daemon, struct daemon_event *event, uint32_t site)
{
	struct watch watch;
	bool is_known = store_watch_get(daemon->options.store,
	    daemon_site_at(daemon->sites, site)->id, &watch);

	if (is_known)
		event->site = slice_of(watch.host);
	daemon->options.event(daemon->options.arg, event);
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

	const struct finding *dropped = findings_get(
	    &reading->content.findings, DIAG_MASS_DROP);
	const struct finding *changed = findings_get(
	    &reading->content.findings, DIAG_VERDICT_CHANGED);

	(void)profile;
	if (event.why == NULL)
		event.why = job->is_whole ? "crawl" : "robots";
	report_event(daemon, &event, job->site);
	if (dropped != NULL)
		job_on_problem(job, dropped->code, url,
		    slice_of(dropped->samples[0].text));
	if (changed != NULL)
		job_on_problem(job, changed->code, url,
		    slice_of(changed->samples[0].text));
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
	int64_t now_s = loop_now_s(daemon->options.loop);
	struct watch watch;

	(void)job_forget(arg, document_id);
	frontier_document_back(daemon->options.frontier, document_id, now_s);
	if (!store_watch_get(daemon->options.store,
		daemon_site_at(daemon->sites, job->site)->id, &watch))
		return;
	(void)frontier_hold(daemon->options.frontier, slice_of(watch.host),
	    now_s + SPARE_S, now_s, "spared");
	watch_release(&watch);
}

/* Free a job; documents that were not read may be read by another one. */
static void
job_free(struct job *job)
{
	struct daemon *daemon = job->daemon;

	if (job->before != NULL)
		job->before->next = job->next;
	else
		daemon->jobs = job->next;
	if (job->next != NULL)
		job->next->before = job->before;
	daemon->job_count--;
	daemon->whole_count -= job->is_whole;
	for (size_t i = 0; i < job->count; i++)
		frontier_document_back(daemon->options.frontier,
		    job->asked[i].document_id,
		    loop_now_s(daemon->options.loop));
	daemon->asked -= (unsigned)job->count;
	daemon_site_at(daemon->sites, job->site)->job = NULL;
	site_plan(daemon->sites, job->site);
	free(job->asked);
	free(job);
}

static void
daemon_count(struct daemon_counts *counts, const struct run_totals *totals)
{
	counts->read += totals->read;
	counts->unchanged += totals->unchanged + totals->already;
	counts->failed += totals->failed;
	counts->refused += totals->refused;
	counts->partial += totals->partial;
	counts->refused_children += totals->refused_children;
	counts->lost += totals->lost_targets;
	counts->is_over_budget |= totals->is_over_budget;
}

static void
job_on_done(void *arg)
{
	struct job *job = arg;
	struct daemon *daemon = job->daemon;
	const struct run_totals *totals = run_totals(
	    daemon->options.run, job->crawl);

	daemon_count(&daemon->counts, totals);
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
		crawled->next_s = site_crawled(daemon->sites, job->site,
		    is_found, loop_now_s(daemon->options.loop));
		daemon->crawled = crawled;
		daemon->counts.crawls++;
	}
	/* only now, since other documents may have been read meanwhile */
	else if (job->has_failed)
		site_failed(
		    daemon->sites, job->site, loop_now_s(daemon->options.loop));
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
	job->crawl = run_crawl(daemon->options.run, &crawl);
	job->next = daemon->jobs;
	if (job->next != NULL)
		job->next->before = job;
	daemon->jobs = job;
	daemon->job_count++;
	daemon->whole_count += is_whole;
	assert(daemon_site_at(daemon->sites, site)->job == NULL);
	daemon_site_at(daemon->sites, site)->job = job;
	/* A site has one job at a time: it is not crawled whole meanwhile. */
	site_plan(daemon->sites, site);
	return job;
}

/* Crawl a site from its targets. */
static void
job_whole(struct daemon *daemon, uint32_t site)
{
	struct job *job;
	struct watch watch;
	size_t good = 0;

	if (!store_watch_get(daemon->options.store,
		daemon_site_at(daemon->sites, site)->id, &watch))
		return;
	if (site_waits(daemon->sites, site, slice_of(watch.host),
		loop_now_s(daemon->options.loop))) {
		watch_release(&watch);
		return;
	}
	job = job_new(daemon, site, true);
	/* targets were checked when they were added to the list */
	for (size_t i = 0; i < watch.targets.count; i++)
		good += run_target(daemon->options.run, job->crawl,
			    slice_of(watch.targets.items[i])) == DIAG_OK;
	if (good == 0)
		(void)run_target(
		    daemon->options.run, job->crawl, slice_of(watch.host));
	watch_release(&watch);
	run_start(daemon->options.run, job->crawl);
}

/* Drop a job whose site or targets have changed. */
static void
job_drop(struct job *job)
{
	run_drop(job->daemon->options.run, job->crawl);
	job_free(job);
}

/* The turn. */

/* With is_once: was the document asked for before?  Then everything that was
 * due has been asked for.  Documents that a whole crawl may read do not
 * count. */
static bool
daemon_is_again(struct daemon *daemon, uint32_t site,
    const struct frontier_document *document)
{
	const struct job *job = daemon_site_at(daemon->sites, site)->job;

	if (!daemon->options.is_once)
		return false;
	if (idmap_get(&daemon->seen, document->id) == IDMAP_NONE) {
		if (job == NULL || !job->is_whole)
			idmap_put(&daemon->seen, document->id, 0);
		return false;
	}
	daemon->has_seen_all = true;
	return true;
}

static bool
daemon_has_room(const struct daemon *daemon)
{
	return daemon->asked < daemon->options.max_documents &&
	    daemon->job_count < daemon->options.max_sites &&
	    !daemon->has_seen_all;
}

static void
take_documents(struct daemon *daemon, int64_t now_s)
{
	struct frontier_document document;

	while (daemon_has_room(daemon) &&
	    frontier_next_document(
		daemon->options.frontier, now_s, &document)) {
		uint32_t site = daemon_site_find(
		    daemon->sites, document.site_id, now_s);

		if (site == NO_SITE ||
		    daemon_is_again(daemon, site, &document)) {
			frontier_document_back(
			    daemon->options.frontier, document.id, now_s);
			break;
		}
		/* Read a document, in the job of its site if there is one. */
		struct job *job = daemon_site_at(daemon->sites, site)->job;
		bool is_new = job == NULL;

		if (is_new)
			job = job_new(daemon, site, false);
		job->asked = mem_grow(
		    job->asked, &job->cap, job->count + 1, sizeof(*job->asked));
		job->asked[job->count++] = (struct asked){
		    document.id, document.why};
		daemon->asked++;
		/* A whole crawl reads the document anyway; documents that it
		 * does not reach are given back when it ends. */
		if (!job->is_whole)
			run_document(
			    daemon->options.run, job->crawl, document.id);
		if (is_new)
			run_start(daemon->options.run, job->crawl);
	}
}

int64_t
daemon_next_s(struct daemon *daemon, int64_t now_s)
{
	int64_t next_s = NEVER_S;

	if (daemon_has_room(daemon))
		next_s = frontier_next_document_s(
		    daemon->options.frontier, now_s);
	if (daemon->job_count < daemon->options.max_sites &&
	    site_whole_s(daemon->sites) < next_s)
		next_s = site_whole_s(daemon->sites);
	return next_s;
}

/* Let the store shorten its log.  Every commit and every heartbeat calls
 * this. */
static void
daemon_rest(struct daemon *daemon)
{
	int64_t now_ms = loop_now_ms(daemon->options.loop);

	if (now_ms < daemon->rest_ms || store_pending(daemon->options.store))
		return;
	daemon->rest_ms = now_ms + REST_MS;
	(void)store_rest(daemon->options.store);
}

static void
daemon_turn(void *arg)
{
	struct daemon *daemon = arg;
	int64_t now_s = loop_now_s(daemon->options.loop);
	int64_t wait_ms = HEARTBEAT_MS;
	int64_t due_s, over_s;
	unsigned most = daemon->options.max_sites;
	uint32_t site;
	bool is_behind;

	/* Has the wall clock moved by another time than the monotonic clock?
	 * What is planned goes by the loop's time, which never goes back. */
	int64_t wall_s = loop_wall_s(daemon->options.loop);
	int64_t now_ms = loop_now_ms(daemon->options.loop);
	int64_t jump_s = wall_s - daemon->last_s -
	    (now_ms - daemon->last_ms) / 1000;
	struct daemon_event event = {.kind = DAEMON_CLOCK, .jump_s = jump_s};

	daemon->last_s = wall_s;
	daemon->last_ms = now_ms;
	if (jump_s >= JUMP_S || jump_s <= -JUMP_S) {
		daemon->prune_ms = now_ms + PRUNE_FIRST_MS;
		daemon->options.event(daemon->options.arg, &event);
	}

	loop_doing(daemon->options.loop, "readings for the scheduler");
	is_behind = frontier_sync(daemon->options.frontier, now_s);
	daemon->options.synced(daemon->options.arg);
	/* the driver notices a failed store only when it has something to
	 * commit */
	if (!daemon->is_stopped &&
	    store_failed(daemon->options.store) != DIAG_OK) {
		daemon->is_stopped = true;
		daemon->options.over(daemon->options.arg);
	}
	if (!daemon->is_stopped) {
		loop_doing(daemon->options.loop, "sites that are due");
		/* A quarter of the jobs is kept for documents, even if the list
		 * has 100,000 dead sites. */
		while (daemon->whole_count < most - most / 4 &&
		    daemon->job_count < most &&
		    (site = site_next_whole(daemon->sites, now_s)) != NO_SITE)
			job_whole(daemon, site);
		loop_doing(daemon->options.loop, "documents that are due");
		take_documents(daemon, now_s);
	}
	loop_doing(daemon->options.loop, "what was learned");
	daemon_save(daemon);
	if (store_pending(daemon->options.store))
		loop_timer_set(daemon->commit, COMMIT_MS);
	daemon_rest(daemon);
	if (daemon->is_stopped)
		return;
	if (is_behind) {
		loop_timer_set(daemon->turn, BEHIND_MS);
		return;
	}
	due_s = daemon_next_s(daemon, now_s);
	over_s = frontier_hold_over_s(daemon->options.frontier);
	/* With is_once: is nothing under way, and nothing due? */
	if (daemon->options.is_once && daemon->job_count == 0 &&
	    daemon->crawled == NULL &&
	    (daemon->has_seen_all || due_s > now_s + ONCE_S)) {
		/* the driver counts within a second or two */
		if (store_untallied(daemon->options.store, 0) != 0) {
			loop_timer_set(daemon->turn, SOON_MS);
			return;
		}
		daemon->is_stopped = true;
		daemon->options.over(daemon->options.arg);
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

	/* if the commit fails, the driver stops the loop */
	if (!run_commit(daemon->options.run))
		return;
	/* Report the whole crawls that are committed. */
	struct crawled *crawled = daemon->crawled;

	daemon->crawled = NULL;
	while (crawled != NULL) {
		struct crawled *next = crawled->next;
		struct daemon_event event = {.kind = DAEMON_CRAWLED,
		    .totals = &crawled->totals,
		    .next_s = crawled->next_s};

		report_event(daemon, &event, crawled->site);
		free(crawled);
		crawled = next;
	}

	/* Prune some of the readings that are too old; everything is committed.
	 */
	int64_t now_ms = loop_now_ms(daemon->options.loop);

	if (daemon->options.keep_s != 0 && now_ms >= daemon->prune_ms) {
		daemon->prune_ms = now_ms + PRUNE_MS;
		loop_doing(daemon->options.loop, "readings that are too old");
		daemon->pruned_id = store_prune_some(daemon->options.store,
		    loop_now_s(daemon->options.loop) - daemon->options.keep_s,
		    daemon->pruned_id);
	}

	daemon_rest(daemon);
	if (daemon->options.is_once)
		daemon_wake(daemon);
}

/* The interface. */

struct daemon *
daemon_new(const struct daemon_options *options)
{
	struct daemon *daemon = mem_zero(sizeof(*daemon));

	daemon->options = *options;
	daemon->turn = loop_timer_new(options->loop, daemon_turn, daemon);
	daemon->commit = loop_timer_new(options->loop, commit, daemon);
	daemon->last_s = loop_wall_s(options->loop);
	daemon->last_ms = loop_now_ms(options->loop);
	daemon->prune_ms = daemon->last_ms + PRUNE_FIRST_MS;
	daemon->rest_ms = daemon->last_ms + REST_MS;
	daemon->sites = daemon_sites_new(
	    options->store, &daemon->counts.sites, loop_now_s(options->loop));
	daemon_wake(daemon);
	return daemon;
}

void
daemon_free(struct daemon *daemon)
{
	if (daemon == NULL)
		return;
	daemon_stop(daemon);
	while (daemon->crawled != NULL) {
		struct crawled *next = daemon->crawled->next;

		free(daemon->crawled);
		daemon->crawled = next;
	}
	loop_timer_free(daemon->turn);
	loop_timer_free(daemon->commit);
	idmap_release(&daemon->seen);
	daemon_sites_free(daemon->sites);
	free(daemon);
}

void
daemon_watch_changed(struct daemon *daemon, int64_t site_id)
{
	struct daemon_event event;
	const struct daemon_site *site;
	struct watch watch;
	bool was_watched;

	if (!store_watch_get(daemon->options.store, site_id, &watch))
		return;
	site = daemon_site_at(daemon->sites,
	    daemon_site_changed(daemon->sites, &watch,
		loop_now_s(daemon->options.loop), &was_watched));
	/* the job may crawl targets that the site does not have any more */
	if (site->job != NULL && (!watch.is_watched || site->job->is_whole))
		job_drop(site->job);
	if (watch.is_watched != was_watched) {
		event = (struct daemon_event){
		    .kind = watch.is_watched ? DAEMON_ADDED : DAEMON_REMOVED,
		    .site = slice_of(watch.host)};
		daemon->options.event(daemon->options.arg, &event);
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
daemon_save(struct daemon *daemon)
{
	frontier_save(daemon->options.frontier);
}

void
daemon_stop(struct daemon *daemon)
{
	daemon->is_stopped = true;
	while (daemon->jobs != NULL)
		job_drop(daemon->jobs);
}

const struct daemon_counts *
daemon_counts(const struct daemon *daemon)
{
	return &daemon->counts;
}
