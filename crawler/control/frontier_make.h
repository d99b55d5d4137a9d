/* A frontier over a store that is only read, to show what it believes. */
#ifndef FRESHET_WATCH_FRONTIER_H
#define FRESHET_WATCH_FRONTIER_H

#include <stdint.h>

#include "crawler/cli/watch_rules.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_only.h"

/* frontier_to_show(rules, only, total_budget, now_s): of the store that the
 * rules are of, for what concerns these sites, NULL: all; frontier_free it
 * before both. total_budget: as run has it, or NULL. */
struct frontier *frontier_to_show(struct watch_rules *,
    const struct frontier_only *, const char *total_budget, int64_t now_s);

#endif
