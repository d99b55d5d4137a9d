/*
 * Plans made beforehand from known rates: each page is fetched at a rate of its
 * own (sched/sim/rates.h), in even steps or at random times.
 *
 * The page with the earliest planned time is fetched next, whatever the time
 * is, and its next time counts from the planned one.  So all of the budget is
 * spent, and pages are fetched at the planned rates, to within a tick.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/baseline.h"
#include "sched/sim/known.h"
#include "sched/sim/policies.h"
#include "sched/sim/random.h"
#include "sched/sim/rates.h"

struct paced {
	struct baseline baseline; /* by the time of the next fetch, in days */
	struct known known;
	double *per_day; /* owned; by page */
	double *chances; /* owned; of a fetch at a move; NULL, or < 0: none */
	double *times; /* owned; planned, of the last fetch, in days */
	struct random random;
	int64_t turn_s; /* the truth about some dates changes: plan again */
	bool is_even;
};

enum plan {
	PLAN_PROPORTIONAL,
	PLAN_WEIGHT,
	PLAN_CHO,
	PLAN_AZAR,
	PLAN_LAMBDA,
	PLAN_LAMBDA_MIXED,
};

static void
make_plan(
    struct paced *paced, const struct bounds_problem *problem, enum plan plan)
{
	switch (plan) {
	case PLAN_PROPORTIONAL:
		rates_proportional(problem, paced->per_day);
		break;
	case PLAN_WEIGHT:
		rates_weight(problem, paced->per_day);
		break;
	case PLAN_CHO:
		(void)bounds_blind(problem, paced->per_day);
		break;
	case PLAN_AZAR:
		rates_azar(problem, paced->per_day);
		break;
	case PLAN_LAMBDA:
		rates_lambda(problem, paced->per_day);
		break;
	case PLAN_LAMBDA_MIXED:
		free(paced->chances);
		paced->chances = mem_alloc(
		    (problem->page_count + 1) * sizeof(double));
		rates_lambda_mixed(problem, paced->per_day, paced->chances);
		break;
	}
}

/* plan_all(paced, now_s, plan): plan all pages by the truth about dates at
 * now_s. */
static void
plan_all(struct paced *paced, int64_t now_s, enum plan plan)
{
	const struct history *history = paced->baseline.setup.history;
	size_t count = history->page_count;
	struct value_rates *rates = mem_alloc((count + 1) * sizeof(*rates));
	struct bounds_problem problem = {.pages = rates,
	    .page_count = count,
	    .requests_per_day = paced->baseline.setup.requests_per_day};

	for (uint32_t i = 0; i < count; i++)
		rates[i] = known_rates(
		    &paced->known, i, now_s, plan == PLAN_LAMBDA_MIXED);
	make_plan(paced, &problem, plan);
	free(rates);
	paced->turn_s = INT64_MAX;
	for (size_t i = 0; i < history->document_count; i++) {
		int64_t turn_s = history->documents[i].turn_s;
		if (turn_s > now_s && turn_s < paced->turn_s)
			paced->turn_s = turn_s;
	}
}

static struct paced *
paced_new(const struct sim_setup *setup, enum plan plan, bool is_even)
{
	struct paced *paced = mem_zero(sizeof(*paced));
	const struct history *history = setup->history;
	size_t count = history->page_count;

	baseline_init(&paced->baseline, setup);
	known_init(&paced->known, history);
	random_init(&paced->random, setup->seed, 2);
	paced->per_day = mem_zero((count + 1) * sizeof(double));
	paced->times = mem_zero((count + 1) * sizeof(double));
	paced->is_even = is_even;
	plan_all(paced, history->begin_s, plan);
	return paced;
}

static void
paced_free(void *arg)
{
	struct paced *paced = arg;

	baseline_release(&paced->baseline);
	known_release(&paced->known);
	free(paced->per_day);
	free(paced->chances);
	free(paced->times);
	free(paced);
}

static double
days_of(const struct paced *paced, int64_t t_s)
{
	return (double)(t_s - paced->baseline.setup.history->begin_s) /
	    BASELINE_DAY_S;
}

/* plan_next(paced, page, share): plan the next fetch, one step after the
 * planned time of the last one; of an even step, only this share. */
static void
plan_next(struct paced *paced, uint32_t page, double share)
{
	double step = paced->is_even ? share
				     : random_exponential(&paced->random);

	if (!(paced->per_day[page] > 0)) {
		ranking_remove(&paced->baseline.order, page);
		return;
	}
	paced->times[page] += step / paced->per_day[page];
	ranking_put(&paced->baseline.order, page, paced->times[page]);
}

static void
paced_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct paced *paced = arg;

	paced->times[page] = days_of(paced, now_s);
	if (!is_fetched) {
		ranking_put(&paced->baseline.order, page, paced->times[page]);
		return;
	}
	paced->baseline.fetched_s[page] = now_s;
	plan_next(paced, page, random_unit(&paced->random));
}

static void
paced_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct paced *paced = arg;

	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		uint32_t page = move->number;
		if (paced->chances != NULL && !move->is_document &&
		    paced->chances[page] >= 0) {
			if (baseline_signal(&paced->baseline, move) &&
			    random_unit(&paced->random) < paced->chances[page])
				ranking_put(
				    &paced->baseline.order, page, -INFINITY);
			continue;
		}
		if (!baseline_returned(&paced->baseline, move))
			continue;
		paced->times[page] = days_of(paced, now_s);
		plan_next(paced, page, random_unit(&paced->random));
	}
}

static void
paced_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct paced *paced = arg;

	if (!baseline_seen(&paced->baseline, now_s, page, outcome)) {
		baseline_hold(&paced->baseline, now_s, page);
		return;
	}
	if (outcome == SIM_DEAD)
		ranking_remove(&paced->baseline.order, page);
	else
		plan_next(paced, page, 1);
}

/* The truth about the dates of some documents has changed. */
static void
plan_again(struct paced *paced, int64_t now_s)
{
	size_t count = paced->baseline.setup.history->page_count;
	bool *waited = mem_alloc((count + 1) * sizeof(*waited));

	for (size_t i = 0; i < count; i++)
		waited[i] = paced->chances[i] >= 0;
	plan_all(paced, now_s, PLAN_LAMBDA_MIXED);
	for (uint32_t i = 0; i < count; i++) {
		bool waits = paced->chances[i] >= 0;
		if (waits == waited[i] ||
		    paced->baseline.fetched_s[i] == BASELINE_NEVER)
			continue;
		ranking_remove(&paced->baseline.order, i);
		if (waits)
			continue;
		paced->times[i] = days_of(paced, now_s);
		plan_next(paced, i, random_unit(&paced->random));
	}
	free(waited);
}

static bool
paced_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct paced *paced = arg;

	while (baseline_wake(&paced->baseline, now_s) != HISTORY_NONE)
		continue;
	if (paced->chances != NULL && now_s >= paced->turn_s)
		plan_again(paced, now_s);
	return baseline_next(&paced->baseline, request);
}

static void *
proportional_new(const struct sim_setup *setup)
{
	return paced_new(setup, PLAN_PROPORTIONAL, true);
}

static void *
weight_new(const struct sim_setup *setup)
{
	return paced_new(setup, PLAN_WEIGHT, true);
}

static void *
cho_new(const struct sim_setup *setup)
{
	return paced_new(setup, PLAN_CHO, true);
}

static void *
azar_new(const struct sim_setup *setup)
{
	return paced_new(setup, PLAN_AZAR, false);
}

static void *
lambda_new(const struct sim_setup *setup)
{
	return paced_new(setup, PLAN_LAMBDA_MIXED, false);
}

static void *
lambda_even_new(const struct sim_setup *setup)
{
	return paced_new(setup, PLAN_LAMBDA, true);
}

#define PACED                                                             \
	.free = paced_free, .page = paced_page, .reading = paced_reading, \
	.outcome = paced_outcome, .next = paced_next

const struct sim_policy policy_proportional = {
    PACED,
    .name = "proportional",
    .text = "as often as it changes",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES,
    .new = proportional_new,
};

const struct sim_policy policy_weight = {
    PACED,
    .name = "by-weight",
    .text = "as often as it is important",
    .ignores_dates = true,
    .knows = SIM_KNOWS_NOTHING,
    .new = weight_new,
};

const struct sim_policy policy_cho = {
    PACED,
    .name = "cho",
    .text = "the optimum of Cho and Garcia-Molina without signals",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES,
    .new = cho_new,
};

const struct sim_policy policy_azar = {
    PACED,
    .name = "azar",
    .text = "BinaryLambdaCrawl of Azar et al.: the best random times",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES,
    .new = azar_new,
};

const struct sim_policy policy_lambda = {
    PACED,
    .name = "lambdacrawl",
    .text = "LambdaCrawl of Kolobov et al., right dates as notices",
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_DATES,
    .new = lambda_new,
};

const struct sim_policy policy_lambda_even = {
    PACED,
    .name = "lambdacrawl-even",
    .text = "LambdaCrawl's rates without signals, evenly spaced",
    .ignores_dates = true,
    .knows = SIM_KNOWS_RATES,
    .new = lambda_even_new,
};
