/* Quotas: how often a site is asked at most, where nobody set an interval or
 * a budget (scheduling-formulas.md, P5 and P6). */
#ifndef FRESHET_QUOTA_H
#define FRESHET_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct sched_page;
struct sched_pages;
struct sched_sites;
struct sched_source;
struct sched_sources;

/*
 * Documents.  A site has readings_per_day requests a day for its documents and
 * robots.txt together, or five for each change that its documents show, if
 * those are more; an eighth of them at once at most.  A robots.txt itself does
 * not wait for the quota.
 *
 * quota_days(sources, source, days, per_day): the days until the document
 * may be read; 0 or less: now.  It is believed to have changed as in `days` in
 * which it changes as often as it did before, or per_day times a day if its
 * index gave it another date.
 * quota_reading_s(sources, source): when the site may be asked for the document
 * again; the present: now.
 * quota_asked(sources, site, source, requests): so many requests are made for
 * that document of the site, allowed or not; below 0: they are not made after
 * all.  NULL: for no document, but for a robots.txt, as for a redirect; half of
 * a day's requests are left to the documents, however many hosts a site has.
 * quota_reading_found(sources, source): a reading found a change.
 */
double quota_days(struct sched_sources *, const struct sched_source *,
    double days, double per_day);
int64_t quota_reading_s(struct sched_sources *, const struct sched_source *);
void quota_asked(struct sched_sources *, uint32_t site,
    const struct sched_source *, double requests);
void quota_reading_found(struct sched_sources *, const struct sched_source *);

/*
 * Pages.  Each day a site has one fetch for each of its pages, or
 * pages_per_day if that is less, and five more for each change that a fetch
 * found.  These are spent on listed pages of which no change is known.  First
 * fetches do not count. Fetches for a moved date or a ceiling, and of pages
 * that have changed again with one chance in five, count, but wait only when
 * more than a day's quota is owed.
 *
 * quota_place(pages, page): the place where the page should wait;
 * PLACE_SILENT: the node of the quota; PLACE_UNLISTED: it is listed no more.
 * quota_expects_s(pages, page): when the page has changed again with that
 * chance; SCHEDULER_NEVER: unknown.
 * quota_set(sites, site, is_needed): make the quota, if there is none yet; or
 * if is_needed is false, adjust it, because the site or the number of its pages
 * has changed.
 * quota_sent(sites, site, page, requests): 1: a page that waited elsewhere was
 * chosen; -1: it is not fetched after all.
 * quota_found(sites, site): a fetch found a change.
 * quota_ready_s(sites, site): when the quota allows a fetch again; the present
 * or earlier: now.
 */
enum page_place quota_place(struct sched_pages *, const struct sched_page *);
int64_t quota_expects_s(struct sched_pages *, const struct sched_page *);
void quota_set(struct sched_sites *, uint32_t site, bool is_needed);
void quota_sent(struct sched_sites *, uint32_t site, const struct sched_page *,
    double requests);
void quota_found(struct sched_sites *, uint32_t site);
int64_t quota_ready_s(struct sched_sites *, uint32_t site);

/* What is kept of both from one run to the next. */
struct quota_record {
	double owed; /* how many of a day's fetches are spent */
	int64_t owed_s; /* when they were; SCHEDULER_NEVER: nothing is known */
	/* requests for documents that are not yet made up for by time, and
	 * readings that found a change lately, both at spent_s */
	double spent, found;
	int64_t spent_s;
};

void quota_save(
    const struct sched_sites *, uint32_t site, struct quota_record *);
void quota_load(
    struct sched_sites *, uint32_t site, const struct quota_record *);

#endif
