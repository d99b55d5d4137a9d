/* sched/fast_math.h: compared with the functions of the C library. */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/fast_math.h"

#define ERROR 1e-11

static void
logarithms_are_right(void **state)
{
	assert_true(fast_log1p(0) == 0);
	for (double x = 1e-20; x < 1e300; x *= 1.0007)
		assert_close(fast_log1p(x), log1p(x), ERROR * log1p(x));
}

static void
powers_are_right(void **state)
{
	assert_true(fast_expm1(0) == 0);
	for (double x = 1e-20; x < 700; x *= 1.0007) {
		assert_close(fast_expm1(x), expm1(x), ERROR * expm1(x));
		assert_close(fast_expm1(-x), expm1(-x), ERROR * -expm1(-x));
	}
}

static void
powers_of_sums_are_right(void **state)
{
	for (double x = 1e-9; x < 1e9; x *= 1.7)
		for (double power = 1e-3; power < 1e9; power *= 2.3) {
			double exponent = power * log1p(x);
			double should = exp(-exponent);

			assert_close(fast_power(x, power), should,
			    2 * ERROR * exponent * should + 1e-15);
		}
}

UNIT_TESTS(fast_math, cmocka_unit_test(logarithms_are_right),
    cmocka_unit_test(powers_are_right),
    cmocka_unit_test(powers_of_sums_are_right));
