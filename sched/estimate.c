/* Outcomes into trust and rates: equations (T4) and (T5) of
 * docs/scheduling.md. */
#include "sched/estimate.h"

#include <math.h>

#define MOST 1e9

static double
amount(double x)
{
	if (!(x > 0))
		return 0;
	return x < MOST ? x : MOST;
}

/* No fetch, no time since: what is pending then says nothing. */
static struct pending
known(const struct pending *pending)
{
	if (!isfinite(pending->tau))
		return (struct pending){0};
	return (struct pending){amount(pending->tau), amount(pending->moves),
	    amount(pending->mass), amount(pending->blind)};
}

void
estimate_view(
    struct view *v, const struct estimate_of *of, const struct pending *pending)
{
	struct trust_figures f = trust_figures(of->trust, of->sources);
	struct pending p = known(pending);
	double told = of->trust->is_gated ? 0 : f.recall;
	double moves = of->trust->is_gated ? 0 : p.moves;
	double changes = rate_now(
	    of->rate, rate_mean(of->site, of->all), moves * f.precision, p.tau);

	*v = (struct view){.changes_per_day = changes, .figures = f};
	v->rates = (struct value_rates){1, (1 - told) * changes,
	    told * changes / f.precision, 1 - f.precision};
	v->evidence = (struct value_evidence){
	    .tau = p.tau, .moves = moves, .blind = told * changes};
	v->evidence.hazard = v->evidence.blind * p.blind;
	if (!of->trust->is_gated)
		v->evidence.hazard -= log1p(-f.mass_precision) * p.mass;
}

/* (T5): what the change that was found is owed to, on the average. */
struct shares {
	double silent, moves, mass, blind;
};

static struct shares
shares_of(const struct view *v, const struct pending *p, bool is_changed)
{
	bool is_gated = !(v->rates.gamma > 0);
	double hazard = value_hazard(&v->rates, &v->evidence);
	double times = hazard < 1e-9 ? 0 : -1 / expm1(-hazard);
	double right = is_gated ? 0 : v->figures.precision * p->moves;
	double mass = is_gated ? 0 : v->figures.mass_precision * p->mass;

	if (!is_changed)
		return (struct shares){0};
	/* Nothing was to be expected: it came unannounced. */
	if (times == 0)
		return (struct shares){.silent = 1};
	return (struct shares){.silent = v->rates.alpha * p->tau * times,
	    .moves = fmin(right * times, p->moves),
	    .mass = fmin(mass * times, p->mass),
	    .blind = v->evidence.blind * p->blind * times};
}

/* What it says of the dates; as if the gate were open, so that a source that
 * proves to be right can leave it. */
static void
teach(const struct estimate_of *of, const struct pending *p, bool is_changed,
    int64_t now_s)
{
	struct trust open = *of->trust;
	struct estimate_of as_open = *of;
	struct view v;

	open.is_gated = false;
	as_open.trust = &open;
	estimate_view(&v, &as_open, p);
	struct shares s = shares_of(&v, p, is_changed);
	struct trust_evidence e = {.right = s.moves,
	    .moves = p->moves,
	    .mass_right = s.mass,
	    .mass_moves = p->mass};
	if (!of->trust->is_gated) {
		e.told = s.moves + s.mass;
		/* With no move at all the next reading will tell. */
		e.missed = p->moves + p->mass > 0 ? s.silent : 0;
	}
	trust_add(of->trust, of->sources, &e, now_s);
}

bool
estimate_outcome(const struct estimate_of *of, const struct pending *pending,
    bool is_changed, int64_t now_s)
{
	struct pending p = known(pending);
	struct view v;

	estimate_view(&v, of, &p);
	struct shares s = shares_of(&v, &p, is_changed);
	double changes = s.silent + s.moves + s.mass + s.blind;
	teach(of, &p, is_changed, now_s);
	rate_add(of->rate, changes, p.tau);
	rate_prior_add(of->site, changes, p.tau);
	rate_prior_add(of->all, changes, p.tau);
	return is_changed && !of->trust->is_gated && p.moves + p.mass == 0;
}

void
estimate_retro(const struct estimate_of *of, bool is_told, int64_t now_s)
{
	trust_add(of->trust, of->sources,
	    &(struct trust_evidence){.told = is_told, .missed = !is_told},
	    now_s);
}

void
estimate_listed(const struct estimate_of *of, double age_days)
{
	struct trust_figures f = trust_figures(of->trust, of->sources);

	if (!of->trust->is_gated)
		rate_add(
		    of->rate, 0, amount(age_days) * f.precision * f.recall);
}
