/* A crawl that the owner of the store does for this command. */
#ifndef FRESHET_CRAWL_JOIN_H
#define FRESHET_CRAWL_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/cli/options.h"
#include "crawler/crawl/totals.h"

struct joining {
	int64_t patience_ms; /* until the first answer */
	bool is_continued; /* another process has begun the crawl */
	struct run_totals before; /* the counts of that process */
	struct run_totals totals; /* result: the counts of this owner */
};

/*
 * crawl_join(options, joining): let the owner of the store do the crawl, and
 * write its output.  Returns the exit status; JOIN_NOBODY when no process
 * answered in time; JOIN_LEFT when the owner left: this command has to do what
 * is not in joining->totals.
 */
enum { JOIN_NOBODY = -1, JOIN_LEFT = -2 };
int crawl_join(const struct options *, struct joining *);

#endif
