/*
 * Rates: how often a page changes, learned from fetches that only show whether
 * it did (scheduling-formulas.md, "Rates").  Plain numbers; zeroed: nothing is
 * known.
 */
#ifndef FRESHET_RATE_H
#define FRESHET_RATE_H

#include <stdbool.h>

/* What the fetches of a page add to the belief about its site. */
struct rate {
	float changes; /* to the shape; may be negative */
	float days; /* to the days; may be negative */
};

/* The sums of expected changes and days over all pages of a site, or of all
 * sites. */
struct rate_prior {
	double changes, days;
};

/* A belief: the changes a day have the density of a Gamma distribution, as
 * if so many changes had been counted in so many days. */
struct rate_belief {
	double shape, days;
};

/* What was seen between two fetches of a page. */
struct rate_seen {
	/* days times recall, of the time that readings cover */
	double told_days;
	double silent_days; /* the other days */
	double moves; /* of the date */
	double precision;
	double all_false; /* the probability that all moves are false */
	bool is_changed;
};

/* rate_mean(site, all): the changes a day of a page of a known site.  (T3) */
double rate_mean(const struct rate_prior *site, const struct rate_prior *all);

/* rate_mean_in(part, above): likewise of a part, where `above` is the mean
 * of the whole.  (T12) */
double rate_mean_in(const struct rate_prior *part, double above);

/* rate_belief(rate, mean): the belief about a page at its last fetch; `mean`
 * is the mean rate of what surrounds the page.  (T4) */
struct rate_belief rate_belief(const struct rate *, double mean);

/* rate_learn(rate, mean, seen): learn from a fetch whether the page changed.
 * Returns the changes that were to be expected, in hindsight.  (T5), (T8) */
double rate_learn(struct rate *, double mean, const struct rate_seen *);

/* rate_add(rate, changes, days), rate_prior_add: add observations. */
void rate_add(struct rate *, double changes, double days);
void rate_prior_add(struct rate_prior *, double changes, double days);

/*
 * Pace: do pages change when their source publishes, that is, moves most of
 * its dates at once, and how often does it?  Zeroed: nothing is known.
 */

/* If publications are at least so far apart, each of them is news; if they are
 * more frequent, it is enough to know their pace. */
#define PACE_NEWS_DAYS 4
/* Shares of changes that may come with publications. */
#define PACE_SHARES 5

struct pace {
	float count; /* of publications */
	float gap_days; /* between two publications; 0: too few were seen */
	float likely[PACE_SHARES]; /* logarithms: how likely each share is */
	float share; /* the mean of the shares */
};

/* One fetch of a page. */
struct pace_outcome {
	double shape, days; /* the belief about the rate at the fetch before */
	double tau; /* days since the fetch before */
	double published; /* publications in these days; < 0: unknown */
	bool is_changed;
};

/* pace_publish(pace, days): there was a publication, so many days after the
 * first reading. */
void pace_publish(struct pace *, double days);

/* pace_position(pace, blind): how many publications there were, with those
 * expected in `blind` days that no reading has covered. */
double pace_position(const struct pace *, double blind);

/* pace_days(pace, share, tau, published): tau days with so many publications,
 * as changes of pages count them, that share of which comes with publications:
 * if pages change when the source publishes, days without a publication do not
 * count.  published < 0: tau.  (T11) */
double pace_days(
    const struct pace *, double share, double tau, double published);

/* pace_learn(pace, outcome): weigh each share by what a fetch showed. */
void pace_learn(struct pace *, const struct pace_outcome *);

/* pace_is_sound(pace): could this module have made these numbers? */
bool pace_is_sound(const struct pace *);

#endif
