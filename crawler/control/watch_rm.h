/* What 'rm' takes off the watch list: whole sites, or some of their targets. */
#ifndef FRESHET_WATCH_RM_H
#define FRESHET_WATCH_RM_H

#include "base/strings.h"
#include "crawler/cli/options.h"

/*
 * watch_rm_items(options, items): what a WATCH_RM request says of the
 * arguments, all of which are hosts or URLs.  Each site stands once, by its
 * host; but where all that was typed of it are targets of it, and others
 * would be left, these targets do.  EXIT_DONE, or what selection_open says
 * after one line on stderr.
 */
int watch_rm_items(const struct options *, struct strings *items);

#endif
