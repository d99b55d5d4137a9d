/* The value of fetching a page by known rates: scheduling-formulas.md, (V4) to
 * (V9). */
#include "tests/fixtures/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/value_exact.h"

static const double alphas[] = {0.001, 0.03, 0.3};
static const double gammas[] = {0.001, 0.03, 1, 10};
static const double qs[] = {1e-3, 0.05, 0.3, 0.6, 0.9, 0.97};
static const double hazards[] = {0.01, 0.1, 0.5, 1, 2, 5, 10};

#define GRID (COUNT(alphas) * COUNT(gammas) * COUNT(qs) * COUNT(hazards))

struct point {
	struct value_rates rates;
	double hazard;
};

static struct point
grid_point(size_t i)
{
	struct point p = {.rates.weight = 1, .hazard = hazards[i % 7]};

	i /= COUNT(hazards);
	p.rates.q = qs[i % COUNT(qs)];
	i /= COUNT(qs);
	p.rates.gamma = gammas[i % COUNT(gammas)];
	p.rates.alpha = alphas[i / COUNT(gammas)];
	return p;
}

static void
check(const char *what, const struct point *p, double is, double should,
    double error)
{
	if (!(fabs(is - should) <= error * fabs(should)))
		fail_msg("%s of alpha %g gamma %g q %g at %g: %.9g, not %.9g",
		    what, p->rates.alpha, p->rates.gamma, p->rates.q, p->hazard,
		    is, should);
}

static void
phi_has_an_inverse(void **state)
{
	for (double x = 1e-7; x < 30; x *= 1.3) {
		double again = value_phi_inverse(value_phi(x));
		double error = x < 20 ? 1e-6 : 1e-3;

		if (!(fabs(again - x) <= error * x))
			fail_msg("%.9g became %.9g", x, again);
	}
	assert_true(value_phi_inverse(0) == 0);
	assert_true(value_phi_inverse(-1) == 0);
	assert_true(value_phi_inverse(NAN) == 0);
	assert_true(isinf(value_phi_inverse(1)));
	assert_true(isinf(value_phi_inverse(2)));
}

/* psi by its differential equation (V4'), value by its integral (V6'). */
static double
value_by_steps(const struct point *p)
{
	enum { STEPS = 20000 };
	double length = p->hazard / p->rates.alpha / STEPS;
	double lag = -log(p->rates.q) / p->rates.alpha / length;
	double *psi = calloc(STEPS + 1, sizeof(*psi));
	double value = 0;

	assert_non_null(psi);
	for (int i = 0; i < STEPS; i++) {
		double before[2] = {0, 0};

		for (int k = 0; k < 2; k++) {
			double at = i + k - lag;
			int j = (int)at;
			if (at > 0 && j < i)
				before[k] = psi[j] +
				    (at - j) * (psi[j + 1] - psi[j]);
			else if (at > 0)
				before[k] = psi[i];
		}
		double slope = 1 - p->rates.gamma * (psi[i] - before[0]);
		double next = psi[i] + length * slope;
		slope += 1 - p->rates.gamma * (next - before[1]);
		psi[i + 1] = psi[i] + length * slope / 2;
		double hazard = length * p->rates.alpha;
		value += hazard / 2 *
		    (exp(-i * hazard) * psi[i] +
			exp(-(i + 1) * hazard) * psi[i + 1]);
	}
	free(psi);
	return value;
}

static void
value_is_what_quadrature_gives(void **state)
{
	for (size_t i = 0; i < GRID; i++) {
		struct point p = grid_point(i);

		/* steps longer than the gap between two moves would prove
		 * nothing */
		if (p.rates.gamma * p.hazard / p.rates.alpha > 1000)
			continue;
		if (p.hazard / -log(p.rates.q) > 150)
			continue;
		check("value", &p, value_cycle(&p.rates, p.hazard).value,
		    value_by_steps(&p), 1e-3);
	}
}

/* One number in (0, 1), by splitmix64. */
static double
draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((double)((z ^ z >> 31) >> 12) + 0.5) / 4503599627370496.0;
}

/*
 * A simulation: changes, true and false moves, and a fetch when the hazard
 * reaches the threshold.  *fresh and *days get the means over many cycles.
 */
static void
live(const struct point *p, double *fresh, double *days)
{
	enum { CYCLES = 40000 };
	uint64_t seed = 1;
	double kappa = -log(p->rates.q);
	double told = p->rates.gamma * (1 - p->rates.q);
	double false_moves = p->rates.gamma * p->rates.q;
	double all = p->rates.alpha + told + false_moves;

	*fresh = 0;
	*days = 0;
	for (int i = 0; i < CYCLES; i++) {
		double now = 0;
		double moves = 0;
		double right_until = INFINITY;

		for (;;) {
			double end = (p->hazard - kappa * moves) /
			    p->rates.alpha;
			double next = now - log(draw(&seed)) / all;
			double which = draw(&seed) * all;

			if (end <= now || next > end) {
				now = end > now ? end : now;
				break;
			}
			now = next;
			if (which >= false_moves && isinf(right_until))
				right_until = now;
			if (which < false_moves + told)
				moves++;
		}
		*days += now / CYCLES;
		*fresh += fmin(now, right_until) / CYCLES;
	}
}

static void
cycle_is_what_happens(void **state)
{
	static const struct point points[] = {{{1, 0.03, 0.1, 0.3}, 0.5},
	    {{1, 0.03, 0.1, 0.3}, 3}, {{1, 0.01, 0.3, 0.8}, 1},
	    {{1, 0.2, 0.05, 0.05}, 1.5}};

	for (size_t i = 0; i < COUNT(points); i++) {
		struct value_cycle c = value_cycle(
		    &points[i].rates, points[i].hazard);
		double fresh;
		double days;

		live(&points[i], &fresh, &days);
		check("days", &points[i], c.days, days, 0.02);
		check("fresh", &points[i], c.fresh, fresh, 0.02);
	}
}

/* (V6): at the price L the best threshold is where the value is L. */
static void
no_other_threshold_is_better(void **state)
{
	for (size_t i = 0; i < GRID; i++) {
		struct point p = grid_point(i);
		struct value_cycle c = value_cycle(&p.rates, p.hazard);
		double best = (c.fresh - c.value) / c.days;

		for (double f = 0.25; f < 5; f *= 1.25) {
			struct value_cycle o = value_cycle(
			    &p.rates, f * p.hazard);
			if ((o.fresh - c.value) / o.days > best * (1 + 1e-9))
				fail_msg("%g times %zu is better", f, i);
		}
	}
}

static void
a_short_sum_is_exact(void **state)
{
	for (size_t i = 0; i < GRID; i++) {
		struct point p = grid_point(i);
		struct value_evidence e = {.hazard = p.hazard};
		double value = value_cycle(&p.rates, p.hazard).value;

		if (p.hazard / -log(p.rates.q) > 190)
			continue;
		check("exact", &p, value_exact(&p.rates, &e), value, 2e-3);
	}
}

static void
limits_are_met(void **state)
{
	struct point p = {{2, 0.05, 0, 0.5}, 0.7};
	struct value_evidence e = {.tau = 14};

	/* no moves, or moves that mean nothing: (V2) */
	check("none", &p, value_exact(&p.rates, &e), 40 * value_phi(0.7), 1e-9);
	p.rates.gamma = 0.2;
	p.rates.q = 1;
	check("no word", &p, value_exact(&p.rates, &e), 40 * value_phi(0.7),
	    1e-9);
	/* moves are always right and announce all changes */
	p.rates = (struct value_rates){2, 0, 0.2, 0};
	e = (struct value_evidence){.tau = 14, .moves = 1};
	check("told", &p, value_exact(&p.rates, &e), 10, 1e-3);
	e.moves = 0;
	assert_true(value_exact(&p.rates, &e) < 1e-3);
	/* the limit of a page that is never fetched again */
	for (size_t i = 0; i < GRID; i++) {
		p = grid_point(i);
		e = (struct value_evidence){.hazard = 45};
		check("limit", &p, value_exact(&p.rates, &e),
		    value_limit(&p.rates), 1e-9);
	}
}

static void
more_evidence_is_worth_more(void **state)
{
	for (size_t i = 0; i < GRID; i++) {
		struct point p = grid_point(i);
		double last = 0;

		for (double h = 0.005; h < 40; h *= 1.07) {
			struct value_evidence e = {.hazard = h};
			double value = value_exact(&p.rates, &e);

			/* the value may jump a little where (V8) replaces the
			 * sum */
			if (value < last * (1 - 2e-3))
				fail_msg("%zu: %g at %g", i, value, h);
			last = value;
		}
	}
}

static void
when_it_will_be_worth_it(void **state)
{
	for (size_t i = 0; i < GRID; i++) {
		struct point p = grid_point(i);
		struct value_evidence e = {.tau = 1,
		    .moves = (double)(i % 2),
		    .hazard = 0.01,
		    .blind = 0.1};
		double price = value_cycle(&p.rates, p.hazard).value;
		double days = value_when(&p.rates, &e, price);

		if (p.hazard / -log(p.rates.q) > 190)
			continue;
		if (days == 0) {
			assert_true(
			    value_exact(&p.rates, &e) >= price * (1 - 2e-3));
			continue;
		}
		e.tau += days;
		e.hazard += e.blind * days;
		check("then", &p, value_exact(&p.rates, &e), price, 2e-3);
	}
	struct value_rates r = {1, 0.1, 0, 0};
	struct value_evidence e = {.tau = 1};
	assert_true(isinf(value_when(&r, &e, 10)));
	assert_true(isinf(value_when(&r, &e, INFINITY)));
	assert_true(value_when(&r, &e, 0) == 0);
	assert_true(value_when(&r, &e, NAN) == 0);
}

static void
odd_numbers_are_absorbed(void **state)
{
	static const double odd[] = {
	    0, -1, 1e-300, 1e-9, 0.5, 1, 1e9, 1e300, INFINITY, -INFINITY, NAN};
	uint64_t seed = 7;

	for (int i = 0; i < 200000; i++) {
		double x[9];

		for (size_t k = 0; k < COUNT(x); k++)
			x[k] = odd[(size_t)(draw(&seed) * COUNT(odd))];
		struct value_rates r = {x[0], x[1], x[2], x[3]};
		struct value_evidence e = {x[4], x[5], x[6], x[7]};
		struct value_cycle c = value_cycle(&r, x[4]);
		double results[] = {
		    value_exact(&r, &e), c.value, c.fresh, c.days};

		for (size_t k = 0; k < COUNT(results); k++)
			if (!(results[k] >= 0 && results[k] <= 1e300))
				fail_msg(
				    "%d: result %zu is %g", i, k, results[k]);
		assert_true(value_when(&r, &e, x[8]) >= 0);
		assert_true(value_hazard_at(&r, x[8]) >= 0);
	}
}

UNIT_TESTS(value_exact, cmocka_unit_test(phi_has_an_inverse),
    cmocka_unit_test(value_is_what_quadrature_gives),
    cmocka_unit_test(cycle_is_what_happens),
    cmocka_unit_test(no_other_threshold_is_better),
    cmocka_unit_test(a_short_sum_is_exact), cmocka_unit_test(limits_are_met),
    cmocka_unit_test(more_evidence_is_worth_more),
    cmocka_unit_test(when_it_will_be_worth_it),
    cmocka_unit_test(odd_numbers_are_absorbed));
