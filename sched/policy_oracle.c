/* Policies that are told the truth as it happens, or beforehand. */
#include <stdlib.h>

#include "base/mem.h"
#include "sched/baseline.h"
#include "sched/known.h"
#include "sched/policies.h"
#include "sched/sim_truth.h"

struct oracle {
	struct baseline baseline; /* stale pages, the best first */
	struct ranking coming; /* alive pages by their next change */
	struct sim_truth truth;
	struct known known;
	size_t *next; /* owned; by page: the change to come, of the truth */
	bool knows_future; /* how long a fetch will be worth something */
};

static struct oracle *
oracle_new(const struct sim_setup *setup, bool knows_future)
{
	struct oracle *oracle = mem_zero(sizeof(*oracle));
	size_t count = setup->history->page_count;

	baseline_init(&oracle->baseline, setup);
	sim_truth_init(&oracle->truth, setup->history);
	known_init(&oracle->known, setup->history);
	oracle->next = mem_alloc((count + 1) * sizeof(*oracle->next));
	for (size_t i = 0; i < count; i++)
		oracle->next[i] = oracle->truth.first[i];
	oracle->knows_future = knows_future;
	return oracle;
}

static void *
signals_new(const struct sim_setup *setup)
{
	return oracle_new(setup, false);
}

static void *
clairvoyant_new(const struct sim_setup *setup)
{
	return oracle_new(setup, true);
}

static void
oracle_free(void *arg)
{
	struct oracle *oracle = arg;

	baseline_release(&oracle->baseline);
	ranking_release(&oracle->coming);
	sim_truth_release(&oracle->truth);
	known_release(&oracle->known);
	free(oracle->next);
	free(oracle);
}

static int64_t
next_change_s(const struct oracle *oracle, uint32_t page)
{
	if (oracle->next[page] >= oracle->truth.first[page + 1])
		return oracle->baseline.setup.history->end_s;
	return oracle->truth.changes_s[oracle->next[page]];
}

/* What a fetch of a stale page is worth now. */
static double
worth(const struct oracle *oracle, int64_t now_s, uint32_t page)
{
	double weight = oracle->baseline.setup.history->pages[page].weight;
	double changes = oracle->known.changes_per_day[page];

	if (oracle->knows_future)
		return weight * (double)(next_change_s(oracle, page) - now_s);
	return changes > 0 ? weight / changes : weight * 1e9;
}

/* Pages that have changed by now become stale. */
static void
pass(struct oracle *oracle, int64_t now_s)
{
	for (;;) {
		const struct ranking_item *first = ranking_first(
		    &oracle->coming);
		uint32_t page;
		if (first == NULL || first->key > (double)now_s)
			return;
		page = first->number;
		while (oracle->next[page] < oracle->truth.first[page + 1] &&
		    next_change_s(oracle, page) <= now_s)
			oracle->next[page]++;
		ranking_put(
		    &oracle->baseline.order, page, -worth(oracle, now_s, page));
		if (oracle->next[page] < oracle->truth.first[page + 1])
			ranking_put(&oracle->coming, page,
			    (double)next_change_s(oracle, page));
		else
			ranking_remove(&oracle->coming, page);
	}
}

static void
oracle_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct oracle *oracle = arg;

	while (oracle->next[page] < oracle->truth.first[page + 1] &&
	    next_change_s(oracle, page) <= now_s)
		oracle->next[page]++;
	if (oracle->next[page] < oracle->truth.first[page + 1])
		ranking_put(
		    &oracle->coming, page, (double)next_change_s(oracle, page));
	if (!is_fetched)
		ranking_put(
		    &oracle->baseline.order, page, -worth(oracle, now_s, page));
}

/* Knows when pages end and return: stale pages are never given up. */
static void
oracle_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct oracle *oracle = arg;

	(void)now_s;
	if (outcome != SIM_FAILED)
		ranking_remove(&oracle->baseline.order, page);
}

/* What is left of the time until the next change has shrunk since it was put:
 * look again until the first is still the first. */
static bool
oracle_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct oracle *oracle = arg;
	const struct ranking_item *first;

	pass(oracle, now_s);
	while (oracle->knows_future) {
		uint32_t page;
		double key;
		first = ranking_first(&oracle->baseline.order);
		if (first == NULL)
			return false;
		page = first->number;
		key = -worth(oracle, now_s, page);
		if (key <= first->key)
			break;
		ranking_put(&oracle->baseline.order, page, key);
	}
	return baseline_next(&oracle->baseline, request);
}

const struct sim_policy policy_perfect_signals = {
    .name = "perfect-signals",
    .text = "is told each change at once; the best by weight and rate",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_TRUTH,
    .new = signals_new,
    .free = oracle_free,
    .page = oracle_page,
    .outcome = oracle_outcome,
    .next = oracle_next,
};

const struct sim_policy policy_clairvoyant = {
    .name = "clairvoyant",
    .text = "knows each change beforehand; the longest lasting first",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_TRUTH,
    .new = clairvoyant_new,
    .free = oracle_free,
    .page = oracle_page,
    .outcome = oracle_outcome,
    .next = oracle_next,
};
