/* Values where the rate is a belief: scheduling-formulas.md, (V10). */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/value.h"
#include "tests/sim/random.h"

static double
value_uncertain(const struct value_uncertain *d)
{
	double days;

	return value_uncertain_evaluate(d, 0, 0, &days);
}

/* The mean over the Gamma density, by a sum over the logarithm of the rate. */
static double
direct(const struct value_uncertain *d)
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

	for (size_t i = 0; i < COUNT(shapes); i++)
		for (double x = 0.1; x < 1000; x *= 3) {
			struct value_uncertain d = {
			    3, shapes[i], 20 * shapes[i], x, 0, 1};
			double should = direct(&d);

			assert_close(
			    value_uncertain(&d), should, 2e-3 * should);
		}
}

static void
what_is_sure_is_the_plain_value(void **state)
{
	for (double known = 0; known < 5; known += 0.5)
		for (double x = 1; x < 300; x *= 2) {
			struct value_uncertain d = {2, 1e6, 2e7, x, known, 1};
			double should = 2 / 0.05 * value_phi(0.05 * x + known);

			assert_close(
			    value_uncertain(&d), should, 1e-4 * should);
		}
	/* A page that was never fetched: the mean of weight / rate. */
	struct value_uncertain d = {2, 3, 60, 1e12, 0, 1};
	assert_close(value_uncertain(&d), 60, 1e-6);
}

/* The days until `value` is reached, found by halving a range. */
static double
when(struct value_uncertain d, double value, double most)
{
	double begin = d.exposure;
	double low = 0;
	double high = most;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		d.exposure = begin + d.growth * middle;
		if (value_uncertain(&d) < value)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The time is never too late, and never beyond `most`; for a value that is
 * little more than the present one it is right. */
static void
when_it_will_be_worth_it(void **state)
{
	static const double lengths[] = {0.5, 8, 1e4};
	struct random random;
	int in_time = 0;
	int near = 0;

	random_init(&random, 5, 0);
	for (int i = 0; i < 30000; i++) {
		double shape = 0.3 * pow(1e4, random_unit(&random));
		double rate = 1e-4 * pow(1e5, random_unit(&random));
		double most = lengths[random_below(&random, COUNT(lengths))];
		struct value_uncertain d = {.weight = 3,
		    .shape = shape,
		    .days = shape / rate,
		    .exposure = i % 4 == 0
			? 0
			: 0.01 * pow(1e4, random_unit(&random)),
		    .known = i % 3 == 0 ? 0 : 3 * random_unit(&random),
		    .growth = i % 2 == 0 ? 1 : 0.1};
		double value = 3 / rate * pow(1e-4, random_unit(&random));
		double days;
		double now = value_uncertain_evaluate(&d, value, most, &days);
		double should = when(d, value, most);

		assert_close(now, value_uncertain(&d), 1e-12 * now);
		if (now >= value) {
			assert_true(days == 0);
			continue;
		}
		in_time += days < most;
		assert_true(days <= should * (1 + 1e-6) + 1e-9);
		/* Where the value still grows, the tangent is the curve at
		 * first. */
		struct value_uncertain later = d;
		later.exposure *= 2;
		if (!(value_uncertain(&later) > 1.1 * now) || !(now > 0))
			continue;
		value = 1.0001 * now;
		(void)value_uncertain_evaluate(&d, value, most, &days);
		should = when(d, value, most);
		near += days < most;
		assert_true(days >= should * 0.97 - 1e-9);
	}
	assert_true(in_time > 3000);
	assert_true(near > 3000);
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 7, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	struct random random;

	random_init(&random, 3, 0);
	for (int i = 0; i < 100000; i++) {
		double x[7];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		struct value_uncertain d = {x[0], x[1], x[2], x[3], x[4], x[5]};
		double value = value_uncertain(&d);
		assert_true(value >= 0 && value < 1e300);
		double days;
		assert_true(
		    value_uncertain_evaluate(&d, x[6], 8, &days) == value);
		assert_true(days >= 0 && days <= 8);
	}
}

UNIT_TESTS(value_uncertain, cmocka_unit_test(it_is_the_mean_over_rates),
    cmocka_unit_test(what_is_sure_is_the_plain_value),
    cmocka_unit_test(when_it_will_be_worth_it),
    cmocka_unit_test(odd_numbers_are_absorbed));
