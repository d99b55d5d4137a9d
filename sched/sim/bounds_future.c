/* The bound of who knows the future: (B5) of scheduling.md. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/bounds.h"
#include "sched/sim/history.h"
#include "sched/sim/known.h"
#include "sched/sim/sim_truth.h"

#define DAY_S 86400.0

/* What fetches may be worth, each weight times days. */
struct worths {
	double *items; /* owned */
	size_t count, cap;
};

static void
worths_add(struct worths *worths, double worth)
{
	worths->items = mem_grow(worths->items, &worths->cap, worths->count + 1,
	    sizeof(*worths->items));
	worths->items[worths->count++] = worth;
}

static int
compare_worths(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x < *y) - (*x > *y);
}

/* worths_buy(worths, requests): the sum of the best, a part of the last. */
static double
worths_buy(struct worths *worths, double requests, size_t *bought)
{
	double sum = 0;
	size_t i;

	if (worths->count > 0)
		qsort(worths->items, worths->count, sizeof(*worths->items),
		    compare_worths);
	for (i = 0; i < worths->count && requests > 0; i++) {
		sum += worths->items[i] * (requests < 1 ? requests : 1);
		requests--;
	}
	*bought = i;
	return sum;
}

/* A page, and the time since its last change. */
struct stretch {
	int64_t from_s;
	int64_t listed_s; /* if it is: since then, as far as not in days */
	double days; /* of it listed, in the window */
	size_t next; /* change, of the truth */
	bool is_said, is_listed; /* listed with the next publication; now */
};

struct sweep {
	const struct history *history;
	struct sim_truth truth;
	struct stretch *pages; /* owned */
	uint32_t *by_document; /* owned: pages */
	size_t *first; /* owned: in it, of each document */
	int64_t from_s, to_s;
	struct worths before, within; /* by when the stretch began */
	double held; /* of before: began with what begin_s found fetched */
};

/* Count the time that a page has been listed, up to now. */
static void
pass(const struct sweep *sweep, struct stretch *stretch, int64_t now_s)
{
	int64_t from_s = stretch->listed_s > sweep->from_s ? stretch->listed_s
							   : sweep->from_s;
	int64_t to_s = now_s < sweep->to_s ? now_s : sweep->to_s;

	if (stretch->is_listed && to_s > from_s)
		stretch->days += (double)(to_s - from_s) / DAY_S;
	stretch->listed_s = now_s;
}

/* A stretch is over, and with it what a fetch in it was worth. */
static void
finish(struct sweep *sweep, uint32_t page, int64_t now_s)
{
	struct stretch *stretch = &sweep->pages[page];
	const struct history *history = sweep->history;
	bool is_held = history->starts_known &&
	    stretch->from_s <= history->begin_s;

	pass(sweep, stretch, now_s);
	if (stretch->days > 0) {
		bool is_before = is_held || stretch->from_s < sweep->from_s;
		worths_add(is_before ? &sweep->before : &sweep->within,
		    history->pages[page].weight * stretch->days);
		sweep->held += is_held;
	}
	stretch->days = 0;
	stretch->from_s = now_s;
}

static void
show(struct sweep *sweep, uint32_t page, int64_t now_s)
{
	struct stretch *stretch = &sweep->pages[page];

	pass(sweep, stretch, now_s);
	stretch->is_listed = stretch->is_said;
}

static void
publish(struct sweep *sweep, uint32_t document, int64_t now_s)
{
	for (size_t i = sweep->first[document]; i < sweep->first[document + 1];
	     i++)
		show(sweep, sweep->by_document[i], now_s);
}

static void
list(struct sweep *sweep, const struct history_event *event)
{
	struct stretch *stretch = &sweep->pages[event->subject];
	uint32_t document = sweep->history->pages[event->subject].document;

	if (event->kind != HISTORY_CLAIMS)
		stretch->is_said = event->kind == HISTORY_ADDED;
	if (sweep->history->documents[document].shows_at_once)
		show(sweep, event->subject, event->t_s);
}

static void
change(struct sweep *sweep, const struct history_event *event)
{
	struct stretch *stretch = &sweep->pages[event->subject];

	if (stretch->next == sweep->truth.first[event->subject + 1] ||
	    sweep->truth.changes_s[stretch->next] != event->t_s)
		return;
	finish(sweep, event->subject, event->t_s);
	stretch->next++;
}

static void
happen(struct sweep *sweep, const struct history_event *event)
{
	switch ((enum history_kind)event->kind) {
	case HISTORY_EXISTS:
	case HISTORY_CHANGES:
	case HISTORY_ENDS:
		change(sweep, event);
		break;
	case HISTORY_ADDED:
	case HISTORY_REMOVED:
	case HISTORY_CLAIMS:
		list(sweep, event);
		break;
	case HISTORY_PUBLISHED:
		publish(sweep, event->subject, event->t_s);
		break;
	case HISTORY_BYTES:
	case HISTORY_CLAIMS_ALL:
	case HISTORY_CHILD_CLAIMS:
	case HISTORY_WITHDRAWN:
		break;
	}
}

static void
sweep_init(struct sweep *sweep, const struct history *history)
{
	int64_t *births_s = known_births(history);
	size_t *at = mem_zero((history->document_count + 2) * sizeof(*at));

	sim_truth_init(&sweep->truth, history);
	sweep->pages = mem_zero(
	    (history->page_count + 1) * sizeof(*sweep->pages));
	sweep->by_document = mem_alloc(
	    (history->page_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < history->page_count; i++) {
		sweep->pages[i].from_s = births_s[i];
		sweep->pages[i].next = sweep->truth.first[i];
		at[history->pages[i].document + 2]++;
	}
	for (size_t i = 0; i < history->document_count; i++)
		at[i + 2] += at[i + 1];
	for (size_t i = 0; i < history->page_count; i++)
		sweep->by_document[at[history->pages[i].document + 1]++] =
		    (uint32_t)i;
	sweep->first = at;
	free(births_s);
}

static void
sweep_release(struct sweep *sweep)
{
	sim_truth_release(&sweep->truth);
	free(sweep->pages);
	free(sweep->by_document);
	free(sweep->first);
	free(sweep->before.items);
	free(sweep->within.items);
}

double
bounds_clairvoyant(const struct history *history, double requests_per_day,
    int64_t from_s, int64_t to_s)
{
	struct sweep sweep = {
	    .history = history, .from_s = from_s, .to_s = to_s};
	double early = (double)(from_s - history->begin_s) / DAY_S *
	    requests_per_day;
	double late = (double)(to_s - from_s) / DAY_S * requests_per_day;
	size_t bought;
	double sum;

	sweep_init(&sweep, history);
	for (size_t i = 0; i < history->event_count; i++)
		happen(&sweep, &history->events[i]);
	for (uint32_t i = 0; i < history->page_count; i++)
		finish(&sweep, i, history->end_s);
	sum = worths_buy(&sweep.before, sweep.held + early, &bought);
	for (size_t i = bought; i < sweep.before.count; i++)
		worths_add(&sweep.within, sweep.before.items[i]);
	sum += worths_buy(&sweep.within, late, &bought);
	sweep_release(&sweep);
	return sum;
}
