/* Whether false moves follow changes: scheduling.md, (T15). */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/follow.h"
#include "sched/sim/random.h"

enum { PAGES = 400 };

/* Pages that moved so often on average, their rates varying by spread: those
 * of a Gamma distribution of shape 1 are exponential. */
static double
share(double mean, bool varies, uint64_t seed)
{
	struct follow follow = {.pages = PAGES};
	struct random random;

	random_init(&random, seed, 0);
	for (int i = 0; i < PAGES; i++) {
		double rate = mean * (varies ? random_exponential(&random) : 1);
		unsigned moves = 0;

		for (double t = random_exponential(&random); t < rate;
		     t += random_exponential(&random))
			follow_move(&follow, moves++);
	}
	return follow_share(&follow);
}

static void
pages_are_alike_or_not(void **state)
{
	struct follow none = {0};

	(void)state;
	assert_close(follow_share(&none), 0, 1e-9);
	for (uint64_t seed = 1; seed < 9; seed++)
		for (double mean = 1; mean < 20; mean *= 2) {
			assert_true(share(mean, false, seed) < 0.5);
			assert_true(share(mean, true, seed) > 0.95);
		}
}

/* Two pages, one moved four times and one twice: six pairs and one. */
static void
pairs_are_counted(void **state)
{
	struct follow follow = {.pages = 2};

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		follow_move(&follow, i);
	follow_move(&follow, 0);
	follow_move(&follow, 1);
	assert_close(follow.moves, 6, 1e-9);
	assert_close(follow.pairs, 2 * (6 + 1), 1e-9);
	assert_close(follow_share(&follow), 0, 1e-9);
	follow_move(&follow, 4);
	follow_move(&follow, 5);
	follow_move(&follow, 6);
	/* 7 and 2: 44 / 2 / 4.5^2 - 1 */
	assert_close(follow_share(&follow), 2 * (22 / 20.25 - 1), 1e-9);
}

static void
odd_numbers_are_absorbed(void **state)
{
	struct follow follow = {.pages = 1};

	(void)state;
	for (int i = 0; i < 1000; i++)
		follow_move(&follow, UINT32_MAX);
	assert_true(follow_is_sound(&follow));
	assert_true(follow_share(&follow) <= 1);
	follow.pages = NAN;
	assert_true(follow_share(&follow) >= 0);
	assert_false(follow_is_sound(&follow));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_are_alike_or_not),
	    cmocka_unit_test(pairs_are_counted),
	    cmocka_unit_test(odd_numbers_are_absorbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
