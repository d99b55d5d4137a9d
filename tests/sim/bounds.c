/* Bounds: (B1) to (B5) of scheduling-formulas.md. */
#include "tests/sim/bounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/sim/history.h"
#include "tests/sim/known.h"
#include "tests/sim/sim_truth.h"
#include "tests/sim/value_exact.h"

/* Without signals, and with signals: (B1) to (B3). */

/* Golden section: each step keeps this share of the range. */
#define GOLDEN 0.61803398874989485
/* The search ends when the range of ln L is as small as this. */
#define LOG_PRICE_PRECISION 3e-4
#define DOUBLINGS 200
#define Q_BLIND 0.98

/* The pages of a problem, which buy fetches at a price: the sum of (B1). */
struct bounds_dual {
	const struct bounds_problem *problem;
	/* the surplus of all pages at that price (bounds.h) */
	double (*left)(const void *arg, double price);
	const void *arg;
};

double
bounds_changes(const struct value_rates *page)
{
	return page->alpha + page->gamma * (1 - page->q);
}

static double
share_of(const struct bounds_problem *problem, size_t page)
{
	return problem->shares == NULL ? 1 : problem->shares[page];
}

static double
weight_of_all(const struct bounds_problem *problem)
{
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		sum += share_of(problem, i) * problem->pages[i].weight;
	return sum;
}

static double
sum_at(const struct bounds_dual *dual, double log_price)
{
	double price = exp(log_price);

	return dual->left(dual->arg, price) +
	    price * dual->problem->requests_per_day;
}

/* Find the least value of (B1); `price` is a first guess above 0. */
static struct bounds_optimum
least_of_sum(const struct bounds_dual *dual, double price)
{
	double low = log(price) - 1;
	double high = log(price) + 1;
	double weight = weight_of_all(dual->problem);
	double a = high - GOLDEN * (high - low);
	double b = low + GOLDEN * (high - low);
	double at_a = sum_at(dual, a);
	double at_b = sum_at(dual, b);
	/* (B1) has only one minimum: move the range until the minimum lies
	 * between low and high. */
	for (int i = 0; i < DOUBLINGS; i++) {
		if (at_a < at_b && sum_at(dual, low) < at_a)
			low -= high - low;
		else if (at_b < at_a && sum_at(dual, high) < at_b)
			high += high - low;
		else
			break;
		a = high - GOLDEN * (high - low);
		b = low + GOLDEN * (high - low);
		at_a = sum_at(dual, a);
		at_b = sum_at(dual, b);
	}
	while (high - low > LOG_PRICE_PRECISION) {
		if (at_a < at_b) {
			high = b;
			b = a;
			at_b = at_a;
			a = high - GOLDEN * (high - low);
			at_a = sum_at(dual, a);
		} else {
			low = a;
			a = b;
			at_a = at_b;
			b = low + GOLDEN * (high - low);
			at_b = sum_at(dual, b);
		}
	}
	return (struct bounds_optimum){
	    fmin(1, fmin(at_a, at_b) / weight), exp(at_a < at_b ? a : b)};
}

/* (B2) The days from one fetch of the page to the next; INFINITY: the page buys
 * none. */
static double
blind_gap(const struct value_rates *page, double price)
{
	double changes = bounds_changes(page);

	if (!(changes > 0) || !(page->weight > 0))
		return INFINITY;
	return value_phi_inverse(price * changes / page->weight) / changes;
}

static double
blind_left(const struct value_rates *page, double price)
{
	double changes = bounds_changes(page);

	if (!(changes > 0))
		return page->weight;
	/* The surplus, weight F - price f, is weight e^-x at the f of (B2). */
	return page->weight *
	    exp(-value_phi_inverse(price * changes / page->weight));
}

static double
blind_requests(const struct bounds_problem *problem, double price)
{
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		sum += share_of(problem, i) /
		    blind_gap(&problem->pages[i], price);
	return sum;
}

/* The price at which the pages buy all requests; 0: there are more requests
 * than pages can use. */
static double
blind_price(const struct bounds_problem *problem)
{
	double high = 0;
	double low;

	for (size_t i = 0; i < problem->page_count; i++) {
		double changes = bounds_changes(&problem->pages[i]);
		double limit = problem->pages[i].weight / changes;
		if (changes > 0 && limit > high)
			high = limit;
	}
	if (!(high > 0))
		return 0;
	low = high;
	for (int i = 0; i < DOUBLINGS; i++) {
		low /= 16;
		if (blind_requests(problem, low) > problem->requests_per_day)
			break;
		high = low;
	}
	/* Halve the range until no number lies in it. */
	for (;;) {
		double middle = low + (high - low) / 2;
		if (!(middle > low && middle < high))
			return low;
		if (high - low < 1e-13 * high)
			return middle;
		if (blind_requests(problem, middle) > problem->requests_per_day)
			low = middle;
		else
			high = middle;
	}
}

struct bounds_optimum
bounds_blind(const struct bounds_problem *problem, double *per_day)
{
	double price = blind_price(problem);
	double sum = price * problem->requests_per_day;

	for (size_t i = 0; i < problem->page_count; i++) {
		const struct value_rates *page = &problem->pages[i];
		sum += share_of(problem, i) * blind_left(page, price);
		if (per_day != NULL)
			per_day[i] = 1 / blind_gap(page, price);
	}
	if (price > 0)
		sum /= weight_of_all(problem);
	else
		sum = 1;
	return (struct bounds_optimum){fmin(1, sum), price};
}

static double
left_with_signals(const struct value_rates *page, double price)
{
	double hazard;
	struct value_cycle cycle;
	double left;

	/* Moves that are nearly all false say nothing. */
	if (!(page->gamma > 0) || !(page->q < Q_BLIND))
		return blind_left(page, price);
	hazard = value_hazard_at(page, price);
	if (isinf(hazard))
		return 0;
	/* (B3): the surplus of a cycle, divided by its days. */
	cycle = value_cycle(page, hazard);
	left = (page->weight * cycle.fresh - price) / cycle.days;
	return left > 0 ? left : 0;
}

static double
signals_left(const void *arg, double price)
{
	const struct bounds_problem *problem = arg;
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++)
		sum += share_of(problem, i) *
		    left_with_signals(&problem->pages[i], price);
	return sum;
}

struct bounds_optimum
bounds_signals(const struct bounds_problem *problem)
{
	struct bounds_optimum blind = bounds_blind(problem, NULL);
	struct bounds_dual dual = {problem, signals_left, problem};

	if (!(blind.price > 0))
		return blind;
	return least_of_sum(&dual, blind.price);
}

/* The bound when readings are paid: (B4). */

/* The intervals between readings that are tried: first in steps, then around
 * the peaks.  There may be two peaks, one of them where pages are fetched
 * without a signal. */
#define DAYS_LEAST 0.01
#define DAYS_MOST 3000.0
#define DAYS_STEPS 72
#define HALVINGS 14
/* Smaller rates count as 0, and dates that are wrong more rarely than this
 * count as right. */
#define SMALL 1e-5

/* A document with its pages, at one price. */
struct priced_document {
	const struct bounds_problem *problem;
	const uint32_t *pages; /* numbers of its pages */
	size_t page_count;
	/* For each page of the problem: its surplus without signals, its
	 * surplus with signals that are known at once, and the days between
	 * fetches without signals. */
	const double *blind, *pushed, *gaps;
	double cost, price;
};

static bool
is_right(const struct value_rates *page)
{
	return page->alpha <= SMALL * page->gamma && page->q <= SMALL;
}

/*
 * The surplus a day of a page whose changes a reading shows every `days`.  The
 * page is fetched when a reading shows a change, and `extra` times between two
 * readings.  The last stretch h before a reading is shorter than the others,
 * which are h + delta, delta = -ln(1 - L D / weight) / D (B4).
 */
static double
left_with_extra(
    const struct value_rates *page, double price, double days, double extra)
{
	double changes = bounds_changes(page);
	double last = days;
	double delta = 0;
	double fresh, requests;

	if (extra > 0) {
		delta = -log1p(-price * changes / page->weight) / changes;
		last = (days - extra * delta) / (extra + 1);
	}
	if (last < 0)
		return -INFINITY;
	fresh = -expm1(-changes * last);
	requests = extra + fresh;
	if (extra > 0)
		fresh -= extra * expm1(-changes * (last + delta));
	return (page->weight * fresh / changes - price * requests) / days;
}

/*
 * left_when_read(page, price, days, gap): the best surplus a day of a page
 * whose document is read every `days` days.  One more fetch between two
 * readings pays as long as the fetches are further apart than `gap`, the
 * interval at which the page would be fetched without signals at that price.
 */
static double
left_when_read(
    const struct value_rates *page, double price, double days, double gap)
{
	double changes = bounds_changes(page);
	double delta, extra;

	if (!(changes > 0))
		return page->weight;
	if (price * changes >= page->weight)
		return 0;
	if (days <= gap / 2)
		return left_with_extra(page, price, days, 0);
	delta = -log1p(-price * changes / page->weight) / changes;
	extra = fmax(0, floor((days + delta) / gap - 1));
	return fmax(left_with_extra(page, price, days, extra),
	    left_with_extra(page, price, days, extra + 1));
}

/* The surplus of the pages of a document that is read every `days`, less the
 * cost of the readings. */
static double
document_left(const struct priced_document *document, double days)
{
	double sum = -document->price * document->cost / days;

	for (size_t i = 0; i < document->page_count; i++) {
		uint32_t number = document->pages[i];
		const struct value_rates *page = &document->problem
						      ->pages[number];
		double share = share_of(document->problem, number);
		double left;

		if (!(page->gamma > 0)) {
			sum += share * document->blind[number];
			continue;
		}
		/* Wrong dates cannot bring more than right ones, and late
		 * readings cannot bring more than signals that are known at
		 * once. */
		left = left_when_read(
		    page, document->price, days, document->gaps[number]);
		if (!is_right(page))
			left = fmin(left, document->pushed[number]);
		sum += share * fmax(left, document->blind[number]);
	}
	return sum;
}

/* The highest value of document_left within one step of the time with the
 * logarithm `at`, where its value is `best`. */
static double
document_peak(
    const struct priced_document *document, double at, double step, double best)
{
	for (int i = 0; i < HALVINGS; i++) {
		double before, after;
		step /= 2;
		before = document_left(document, exp(at - step));
		after = document_left(document, exp(at + step));
		if (before > best && before >= after)
			at -= step;
		else if (after > best)
			at += step;
		best = fmax(best, fmax(before, after));
	}
	return best;
}

/* The surplus with the best interval of readings, or without readings when
 * fetches without signals bring more. */
static double
document_best(const struct priced_document *document)
{
	const double step = log(DAYS_MOST / DAYS_LEAST) / DAYS_STEPS;
	double left[DAYS_STEPS + 1];
	double best = 0;

	for (size_t i = 0; i < document->page_count; i++)
		best += share_of(document->problem, document->pages[i]) *
		    document->blind[document->pages[i]];
	for (int i = 0; i <= DAYS_STEPS; i++)
		left[i] = document_left(document, DAYS_LEAST * exp(i * step));
	for (int i = 0; i <= DAYS_STEPS; i++) {
		bool is_top = (i == 0 || left[i] > left[i - 1]) &&
		    (i == DAYS_STEPS || left[i] >= left[i + 1]);
		if (!is_top)
			continue;
		best = fmax(best,
		    document_peak(
			document, log(DAYS_LEAST) + i * step, step, left[i]));
	}
	return best;
}

struct joint_sum {
	const struct bounds_problem *problem;
	uint32_t *pages; /* owned; numbers, by document */
	size_t *first; /* owned; of each document, and the end */
	double *blind, *pushed, *gaps; /* owned; as of struct priced_document */
};

static double
joint_left(const void *arg, double price)
{
	const struct joint_sum *joint = arg;
	const struct bounds_problem *problem = joint->problem;
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++) {
		const struct value_rates *page = &problem->pages[i];
		joint->blind[i] = blind_left(page, price);
		joint->gaps[i] = blind_gap(page, price);
		if (page->gamma > 0 && !is_right(page))
			joint->pushed[i] = left_with_signals(page, price);
	}
	for (size_t i = 0; i < problem->document_count; i++) {
		struct priced_document document = {.problem = problem,
		    .pages = &joint->pages[joint->first[i]],
		    .page_count = joint->first[i + 1] - joint->first[i],
		    .blind = joint->blind,
		    .pushed = joint->pushed,
		    .gaps = joint->gaps,
		    .cost = problem->costs[i],
		    .price = price};
		if (document.page_count > 0)
			sum += document_best(&document);
	}
	return sum;
}

static void
sort_by_document(struct joint_sum *joint)
{
	const struct bounds_problem *problem = joint->problem;
	size_t *at = mem_zero(
	    (problem->document_count + 1) * sizeof(*joint->first));

	for (size_t i = 0; i < problem->page_count; i++)
		at[problem->documents[i] + 1]++;
	for (size_t i = 0; i < problem->document_count; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i <= problem->document_count; i++)
		joint->first[i] = at[i];
	for (size_t i = 0; i < problem->page_count; i++)
		joint->pages[at[problem->documents[i]]++] = (uint32_t)i;
	free(at);
}

struct bounds_optimum
bounds_joint(const struct bounds_problem *problem)
{
	struct bounds_optimum optimum = bounds_blind(problem, NULL);
	struct joint_sum joint = {.problem = problem};
	struct bounds_dual dual = {problem, joint_left, &joint};

	if (!(optimum.price > 0))
		return optimum;
	joint.pages = mem_alloc(problem->page_count * sizeof(uint32_t));
	joint.first = mem_alloc(
	    (problem->document_count + 1) * sizeof(*joint.first));
	joint.blind = mem_alloc(problem->page_count * sizeof(double));
	joint.pushed = mem_alloc(problem->page_count * sizeof(double));
	joint.gaps = mem_alloc(problem->page_count * sizeof(double));
	sort_by_document(&joint);
	optimum = least_of_sum(&dual, optimum.price);
	free(joint.pages);
	free(joint.first);
	free(joint.blind);
	free(joint.pushed);
	free(joint.gaps);
	return optimum;
}

/* The bound when the future is known: (B5). */

#define DAY_S 86400.0

/* The value of each fetch: weight times days. */
struct worth_list {
	double *items; /* owned */
	size_t count, cap;
};

static void
worths_add(struct worth_list *worths, double worth)
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

/* worths_buy(worths, requests, bought): the sum of the `requests` highest
 * values; of the last value a part, if `requests` is not whole. *bought: how
 * many values these are. */
static double
worths_buy(struct worth_list *worths, double requests, size_t *bought)
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
struct unchanged_page {
	int64_t from_s;
	/* while the page is listed: `days` has the time until then */
	int64_t listed_s;
	double days; /* in which the page was listed, within the window */
	size_t next; /* the next change: an index in the truth */
	/* the page is listed with the next publication; now */
	bool is_said, is_listed;
};

struct future {
	const struct history *history;
	struct sim_truth truth;
	struct unchanged_page *pages; /* owned */
	uint32_t *by_document; /* owned: the pages, sorted by document */
	size_t *first; /* owned: where each document begins in by_document */
	int64_t from_s, to_s;
	struct worth_list before, within; /* by the time of the change */
	/* how many of `before` began with a fetch before begin_s */
	double held;
};

/* Count the time that a page has been listed, up to now. */
static void
pass(const struct future *future, struct unchanged_page *stretch, int64_t now_s)
{
	int64_t from_s = stretch->listed_s > future->from_s ? stretch->listed_s
							    : future->from_s;
	int64_t to_s = now_s < future->to_s ? now_s : future->to_s;

	if (stretch->is_listed && to_s > from_s)
		stretch->days += (double)(to_s - from_s) / DAY_S;
	stretch->listed_s = now_s;
}

/* The page changes now, so the value of a fetch right after the change before
 * is the time between the two changes. */
static void
finish(struct future *future, uint32_t page, int64_t now_s)
{
	struct unchanged_page *stretch = &future->pages[page];
	const struct history *history = future->history;
	bool is_held = history->starts_known &&
	    stretch->from_s <= history->begin_s;

	pass(future, stretch, now_s);
	if (stretch->days > 0) {
		bool is_before = is_held || stretch->from_s < future->from_s;
		worths_add(is_before ? &future->before : &future->within,
		    history->pages[page].weight * stretch->days);
		future->held += is_held;
	}
	stretch->days = 0;
	stretch->from_s = now_s;
}

static void
show(struct future *future, uint32_t page, int64_t now_s)
{
	struct unchanged_page *stretch = &future->pages[page];

	pass(future, stretch, now_s);
	stretch->is_listed = stretch->is_said;
}

static void
publish(struct future *future, uint32_t document, int64_t now_s)
{
	for (size_t i = future->first[document];
	     i < future->first[document + 1]; i++)
		show(future, future->by_document[i], now_s);
}

static void
list(struct future *future, const struct history_event *event)
{
	struct unchanged_page *stretch = &future->pages[event->subject];
	uint32_t document = future->history->pages[event->subject].document;

	if (event->kind != HISTORY_CLAIMS)
		stretch->is_said = event->kind == HISTORY_ADDED;
	if (future->history->documents[document].shows_at_once)
		show(future, event->subject, event->t_s);
}

static void
change(struct future *future, const struct history_event *event)
{
	struct unchanged_page *stretch = &future->pages[event->subject];

	if (stretch->next == future->truth.first[event->subject + 1] ||
	    future->truth.changes_s[stretch->next] != event->t_s)
		return;
	finish(future, event->subject, event->t_s);
	stretch->next++;
}

static void
happen(struct future *future, const struct history_event *event)
{
	switch ((enum history_kind)event->kind) {
	case HISTORY_EXISTS:
	case HISTORY_CHANGES:
	case HISTORY_ENDS:
		change(future, event);
		break;
	case HISTORY_ADDED:
	case HISTORY_REMOVED:
	case HISTORY_CLAIMS:
		list(future, event);
		break;
	case HISTORY_PUBLISHED:
		publish(future, event->subject, event->t_s);
		break;
	case HISTORY_BYTES:
	case HISTORY_CLAIMS_ALL:
	case HISTORY_CHILD_CLAIMS:
	case HISTORY_WITHDRAWN:
	case HISTORY_HINTS:
		break;
	}
}

static void
future_init(struct future *future, const struct history *history)
{
	int64_t *births_s = known_births(history);
	size_t *at = mem_zero((history->document_count + 2) * sizeof(*at));

	sim_truth_init(&future->truth, history);
	future->pages = mem_zero(
	    (history->page_count + 1) * sizeof(*future->pages));
	future->by_document = mem_alloc(
	    (history->page_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < history->page_count; i++) {
		future->pages[i].from_s = births_s[i];
		future->pages[i].next = future->truth.first[i];
		at[history->pages[i].document + 2]++;
	}
	for (size_t i = 0; i < history->document_count; i++)
		at[i + 2] += at[i + 1];
	for (size_t i = 0; i < history->page_count; i++)
		future->by_document[at[history->pages[i].document + 1]++] =
		    (uint32_t)i;
	future->first = at;
	free(births_s);
}

static void
future_release(struct future *future)
{
	sim_truth_release(&future->truth);
	free(future->pages);
	free(future->by_document);
	free(future->first);
	free(future->before.items);
	free(future->within.items);
}

double
bounds_clairvoyant(const struct history *history, double requests_per_day,
    int64_t from_s, int64_t to_s)
{
	struct future future = {
	    .history = history, .from_s = from_s, .to_s = to_s};
	double early = (double)(from_s - history->begin_s) / DAY_S *
	    requests_per_day;
	double late = (double)(to_s - from_s) / DAY_S * requests_per_day;
	size_t bought;
	double sum;

	future_init(&future, history);
	for (size_t i = 0; i < history->event_count; i++)
		happen(&future, &history->events[i]);
	for (uint32_t i = 0; i < history->page_count; i++)
		finish(&future, i, history->end_s);
	sum = worths_buy(&future.before, future.held + early, &bought);
	for (size_t i = bought; i < future.before.count; i++)
		worths_add(&future.within, future.before.items[i]);
	sum += worths_buy(&future.within, late, &bought);
	future_release(&future);
	return sum;
}
