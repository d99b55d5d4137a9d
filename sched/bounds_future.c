/* The bound of who knows the future: (B5) of docs/scheduling.md. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/bounds.h"
#include "sched/history.h"
#include "sched/known.h"
#include "sched/sim_truth.h"

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

struct window {
	int64_t from_s, to_s;
	int64_t known_s; /* what stretches from here on is held already */
	struct worths before, within; /* by when the stretch began */
	double held; /* of before: began with what begin_s found fetched */
};

/* One stretch without a change. */
static void
add_stretch(struct window *window, int64_t from_s, int64_t to_s, double weight)
{
	int64_t first_s = from_s > window->from_s ? from_s : window->from_s;
	int64_t last_s = to_s < window->to_s ? to_s : window->to_s;

	if (last_s > first_s)
		worths_add(from_s < window->from_s || from_s == window->known_s
			? &window->before
			: &window->within,
		    weight * (double)(last_s - first_s) / DAY_S);
}

static void
add_page(struct window *window, const struct sim_truth *truth, size_t page,
    int64_t born_s, double weight)
{
	for (size_t i = truth->first[page]; i < truth->first[page + 1]; i++) {
		add_stretch(window, born_s, truth->changes_s[i], weight);
		born_s = truth->changes_s[i];
	}
	add_stretch(window, born_s, window->to_s, weight);
}

static bool
is_held(const struct history *history, const struct sim_truth *truth,
    size_t page, int64_t from_s)
{
	size_t first = truth->first[page];

	return history->starts_known &&
	    (first == truth->first[page + 1] ||
		truth->changes_s[first] > from_s);
}

double
bounds_clairvoyant(const struct history *history, double requests_per_day,
    int64_t from_s, int64_t to_s)
{
	struct window window = {.from_s = from_s,
	    .to_s = to_s,
	    .known_s = history->starts_known ? history->begin_s : INT64_MIN};
	int64_t *births_s = known_births(history);
	double early = (double)(from_s - history->begin_s) / DAY_S;
	double late = (double)(to_s - from_s) / DAY_S;
	struct sim_truth truth;
	size_t bought;
	double sum;

	sim_truth_init(&truth, history);
	for (size_t i = 0; i < history->page_count; i++) {
		add_page(
		    &window, &truth, i, births_s[i], history->pages[i].weight);
		window.held += is_held(history, &truth, i, from_s);
	}
	sum = worths_buy(
	    &window.before, window.held + early * requests_per_day, &bought);
	for (size_t i = bought; i < window.before.count; i++)
		worths_add(&window.within, window.before.items[i]);
	sum += worths_buy(&window.within, late * requests_per_day, &bought);
	free(window.before.items);
	free(window.within.items);
	free(births_s);
	sim_truth_release(&truth);
	return sum;
}
