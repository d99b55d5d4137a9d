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

/* watch_rm_items(options, items): the items of a WATCH_RM request for the
 * arguments of `rm`, all of which are hosts or URLs.  Each site is one item,
 * its host.  But if all arguments for a site are targets of the site, and the
 * site has other targets, too, the items are those targets.  Returns
 * EXIT_DONE, or what selection_open returns after one line on stderr. */
int watch_rm_items(const struct options *, struct strings *items);

#endif
