/* When a consumer may have a page, and which budget it waits for. */
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

/* frontier_next_s(frontier, consumer, now_s, spent): the time, later than
 * now_s, at which the consumer may have a page after it got none at now_s;
 * FRONTIER_NEVER: not before something else happens.  *spent: the budget that
 * it waits for.  Looks at all pages. */
int64_t frontier_next_s(struct frontier *, struct frontier_consumer *,
    int64_t now_s, struct frontier_spent *);

#endif
