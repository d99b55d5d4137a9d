/* Trust in dates: equations (T1), (T2), (T6) and (T7) of docs/scheduling.md. */
#include "sched/trust.h"

#include <math.h>

#define DAY_S 86400
#define MEMORY_DAYS 30.0
#define EVIDENCE_MAX 40.0
/* What other sources say of this one counts as so many moves. */
#define PRIOR_MOVES 2.0
#define SURE 0.999
#define READINGS 8.0F
/* Of a reading, and of the mean of the last ones. */
#define MASS_SHARE 0.5F
#define GATE_CLOSES 0.5F
#define GATE_OPENS 0.3F
/* Fewer than four entries are no mass. */
#define MASS_LEAST 4
/* So many moves show whether a source is right. */
#define PROOF 10.0F
#define DISTRUST 0.1

static double
amount(double x)
{
	if (!(x > 0))
		return 0;
	return x < EVIDENCE_MAX ? x : EVIDENCE_MAX;
}

static double
probability(double x)
{
	if (!(x > 1 - SURE))
		return 1 - SURE;
	return x < SURE ? x : SURE;
}

struct trust_figures
trust_figures(const struct trust *t, const struct trust_prior *all)
{
	double others = (all->right + 1) / (all->moves + 2);
	double mass = (all->mass_right + 1) / (all->mass_moves + 2);

	return (struct trust_figures){
	    .precision = probability(
		((double)t->right + PRIOR_MOVES * probability(others)) /
		((double)t->moves + PRIOR_MOVES)),
	    .recall = probability(((double)t->told + 1) /
		((double)t->told + (double)t->missed + 2)),
	    .mass_precision = probability(
		((double)t->mass_right + PRIOR_MOVES * probability(mass)) /
		((double)t->mass_moves + PRIOR_MOVES))};
}

/* (T7): no more evidence than that, or old evidence could not be outweighed. */
static void
cap(float *a, float *b, double sum)
{
	if (sum <= EVIDENCE_MAX)
		return;
	*a = (float)((double)*a * EVIDENCE_MAX / sum);
	*b = (float)((double)*b * EVIDENCE_MAX / sum);
}

/* (T6) */
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
	float left = (float)exp(-days / MEMORY_DAYS);
	t->told *= left;
	t->missed *= left;
	t->right *= left;
	t->moves *= left;
	t->mass_right *= left;
	t->mass_moves *= left;
	t->aged_s = now_s;
}

static void
count(struct trust_prior *all, const struct trust *t, int sign)
{
	all->right += sign * (double)t->right;
	all->moves += sign * (double)t->moves;
	all->mass_right += sign * (double)t->mass_right;
	all->mass_moves += sign * (double)t->mass_moves;
	if (!(all->moves > 0))
		*all = (struct trust_prior){.mass_right = all->mass_right,
		    .mass_moves = all->mass_moves};
	if (!(all->mass_moves > 0))
		all->mass_right = all->mass_moves = 0;
}

void
trust_add(struct trust *t, struct trust_prior *all,
    const struct trust_evidence *e, int64_t now_s)
{
	count(all, t, -1);
	age(t, now_s);
	double moves = amount(e->moves);
	double mass = amount(e->mass_moves);
	t->told += (float)amount(e->told);
	t->missed += (float)amount(e->missed);
	t->right += (float)fmin(amount(e->right), moves);
	t->moves += (float)moves;
	t->mass_right += (float)fmin(amount(e->mass_right), mass);
	t->mass_moves += (float)mass;
	cap(&t->told, &t->missed, (double)t->told + (double)t->missed);
	cap(&t->right, &t->moves, (double)t->moves);
	cap(&t->mass_right, &t->mass_moves, (double)t->mass_moves);
	count(all, t, 1);
}

void
trust_forget(struct trust *t, struct trust_prior *all)
{
	count(all, t, -1);
	*t = (struct trust){0};
}

/* What moved most of the source at once has proved to be true. */
static bool
is_proven(const struct trust *t)
{
	float moves = t->moves + t->mass_moves;

	return moves >= PROOF && t->right + t->mass_right >= moves / 2;
}

bool
trust_reading(struct trust *t, uint32_t listed, uint32_t moved)
{
	float share = 0;

	if (listed > 0)
		share = (float)(moved < listed ? moved : listed) /
		    (float)listed;
	/* The mean begins with a reading in which nothing moved. */
	if (t->readings < READINGS - 1)
		t->readings++;
	t->share += (share - t->share) / (t->readings + 1);
	if (t->share > GATE_CLOSES && listed >= MASS_LEAST && !is_proven(t))
		t->is_gated = true;
	if (t->share < GATE_OPENS || is_proven(t))
		t->is_gated = false;
	return listed >= MASS_LEAST && share >= MASS_SHARE;
}

bool
trust_is_believed(const struct trust *t, const struct trust_prior *all)
{
	return !t->is_gated && trust_figures(t, all).precision >= 0.5;
}

bool
trust_is_distrusted(const struct trust *t, const struct trust_prior *all)
{
	if (t->is_gated)
		return true;
	return t->moves >= PROOF && trust_figures(t, all).precision < DISTRUST;
}
