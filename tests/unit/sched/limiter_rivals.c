/* Which of two nodes of one limit goes first. */
#include "sched/limiter.h"

#include "sched/positions.h"
#include "tests/fixtures/fixture.h"

#define MANY 50

/* Two hosts; things of the first side of the first one are numbered from 0, of
 * its second side from 100; those of the other host from 200 and 300. */
enum { FAIR_FIRST, FAIR_SECOND, FAIR_SIDES };

struct scene {
	struct positions positions;
	struct limiter *limiter;
	uint32_t sides[FAIR_SIDES];
	uint32_t hosts[2][FAIR_SIDES];
};

static void
rivals(struct scene *scene, const uint32_t above[],
    const struct limiter_limit *what, uint32_t nodes[])
{
	uint32_t limit = limiter_limit(scene->limiter, what);
	uint32_t parents[] = {above[0], above[1]};

	for (int side = 0; side < FAIR_SIDES; side++)
		nodes[side] = limiter_node(
		    scene->limiter, parents[side], limit, &scene->positions);
	limiter_pair(scene->limiter, nodes[0], nodes[1]);
}

static void
scene_begin(struct scene *scene, const struct limiter_limit *limit)
{
	uint32_t root[] = {LIMITER_ROOT, LIMITER_ROOT};

	*scene = (struct scene){0};
	scene->limiter = limiter_new(&(struct limiter_limit){0});
	rivals(scene, root, &(struct limiter_limit){0}, scene->sides);
	for (int host = 0; host < 2; host++)
		rivals(scene, scene->sides, limit, scene->hosts[host]);
}

static void
scene_end(struct scene *scene)
{
	limiter_free(scene->limiter);
	positions_release(&scene->positions);
}

/* put(scene, number, value): it waits where its number says. */
static void
put(struct scene *scene, uint32_t number, float value)
{
	limiter_put(scene->limiter,
	    &(struct limiter_choice){
		.node = scene->hosts[number / 200][number / 100 % 2],
		.number = number,
		.value = value});
}

/* asked(scene, side, now_s): what had its turn then; -1: nothing. */
static long
asked(struct scene *scene, int side, int64_t now_s)
{
	struct limiter_choice choice;

	if (!limiter_best(
		scene->limiter, now_s * 1000, scene->sides[side], &choice))
		return -1;
	limiter_send(scene->limiter, now_s * 1000, &choice);
	return (long)choice.number;
}

static int64_t
wait_s(struct scene *scene, int side, int64_t now_s)
{
	return limiter_wait_ms(
		   scene->limiter, now_s * 1000, scene->sides[side]) /
	    1000;
}

static const struct limiter_limit GAP = {.gap_ms = 300000};

/* What is worth more goes first, whichever side it is of; and the second side
 * not twice in a row. */
static void
test_worth(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene, &GAP);
	put(&scene, 1, 5);
	put(&scene, 2, 5);
	put(&scene, 3, 1);
	put(&scene, 101, 4);
	put(&scene, 102, 9);
	/* nobody waits for who never asked */
	assert_int_equal(asked(&scene, 1, 0), 102);
	assert_int_equal(asked(&scene, 0, 300), 1);
	assert_int_equal(asked(&scene, 1, 600), -1);
	assert_int_equal(asked(&scene, 0, 600), 2);
	/* now the other one is worth more */
	assert_int_equal(wait_s(&scene, 0, 700), 200);
	assert_int_equal(asked(&scene, 0, 900), -1);
	assert_int_equal(wait_s(&scene, 0, 900), 2);
	assert_int_equal(wait_s(&scene, 1, 900), 0);
	assert_int_equal(asked(&scene, 1, 900), 101);
	put(&scene, 103, 9);
	assert_int_equal(asked(&scene, 1, 1200), -1);
	assert_int_equal(asked(&scene, 0, 1200), 3);
	assert_int_equal(asked(&scene, 1, 1500), 103);
	scene_end(&scene);
}

/* Who does not come is waited for two seconds, and not again before he asks. */
static void
test_patience(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene, &GAP);
	for (uint32_t i = 0; i < MANY; i++)
		put(&scene, i, 1);
	put(&scene, 101, 9);
	put(&scene, 201, 1);
	put(&scene, 301, 0.5F);
	assert_int_equal(asked(&scene, 1, 0), 101);
	put(&scene, 102, 9);
	/* meanwhile the other host is served */
	assert_int_equal(asked(&scene, 0, 0), 201);
	assert_int_equal(asked(&scene, 1, 0), -1);
	assert_true(asked(&scene, 0, 300) >= 0);
	assert_int_equal(asked(&scene, 0, 600), -1);
	assert_int_equal(asked(&scene, 0, 601), -1);
	assert_true(asked(&scene, 0, 602) >= 0);
	assert_true(asked(&scene, 0, 902) >= 0);
	assert_int_equal(asked(&scene, 1, 903), 301);
	assert_int_equal(asked(&scene, 0, 1202), -1);
	/* what it waited for went away */
	limiter_remove(scene.limiter, scene.hosts[0][1], 102);
	assert_true(asked(&scene, 0, 1202) >= 0);
	scene_end(&scene);
}

/* Where there is room for both nobody gives way. */
static void
test_room(void **state)
{
	static const struct limiter_limit limit = {
	    .per_hour = 360, .burst_ms = 50000};
	struct scene scene;

	(void)state;
	scene_begin(&scene, &limit);
	for (uint32_t i = 0; i < MANY; i++)
		put(&scene, i, 1);
	put(&scene, 101, 9);
	assert_int_equal(asked(&scene, 1, 0), 101);
	put(&scene, 102, 9);
	for (int i = 0; i < 3; i++)
		assert_true(asked(&scene, 0, 0) >= 0);
	/* of five the last */
	assert_int_equal(asked(&scene, 0, 0), -1);
	assert_int_equal(asked(&scene, 1, 0), 102);
	assert_int_equal(asked(&scene, 1, 0), -1);
	scene_end(&scene);
}

/* Put back, the clock finds all as it was: nobody waits longer for a rival. */
static void
test_rewind(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene, &GAP);
	put(&scene, 1, 1);
	put(&scene, 2, 1);
	put(&scene, 101, 9);
	assert_int_equal(asked(&scene, 1, 100000), 101);
	put(&scene, 102, 9);
	assert_true(asked(&scene, 0, 100300) >= 0);
	assert_int_equal(asked(&scene, 0, 100600), -1);
	assert_int_equal(asked(&scene, 0, 50000), -1);
	assert_int_equal(wait_s(&scene, 0, 50000), 300);
	assert_int_equal(asked(&scene, 0, 50300), -1);
	assert_true(asked(&scene, 0, 50302) >= 0);
	scene_end(&scene);
}

/* The first side is held, and the second goes on: it waits for nobody whose
 * turn cannot come. */
static void
hold_first(enum limiter_hold_kind kind)
{
	struct scene scene;
	uint32_t host;

	scene_begin(&scene, &GAP);
	host = scene.hosts[0][1];
	put(&scene, 1, 9);
	put(&scene, 2, 9);
	put(&scene, 101, 1);
	put(&scene, 102, 1);
	put(&scene, 201, 1);
	assert_int_equal(asked(&scene, 0, 0), 1);
	limiter_hold(scene.limiter, host, kind, 1000000);
	assert_int_equal(limiter_held_ms(scene.limiter, host, kind), 1000000);
	assert_int_equal(
	    limiter_held_ms(scene.limiter, host, LIMITER_HOLD_ALL), INT64_MIN);
	assert_int_equal(asked(&scene, 0, 300), 201);
	assert_int_equal(wait_s(&scene, 0, 300), 700);
	assert_int_equal(wait_s(&scene, 1, 300), 0);
	assert_int_equal(asked(&scene, 1, 300), 101);
	assert_int_equal(asked(&scene, 1, 600), 102);
	put(&scene, 103, 1);
	assert_int_equal(asked(&scene, 0, 999), -1);
	/* it is over: who is worth more goes first again */
	assert_int_equal(asked(&scene, 1, 1000), -1);
	assert_int_equal(asked(&scene, 0, 1000), 2);
	/* put back, it lasts as long as it would have */
	put(&scene, 3, 9);
	limiter_hold(scene.limiter, host, kind, 3000000);
	assert_int_equal(asked(&scene, 1, 2000), 103);
	assert_int_equal(wait_s(&scene, 0, 500), 1000);
	limiter_unhold(scene.limiter, host, kind);
	assert_int_equal(wait_s(&scene, 0, 500), 300);
	limiter_hold(scene.limiter, host, LIMITER_HOLD_ALL, 2000000);
	put(&scene, 104, 1);
	assert_int_equal(wait_s(&scene, 1, 500), 1500);
	scene_end(&scene);
}

static void
test_hold(void **state)
{
	(void)state;
	hold_first(LIMITER_HOLD_FIRST);
	hold_first(LIMITER_HOLD_PAUSE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_worth),
	    cmocka_unit_test(test_patience),
	    cmocka_unit_test(test_room),
	    cmocka_unit_test(test_rewind),
	    cmocka_unit_test(test_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
