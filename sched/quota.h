/* How often a site is asked, at most, for documents and pages that nobody set
 * an interval or a budget for (docs/scheduling.md, P5 and P6). */
#ifndef FRESHET_QUOTA_H
#define FRESHET_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct sched_page;
struct scheduler;
struct sched_source;

/*
 * quota_days(scheduler, source, days, per_day): until it may be read, 0 or
 * less: now; it is believed to change per_day times a day, and to have done so
 * for these days since its last reading.  With that the documents of a site are
 * read as often as its readings_per_day say, and five times for each change.
 */
double quota_days(struct scheduler *, const struct sched_source *, double days,
    double per_day);

/*
 * Pages.  A site has so many fetches a day, as many as it has pages or its
 * pages_per_day if that is less, for looking again at what is listed, and five
 * for each change that a fetch found.  What was never fetched is no matter of
 * that; what a moved date asks for, or a ceiling, or a page that was found
 * changed before and has changed again with one chance in five, is counted, and
 * waits for it only when a day's are owed.
 *
 * quota_place(scheduler, page): where it is to wait: PLACE_SILENT for that.
 * quota_expects_s(scheduler, page): when it has changed again with that
 * chance; SCHEDULER_NEVER: nobody knows.
 * quota_node(scheduler, site): the node for those, made when new.
 * quota_set(scheduler, site): its pages, or what it is, are others now.
 * quota_sent(scheduler, site, page): a page that did not wait there goes
 * out; quota_spared: it does not after all.
 * quota_found(scheduler, site): a fetch found a change.
 * quota_ready_s(scheduler, site): when it has one again; now or earlier: now.
 */
enum page_place quota_place(struct scheduler *, const struct sched_page *);
int64_t quota_expects_s(struct scheduler *, const struct sched_page *);
uint32_t quota_node(struct scheduler *, uint32_t site);
void quota_set(struct scheduler *, uint32_t site);
void quota_sent(struct scheduler *, uint32_t site, const struct sched_page *);
void quota_spared(struct scheduler *, uint32_t site, const struct sched_page *);
void quota_found(struct scheduler *, uint32_t site);
int64_t quota_ready_s(struct scheduler *, uint32_t site);

/* quota_owed(scheduler, site): how much of a day's is spent now; 0: none. */
double quota_owed(const struct scheduler *, uint32_t site);

/* quota_load(scheduler, site, owed, owed_s): so much was, as it was kept. */
void quota_load(struct scheduler *, uint32_t site, double owed, int64_t owed_s);

#endif
