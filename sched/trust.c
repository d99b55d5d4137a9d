/* Trust in dates: equations (T1), (T2), (T5) to (T9) and (T14) of
 * docs/scheduling.md. */
#include "sched/trust.h"

#include <math.h>

#include "sched/fast_math.h"
#include "sched/trust_cells.h"

#define DAY_S 86400
/* Of all sources, one in so many days becomes another. */
#define STEADY_DAYS 300.0
#define MASS_MAX 30.0
#define MASS_RIGHT 0.2 /* before anything is seen, of MASS_PRIOR */
#define MASS_PRIOR 2.0
#define EVENT_SURE 0.98
/* What the tenth page says of one event says that much of others. */
#define EVENT_LEAST 0.1
#define READINGS 8.0F
#define MOVES_MAX 1000.0F
/* Of a reading, and of the mean of the last ones. */
#define MASS_SHARE 0.5F
#define GATE_CLOSES 0.5F
#define GATE_OPENS 0.3F
/* Fewer that move are no mass. */
#define MASS_LEAST 3
/* So many moves show whether a source is right. */
#define PROOF 10.0F
/* (T11): it takes so many pages to publish. */
#define PACE_PAGES 8
#define DISTRUST 0.1
/* (T9): publications that show a pace; so much slower is silence; what
 * becomes of the recall of who is silent, and of its square. */
#define PACE_LEAST 3.0F
#define NEVER_TELLS 0.1 /* that part of sources, at first */
#define SILENCE_SLOWER 3.0
#define SILENT_RECALL 0.15
#define SILENT_SQUARE 0.105

static double
within(double x, double least, double most)
{
	if (!(x > least))
		return least;
	return x < most ? x : most;
}

/* What the means of the prior are (the test compares them): most sources of a
 * large store say nothing, and are asked all the time. */
static const struct trust nothing = {.recall = 0.532000005F,
    .recall_spread = 0.377543598F,
    .precision = 0.494615406F,
    .all_false = {0.505384624F, 0.39771539F, 0.338017613F, 0.297695816F}};

static const struct trust *
means_of(const struct trust *t)
{
	return t->cells[0] > 0 ? t : &nothing;
}

/* (T6), (T7) */
static void
age(struct trust *t, int64_t now_s)
{
	double days = ((double)now_s - (double)t->aged_s) / DAY_S;

	/* A clock that goes back forgets nothing. */
	if (t->aged_s == 0 || now_s < t->aged_s) {
		t->aged_s = now_s;
		return;
	}
	if (days < 1)
		return;
	double left = exp(-days / STEADY_DAYS);
	trust_return(t, 1 - left);
	t->moves *= (float)left;
	t->mass_right *= (float)left;
	t->mass_false *= (float)left;
	t->aged_s = now_s;
}

/* (T2'): of such moves as a rule, and of the latest. */
static double
mass_precision(const struct trust *t)
{
	double rule = (MASS_RIGHT + (double)t->mass_right) /
	    (MASS_PRIOR + (double)t->mass_right + (double)t->mass_false);
	double right = (double)t->event_right;

	return fmin(
	    (rule + right) / (1 + right + (double)t->event_false), EVENT_SURE);
}

struct trust_figures
trust_figures(const struct trust *t)
{
	const struct trust *means = means_of(t);
	double silent = within((double)t->silence, 0, 1);
	double recall = (double)means->recall;
	double spread = (double)means->recall_spread;

	if (silent <= 0)
		return (struct trust_figures){
		    .precision = (double)means->precision,
		    .recall = recall,
		    .spread = spread,
		    .mass_precision = mass_precision(t)};
	double square = recall * recall + spread * spread;
	recall += silent * (SILENT_RECALL - recall);
	square += silent * (SILENT_SQUARE - square);
	return (struct trust_figures){.precision = (double)means->precision,
	    .recall = recall,
	    .spread = sqrt(fmax(square - recall * recall, 0)),
	    .mass_precision = mass_precision(t)};
}

double
trust_false_after(const float *all_false, double moves)
{
	double last = (double)all_false[TRUST_MOVES - 1];
	double before = (double)all_false[TRUST_MOVES - 2];

	if (!(moves >= 1))
		return 1;
	if (moves < TRUST_MOVES)
		return (double)all_false[(int)moves - 1];
	return last *
	    pow(last / before, fmin(moves, 64 + TRUST_MOVES) - TRUST_MOVES);
}

double
trust_all_false(const struct trust *t, double moves)
{
	return trust_false_after(means_of(t)->all_false, moves);
}

/* That so many moves are all false, with that precision. */
static double
all_false(int precision, double moves)
{
	if (!(moves >= 1))
		return 1;
	for (int n = 0; n < TRUST_MOVES; n++)
		if (moves <= n + 1)
			return (double)trust_falses[precision][n];
	return pow(1 - trust_precisions[precision], fmin(moves, 64));
}

static void
weigh_mass(
    struct trust *t, const struct trust_outcome *o, double shape, double days)
{
	struct trust_figures f = trust_figures(t);
	double same = fast_power(
	    (1 - f.recall) * within(o->tau, 0, 1e6) / days, shape);
	double right = mass_precision(t);

	if (o->moves >= 1)
		same *= 1 - f.precision;
	if (o->is_changed)
		right /= within(1 - (1 - right) * same, right, 1);
	else
		right = 0;
	double news = fmax(
	    1 / (1 + (double)t->event_right + (double)t->event_false),
	    EVENT_LEAST);
	t->event_right = fminf(t->event_right + (float)right, 1e6F);
	t->event_false = fminf(t->event_false + (float)(1 - right), 1e6F);
	t->mass_right += (float)(news * right);
	t->mass_false += (float)(news * (1 - right));
	double sum = (double)t->mass_right + (double)t->mass_false;
	if (sum > MASS_MAX) {
		t->mass_right *= (float)(MASS_MAX / sum);
		t->mass_false *= (float)(MASS_MAX / sum);
	}
}

void
trust_outcome(struct trust *t, const struct trust_outcome *o, int64_t now_s)
{
	double shape = within(o->shape, 1e-3, 1e9);
	double days = within(o->days, 1e-6, 1e9);
	double tau = within(o->tau, 0, 1e6);
	struct trust_likelihood l = {.no_mass = 1, .is_changed = o->is_changed};

	trust_begin(t);
	age(t, now_s);
	if (!t->is_gated) {
		if (o->mass >= 1)
			l.no_mass = 1 - mass_precision(t);
		for (int r = 0; r < TRUST_RECALLS; r++)
			l.silent[r] = fast_power(
			    (1 - trust_recalls[r]) * tau / days, shape);
		for (int p = 0; p < TRUST_PRECISIONS; p++)
			l.all_false[p] = all_false(p, o->moves);
		trust_weigh(t, &l);
		t->moves += (float)within(o->moves, 0, 64);
		t->moves = fminf(t->moves, MOVES_MAX);
	}
	if (o->mass >= 1)
		weigh_mass(t, o, shape, days);
}

void
trust_retro(struct trust *t, bool is_told, int64_t now_s)
{
	struct trust_likelihood l = {.no_mass = 1, .is_changed = true};
	double expected = within((double)t->open, 0.01, 100);

	trust_begin(t);
	age(t, now_s);
	for (int r = 0; r < TRUST_RECALLS; r++)
		l.silent[r] = 1 / (1 + (1 - trust_recalls[r]) * expected);
	for (int p = 0; p < TRUST_PRECISIONS; p++)
		l.all_false[p] = is_told ? 1 - trust_precisions[p] : 1;
	trust_weigh(t, &l);
}

void
trust_impossible(struct trust *t, int64_t now_s)
{
	struct trust_likelihood l = {.no_mass = 1};

	trust_begin(t);
	age(t, now_s);
	for (int r = 0; r < TRUST_RECALLS; r++)
		l.silent[r] = 1;
	for (int p = 0; p < TRUST_PRECISIONS; p++)
		l.all_false[p] = 1 - trust_precisions[p];
	trust_weigh(t, &l);
	t->moves = fminf(t->moves + 1, MOVES_MAX);
}

/* What moved most of the source at once has proved to be true. */
static bool
is_proven(const struct trust *t)
{
	return t->mass_right + t->mass_false >= PROOF &&
	    t->mass_right >= t->mass_false;
}

/* (T9): it has no pace, and so much should have changed since it last told
 * something. */
static double
never_tells(double changes)
{
	double odds = NEVER_TELLS / (1 - NEVER_TELLS) *
	    (1 + within(changes, 0, 1e9));

	return odds / (1 + odds);
}

/* (T9) */
static void
listen(
    struct trust *t, bool has_published, double changes_per_day, int64_t now_s)
{
	double span = ((double)now_s - (double)t->first_s) / DAY_S;
	double quiet = ((double)now_s - (double)t->published_s) / DAY_S;

	if (has_published) {
		t->publications = fminf(t->publications + 1, 1e6F);
		t->published_s = now_s;
		quiet = 0;
	}
	if (t->publications < PACE_LEAST) {
		t->silence = (float)never_tells(changes_per_day *
		    within(t->publications > 0 ? quiet : span, 0, 1e6));
		return;
	}
	t->silence = 0;
	if (!(quiet > 0))
		return;
	double expected = (double)t->publications / (fmax(span, 0) + 5) *
	    quiet / SILENCE_SLOWER;
	double turned = quiet / STEADY_DAYS;
	t->silence = (float)(turned / (turned + exp(-expected)));
}

bool
trust_reading(
    struct trust *t, const struct trust_reading *reading, int64_t now_s)
{
	float share = 0;

	if (t->first_s == 0)
		t->first_s = now_s;
	t->has_dates = reading->dated > 0;
	t->follow.pages = reading->listed;
	if (reading->listed > 0 && reading->moved >= MASS_LEAST)
		share = fminf(
		    (float)reading->moved / (float)reading->listed, 1);
	/* Of readings in which something moved; the mean begins with one in
	 * which nothing did. */
	if (reading->moved > 0) {
		if (t->readings < READINGS - 1)
			t->readings++;
		t->share += (share - t->share) / (t->readings + 1);
	}
	if (t->share > GATE_CLOSES && !is_proven(t))
		t->is_gated = true;
	if (t->share < GATE_OPENS || is_proven(t))
		t->is_gated = false;
	listen(t, reading->moved > 0 && share < MASS_SHARE, reading->changes,
	    now_s);
	if (share < MASS_SHARE)
		return false;
	t->event_right = t->event_false = 0;
	/* Pages of small documents move together by chance. */
	if (reading->moved >= PACE_PAGES)
		pace_publish(
		    &t->pace, ((double)now_s - (double)t->first_s) / DAY_S);
	return true;
}

bool
trust_is_deaf(const struct trust *t)
{
	return t->is_gated || !t->has_dates;
}

bool
trust_is_believed(const struct trust *t)
{
	return !trust_is_deaf(t) && trust_figures(t).precision >= 0.5;
}

bool
trust_is_distrusted(const struct trust *t)
{
	return t->is_gated ||
	    (t->moves >= PROOF && trust_figures(t).precision < DISTRUST);
}
