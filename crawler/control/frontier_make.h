/* Making a frontier that only shows what it believes. */
#ifndef FRESHET_FRONTIER_MAKE_H
#define FRESHET_FRONTIER_MAKE_H

#include <stdint.h>

#include "crawler/cli/options_sites.h"
#include "crawler/frontier/frontier.h"

/* frontier_to_show(rules, only, asking, now_s): a frontier over the rules'
 * store, which is only read, to show what it believes, for these sites (NULL:
 * all). asking: keep the total budget, of all sites together, that holds now;
 * the owner of the store is asked for it and has a second to answer.  NULL:
 * there is no such budget.  Freed by frontier_free, before the rules and only.
 */
struct frontier *frontier_to_show(struct watch_rules *,
    const struct frontier_only *, const struct options *asking, int64_t now_s);

#endif
