/* Keeping the past of sites. */
#include "crawler/control/past_keeper.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/slice.h"
#include "crawler/cli/options_sites.h"
#include "crawler/control/crawler.h"
#include "crawler/event/loop.h"
#include "crawler/events/past.h"
#include "store/document.h"
#include "store/past.h"
#include "store/store.h"

#define SLICE_MS 20
#define BUSY_MS 500 /* until the next look while something waits */
#define ROUND_MS (10 * 60 * INT64_C(1000))
#define SITES_AT_ONCE 100 /* in a COMMIT */

struct past_site {
	int64_t id;
	char *host; /* owned */
};

struct past_sites {
	struct past_site *items; /* owned */
	size_t count, cap, at;
};

struct past_keeper {
	struct crawler *crawler;
	struct loop_timer *timer; /* owned */
	struct past_sites sites; /* of this round */
};

static void
add_site(void *arg, int64_t site_id, struct slice host)
{
	struct past_sites *sites = arg;

	*MEM_PUSH(sites->items, sites->count, sites->cap) = (struct past_site){
	    site_id, slice_dup(host)};
}

static void
past_sites_release(struct past_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		free(sites->items[i].host);
	free(sites->items);
	*sites = (struct past_sites){0};
}

/* Keep that of the next site; false: it was kept already. */
static bool
keep_next(struct past_sites *sites, struct store *store,
    const struct options *options, int64_t now_s)
{
	const struct past_site *site = &sites->items[sites->at++];
	const struct options *own = options_of_site(
	    options, slice_of(site->host));

	return past_keep(store, site->id,
	    &(struct past_how){.now_s = now_s,
		.sections = own->sections.rules,
		.renamings = own->moves.renamings});
}

static void
past_keeper_turn(void *arg)
{
	struct past_keeper *keeper = arg;
	struct crawler *crawler = keeper->crawler;
	struct past_sites *sites = &keeper->sites;
	int64_t begin_ms = loop_now_ms(crawler->loop);
	bool is_new = false;

	if (store_pending(crawler->store)) {
		loop_timer_set(keeper->timer, BUSY_MS);
		return;
	}
	loop_doing(crawler->loop, "the past of sites");
	if (sites->count == 0)
		store_each_site(crawler->store, add_site, sites);
	while (sites->at < sites->count &&
	    loop_now_ms(crawler->loop) - begin_ms < SLICE_MS)
		is_new |= keep_next(sites, crawler->store, crawler->options,
		    loop_now_s(crawler->loop));
	if (is_new)
		(void)run_commit(crawler->run);
	if (sites->at < sites->count) {
		/* others have as much time as this */
		loop_timer_set(
		    keeper->timer, loop_now_ms(crawler->loop) - begin_ms + 1);
		return;
	}
	past_sites_release(sites);
	loop_timer_set(keeper->timer, ROUND_MS);
}

struct past_keeper *
past_keeper_new(struct crawler *crawler)
{
	struct past_keeper *keeper = mem_zero(sizeof(*keeper));

	keeper->crawler = crawler;
	keeper->timer = loop_timer_new(crawler->loop, past_keeper_turn, keeper);
	/* nobody waits for it */
	loop_timer_keep(keeper->timer);
	loop_timer_set(keeper->timer, BUSY_MS);
	return keeper;
}

void
past_keeper_free(struct past_keeper *keeper)
{
	if (keeper == NULL)
		return;
	loop_timer_free(keeper->timer);
	past_sites_release(&keeper->sites);
	free(keeper);
}

void
past_keep_read(struct store *store, const struct options *options,
    int64_t after_id, past_keep_step_fn *step, void *arg)
{
	struct past_sites sites = {0};
	bool goes_on = true;

	store_each_site_read(store, after_id, add_site, &sites);
	while (goes_on && sites.at < sites.count) {
		(void)keep_next(&sites, store, options, options->now_s);
		if (sites.at % SITES_AT_ONCE != 0 && sites.at < sites.count)
			continue;
		goes_on = store_flush(store) == DIAG_OK &&
		    (step == NULL || step(arg, sites.at, sites.count));
	}
	past_sites_release(&sites);
}
