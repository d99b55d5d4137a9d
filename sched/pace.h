/*
 * Whether pages change when their source publishes, that is moves most of its
 * dates at once, and how often it does (docs/scheduling.md, "Rates").
 * Plain numbers: zeroed is "nothing is known".
 */
#ifndef FRESHET_PACE_H
#define FRESHET_PACE_H

#include <stdbool.h>

/* Publications this far apart are news when they come; of others their pace is
 * enough. */
#define PACE_NEWS_DAYS 4
/* Shares of changes that may come with publications. */
#define PACE_SHARES 5

struct pace {
	float count; /* of publications */
	float gap_days; /* from one to the next; 0: too few were seen */
	float likely[PACE_SHARES]; /* logarithms: how likely each share is */
	float share; /* their mean: of changes, how many come so */
};

/* One fetch of a page. */
struct pace_outcome {
	double shape, days; /* belief in its rate at the fetch before */
	double tau; /* days since then */
	double published; /* in these days; < 0: not known */
	bool is_changed;
};

/* pace_publish(pace, days): one more, so many days after the first reading. */
void pace_publish(struct pace *, double days);

/* pace_position(pace, blind): how many there were, those among them that are
 * to be expected of days of which no reading has told yet. */
double pace_position(const struct pace *, double blind);

/*
 * pace_days(pace, tau, published): tau days with so many publications, as the
 * changes of pages count them: if these come when the source publishes, days
 * without are none.  published < 0: tau.  (T11)
 */
double pace_days(const struct pace *, double tau, double published);

/* pace_learn(pace, outcome): weigh each share by what a fetch said. */
void pace_learn(struct pace *, const struct pace_outcome *);

/* pace_is_sound(pace): is it one that this file made? */
bool pace_is_sound(const struct pace *);

#endif
