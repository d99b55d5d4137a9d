/* Hosts that the desk leaves alone for a while. */
#ifndef FRESHET_DESK_HELD_H
#define FRESHET_DESK_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/learned.h"

struct desk;

/* What desk_options.held is told. */
struct desk_held {
	struct slice host;
	bool is_pages; /* of its pages alone; else of its documents, too */
	int64_t until_s; /* 0: no longer */
	const char
	    *why; /* static; as of desk_hold, "failures" of its pages, "refused"
		   * likewise, "before": since an earlier desk */
};

/*
 * desk_hold(desk, host, until_s, now_s, why): nothing of that host (normalised,
 * without a port) is handed out before, nor are its documents read; a hold that
 * lasts longer stands, and one that is over by now_s ends all, that of its
 * pages too.  Lasts over restarts.  False: until_s is more than a year ahead.
 * why is static: "order", "retry-after", "limited" (asked too much, it did not
 * say until when), "spared" (the driver gave a document back).
 */
bool desk_hold(struct desk *, struct slice host, int64_t until_s, int64_t now_s,
    const char *why);

/* desk_held(desk, host): what is held of it now. */
struct hold_times desk_held(struct desk *, struct slice host);

/* desk_knows(desk, host): a site of it was read or added, or pages of it are
 * known. */
bool desk_knows(struct desk *, struct slice host);

/* desk_hold_over_s(desk): the end of the first hold that was told of and is not
 * over yet: desk_catch_up tells of it then; DESK_NEVER: there is none. */
int64_t desk_hold_over_s(const struct desk *);

#endif
