/* The scheduler in the simulator: small worlds, compared with the best policy
 * that learns and ignores dates. */
#include "tests/fixtures/fixture.h"

#include "sched/estimate.h"
#include "sched/limiter.h"
#include "sched/scheduler_parts.h"
#include "tests/fixtures/sanitized.h"
#include "tests/sim/history.h"
#include "tests/sim/policies.h"
#include "tests/sim/sim.h"
#include "tests/sim/world.h"
#include "tests/sim/world_options.h"

enum { SEEDS = IS_SANITIZED ? 2 : 4 };

static double
freshness(const struct history *history, const struct sim_policy *policy,
    const struct sim_options *options)
{
	struct sim_result result;
	double fresh = 0, weight = 0, asked = 0, days = 0;

	sim_run(&result, policy, history, options);
	for (size_t day = result.day_count / 2; day < result.day_count; day++)
		for (size_t i = 0; i < result.class_count; i++) {
			const struct sim_day
			    *at = &result.days[day * result.class_count + i];

			asked += at->fetches;
			if (options->read_every_s == 0)
				asked += at->readings_cost;
			fresh += at->fresh;
			weight += at->weight;
		}
	days = (double)(result.day_count - result.day_count / 2);
	/* No request is lost, and none is made twice. */
	assert_in_range(
	    1000 * asked / days / options->requests_per_day, 985, 1015);
	sim_result_release(&result);
	return fresh / weight;
}

/* The stored figures of the dates of a source are equal to newly computed
 * ones. */
static void
check_looks(struct scheduler *s)
{
	for (size_t i = 0; i < s->sources.count; i++) {
		struct word word;

		estimate_word(&word, source_dates(&s->sources.items[i]));
		if (s->sources.items[i].has_word)
			assert_memory_equal(
			    &word, &s->sources.items[i].word, sizeof(word));
	}
}

static bool
checked_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct scheduler *scheduler = policy_ours_scheduler(arg);
	bool is_there = policy_ours.next(arg, now_s, request);

	if (scheduler->pages.evaluations % 64 == 0)
		check_looks(scheduler);
	return is_there;
}

/* How much of the freshness that learned-greedy does not reach the scheduler
 * wins, at least. */
static const struct {
	const char *world;
	double gap;
} cases[] = {
    {"W1", 0.12},
    {"W2", 0.25},
    {"W3", 0.04},
    {"W4", 0.30},
    {"W5", 0.02},
    {"W6", 0.18},
    {"W7-bursty", 0.08},
    {"W7-periodic", 0.12},
    {"growing", 0.25},
};

/* The part of the freshness that learned-greedy does not reach, which the
 * scheduler wins in one world. */
static double
gap_in(struct world_options *world)
{
	struct sim_options options = world_sim(world);
	struct history history;
	struct sim_policy checked = policy_ours;
	double learned, ours;

	checked.next = checked_next;
	world_make(&history, world);
	ours = freshness(&history, &policy_ours, &options);
	/* The same history, the same result. */
	assert_true(ours == freshness(&history, &checked, &options));
	/* A policy that ignores dates reads nothing, and pays nothing. */
	if (options.read_every_s == 0)
		options.read_every_s = SIM_NEVER;
	learned = freshness(&history, &policy_learned_greedy, &options);
	history_release(&history);
	return (ours - learned) / (1 - learned);
}

static void
test_worlds(void **state)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct world_options world = *world_preset(cases[i].world);
		double gap = 0;

		world.pages = 600;
		world.sites = world.sites < 30 ? world.sites : 30;
		world.days = 60;
		if (world.turn_days > 0)
			world.turn_days = 30;
		for (world.seed = 1; world.seed <= SEEDS; world.seed++)
			gap += gap_in(&world) / SEEDS;
		print_message("%s: gap %.3f\n", cases[i].world, gap);
		if (!(gap >= cases[i].gap))
			fail_msg("%s", cases[i].world);
	}
}

/* Hints of half of the changes win two points at least, at equal requests;
 * hints that always lie lose next to nothing. */
static void
test_hints(void **state)
{
	static const struct {
		double hints, false_hints;
		double least; /* points that are won */
	} rows[] = {{0.5, 0, 2}, {0, 0.5, -0.3}, {0, 3, -0.3}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		double won = 0;

		for (int seed = 1; seed <= SEEDS; seed++) {
			struct world_options world = *world_preset("W1");
			double fresh[2];

			world.pages = 1200;
			world.sites = 30;
			world.seed = seed;
			for (int has_hints = 0; has_hints < 2; has_hints++) {
				struct sim_options options;
				struct history history;

				world.hints = has_hints ? rows[i].hints : 0;
				world.false_hints = has_hints
				    ? rows[i].false_hints
				    : 0;
				options = world_sim(&world);
				world_make(&history, &world);
				fresh[has_hints] = freshness(
				    &history, &policy_ours, &options);
				history_release(&history);
			}
			won += 100 * (fresh[1] - fresh[0]) / SEEDS;
		}
		print_message("hints %g, false %g: %+.2f points\n",
		    rows[i].hints, rows[i].false_hints, won);
		assert_true(won >= rows[i].least);
	}
}

UNIT_TESTS(
    policy_ours, cmocka_unit_test(test_worlds), cmocka_unit_test(test_hints));
