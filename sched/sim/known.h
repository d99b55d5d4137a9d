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
 * The rates of pages; where the history does not give one, as in traces, it
 * is counted in the history: half a change at least, from the page's first
 * event (begin_s if it starts_known) to end_s.
 */
void known_init(struct known *, const struct history *);
void known_release(struct known *);

/*
 * known_rates(known, page, now_s, uses_dates): the true rates of a page at
 * that time.  Where dates say nothing, or nobody knows what they say, or
 * uses_dates is false, all its changes are unannounced.
 */
struct value_rates known_rates(
    const struct known *, uint32_t page, int64_t now_s, bool uses_dates);

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
	size_t moved; /* with another date, of pages whose text is known */
	size_t changed; /* whose text was another one */
	size_t both;
};

/*
 * known_dates_make(history):
 * The counts of each document, by number; the caller frees them.  Documents
 * that show at once are not published: theirs are 0.  Takes as long as to
 * replay the history once.
 */
struct known_dates *known_dates_make(const struct history *);

/* The share of moves that were true, and of changes that dates announced; < 0:
 * there were none. */
double known_dates_precision(const struct known_dates *);
double known_dates_recall(const struct known_dates *);

#endif
