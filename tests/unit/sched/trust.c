/* Trust in the dates of a source: scheduling-formulas.md, (T1) to (T9). */
#include "tests/fixtures/fixture.h"

#include <math.h>
#include <string.h>

#include "sched/trust.h"
#include "tests/sim/random.h"

#define DAY_S 86400

/* Fetches of a page that changes once in ten days, two days after the fetch
 * before; its date moved once in between. */
static void
outcomes(struct trust *t, bool is_right, int count, int64_t now_s)
{
	for (int i = 0; i < count; i++)
		trust_outcome(t,
		    &(struct trust_outcome){.shape = 2,
			.days = 20,
			.tau = 2,
			.moves = 1,
			.is_changed = is_right},
		    now_s);
}

static struct trust
dated(void)
{
	return (struct trust){.has_dates = true};
}

static void
nothing_known_is_nothing_sure(void **state)
{
	struct trust t = {0};
	struct trust_figures f = trust_figures(&t);

	assert_close(f.precision, 0.5, 0.1);
	assert_close(f.recall, 0.5, 0.1);
	assert_true(f.spread > 0.3);
	assert_close(f.mass_precision, 0.1, 1e-6);
	assert_close(
	    trust_false_after(trust_figures(&t).all_false, 0), 1, 1e-9);
	assert_close(trust_false_after(trust_figures(&t).all_false, 1),
	    1 - f.precision, 1e-6);
	assert_true(trust_is_deaf(&t));
	assert_false(trust_figures(&t).is_distrusted);
}

/* The figures of a source of which nothing was seen are those of the prior. A
 * fetch right after another teaches nothing, but makes the cells be
 * written. */
static void
nothing_seen_is_the_prior(void **state)
{
	struct trust t = {0};
	struct trust_figures f = trust_figures(&t);

	trust_outcome(&t, &(struct trust_outcome){.shape = 1, .days = 1}, 0);
	assert_true(t.cells[0] > 0);
	assert_close(trust_figures(&t).recall, f.recall, 1e-7);
	assert_close(trust_figures(&t).spread, f.spread, 1e-7);
	assert_close(trust_figures(&t).precision, f.precision, 1e-7);
	for (int n = 1; n < 8; n++)
		assert_close(trust_false_after(trust_figures(&t).all_false, n),
		    trust_false_after(
			trust_figures(&(struct trust){0}).all_false, n),
		    1e-7);
}

/* (T5): one outcome by hand, for each pair of recall and precision. */
static void
an_outcome_is_weighed(void **state)
{
	static const double recalls[] = {
	    0.002, 0.08, 0.2, 0.35, 0.5, 0.65, 0.78, 0.88, 0.95, 0.995};
	static const double precisions[] = {
	    0.01, 0.04, 0.08, 0.13, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.99};

	for (int is_changed = 0; is_changed < 2; is_changed++) {
		struct trust t = dated();
		double sum = 0;
		double recall = 0;

		for (int r = 0; r < TRUST_RECALLS; r++)
			for (int p = 0; p < TRUST_PRECISIONS; p++) {
				double same = pow(1 - precisions[p], 2) *
				    pow(20 / (20 + (1 - recalls[r]) * 5), 3);
				double w = is_changed ? 1 - same : same;

				w *= r == 0 || r == TRUST_RECALLS - 1 ? 2 : 1;
				w *= p == TRUST_PRECISIONS - 1 ? 3 : 1;
				sum += w;
				recall += w * recalls[r];
			}
		trust_outcome(&t,
		    &(struct trust_outcome){.shape = 3,
			.days = 20,
			.tau = 5,
			.moves = 2,
			.is_changed = is_changed != 0},
		    1);
		assert_close(trust_figures(&t).recall, recall / sum, 1e-5);
	}
}

/* A source that begins to lie is found out within 30 outcomes, however long it
 * was honest; a source that becomes honest is believed again. */
static void
liars_are_found_out(void **state)
{
	for (int before = 10; before < 5000; before = before * 4 + 10) {
		struct trust t = dated();
		int count = 0;

		for (int i = 0; i < before; i++)
			outcomes(&t, true, 1, (int64_t)i * DAY_S / 10);
		assert_true(trust_figures(&t).is_believed);
		for (; trust_figures(&t).is_believed && count < 100; count++)
			outcomes(&t, false, 1, 500 * DAY_S);
		if (count > 30)
			fail_msg("%d after %d true ones", count, before);
		outcomes(&t, false, 1000, 500 * DAY_S);
		assert_true(trust_figures(&t).is_distrusted);
		for (count = 0; !trust_figures(&t).is_believed && count < 100;
		     count++)
			outcomes(&t, true, 1, 500 * DAY_S);
		if (count > 30)
			fail_msg("%d after lies", count);
	}
}

/* (T6) */
static void
what_is_old_is_forgotten(void **state)
{
	struct trust t = dated();
	struct trust unknown = dated();

	outcomes(&t, true, 100, 1000 * DAY_S);
	double sure = trust_figures(&t).precision;
	assert_true(sure > 0.95);
	outcomes(&t, true, 1, 1000 * DAY_S - 1); /* the clock goes back */
	assert_true(trust_figures(&t).precision >= sure - 1e-6);
	for (int i = 1; i < 1000; i++)
		outcomes(&t, true, 0, (1000 + i) * DAY_S);
	trust_clue(&t, CLUE_IMPOSSIBLE, 10000 * DAY_S);
	trust_clue(&unknown, CLUE_IMPOSSIBLE, 10000 * DAY_S);
	assert_close(trust_figures(&t).precision,
	    trust_figures(&unknown).precision, 1e-4);
	trust_clue(&t, CLUE_IMPOSSIBLE, INT64_MAX);
	trust_clue(&t, CLUE_IMPOSSIBLE, INT64_MIN);
}

struct gate_row {
	const char *what;
	uint32_t listed, moved;
	int readings;
	bool is_mass, is_gated;
};

static void
the_gate_opens_and_closes(void **state)
{
	static const struct gate_row rows[] = {
	    {"a site at work", 100, 20, 50, false, false},
	    {"a deploy", 100, 100, 1, true, false},
	    {"always now", 100, 100, 3, true, true},
	    {"more than half", 100, 60, 12, true, true},
	    {"less than half", 100, 49, 50, false, false},
	    {"few entries", 2, 2, 50, false, false},
	    {"none", 0, 0, 50, false, false},
	    {"more than all", 10, 4000000000, 50, true, true},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct gate_row *row = &rows[i];
		struct trust_reading r = {
		    .listed = row->listed, .dated = 1, .moved = row->moved};
		struct trust t = {0};
		bool is_mass = false;

		for (int k = 0; k < row->readings; k++)
			is_mass = trust_reading(&t, &r, k * 3600);
		if (is_mass != row->is_mass || t.is_gated != row->is_gated)
			fail_msg("%s: mass %d, gated %d", row->what, is_mass,
			    t.is_gated);
		r = (struct trust_reading){
		    .listed = 100, .dated = 100, .moved = 1};
		for (int k = 50; k < 70; k++)
			assert_false(trust_reading(&t, &r, k * 3600));
		assert_false(t.is_gated);
	}
}

static void
mass_outcomes(struct trust *t, bool is_right, int count)
{
	for (int i = 0; i < count; i++)
		trust_outcome(t,
		    &(struct trust_outcome){.shape = 1,
			.days = 100,
			.tau = 1,
			.mass = 1,
			.is_changed = is_right},
		    1);
}

static void
who_is_right_is_not_shut_out(void **state)
{
	struct trust_reading r = {.listed = 100, .dated = 100, .moved = 90};
	struct trust t = {0};

	for (int i = 0; i < 20; i++)
		trust_reading(&t, &r, i * 3600);
	assert_true(t.is_gated);
	assert_true(trust_figures(&t).is_distrusted);
	for (int i = 0; i < 20; i++) {
		trust_reading(&t, &r, (20 + i) * 3600);
		mass_outcomes(&t, true, 4);
	}
	trust_reading(&t, &r, 50 * 3600);
	assert_false(t.is_gated);
}

/* (T2'): the first pages after a mass move show what it means for the others,
 * but nothing about other mass moves. */
static void
an_event_is_judged_by_itself(void **state)
{
	struct trust_reading all = {.listed = 100, .dated = 100, .moved = 100};
	struct trust t = {0};

	trust_reading(&t, &all, 0);
	double before = trust_figures(&t).mass_precision;
	mass_outcomes(&t, true, 4);
	assert_true(trust_figures(&t).mass_precision > 0.7);
	trust_reading(&t, &all, 7 * DAY_S);
	double rule = trust_figures(&t).mass_precision;
	assert_true(rule > before && rule < 0.6);
	mass_outcomes(&t, false, 4);
	assert_true(trust_figures(&t).mass_precision < rule / 4);
}

/* (T9): a source that published each day, and then stopped. */
static void
silence_is_noticed(void **state)
{
	struct trust_reading some = {.listed = 100, .dated = 100, .moved = 5};
	struct trust_reading none = {.listed = 100, .dated = 100, .moved = 0};
	struct trust t = {0};

	outcomes(&t, true, 60, 0);
	for (int day = 0; day < 60; day++)
		trust_reading(&t, &some, day * DAY_S);
	double recall = trust_figures(&t).recall;
	trust_reading(&t, &none, 61 * DAY_S);
	assert_close(trust_figures(&t).recall, recall, 0.02);
	for (int day = 62; day < 100; day++)
		trust_reading(&t, &none, day * DAY_S);
	assert_true(trust_figures(&t).recall < 0.2);
	trust_reading(&t, &some, 100 * DAY_S);
	assert_close(trust_figures(&t).recall, recall, 1e-6);
}

/* (T9): five changes a day were expected, and no date ever moved. */
static void
who_never_tells_is_not_waited_for(void **state)
{
	struct trust_reading none = {.listed = 100, .dated = 100, .changes = 5};
	struct trust_reading slow = {.listed = 100, .dated = 100};
	struct trust t = {0};
	struct trust other = {0};

	double recall = trust_figures(&t).recall;
	for (int day = 1; day <= 40; day++) {
		trust_reading(&t, &none, day * DAY_S);
		trust_reading(&other, &slow, day * DAY_S);
	}
	/* odds of (1 + 195)/9 */
	double silence = 196 / (196 + 9.0);
	assert_close(
	    trust_figures(&t).recall, recall + silence * (0.15 - recall), 1e-4);
	assert_close(
	    trust_figures(&other).recall, recall + 0.1 * (0.15 - recall), 1e-4);
	for (int day = 41; day <= 43; day++) {
		none.moved = 5;
		trust_reading(&t, &none, day * DAY_S);
	}
	assert_close(trust_figures(&t).recall, recall, 1e-4);
	none.changes = NAN;
	trust_reading(&other, &none, INT64_MAX);
	assert_true(trust_figures(&other).recall <= recall + 1e-6);
}

static void
only_what_was_kept_is_loaded(void **state)
{
	struct trust t = dated();
	struct trust again = {0};
	struct random random;
	unsigned char bytes[sizeof(t)];

	outcomes(&t, true, 20, 1);
	assert_true(
	    trust_load(&again, slice_make((const char *)&t, sizeof(t))));
	assert_memory_equal(&again, &t, sizeof(t));
	assert_false(
	    trust_load(&again, slice_make((const char *)&t, sizeof(t) - 1)));
	random_init(&random, 9, 0);
	for (int i = 0; i < 20000; i++) {
		memcpy(bytes, &t, sizeof(t));
		for (int k = 0; k < 3; k++)
			bytes[random_below(&random, sizeof(t))] =
			    (unsigned char)random_next(&random);
		if (!trust_load(
			&again, slice_make((const char *)bytes, sizeof(bytes))))
			continue;
		outcomes(&again, false, 2, 1);
		struct trust_figures f = trust_figures(&again);
		assert_true(f.precision > 0 && f.precision < 1);
		assert_true(f.recall > 0 && f.recall < 1);
	}
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	static const int64_t times[] = {
	    0, 1, -1, INT64_MIN, INT64_MAX, 1000000000, 1100000000};
	struct trust t = {0};
	struct random random;

	random_init(&random, 1, 0);
	for (int i = 0; i < 30000; i++) {
		double x[6];
		int64_t now_s = times[random_below(&random, COUNT(times))];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		trust_outcome(&t,
		    &(struct trust_outcome){x[0], x[1], x[2], x[3], x[4], x[5],
			random_below(&random, 2) == 0},
		    now_s);
		if (random_below(&random, 4) == 0)
			trust_clue(&t,
			    random_below(&random, 2) == 0 ? CLUE_LATE
							  : CLUE_SILENT,
			    now_s);
		if (random_below(&random, 4) == 0)
			trust_reading(&t,
			    &(struct trust_reading){
				.listed = (uint32_t)random_next(&random),
				.dated = 1,
				.moved = (uint32_t)random_next(&random),
				.changes = random_unit(&random) * 1e9},
			    now_s);
		struct trust_figures f = trust_figures(&t);
		assert_true(f.precision > 0 && f.precision < 1);
		assert_true(f.recall > 0 && f.recall < 1);
		assert_true(f.spread >= 0 && f.spread < 1);
		assert_true(f.mass_precision > 0 && f.mass_precision < 1);
		double no = trust_false_after(
		    trust_figures(&t).all_false, x[0]);
		assert_true(no >= 0 && no <= 1);
	}
}

/* Whether false moves follow changes (T15). */

enum { PAGES = 400 };

/* follow_share() of pages that moved `mean` times on average; with `varies`,
 * their rates have a Gamma distribution of shape 1, which is exponential. */
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
odd_moves_are_absorbed(void **state)
{
	struct trust t = dated();
	struct trust again = {0};

	t.follow = (struct follow){.pages = 1};
	for (int i = 0; i < 1000; i++)
		follow_move(&t.follow, UINT32_MAX);
	assert_true(
	    trust_load(&again, slice_make((const char *)&t, sizeof(t))));
	assert_true(follow_share(&t.follow) <= 1);
	t.follow.pages = NAN;
	assert_true(follow_share(&t.follow) >= 0);
	assert_false(
	    trust_load(&again, slice_make((const char *)&t, sizeof(t))));
}

UNIT_TESTS(trust, cmocka_unit_test(nothing_known_is_nothing_sure),
    cmocka_unit_test(nothing_seen_is_the_prior),
    cmocka_unit_test(an_outcome_is_weighed),
    cmocka_unit_test(liars_are_found_out),
    cmocka_unit_test(what_is_old_is_forgotten),
    cmocka_unit_test(the_gate_opens_and_closes),
    cmocka_unit_test(who_is_right_is_not_shut_out),
    cmocka_unit_test(an_event_is_judged_by_itself),
    cmocka_unit_test(silence_is_noticed),
    cmocka_unit_test(who_never_tells_is_not_waited_for),
    cmocka_unit_test(only_what_was_kept_is_loaded),
    cmocka_unit_test(odd_numbers_are_absorbed),
    cmocka_unit_test(pages_are_alike_or_not),
    cmocka_unit_test(pairs_are_counted),
    cmocka_unit_test(odd_moves_are_absorbed));
