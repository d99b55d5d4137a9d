/* The bound of worlds where readings are paid: (B4) of scheduling.md. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/sim/bounds_internal.h"

/* Days between readings that are tried, first in steps, then in between;
 * there may be two peaks, a blind one far out. */
#define DAYS_LEAST 0.01
#define DAYS_MOST 3000.0
#define STEPS 72
#define HALVINGS 14
/* Rates this near to 0 are, and dates this near to right are right. */
#define SMALL 1e-5

/* A document with its pages, at one price. */
struct shelf {
	const struct bounds_problem *problem;
	const uint32_t *pages; /* numbers of its pages */
	size_t page_count;
	/* Of each page of the problem: what is left to it, and days between
	 * fetches if they are blind. */
	const double *blind, *pushed, *gaps;
	double cost, price;
};

static bool
is_right(const struct value_rates *page)
{
	return page->alpha <= SMALL * page->gamma && page->q <= SMALL;
}

/*
 * What is left to a page, a day, that readings show as it is every `days`:
 * fetched where one shows a change, and `extra` times in between, so that the
 * last stretch h is shorter than the others, h + delta, by
 * delta = -ln(1 - L D / weight) / D  (B4).
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
 * One more fetch in between pays while the stretches are longer than `gap`,
 * those of a page that is fetched blindly at that price.
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

/* What is left to a document that is read every `days`. */
static double
shelf_left(const struct shelf *shelf, double days)
{
	double sum = -shelf->price * shelf->cost / days;

	for (size_t i = 0; i < shelf->page_count; i++) {
		uint32_t number = shelf->pages[i];
		const struct value_rates *page = &shelf->problem->pages[number];
		double share = bounds_share(shelf->problem, number);
		double left;

		if (!(page->gamma > 0)) {
			sum += share * shelf->blind[number];
			continue;
		}
		/* Dates that are not right tell no more than right ones, and
		 * late readings no more than early ones. */
		left = left_when_read(
		    page, shelf->price, days, shelf->gaps[number]);
		if (!is_right(page))
			left = fmin(left, shelf->pushed[number]);
		sum += share * fmax(left, shelf->blind[number]);
	}
	return sum;
}

/* The peak of shelf_left within a step of a time whose logarithm is given. */
static double
shelf_peak(const struct shelf *shelf, double at, double step, double best)
{
	for (int i = 0; i < HALVINGS; i++) {
		double before, after;
		step /= 2;
		before = shelf_left(shelf, exp(at - step));
		after = shelf_left(shelf, exp(at + step));
		if (before > best && before >= after)
			at -= step;
		else if (after > best)
			at += step;
		best = fmax(best, fmax(before, after));
	}
	return best;
}

/* The best interval of readings; or none, and pages fetched blindly. */
static double
shelf_best(const struct shelf *shelf)
{
	const double step = log(DAYS_MOST / DAYS_LEAST) / STEPS;
	double left[STEPS + 1];
	double best = 0;

	for (size_t i = 0; i < shelf->page_count; i++)
		best += bounds_share(shelf->problem, shelf->pages[i]) *
		    shelf->blind[shelf->pages[i]];
	for (int i = 0; i <= STEPS; i++)
		left[i] = shelf_left(shelf, DAYS_LEAST * exp(i * step));
	for (int i = 0; i <= STEPS; i++) {
		bool is_top = (i == 0 || left[i] > left[i - 1]) &&
		    (i == STEPS || left[i] >= left[i + 1]);
		if (!is_top)
			continue;
		best = fmax(best,
		    shelf_peak(
			shelf, log(DAYS_LEAST) + i * step, step, left[i]));
	}
	return best;
}

struct joint {
	const struct bounds_problem *problem;
	uint32_t *pages; /* owned; numbers, by document */
	size_t *first; /* owned; of each document, and the end */
	double *blind, *pushed, *gaps; /* owned; as of struct shelf */
};

static double
joint_left(const void *arg, double price)
{
	const struct joint *joint = arg;
	const struct bounds_problem *problem = joint->problem;
	double sum = 0;

	for (size_t i = 0; i < problem->page_count; i++) {
		const struct value_rates *page = &problem->pages[i];
		joint->blind[i] = bounds_blind_left(page, price);
		joint->gaps[i] = bounds_blind_gap(page, price);
		if (page->gamma > 0 && !is_right(page))
			joint->pushed[i] = bounds_signals_left(page, price);
	}
	for (size_t i = 0; i < problem->document_count; i++) {
		struct shelf shelf = {.problem = problem,
		    .pages = &joint->pages[joint->first[i]],
		    .page_count = joint->first[i + 1] - joint->first[i],
		    .blind = joint->blind,
		    .pushed = joint->pushed,
		    .gaps = joint->gaps,
		    .cost = problem->costs[i],
		    .price = price};
		if (shelf.page_count > 0)
			sum += shelf_best(&shelf);
	}
	return sum;
}

static void
sort_by_document(struct joint *joint)
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
	struct joint joint = {.problem = problem};
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
	optimum = bounds_minimum(&dual, optimum.price);
	free(joint.pages);
	free(joint.first);
	free(joint.blind);
	free(joint.pushed);
	free(joint.gaps);
	return optimum;
}
