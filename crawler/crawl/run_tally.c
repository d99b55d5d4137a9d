/* The driver: the numbers of entries that sites list. */
#include "crawler/crawl/run_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/event/loop.h"
#include "store/reach.h"
#include "store/site.h"
#include "store/site_tally.h"

#define TALLY_MS 4 /* time in one round of the loop */
#define STEP_WORK 1000 /* about this many microseconds */
/* A site with no more entries than these is counted at once, which takes some
 * ten milliseconds. */
#define SMALL_ENTRIES 50000
/* After all due sites were counted, the next count begins this much later, so
 * that several readings of a site are counted together. */
#define PAUSE_MS 1000

void
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
	int64_t now_ms = loop_now_ms(run->options.loop);
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

bool
tally_step(struct run *run, enum diag_code *failure)
{
	struct run_tally *tally = &run->tally;
	int64_t end_ms = loop_now_ms(run->options.loop) + TALLY_MS;

	*failure = DIAG_OK;
	while (loop_now_ms(run->options.loop) < end_ms) {
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
			loop_now_ms(run->options.loop) < end_ms))
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

bool
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

void
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
