/*
 * Each page is fetched as often as it is important, in even steps.
 *
 * The page with the earliest planned time is fetched next, whatever the time
 * is, and its next time counts from the planned one.  So all of the budget is
 * spent, and pages are fetched at the planned rates, to within a tick.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/baseline.h"
#include "tests/sim/policies.h"
#include "tests/sim/random.h"

struct weighted {
	struct baseline baseline; /* by the time of the next fetch, in days */
	double *per_day; /* owned; by page: planned fetches */
	/* owned; by page: the planned time of the last fetch, in days */
	double *times;
	struct random random;
};

static void *
weighted_new(const struct sim_setup *setup)
{
	struct weighted *weighted = mem_zero(sizeof(*weighted));
	const struct history *history = setup->history;
	size_t count = history->page_count;
	double sum = 0;

	baseline_init(&weighted->baseline, setup);
	random_init(&weighted->random, setup->seed, 2);
	weighted->per_day = mem_zero((count + 1) * sizeof(double));
	weighted->times = mem_zero((count + 1) * sizeof(double));
	for (size_t i = 0; i < count; i++) {
		weighted->per_day[i] = (double)history->pages[i].weight;
		sum += weighted->per_day[i];
	}
	for (size_t i = 0; i < count && sum > 0; i++)
		weighted->per_day[i] *= setup->requests_per_day / sum;
	return weighted;
}

static void
weighted_free(void *arg)
{
	struct weighted *weighted = arg;

	baseline_release(&weighted->baseline);
	free(weighted->per_day);
	free(weighted->times);
	free(weighted);
}

static double
weighted_days(const struct weighted *weighted, int64_t t_s)
{
	return (double)(t_s - weighted->baseline.setup.history->begin_s) /
	    BASELINE_DAY_S;
}

/* weighted_plan(weighted, page, share): plan the next fetch, this share of a
 * step after the planned time of the last one. */
static void
weighted_plan(struct weighted *weighted, uint32_t page, double share)
{
	if (!(weighted->per_day[page] > 0)) {
		ranking_remove(&weighted->baseline.order, page);
		return;
	}
	weighted->times[page] += share / weighted->per_day[page];
	ranking_put(&weighted->baseline.order, page, weighted->times[page]);
}

static void
weighted_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct weighted *weighted = arg;

	weighted->times[page] = weighted_days(weighted, now_s);
	if (!is_fetched) {
		ranking_put(
		    &weighted->baseline.order, page, weighted->times[page]);
		return;
	}
	weighted->baseline.fetched_s[page] = now_s;
	weighted_plan(weighted, page, random_unit(&weighted->random));
}

static void
weighted_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct weighted *weighted = arg;

	for (size_t i = 0; i < reading->move_count; i++) {
		uint32_t page = reading->moves[i].number;

		if (!baseline_returned(&weighted->baseline, &reading->moves[i]))
			continue;
		weighted->times[page] = weighted_days(weighted, now_s);
		weighted_plan(weighted, page, random_unit(&weighted->random));
	}
}

static void
weighted_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct weighted *weighted = arg;

	if (!baseline_seen(&weighted->baseline, now_s, page, outcome)) {
		baseline_hold(&weighted->baseline, now_s, page);
		return;
	}
	if (outcome == SIM_DEAD)
		ranking_remove(&weighted->baseline.order, page);
	else
		weighted_plan(weighted, page, 1);
}

static bool
weighted_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct weighted *weighted = arg;

	while (baseline_wake(&weighted->baseline, now_s) != HISTORY_NONE)
		continue;
	return baseline_next(&weighted->baseline, request);
}

const struct sim_policy policy_weight = {
    .name = "by-weight",
    .text = "as often as it is important",
    .ignores_dates = true,
    .knows = SIM_KNOWS_NOTHING,
    .new = weighted_new,
    .free = weighted_free,
    .page = weighted_page,
    .reading = weighted_reading,
    .outcome = weighted_outcome,
    .next = weighted_next,
};
