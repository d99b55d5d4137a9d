/* Values where the rate is a belief: docs/scheduling.md, (V10). */
#include "tests/unit/fixture.h"

#include <math.h>

#include "sched/random.h"
#include "sched/value.h"
#include "sched/value_doubt.h"

/* The mean over the Gamma density, by a sum over the logarithm of the rate. */
static double
direct(const struct value_doubt *d)
{
	double sum = 0;
	double all = 0;

	for (double u = -30; u < 8; u += 0.001) {
		double rate = exp(u);
		double w = exp(d->shape * u - d->days * rate);

		all += w;
		sum += w / rate * value_phi(rate * d->exposure);
	}
	return d->weight * sum / all;
}

static void
it_is_the_mean_over_rates(void **state)
{
	static const double shapes[] = {0.5, 1, 1.00005, 2, 7.5, 40};

	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++)
		for (double x = 0.1; x < 1000; x *= 3) {
			struct value_doubt d = {
			    3, shapes[i], 20 * shapes[i], x, 0, 1};
			double should = direct(&d);

			assert_close(value_doubt(&d), should, 2e-3 * should);
		}
}

static void
what_is_sure_is_the_plain_value(void **state)
{
	(void)state;
	for (double known = 0; known < 5; known += 0.5)
		for (double x = 1; x < 300; x *= 2) {
			struct value_doubt d = {2, 1e6, 2e7, x, known, 1};
			double should = 2 / 0.05 * value_phi(0.05 * x + known);

			assert_close(value_doubt(&d), should, 1e-4 * should);
		}
	struct value_doubt d = {2, 3, 60, 5, 0, 1};
	assert_close(value_doubt_limit(&d), 40, 1e-9);
}

static void
when_it_will_be_worth_it(void **state)
{
	(void)state;
	for (double shape = 0.4; shape < 100; shape *= 2)
		for (double known = 0; known < 2; known += 0.4)
			for (double value = 0.01; value < 8; value *= 2) {
				struct value_doubt d = {
				    1, shape, 10 * shape, 0.5, known, 0.25};
				double days = value_doubt_when(&d, value);

				if (isinf(days)) {
					d.exposure = 1e9;
					assert_true(value_doubt(&d) <= value);
				} else if (days == 0) {
					assert_true(value_doubt(&d) >= value);
				} else {
					d.exposure += d.growth * days;
					assert_close(value_doubt(&d), value,
					    1e-3 * value);
				}
			}
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 7, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	struct random random;

	(void)state;
	random_init(&random, 3, 0);
	for (int i = 0; i < 100000; i++) {
		double x[7];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		struct value_doubt d = {x[0], x[1], x[2], x[3], x[4], x[5]};
		double value = value_doubt(&d);
		assert_true(value >= 0 && value < 1e300);
		assert_true(value_doubt_limit(&d) >= 0);
		assert_true(value_doubt_when(&d, x[6]) >= 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_is_the_mean_over_rates),
	    cmocka_unit_test(what_is_sure_is_the_plain_value),
	    cmocka_unit_test(when_it_will_be_worth_it),
	    cmocka_unit_test(odd_numbers_are_absorbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
