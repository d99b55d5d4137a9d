/* The daemon: the sites of the watch list, and which are to be crawled whole.
 */
#include "crawler/daemon/daemon_sites.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/site_crawl.h"
#include "sched/positions.h"
#include "store/aside.h"
#include "store/site.h"
#include "store/watch.h"

/* R-76 asks for patience with hosts in trouble; a week for those that are gone
 * for good. */
#define AGAIN_S 900
#define AGAIN_OFTEN_S 3600 /* at most, whatever the operator wants */
#define AGAIN_MOST_S (7 * 86400)
/* What was found is lost when nothing of it was read for so long; that is
 * looked at no more often than so. */
#define LOST_S 86400
#define LOOK_S 3600
#define ASIDE_LOOK_S 900 /* whether it is set aside any more */
#define MAX_TRIES SITE_CRAWL_TRIES /* 900 s << 10 is more than a week */

/* again_s(site): how long nothing is asked of it, however often it is lost; an
 * operator who wants it read more often than that has his way, up to once an
 * hour. */
static int64_t
again_s(const struct daemon_site *site)
{
	int64_t again_s = (int64_t)AGAIN_S << (site->tries - 1);
	int64_t most_s = AGAIN_MOST_S;

	if (site->most_s > 0 && site->most_s < most_s)
		most_s = site->most_s > AGAIN_OFTEN_S ? site->most_s
						      : AGAIN_OFTEN_S;
	return again_s > most_s ? most_s : again_s;
}

/* The heap. */

/* Those that were never tried go first, however many others are to be tried
 * again: before all plans, which reach no further than a week. */
static float
rank(const struct daemon *daemon, const struct daemon_site *site)
{
	int64_t early_s = site->tries == 0 ? 2 * (int64_t)AGAIN_MOST_S : 0;

	return (float)(daemon->base_s - site->whole_s + early_s);
}

static void
unplan(struct daemon *daemon, uint32_t number)
{
	if (daemon->positions[number] != POSITIONS_NOWHERE)
		heap_remove(&daemon->whole, daemon->positions, number);
}

void
site_plan(struct daemon *daemon, uint32_t number)
{
	const struct daemon_site *site = &daemon->sites[number];

	if (!site->is_watched || site->whole_s == NEVER_S ||
	    site->job != NULL) {
		unplan(daemon, number);
		return;
	}
	heap_put(&daemon->whole, daemon->positions,
	    (struct heap_item){.value = rank(daemon, site), .number = number});
}

uint32_t
site_next_whole(struct daemon *daemon, int64_t now_s)
{
	uint32_t number;

	if (daemon->whole.count == 0)
		return NO_SITE;
	number = daemon->whole.items[0].number;
	if (daemon->sites[number].whole_s > now_s)
		return NO_SITE;
	unplan(daemon, number);
	return number;
}

bool
site_is_aside(struct daemon *daemon, uint32_t number)
{
	struct daemon_site *site = &daemon->sites[number];
	int64_t now_s = loop_now_s(daemon->options.loop);

	if (aside_until(daemon->options.store, site->id, now_s) == 0)
		return false;
	site->whole_s = now_s + ASIDE_LOOK_S;
	site_plan(daemon, number);
	return true;
}

int64_t
site_whole_s(const struct daemon *daemon)
{
	return daemon->whole.count == 0
	    ? NEVER_S
	    : daemon->sites[daemon->whole.items[0].number].whole_s;
}

void
site_shift(struct daemon *daemon, int64_t by_s)
{
	/* The values in the heap are differences: they stay. */
	daemon->base_s -= by_s;
	for (size_t i = 0; i < daemon->site_count; i++)
		if (daemon->sites[i].whole_s != NEVER_S)
			daemon->sites[i].whole_s -= by_s;
}

/* keep(daemon, site): what is to be known after a restart. */
static void
keep(struct daemon *daemon, const struct daemon_site *site)
{
	struct site_crawl crawl = {.whole_s = site->whole_s,
	    .lost_s = site->lost_s,
	    .tries = site->tries};
	struct watch watch;

	if (!store_watch_get(daemon->options.store, site->id, &watch))
		return;
	site_crawl_put(daemon->options.store, &watch, &crawl);
	watch_release(&watch);
}

/* take_row(daemon, number, watch, now_s): what the list says of that site. */
static void
take_row(struct daemon *daemon, uint32_t number, const struct watch *watch,
    int64_t now_s)
{
	struct daemon_site *site = &daemon->sites[number];
	struct site_crawl crawl;

	if (site->is_watched != watch->is_watched)
		daemon->counts.sites += watch->is_watched ? 1 : UINT64_MAX;
	site->is_watched = watch->is_watched;
	site->most_s = watch->every_most_s;
	if (!watch->is_watched) {
		unplan(daemon, number);
		return;
	}
	if (!site_crawl_get(daemon->options.store, watch, &crawl))
		crawl = (struct site_crawl){.whole_s = now_s};
	else if (crawl.whole_s != NEVER_S &&
	    crawl.whole_s > now_s + AGAIN_MOST_S)
		crawl.whole_s = now_s; /* the clock was another one */
	site->tries = crawl.tries;
	site->whole_s = crawl.whole_s;
	site->lost_s = crawl.lost_s;
	site_plan(daemon, number);
}

static uint32_t
add(struct daemon *daemon, int64_t site_id)
{
	uint32_t number = (uint32_t)daemon->site_count;

	daemon->sites = mem_grow(daemon->sites, &daemon->site_cap,
	    daemon->site_count + 1, sizeof(*daemon->sites));
	daemon->positions = mem_grow(daemon->positions, &daemon->position_cap,
	    daemon->site_count + 1, sizeof(*daemon->positions));
	daemon->site_count++;
	daemon->sites[number] = (struct daemon_site){
	    .id = site_id, .whole_s = NEVER_S};
	daemon->positions[number] = POSITIONS_NOWHERE;
	idmap_put(&daemon->by_site, site_id, number);
	return number;
}

struct loading {
	struct daemon *daemon;
	int64_t now_s;
};

static void
load(void *arg, const struct watch *watch)
{
	const struct loading *loading = arg;

	take_row(loading->daemon, add(loading->daemon, watch->site_id), watch,
	    loading->now_s);
}

void
daemon_sites_load(struct daemon *daemon, int64_t now_s)
{
	struct loading loading = {daemon, now_s};

	store_each_watch(daemon->options.store, load, &loading);
}

void
daemon_sites_release(struct daemon *daemon)
{
	heap_release(&daemon->whole);
	idmap_release(&daemon->by_site);
	free(daemon->sites);
	free(daemon->positions);
}

uint32_t
site_of(struct daemon *daemon, int64_t site_id, int64_t now_s)
{
	uint32_t number = idmap_get(&daemon->by_site, site_id);
	struct watch watch;

	if (number != IDMAP_NONE)
		return number;
	if (!store_watch_get(daemon->options.store, site_id, &watch))
		return NO_SITE;
	number = add(daemon, site_id);
	take_row(daemon, number, &watch, now_s);
	watch_release(&watch);
	return number;
}

/* tell_change(daemon, number, watch): that it came, or went. */
static void
tell_change(struct daemon *daemon, const struct watch *watch)
{
	struct daemon_event event = {
	    .kind = watch->is_watched ? DAEMON_ADDED : DAEMON_REMOVED,
	    .site = slice_of(watch->host)};

	daemon->options.event(daemon->options.arg, &event);
}

void
daemon_watch_changed(struct daemon *daemon, int64_t site_id)
{
	int64_t now_s = loop_now_s(daemon->options.loop);
	uint32_t number;
	const struct daemon_site *site;
	struct watch watch;
	bool was_watched;

	if (!store_watch_get(daemon->options.store, site_id, &watch))
		return;
	number = idmap_get(&daemon->by_site, site_id);
	was_watched = number != IDMAP_NONE && daemon->sites[number].is_watched;
	if (number == IDMAP_NONE)
		number = add(daemon, site_id);
	take_row(daemon, number, &watch, now_s);
	site = &daemon->sites[number];
	/* It may be at other targets than those that hold now. */
	if (site->job != NULL && (!watch.is_watched || site->job->is_whole))
		job_drop(site->job);
	if (watch.is_watched != was_watched)
		tell_change(daemon, &watch);
	watch_release(&watch);
	daemon_wake(daemon);
}

int64_t
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
	site->whole_s = is_found ? NEVER_S : now_s + again_s(site);
	keep(daemon, site);
	site_plan(daemon, number);
	return is_found ? 0 : site->whole_s;
}

void
site_failed(struct daemon *daemon, uint32_t number, int64_t now_s)
{
	struct daemon_site *site = &daemon->sites[number];
	struct site_totals totals;

	if (site->whole_s != NEVER_S ||
	    (now_s >= site->looked_s && now_s - site->looked_s < LOOK_S))
		return;
	site->looked_s = now_s;
	store_site_totals(daemon->options.store, site->id, &totals);
	if (now_s - totals.last_read_s < LOST_S)
		return;
	site->whole_s = now_s;
	site_plan(daemon, number);
}
