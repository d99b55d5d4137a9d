/* Index policies: what they choose, against a plain search, and all policies
 * against the bounds of small worlds. */
#include <math.h>
#include <stdlib.h>

#include "tests/fixtures/policy_fixture.h"
#include "tests/fixtures/sanitized.h"
#include "tests/sim/bounds.h"
#include "tests/sim/by_worth.h"
#include "tests/sim/known.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_metrics.h"
#include "tests/sim/value_exact.h"
#include "tests/sim/world.h"
#include "tests/sim/world_options.h"

/* Of pages fetched at 0 whose dates say nothing, the best is weight / rate
 * phi(rate tau).  A dead page comes back with a new date. */
static void
test_greedy(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){DATING_STALE, -1, 0});
	(void)trial_add(&trial, 1, 0.1);
	(void)trial_add(&trial, 1, 1);
	(void)trial_add(&trial, 1, 20);
	(void)trial_add(&trial, 3, 0.1);
	trial_begin(&trial, &policy_greedy_ncis);
	trial.now_s = 2 * DAY_S;
	/* worth 0.18, 0.59, 0.05 and 0.53 */
	trial_move(&trial, 2, SIM_MOVED, DAY_S);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 1);
	assert_int_equal(trial_ask(&trial, SIM_FAILED), 3);
	trial.now_s += 3 * HOUR_S;
	assert_int_equal(trial_ask(&trial, SIM_DEAD), 3);
	assert_int_equal(trial_ask(&trial, SIM_CHANGED), 0);
	for (int i = 0; i < 40; i++) {
		trial.now_s += DAY_S;
		assert_int_not_equal(trial_ask(&trial, SIM_SAME), 3);
	}
	trial_move(&trial, 3, SIM_MOVED, trial.now_s);
	trial.now_s += 10 * DAY_S;
	assert_int_equal(trial_ask(&trial, SIM_SAME), 3);
	trial_end(&trial);
}

/* Equal pages: a move counts as much as it can be believed. */
static void
test_signals(void **state)
{
	struct trial trial;

	trial_init(&trial, (struct history_dates){DATING_NOISY, 0.5f, 0.5f});
	for (int i = 0; i < 4; i++)
		(void)trial_add(&trial, 1, 0.1);
	trial_begin(&trial, &policy_greedy_ncis);
	trial.now_s = 5 * DAY_S;
	trial_move(&trial, 2, SIM_MOVED, DAY_S);
	trial_move(&trial, 1, SIM_MOVED, DAY_S);
	trial_move(&trial, 1, SIM_MOVED, 2 * DAY_S);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 1);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 2);
	/* older than the fetch: said too late */
	trial_move(&trial, 2, SIM_MOVED, 3 * DAY_S);
	assert_int_equal(trial_ask(&trial, SIM_SAME), 0);
	trial_end(&trial);
}

/* A new page is worth more than all equal pages. */
static void
test_new_page(void **state)
{
	static const struct sim_policy *const policies[] = {
	    &policy_greedy_ncis, &policy_learned_greedy};

	for (size_t i = 0; i < COUNT(policies); i++) {
		struct trial trial;
		trial_init(&trial, (struct history_dates){0});
		for (int j = 0; j < 4; j++)
			(void)trial_add(&trial, 1, 0.1);
		trial.unknown = 1;
		trial_begin(&trial, policies[i]);
		trial.now_s = 5 * DAY_S;
		trial.policy->page(trial.self, trial.now_s, 3, false);
		assert_int_equal(trial_ask(&trial, SIM_CHANGED), 3);
		assert_int_not_equal(trial_ask(&trial, SIM_CHANGED), 3);
		trial_end(&trial);
	}
}

/* A page that was seen to change is fetched more often than a page that was
 * not. */
static void
test_learned(void **state)
{
	struct trial trial;
	int counts[2] = {0};

	trial_init(&trial, (struct history_dates){0});
	(void)trial_add(&trial, 1, 1);
	(void)trial_add(&trial, 1, 1);
	trial.setup.requests_per_day = 1.0 / 8;
	trial_begin(&trial, &policy_learned_greedy);
	for (int i = 0; i < 400; i++) {
		struct sim_request request;
		trial.now_s += 8 * DAY_S;
		assert_true(
		    trial.policy->next(trial.self, trial.now_s, &request));
		trial.policy->outcome(trial.self, trial.now_s, request.number,
		    request.number == 0 ? SIM_CHANGED : SIM_SAME);
		if (i >= 100)
			counts[request.number]++;
	}
	assert_true(counts[1] > 0);
	assert_true(counts[0] > 3 * counts[1]);
	trial_end(&trial);
}

/* GREEDY-NCIS by a plain search. */
struct brute {
	const struct history *history;
	struct known known;
	int64_t *fetched_s;
	int *moves;
	double *worths;
	int64_t now_s;
};

static void *
brute_new(const struct sim_setup *setup)
{
	struct brute *brute = calloc(1, sizeof(*brute));
	size_t count = setup->history->page_count;

	brute->history = setup->history;
	known_init(&brute->known, setup->history);
	brute->fetched_s = calloc(count, sizeof(int64_t));
	brute->moves = calloc(count, sizeof(int));
	brute->worths = calloc(count, sizeof(double));
	brute->now_s = INT64_MIN;
	return brute;
}

static void
brute_free(void *arg)
{
	struct brute *brute = arg;

	known_release(&brute->known);
	free(brute->fetched_s);
	free(brute->moves);
	free(brute->worths);
	free(brute);
}

static void
brute_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct brute *brute = arg;

	assert_true(is_fetched);
	brute->fetched_s[page] = now_s;
}

static void
brute_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct brute *brute = arg;

	(void)now_s;
	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		int64_t last_s = move->lastmod_s +
		    (move->is_day ? DAY_S - 1 : 0);
		brute->moves[move->number] += move->kind == SIM_MOVED &&
		    last_s > brute->fetched_s[move->number];
	}
}

static void
brute_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct brute *brute = arg;

	(void)outcome;
	brute->fetched_s[page] = now_s;
	brute->moves[page] = 0;
	brute->worths[page] = 0;
}

static bool
brute_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct brute *brute = arg;
	uint32_t best = 0;

	for (uint32_t i = 0;
	     brute->now_s < now_s && i < brute->history->page_count; i++) {
		struct value_rates rates = known_rates(&brute->known, i, now_s);
		struct value_evidence evidence = {
		    .tau = (double)(now_s - brute->fetched_s[i]) /
			(double)DAY_S,
		    .moves = brute->moves[i]};
		brute->worths[i] = value_exact(&rates, &evidence);
	}
	brute->now_s = now_s;
	for (uint32_t i = 1; i < brute->history->page_count; i++)
		if (brute->worths[i] > brute->worths[best])
			best = i;
	*request = (struct sim_request){.number = best};
	return true;
}

static const struct sim_policy brute_policy = {.name = "brute",
    .new = brute_new,
    .free = brute_free,
    .page = brute_page,
    .reading = brute_reading,
    .outcome = brute_outcome,
    .next = brute_next};

/* A small world, and its bounds. */
struct arena {
	struct history history;
	struct sim_options options;
	double bound, sure_bound; /* with known signals; with a known future */
};

static void
arena_init(struct arena *arena, const char *name, double pages, double seed)
{
	struct world_options options = *world_preset(name);
	struct known known;
	struct bounds_problem problem = {0};
	struct value_rates *rates;
	double weight = 0;
	int64_t half_s;

	options.pages = pages;
	options.sites = pages / 40;
	options.days = 60;
	options.move_days = 35;
	options.seed = seed;
	world_make(&arena->history, &options);
	arena->options = world_sim(&options);
	known_init(&known, &arena->history);
	rates = calloc(arena->history.page_count, sizeof(*rates));
	half_s = (arena->history.begin_s + arena->history.end_s) / 2;
	for (uint32_t i = 0; i < arena->history.page_count; i++) {
		rates[i] = known_rates(&known, i, half_s);
		weight += rates[i].weight;
	}
	problem.pages = rates;
	problem.page_count = arena->history.page_count;
	problem.requests_per_day = arena->options.requests_per_day;
	arena->bound = bounds_signals(&problem).freshness;
	arena->sure_bound = bounds_clairvoyant(&arena->history,
				problem.requests_per_day, half_s,
				arena->history.end_s) /
	    weight / ((double)(arena->history.end_s - half_s) / (double)DAY_S);
	free(rates);
	known_release(&known);
}

static double
arena_play(const struct arena *arena, const struct sim_policy *policy)
{
	struct sim_result result;
	struct sim_figures figures;

	sim_run(&result, policy, &arena->history, &arena->options);
	sim_figures(&result, SIM_ALL, sim_second_half(&result),
	    sim_top_weight(&arena->history), &figures);
	sim_result_release(&result);
	return figures.freshness;
}

/* Pages that sleep until they are worth it are as good as a plain search; in
 * one world either is luckier, by half a per cent. */
static void
test_brute_force(void **state)
{
	static const char *const worlds[] = {"W1", "W2", "W3"};
	double sum = 0;
	const int seeds = 4;

	for (int i = 0; i < seeds * (int)COUNT(worlds); i++) {
		struct arena arena;
		arena_init(&arena, worlds[i / seeds], 400, i % seeds);
		sum += arena_play(&arena, &policy_greedy_ncis) /
		    arena_play(&arena, &brute_policy);
		history_release(&arena.history);
	}
	assert_close(sum / seeds / COUNT(worlds), 1, 0.002);
}

static bool
is_told(const struct sim_policy *policy)
{
	return (policy->knows & SIM_KNOWS_TRUTH) != 0;
}

/* SCHEDULING section 6, goal 12, give or take what a small world is luckier
 * than the average of its kind; and who knows more does better. */
static void
test_bounds_hold(void **state)
{
	static const char *const worlds[] = {"W1", "W2", "W3"};
	size_t count;
	const struct sim_policy *const *policies = sim_policies(&count);

	for (size_t i = 0; i < COUNT(worlds); i++) {
		struct arena arena;
		double fifo, learned, known;
		arena_init(&arena, worlds[i], 1200, 1);
		for (size_t j = 0; j < count; j++) {
			double f = arena_play(&arena, policies[j]);
			assert_true(f < 1.005 * arena.sure_bound);
			if (!is_told(policies[j]))
				assert_true(f < 1.02 * arena.bound);
		}
		fifo = arena_play(&arena, &policy_fifo);
		learned = arena_play(&arena, &policy_learned_greedy);
		known = arena_play(&arena, &policy_greedy_ncis);
		assert_true(known > 0.98 * arena.bound);
		assert_true(known > learned && learned > fifo + 0.03);
		assert_true(arena_play(&arena, &policy_clairvoyant) >
		    0.97 * arena.sure_bound);
		history_release(&arena.history);
	}
}

/* Also when sites move, no policy is better than one that knows the future,
 * and on average no policy without knowledge is better than the scheduler. */
static void
test_moves(void **state)
{
	static const char *const worlds[] = {
	    "moved", "moved-stay", "moved-part", "moved-host"};
	enum { SEEDS = IS_SANITIZED ? 1 : 4 };
	size_t count;
	const struct sim_policy *const *policies = sim_policies(&count);
	double *sums = calloc(count, sizeof(*sums));

	assert_string_equal(policies[0]->name, "ours");
	for (size_t i = 0; i < SEEDS * COUNT(worlds); i++) {
		struct arena arena;
		double best;

		arena_init(
		    &arena, worlds[i / SEEDS], 800, (double)(i % SEEDS + 1));
		arena.options.requests_per_day /= 5;
		best = arena_play(&arena, &policy_clairvoyant);
		for (size_t j = 0; j < count; j++) {
			double f;

			if (policies[j]->knows != SIM_KNOWS_NOTHING)
				continue;
			f = arena_play(&arena, policies[j]);
			assert_true(f < best);
			sums[j] += f;
		}
		history_release(&arena.history);
	}
	for (size_t j = 1; j < count; j++)
		assert_true(sums[j] < sums[0]);
	free(sums);
}

UNIT_TESTS(policy_value, cmocka_unit_test(test_greedy),
    cmocka_unit_test(test_signals), cmocka_unit_test(test_new_page),
    cmocka_unit_test(test_learned), cmocka_unit_test(test_brute_force),
    cmocka_unit_test(test_bounds_hold), cmocka_unit_test(test_moves));
