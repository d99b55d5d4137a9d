/* Paid readings with true parameters, compared with the bound, and with
 * readings at fixed intervals. */
#include <stdlib.h>

#include "tests/fixtures/policy_fixture.h"
#include "tests/sim/bounds.h"
#include "tests/sim/known.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_metrics.h"
#include "tests/sim/world.h"
#include "tests/sim/world_options.h"

static double
play(const struct history *history, const struct sim_options *options,
    double *readings)
{
	struct sim_result result;
	struct sim_figures figures;

	sim_run(&result, &policy_greedy_ncis, history, options);
	sim_figures(&result, SIM_ALL, sim_second_half(&result),
	    sim_top_weight(history), &figures);
	sim_result_release(&result);
	*readings = figures.readings;
	return figures.freshness;
}

static double
bound_of(const struct history *history, double requests)
{
	struct known known;
	struct value_rates *pages = calloc(history->page_count, sizeof(*pages));
	uint32_t *documents = calloc(history->page_count, sizeof(uint32_t));
	double *costs = calloc(history->document_count, sizeof(double));
	struct bounds_problem problem = {pages, history->page_count, requests,
	    NULL, documents, costs, history->document_count};
	double bound;

	known_init(&known, history);
	for (uint32_t i = 0; i < history->page_count; i++) {
		pages[i] = known_rates(&known, i, history->begin_s);
		documents[i] = history->pages[i].document;
	}
	for (size_t i = 0; i < history->document_count; i++)
		costs[i] = history->documents[i].cost;
	bound = bounds_joint(&problem).freshness;
	free(pages);
	free(documents);
	free(costs);
	known_release(&known);
	return bound;
}

static void
check_world(const char *name, double pages, double sites, double least_share)
{
	static const double every_days[] = {0.25, 0.5, 1, 2, 4, 8};
	struct world_options world = *world_preset(name);
	struct sim_options options;
	struct history history;
	double ours, readings, bound;

	world.pages = pages;
	world.sites = sites;
	world.days = 100;
	world_make(&history, &world);
	options = world_sim(&world);
	ours = play(&history, &options, &readings);
	bound = bound_of(&history, options.requests_per_day);
	assert_true(ours > least_share * bound && ours < 1.02 * bound);
	assert_true(readings > 0 && readings < options.requests_per_day / 2);
	for (size_t i = 0; i < COUNT(every_days); i++) {
		options.read_every_s = (int64_t)(every_days[i] * (double)DAY_S);
		options.is_reading_paid = true;
		assert_true(play(&history, &options, &readings) < ours + 0.002);
	}
	history_release(&history);
}

static void
test_all_correct(void **state)
{
	check_world("W4", 1000, 10, 0.98);
}

static void
test_adversarial(void **state)
{
	check_world("W5", 1000, 10, 0.97);
}

/* Whether readings are needed to know the pages; and that there can be none. */
static void
test_closed(void **state)
{
	struct world_options world = *world_preset("W2");
	struct sim_options options;
	struct sim_result result;
	struct sim_figures figures;
	struct history history;

	world.pages = 100;
	world.sites = 5;
	world.days = 20;
	world_make(&history, &world);
	options = world_sim(&world);
	assert_true(sim_is_closed(&history));
	options.read_every_s = SIM_NEVER;
	sim_run(&result, &policy_fifo, &history, &options);
	sim_figures(&result, SIM_ALL, sim_second_half(&result), 0, &figures);
	assert_true(figures.readings == 0 && figures.fetches > 0);
	sim_result_release(&result);
	history.starts_known = false;
	assert_false(sim_is_closed(&history));
	history_release(&history);

	world = *world_preset("growing");
	world.pages = 100;
	world.sites = 5;
	world.days = 20;
	world_make(&history, &world);
	assert_false(sim_is_closed(&history));
	history_release(&history);
}

/* Readings of all documents would cost the whole budget. */
static void
test_dear(void **state)
{
	check_world("W4", 600, 30, 0.97);
}

UNIT_TESTS(policy_joint, cmocka_unit_test(test_closed),
    cmocka_unit_test(test_all_correct), cmocka_unit_test(test_adversarial),
    cmocka_unit_test(test_dear));
