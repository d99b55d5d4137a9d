/* Readings asked for and paid, with true parameters: a document is read when
 * that is worth the price of a request (scheduling.md, "Readings"). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/valued.h"

/* A document is looked at this often at least: its pages have changed. */
#define EVALUATION_DAYS 0.25
/* Readings take so much of the budget at most, saved up for so long: their
 * worth ignores that what they show must be fetched, too. */
#define SHARE 0.5
#define SAVED_DAYS 1

void
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

void
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

/* What a page adds to the worth of reading its document. */
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

/* is_affordable(valued, now_s, cost): has so much been saved, or all that may
 * be? */
static bool
is_affordable(struct valued *valued, int64_t now_s, double cost)
{
	struct valued_reads *reads = valued->reads;
	double per_day = SHARE * valued->baseline.setup.requests_per_day;
	double most = per_day * SAVED_DAYS;

	reads->saved += per_day * (double)(now_s - reads->saved_s) /
	    BASELINE_DAY_S;
	reads->saved = fmin(reads->saved, most);
	reads->saved_s = now_s;
	return reads->saved >= fmin(cost, most);
}

bool
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
		days = gains_when(&reads->gains[number],
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

void
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

void
valued_reads_fetched(struct valued *valued, int64_t now_s, uint32_t page)
{
	if (valued->reads != NULL)
		set_gain(valued, now_s, page);
}
