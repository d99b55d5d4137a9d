/*
 * How often a page changes, learned from fetches that see only whether it
 * did (docs/scheduling.md, "Rates").  Plain numbers: zeroed is "nothing is
 * known".
 */
#ifndef FRESHET_RATE_H
#define FRESHET_RATE_H

#include <stdbool.h>

/* Of a page: what its fetches add to the belief that its site gives. */
struct rate {
	float changes; /* to the shape; may be negative */
	float days; /* to the days; may be negative */
};

/* Of all pages of a site, and of all sites: expected changes, in days. */
struct rate_prior {
	double changes, days;
};

/* A belief: the changes a day have the density of a Gamma distribution, as
 * if so many changes had been counted in so many days. */
struct rate_belief {
	double shape, days;
};

/* What was seen from one fetch of a page to the next. */
struct rate_seen {
	double told_days; /* days x recall, as far as readings go */
	double silent_days; /* the rest */
	double moves; /* of its date */
	double precision;
	double all_false; /* probability that all of them are */
	bool is_changed;
};

/* rate_mean_all(all): changes a day of a page of which nothing is known. */
double rate_mean_all(const struct rate_prior *all);

/* rate_mean(site, all): the same where its site is known.  (T3) */
double rate_mean(const struct rate_prior *site, const struct rate_prior *all);

/* rate_mean_in(part, above): the same of a part of something whose mean is
 * above.  (T12) */
double rate_mean_in(const struct rate_prior *part, double above);

/* rate_belief(rate, mean): of a page at its last fetch, where mean is that of
 * what is around it.  (T4) */
struct rate_belief rate_belief(const struct rate *, double mean);

/* rate_learn(rate, mean, seen): a fetch told whether it changed.  Returns the
 * changes to be expected after all.  (T5), (T8) */
double rate_learn(struct rate *, double mean, const struct rate_seen *);

/* rate_add(rate, changes, days), rate_prior_add: so much more is known. */
void rate_add(struct rate *, double changes, double days);
void rate_prior_add(struct rate_prior *, double changes, double days);

#endif
