/* The value of fetching a page: scheduling-formulas.md, (V2), (V3) and (V7). */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/value.h"
#include "tests/sim/random.h"

static void
phi_is_precise(void **state)
{
	static const double rows[][2] = {{0, 0}, {-1, 0}, {NAN, 0},
	    {1, 0.26424111765711533}, {2, 0.5939941502901619},
	    {1e-6, 4.999996666667917e-13}, {4.9e-3, 1.1965855632616790e-5},
	    {5.1e-3, 1.2960867450126173e-5}, {30, 0.9999999999971}, {1e3, 1},
	    {INFINITY, 1}};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_true(fabs(value_phi(rows[i][0]) - rows[i][1]) <=
		    1e-7 * rows[i][1]);
}

/* What is expected to have changed, and the limit of the value. */
static void
rates_become_numbers(void **state)
{
	static const struct {
		struct value_rates rates;
		struct value_evidence evidence;
		double hazard, limit;
	} rows[] = {
	    {{2, 0.05, 0, 1}, {.tau = 14}, 0.7, 40},
	    /* each of two moves is right half of the time */
	    {{2, 0.05, 0.1, 0.5}, {.tau = 14, .moves = 2},
		0.7 + 2 * 0.69314718056, 20},
	    {{1, 0.1, 0.3, 1}, {.hazard = 0.25}, 0.25, 10},
	    /* moves are always right: one move is as good as certain */
	    {{1, 0, 0.2, 0}, {.moves = 1}, 13.815510558, 5},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_close(value_hazard(&rows[i].rates, &rows[i].evidence),
		    rows[i].hazard, 1e-6);
		assert_close(value_limit(&rows[i].rates), rows[i].limit, 1e-3);
	}
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 1e-300, 1e-9, 0.5, 1, 1e9, 1e300, INFINITY, -INFINITY, NAN};
	struct random random;

	random_init(&random, 7, 0);
	for (int i = 0; i < 100000; i++) {
		double x[7];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		struct value_rates r = {x[0], x[1], x[2], x[3]};
		struct value_evidence e = {x[4], x[5], x[6], 0};
		double limit = value_limit(&r), hazard = value_hazard(&r, &e);

		assert_true(limit >= 0 && limit <= 1e300);
		assert_true(hazard >= 0 && hazard <= 1e300);
	}
}

UNIT_TESTS(value, cmocka_unit_test(phi_is_precise),
    cmocka_unit_test(rates_become_numbers),
    cmocka_unit_test(odd_numbers_are_absorbed));
