/* The clock of publications: scheduling-formulas.md, (T11). */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/rate.h"
#include "tests/sim/random.h"

static struct pace
weekly(int count)
{
	struct pace pace = {0};

	for (int i = 1; i <= count; i++)
		pace_publish(&pace, 7.0 * i);
	return pace;
}

static void
few_publications_have_no_pace(void **state)
{
	struct pace pace = weekly(4);

	assert_close(pace_position(&pace, 100), 4, 1e-9);
	assert_close((double)pace.share, 0, 1e-9);
	assert_close(pace_days(&pace, (double)pace.share, 12, 3), 12, 1e-9);
	pace = weekly(5);
	assert_close(pace_position(&pace, 3.5), 5.5, 1e-6);
	assert_true((double)pace.share > 0);
}

/* One outcome, by hand. */
static void
an_outcome_is_weighed(void **state)
{
	static const double shares[] = {0, 0.5, 0.8, 0.95, 1};

	for (int is_changed = 0; is_changed < 2; is_changed++) {
		struct pace pace = weekly(10);
		double sum = 0;
		double mean = 0;

		pace_learn(&pace,
		    &(struct pace_outcome){.shape = 2,
			.days = 20,
			.tau = 10,
			.published = 3,
			.is_changed = is_changed != 0});
		for (int i = 0; i < 5; i++) {
			double u = (1 - shares[i]) * 10 + shares[i] * 7 * 3;
			double same = pow(20 / (20 + u), 2);
			double w = is_changed ? 1 - same : same;

			w *= i == 0 ? 20 : 1;
			sum += w;
			mean += w * shares[i];
		}
		assert_close((double)pace.share, mean / sum, 1e-5);
		mean /= sum;
		assert_close(pace_days(&pace, (double)pace.share, 10, 3),
		    (1 - mean) * 10 + mean * 21, 1e-4);
		assert_close(
		    pace_days(&pace, (double)pace.share, 10, -1), 10, 1e-9);
	}
}

/* Pages change once in 20 days, a share of the changes with weekly
 * publications; each page is fetched after a random time up to two weeks. */
static double
learned(double share, uint64_t seed)
{
	struct pace pace = weekly(20);
	struct random random;

	random_init(&random, seed, 0);
	for (int i = 0; i < 300; i++) {
		double tau = 14 * random_unit(&random);
		double published = floor(tau / 7 + random_unit(&random));
		double expected = ((1 - share) * tau + share * 7 * published) /
		    20;

		pace_learn(&pace,
		    &(struct pace_outcome){.shape = 10,
			.days = 200,
			.tau = tau,
			.published = published,
			.is_changed = random_unit(&random) <
			    -expm1(-expected)});
	}
	return (double)pace.share;
}

static void
shares_are_learned(void **state)
{
	for (uint64_t seed = 0; seed < 10; seed++) {
		assert_true(learned(1, seed) > 0.9);
		assert_true(learned(0, seed) < 0.2);
		assert_true(pace_is_sound(&(struct pace){0}));
	}
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 7, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	struct pace pace = {0};
	struct random random;

	random_init(&random, 1, 0);
	for (int i = 0; i < 100000; i++) {
		double x[4];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		if (random_below(&random, 9) == 0)
			pace_publish(&pace, x[0]);
		pace_learn(&pace,
		    &(struct pace_outcome){
			x[0], x[1], x[2], x[3], random_below(&random, 2) == 0});
		assert_true(pace_is_sound(&pace));
		assert_true((double)pace.share >= 0 && (double)pace.share <= 1);
		assert_true(pace_position(&pace, x[1]) < 1e12);
		double days = pace_days(&pace, (double)pace.share,
		    fabs(x[2]) < 1e9 ? x[2] : 1, x[3]);
		assert_true(days > -2 && days < 1e12);
	}
	pace.likely[2] = NAN;
	assert_false(pace_is_sound(&pace));
}

UNIT_TESTS(pace, cmocka_unit_test(few_publications_have_no_pace),
    cmocka_unit_test(an_outcome_is_weighed),
    cmocka_unit_test(shares_are_learned),
    cmocka_unit_test(odd_numbers_are_absorbed));
