/* The sites of the watch list: see daemon_sites.h. */
#include "crawler/daemon/daemon_sites.h"

#include <stdlib.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "sched/heap.h"
#include "sched/positions.h"
#include "store/aside.h"
#include "store/hold.h"
#include "store/site.h"
#include "store/watch.h"

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

struct daemon_sites {
	struct store *store;
	uint64_t *watched;
	struct daemon_site *items; /* owned */
	uint32_t *positions; /* owned; by site: in the heap, see sched/heap.h */
	size_t count, cap, position_cap;
	struct idmap by_site; /* id -> number */
	struct heap whole; /* sites to be crawled whole; the next one first */
	int64_t base_s; /* the heap's values are differences to this time */
};

struct daemon_site *
daemon_site_at(const struct daemon_sites *sites, uint32_t site)
{
	return &sites->items[site];
}

/* Plans. */

/* How long a lost site is left alone. */
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

/* Sites that were never crawled come before all planned ones, whose plans
 * reach no further than a week; the others have their turn in the order of
 * their plans. */
static float
site_rank(const struct daemon_sites *sites, const struct daemon_site *site)
{
	int64_t early_s = site->tries == 0 ? 2 * (int64_t)AGAIN_MOST_S : 0;

	return (float)(sites->base_s - site->whole_s + early_s);
}

static struct heap_words
words_of(const struct daemon_sites *sites)
{
	return (struct heap_words){sites->positions, POSITIONS_QUEUED};
}

static void
unplan(struct daemon_sites *sites, uint32_t number)
{
	if (sites->positions[number] != POSITIONS_NOWHERE)
		heap_remove(&sites->whole, words_of(sites), number);
}

void
site_plan(struct daemon_sites *sites, uint32_t number)
{
	const struct daemon_site *site = &sites->items[number];

	if (!site->is_watched || site->whole_s == NEVER_S ||
	    site->job != NULL) {
		unplan(sites, number);
		return;
	}
	heap_put(&sites->whole, words_of(sites),
	    (struct heap_item){
		.value = site_rank(sites, site), .number = number});
}

uint32_t
site_next_whole(struct daemon_sites *sites, int64_t now_s)
{
	uint32_t number;

	if (sites->whole.count == 0)
		return NO_SITE;
	number = sites->whole.items[0].number;
	if (sites->items[number].whole_s > now_s)
		return NO_SITE;
	unplan(sites, number);
	return number;
}

bool
site_waits(struct daemon_sites *sites, uint32_t number, struct slice host,
    int64_t now_s)
{
	struct daemon_site *site = &sites->items[number];
	struct hold_times held = store_hold_get(sites->store, host);
	int64_t wait_s = store_hold_left_s(sites->store, &held, now_s);

	if (wait_s == 0 && aside_until(sites->store, site->id, now_s) == 0)
		return false;
	if (wait_s == 0 || wait_s > ASIDE_LOOK_S)
		wait_s = ASIDE_LOOK_S;
	site->whole_s = now_s + wait_s;
	site_plan(sites, number);
	return true;
}

int64_t
site_whole_s(const struct daemon_sites *sites)
{
	return sites->whole.count == 0
	    ? NEVER_S
	    : sites->items[sites->whole.items[0].number].whole_s;
}

/* The watch list. */

/* Take over a row of the watch list, and what was saved of crawls. */
static void
take_row(struct daemon_sites *sites, uint32_t number, const struct watch *watch,
    int64_t now_s)
{
	struct daemon_site *site = &sites->items[number];
	struct site_crawl crawl;

	if (site->is_watched != watch->is_watched)
		*sites->watched += watch->is_watched ? 1 : UINT64_MAX;
	site->is_watched = watch->is_watched;
	site->most_s = watch->every_most_s;
	if (!watch->is_watched) {
		unplan(sites, number);
		return;
	}
	if (!site_crawl_get(sites->store, watch, &crawl))
		crawl = (struct site_crawl){.whole_s = now_s};
	else if (crawl.whole_s != NEVER_S &&
	    crawl.whole_s > now_s + AGAIN_MOST_S)
		crawl.whole_s = now_s; /* the clock was put back */
	site->tries = crawl.tries;
	site->whole_s = crawl.whole_s;
	site->lost_s = crawl.lost_s;
	site_plan(sites, number);
}

static uint32_t
site_add(struct daemon_sites *sites, int64_t site_id)
{
	uint32_t number = (uint32_t)sites->count;

	sites->items = mem_grow(
	    sites->items, &sites->cap, sites->count + 1, sizeof(*sites->items));
	sites->positions = mem_grow(sites->positions, &sites->position_cap,
	    sites->count + 1, sizeof(*sites->positions));
	sites->count++;
	sites->items[number] = (struct daemon_site){
	    .id = site_id, .whole_s = NEVER_S};
	sites->positions[number] = POSITIONS_NOWHERE;
	idmap_put(&sites->by_site, site_id, number);
	return number;
}

struct site_loading {
	struct daemon_sites *sites;
	int64_t now_s;
};

static void
sites_load(void *arg, const struct watch *watch)
{
	const struct site_loading *loading = arg;

	take_row(loading->sites, site_add(loading->sites, watch->site_id),
	    watch, loading->now_s);
}

struct daemon_sites *
daemon_sites_new(struct store *store, uint64_t *watched, int64_t now_s)
{
	struct daemon_sites *sites = mem_zero(sizeof(*sites));
	struct site_loading loading = {sites, now_s};

	sites->store = store;
	sites->watched = watched;
	sites->base_s = now_s;
	store_each_watch(store, sites_load, &loading);
	return sites;
}

void
daemon_sites_free(struct daemon_sites *sites)
{
	if (sites == NULL)
		return;
	heap_release(&sites->whole);
	idmap_release(&sites->by_site);
	free(sites->items);
	free(sites->positions);
	free(sites);
}

uint32_t
daemon_site_find(struct daemon_sites *sites, int64_t site_id, int64_t now_s)
{
	uint32_t number = idmap_get(&sites->by_site, site_id);
	struct watch watch;

	if (number != IDMAP_NONE)
		return number;
	if (!store_watch_get(sites->store, site_id, &watch))
		return NO_SITE;
	number = site_add(sites, site_id);
	take_row(sites, number, &watch, now_s);
	watch_release(&watch);
	return number;
}

uint32_t
daemon_site_changed(struct daemon_sites *sites, const struct watch *watch,
    int64_t now_s, bool *was_watched)
{
	uint32_t number = idmap_get(&sites->by_site, watch->site_id);

	*was_watched = number != IDMAP_NONE && sites->items[number].is_watched;
	if (number == IDMAP_NONE)
		number = site_add(sites, watch->site_id);
	take_row(sites, number, watch, now_s);
	return number;
}

/* Crawls. */

int64_t
site_crawled(
    struct daemon_sites *sites, uint32_t number, bool is_found, int64_t now_s)
{
	struct daemon_site *site = &sites->items[number];

	if (is_found || site->tries == 0)
		site->lost_s = is_found ? 0 : now_s;
	if (is_found)
		site->tries = 0;
	else if (site->tries < MAX_TRIES)
		site->tries++;
	site->whole_s = is_found ? NEVER_S : now_s + again_s(site);
	/* Save what has to be known after a restart. */
	struct site_crawl crawl = {.whole_s = site->whole_s,
	    .lost_s = site->lost_s,
	    .tries = site->tries};
	struct watch watch;

	if (store_watch_get(sites->store, site->id, &watch)) {
		site_crawl_put(sites->store, &watch, &crawl);
		watch_release(&watch);
	}

	site_plan(sites, number);
	return is_found ? 0 : site->whole_s;
}

void
site_failed(struct daemon_sites *sites, uint32_t number, int64_t now_s)
{
	struct daemon_site *site = &sites->items[number];
	struct site_totals totals;

	if (site->whole_s != NEVER_S ||
	    (now_s >= site->looked_s && now_s - site->looked_s < LOOK_S))
		return;
	site->looked_s = now_s;
	store_site_totals(sites->store, site->id, &totals);
	if (now_s - totals.last_read_s < LOST_S)
		return;
	site->whole_s = now_s;
	site_plan(sites, number);
}
