/* How often a site is asked for documents that nobody set an interval or a
 * budget for (docs/scheduling.md, P5). */
#ifndef FRESHET_COURTESY_H
#define FRESHET_COURTESY_H

struct scheduler;
struct source;

/*
 * courtesy_days(scheduler, source, days, per_day): until it may be read, 0 or
 * less: now; it is believed to change per_day times a day, and to have done so
 * for these days since its last reading.  With that the documents of a site are
 * read as often as its readings_per_day say, and five times for each change.
 */
double courtesy_days(
    struct scheduler *, const struct source *, double days, double per_day);

#endif
