/* What fetches teach: scheduling-formulas.md, "Trust" and "Rates". */
#include "tests/fixtures/fixture.h"

#include <math.h>

#include "sched/estimate.h"
#include "tests/sim/random.h"

enum { PAGES = 60 };

/* A source and its pages. */
struct site {
	struct trust trust;
	struct rate rates[PAGES];
	struct rate_prior site, all;
};

static struct estimate_of
page_of(struct site *site, int page)
{
	return (struct estimate_of){&site->trust, &site->rates[page],
	    rate_mean(&site->site, &site->all), &site->site, NULL};
}

/* The truth about the dates of a site. */
struct dates {
	double recall, precision;
	double changes; /* a day */
	double every; /* days from fetch to fetch */
};

/* Simulate the days of a page between two fetches, with readings of its date
 * every six hours; returns whether the page changed. */
static bool
live(const struct dates *is, struct random *random, double days,
    struct pending *pending)
{
	double told = is->recall * is->changes;
	double all = is->changes + told * (1 - is->precision) / is->precision;
	bool is_changed = false;

	*pending = (struct pending){.tau = days};
	for (double t = 0;;) {
		t += random_exponential(random) / all;
		if (t > days)
			return is_changed;
		double which = random_unit(random) * all;
		if (which < is->changes)
			is_changed = true;
		if (which < told || which >= is->changes)
			pending->moves++;
	}
}

static void
learn(
    struct site *site, const struct dates *is, struct random *random, int days)
{
	for (double now = is->every; now < days; now += is->every)
		for (int i = 0; i < PAGES; i++) {
			struct estimate_of of = page_of(site, i);
			struct pending pending;
			bool is_changed = live(is, random, is->every, &pending);
			int64_t now_s = (int64_t)(now * 86400);

			/* readings are frequent, so a change without a move
			 * was never announced */
			if (estimate_outcome(&of, &pending, is_changed, now_s))
				trust_clue(of.trust, CLUE_SILENT, now_s);
		}
}

static void
honesty_is_learned(void **state)
{
	static const struct dates rows[] = {{0.95, 0.95, 0.1, 3},
	    {0.95, 0.95, 0.1, 10}, {0.5, 0.95, 0.1, 3}, {0.9, 0.3, 0.1, 3},
	    {0.6, 0.2, 0.05, 3}, {0.3, 0.9, 0.2, 2}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site site = {.trust.has_dates = true};
		struct random random;

		random_init(&random, i, 0);
		learn(&site, &rows[i], &random, 60);
		struct trust_figures f = trust_figures(&site.trust);
		if (fabs(f.precision - rows[i].precision) > 0.15 ||
		    fabs(f.recall - rows[i].recall) > 0.15)
			fail_msg("%zu: precision %g, recall %g", i, f.precision,
			    f.recall);
	}
}

/* Trust learns with the rate that is believed of a page after so many moves
 * and days: (T4) and (T5). */
static void
what_moved_is_quick(void **state)
{
	struct site site = {.trust.has_dates = true};
	struct estimate_of of = page_of(&site, 0);
	struct pending moved = {.tau = 8, .moves = 3, .blind = 2};
	struct trust_figures f = trust_figures(&site.trust);
	struct rate_belief b = rate_belief(of.rate, of.mean);

	/* one page moved eight times and nine others did not; or all moved
	 * once */
	for (int follows = 0; follows < 2; follows++) {
		double odds = follows * (1 - f.precision) / f.precision;

		site.trust = (struct trust){.has_dates = true};
		site.trust.follow.pages = follows ? 10 : 8;
		for (unsigned i = 0; i < 8; i++)
			follow_move(&site.trust.follow, follows ? i : 0);
		assert_close(follow_share(&site.trust.follow), follows, 1e-9);
		struct trust expected = site.trust;
		trust_outcome(&expected,
		    &(struct trust_outcome){
			.shape = b.shape + 3 * f.precision * (1 + odds),
			.days = b.days + 6 * f.recall * (1 + odds),
			.tau = 8,
			.moves = 3,
			.is_changed = true},
		    1);
		assert_false(estimate_outcome(&of, &moved, true, 1));
		assert_close(trust_figures(&site.trust).recall,
		    trust_figures(&expected).recall, 1e-6);
		assert_close(trust_figures(&site.trust).precision,
		    trust_figures(&expected).precision, 1e-6);
		site.rates[0] = (struct rate){0};
	}
}

static void
rates_are_learned(void **state)
{
	static const struct dates rows[] = {{0, 1, 0.02, 10}, {0, 1, 0.1, 10},
	    {0, 1, 0.3, 3}, {0.9, 0.9, 0.1, 10}, {0.9, 0.3, 0.1, 5}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site site = {.trust.has_dates = true};
		struct random random;

		random_init(&random, i, 0);
		learn(&site, &rows[i], &random, 200);
		double mean = 0;
		for (int k = 0; k < PAGES; k++) {
			struct estimate_of of = page_of(&site, k);
			struct view view;

			estimate_view(&view, &of, &(struct pending){0});
			mean += view.changes_per_day / PAGES;
		}
		if (fabs(mean - rows[i].changes) > 0.2 * rows[i].changes)
			fail_msg("%zu: %g changes a day", i, mean);
	}
}

/*
 * (T8): a change within x days, by sums over many rates: the belief after it
 * has the mean and the spread that Bayes' rule gives.
 */
static void
a_change_is_believed_by_bayes_rule(void **state)
{
	for (double tau = 0.5; tau < 200; tau *= 3) {
		struct site site = {0};
		struct estimate_of of = page_of(&site, 0);
		double days = 1 / rate_mean(&site.site, &site.all);
		double sum[3] = {0};

		for (double rate = 5e-5; rate < 5; rate += 1e-4) {
			double w = exp(-rate * days) * -expm1(-rate * tau);

			for (int k = 0; k < 3; k++)
				sum[k] += w * pow(rate, k);
		}
		double mean = sum[1] / sum[0];
		double spread = sum[2] / sum[0] - mean * mean;
		/* without dates all changes are silent */
		assert_false(estimate_outcome(
		    &of, &(struct pending){.tau = tau}, true, 1));
		struct rate_belief b = rate_belief(&site.rates[0], 1 / days);
		assert_close(b.shape / b.days, mean, 0.01 * mean);
		assert_close(b.shape / b.days / b.days, spread, 0.02 * spread);
		/* expected: (T5) */
		assert_true(site.site.changes >= 1);
		assert_close(site.site.days, tau, 1e-9);
	}
}

static void
a_change_without_a_move_waits_for_the_next_reading(void **state)
{
	struct site site = {.trust.has_dates = true};
	struct estimate_of of = page_of(&site, 0);
	struct pending none = {.tau = 4};
	struct pending moved = {.tau = 4, .moves = 1};

	double before = trust_figures(&site.trust).recall;
	assert_true(estimate_outcome(&of, &none, true, 1));
	assert_close(trust_figures(&site.trust).recall, before, 1e-6);
	struct trust open = site.trust;
	trust_clue(of.trust, CLUE_LATE, 2);
	assert_true(trust_figures(&site.trust).recall >= before - 0.02);
	double told = trust_figures(&site.trust).recall;
	site.trust = open;
	trust_clue(of.trust, CLUE_SILENT, 2);
	assert_true(trust_figures(&site.trust).recall < before);
	assert_true(trust_figures(&site.trust).recall < told - 0.05);
	assert_false(estimate_outcome(&of, &moved, true, 1));
	assert_false(estimate_outcome(&of, &none, false, 1));
	/* changes of a page without a date are not announced, whatever the
	 * trust in the source */
	none.is_undated = true;
	open = site.trust;
	assert_false(estimate_outcome(&of, &none, true, 1));
	assert_memory_equal(&open, &site.trust, sizeof(open));
}

static void
behind_the_gate_moves_are_nothing(void **state)
{
	struct site site = {.trust.has_dates = true, .trust.is_gated = true};
	struct estimate_of of = page_of(&site, 0);
	struct pending moved = {.tau = 4, .moves = 3, .mass = 9, .blind = 2};
	struct view view;

	estimate_view(&view, &of, &moved);
	assert_close(view.rates.alpha, view.changes_per_day, 1e-12);
	assert_close(view.uncertain.exposure, 4, 1e-9);
	assert_close(view.uncertain.known, 0, 1e-9);
	assert_close(view.rates.gamma, 0, 1e-12);
	assert_close(value_hazard(&view.rates, &view.evidence),
	    4 * view.changes_per_day, 1e-9);
	assert_false(estimate_outcome(&of, &moved, true, 1));
}

/* (T11) */
static void
what_publishes_changes_when_it_does(void **state)
{
	struct site site = {.trust.is_gated = true};
	struct estimate_of of = page_of(&site, 0);
	struct pending quiet = {.tau = 10};
	struct pending published = {.tau = 3, .published = 2};
	struct view view;

	for (int i = 1; i <= 20; i++)
		pace_publish(&site.trust.pace, 7 * i);
	for (int i = 0; i < 50; i++) {
		estimate_outcome(&of, &quiet, false, 1);
		estimate_outcome(&of, &published, i % 3 == 0, 1);
	}
	assert_true((double)site.trust.pace.share > 0.95);
	assert_close(site.site.days, 50 * 14, 150);
	estimate_view(&view, &of, &quiet);
	assert_true(view.uncertain.exposure < 0.5);
	assert_true(view.uncertain.growth < 0.05);
	estimate_view(&view, &of, &published);
	assert_close(view.uncertain.exposure, 14, 0.5);
	/* publications are expected in the days that no reading has covered */
	published.blind = 1;
	estimate_view(&view, &of, &published);
	assert_close(view.uncertain.growth, 1, 1e-9);
}

static void
old_dates_say_it_is_slow(void **state)
{
	struct site site = {.trust.has_dates = true};
	struct estimate_of of = page_of(&site, 0);
	struct view before;
	struct view after;

	estimate_view(&before, &of, &(struct pending){.tau = INFINITY});
	estimate_listed(&of, 400);
	estimate_view(&after, &of, &(struct pending){.tau = INFINITY});
	assert_true(after.changes_per_day < before.changes_per_day / 2);
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 0.3, 1, 7, 1e9, 1e300, INFINITY, -INFINITY, NAN, 1e-300};
	struct site site = {.trust.has_dates = true};
	struct random random;

	random_init(&random, 3, 0);
	for (int i = 0; i < 30000; i++) {
		struct estimate_of of = page_of(
		    &site, (int)random_below(&random, PAGES));
		double x[5];
		struct view view;

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[random_below(&random, COUNT(odd))];
		struct pending pending = {
		    x[0], x[1], x[2], x[3], x[4], x[4] > 1, 0, NULL};
		site.trust.is_gated = random_below(&random, 2) == 0;
		estimate_view(&view, &of, &pending);
		double hazard = value_hazard(&view.rates, &view.evidence);
		double days;
		double value = value_uncertain_evaluate(
		    &view.uncertain, 0, 0, &days);
		assert_true(hazard >= 0 && hazard < 1e300);
		assert_true(value >= 0 && value < 1e300);
		assert_true(
		    view.changes_per_day > 0 && view.changes_per_day < 1e12);
		assert_true(view.rates.alpha >= 0 && view.rates.gamma >= 0);
		int64_t now_s = (int64_t)random_below(&random, 1 << 30);
		switch (random_below(&random, 3)) {
		case 0:
			estimate_listed(&of, x[4]);
			break;
		case 1:
			trust_clue(of.trust, x[4] > 0 ? CLUE_LATE : CLUE_SILENT,
			    now_s);
			break;
		default:
			estimate_outcome(&of, &pending, x[4] > 0, now_s);
		}
	}
}

UNIT_TESTS(estimate, cmocka_unit_test(honesty_is_learned),
    cmocka_unit_test(what_moved_is_quick), cmocka_unit_test(rates_are_learned),
    cmocka_unit_test(a_change_is_believed_by_bayes_rule),
    cmocka_unit_test(a_change_without_a_move_waits_for_the_next_reading),
    cmocka_unit_test(behind_the_gate_moves_are_nothing),
    cmocka_unit_test(what_publishes_changes_when_it_does),
    cmocka_unit_test(old_dates_say_it_is_slow),
    cmocka_unit_test(odd_numbers_are_absorbed));
