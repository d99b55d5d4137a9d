/* Which URLs a query asks for: bounds, and the prefix of a LIKE. */
#ifndef FRESHET_LOC_RANGE_H
#define FRESHET_LOC_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

/*
 * A set of URLs that holds at least those that are asked for: SQLite looks at
 * each row again, so a strict bound may be given as one that is not.
 */
struct loc_range {
	struct buf low; /* the least URL; empty: none */
	struct buf high; /* the greatest */
	bool has_high;
	struct buf fold; /* what all begin with, whatever the case of letters */
	size_t small; /* so much of it is a scheme and host: small letters */
};

void loc_range_init(struct loc_range *);
void loc_range_release(struct loc_range *);
void loc_range_clear(struct loc_range *); /* all URLs again */

/* loc_range_low(range, text), loc_range_high: nothing below, above it.
 * loc_range_glob, loc_range_like: what such a pattern can match. */
void loc_range_low(struct loc_range *, struct slice text);
void loc_range_high(struct loc_range *, struct slice text);
void loc_range_glob(struct loc_range *, struct slice pattern);
void loc_range_like(struct loc_range *, struct slice pattern);

/* loc_range_has(range, url): is it in the range? */
bool loc_range_has(const struct loc_range *, struct slice url);

/*
 * loc_range_next(range, from, least): the least string of the range that is
 * not below from, into *least; false when there is none.  from may lie in
 * *least.
 */
bool loc_range_next(
    const struct loc_range *, struct slice from, struct buf *least);

#endif
