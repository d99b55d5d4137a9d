/*
 * Renamings that the user gives: pages of these paths have those paths now.
 *
 * They hold when moves are looked for in the store, so that another
 * configuration holds for the past, too.
 */
#ifndef FRESHET_RENAMING_H
#define FRESHET_RENAMING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

struct buf;

/* For a site; each page that is gone is compared with all of them. */
#define RENAMINGS_MOST 1000

/* The renamings of a site; NULL, wherever it is taken: there is none. */
struct renamings;

/* What a path with its query became: `to`, `rest` and `tail`. */
struct renamed {
	struct slice to, tail; /* borrowed from the renamings */
	struct slice rest; /* borrowed from the path; empty: one page */
};

/* renaming_is(text): is text "/OLD /NEW", the paths of one page, with queries
 * if need be; or "/OLD*END /NEW*END", where '*' is any text, the same in both,
 * and each END may be empty?  OLD and NEW differ. */
bool renaming_is(const char *text);

/* renamings_new(texts, count): texts for which renaming_is() holds; they are
 * copied.  Returns NULL if there is none. */
struct renamings *renamings_new(const char *const *texts, size_t count);
void renamings_free(struct renamings *);

/* renamings_put(renamings, out): append what tells them apart from all others.
 */
void renamings_put(const struct renamings *, struct buf *out);

/* renamings_next(renamings, at, path, renamed): what may the path and query of
 * a normalised URL have become?  *at is 0 at the first call, and goes on from
 * there: the longest OLD comes first, that of one page before one with '*',
 * then the one that was given first.  False: there is no further one. */
bool renamings_next(
    const struct renamings *, size_t *at, struct slice path, struct renamed *);

/*
 * The spelling of URLs: one page whose URL has another scheme or `www.`, a
 * slash at its end or none, "index.html", an extension or letter case.
 * All of these take normalised URLs.
 *
 * spelling_key(out, url): append what all spellings have in common: the URL
 * without the scheme and `www.`, without its tail, and with its path in small
 * letters.
 * spelling_rest(url): the URL behind the scheme and `www.`; borrowed.
 * spelling_stem(url, tail): the URL up to its tail, without its query;
 * borrowed. *tail is "/", "/index.html", ".html", the like of .htm and .php, or
 * empty.
 */
void spelling_key(struct buf *out, struct slice url);
struct slice spelling_rest(struct slice url);
struct slice spelling_stem(struct slice url, struct slice *tail);

#endif
