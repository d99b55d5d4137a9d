/* How a command has the watch list changed. */
#ifndef FRESHET_WATCH_ASK_H
#define FRESHET_WATCH_ASK_H

#include "base/strings.h"
#include "crawler/cli/options.h"
#include "crawler/control/watch_change.h"

struct watch_asked {
	bool was_held; /* another process made the changes, or the last ones */
	uint64_t counts[WATCH_CHANGES];
};

/* watch_ask(options, request, changed, arg, asked): make the change, some items
 * at a time.  `changed` is called for each item after its commit.  Returns
 * EXIT_DONE, or the exit status after one line on stderr; the items that
 * `changed` was called for are committed all the same. */
typedef void watch_asked_fn(void *arg, struct slice host, enum watch_change);
int watch_ask(struct options *, const struct watch_request *, watch_asked_fn *,
    void *arg, struct watch_asked *asked);

#endif
