/*
 * The policy GREEDY with learned rates and without signals, which shows what
 * can be reached without dates.  The rate of a page is learned from expected
 * changes, beginning with the mean of its site, which begins with the mean of
 * all sites.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/value.h"
#include "tests/sim/baseline.h"
#include "tests/sim/bounds.h"
#include "tests/sim/by_worth.h"
#include "tests/sim/policies.h"

/* The changes a day of a page, before any page was fetched. */
#define FIRST_RATE 0.05
/* The mean of all sites counts as so many changes of a site. */
#define SITE_SHAPE 3.0
#define HALVINGS 24
#define DAYS_MOST 1e5

/* Expected changes in so many days that have been observed. */
struct tally {
	double changes, days;
};

struct learned {
	struct baseline baseline; /* its order is not used */
	struct by_worth queue;
	struct tally *pages; /* owned */
	struct tally *sites; /* owned */
	struct tally all;
};

static const struct history_page *
page_of(const struct learned *learned, uint32_t page)
{
	return &learned->baseline.setup.history->pages[page];
}

static uint32_t
site_of(const struct learned *learned, uint32_t page)
{
	const struct history *history = learned->baseline.setup.history;

	return history->documents[history->pages[page].document].site;
}

/* The rate of a page that has not been seen for tau days. */
static double
rate_of(const struct learned *learned, uint32_t page, double tau)
{
	const struct tally *p = &learned->pages[page];
	const struct tally *site = &learned->sites[site_of(learned, page)];
	double all = (1 + learned->all.changes) /
	    (1 / FIRST_RATE + learned->all.days);
	double mean = (SITE_SHAPE + site->changes) /
	    (SITE_SHAPE / all + site->days);

	return (1 + p->changes) / (1 / mean + p->days + tau);
}

static double
worth_at(const struct learned *learned, uint32_t page, double tau)
{
	double rate = rate_of(learned, page, tau);

	return page_of(learned, page)->weight / rate * value_phi(rate * tau);
}

static double
worth(void *arg, int64_t now_s, uint32_t page)
{
	const struct learned *learned = arg;

	if (learned->baseline.fetched_s[page] == BASELINE_NEVER)
		return page_of(learned, page)->weight /
		    rate_of(learned, page, 0);
	return worth_at(
	    learned, page, baseline_tau(&learned->baseline, now_s, page));
}

/* The estimate of the rate falls while the page is not fetched, so there is no
 * closed form. */
static double
days_until(void *arg, int64_t now_s, uint32_t page, double enough)
{
	const struct learned *learned = arg;
	double now = baseline_tau(&learned->baseline, now_s, page);
	double low = now;
	double high = 2 * now + 1;

	while (high < DAYS_MOST && worth_at(learned, page, high) < enough) {
		low = high;
		high *= 2;
	}
	for (int i = 0; i < HALVINGS && high - low > 0.01; i++) {
		double middle = (low + high) / 2;
		if (worth_at(learned, page, middle) < enough)
			low = middle;
		else
			high = middle;
	}
	return high - now;
}

static const struct by_worth_calls calls = {worth, days_until};

/* The price if all pages changed at FIRST_RATE. */
static double
first_price(const struct sim_setup *setup)
{
	const struct history *history = setup->history;
	struct value_rates *rates = mem_alloc(
	    (history->page_count + 1) * sizeof(*rates));
	struct bounds_problem problem = {.pages = rates,
	    .page_count = history->page_count,
	    .requests_per_day = setup->requests_per_day};
	double price;

	for (size_t i = 0; i < history->page_count; i++)
		rates[i] = (struct value_rates){
		    .weight = history->pages[i].weight,
		    .alpha = FIRST_RATE,
		    .q = 1};
	price = bounds_blind(&problem, NULL).price;
	free(rates);
	return price;
}

static void *
learned_new(const struct sim_setup *setup)
{
	struct learned *learned = mem_zero(sizeof(*learned));
	const struct history *history = setup->history;

	baseline_init(&learned->baseline, setup);
	learned->pages = mem_zero(
	    (history->page_count + 1) * sizeof(*learned->pages));
	learned->sites = mem_zero(
	    (history->site_count + 1) * sizeof(*learned->sites));
	by_worth_init(&learned->queue, setup, first_price(setup));
	learned->queue.calls = &calls;
	learned->queue.arg = learned;
	return learned;
}

static void
learned_free(void *arg)
{
	struct learned *learned = arg;

	baseline_release(&learned->baseline);
	by_worth_release(&learned->queue);
	free(learned->pages);
	free(learned->sites);
	free(learned);
}

static void
learned_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct learned *learned = arg;

	if (is_fetched)
		learned->baseline.fetched_s[page] = now_s;
	by_worth_put(&learned->queue, now_s, page);
}

static void
learned_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct learned *learned = arg;

	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		if (!move->is_document && move->kind != SIM_GONE &&
		    !by_worth_has(&learned->queue, move->number))
			by_worth_put(&learned->queue, now_s, move->number);
	}
}

static void
add(struct tally *tally, double changes, double days)
{
	tally->changes += changes;
	tally->days += days;
}

/* A fetch that finds a change counts as the number of changes expected since
 * the fetch before, given that there was at least one. */
static void
learn(struct learned *learned, int64_t now_s, uint32_t page, bool is_changed)
{
	double tau = baseline_tau(&learned->baseline, now_s, page);
	double expected = rate_of(learned, page, tau) * tau;
	double changes = 0;

	if (is_changed)
		changes = expected < 1e-9 ? 1 : expected / -expm1(-expected);
	add(&learned->pages[page], changes, tau);
	add(&learned->sites[site_of(learned, page)], changes, tau);
	add(&learned->all, changes, tau);
}

static void
learned_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct learned *learned = arg;
	bool is_first = learned->baseline.fetched_s[page] == BASELINE_NEVER;

	if (outcome != SIM_FAILED && !is_first)
		learn(learned, now_s, page, outcome != SIM_SAME);
	if (!baseline_seen(&learned->baseline, now_s, page, outcome)) {
		by_worth_remove(&learned->queue, page);
		ranking_put(&learned->queue.asleep, page,
		    (double)(now_s + BASELINE_RETRY_S));
		return;
	}
	if (outcome == SIM_DEAD)
		by_worth_remove(&learned->queue, page);
	else
		by_worth_put(&learned->queue, now_s, page);
}

static bool
learned_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct learned *learned = arg;

	*request = (struct sim_request){0};
	by_worth_begin(&learned->queue, now_s);
	return by_worth_next(&learned->queue, &request->number);
}

const struct sim_policy policy_learned_greedy = {
    .name = "learned-greedy",
    .text = "the best value, with learned rates and without signals",
    .ignores_dates = true,
    .knows = SIM_KNOWS_NOTHING,
    .new = learned_new,
    .free = learned_free,
    .page = learned_page,
    .reading = learned_reading,
    .outcome = learned_outcome,
    .next = learned_next,
};
