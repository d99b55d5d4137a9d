/* When somebody who takes pages may have one, and what for not before. */
#ifndef FRESHET_FRONTIER_WHEN_H
#define FRESHET_FRONTIER_WHEN_H

#include <stdint.h>

#include "base/slice.h"

struct frontier;
struct frontier_consumer;

/* A budget of requests that is used up. */
struct frontier_spent {
	const char *of; /* static: "total", "site", "tag"; NULL: none is */
	struct slice name; /* host or tag; borrowed until the next call */
	double per_hour;
};

/* frontier_next_s(frontier, consumer, now_s, spent): when that one may have a
 * page, after it got none at now_s: later than that; FRONTIER_NEVER: not before
 * something is told; and for which budget not before.  Looks at all pages. */
int64_t frontier_next_s(struct frontier *, struct frontier_consumer *,
    int64_t now_s, struct frontier_spent *);

#endif
