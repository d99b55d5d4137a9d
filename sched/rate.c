/* Rates of change: equations (T3) to (T5), (T8), (T11) and (T12) of
 * scheduling-formulas.md. */
#include "sched/rate.h"

#include <math.h>

#include "sched/fast_math.h"

/* The estimate at first: one change in twenty days, with the weight of three
 * counted changes. */
#define FIRST_CHANGES 3.0
#define FIRST_DAYS 60.0
/* For a site, the mean of all sites has the weight of this many changes of its
 * own. */
#define SITE_CHANGES 3.0
/* For a part, the mean of the whole has the weight of this many changes of the
 * part. */
#define PART_CHANGES 2.0
/* For a page, the mean around it has the weight of one change. */
#define PAGE_CHANGES 1.0
/* However many fetches a page has had, at least these shares of the belief that
 * this mean gives remain. */
#define SHAPE_LEAST 0.3
#define DAYS_LEAST 0.2
#define SILENT_LEAST 1e-3
#define MOST 1e9
/* A mean is between one change in 2,700 years and one in a tenth of a
 * second. */
#define MEAN_LEAST 1e-6
#define MEAN_MOST 1e6

double
rate_mean(const struct rate_prior *site, const struct rate_prior *all)
{
	/* The changes a day of a page of which nothing is known. */
	double any = within((FIRST_CHANGES + within(all->changes, 0, MOST)) /
		(FIRST_DAYS + within(all->days, 0, MOST)),
	    MEAN_LEAST, MEAN_MOST);

	return within((SITE_CHANGES + within(site->changes, 0, MOST)) /
		(SITE_CHANGES / any + within(site->days, 0, MOST)),
	    MEAN_LEAST, MEAN_MOST);
}

double
rate_mean_in(const struct rate_prior *part, double above)
{
	above = within(above, MEAN_LEAST, MEAN_MOST);
	return within((PART_CHANGES + within(part->changes, 0, MOST)) /
		(PART_CHANGES / above + within(part->days, 0, MOST)),
	    MEAN_LEAST, MEAN_MOST);
}

struct rate_belief
rate_belief(const struct rate *rate, double mean)
{
	double days = PAGE_CHANGES / within(mean, MEAN_LEAST, MEAN_MOST);

	return (struct rate_belief){within(PAGE_CHANGES + (double)rate->changes,
					SHAPE_LEAST * PAGE_CHANGES, MOST),
	    within(days + (double)rate->days, DAYS_LEAST * days, MOST)};
}

/* (T8): the belief after a change was seen. With the probability is_silent the
 * change happened in the silent days; else there was none in these days. */
static struct rate_belief
after_change(struct rate_belief b, double silent_days, double is_silent)
{
	double none = fast_power(silent_days / b.days, b.shape);
	double some = within(1 - none, 1e-12, 1);
	/* The first and the second moment of the belief before these days, and
	 * after them without a change. */
	double days = b.days + silent_days;
	double first_before = b.shape / b.days;
	double second_before = b.shape / b.days * (b.shape + 1) / b.days;
	double first_none = b.shape / days;
	double second_none = b.shape / days * (b.shape + 1) / days;
	double first = is_silent * (first_before - none * first_none) / some +
	    (1 - is_silent) * first_none;
	double second = is_silent * (second_before - none * second_none) /
		some +
	    (1 - is_silent) * second_none;
	double spread = second - first * first;

	/* If the moments cancel each other, nothing can be learned from the
	 * outcome. */
	if (!(spread > 1e-6 * first * first))
		return b;
	return (struct rate_belief){first * first / spread, first / spread};
}

double
rate_learn(struct rate *rate, double mean, const struct rate_seen *seen)
{
	struct rate_belief b = rate_belief(rate, mean);
	double told_days = within(seen->told_days, 0, MOST);
	double silent = within(seen->silent_days, SILENT_LEAST, MOST);
	double moves = within(seen->moves, 0, 1e6);

	if (!seen->is_changed) {
		rate_add(
		    rate, 0, told_days + within(seen->silent_days, 0, MOST));
		return 0;
	}
	/* (T5): the shares of announced and of silent changes. */
	double none = fast_power(silent / (b.days + told_days), b.shape);
	double some = within(1 - none * within(seen->all_false, 0, 1), 1e-9, 1);
	double moves_ever = fmin(
	    within(seen->precision, 0, 1) * moves / some, moves);
	double is_silent = within((1 - none) / some, 0, 1);
	struct rate_belief now = {b.shape + moves_ever, b.days + told_days};
	double expected = now.shape / now.days * silent;
	struct rate_belief then = after_change(now, silent, is_silent);
	rate_add(rate, then.shape - b.shape, then.days - b.days);
	double at_all = 1 - fast_power(silent / now.days, now.shape);
	return moves_ever +
	    is_silent * fmin(expected / within(at_all, 1e-12, 1), 1 + expected);
}

void
rate_add(struct rate *rate, double changes, double days)
{
	if (isfinite(changes))
		rate->changes = (float)within(
		    (double)rate->changes + changes, -1, MOST);
	if (isfinite(days))
		rate->days = (float)within(
		    (double)rate->days + days, -MOST, MOST);
}

void
rate_prior_add(struct rate_prior *prior, double changes, double days)
{
	prior->changes += within(changes, 0, MOST);
	prior->days += within(days, 0, MOST);
}

/* The clock of publications (T11). */

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
