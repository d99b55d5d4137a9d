/* A crawl that the process which holds the store does. */
#ifndef FRESHET_CRAWL_JOIN_H
#define FRESHET_CRAWL_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/cli/options.h"
#include "crawler/crawl/totals.h"

struct joining {
	int64_t patience_ms; /* for the first answer */
	bool is_continued; /* another process has begun it: */
	struct run_totals before; /* the counts there */
	struct run_totals totals; /* made: the counts of this holder */
};

/*
 * crawl_join(options, joining): have the holder of the store do it, and say
 * what it says.  Its exit status; JOIN_NOBODY: nobody answered in time;
 * JOIN_LEFT: it has stopped, what is not in joining->totals is ours.
 */
enum { JOIN_NOBODY = -1, JOIN_LEFT = -2 };
int crawl_join(const struct options *, struct joining *);

#endif
