/* A policy that knows each change beforehand. */
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/baseline.h"
#include "tests/sim/policies.h"
#include "tests/sim/sim_truth.h"

struct oracle {
	struct baseline baseline; /* stale pages, the best first */
	struct ranking coming; /* alive pages by their next change */
	struct sim_truth truth;
	/* owned; by page: the next change, an index in the truth */
	size_t *next;
	struct sim_truth removals; /* when each page leaves its document */
	size_t *next_removal; /* owned; by page: likewise, in `removals` */
	bool *is_listed; /* owned; by page, as readings say */
	bool *is_stale; /* owned; by page */
};

static void *
oracle_new(const struct sim_setup *setup)
{
	struct oracle *oracle = mem_zero(sizeof(*oracle));
	size_t count = setup->history->page_count;

	baseline_init(&oracle->baseline, setup);
	sim_truth_init(&oracle->truth, setup->history);
	sim_truth_removals(&oracle->removals, setup->history);
	oracle->next = mem_alloc((count + 1) * sizeof(*oracle->next));
	oracle->next_removal = mem_alloc(
	    (count + 1) * sizeof(*oracle->next_removal));
	oracle->is_listed = mem_zero(count + 1);
	oracle->is_stale = mem_zero(count + 1);
	for (size_t i = 0; i < count; i++) {
		oracle->next[i] = oracle->truth.first[i];
		oracle->next_removal[i] = oracle->removals.first[i];
	}
	return oracle;
}

static void
oracle_free(void *arg)
{
	struct oracle *oracle = arg;

	baseline_release(&oracle->baseline);
	ranking_release(&oracle->coming);
	sim_truth_release(&oracle->truth);
	sim_truth_release(&oracle->removals);
	free(oracle->next);
	free(oracle->next_removal);
	free(oracle->is_listed);
	free(oracle->is_stale);
	free(oracle);
}

static int64_t
next_change_s(const struct oracle *oracle, uint32_t page)
{
	if (oracle->next[page] >= oracle->truth.first[page + 1])
		return oracle->baseline.setup.history->end_s;
	return oracle->truth.changes_s[oracle->next[page]];
}

/* When a page that is listed now leaves its document. */
static int64_t
next_removal_s(struct oracle *oracle, int64_t now_s, uint32_t page)
{
	const struct sim_truth *removals = &oracle->removals;
	size_t *next = &oracle->next_removal[page];

	while (*next < removals->first[page + 1] &&
	    removals->changes_s[*next] <= now_s)
		++*next;
	return *next < removals->first[page + 1]
	    ? removals->changes_s[*next]
	    : oracle->baseline.setup.history->end_s;
}

/* The value of a fetch of a stale page now; time in which the page is not
 * listed does not count. */
static double
worth(struct oracle *oracle, int64_t now_s, uint32_t page)
{
	double weight = oracle->baseline.setup.history->pages[page].weight;
	int64_t change_s = next_change_s(oracle, page);
	int64_t removal_s = next_removal_s(oracle, now_s, page);

	return weight *
	    (double)((change_s < removal_s ? change_s : removal_s) - now_s);
}

/* A page may be asked for while it is stale and listed. */
static void
place(struct oracle *oracle, int64_t now_s, uint32_t page)
{
	if (oracle->is_stale[page] && oracle->is_listed[page])
		ranking_put(
		    &oracle->baseline.order, page, -worth(oracle, now_s, page));
	else
		ranking_remove(&oracle->baseline.order, page);
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
		oracle->is_stale[page] = true;
		place(oracle, now_s, page);
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
	oracle->is_stale[page] = !is_fetched;
	oracle->is_listed[page] = true;
	place(oracle, now_s, page);
}

static void
oracle_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct oracle *oracle = arg;

	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];

		if (move->is_document || move->kind == SIM_MOVED)
			continue;
		oracle->is_listed[move->number] = move->kind == SIM_NEW;
		place(oracle, now_s, move->number);
	}
}

/* The policy knows when pages end and return, so it never gives up a stale
 * page. */
static void
oracle_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct oracle *oracle = arg;

	if (outcome == SIM_FAILED)
		return;
	oracle->is_stale[page] = false;
	place(oracle, now_s, page);
}

/* The time until the next change has become shorter since the page was put into
 * the order, so the first page is evaluated again until it stays the first. */
static bool
oracle_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct oracle *oracle = arg;
	const struct ranking_item *first;

	pass(oracle, now_s);
	for (;;) {
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

const struct sim_policy policy_clairvoyant = {
    .name = "clairvoyant",
    .text = "knows each change beforehand; the longest lasting first",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_TRUTH,
    .new = oracle_new,
    .free = oracle_free,
    .page = oracle_page,
    .reading = oracle_reading,
    .outcome = oracle_outcome,
    .next = oracle_next,
};
