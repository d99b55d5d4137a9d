/* The clock of publications: equation (T11) of scheduling-formulas.md. */
#include "sched/pace.h"

#include <math.h>

#include "sched/fast_math.h"

/* A source with this many publications has a pace. */
#define COUNT_LEAST 5.0F
#define COUNT_MAX 1e6F
#define GAP_LEAST 1e-3
#define GAP_MAX 1e4
/* MEMORY is the share of an outcome that remains after the next one.
 * LIKELY_LEAST is the least probability that an outcome counts with. */
#define MEMORY 0.999F
#define LIKELY_LEAST 1e-3
/* At first the share 0 (no change comes with publications) is this many times
 * as likely as each other share. */
#define NOTHING 20.0

static const double shares[PACE_SHARES] = {0, 0.5, 0.8, 0.95, 1};

static void
pace_average(struct pace *p)
{
	double sum = 0;
	double share = 0;

	for (int i = 0; i < PACE_SHARES; i++) {
		double weight = exp((double)p->likely[i]) *
		    (i == 0 ? NOTHING : 1);

		sum += weight;
		share += weight * shares[i];
	}
	p->share = (float)(share / sum);
}

void
pace_publish(struct pace *p, double days)
{
	p->count = fminf(p->count + 1, COUNT_MAX);
	if (p->count < COUNT_LEAST)
		return;
	p->gap_days = (float)within(
	    days / (double)p->count, GAP_LEAST, GAP_MAX);
	pace_average(p);
}

double
pace_position(const struct pace *p, double blind)
{
	double position = (double)p->count;

	if (p->gap_days > 0)
		position += within(blind, 0, 1e6) / (double)p->gap_days;
	return position;
}

double
pace_days(const struct pace *p, double share, double tau, double published)
{
	if (!(published >= 0))
		return tau;
	return (1 - share) * tau +
	    share * (double)p->gap_days * within(published, 0, 1e6);
}

void
pace_learn(struct pace *p, const struct pace_outcome *o)
{
	double shape = within(o->shape, 1e-3, 1e9);
	double days = within(o->days, 1e-6, 1e9);
	double tau = within(o->tau, 0, 1e6);
	float most = -INFINITY;

	if (!(p->gap_days > 0) || !(o->published >= 0))
		return;
	for (int i = 0; i < PACE_SHARES; i++) {
		double u = pace_days(p, shares[i], tau, o->published);
		double same = fast_power(u / days, shape);
		double likely = o->is_changed ? 1 - same : same;

		p->likely[i] = MEMORY * p->likely[i] +
		    (float)log(within(likely, LIKELY_LEAST, 1));
		most = fmaxf(most, p->likely[i]);
	}
	for (int i = 0; i < PACE_SHARES; i++)
		p->likely[i] -= most;
	pace_average(p);
}

bool
pace_is_sound(const struct pace *p)
{
	for (int i = 0; i < PACE_SHARES; i++)
		if (!(p->likely[i] >= -1e6F && p->likely[i] <= 0))
			return false;
	return p->count >= 0 && p->count <= COUNT_MAX && p->gap_days >= 0 &&
	    p->gap_days <= (float)GAP_MAX && p->share >= 0 && p->share <= 1;
}
