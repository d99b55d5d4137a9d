/* Which sites of the watch list a command means. */
#ifndef FRESHET_SITE_CHOICE_H
#define FRESHET_SITE_CHOICE_H

#include <stdbool.h>

#include "base/strings.h"
#include "crawler/options.h"

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

/* complain_tag(tag): no site has it. */
void complain_tag(struct slice tag);

#endif
