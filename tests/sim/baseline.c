/* What the baselines share: see baseline.h. */
#include "tests/sim/baseline.h"

#include <stdlib.h>

#include "base/mem.h"

#define TAU_NEVER 365.0

void
baseline_init(struct baseline *baseline, const struct sim_setup *setup)
{
	size_t count = setup->history->page_count;

	*baseline = (struct baseline){.setup = *setup,
	    .fetched_s = mem_alloc((count + 1) * sizeof(int64_t)),
	    .kept = mem_zero((count + 1) * sizeof(double))};
	for (size_t i = 0; i < count; i++)
		baseline->fetched_s[i] = BASELINE_NEVER;
}

void
baseline_release(struct baseline *baseline)
{
	ranking_release(&baseline->order);
	ranking_release(&baseline->held);
	free(baseline->fetched_s);
	free(baseline->kept);
}

bool
baseline_next(struct baseline *baseline, struct sim_request *request)
{
	const struct ranking_item *first = ranking_first(&baseline->order);

	if (first == NULL)
		return false;
	*request = (struct sim_request){.number = first->number};
	return true;
}

void
baseline_hold(struct baseline *baseline, int64_t now_s, uint32_t page)
{
	const struct ranking_item *item = ranking_find(&baseline->order, page);

	if (item == NULL)
		return;
	baseline->kept[page] = item->key;
	ranking_remove(&baseline->order, page);
	ranking_put(&baseline->held, page, (double)(now_s + BASELINE_RETRY_S));
}

uint32_t
baseline_wake(struct baseline *baseline, int64_t now_s)
{
	const struct ranking_item *first = ranking_first(&baseline->held);
	uint32_t page;

	if (first == NULL || first->key > (double)now_s)
		return HISTORY_NONE;
	page = first->number;
	ranking_remove(&baseline->held, page);
	ranking_put(&baseline->order, page, baseline->kept[page]);
	return page;
}

bool
baseline_seen(struct baseline *baseline, int64_t now_s, uint32_t page,
    enum sim_outcome outcome)
{
	if (outcome == SIM_FAILED)
		return false;
	baseline->fetched_s[page] = now_s;
	return true;
}

bool
baseline_returned(const struct baseline *baseline, const struct sim_move *move)
{
	return !move->is_document && move->kind != SIM_GONE &&
	    ranking_find(&baseline->order, move->number) == NULL &&
	    ranking_find(&baseline->held, move->number) == NULL;
}

bool
baseline_signal(const struct baseline *baseline, const struct sim_move *move)
{
	const int64_t day_s = (int64_t)BASELINE_DAY_S;
	int64_t lastmod_s = move->lastmod_s;

	if (move->is_document || move->kind != SIM_MOVED ||
	    lastmod_s == HISTORY_NO_DATE)
		return false;
	if (move->is_day && lastmod_s < INT64_MAX - day_s)
		lastmod_s += day_s - 1;
	return lastmod_s > baseline->fetched_s[move->number];
}

double
baseline_tau(const struct baseline *baseline, int64_t now_s, uint32_t page)
{
	if (baseline->fetched_s[page] == BASELINE_NEVER)
		return TAU_NEVER;
	return (double)(now_s - baseline->fetched_s[page]) / BASELINE_DAY_S;
}
