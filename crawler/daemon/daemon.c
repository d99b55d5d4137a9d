/*
 * The daemon's core.
 *
 *	turn -> catch up -> sites to be crawled whole -> documents -> save
 *	  ^                                                             |
 *	  +---- something was committed, or the next thing is due <-----+
 */
#include "crawler/daemon/daemon.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/daemon/daemon_sites.h"
#include "crawler/event/loop.h"
#include "crawler/frontier/frontier_hosts.h"
#include "store/prune.h"
#include "store/store.h"
#include "store/watch.h"

#define COMMIT_MS 20 /* DESIGN 7 */
/* Wall time is looked at so often, at least: a machine that was suspended
 * has a monotonic clock that was, too. */
#define HEARTBEAT_MS 300000
#define SOON_MS                                                       \
	50 /* the frontier counts seconds, and may be early by a part \
	    */
#define JUMP_S 60 /* clocks are set right by less all the time */
/* Old readings are forgotten little by little; not at once after a start or a
 * leap of the clock, which may be wrong. */
#define FORGET_MS 60000
#define FORGET_FIRST_MS 3600000
#define REST_MS 60000 /* the store's log is cut as often, at most */
#define ONCE_S 10 /* what is due by then is due now */

void
daemon_tell(struct daemon *daemon, struct daemon_event *event, uint32_t site)
{
	struct watch watch;
	bool is_known = store_watch_get(
	    daemon->options.store, daemon->sites[site].id, &watch);

	if (is_known)
		event->site = slice_of(watch.host);
	daemon->options.event(daemon->options.arg, event);
	if (is_known)
		watch_release(&watch);
}

/* look_at_clock(daemon, now_s): has it moved by more than the time that went
 * by?  What was planned for later comes no later for a clock that was put
 * back. */
static void
look_at_clock(struct daemon *daemon, int64_t now_s)
{
	int64_t now_ms = loop_now_ms(daemon->options.loop);
	int64_t jump_s = now_s - daemon->last_s -
	    (now_ms - daemon->last_ms) / 1000;
	struct daemon_event event = {.kind = DAEMON_CLOCK, .jump_s = jump_s};

	daemon->last_s = now_s;
	daemon->last_ms = now_ms;
	if (jump_s < JUMP_S && jump_s > -JUMP_S)
		return;
	daemon->forget_ms = now_ms + FORGET_FIRST_MS;
	if (jump_s < 0)
		site_shift(daemon, -jump_s);
	daemon->options.event(daemon->options.arg, &event);
}

/* crawl_whole(daemon, now_s): sites that are new go before documents; some
 * room is kept for these, whoever puts 100,000 dead sites on the list. */
static void
crawl_whole(struct daemon *daemon, int64_t now_s)
{
	unsigned most = daemon->options.max_sites -
	    daemon->options.max_sites / 4;
	uint32_t site;

	while (daemon->whole_count < most &&
	    daemon->job_count < daemon->options.max_sites &&
	    (site = site_next_whole(daemon, now_s)) != NO_SITE)
		job_whole(daemon, site);
}

/* is_again(daemon, site, document): with is_once, was it asked for before?
 * Then all that was due has been.  A crawl may come to it, or not. */
static bool
is_again(struct daemon *daemon, uint32_t site,
    const struct frontier_document *document)
{
	const struct job *job = daemon->sites[site].job;

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
has_room(const struct daemon *daemon)
{
	return daemon->asked < daemon->options.max_documents &&
	    daemon->job_count < daemon->options.max_sites &&
	    !daemon->has_seen_all;
}

static void
take_documents(struct daemon *daemon, int64_t now_s)
{
	struct frontier_document document;

	while (has_room(daemon) &&
	    frontier_next_document(
		daemon->options.frontier, now_s, &document)) {
		uint32_t site = site_of(daemon, document.site_id, now_s);

		if (site == NO_SITE || is_again(daemon, site, &document)) {
			frontier_document_back(
			    daemon->options.frontier, document.id, now_s);
			break;
		}
		job_document(daemon, site, &document);
	}
}

/* next_s(daemon, now_s): when there is more to do than wait. */
static int64_t
next_s(struct daemon *daemon, int64_t now_s)
{
	int64_t next_s = NEVER_S;

	if (has_room(daemon))
		next_s = frontier_next_document_s(
		    daemon->options.frontier, now_s);
	if (daemon->job_count < daemon->options.max_sites &&
	    site_whole_s(daemon) < next_s)
		next_s = site_whole_s(daemon);
	return next_s;
}

static void
plan_turn(struct daemon *daemon, int64_t next_s, int64_t now_s)
{
	int64_t wait_ms = HEARTBEAT_MS;

	if (next_s < now_s + HEARTBEAT_MS / 1000)
		wait_ms = next_s > now_s ? (next_s - now_s) * 1000 : SOON_MS;
	loop_timer_set(daemon->turn, wait_ms);
}

/* is_over(daemon, next_s, now_s): with is_once, is nothing under way, nor due?
 */
static bool
is_over(const struct daemon *daemon, int64_t next_s, int64_t now_s)
{
	return daemon->options.is_once && daemon->job_count == 0 &&
	    daemon->crawled == NULL &&
	    (daemon->has_seen_all || next_s > now_s + ONCE_S);
}

/* rest(daemon): the store's log is cut little by little, whoever wrote it;
 * each commit and each heartbeat comes by here. */
static void
rest(struct daemon *daemon)
{
	int64_t now_ms = loop_now_ms(daemon->options.loop);

	if (now_ms < daemon->rest_ms || store_pending(daemon->options.store))
		return;
	daemon->rest_ms = now_ms + REST_MS;
	(void)store_rest(daemon->options.store);
}

static void
turn(void *arg)
{
	struct daemon *daemon = arg;
	int64_t now_s = loop_now_s(daemon->options.loop);
	int64_t due_s, over_s;

	look_at_clock(daemon, now_s);
	loop_doing(daemon->options.loop, "readings for the scheduler");
	frontier_sync(daemon->options.frontier, now_s);
	daemon->options.synced(daemon->options.arg);
	/* The run would see it, if it had something to do. */
	if (!daemon->is_stopped &&
	    store_failed(daemon->options.store) != DIAG_OK) {
		daemon->is_stopped = true;
		daemon->options.over(daemon->options.arg);
	}
	if (!daemon->is_stopped) {
		loop_doing(daemon->options.loop, "sites that are due");
		crawl_whole(daemon, now_s);
		loop_doing(daemon->options.loop, "documents that are due");
		take_documents(daemon, now_s);
	}
	loop_doing(daemon->options.loop, "what was learned");
	daemon_save(daemon);
	if (store_pending(daemon->options.store))
		loop_timer_set(daemon->commit, COMMIT_MS);
	rest(daemon);
	if (daemon->is_stopped)
		return;
	due_s = next_s(daemon, now_s);
	over_s = frontier_hold_over_s(daemon->options.frontier);
	if (is_over(daemon, due_s, now_s)) {
		daemon->is_stopped = true;
		daemon->options.over(daemon->options.arg);
		return;
	}
	plan_turn(daemon, over_s < due_s ? over_s : due_s, now_s);
}

/* forget(daemon): some of what is older than it is kept; all is committed. */
static void
forget(struct daemon *daemon)
{
	int64_t now_ms = loop_now_ms(daemon->options.loop);

	if (daemon->options.keep_s == 0 || now_ms < daemon->forget_ms)
		return;
	daemon->forget_ms = now_ms + FORGET_MS;
	loop_doing(daemon->options.loop, "readings that are too old");
	daemon->forgot_id = store_prune_some(daemon->options.store,
	    loop_now_s(daemon->options.loop) - daemon->options.keep_s,
	    daemon->forgot_id);
}

static void
commit(void *arg)
{
	struct daemon *daemon = arg;

	/* If it fails, the run stops the loop. */
	if (!run_commit(daemon->options.run))
		return;
	job_tell(daemon);
	forget(daemon);
	rest(daemon);
	if (daemon->options.is_once)
		daemon_wake(daemon);
}

struct daemon *
daemon_new(const struct daemon_options *options)
{
	struct daemon *daemon = mem_zero(sizeof(*daemon));

	daemon->options = *options;
	daemon->turn = loop_timer_new(options->loop, turn, daemon);
	daemon->commit = loop_timer_new(options->loop, commit, daemon);
	daemon->last_s = loop_now_s(options->loop);
	daemon->last_ms = loop_now_ms(options->loop);
	daemon->forget_ms = daemon->last_ms + FORGET_FIRST_MS;
	daemon->rest_ms = daemon->last_ms + REST_MS;
	daemon->base_s = daemon->last_s;
	daemon_sites_load(daemon, daemon->last_s);
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
	daemon_sites_release(daemon);
	free(daemon);
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
