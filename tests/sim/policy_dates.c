/* What many crawlers do with lastmod: pages whose date has moved since their
 * last fetch come first, the others in turn. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/baseline.h"
#include "tests/sim/policies.h"

/* NEVER_FETCHED puts pages before all that were fetched.  NONE, in `pending`:
 * the date of the page has not moved. */
#define NEVER_FETCHED -1e12
#define NONE NAN

struct dates {
	struct baseline baseline; /* all pages that exist, in turn */
	struct ranking moved; /* pages whose date has moved */
	double *pending; /* owned; by page: its key in `moved`, while held */
	double turn;
};

static void *
dates_new(const struct sim_setup *setup)
{
	struct dates *dates = mem_zero(sizeof(*dates));

	baseline_init(&dates->baseline, setup);
	dates->pending = mem_zero(
	    (setup->history->page_count + 1) * sizeof(double));
	return dates;
}

static void
dates_free(void *arg)
{
	struct dates *dates = arg;

	baseline_release(&dates->baseline);
	ranking_release(&dates->moved);
	free(dates->pending);
	free(dates);
}

static void
dates_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct dates *dates = arg;

	if (is_fetched)
		dates->baseline.fetched_s[page] = now_s;
	ranking_put(&dates->baseline.order, page,
	    dates->turn++ + (is_fetched ? 0 : NEVER_FETCHED));
}

/* The date of the page is later than its last fetch; or the page has a date and
 * was never fetched. */
static bool
is_pending(const struct dates *dates, const struct sim_move *move)
{
	if (!move->is_document && move->kind == SIM_NEW)
		return move->lastmod_s != HISTORY_NO_DATE &&
		    dates->baseline.fetched_s[move->number] == BASELINE_NEVER;
	return baseline_signal(&dates->baseline, move);
}

static void
dates_signal(struct dates *dates, const struct sim_move *move)
{
	uint32_t page = move->number;
	bool is_held = ranking_find(&dates->baseline.held, page) != NULL;
	bool is_known = is_held ? !isnan(dates->pending[page])
				: ranking_find(&dates->moved, page) != NULL;

	if (is_known)
		return;
	if (is_held)
		dates->pending[page] = dates->turn++;
	else
		ranking_put(&dates->moved, page, dates->turn++);
}

static void
dates_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct dates *dates = arg;

	(void)now_s;
	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		if (baseline_returned(&dates->baseline, move))
			ranking_put(&dates->baseline.order, move->number,
			    dates->turn++);
		if (is_pending(dates, move))
			dates_signal(dates, move);
	}
}

static void
dates_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct dates *dates = arg;
	const struct ranking_item *moved = ranking_find(&dates->moved, page);

	if (outcome == SIM_FAILED) {
		dates->pending[page] = moved != NULL ? moved->key : NONE;
		baseline_hold(&dates->baseline, now_s, page);
	}
	ranking_remove(&dates->moved, page);
	(void)baseline_seen(&dates->baseline, now_s, page, outcome);
	if (outcome == SIM_DEAD)
		ranking_remove(&dates->baseline.order, page);
	else if (outcome != SIM_FAILED)
		ranking_put(&dates->baseline.order, page, dates->turn++);
}

static void
wake_all(struct dates *dates, int64_t now_s)
{
	uint32_t page = baseline_wake(&dates->baseline, now_s);

	while (page != HISTORY_NONE) {
		if (!isnan(dates->pending[page]))
			ranking_put(&dates->moved, page, dates->pending[page]);
		page = baseline_wake(&dates->baseline, now_s);
	}
}

static bool
dates_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct dates *dates = arg;
	const struct ranking_item *first;

	wake_all(dates, now_s);
	first = ranking_first(&dates->moved);
	if (first == NULL)
		return baseline_next(&dates->baseline, request);
	*request = (struct sim_request){.number = first->number};
	return true;
}

const struct sim_policy policy_lastmod_changed = {
    .name = "lastmod-changed",
    .text = "pages whose lastmod moved first, then round robin",
    .knows = SIM_KNOWS_NOTHING,
    .new = dates_new,
    .free = dates_free,
    .page = dates_page,
    .reading = dates_reading,
    .outcome = dates_outcome,
    .next = dates_next,
};
