/* The scheduler in the simulator: small worlds, against round robin. */
#include "tests/unit/fixture.h"

#include "sched/history.h"
#include "sched/policies.h"
#include "sched/sim.h"
#include "sched/world.h"

static double
freshness(const struct history *history, const struct sim_policy *policy,
    const struct sim_options *options)
{
	struct sim_result result;
	double fresh = 0, weight = 0;

	sim_run(&result, policy, history, options);
	for (size_t day = result.day_count / 2; day < result.day_count; day++)
		for (size_t i = 0; i < result.class_count; i++) {
			const struct sim_day
			    *at = &result.days[day * result.class_count + i];

			fresh += at->fresh;
			weight += at->weight;
		}
	sim_result_release(&result);
	return fresh / weight;
}

/* How much of what round robin leaves it wins, at least. */
static const struct {
	const char *world;
	double gap;
} cases[] = {
    {"W1", 0.20},
    {"W2", 0.25},
    {"W3", 0.20},
    {"W4", 0.20},
    {"W5", 0.05},
    {"W6", 0.20},
    {"W7-bursty", 0.15},
    {"W7-periodic", 0.10},
    {"growing", 0.10},
};

static void
test_worlds(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct world_options world = *world_preset(cases[i].world);
		struct sim_options options;
		struct history history;
		double fifo, ours;

		world.seed = 3;
		world.pages = 600;
		world.sites = world.sites < 30 ? world.sites : 30;
		world.days = 60;
		if (world.turn_days > 0)
			world.turn_days = 30;
		world_make(&history, &world);
		options = world_sim(&world);
		fifo = freshness(&history, &policy_fifo, &options);
		ours = freshness(&history, &policy_ours, &options);
		print_message("%s: fifo %.3f ours %.3f gap %.2f\n",
		    cases[i].world, fifo, ours, (ours - fifo) / (1 - fifo));
		if (!((ours - fifo) / (1 - fifo) >= cases[i].gap))
			fail_msg("%s", cases[i].world);
		/* The same history, the same result. */
		assert_true(
		    ours == freshness(&history, &policy_ours, &options));
		history_release(&history);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
