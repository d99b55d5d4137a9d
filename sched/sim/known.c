/* True rates of pages. */
#include "sched/sim/known.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/history.h"
#include "sched/sim/sim_truth.h"

#define DAY_S 86400.0

int64_t *
known_births(const struct history *history)
{
	int64_t *births_s = mem_alloc(
	    (history->page_count + 1) * sizeof(*births_s));

	for (size_t i = 0; i < history->page_count; i++)
		births_s[i] = history->starts_known ? history->begin_s
						    : history->end_s;
	for (size_t i = history->event_count; i-- > 0;) {
		const struct history_event *event = &history->events[i];
		bool is_page = event->kind != HISTORY_CLAIMS_ALL &&
		    event->kind != HISTORY_CHILD_CLAIMS &&
		    event->kind != HISTORY_PUBLISHED &&
		    event->kind != HISTORY_WITHDRAWN;
		if (is_page && event->t_s < births_s[event->subject])
			births_s[event->subject] = event->t_s;
	}
	return births_s;
}

/* The rates that the history does not give. */
static void
count_changes(struct known *known)
{
	const struct history *history = known->history;
	int64_t *births_s = known_births(history);
	struct sim_truth truth;

	sim_truth_init(&truth, history);
	for (size_t i = 0; i < history->page_count; i++) {
		double days = (double)(history->end_s - births_s[i]) / DAY_S;
		double changes = (double)(truth.first[i + 1] - truth.first[i]);
		if (known->changes_per_day[i] < 0)
			known->changes_per_day[i] = (float)(fmax(changes, 0.5) /
			    fmax(days, 1));
	}
	sim_truth_release(&truth);
	free(births_s);
}

void
known_init(struct known *known, const struct history *history)
{
	bool is_complete = true;

	*known = (struct known){.history = history,
	    .changes_per_day = mem_alloc(
		(history->page_count + 1) * sizeof(float))};
	for (size_t i = 0; i < history->page_count; i++) {
		float rate = history->pages[i].changes_per_day;
		bool is_given = rate >= 0;
		known->changes_per_day[i] = is_given ? rate : -1;
		is_complete = is_complete && is_given;
	}
	if (!is_complete)
		count_changes(known);
}

void
known_release(struct known *known)
{
	free(known->changes_per_day);
	*known = (struct known){0};
}

struct value_rates
known_rates(
    const struct known *known, uint32_t page, int64_t now_s, bool uses_dates)
{
	const struct history_page *p = &known->history->pages[page];
	double changes = known->changes_per_day[page];
	struct value_rates rates = {
	    .weight = p->weight, .alpha = changes, .q = 1};
	const struct history_dates *dates;

	if (!uses_dates)
		return rates;
	dates = history_dates(&known->history->documents[p->document], now_s);
	if (!(dates->recall > 0) || !(dates->precision > 0))
		return rates;
	rates.alpha = (1 - (double)dates->recall) * changes;
	rates.gamma = (double)dates->recall * changes /
	    (double)dates->precision;
	rates.q = 1 - (double)dates->precision;
	return rates;
}

/* The part of a time that lies between two others. */
static double
part(int64_t begin_s, int64_t end_s, int64_t from_s, int64_t to_s)
{
	int64_t first_s = begin_s > from_s ? begin_s : from_s;
	int64_t last_s = end_s < to_s ? end_s : to_s;

	return last_s > first_s
	    ? (double)(last_s - first_s) / (double)(to_s - from_s)
	    : 0;
}

void
known_shares(
    const struct history *history, int64_t from_s, int64_t to_s, double *shares)
{
	int64_t *since_s = mem_alloc(
	    (history->page_count + 1) * sizeof(*since_s));

	for (size_t i = 0; i < history->page_count; i++) {
		shares[i] = 0;
		since_s[i] = INT64_MAX;
	}
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];
		bool is_added = event->kind == HISTORY_ADDED;
		int64_t *since = &since_s[event->subject];
		if (is_added && *since == INT64_MAX) {
			*since = event->t_s;
		} else if (event->kind == HISTORY_REMOVED) {
			shares[event->subject] += part(
			    *since, event->t_s, from_s, to_s);
			*since = INT64_MAX;
		}
	}
	for (size_t i = 0; i < history->page_count; i++) {
		shares[i] += part(since_s[i], to_s, from_s, to_s);
		shares[i] = fmin(shares[i], 1);
	}
	free(since_s);
}
