/* Rates of change: equations (T3) and (T4) of docs/scheduling.md. */
#include "sched/rate.h"

/* Until something is known: one change in twenty days. */
#define FIRST_CHANGES 1.0
#define FIRST_DAYS 20.0
/* What all sites say of one counts as much as so many of its changes. */
#define SITE_CHANGES 3.0
/* And what a site says of a page as one. */
#define PAGE_CHANGES 1.0
#define MOST 1e9

/* NaN and what is negative are 0. */
static double
amount(double x)
{
	if (!(x > 0))
		return 0;
	return x < MOST ? x : MOST;
}

/* A change in 2,700 years is none, and one in a tenth of a second too many. */
static double
within(double rate)
{
	if (!(rate > 1e-6))
		return 1e-6;
	return rate < 1e6 ? rate : 1e6;
}

double
rate_mean_all(const struct rate_prior *all)
{
	return (FIRST_CHANGES + amount(all->changes)) /
	    (FIRST_DAYS + amount(all->days));
}

double
rate_mean(const struct rate_prior *site, const struct rate_prior *all)
{
	return (SITE_CHANGES + amount(site->changes)) /
	    (SITE_CHANGES / rate_mean_all(all) + amount(site->days));
}

double
rate_now(const struct rate *rate, double mean, double changes, double days)
{
	double more = amount((double)rate->changes) + amount(changes);

	double watched = amount((double)rate->days) + amount(days);
	double is = (PAGE_CHANGES + more) /
	    (PAGE_CHANGES / within(mean) + watched);
	return within(is);
}

void
rate_add(struct rate *rate, double changes, double days)
{
	rate->changes = (float)amount((double)rate->changes + amount(changes));
	rate->days = (float)amount((double)rate->days + amount(days));
}

void
rate_prior_add(struct rate_prior *prior, double changes, double days)
{
	prior->changes += amount(changes);
	prior->days += amount(days);
}
