/* The price of a request: what it follows, and what it withstands. */
#include "sched/budget.h"

#include <math.h>

#include "tests/fixtures/fixture.h"

static void
assert_near(double got, double wanted, double by)
{
	assert_true(fabs(got - wanted) <= by);
}

/* Values that are accepted in a tick, and the price after it, which was 1
 * before. */
static void
test_one_tick(void **state)
{
	static const struct {
		double values[3];
		struct price_tick tick;
		double wanted;
	} cases[] = {
	    /* SCHEDULING F.5: down by 0.3 of the way, up by 0.005 */
	    {{0.5, 0.8, 2}, {false, 0, 10}, 0.85},
	    {{3, 2, 4}, {false, 0, 10}, 1.005},
	    {{1, 1, 1}, {false, 10, 10}, 1},
	    {{1, 1, 1}, {false, 11, 10}, 1.004},
	    {{1, 1, 1}, {true, 0, 10}, 0.93},
	    /* dry: there is budget left, even if a few items are worth much */
	    {{3, 2, 4}, {true, 0, 10}, 0.93},
	    /* items wait, but not because the budget is short */
	    {{0.5, 2, 4}, {false, 11, 10}, 0.85},
	    {{0, 0, 0}, {false, 11, 10}, 1},
	    /* a dry tick counts more than items that wait below the price */
	    {{1, 1, 1}, {true, 11, 10}, 0.93},
	    /* requests made for a floor or a ceiling have no value */
	    {{0, -1, NAN}, {false, 0, 10}, 1},
	    {{0, 0.5, NAN}, {false, 0, 10}, 0.85},
	    {{INFINITY, INFINITY, INFINITY}, {false, 0, 10}, 5e9 + 0.995},
	    {{1e-300, 1, 1}, {false, 0, 10}, 0.7},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct price price;

		price_init(&price, 1);
		for (size_t v = 0; v < 3; v++)
			price_accept(&price, cases[i].values[v]);
		price_tick(&price, &cases[i].tick);
		assert_near(
		    price.value, cases[i].wanted, cases[i].wanted * 1e-9);
		/* the next tick begins anew */
		price_tick(&price, &(struct price_tick){.too_many = 1});
		assert_near(
		    price.value, cases[i].wanted, cases[i].wanted * 1e-9);
	}
}

static void
test_range(void **state)
{
	static const struct {
		double first, wanted;
	} cases[] = {{NAN, 1}, {0, PRICE_MIN}, {-INFINITY, PRICE_MIN},
	    {-0.0, PRICE_MIN}, {INFINITY, PRICE_MAX}, {1e300, PRICE_MAX},
	    {3, 3}};
	struct price price;

	for (size_t i = 0; i < COUNT(cases); i++) {
		price_init(&price, cases[i].first);
		assert_true(price.value == cases[i].wanted);
	}
	price_init(&price, 1);
	for (int i = 0; i < 2000; i++)
		price_tick(&price, &(struct price_tick){.is_dry = true});
	assert_true(price.value == PRICE_MIN);
	for (int i = 0; i < 20000; i++) {
		price_accept(&price, INFINITY);
		price_tick(&price, &(struct price_tick){.waiting = 1});
	}
	assert_true(price.value == PRICE_MAX);
}

/* A page with an enormous weight is fetched once an hour, for a year. */
static void
test_absurd(void **state)
{
	struct price price;

	price_init(&price, 1);
	for (int tick = 0; tick < 60 * 24 * 365; tick++) {
		bool is_absurd = tick % 60 == 0;

		price_accept(&price, is_absurd ? 1e30 : 1);
		price_tick(&price, &(struct price_tick){.too_many = 1});
		assert_true(price.value <= 5e9 + 1);
		assert_true(tick < 120 || price.value <= 2.01);
	}
}

/* Values from 1 to 2, eight a tick: the price settles near the lowest, far
 * below their mean, and never falls below it. */
static void
test_quantile(void **state)
{
	struct price price;
	uint64_t seed = 1;
	double sum = 0;

	price_init(&price, 10);
	for (int tick = 0; tick < 4000; tick++) {
		for (int i = 0; i < 8; i++) {
			seed = seed * 6364136223846793005U +
			    1442695040888963407U;
			price_accept(&price,
			    1 + (double)(seed >> 11) / 9007199254740992.0);
		}
		price_tick(&price, &(struct price_tick){.too_many = 1});
		assert_true(price.value >= 1);
		if (tick >= 2000)
			sum += price.value;
	}
	assert_near(sum / 2000, 1.03, 0.03);
}

UNIT_TESTS(price, cmocka_unit_test(test_one_tick), cmocka_unit_test(test_range),
    cmocka_unit_test(test_absurd), cmocka_unit_test(test_quantile));
