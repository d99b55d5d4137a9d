/* The URLs that a query can match: their bounds. */
#ifndef FRESHET_LOC_RANGE_H
#define FRESHET_LOC_RANGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/slice.h"

/* A set that holds all URLs that the query can match, and maybe more: SQLite
 * checks each row again, so loc > x may be treated like loc >= x. */
struct loc_range {
	struct buf low; /* the least URL; empty: no bound */
	struct buf high; /* the greatest URL */
	bool has_high;
};

void loc_range_init(struct loc_range *);
void loc_range_release(struct loc_range *);
void loc_range_clear(struct loc_range *); /* all URLs again */

/* loc_range_narrow(range, bound, text): only URLs that are not less, or not
 * greater, than the text, or only URLs that the pattern can match.  Between the
 * bounds of a LIKE there are others, too: those of /BLOG/ and /blog/ have all
 * paths between them that begin with a small letter up to b. */
enum loc_bound { LOC_LEAST, LOC_MOST, LOC_GLOB, LOC_LIKE };
void loc_range_narrow(struct loc_range *, enum loc_bound, struct slice text);

/* loc_range_has(range, url): is the URL in the range? */
bool loc_range_has(const struct loc_range *, struct slice url);

#endif
