/* Sources learn from each other: scheduling-formulas.md, (T14). */
#include "tests/fixtures/fixture.h"

#include <math.h>
#include <string.h>

#include "sched/trust.h"

#define DAY_S 86400

enum { SOURCES = 40 };

/* Fetches of a page that changes once in ten days, two days after the fetch
 * before: `right` of each four with a move had changed. */
static void
live(struct trust *t, int right, int count, int64_t now_s)
{
	for (int i = 0; i < count; i++)
		trust_outcome(t,
		    &(struct trust_outcome){.shape = 2,
			.days = 20,
			.tau = 2,
			.moves = 1,
			.is_changed = i % 4 < right},
		    now_s);
}

static void
learn(struct trust_pool *pool, struct trust *sources, int right)
{
	for (int day = 1; day <= 30; day++)
		for (int i = 0; i < SOURCES; i++) {
			sources[i].has_dates = true;
			live(&sources[i], right, 1, day * DAY_S);
			trust_pool_visit(
			    pool, &sources[i], NULL, SOURCES, day * DAY_S);
		}
}

/* A new source is believed to be like the others, until its own dates show
 * otherwise. */
static void
others_are_an_example(void **state)
{
	static struct trust sources[2][SOURCES];
	struct trust_pool pools[2] = {{{0}, {0}}, {{0}, {0}}};
	struct trust fresh[2] = {{.has_dates = true}, {.has_dates = true}};

	learn(&pools[0], sources[0], 4);
	learn(&pools[1], sources[1], 0);
	for (int i = 0; i < 2; i++)
		trust_pool_visit(
		    &pools[i], &fresh[i], NULL, SOURCES, 31 * DAY_S);
	assert_true(trust_figures(&fresh[0]).precision > 0.75);
	assert_true(trust_figures(&fresh[1]).precision < 0.25);
	int count = 0;
	for (; trust_figures(&fresh[0]).is_believed && count < 100; count++)
		live(&fresh[0], 0, 1, 31 * DAY_S);
	assert_true(count <= 30);
	for (count = 0; !trust_figures(&fresh[1]).is_believed && count < 100;
	     count++)
		live(&fresh[1], 4, 1, 31 * DAY_S);
	assert_true(count <= 30);
}

/* What was learned of a source keeps its weight when the prior changes: two
 * opposite leanings change nothing. */
static void
a_leaning_is_a_prior(void **state)
{
	struct trust t = {.has_dates = true};
	int8_t lean[TRUST_CELLS] = {0};
	double sum = 0;
	double recall = 0;

	live(&t, 3, 10, DAY_S);
	struct trust before = t;
	for (int i = 0; i < TRUST_CELLS; i++) {
		double recalls[] = {
		    0.002, 0.08, 0.2, 0.35, 0.5, 0.65, 0.78, 0.88, 0.95, 0.995};
		double weight;

		lean[i] = (int8_t)(i % 50 - 20);
		weight = (double)t.cells[i] * pow(2, lean[i] / 16.0);
		sum += weight;
		recall += weight * recalls[i / TRUST_PRECISIONS];
	}
	trust_lean(&t, lean);
	assert_close(trust_figures(&t).recall, recall / sum, 1e-5);
	memset(lean, 0, sizeof(lean));
	trust_lean(&t, lean);
	for (int i = 0; i < TRUST_CELLS; i++)
		assert_close((double)t.cells[i], (double)before.cells[i], 1e-5);
}

/* (T14), compared with the logarithm of the C library: the results differ only
 * where rounding is a tie. */
static void
leanings_are_rounded_logarithms(void **state)
{
	static struct trust sources[SOURCES];
	struct trust_pool pool = {{0}, {0}};

	for (int right = 0; right < 5; right++) {
		double sum = 5;

		learn(&pool, sources, right);
		for (int i = 0; i < TRUST_CELLS; i++)
			sum += (double)pool.cells[i];
		for (int i = 0; i < TRUST_CELLS; i++) {
			double part = (double)pool.cells[i] / trust_priors[i];
			double ratio = 0.1 + 0.9 * (part + 5) / sum;

			assert_close(
			    pool.lean[i], TRUST_LEAN * log2(ratio), 0.503);
		}
	}
}

/* A source without dates, or one that moves all of them at once, does not
 * teach the others; no source teaches them more than once a day. */
static void
who_counts(void **state)
{
	struct trust_pool pool = {{0}, {0}};
	struct trust_pool none = {{0}, {0}};
	struct trust silent = {.has_dates = true};
	struct trust gated = {.has_dates = true, .is_gated = true, .moves = 5};
	struct trust one = {.has_dates = true};

	for (int day = 1; day < 9; day++) {
		trust_pool_visit(&pool, &silent, NULL, 3, day * DAY_S);
		trust_pool_visit(&pool, &gated, NULL, 3, day * DAY_S);
	}
	assert_memory_equal(&pool, &none, sizeof(pool));
	live(&one, 4, 9, DAY_S);
	trust_pool_visit(&pool, &one, NULL, 3, DAY_S);
	struct trust_pool once = pool;
	trust_pool_visit(&pool, &one, NULL, 3, DAY_S + 3600);
	assert_memory_equal(&pool, &once, sizeof(pool));
	/* the clock may jump */
	trust_pool_visit(&pool, &one, NULL, 3, INT64_MIN);
	trust_pool_visit(&pool, &one, NULL, NAN, INT64_MAX);
	struct trust_pool loaded;
	struct slice bytes = slice_make((const char *)&pool, sizeof(pool));
	assert_true(trust_pool_load(&loaded, bytes));
	assert_memory_equal(loaded.lean, pool.lean, sizeof(pool.lean));
	pool.cells[3] = NAN;
	assert_false(trust_pool_load(&loaded, bytes));
	assert_false(trust_pool_load(&loaded, slice_make(bytes.p, 7)));
}

/* (T16): what a generator is known for is where trust begins, beside what the
 * others are like, and outcomes soon count for more. */
static void
a_generator_is_known(void **state)
{
	static const struct generator stamps = {.recall = 100};
	static const struct generator git = {.precision = 90, .recall = 90};
	struct trust_pool empty = {{0}, {0}};
	struct trust_pool liars = {{0}, {0}};
	static struct trust sources[SOURCES];
	struct trust none = {.has_dates = true}, low = none, high = none;
	int count = 0;

	trust_pool_visit(&empty, &none, NULL, 1, DAY_S);
	trust_pool_visit(&empty, &low, &stamps, 1, DAY_S);
	trust_pool_visit(&empty, &high, &git, 1, DAY_S);
	assert_true(trust_figures(&low).precision < 0.15);
	assert_true(trust_figures(&high).precision > 0.8);
	assert_true(trust_figures(&high).recall > 0.8);
	/* what moves all dates at once says nothing of what it leaves out */
	assert_close(
	    trust_figures(&low).recall, trust_figures(&none).recall, 1e-3);
	for (; trust_figures(&high).precision > 0.2 && count < 100; count++)
		live(&high, 0, 1, DAY_S);
	assert_true(count >= 2 && count <= 8);
	for (count = 0; !trust_figures(&low).is_believed && count < 100;
	     count++)
		live(&low, 4, 1, DAY_S);
	assert_true(count >= 2 && count <= 8);
	/* it is forgotten as it came when another writes the document */
	high = none;
	trust_pool_visit(&empty, &high, &git, 1, 3 * DAY_S);
	trust_pool_visit(&empty, &high, NULL, 1, 5 * DAY_S);
	assert_close(trust_figures(&high).precision,
	    trust_figures(&none).precision, 1e-3);
	/* among liars it is worth less */
	learn(&liars, sources, 0);
	low = high = none;
	trust_pool_visit(&liars, &low, NULL, SOURCES, 31 * DAY_S);
	trust_pool_visit(&liars, &high, &git, SOURCES, 31 * DAY_S);
	assert_true(trust_figures(&high).precision >
	    trust_figures(&low).precision + 0.2);
	assert_true(trust_figures(&high).precision < 0.8);
}

UNIT_TESTS(trust_pool, cmocka_unit_test(others_are_an_example),
    cmocka_unit_test(a_leaning_is_a_prior),
    cmocka_unit_test(leanings_are_rounded_logarithms),
    cmocka_unit_test(who_counts), cmocka_unit_test(a_generator_is_known));
