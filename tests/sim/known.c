/* The truth about pages and dates: see known.h. */
#include "tests/sim/known.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/history.h"
#include "tests/sim/sim_state.h"
#include "tests/sim/sim_truth.h"

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

/* Count the changes of pages whose rates the history does not give. */
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
known_rates(const struct known *known, uint32_t page, int64_t now_s)
{
	const struct history_page *p = &known->history->pages[page];
	double changes = known->changes_per_day[page];
	struct value_rates rates = {
	    .weight = p->weight, .alpha = changes, .q = 1};
	const struct history_dates *dates;

	dates = history_dates(&known->history->documents[p->document], now_s);
	if (!(dates->recall > 0) || !(dates->precision > 0))
		return rates;
	rates.alpha = (1 - (double)dates->recall) * changes;
	rates.gamma = (double)dates->recall * changes /
	    (double)dates->precision;
	rates.q = 1 - (double)dates->precision;
	return rates;
}

/* The share of the time from from_s to to_s that lies between begin_s and
 * end_s. */
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

/* Counts of moved dates and changed pages, from one publication of a document
 * to the next. */

/* A page now, and at the last publication of its document. */
struct dated_page {
	uint64_t text, old_text;
	bool is_there, was_there;
	bool is_noted; /* an event of the page came since that publication */
	uint32_t next; /* the next noted page of its document */
};

struct date_count {
	const struct history *history;
	struct sim_state state;
	struct dated_page *pages;
	uint32_t *first_noted; /* by document */
	struct known_dates *dates;
};

static void
note(struct date_count *count, const struct history_event *event)
{
	struct dated_page *page = &count->pages[event->subject];
	uint32_t *first =
	    &count->first_noted[count->history->pages[event->subject].document];

	if (!page->is_noted) {
		page->is_noted = true;
		page->old_text = page->text;
		page->was_there = page->is_there;
		page->next = *first;
		*first = event->subject;
	}
	page->is_there = event->kind != HISTORY_ENDS;
	if (page->is_there)
		page->text = event->text;
}

static bool
has_changed(const struct dated_page *page)
{
	return page->is_noted && page->was_there && page->is_there &&
	    page->text != page->old_text;
}

/* The reading shows which dates moved, but overwrites what was listed before,
 * so the changes are counted before the reading. */
static void
publish(struct date_count *count, const struct history_event *event)
{
	struct known_dates *dates = &count->dates[event->subject];
	uint32_t *first = &count->first_noted[event->subject];
	struct sim_reading reading;

	sim_state_pass(&count->state, event->t_s);
	for (uint32_t i = *first; i != HISTORY_NONE; i = count->pages[i].next)
		dates->changed += has_changed(&count->pages[i]) &&
		    count->state.pages[i].seen.is_listed &&
		    count->state.pages[i].shown.is_listed;
	sim_state_read(&count->state, event->t_s, event->subject, &reading);
	for (size_t i = 0; i < reading.move_count; i++) {
		const struct sim_move *move = &reading.moves[i];
		const struct dated_page *page = &count->pages[move->number];

		if (move->is_document || move->kind != SIM_MOVED)
			continue;
		dates->moved += page->is_there &&
		    page->text != KNOWN_DATES_NO_TEXT &&
		    (!page->is_noted || page->was_there);
		dates->both += has_changed(page);
	}
	while (*first != HISTORY_NONE) {
		count->pages[*first].is_noted = false;
		*first = count->pages[*first].next;
	}
}

struct known_dates *
known_dates_make(const struct history *history)
{
	struct date_count count = {.history = history,
	    .pages = mem_zero((history->page_count + 1) * sizeof(*count.pages)),
	    .first_noted = mem_alloc(
		(history->document_count + 1) * sizeof(*count.first_noted)),
	    .dates = mem_zero(
		(history->document_count + 1) * sizeof(*count.dates))};

	sim_state_init(&count.state, history);
	for (size_t i = 0; i < history->document_count; i++)
		count.first_noted[i] = HISTORY_NONE;
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];

		switch ((enum history_kind)event->kind) {
		case HISTORY_EXISTS:
		case HISTORY_CHANGES:
		case HISTORY_ENDS:
			note(&count, event);
			break;
		case HISTORY_PUBLISHED:
			publish(&count, event);
			break;
		case HISTORY_BYTES:
		case HISTORY_ADDED:
		case HISTORY_REMOVED:
		case HISTORY_CLAIMS:
		case HISTORY_CLAIMS_ALL:
		case HISTORY_CHILD_CLAIMS:
		case HISTORY_WITHDRAWN:
		case HISTORY_HINTS:
			break;
		}
	}
	sim_state_release(&count.state);
	free(count.pages);
	free(count.first_noted);
	return count.dates;
}

double
known_dates_precision(const struct known_dates *dates)
{
	return dates->moved > 0 ? (double)dates->both / (double)dates->moved
				: -1;
}

double
known_dates_recall(const struct known_dates *dates)
{
	return dates->changed > 0 ? (double)dates->both / (double)dates->changed
				  : -1;
}
