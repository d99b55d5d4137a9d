/*
 * Pace: do pages change when their source publishes, that is, moves most of
 * its dates at once, and how often does it (scheduling-formulas.md, "Rates")?
 * Plain numbers; zeroed: nothing is known.
 */
#ifndef FRESHET_PACE_H
#define FRESHET_PACE_H

#include <stdbool.h>

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
