/* The URLs that a query can match: bounds, and the prefix of a LIKE. */
#ifndef FRESHET_LOC_RANGE_H
#define FRESHET_LOC_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

/* A set that holds all URLs that the query can match, and maybe more: SQLite
 * checks each row again, so loc > x may be treated like loc >= x. */
struct loc_range {
	struct buf low; /* the least URL; empty: no bound */
	struct buf high; /* the greatest URL */
	bool has_high;
	struct buf fold; /* the prefix of all URLs, in either case */
	/* length of the scheme and host in fold, which are in lower case */
	size_t small;
};

void loc_range_init(struct loc_range *);
void loc_range_release(struct loc_range *);
void loc_range_clear(struct loc_range *); /* all URLs again */

/* loc_range_narrow(range, bound, text): only URLs that are not less, or not
 * greater, than the text, or only URLs that the pattern can match. */
enum loc_bound { LOC_LEAST, LOC_MOST, LOC_GLOB, LOC_LIKE };
void loc_range_narrow(struct loc_range *, enum loc_bound, struct slice text);

/* loc_range_has(range, url): is the URL in the range? */
bool loc_range_has(const struct loc_range *, struct slice url);

/* loc_range_next(range, from, least): Write the least string of the range that
 * is not less than `from` into *least; false if there is none.  `from` may lie
 * in *least. */
bool loc_range_next(
    const struct loc_range *, struct slice from, struct buf *least);

#endif
