/* The same numbers everywhere, and roughly the right distributions. */
#include "tests/sim/random.h"

#include <math.h>

#include "tests/fixtures/fixture.h"

/* The first outputs of splitmix64 for the seed 1234567, as its author's code
 * gives them. */
static void
test_reference(void **state)
{
	static const uint64_t wanted[] = {UINT64_C(6457827717110365317),
	    UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
	    UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
	struct random random = {1234567};

	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_true(random_next(&random) == wanted[i]);
}

static void
test_moments(void **state)
{
	enum { N = 200000 };
	double unit = 0, exponential = 0, normal = 0, square = 0;
	unsigned below[3] = {0};
	struct random random;

	random_init(&random, 1, 2);
	for (int i = 0; i < N; i++) {
		double u = random_unit(&random);
		double z = random_normal(&random);
		assert_true(u >= 0 && u < 1);
		unit += u / N;
		exponential += random_exponential(&random) / N;
		normal += z / N;
		square += z * z / N;
		below[random_below(&random, 3)]++;
	}
	assert_close(unit, 0.5, 0.004);
	assert_close(exponential, 1, 0.012);
	assert_close(normal, 0, 0.012);
	assert_close(square, 1, 0.02);
	for (int i = 0; i < 3; i++)
		assert_in_range(below[i], N / 3 - 1200, N / 3 + 1200);
}

/* Neighbouring streams and seeds are not correlated. */
static void
test_streams(void **state)
{
	enum { N = 20000 };
	double together = 0;

	for (uint64_t i = 0; i < N; i++) {
		struct random a, b, c;
		random_init(&a, 5, i);
		random_init(&b, 5, i + 1);
		random_init(&c, 6, i);
		assert_true(random_next(&a) != random_next(&b));
		together += (random_unit(&a) - 0.5) * (random_unit(&b) - 0.5) +
		    (random_unit(&a) - 0.5) * (random_unit(&c) - 0.5);
	}
	assert_close(together / N, 0, 0.004);
}

UNIT_TESTS(random, cmocka_unit_test(test_reference),
    cmocka_unit_test(test_moments), cmocka_unit_test(test_streams));
