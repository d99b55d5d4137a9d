/* What the dates of a document were worth, counted in its history. */
#ifndef FRESHET_KNOWN_DATES_H
#define FRESHET_KNOWN_DATES_H

#include <stddef.h>

#define KNOWN_DATES_NO_TEXT 0 /* of a page that nobody looked at */

struct history;

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

/* The share of moves that were true, and of changes that were told; < 0: there
 * were none. */
double known_dates_precision(const struct known_dates *);
double known_dates_recall(const struct known_dates *);

#endif
