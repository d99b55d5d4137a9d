/*
 * How often a page changes, learned from fetches that see only whether it
 * did (docs/scheduling.md, "Rates").  Plain numbers: zeroed is "nothing is
 * known".
 */
#ifndef FRESHET_RATE_H
#define FRESHET_RATE_H

/* Of a page. */
struct rate {
	float changes; /* expected, since it is watched */
	float days; /* that it is watched */
};

/* Of all pages of a site, and of all sites. */
struct rate_prior {
	double changes, days;
};

/* rate_mean_all(all): changes a day of a page of which nothing is known. */
double rate_mean_all(const struct rate_prior *all);

/* rate_mean(site, all): the same where its site is known.  (T3) */
double rate_mean(const struct rate_prior *site, const struct rate_prior *all);

/*
 * rate_now(rate, mean, changes, days): changes a day, where mean is that of
 * its site, and changes are expected in the days since its last fetch.  (T4)
 */
double rate_now(const struct rate *, double mean, double changes, double days);

/* rate_add(rate, changes, days): so much more is known. */
void rate_add(struct rate *, double changes, double days);
void rate_prior_add(struct rate_prior *, double changes, double days);

#endif
