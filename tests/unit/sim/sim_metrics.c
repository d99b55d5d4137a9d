/* Figures by hand, and budgets found by a policy whose answer is known. */
#include "tests/sim/sim_metrics.h"

#include <math.h>

#include "tests/fixtures/fixture.h"
#include "tests/sim/history.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_policy.h"
#include "tests/sim/world.h"
#include "tests/sim/world_options.h"

static void
test_figures(void **state)
{
	struct sim_day days[8] = {{.weight = 9}, {.weight = 9}, {.weight = 9},
	    {.weight = 9},
	    {.weight = 2, .fresh = 1, .age = 4, .fetches = 3, .found = 1},
	    {.weight = 6, .fresh = 3, .age = 0, .fetches = 1, .first = 1},
	    {.weight = 2, .fresh = 2, .readings = 6, .readings_cost = 3},
	    {.weight = 6, .fresh = 6, .fetches = 1, .failed = 1}};
	struct sim_delay delays[] = {{1.5F, 9, 5, 0, 0}, {2, 3, 1, 0, 0},
	    {2.5F, 1, 7, 1, 1}, {3.9F, INFINITY, 5, 1, 2}, {3, 2, 5, 1, 3},
	    /* One page that changes often counts once. */
	    {2.1F, 0.5F, 1, 0, 4}, {2.2F, 0.5F, 1, 0, 4},
	    {2.3F, 0.5F, 1, 0, 4}};
	struct sim_result result = {.class_count = 2,
	    .day_count = 4,
	    .days = days,
	    .delays = delays,
	    .delay_count = COUNT(delays)};
	struct sim_window window = sim_second_half(&result);
	struct sim_figures figures;

	sim_figures(&result, SIM_ALL, window, 5, &figures);
	assert_close(figures.weight, 8, 1e-12);
	assert_close(figures.freshness, 12.0 / 16, 1e-12);
	assert_close(figures.age_days, 4.0 / 16, 1e-12);
	assert_close(figures.fetches, 2.5, 1e-12);
	assert_close(figures.readings, 3, 1e-12);
	assert_close(figures.readings_cost, 1.5, 1e-12);
	assert_close(figures.found_share, 0.25, 1e-12);
	assert_close(figures.failed_share, 0.2, 1e-12);
	assert_close(figures.delay_days, 2, 1e-6);
	assert_close(figures.delay_top_days, 2, 1e-6);
	sim_figures(&result, 1, window, 6, &figures);
	assert_close(figures.freshness, 9.0 / 12, 1e-12);
	assert_close(figures.delay_days, 2, 1e-6);
	assert_close(figures.delay_top_days, 1, 1e-6);
	sim_figures(&result, 0, (struct sim_window){3, 9}, 8, &figures);
	assert_close(figures.freshness, 1, 1e-12);
	assert_true(isnan(figures.found_share) && isnan(figures.delay_days));
	sim_figures(&result, 0, (struct sim_window){4, 4}, 8, &figures);
	assert_true(isnan(figures.freshness) && isnan(figures.fetches));
}

static void
test_top_weight(void **state)
{
	struct history history;

	history_init(&history);
	assert_true(isinf(sim_top_weight(&history)));
	for (int i = 0; i < 20; i++) {
		struct history_page page = {.weight = (float)((i * 7) % 20)};
		(void)history_add_page(&history, &page);
	}
	assert_close(sim_top_weight(&history), 18, 0);
	history_release(&history);
}

static void
test_score(void **state)
{
	static const struct history_dates truths[] = {
	    {DATING_NOISY, 0.5F, 0.5F}, {DATING_NOISY, 0.5F, 0.5F},
	    {DATING_NOISY, 0.5F, 0.5F}, {DATING_CORRECT, 1, 1},
	    {DATING_DEPLOY, -1, 0}, {DATING_NOW, -1, 0}, {DATING_NONE, -1, 0},
	    {DATING_UNKNOWN, -1, -1}};
	static const struct sim_honesty learned[] = {{true, 0.6, 0.4, 50},
	    {true, 0.5, 0.7, 50}, {true, 0.1, 0.1, 49}, {false, 0, 0, 70},
	    {true, 0.5, 0, 99}, {true, 0.49, 0, 99}, {true, 0.9, 0.9, 0},
	    {true, 0.9, 0.9, 99}};
	struct history history;
	struct sim_score score;

	history_init(&history);
	for (size_t i = 0; i < COUNT(truths); i++) {
		struct history_document document = {
		    .dates = {truths[i], {DATING_STALE, -1, 0}}, .turn_s = 100};
		(void)history_add_document(&history, &document);
	}
	sim_score(learned, &history, 99, 50, &score);
	assert_int_equal(score.documents, 3);
	assert_int_equal(score.within, 1);
	assert_close(score.precision_error, 0.05, 1e-6);
	assert_close(score.recall_error, 0.15, 1e-6);
	assert_int_equal(score.liars, 2);
	assert_int_equal(score.believed, 1);
	sim_score(learned, &history, 100, 50, &score);
	assert_int_equal(score.documents, 0);
	assert_true(isnan(score.recall_error));
	assert_int_equal(score.liars, 6);
	history_release(&history);
}

static void
test_samples(void **state)
{
	struct sim_sample sample = {0};

	assert_true(isnan(sim_sample_mean(&sample)));
	assert_true(isnan(sim_sample_error(&sample)));
	sim_sample_add(&sample, 4);
	sim_sample_add(&sample, NAN);
	assert_close(sim_sample_mean(&sample), 4, 0);
	assert_true(isnan(sim_sample_error(&sample)));
	sim_sample_add(&sample, 6);
	sim_sample_add(&sample, 5);
	assert_close(sim_sample_mean(&sample), 5, 1e-12);
	assert_close(sim_sample_error(&sample), 4.303 / sqrt(3), 1e-3);
	for (int i = 0; i < 60; i++)
		sim_sample_add(&sample, i % 2 == 0 ? 4 : 6);
	assert_close(sim_sample_error(&sample), 2.0 / sqrt(62), 0.005);
	sim_sample_add(&sample, INFINITY);
	assert_true(isinf(sim_sample_mean(&sample)));
	assert_true(isnan(sim_sample_error(&sample)));
	assert_close(sim_gap(0.8, 0.6, 0.85), 0.8, 1e-12);
	assert_true(isnan(sim_gap(0.8, 0.6, 0.6)));
}

/* Round robin, for the search of budgets: its freshness is known. */
struct turns {
	uint32_t next, count;
};

static void *
turns_new(const struct sim_setup *setup)
{
	struct turns *turns = test_malloc(sizeof(*turns));

	*turns = (struct turns){0, (uint32_t)setup->history->page_count};
	return turns;
}

static void
turns_free(void *arg)
{
	test_free(arg);
}

static void
turns_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	(void)arg;
	(void)now_s;
	(void)page;
	(void)is_fetched;
}

static void
turns_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	(void)arg;
	(void)now_s;
	(void)page;
	(void)outcome;
}

static bool
turns_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct turns *turns = arg;

	(void)now_s;
	*request = (struct sim_request){.number = turns->next++ % turns->count};
	return true;
}

/*
 * Pages that change once a day and are fetched every x days are fresh
 * (1 - e^-x) / x of the time: 0.6321 with one request a day each, 0.8647 / 2
 * with half a request.
 */
static void
test_requests_for(void **state)
{
	static const struct sim_policy policy = {.name = "turns",
	    .new = turns_new,
	    .free = turns_free,
	    .page = turns_page,
	    .outcome = turns_outcome,
	    .next = turns_next};
	struct world_options world = *world_preset("W1");
	const struct sim_window window = {20, 40};
	struct history history;
	struct sim_options options;

	world.pages = 1000;
	world.sites = 10;
	world.days = 40;
	world.slowest = world.fastest = 1;
	world.weight_spread = 0;
	world.requests = 0.2;
	world_make(&history, &world);
	options = world_sim(&world);
	assert_close(
	    sim_requests_for(&policy, &history, &options, window, 0.6321), 1000,
	    30);
	options.requests_per_day = 3000;
	assert_close(
	    sim_requests_for(&policy, &history, &options, window, 0.43233), 500,
	    15);
	options.requests_per_day = 10;
	assert_true(isinf(
	    sim_requests_for(&policy, &history, &options, window, 0.6321)));
	history_release(&history);
}

UNIT_TESTS(sim_metrics, cmocka_unit_test(test_figures),
    cmocka_unit_test(test_top_weight), cmocka_unit_test(test_score),
    cmocka_unit_test(test_samples), cmocka_unit_test(test_requests_for));
