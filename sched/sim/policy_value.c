/*
 * Index policies with true parameters: the page whose fetch is worth most goes
 * first.  GREEDY ignores signals, GREEDY-CIS believes each moved date, and
 * GREEDY-NCIS knows how far dates can be believed.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/bounds.h"
#include "sched/sim/policies.h"
#include "sched/sim/valued.h"

static double
tau_of(const struct valued *valued, int64_t now_s, uint32_t page)
{
	return baseline_tau(&valued->baseline, now_s, page);
}

static struct value_evidence
evidence_of(const struct valued *valued, int64_t now_s, uint32_t page)
{
	return (struct value_evidence){
	    .tau = tau_of(valued, now_s, page), .moves = valued->moves[page]};
}

static double
worth(void *arg, int64_t now_s, uint32_t page)
{
	const struct valued *valued = arg;
	struct value_evidence evidence = evidence_of(valued, now_s, page);

	if (valued->baseline.fetched_s[page] == BASELINE_NEVER)
		return value_limit(&valued->rates[page]);
	if (valued->is_lite)
		return value_lite(&valued->rates[page], &evidence);
	return value_exact(&valued->rates[page], &evidence);
}

static double
days_until(void *arg, int64_t now_s, uint32_t page, double enough)
{
	const struct valued *valued = arg;
	struct value_evidence evidence = evidence_of(valued, now_s, page);

	return value_when(&valued->rates[page], &evidence, enough);
}

static const struct by_worth_calls calls = {worth, days_until};

/* What the policy takes for true at this time. */
static void
take_rates(struct valued *valued, int64_t now_s)
{
	const struct history *history = valued->baseline.setup.history;
	bool uses_dates = valued->belief != BELIEVES_NO_DATE;

	valued->turn_s = INT64_MAX;
	for (size_t i = 0; i < history->document_count; i++) {
		int64_t turn_s = history->documents[i].turn_s;
		if (turn_s > now_s && turn_s < valued->turn_s)
			valued->turn_s = turn_s;
	}
	for (uint32_t i = 0; i < history->page_count; i++) {
		struct value_rates rates = known_rates(
		    &valued->known, i, now_s, uses_dates);
		if (valued->belief == BELIEVES_ALL) {
			/* no move is false: recall x changes are seen */
			rates.gamma *= 1 - rates.q;
			rates.q = 0;
		}
		valued->rates[i] = rates;
	}
}

static struct valued *
valued_new(const struct sim_setup *setup, enum valued_belief belief)
{
	struct valued *valued = mem_zero(sizeof(*valued));
	size_t count = setup->history->page_count;
	struct bounds_problem problem = {
	    .page_count = count, .requests_per_day = setup->requests_per_day};

	baseline_init(&valued->baseline, setup);
	known_init(&valued->known, setup->history);
	valued->belief = belief;
	valued->moves = mem_zero(count + 1);
	valued->rates = mem_alloc((count + 1) * sizeof(*valued->rates));
	take_rates(valued, setup->history->begin_s);
	problem.pages = valued->rates;
	by_worth_init(
	    &valued->queue, setup, bounds_blind(&problem, NULL).price);
	valued->queue.calls = &calls;
	valued->queue.arg = valued;
	return valued;
}

static void
valued_free(void *arg)
{
	struct valued *valued = arg;

	valued_reads_release(valued);
	baseline_release(&valued->baseline);
	known_release(&valued->known);
	by_worth_release(&valued->queue);
	free(valued->rates);
	free(valued->moves);
	free(valued);
}

static void
valued_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct valued *valued = arg;

	if (is_fetched)
		valued->baseline.fetched_s[page] = now_s;
	by_worth_put(&valued->queue, now_s, page);
}

static void
valued_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct valued *valued = arg;

	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		bool is_back = !move->is_document && move->kind != SIM_GONE &&
		    !by_worth_has(&valued->queue, move->number);
		bool is_signal = valued->belief != BELIEVES_NO_DATE &&
		    baseline_signal(&valued->baseline, move);
		if (is_signal && valued->moves[move->number] < UINT8_MAX)
			valued->moves[move->number]++;
		if (is_signal || is_back)
			by_worth_put(&valued->queue, now_s, move->number);
	}
	valued_reads_seen(valued, now_s, reading);
}

static void
valued_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct valued *valued = arg;

	if (!baseline_seen(&valued->baseline, now_s, page, outcome)) {
		/* Left alone for a while, and worth what it was. */
		by_worth_remove(&valued->queue, page);
		ranking_put(&valued->queue.asleep, page,
		    (double)(now_s + BASELINE_RETRY_S));
		return;
	}
	valued->moves[page] = 0;
	if (outcome == SIM_DEAD)
		by_worth_remove(&valued->queue, page);
	else
		by_worth_put(&valued->queue, now_s, page);
	valued_reads_fetched(valued, now_s, page);
}

static void
begin_tick(struct valued *valued, int64_t now_s)
{
	if (now_s >= valued->turn_s) {
		take_rates(valued, now_s);
		for (uint32_t i = 0;
		     i < valued->baseline.setup.history->page_count; i++)
			if (by_worth_has(&valued->queue, i))
				by_worth_put(&valued->queue, now_s, i);
	}
	by_worth_begin(&valued->queue, now_s);
}

static bool
valued_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct valued *valued = arg;

	*request = (struct sim_request){0};
	begin_tick(valued, now_s);
	if (valued_reads_next(valued, now_s, &request->number)) {
		request->is_document = true;
		return true;
	}
	return by_worth_next(&valued->queue, &request->number);
}

static void *
greedy_new(const struct sim_setup *setup)
{
	return valued_new(setup, BELIEVES_NO_DATE);
}

static void *
greedy_cis_new(const struct sim_setup *setup)
{
	return valued_new(setup, BELIEVES_ALL);
}

static void *
greedy_ncis_new(const struct sim_setup *setup)
{
	struct valued *valued = valued_new(setup, BELIEVES_TRUTH);

	if (setup->reads_documents)
		valued_reads_init(valued);
	return valued;
}

static void *
greedy_lite_new(const struct sim_setup *setup)
{
	struct valued *valued = greedy_ncis_new(setup);

	valued->is_lite = true;
	return valued;
}

#define BY_VALUE                                                             \
	.free = valued_free, .page = valued_page, .reading = valued_reading, \
	.outcome = valued_outcome, .next = valued_next

const struct sim_policy policy_greedy = {
    BY_VALUE,
    .name = "greedy",
    .text = "the best value, with true rates and without signals",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES,
    .new = greedy_new,
};

const struct sim_policy policy_greedy_cis = {
    BY_VALUE,
    .name = "greedy-cis",
    .text = "the best value, with true rates; believes every lastmod",
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_DATES,
    .new = greedy_cis_new,
};

const struct sim_policy policy_greedy_ncis = {
    BY_VALUE,
    .name = "greedy-ncis",
    .text = "the best value, with true rates and true honesty of dates",
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_DATES,
    .reads = true,
    .new = greedy_ncis_new,
};

const struct sim_policy policy_greedy_lite = {
    BY_VALUE,
    .name = "greedy-ncis-lite",
    .text = "the same by the short formula",
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_DATES,
    .reads = true,
    .new = greedy_lite_new,
};
