/* Which sites of the watch list a command means. */
#ifndef FRESHET_SITE_CHOICE_H
#define FRESHET_SITE_CHOICE_H

#include <stdbool.h>

#include "base/strings.h"
#include "crawler/cli/options.h"

struct selection;
struct store;
struct watch;

/* sites_of(args, hosts): append the host of each, a host or a URL; false after
 * one line on stderr: one of them is neither. */
bool sites_of(const struct words *args, struct strings *hosts);

/* watch_is_tagged(watch, tags): has it one of them, or are there none? */
bool watch_is_tagged(const struct watch *, const struct words *tags);

/*
 * sites_tagged(options, hosts): append those of watched sites with a --tag that
 * was given.  EXIT_DONE, or after one line on stderr EXIT_NO_TARGET: no site
 * has it; or what selection_open says.
 */
int sites_tagged(const struct options *, struct strings *hosts);

/*
 * choose_selection(options, store, selection): by the SITE that was given, or
 * --tag, or all; selection_release in any case.  EXIT_DONE, or after one line
 * on stderr EXIT_USAGE: both were given; EXIT_NO_TARGET: no site has the tag;
 * or what selection_init says.
 */
int choose_selection(
    const struct options *, struct store *, struct selection *);

/* complain_tag(tag): no site has it. */
void complain_tag(struct slice tag);

#endif
