/* What the frontier owes each host: see frontier.h. */
#ifndef FRESHET_POLITENESS_H
#define FRESHET_POLITENESS_H

#include <stdint.h>

#include "base/addr.h"
#include "sched/frontier.h"

/* frontier_set_delay(frontier, host, delay_ms): from its last request on. */
void frontier_set_delay(struct frontier *, uint32_t host, int64_t delay_ms);
int64_t frontier_delay(const struct frontier *, uint32_t host);

/* frontier_set_address(frontier, host, addr): the host answers from there;
 * NULL: no limit per address holds for it (a loopback address). */
void frontier_set_address(
    struct frontier *, uint32_t host, const struct addr *);

/* frontier_hold(frontier, host, until_ms): nothing before that. */
void frontier_hold(struct frontier *, uint32_t host, int64_t until_ms);

#endif
