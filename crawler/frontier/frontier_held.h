/* Hosts that the frontier leaves alone for a while. */
#ifndef FRESHET_FRONTIER_HELD_H
#define FRESHET_FRONTIER_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/learned.h"

struct frontier;

/* What frontier_options.held is told. */
struct frontier_held {
	struct slice host;
	bool is_pages; /* of its pages alone; else of its documents, too */
	int64_t until_s; /* 0: no longer */
	const char
	    *why; /* static; as of frontier_hold, "failures" of its pages,
		   * "refused" likewise, "before": since an earlier frontier */
};

/*
 * frontier_hold(frontier, host, until_s, now_s, why): nothing of that host
 * (normalised, without a port) is handed out before, nor are its documents
 * read; a hold that lasts longer stands, and one that is over by now_s ends
 * all, that of its pages too.  Lasts over restarts.  False: until_s is more
 * than a year ahead. why is static: "order", "retry-after", "limited" (asked
 * too much, it did not say until when), "spared" (the driver gave a document
 * back).
 */
bool frontier_hold(struct frontier *, struct slice host, int64_t until_s,
    int64_t now_s, const char *why);

/* frontier_held(frontier, host): what is held of it now. */
struct hold_times frontier_held(struct frontier *, struct slice host);

/* frontier_knows(frontier, host): a site of it was read or added, or pages of
 * it are known. */
bool frontier_knows(struct frontier *, struct slice host);

/* frontier_hold_over_s(frontier): the end of the first hold that was told of
 * and is not over yet: frontier_sync tells of it then; FRONTIER_NEVER:
 * there is none. */
int64_t frontier_hold_over_s(const struct frontier *);

#endif
