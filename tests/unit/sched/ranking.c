/* The ranking compared with a plain search, over many random operations. */
#include "sched/heap.h"

#include <math.h>

#include "tests/fixtures/fixture.h"

enum { NUMBERS = 200, STEPS = 200000 };

static uint32_t
draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static void
check_first(const struct ranking *ranking, const double *keys)
{
	const struct ranking_item *first = ranking_first(ranking);
	size_t best = NUMBERS;

	for (size_t i = 0; i < NUMBERS; i++) {
		if (isnan(keys[i]))
			continue;
		if (best == NUMBERS || keys[i] < keys[best])
			best = i;
	}
	if (best == NUMBERS) {
		assert_null(first);
		return;
	}
	assert_non_null(first);
	assert_int_equal(first->number, best);
	assert_true(first->key >= keys[best] && first->key <= keys[best]);
}

static void
test_random_operations(void **state)
{
	struct ranking ranking = {0};
	double keys[NUMBERS]; /* NAN: not in it */
	uint64_t random = 7;

	for (size_t i = 0; i < NUMBERS; i++)
		keys[i] = NAN;
	for (int step = 0; step < STEPS; step++) {
		uint32_t number = draw(&random) % NUMBERS;
		if (draw(&random) % 3 == 0) {
			ranking_remove(&ranking, number);
			keys[number] = NAN;
		} else {
			/* few keys, so that many are equal */
			keys[number] = draw(&random) % 64;
			ranking_put(&ranking, number, keys[number]);
		}
		assert_int_equal(ranking_find(&ranking, number) != NULL,
		    !isnan(keys[number]));
		if (step % 8 == 0)
			check_first(&ranking, keys);
	}
	ranking_release(&ranking);
	assert_null(ranking_first(&ranking));
}

static void
test_extremes(void **state)
{
	struct ranking ranking = {0};

	ranking_remove(&ranking, 4000000000u);
	assert_null(ranking_find(&ranking, 0));
	ranking_put(&ranking, 2, NAN);
	ranking_put(&ranking, 1, INFINITY);
	ranking_put(&ranking, 3, 1e308);
	assert_int_equal(ranking_first(&ranking)->number, 3);
	ranking_put(&ranking, 5, -INFINITY);
	assert_int_equal(ranking_first(&ranking)->number, 5);
	ranking_remove(&ranking, 5);
	ranking_remove(&ranking, 3);
	ranking_remove(&ranking, 1);
	assert_int_equal(ranking_first(&ranking)->number, 2);
	ranking_release(&ranking);
	ranking_release(&ranking);
}

UNIT_TESTS(ranking, cmocka_unit_test(test_random_operations),
    cmocka_unit_test(test_extremes));
