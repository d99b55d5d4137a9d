/* Outcomes into trust and rates, and both into values: equations (T4), (T5),
 * (T11), (T13) and (V10) of docs/scheduling.md. */
#include "sched/estimate.h"

#include <math.h>

#define MOST 1e9
#define SILENT_LEAST 1e-6
/* (T10): so many standard deviations. */
#define DOUBT 1.5
/* (T13): what passes beyond so many expected changes counts so much. */
#define DOUBTED_CHANGES 3.0
#define DOUBTED_SHARE 0.1

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
		return (struct pending){.is_undated = pending->is_undated};
	double tau = amount(pending->tau);
	return (struct pending){tau, amount(pending->moves),
	    amount(pending->mass), pending->published,
	    fmin(amount(pending->blind), tau), pending->is_undated};
}

/* (T11): the same in days of the clock by which the source changes. */
static struct pending
paced(const struct pace *pace, const struct pending *pending)
{
	struct pending p = *pending;

	if (!(p.tau > 0))
		return p;
	p.tau = pace_days(pace, pending->tau, pending->published);
	p.blind *= p.tau / pending->tau;
	return p;
}

/* What moves say, if anybody listens. */
struct word {
	struct trust_figures figures;
	double told; /* recall, or 0 */
	double spread;
	double moves, all_false, mass_false;
};

static struct word
word_of(const struct trust *trust, const struct pending *p)
{
	struct word w = {
	    .figures = trust_figures(trust), .all_false = 1, .mass_false = 1};

	if (trust_is_deaf(trust) || p->is_undated)
		return w;
	w.told = w.figures.recall;
	w.spread = w.figures.spread;
	w.moves = p->moves;
	w.all_false = trust_all_false(trust, p->moves);
	if (p->mass >= 1)
		w.mass_false = 1 -
		    w.figures.mass_precision * (1 - (double)trust->pace.share);
	return w;
}

void
estimate_view(
    struct view *v, const struct estimate_of *of, const struct pending *pending)
{
	struct pending raw = known(pending);
	struct pending p = paced(&of->trust->pace, &raw);
	struct word w = word_of(of->trust, &p);
	struct rate_belief b = rate_belief(of->rate, of->mean);
	/* (T4): moves since the last fetch count, and days without. */
	double shape = b.shape + w.figures.precision * w.moves;
	double quiet = b.days + w.told * (p.tau - p.blind);
	double days = quiet +
	    DOUBTED_SHARE * fmax(p.tau - DOUBTED_CHANGES * quiet / shape, 0);
	double changes = shape / days;
	/* (T10): how much is told is less sure than it looks. */
	double silent = fmin(
	    fmax(1 - w.told + DOUBT * w.spread, SILENT_LEAST), 1);
	double all_false = w.all_false * w.mass_false;
	double known_hazard = all_false < 1 ? -log(fmax(all_false, 1e-17)) : 0;
	/* Of days that pass only with publications. */
	double share = of->trust->pace.gap_days < PACE_NEWS_DAYS
	    ? 0
	    : (double)of->trust->pace.share;

	*v = (struct view){.changes_per_day = changes, .figures = w.figures};
	v->rates = (struct value_rates){1, silent * changes,
	    w.told * changes / w.figures.precision, 1 - w.figures.precision};
	v->evidence = (struct value_evidence){.tau = p.tau,
	    .hazard = known_hazard + w.told * changes * p.blind,
	    .blind = w.told * changes};
	v->doubt = (struct value_doubt){.weight = 1,
	    .shape = shape,
	    .days = days,
	    .exposure = silent * p.tau + w.told * p.blind,
	    .known = known_hazard,
	    .growth = p.blind > 0 ? 1 : silent * (1 - share)};
}

/* (T15): what is believed of its rate at an outcome. */
static struct rate_belief
after_moves(const struct rate_belief *b, const struct trust *trust,
    const struct word *w, double told_days)
{
	double right = w->figures.precision;
	double false_tell = follow_share(&trust->follow) * (1 - right);

	return (struct rate_belief){b->shape + (right + false_tell) * w->moves,
	    b->days + (1 + false_tell / right) * told_days};
}

static void
learn_pace(struct trust *trust, const struct pending *raw,
    const struct rate_belief *b, bool is_changed)
{
	pace_learn(&trust->pace,
	    &(struct pace_outcome){.shape = b->shape,
		.days = b->days,
		.tau = raw->tau,
		.published = raw->published,
		.is_changed = is_changed});
}

bool
estimate_outcome(const struct estimate_of *of, const struct pending *pending,
    bool is_changed, int64_t now_s)
{
	struct pending raw = known(pending);
	struct pending p = paced(&of->trust->pace, &raw);
	struct word w = word_of(of->trust, &p);
	bool is_deaf = trust_is_deaf(of->trust) || p.is_undated;
	struct rate_belief b = rate_belief(of->rate, of->mean);
	double told_days = w.told * (p.tau - p.blind);
	struct rate_belief moved = after_moves(&b, of->trust, &w, told_days);
	bool is_open = is_changed && !is_deaf && p.moves + p.mass < 1;
	double changes = rate_learn(of->rate, of->mean,
	    &(struct rate_seen){.told_days = told_days,
		.silent_days = p.tau - told_days,
		.moves = w.moves,
		.precision = w.figures.precision,
		.all_false = w.all_false * w.mass_false,
		.is_changed = is_changed});

	rate_prior_add(of->seen, changes, p.tau);
	learn_pace(of->trust, &raw, &b, is_changed);
	if (is_open) {
		double expected = b.shape / b.days * p.tau;
		float *open = &of->trust->open;

		*open += ((float)fmin(expected, 100) - *open) / 4;
		return true;
	}
	if (!is_deaf)
		trust_outcome(of->trust,
		    &(struct trust_outcome){.shape = moved.shape,
			.days = moved.days,
			.tau = p.tau,
			.moves = p.moves,
			.mass = p.mass,
			.is_changed = is_changed},
		    now_s);
	return false;
}

void
estimate_retro(const struct estimate_of *of, bool is_told, int64_t now_s)
{
	trust_retro(of->trust, is_told, now_s);
}

void
estimate_listed(const struct estimate_of *of, double age_days)
{
	struct trust_figures f = trust_figures(of->trust);

	if (!trust_is_deaf(of->trust))
		rate_add(of->rate, 0,
		    fmin(amount(age_days), 3650) * f.precision * f.recall);
}
