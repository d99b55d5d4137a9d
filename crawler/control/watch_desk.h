/* A desk over a store that is only read, to show what it believes. */
#ifndef FRESHET_WATCH_DESK_H
#define FRESHET_WATCH_DESK_H

#include <stdint.h>

#include "crawler/cli/watch_rules.h"
#include "crawler/frontier/desk.h"
#include "crawler/frontier/desk_only.h"

/* watch_desk(rules, only, total_budget, now_s): of the store that the rules are
 * of, for what concerns these sites, NULL: all; desk_free it before both.
 * total_budget: as run has it, or NULL. */
struct desk *watch_desk(struct watch_rules *, const struct desk_only *,
    const char *total_budget, int64_t now_s);

#endif
