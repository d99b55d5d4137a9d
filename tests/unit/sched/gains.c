/* The value of a reading: scheduling-formulas.md, (P1) to (P4). */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/value.h"
#include "tests/sim/random.h"

enum { PAGES = 200 };

struct source {
	struct gains gains;
	struct gain kept[PAGES];
	double weights[PAGES], changes[PAGES];
};

/* Pages whose dates are all right, at this price. */
static void
source_make(struct source *s, uint64_t seed, double price)
{
	struct random random;

	*s = (struct source){0};
	random_init(&random, seed, 0);
	for (int i = 0; i < PAGES; i++) {
		s->weights[i] = exp(random_normal(&random));
		s->changes[i] = exp(1.5 * random_normal(&random)) / 30;
		gains_set(&s->gains, &s->kept[i],
		    s->weights[i] / s->changes[i] - price, s->changes[i]);
	}
}

static double
direct(const struct source *s, double price, double days)
{
	double sum = 0;

	for (int i = 0; i < PAGES; i++)
		sum += fmax(s->weights[i] / s->changes[i] - price, 0) *
		    value_phi(s->changes[i] * days);
	return sum;
}

static void
sixteen_points_are_as_good_as_all_pages(void **state)
{
	struct source s;

	source_make(&s, 1, 5);
	for (double t = 0.01; t < 1000; t *= 1.5)
		assert_close(gains_sum(&s.gains, t), direct(&s, 5, t),
		    0.05 * direct(&s, 5, t));
	/* one page of any rate, in less than 100 days */
	for (double moves = 1e-5; moves < 30; moves *= 1.1)
		for (double x = 0.01; x < 10 && x / moves < 100; x *= 2) {
			struct gains gains = {0};
			struct gain gain = {0};

			gains_set(&gains, &gain, 2, moves);
			assert_close(gains_sum(&gains, x / moves),
			    2 * value_phi(x), 2 * 0.1 * value_phi(x));
		}
}

static void
what_is_set_again_replaces(void **state)
{
	struct source s;
	struct random random;

	source_make(&s, 2, 5);
	random_init(&random, 2, 0);
	for (int i = 0; i < 100000; i++)
		gains_set(&s.gains, &s.kept[random_below(&random, PAGES)],
		    20 * random_unit(&random) - 5,
		    exp(4 * random_normal(&random)));
	struct gains sum = {0};
	for (int i = 0; i < PAGES; i++) {
		struct gain again = {0};
		double moves = 1e-3 * exp2(s.kept[i].place / 17.0);

		gains_set(&sum, &again, (double)s.kept[i].value, moves);
	}
	assert_close(gains_sum(&s.gains, 3), gains_sum(&sum, 3),
	    1e-3 * gains_sum(&sum, 3));
	for (int i = 0; i < PAGES; i++)
		gains_set(&s.gains, &s.kept[i], 0, 1);
	assert_close(gains_sum(&s.gains, 1e6), 0, 1e-6);
}

/* After how many days a reading is worth the price, found by halving a range;
 * INFINITY: not within 1,000 years. */
static double
worth_when(
    const struct gains *gains, const struct gains_reading *r, double price)
{
	double low = 1e-4, high = 365000;

	if (gains_worth(gains, r, high) < price)
		return INFINITY;
	for (int i = 0; i < 60; i++) {
		double middle = sqrt(low * high);

		if (gains_worth(gains, r, middle) < price)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * The return a day of a reading every t days, at this price of a request, when
 * each page that moved is fetched: (P2) says at which t it is greatest.
 */
static double
rate_of_return(const struct source *s, const struct gains_reading *r,
    double price, double t)
{
	double sum = -price *
		(r->cost_same +
		    (r->cost - r->cost_same) * -expm1(-r->changes * t)) -
	    r->arrivals * t * t / 2;

	for (int i = 0; i < PAGES; i++)
		sum += fmax(s->weights[i] / s->changes[i] - price, 0) *
		    -expm1(-s->changes[i] * t);
	return sum / t;
}

static void
no_other_interval_is_better(void **state)
{
	static const struct gains_reading rows[] = {{1, 1, 0, 0},
	    {10, 10, 0, 0}, {100, 100, 0, 0}, {1, 0.1, 10, 0}, {20, 0.1, 2, 0},
	    {1, 1, 0, 3}, {20, 1, 5, 10}};
	struct source s;

	for (size_t i = 0; i < COUNT(rows); i++) {
		source_make(&s, 3, 5);
		double t = worth_when(&s.gains, &rows[i], 5);
		double best = rate_of_return(&s, &rows[i], 5, t);

		assert_close(gains_worth(&s.gains, &rows[i], t), 5, 0.1);
		for (double f = 0.3; f < 4; f *= 1.2)
			if (rate_of_return(&s, &rows[i], 5, f * t) >
			    best + 1e-3 * fabs(best))
				fail_msg("%zu: %g days are worse than %g", i, t,
				    f * t);
	}
}

static void
new_pages_are_found_in_time(void **state)
{
	struct gains gains = {0};
	struct gains_reading r = {.cost = 4, .cost_same = 4, .arrivals = 0.5};

	/* (P3): t^2 = 2 L c / (mu a) */
	assert_close(worth_when(&gains, &r, 3), sqrt(2 * 3 * 4 / 0.5), 0.05);
	r.arrivals = 0;
	assert_true(isinf(worth_when(&gains, &r, 3)));
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 7, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	struct gains gains = {0};
	struct gain kept[10] = {{0}};
	struct random random;

	random_init(&random, 5, 0);
	for (int i = 0; i < 100000; i++) {
		double x[7];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		gains_set(&gains, &kept[random_below(&random, 10)], x[0], x[1]);
		struct gains_reading r = {x[2], x[3], x[4], x[5]};
		double worth = gains_worth(&gains, &r, x[6]);
		assert_true(worth >= 0 && worth < 1e300);
	}
}

UNIT_TESTS(gains, cmocka_unit_test(sixteen_points_are_as_good_as_all_pages),
    cmocka_unit_test(what_is_set_again_replaces),
    cmocka_unit_test(no_other_interval_is_better),
    cmocka_unit_test(new_pages_are_found_in_time),
    cmocka_unit_test(odd_numbers_are_absorbed));
