/*
 * The index policy with true parameters, GREEDY-NCIS: the page whose fetch is
 * worth most goes first, and the policy knows how far dates can be believed.
 */
#include "tests/sim/policies.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/value.h"
#include "tests/sim/baseline.h"
#include "tests/sim/bounds.h"
#include "tests/sim/by_worth.h"
#include "tests/sim/known.h"
#include "tests/sim/value_exact.h"

/* When documents are read, in joint mode (scheduling-formulas.md, "Readings").
 */
struct valued_reads {
	struct gains *gains; /* owned; by document */
	struct gain *page_gains; /* owned; by page */
	uint32_t *pages; /* owned; numbers, by document */
	size_t *first; /* owned; in pages, of each document */
	int64_t *read_s; /* owned; by document: the last reading */
	struct ranking due; /* documents by their next evaluation */
	double saved; /* requests that readings may cost: half of all */
	int64_t saved_s; /* when `saved` was computed */
};

struct valued {
	struct baseline baseline; /* its order is not used */
	struct known known;
	struct by_worth queue;
	struct value_rates *rates; /* owned; by page, until turn_s */
	uint8_t *moves; /* owned; by page, since its last fetch */
	struct valued_reads *reads; /* owned; NULL: readings are given */
	int64_t turn_s; /* the truth about some dates changes then */
};

/* Readings that the policy asks for, in joint mode only
 * (valued_reads_init). */

/* A document is evaluated this often at least, because its pages have changed.
 */
#define EVALUATION_DAYS 0.25
/* Readings may take this share of the budget, which may be saved up for
 * SAVED_DAYS.  Without this limit there would be too many readings, since
 * their value ignores that the pages that they show must be fetched, too. */
#define READS_SHARE 0.5
#define SAVED_DAYS 1
/* The intervals between readings that are tried. */
#define READ_DAYS_LEAST 1e-4
#define READ_DAYS_MOST 365000.0

static void
valued_reads_init(struct valued *valued)
{
	const struct history *history = valued->baseline.setup.history;
	struct valued_reads *reads = mem_zero(sizeof(*reads));
	size_t *at = mem_zero((history->document_count + 2) * sizeof(*at));

	reads->gains = mem_zero(
	    (history->document_count + 1) * sizeof(*reads->gains));
	reads->read_s = mem_alloc(
	    (history->document_count + 1) * sizeof(int64_t));
	reads->page_gains = mem_zero(
	    (history->page_count + 1) * sizeof(*reads->page_gains));
	reads->pages = mem_alloc((history->page_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < history->page_count; i++)
		at[history->pages[i].document + 2]++;
	for (size_t i = 0; i < history->document_count; i++)
		at[i + 2] += at[i + 1];
	for (size_t i = 0; i < history->page_count; i++)
		reads->pages[at[history->pages[i].document + 1]++] = (uint32_t)
		    i;
	reads->first = at;
	reads->saved_s = history->begin_s;
	for (uint32_t i = 0; i < history->document_count; i++) {
		reads->read_s[i] = history->begin_s;
		ranking_put(&reads->due, i, (double)history->begin_s);
	}
	valued->reads = reads;
}

static void
valued_reads_release(struct valued *valued)
{
	struct valued_reads *reads = valued->reads;

	if (reads == NULL)
		return;
	ranking_release(&reads->due);
	free(reads->gains);
	free(reads->page_gains);
	free(reads->pages);
	free(reads->first);
	free(reads->read_s);
	free(reads);
	valued->reads = NULL;
}

/* Set what a page adds to the value of a reading of its document. */
static void
set_gain(struct valued *valued, int64_t now_s, uint32_t page)
{
	struct valued_reads *reads = valued->reads;
	const struct value_rates *rates = &valued->rates[page];
	struct value_evidence evidence = {
	    .tau = baseline_tau(&valued->baseline, now_s, page),
	    .moves = valued->moves[page] + 1};
	uint32_t document = valued->baseline.setup.history->pages[page]
				.document;
	double gain = 0;

	if (rates->gamma > 0 && by_worth_has(&valued->queue, page))
		gain = value_exact(rates, &evidence) -
		    valued->queue.price.value;
	gains_set(&reads->gains[document], &reads->page_gains[page],
	    fmax(0, gain), rates->gamma);
}

/* is_affordable(valued, now_s, cost): has the cost been saved, or as much as
 * can be saved at most? */
static bool
is_affordable(struct valued *valued, int64_t now_s, double cost)
{
	struct valued_reads *reads = valued->reads;
	double per_day = READS_SHARE * valued->baseline.setup.requests_per_day;
	double most = per_day * SAVED_DAYS;

	reads->saved += per_day * (double)(now_s - reads->saved_s) /
	    BASELINE_DAY_S;
	reads->saved = fmin(reads->saved, most);
	reads->saved_s = now_s;
	return reads->saved >= fmin(cost, most);
}

/* After how many days the worth of a reading reaches the price; INFINITY: not
 * within 1,000 years. */
static double
reads_when(
    const struct gains *gains, const struct gains_reading *r, double price)
{
	double low = READ_DAYS_LEAST;
	double high = low;

	while (gains_worth(gains, r, high) < price) {
		if (high >= READ_DAYS_MOST)
			return INFINITY;
		low = high;
		high *= 2;
	}
	for (int i = 0; i < 8 && high > low; i++) {
		double middle = sqrt(low * high);

		if (gains_worth(gains, r, middle) < price)
			low = middle;
		else
			high = middle;
	}
	return high > READ_DAYS_LEAST ? high : 0;
}

static bool
valued_reads_next(struct valued *valued, int64_t now_s, uint32_t *document)
{
	struct valued_reads *reads = valued->reads;

	while (reads != NULL) {
		const struct ranking_item *first = ranking_first(&reads->due);
		uint32_t number;
		double days, since, cost;
		if (first == NULL || first->key > (double)now_s)
			return false;
		number = first->number;
		cost = valued->baseline.setup.history->documents[number].cost;
		since = (double)(now_s - reads->read_s[number]) /
		    BASELINE_DAY_S;
		days = reads_when(&reads->gains[number],
			   &(struct gains_reading){
			       .cost = cost, .cost_same = cost},
			   valued->queue.price.value) -
		    since;
		if (days <= 0) {
			*document = number;
			return is_affordable(valued, now_s, cost);
		}
		ranking_put(&reads->due, number,
		    (double)now_s +
			fmin(days, EVALUATION_DAYS) * BASELINE_DAY_S);
	}
	return false;
}

static void
valued_reads_seen(
    struct valued *valued, int64_t now_s, const struct sim_reading *reading)
{
	struct valued_reads *reads = valued->reads;
	uint32_t document = reading->document;

	if (reads == NULL)
		return;
	reads->read_s[document] = now_s;
	reads->saved -= reading->cost;
	for (size_t i = reads->first[document]; i < reads->first[document + 1];
	     i++)
		set_gain(valued, now_s, reads->pages[i]);
	ranking_put(&reads->due, document,
	    (double)now_s + (double)valued->baseline.setup.tick_s);
}

static void
valued_reads_fetched(struct valued *valued, int64_t now_s, uint32_t page)
{
	if (valued->reads != NULL)
		set_gain(valued, now_s, page);
}

/* Pages. */

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

/* Set the rates that the policy believes at this time. */
static void
take_rates(struct valued *valued, int64_t now_s)
{
	const struct history *history = valued->baseline.setup.history;

	valued->turn_s = INT64_MAX;
	for (size_t i = 0; i < history->document_count; i++) {
		int64_t turn_s = history->documents[i].turn_s;
		if (turn_s > now_s && turn_s < valued->turn_s)
			valued->turn_s = turn_s;
	}
	for (uint32_t i = 0; i < history->page_count; i++)
		valued->rates[i] = known_rates(&valued->known, i, now_s);
}

static void *
valued_new(const struct sim_setup *setup)
{
	struct valued *valued = mem_zero(sizeof(*valued));
	size_t count = setup->history->page_count;
	struct bounds_problem problem = {
	    .page_count = count, .requests_per_day = setup->requests_per_day};

	baseline_init(&valued->baseline, setup);
	known_init(&valued->known, setup->history);
	valued->moves = mem_zero(count + 1);
	valued->rates = mem_alloc((count + 1) * sizeof(*valued->rates));
	take_rates(valued, setup->history->begin_s);
	problem.pages = valued->rates;
	by_worth_init(
	    &valued->queue, setup, bounds_blind(&problem, NULL).price);
	valued->queue.calls = &calls;
	valued->queue.arg = valued;
	if (setup->reads_documents)
		valued_reads_init(valued);
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
		bool is_signal = baseline_signal(&valued->baseline, move);
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
		/* The page pauses; its value stays as it was. */
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

const struct sim_policy policy_greedy_ncis = {
    .name = "greedy-ncis",
    .text = "the best value, with true rates and true honesty of dates",
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_DATES,
    .reads = true,
    .new = valued_new,
    .free = valued_free,
    .page = valued_page,
    .reading = valued_reading,
    .outcome = valued_outcome,
    .next = valued_next,
};
