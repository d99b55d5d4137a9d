/* Making a frontier with the options of a command. */
#ifndef FRESHET_FRONTIER_MAKE_H
#define FRESHET_FRONTIER_MAKE_H

#include <stdint.h>

#include "crawler/cli/watch_rules.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_only.h"

/*
 * frontier_to_lease(rules, budget, now_s): a frontier that leases the pages of
 * the rules' store.  budget: the rate of all requests together; NULL: as fast
 * as the hosts allow.  Freed by frontier_free, before the rules.
 */
struct frontier *frontier_to_lease(
    struct watch_rules *, const char *budget, int64_t now_s);

/*
 * frontier_to_show(rules, only, budget, now_s): a frontier over a store that is
 * only read, to show what it believes, for these sites (NULL: all).  budget: as
 * above.  Freed by frontier_free, before the rules and only.
 */
struct frontier *frontier_to_show(struct watch_rules *,
    const struct frontier_only *, const char *budget, int64_t now_s);

#endif
