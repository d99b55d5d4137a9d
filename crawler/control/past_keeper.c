/* Keeping the past of sites. */
#include "crawler/control/past_keeper.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/selection.h"
#include "crawler/control/crawler.h"
#include "crawler/event/loop.h"
#include "crawler/events/past.h"
#include "store/past.h"
#include "store/site.h"
#include "store/site_tally.h"
#include "store/store.h"

#define SLICE_MS 20
#define BUSY_MS 500 /* until the next look while something waits */
#define ROUND_MS (10 * 60 * INT64_C(1000))
#define SITES_AT_ONCE 100 /* in a COMMIT */

struct past_keeper {
	struct crawler *crawler;
	struct loop_timer *timer; /* owned */
	struct strings hosts; /* owned; of the sites of this round */
	size_t at; /* the next of them */
};

/* Keep that of a site, unless it lists more pages; false: nothing is new. */
static bool
keep(struct store *store, const struct options *options, const char *host,
    uint64_t most, int64_t now_s)
{
	const struct options *own = options_of_site(options, slice_of(host));
	int64_t id = store_site_find(store, slice_of(host));

	return store_site_numbers(store, id, false).listed <= most &&
	    past_keep(store, id,
		&(struct events_span){.now_s = now_s,
		    .sections = own->sections.rules,
		    .renamings = own->moves.renamings});
}

static void
past_keeper_turn(void *arg)
{
	struct past_keeper *keeper = arg;
	struct crawler *crawler = keeper->crawler;
	const struct strings *hosts = &keeper->hosts;
	int64_t begin_ms = loop_now_ms(crawler->loop);
	bool is_new = false;

	if (store_pending(crawler->store)) {
		loop_timer_set(keeper->timer, BUSY_MS);
		return;
	}
	loop_doing(crawler->loop, "the past of sites");
	if (hosts->count == 0)
		store_each_site(
		    crawler->store, 0, selection_add_host, &keeper->hosts);
	while (keeper->at < hosts->count &&
	    loop_now_ms(crawler->loop) - begin_ms < SLICE_MS)
		is_new |= keep(crawler->store, crawler->options,
		    hosts->items[keeper->at++], PAST_KEEPER_PAGES,
		    loop_now_s(crawler->loop));
	if (is_new)
		(void)run_commit(crawler->run);
	if (keeper->at < hosts->count) {
		/* others have as much time as this */
		loop_timer_set(
		    keeper->timer, loop_now_ms(crawler->loop) - begin_ms + 1);
		return;
	}
	strings_release(&keeper->hosts);
	keeper->at = 0;
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
	strings_release(&keeper->hosts);
	free(keeper);
}

void
past_keep_read(struct store *store, const struct options *options,
    int64_t after_id, int64_t now_s, past_keep_step_fn *step, void *arg)
{
	struct strings hosts = {0};
	bool goes_on = true;

	store_each_site(store, after_id, selection_add_host, &hosts);
	for (size_t at = 0; goes_on && at < hosts.count;) {
		(void)keep(store, options, hosts.items[at++],
		    after_id > 0 ? PAST_KEEPER_PAGES : UINT64_MAX, now_s);
		if (at % SITES_AT_ONCE != 0 && at < hosts.count)
			continue;
		goes_on = store_flush(store) == DIAG_OK &&
		    (step == NULL || step(arg, at, hosts.count));
	}
	strings_release(&hosts);
}
