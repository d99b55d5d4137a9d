/* The true rates and dates of a history, for bounds and for policies that may
 * know the truth. */
#ifndef FRESHET_KNOWN_H
#define FRESHET_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/value.h"

struct history;

struct known {
	const struct history *history; /* borrowed */
	float *changes_per_day; /* owned; by page */
};

/*
 * known_init(known, history):
 * Collect the rates of all pages.  If the history does not give the rate of a
 * page, as in traces, the changes of the page are counted, half a change at
 * least, from its first event (begin_s if the history starts_known) to end_s.
 */
void known_init(struct known *, const struct history *);
void known_release(struct known *);

/*
 * known_rates(known, page, now_s): the true rates of a page at that time.  If
 * the dates say nothing, or it is not known what they say, all changes of the
 * page are unannounced.
 */
struct value_rates known_rates(
    const struct known *, uint32_t page, int64_t now_s);

/* known_births(history): the time of the first event of each page; begin_s for
 * all if the history starts_known.  The caller frees the array. */
int64_t *known_births(const struct history *);

/*
 * known_shares(history, from_s, to_s, shares): the share of that time in which
 * each page is listed, whether or not the document was published since.
 */
void known_shares(
    const struct history *, int64_t from_s, int64_t to_s, double *shares);

#define KNOWN_DATES_NO_TEXT 0 /* of a page that was never fetched */

/* Entries listed in two successive publications whose pages were there. */
struct known_dates {
	size_t moved; /* entries whose date moved, of pages with a known text */
	size_t changed; /* entries whose page has another text */
	size_t both; /* entries with both */
};

/*
 * known_dates_make(history):
 * The counts of each document, by number; the caller frees the array.
 * Documents that show at once are never published, so their counts are 0.  The
 * call takes as long as replaying the history once.
 */
struct known_dates *known_dates_make(const struct history *);

/* The share of moves that were true, and the share of changes that dates
 * announced; < 0: there were no moves, or no changes. */
double known_dates_precision(const struct known_dates *);
double known_dates_recall(const struct known_dates *);

#endif
