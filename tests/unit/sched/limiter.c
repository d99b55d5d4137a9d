/* Whose turn it is: order, limits at each level, holds, clocks that jump. */
#include "sched/limiter.h"

#include <math.h>

#include "sched/budget.h"
#include "sched/positions.h"
#include "tests/fixtures/fixture.h"

static const struct limiter_limit FREE = {0};

struct scene {
	struct positions positions;
	struct limiter *limiter;
};

static void
scene_begin(struct scene *scene, const struct limiter_limit *limit)
{
	*scene = (struct scene){0};
	scene->limiter = limiter_new(limit);
}

static void
scene_end(struct scene *scene)
{
	limiter_free(scene->limiter);
	positions_release(&scene->positions);
}

/* node(scene, parent, gap_ms): a new one, with a limit of its own. */
static uint32_t
node(struct scene *scene, uint32_t parent, int64_t gap_ms)
{
	uint32_t limit = limiter_limit(
	    scene->limiter, &(struct limiter_limit){.gap_ms = gap_ms});

	return limiter_node(scene->limiter, parent, limit, &scene->positions);
}

static void
put(struct scene *scene, uint32_t at, uint32_t number, float value)
{
	limiter_put(scene->limiter,
	    &(struct limiter_choice){
		.node = at, .number = number, .value = value});
}

/* sent(scene, now_ms): the number that had its turn then; -1: none. */
static long
sent(struct scene *scene, int64_t now_ms)
{
	struct limiter_choice choice;

	if (!limiter_best(scene->limiter, now_ms, LIMITER_ROOT, &choice))
		return -1;
	assert_int_equal(
	    limiter_wait_ms(scene->limiter, now_ms, LIMITER_ROOT), 0);
	limiter_send(scene->limiter, now_ms, &choice);
	return (long)choice.number;
}

static void
test_order(void **state)
{
	struct scene scene;
	uint32_t tag, a, b;

	(void)state;
	scene_begin(&scene, &FREE);
	assert_int_equal(sent(&scene, 0), -1);
	assert_int_equal(limiter_wait_ms(scene.limiter, 0, LIMITER_ROOT), -1);
	tag = node(&scene, LIMITER_ROOT, 0);
	a = node(&scene, tag, 1000);
	b = node(&scene, LIMITER_ROOT, 2000);
	put(&scene, a, 1, 1);
	put(&scene, a, 2, 5);
	put(&scene, a, 3, 2);
	put(&scene, b, 4, 4);
	put(&scene, b, 5, 3);
	put(&scene, tag, 6, NAN);
	put(&scene, a, 1, 2.5F); /* worth more now */
	assert_int_equal(limiter_count(scene.limiter, LIMITER_ROOT), 6);
	assert_int_equal(limiter_count(scene.limiter, tag), 4);
	assert_int_equal(sent(&scene, 0), 2);
	assert_int_equal(sent(&scene, 0), 4);
	assert_int_equal(sent(&scene, 0), 6);
	assert_int_equal(sent(&scene, 0), -1);
	assert_int_equal(limiter_wait_ms(scene.limiter, 0, LIMITER_ROOT), 1000);
	assert_int_equal(sent(&scene, 999), -1);
	assert_int_equal(sent(&scene, 1000), 1);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 1500, LIMITER_ROOT), 500);
	limiter_remove(scene.limiter, b, 5);
	assert_int_equal(positions_get(&scene.positions, 5), POSITIONS_NOWHERE);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 1500, LIMITER_ROOT), 500);
	assert_int_equal(sent(&scene, 2000), 3);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 2000, LIMITER_ROOT), -1);
	assert_int_equal(limiter_count(scene.limiter, LIMITER_ROOT), 0);
	scene_end(&scene);
}

/* A better one behind a node that is ready anyway is seen in time. */
static void
test_better_wakes(void **state)
{
	struct scene scene;
	uint32_t tag, a, b;

	(void)state;
	scene_begin(&scene, &FREE);
	tag = node(&scene, LIMITER_ROOT, 0);
	a = node(&scene, tag, 0);
	b = node(&scene, tag, 1000);
	put(&scene, b, 1, 9);
	put(&scene, b, 2, 8);
	for (uint32_t i = 10; i < 20; i++)
		put(&scene, a, i, 1);
	assert_int_equal(sent(&scene, 0), 1);
	assert_true(sent(&scene, 0) >= 10);
	assert_true(sent(&scene, 999) >= 10);
	assert_int_equal(sent(&scene, 1000), 2);
	scene_end(&scene);
}

/* Many hosts of one address, and two tags that have some of them each. */
static void
test_shared_limit(void **state)
{
	struct scene scene;
	uint32_t address, tags[2], at[2], hosts[6];
	int64_t last_ms = -1000;
	unsigned n = 0;

	(void)state;
	scene_begin(&scene, &FREE);
	address = limiter_limit(
	    scene.limiter, &(struct limiter_limit){.gap_ms = 250});
	for (int t = 0; t < 2; t++) {
		tags[t] = node(&scene, LIMITER_ROOT, 0);
		at[t] = limiter_node(scene.limiter, tags[t], address, NULL);
	}
	for (uint32_t h = 0; h < 6; h++) {
		hosts[h] = node(&scene, at[h % 2], 1000);
		for (uint32_t i = 0; i < 3; i++)
			put(&scene, hosts[h], h * 3 + i, (float)h);
	}
	for (int64_t now_ms = 0; now_ms < 10000; now_ms += 10) {
		if (sent(&scene, now_ms) < 0)
			continue;
		assert_true(now_ms - last_ms >= 250);
		last_ms = now_ms;
		n++;
	}
	assert_int_equal(n, 18);
	put(&scene, hosts[0], 50, 1);
	limiter_hold(scene.limiter, at[1], LIMITER_HOLD_ALL, 20000);
	assert_int_equal(sent(&scene, 19999), -1);
	assert_int_equal(sent(&scene, 20000), 50);
	/* 18 turns 250 ms apart, and no turn was lost */
	assert_true(last_ms <= 17 * 250 + 2000);
	scene_end(&scene);
}

/* Two kinds of things of the same hosts: what waits in one tree takes no turn
 * in the other, but what is sent of one kind counts for both. */
static void
test_two_trees(void **state)
{
	struct scene scene;
	struct limiter_choice choice;
	uint32_t tops[2], host[2], limit;

	(void)state;
	scene_begin(&scene, &FREE);
	limit = limiter_limit(
	    scene.limiter, &(struct limiter_limit){.gap_ms = 1000});
	for (uint32_t t = 0; t < 2; t++) {
		tops[t] = node(&scene, LIMITER_ROOT, 0);
		host[t] = limiter_node(
		    scene.limiter, tops[t], limit, &scene.positions);
		for (uint32_t i = 0; i < 3; i++)
			put(&scene, host[t], t * 3 + i, (float)(1 + t));
	}
	for (int64_t now_ms = 0; now_ms < 3000; now_ms += 1000) {
		uint32_t t = now_ms == 1000;

		assert_true(
		    limiter_best(scene.limiter, now_ms, tops[t], &choice));
		assert_int_equal(choice.node, host[t]);
		limiter_send(scene.limiter, now_ms, &choice);
		for (t = 0; t < 2; t++) {
			assert_false(limiter_best(
			    scene.limiter, now_ms + 999, tops[t], &choice));
			assert_int_equal(limiter_wait_ms(scene.limiter,
					     now_ms + 999, tops[t]),
			    1);
		}
	}
	assert_int_equal(limiter_count(scene.limiter, tops[0]), 1);
	assert_int_equal(limiter_count(scene.limiter, tops[1]), 2);
	limiter_hold(scene.limiter, LIMITER_ROOT, LIMITER_HOLD_ALL, 9000);
	assert_int_equal(limiter_wait_ms(scene.limiter, 8000, tops[1]), 1000);
	assert_false(limiter_best(scene.limiter, 8999, tops[1], &choice));
	assert_true(limiter_best(scene.limiter, 9000, tops[1], &choice));
	scene_end(&scene);
}

/* A host is found to live at a busy address; it moves with what waits. */
static void
test_move_and_hold(void **state)
{
	struct scene scene;
	uint32_t address, host;

	(void)state;
	scene_begin(&scene, &FREE);
	address = node(&scene, LIMITER_ROOT, 1000);
	host = node(&scene, LIMITER_ROOT, 0);
	put(&scene, address, 1, 1);
	for (uint32_t i = 2; i < 8; i++)
		put(&scene, host, i, 2 + (float)i);
	assert_int_equal(sent(&scene, 0), 7);
	limiter_move(scene.limiter, host, address);
	assert_int_equal(limiter_count(scene.limiter, address), 6);
	assert_int_equal(limiter_count(scene.limiter, LIMITER_ROOT), 6);
	assert_int_equal(sent(&scene, 0), 6);
	assert_int_equal(sent(&scene, 0), -1);
	assert_int_equal(sent(&scene, 1000), 5);
	limiter_move(scene.limiter, host, LIMITER_ROOT);
	assert_int_equal(sent(&scene, 1000), 4);
	limiter_hold(scene.limiter, host, LIMITER_HOLD_ALL, 5000);
	limiter_hold(scene.limiter, host, LIMITER_HOLD_ALL, 4000);
	assert_int_equal(sent(&scene, 2000), 1);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 2000, LIMITER_ROOT), 3000);
	assert_int_equal(sent(&scene, 4999), -1);
	assert_int_equal(sent(&scene, 5000), 3);
	limiter_hold(scene.limiter, LIMITER_ROOT, LIMITER_HOLD_ALL, 6000);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 5000, LIMITER_ROOT), 1000);
	assert_int_equal(sent(&scene, 5999), -1);
	assert_int_equal(sent(&scene, 6000), 2);
	scene_end(&scene);
}

/* Costs, and limits that change. */
static void
test_charge(void **state)
{
	struct scene scene;
	uint32_t limit, host;

	(void)state;
	scene_begin(&scene, &(struct limiter_limit){.per_hour = 3600});
	limit = limiter_limit(
	    scene.limiter, &(struct limiter_limit){.gap_ms = 5000});
	host = limiter_node(
	    scene.limiter, LIMITER_ROOT, limit, &scene.positions);
	for (uint32_t i = 1; i < 9; i++)
		put(&scene, host, i, (float)i);
	assert_int_equal(sent(&scene, 0), 8);
	assert_int_equal(limiter_wait_ms(scene.limiter, 0, LIMITER_ROOT), 5000);
	limiter_set_limit(scene.limiter, limit, &FREE);
	assert_int_equal(limiter_wait_ms(scene.limiter, 0, LIMITER_ROOT), 1000);
	assert_int_equal(sent(&scene, 1000), 7);
	/* that was a reading as large as three pages */
	limiter_spend(scene.limiter, 1000, host, budget_spend, 2);
	assert_int_equal(sent(&scene, 3999), -1);
	assert_int_equal(sent(&scene, 4000), 6);
	/* no request is given back so */
	limiter_spend(scene.limiter, 4000, host, budget_spend, -0.9);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 4000, LIMITER_ROOT), 1000);
	limiter_set_limit(
	    scene.limiter, 0, &(struct limiter_limit){.gap_ms = 10});
	assert_int_equal(sent(&scene, 4009), -1);
	assert_int_equal(sent(&scene, 4010), 5);
	scene_end(&scene);
}

/* A clock that is put back neither blocks a host for ages nor lets two
 * requests come closer than its delay. */
static void
test_clock(void **state)
{
	static const int64_t ages_ms = INT64_C(1) << 45;
	struct scene scene;
	uint32_t host, held;

	(void)state;
	scene_begin(&scene, &(struct limiter_limit){.per_hour = 7200});
	host = node(&scene, LIMITER_ROOT, 1000);
	held = node(&scene, LIMITER_ROOT, 0);
	for (uint32_t i = 1; i < 6; i++)
		put(&scene, host, i, (float)i);
	put(&scene, held, 9, 9);
	limiter_hold(scene.limiter, held, LIMITER_HOLD_ALL, ages_ms + 3000);
	assert_int_equal(sent(&scene, ages_ms), 5);
	assert_int_equal(
	    limiter_wait_ms(scene.limiter, 77, LIMITER_ROOT), 1000);
	assert_int_equal(sent(&scene, 1076), -1);
	assert_int_equal(sent(&scene, 1077), 4);
	assert_int_equal(sent(&scene, INT64_MIN), -1);
	assert_int_equal(sent(&scene, INT64_MIN + 999), -1);
	assert_int_equal(sent(&scene, INT64_MIN + 1000), 3);
	/* two of its three seconds are over, and that is remembered */
	assert_int_equal(sent(&scene, INT64_MIN + 1500), -1);
	assert_int_equal(sent(&scene, INT64_MIN + 1999), -1);
	assert_int_equal(sent(&scene, INT64_MIN + 2000), 9);
	assert_int_equal(sent(&scene, INT64_MAX - 1), 2);
	assert_int_equal(sent(&scene, INT64_MAX - 1), -1);
	assert_int_equal(sent(&scene, 0), -1);
	assert_int_equal(sent(&scene, 1000), 1);
	scene_end(&scene);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_better_wakes),
	    cmocka_unit_test(test_shared_limit),
	    cmocka_unit_test(test_two_trees),
	    cmocka_unit_test(test_move_and_hold),
	    cmocka_unit_test(test_charge),
	    cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
