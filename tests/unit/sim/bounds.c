/* Bounds compared with published figures, with other ways to compute them, and
 * with a plain simulation. */
#include "tests/sim/bounds.h"

#include <math.h>

#include "tests/fixtures/fixture.h"
#include "tests/sim/history.h"
#include "tests/sim/random.h"

static const int64_t DAY_S = 86400;

static struct value_rates
blind_page(double weight, double changes)
{
	return (struct value_rates){.weight = weight, .alpha = changes, .q = 1};
}

/* The example of Cho and Garcia-Molina: pages that change 1 to 5 times a day,
 * 5 requests; the page that changes most gets none. */
static void
test_blind_example(void **state)
{
	static const double expected[] = {1.15, 1.36, 1.35, 1.14, 0.00};
	struct value_rates pages[5];
	double per_day[5];
	double sum = 0;
	struct bounds_problem problem = {
	    .pages = pages, .page_count = 5, .requests_per_day = 5};

	for (int i = 0; i < 5; i++)
		pages[i] = blind_page(1, i + 1);
	struct bounds_optimum optimum = bounds_blind(&problem, per_day);
	for (int i = 0; i < 5; i++) {
		assert_close(per_day[i], expected[i], 0.005);
		sum += per_day[i];
	}
	assert_close(sum, 5, 1e-6);
	/* The freshness of these rates, by F(r) = (1 - e^-r) / r. */
	sum = 0;
	for (int i = 0; i < 4; i++)
		sum += per_day[i] / (i + 1) * -expm1(-(i + 1) / per_day[i]);
	assert_close(optimum.freshness, sum / 5, 1e-6);
}

static double
blind_of(double weight, double changes, double requests)
{
	struct value_rates page = blind_page(weight, changes);
	struct bounds_problem problem = {
	    .pages = &page, .page_count = 1, .requests_per_day = requests};

	return bounds_blind(&problem, NULL).freshness;
}

static void
test_blind_extremes(void **state)
{
	/* one page: evenly spaced, (1 - e^-r) / r */
	assert_close(blind_of(3, 2, 4), -expm1(-0.5) / 0.5, 1e-6);
	assert_close(blind_of(1, 0, 0), 1, 0);
	assert_close(blind_of(1, 1, 0), 0, 1e-6);
	assert_close(blind_of(1, 1, 1e9), 1, 1e-6);
	assert_close(blind_of(1, 1e-9, 1), 1, 1e-6);
	assert_close(blind_of(1, 1e6, 1e-6), 0, 1e-6);
}

/* A page that exists half of the time counts half, and needs half of the
 * requests. */
static void
test_shares(void **state)
{
	const double shares[] = {0.5, 0.5, 1};
	struct value_rates pages[] = {
	    blind_page(1, 2), blind_page(1, 2), blind_page(5, 0)};
	struct bounds_problem problem = {.pages = pages,
	    .page_count = 3,
	    .requests_per_day = 4,
	    .shares = shares};
	double per_day[3];

	assert_close(bounds_blind(&problem, per_day).freshness,
	    (5 - expm1(-0.5) / 0.5) / 6, 1e-6);
	assert_close(per_day[0], 4, 1e-6);
	assert_close(per_day[2], 0, 0);
	assert_close(bounds_signals(&problem).freshness,
	    (5 - expm1(-0.5) / 0.5) / 6, 1e-4);
}

static struct value_rates
dated_page(double weight, double changes, double recall, double precision)
{
	return (struct value_rates){.weight = weight,
	    .alpha = (1 - recall) * changes,
	    .gamma = recall * changes / precision,
	    .q = 1 - precision};
}

/* Right dates: what changes is known; the best by weight / changes is kept
 * fresh for ever, as far as requests go. */
static void
test_right_dates(void **state)
{
	struct value_rates pages[] = {dated_page(1, 1, 1, 1),
	    dated_page(1, 2, 1, 1), dated_page(4, 4, 1, 1)};
	struct bounds_problem problem = {
	    .pages = pages, .page_count = 3, .requests_per_day = 5.5};

	/* 1/1 and 4/4 buy 5 requests, half a request buys a quarter of 1/2 */
	assert_close(bounds_signals(&problem).freshness, 5.25 / 6, 1e-4);
	assert_close(bounds_signals(&problem).price, 0.5, 0.01);
	problem.requests_per_day = 7;
	assert_close(bounds_signals(&problem).freshness, 1, 1e-4);
}

/* Dates that say less are worth less, but never less than no dates. */
static void
test_dates_order(void **state)
{
	static const double precisions[] = {1e-3, 0.03, 0.2, 0.5, 0.9, 1};
	double before = blind_of(1, 1, 0.5);
	struct value_rates page;
	struct bounds_problem problem = {
	    .pages = &page, .page_count = 1, .requests_per_day = 0.5};

	for (size_t i = 0; i < COUNT(precisions); i++) {
		page = dated_page(1, 1, 0.7, precisions[i]);
		double now = bounds_signals(&problem).freshness;
		assert_true(now >= before - 1e-4);
		before = now;
	}
	page = dated_page(1, 1, 0, 0.5);
	assert_close(
	    bounds_signals(&problem).freshness, blind_of(1, 1, 0.5), 1e-4);
}

static double
wait_of(struct random *random, double rate)
{
	return rate > 0 ? random_exponential(random) / rate : INFINITY;
}

/* One page of dates that miss changes and move without one, fetched at a
 * hazard of one's choice: freshness, and requests a day. */
static double
play(const struct value_rates *page, double hazard, double *requests)
{
	double true_moves = page->gamma * (1 - page->q);
	struct random random;
	double fresh = 0;
	double all = 0;
	const int cycles = 100000;

	random_init(&random, 3, 0);
	for (int i = 0; i < cycles; i++) {
		double t = 0;
		double sum = 0;
		double stale_at = wait_of(&random, page->alpha);
		for (;;) {
			double due = t + (hazard - sum) / page->alpha;
			double move = t + wait_of(&random, page->gamma);
			if (due <= move) {
				t = due;
				break;
			}
			sum += (move - t) * page->alpha - log(page->q);
			t = move;
			if (random_unit(&random) < true_moves / page->gamma)
				stale_at = fmin(stale_at, move);
			if (sum >= hazard)
				break;
		}
		fresh += fmin(stale_at, t);
		all += t;
	}
	*requests = cycles / all;
	return fresh / all;
}

/* No simulated threshold exceeds the bound for its requests, and one reaches
 * it. */
static void
test_signals_played(void **state)
{
	struct value_rates page = dated_page(1, 1, 0.6, 0.4);
	double least = 1;

	for (double hazard = 0.2; hazard < 2; hazard += 0.2) {
		struct bounds_problem problem = {
		    .pages = &page, .page_count = 1};
		double fresh = play(&page, hazard, &problem.requests_per_day);
		double gap = bounds_signals(&problem).freshness - fresh;
		assert_true(gap > -0.005);
		least = fmin(least, gap);
	}
	assert_true(least < 0.003);
}

static struct bounds_optimum
joint_of(struct value_rates *pages, size_t count, double cost, double requests)
{
	uint32_t documents[64] = {0};
	struct bounds_problem problem = {.pages = pages,
	    .page_count = count,
	    .requests_per_day = requests,
	    .documents = documents,
	    .costs = &cost,
	    .document_count = 1};

	return bounds_joint(&problem);
}

/* Alike pages with right dates: with readings every t, 1 - e^-t of them are
 * fetched each time: c + n (1 - e^-t) requests in t days give
 * (1 - e^-t) / t.  Where requests are few it is better to do that part of the
 * time only, and to do without readings in the other. */
static void
test_joint_alike(void **state)
{
	struct value_rates pages[64];

	for (int i = 0; i < 64; i++)
		pages[i] = dated_page(1, 1, 1, 1);
	for (double t = 0.25; t < 3; t += 0.25) {
		double share = -expm1(-t);
		struct bounds_optimum optimum = joint_of(
		    pages, 64, 6.4, (6.4 + 64 * share) / t);
		assert_true(optimum.freshness > share / t - 1e-4);
		if (t < 1.3)
			assert_close(optimum.freshness, share / t, 2e-4);
	}
}

/* With free readings the bound is that with signals; with readings that cost
 * more than they save it is that without signals; in other cases it lies
 * between the two. */
static void
test_joint_costs(void **state)
{
	struct value_rates pages[40];
	struct bounds_problem problem = {
	    .pages = pages, .page_count = 40, .requests_per_day = 8};
	double blind, pushed, before;

	for (int i = 0; i < 40; i++)
		pages[i] = dated_page(1 + i % 3, 0.02 * (i + 1), 1, 1);
	blind = bounds_blind(&problem, NULL).freshness;
	pushed = bounds_signals(&problem).freshness;
	assert_close(joint_of(pages, 40, 1e-9, 8).freshness, pushed, 5e-3);
	assert_close(joint_of(pages, 40, 1e6, 8).freshness, blind, 5e-3);
	before = pushed + 1e-4;
	for (double cost = 0.01; cost < 1000; cost *= 4) {
		double now = joint_of(pages, 40, cost, 8).freshness;
		assert_true(now <= before + 1e-4 && now >= blind - 1e-4);
		before = now;
	}
	for (int i = 0; i < 40; i++)
		pages[i].gamma = 0, pages[i].alpha = 0.02 * (i + 1);
	assert_close(joint_of(pages, 40, 1, 8).freshness, blind, 1e-4);
}

static void
add_event(struct history *history, enum history_kind kind, uint32_t page,
    int64_t t_s, uint64_t text)
{
	struct history_event event = {
	    .kind = (uint8_t)kind, .subject = page, .t_s = t_s, .text = text};

	history_add(history, &event);
}

/* Two pages in ten days: the best fetches can be found by hand. */
static void
two_pages(struct history *history)
{
	history_init(history);
	(void)history_add_site(history, "a.example", 0);
	(void)history_add_document(history,
	    &(struct history_document){.cost = 1, .shows_at_once = true});
	(void)history_add_page(history, &(struct history_page){.weight = 2});
	(void)history_add_page(history, &(struct history_page){.weight = 1});
	history->end_s = 10 * DAY_S;
	history->starts_known = true;
	for (uint32_t i = 0; i < 2; i++) {
		add_event(history, HISTORY_ADDED, i, 0, 0);
		add_event(history, HISTORY_EXISTS, i, 0, 1);
	}
	add_event(history, HISTORY_CHANGES, 0, 6 * DAY_S, 2);
	add_event(history, HISTORY_CHANGES, 1, 7 * DAY_S, 2);
	add_event(history, HISTORY_CHANGES, 0, 9 * DAY_S, 3);
}

static void
test_clairvoyant(void **state)
{
	struct history history;

	two_pages(&history);
	/* 0 until 6 and 1 until 7 are held; then 3 x 2, 3 x 1 and 1 x 2 */
	assert_close(bounds_clairvoyant(&history, 0, 0, 10 * DAY_S), 19, 1e-9);
	assert_close(
	    bounds_clairvoyant(&history, 0.1, 0, 10 * DAY_S), 25, 1e-9);
	assert_close(
	    bounds_clairvoyant(&history, 0.2, 0, 10 * DAY_S), 28, 1e-9);
	assert_close(
	    bounds_clairvoyant(&history, 0.25, 0, 10 * DAY_S), 29, 1e-9);
	assert_close(bounds_clairvoyant(&history, 9, 0, 10 * DAY_S), 30, 1e-9);
	/* from 5 on: 1 x 2 and 2 x 1 are held, then as before */
	assert_close(bounds_clairvoyant(&history, 0.2, 5 * DAY_S, 10 * DAY_S),
	    4 + 6, 1e-9);
	/* from 8 on nothing is held: 8 days pay for what began before */
	assert_close(bounds_clairvoyant(&history, 0.125, 8 * DAY_S, 10 * DAY_S),
	    2 + 0.25 * 2, 1e-9);
	history.starts_known = false;
	assert_close(
	    bounds_clairvoyant(&history, 0.1, 0, 10 * DAY_S), 12, 1e-9);
	history_release(&history);
}

static void
test_clairvoyant_listed(void **state)
{
	struct history history;

	two_pages(&history);
	/* only while it is listed: 0 until 8, 1 from then on */
	history.documents[0].shows_at_once = false;
	add_event(&history, HISTORY_REMOVED, 0, 7 * DAY_S, 0);
	history.events[2].kind = HISTORY_BYTES;
	add_event(&history, HISTORY_ADDED, 1, 6 * DAY_S, 0);
	add_event(&history, HISTORY_PUBLISHED, 0, 0, 0);
	add_event(&history, HISTORY_PUBLISHED, 0, 8 * DAY_S, 0);
	history_sort(&history);
	assert_close(
	    bounds_clairvoyant(&history, 9, 0, 10 * DAY_S), 16 + 2, 1e-9);
	assert_close(
	    bounds_clairvoyant(&history, 0.1, 0, 10 * DAY_S), 12 + 4, 1e-9);
	history_release(&history);
}

UNIT_TESTS(bounds, cmocka_unit_test(test_blind_example),
    cmocka_unit_test(test_blind_extremes), cmocka_unit_test(test_shares),
    cmocka_unit_test(test_right_dates), cmocka_unit_test(test_dates_order),
    cmocka_unit_test(test_signals_played), cmocka_unit_test(test_joint_alike),
    cmocka_unit_test(test_joint_costs), cmocka_unit_test(test_clairvoyant),
    cmocka_unit_test(test_clairvoyant_listed));
