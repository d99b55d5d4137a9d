/* The value of a fetch by known rates: equations (V3) to (V9) of
 * scheduling-formulas.md.
 */
#include "tests/sim/value_exact.h"

#include <math.h>
#include <stdbool.h>

#include "sched/fast_math.h"

#define WEIGHT_MAX 1e12
#define RATE_MIN 1e-6 /* a change in 2,700 years */
#define RATE_MAX 1e6
#define Q_MIN 1e-6
#define HAZARD_MAX 1e9
/* Above this hazard e^-hazard is less than half a unit in the last place. */
#define HAZARD_END 38.0
/* Below this the moves of a page are too rare to matter. */
#define GAMMA_NONE 1e-7
/* More terms than this cost more than they bring; (V8) is used then. */
#define TERMS_EXACT 16
#define TERMS_CYCLE 200
#define NEGLIGIBLE 1e-13

struct rate_numbers {
	double weight, alpha, gamma, q, kappa;
};

static struct rate_numbers
numbers_of(const struct value_rates *rates)
{
	struct rate_numbers n = {
	    .weight = within(rates->weight, 0, WEIGHT_MAX),
	    .alpha = within(rates->alpha, RATE_MIN, RATE_MAX),
	    .gamma = within(rates->gamma, 0, RATE_MAX),
	    .q = within(rates->q, Q_MIN, 1),
	};

	n.kappa = -log(n.q);
	return n;
}

double
value_phi_inverse(double y)
{
	if (!(y > 0))
		return 0;
	if (y >= 1)
		return INFINITY;
	/* The equation phi(x) = y is equivalent to x - ln(1 + x) = u (V9). */
	double u = -log1p(-y);
	double s = sqrt(2 * u);
	double x = s < 2 ? s * (1 + s * (1.0 / 3 + s / 36)) : u + log1p(u);

	/* Here ln(1 + x) would lose digits, and the series is right to
	 * 1e-12. */
	if (s < 1e-3)
		return x;
	for (int i = 0; i < 4; i++)
		x -= (x - log1p(x) - u) * (1 + x) / x;
	return x;
}

/* The probability of more than i events if x are expected. */
static double
poisson_above(int i, double x)
{
	double k = i + 1;

	if (i == 0)
		return -expm1(-x);
	if (x > k + 12 * sqrt(k) + 40)
		return 1;
	double term = exp(-x);
	double sum = term;
	for (int j = 1; j <= i; j++) {
		term *= x / j;
		sum += term;
	}
	if (x >= k)
		return 1 - sum;
	term *= x / k;
	sum = term;
	for (double j = k + 1; term > sum * 1e-16; j++) {
		term *= x / j;
		sum += term;
	}
	return sum;
}

/*
 * About how many terms of (V4) and (V5) matter: moves that fit below the
 * threshold, and that are likely to come before it.
 */
static double
terms_needed(const struct rate_numbers *n, double hazard)
{
	double fit = hazard / n->kappa;
	double likely = n->gamma * hazard / (n->alpha + n->gamma * n->kappa);

	likely += 6 * sqrt(likely + 1) + 4;
	return 1 + (fit < likely ? fit : likely);
}

/* Sum (V4) and (V5); the results are in days. */
static struct value_cycle
sum_cycle(const struct rate_numbers *n, double hazard)
{
	double all = n->alpha + n->gamma;
	double threshold = hazard / n->alpha;
	double step = n->kappa / n->alpha;
	double factor = 1;
	double fresh = 0;
	double days = 0;

	for (int i = 0; i < TERMS_CYCLE; i++) {
		double left = threshold - i * step;

		if (!(left > 0))
			break;
		double more_days = poisson_above(i, n->gamma * left);
		double more_fresh = factor * poisson_above(i, all * left);
		days += more_days;
		fresh += more_fresh;
		if (more_days <= NEGLIGIBLE * days &&
		    more_fresh <= NEGLIGIBLE * fresh)
			break;
		factor *= n->q * n->gamma / all;
	}
	return (struct value_cycle){.fresh = fresh / all,
	    .days = n->gamma > GAMMA_NONE ? days / n->gamma : threshold};
}

static double
changes_of(const struct rate_numbers *n)
{
	return n->alpha + n->gamma * (1 - n->q);
}

struct hazard_value {
	double value, slope; /* by hazard */
};

static struct hazard_value
point_of_cycle(
    const struct rate_numbers *n, double hazard, const struct value_cycle *c)
{
	double slope = n->weight * exp(-hazard) * c->days;
	double value = n->weight * c->fresh - slope;

	return (struct hazard_value){value > 0 ? value : 0, slope};
}

/* The first terms of (V4) and (V5), which are all of them as long as a single
 * move does not reach the threshold. */
static struct value_cycle
first_terms(const struct rate_numbers *n, double hazard)
{
	double all = n->alpha + n->gamma;
	double threshold = hazard / n->alpha;

	return (struct value_cycle){.fresh = -expm1(-all * threshold) / all,
	    .days = -expm1(-n->gamma * threshold) / n->gamma};
}

/* The value by (V8), or by (V2) for a page without moves. */
static struct hazard_value
lite(const struct rate_numbers *n, double hazard)
{
	if (hazard < n->kappa && n->gamma > GAMMA_NONE) {
		struct value_cycle c = first_terms(n, hazard);
		return point_of_cycle(n, hazard, &c);
	}
	double pull = n->gamma * n->kappa;
	double over = pull * n->kappa / (2 * (n->alpha + pull));
	double limit = n->weight / (changes_of(n) * (1 + over));

	return (struct hazard_value){
	    limit * (value_phi(hazard) - over * expm1(-hazard)),
	    limit * exp(-hazard) * (hazard + over)};
}

static bool
is_short(const struct rate_numbers *n, double hazard)
{
	return n->gamma > GAMMA_NONE && hazard < HAZARD_END &&
	    terms_needed(n, hazard) <= TERMS_EXACT;
}

static struct hazard_value
exact(const struct rate_numbers *n, double hazard)
{
	if (!is_short(n, hazard))
		return lite(n, hazard);
	struct value_cycle c = sum_cycle(n, hazard);
	return point_of_cycle(n, hazard, &c);
}

double
value_exact(const struct value_rates *rates, const struct value_evidence *e)
{
	struct rate_numbers n = numbers_of(rates);

	return exact(&n, value_hazard(rates, e)).value;
}

/* Newton's method, limited to the range between a hazard that is known to be
 * too low and one that is too high. */
static double
hazard_at(const struct rate_numbers *n, double value)
{
	double share = value * changes_of(n) / n->weight;
	double low = 0;
	double high = HAZARD_END;
	double at = value_phi_inverse(share);

	if (!(value > 0))
		return 0;
	if (!(share < 1) || at >= HAZARD_END)
		return INFINITY;
	for (int i = 0; i < 12; i++) {
		struct hazard_value p = exact(n, at);
		double next = at + (value - p.value) / p.slope;

		if (p.value < value)
			low = at;
		else
			high = at;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		bool is_there = fabs(next - at) <= 1e-7 * next;
		at = next;
		if (is_there)
			break;
	}
	return at;
}

double
value_hazard_at(const struct value_rates *rates, double value)
{
	struct rate_numbers n = numbers_of(rates);

	return hazard_at(&n, value);
}

double
value_when(const struct value_rates *rates, const struct value_evidence *e,
    double value)
{
	struct rate_numbers n = numbers_of(rates);
	double left = hazard_at(&n, value) - value_hazard(rates, e);

	if (!(left > 0))
		return 0;
	return left / (n.alpha + within(e->blind, 0, RATE_MAX));
}

struct value_cycle
value_cycle(const struct value_rates *rates, double hazard)
{
	struct rate_numbers n = numbers_of(rates);
	struct value_cycle c;

	hazard = within(hazard, 0, HAZARD_MAX);
	if (n.gamma > GAMMA_NONE && n.q < 1) {
		c = sum_cycle(&n, hazard);
	} else {
		double changes = changes_of(&n);
		c.days = hazard / changes;
		c.fresh = -expm1(-hazard) / changes;
	}
	c.value = point_of_cycle(&n, hazard, &c).value;
	return c;
}
