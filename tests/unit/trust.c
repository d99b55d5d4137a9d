/* Trust in the dates of a source: docs/scheduling.md, (T1), (T6), (T7). */
#include "tests/unit/fixture.h"

#include <math.h>

#include "sched/random.h"
#include "sched/trust.h"

#define DAY_S 86400

static void
outcomes(struct trust *t, struct trust_prior *all, bool is_right, int count)
{
	for (int i = 0; i < count; i++)
		trust_add(t, all,
		    &(struct trust_evidence){
			.told = is_right, .right = is_right, .moves = 1},
		    1);
}

static void
nothing_is_believed_by_half(void **state)
{
	struct trust t = {0};
	struct trust_prior all = {0};
	struct trust_figures f = trust_figures(&t, &all);

	(void)state;
	assert_close(f.precision, 0.5, 1e-9);
	assert_close(f.recall, 0.5, 1e-9);
	assert_close(f.mass_precision, 0.5, 1e-9);
	assert_false(trust_is_distrusted(&t, &all));
}

static void
counts_become_figures(void **state)
{
	struct trust t = {0};
	struct trust_prior all = {0};

	(void)state;
	trust_add(&t, &all, &(struct trust_evidence){3, 1, 3, 8, 1, 4}, 1);
	struct trust_figures f = trust_figures(&t, &all);
	assert_close(f.recall, 4.0 / 6, 1e-6);
	/* others: (3 + 1) / (8 + 2) */
	assert_close(f.precision, (3 + 2 * 0.4) / 10, 1e-6);
	assert_close(f.mass_precision, (1 + 2.0 / 3) / 6, 1e-6);
}

/* Who begins to lie is found out within 30 outcomes, however
 * long it was honest; who turns honest is believed again. */
static void
liars_are_found_out(void **state)
{
	(void)state;
	for (int before = 0; before < 5000; before = before * 4 + 10) {
		struct trust t = {0};
		struct trust_prior all = {0};
		int count = 0;

		outcomes(&t, &all, true, before);
		while (trust_is_believed(&t, &all) && count < 100) {
			outcomes(&t, &all, false, 1);
			count++;
		}
		if (count > 30)
			fail_msg("%d after %d true ones", count, before);
		outcomes(&t, &all, false, 1000);
		assert_true(trust_is_distrusted(&t, &all));
		for (count = 0; !trust_is_believed(&t, &all); count++)
			outcomes(&t, &all, true, 1);
		assert_in_range(count, 1, 30);
	}
}

static void
what_is_old_is_forgotten(void **state)
{
	struct trust t = {0};
	struct trust_prior all = {0};
	struct trust_evidence e = {.right = 10, .moves = 20};

	(void)state;
	trust_add(&t, &all, &e, 1000 * DAY_S);
	trust_add(&t, &all, &(struct trust_evidence){0}, 1030 * DAY_S);
	assert_close(t.right, 10 * exp(-1), 1e-4);
	assert_close(t.moves, 20 * exp(-1), 1e-4);
	assert_close(all.moves, t.moves, 1e-4);
	/* many small steps are one large one */
	for (int i = 1; i <= 300; i++)
		trust_add(&t, &all, &(struct trust_evidence){0},
		    1030 * DAY_S + i * DAY_S / 10);
	assert_close(t.moves, 20 * exp(-2), 0.01);
	/* a clock that goes back */
	float moves = t.moves;
	trust_add(&t, &all, &(struct trust_evidence){0}, 0);
	trust_add(&t, &all, &(struct trust_evidence){0}, INT64_MIN);
	assert_close(t.moves, moves, 1e-6);
	/* or far ahead */
	trust_add(&t, &all, &(struct trust_evidence){0}, INT64_MAX);
	assert_close(t.moves, 0, 1e-6);
	trust_forget(&t, &all);
	assert_close(all.moves, 0, 1e-6);
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
	    {"few entries", 3, 3, 50, false, false},
	    {"none", 0, 0, 50, false, false},
	    {"more than all", 10, 4000000000, 50, true, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct gate_row *row = &rows[i];
		struct trust t = {0};
		bool is_mass = false;

		for (int k = 0; k < row->readings; k++)
			is_mass = trust_reading(&t, row->listed, row->moved);
		if (is_mass != row->is_mass || t.is_gated != row->is_gated)
			fail_msg("%s: mass %d, gated %d", row->what, is_mass,
			    t.is_gated);
		for (int k = 0; k < 20; k++)
			assert_false(trust_reading(&t, 100, 1));
		assert_false(t.is_gated);
	}
}

static void
who_is_right_is_not_shut_out(void **state)
{
	struct trust t = {0};
	struct trust_prior all = {0};

	(void)state;
	for (int i = 0; i < 20; i++)
		trust_reading(&t, 100, 90);
	assert_true(t.is_gated);
	assert_true(trust_is_distrusted(&t, &all));
	for (int i = 0; i < 20; i++)
		trust_add(&t, &all,
		    &(struct trust_evidence){.mass_right = 1, .mass_moves = 1},
		    1);
	trust_reading(&t, 100, 90);
	assert_false(t.is_gated);
}

/* Any numbers: figures stay probabilities, and the sum over sources is what
 * the sources hold. */
static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	static const int64_t times[] = {
	    0, 1, -1, INT64_MIN, INT64_MAX, 1000000000, 1100000000};
	struct trust t[3] = {{0}};
	struct trust_prior all = {0};
	struct random random;

	(void)state;
	random_init(&random, 1, 0);
	for (int i = 0; i < 100000; i++) {
		struct trust *one = &t[random_below(&random, 3)];
		double x[6];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		trust_add(one, &all,
		    &(struct trust_evidence){
			x[0], x[1], x[2], x[3], x[4], x[5]},
		    times[random_below(&random, COUNT(times))]);
		struct trust_figures f = trust_figures(one, &all);
		assert_true(f.precision > 0 && f.precision < 1);
		assert_true(f.recall > 0 && f.recall < 1);
		assert_true(f.mass_precision > 0 && f.mass_precision < 1);
		assert_true(one->moves <= 40.001F && one->right <= 40.001F);
		double sum = (double)t[0].moves + (double)t[1].moves +
		    (double)t[2].moves;
		assert_close(all.moves, sum, 1e-6 * (i + 1));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_believed_by_half),
	    cmocka_unit_test(counts_become_figures),
	    cmocka_unit_test(liars_are_found_out),
	    cmocka_unit_test(what_is_old_is_forgotten),
	    cmocka_unit_test(the_gate_opens_and_closes),
	    cmocka_unit_test(who_is_right_is_not_shut_out),
	    cmocka_unit_test(odd_numbers_are_absorbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
