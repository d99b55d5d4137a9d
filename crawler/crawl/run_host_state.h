/* The driver: what the hosts that are asked have shown of themselves. */
#ifndef FRESHET_RUN_HOST_STATE_H
#define FRESHET_RUN_HOST_STATE_H

#include "crawler/crawl/run_tables.h"

/* task_politeness(run, host): its delay, from all that is known. */
void task_politeness(struct run *, uint32_t host);
/* host_state_set_delay(run, origin, delay_ms): what robots.txt of the origin
 * asks for, 0: nothing; the largest of those of its host holds (SPEC R-105). */
void host_state_set_delay(struct run *, uint32_t origin, uint32_t delay_ms);
void host_state_learn(
    struct run *, const struct attempt *, const struct fetch_result *);
void host_state_count(struct run *, uint32_t host, const struct fetch_result *);
/* host_state_spare(run, host): a crawl that was interrupted may have asked it a
 * moment ago: it is left alone for one delay. */
void host_state_spare(struct run *, uint32_t host);
/* host_state_remembers(run, host): has it shown what is not to be forgotten? */
bool host_state_remembers(struct run *, uint32_t host);
/* host_state_park(run, host, wait_ms): it is not asked for so long.
 * host_state_recall(run, host, origin): what the origin asked an earlier run
 * for. */
void host_state_park(struct run *, uint32_t host, int64_t wait_ms);
void host_state_recall(struct run *, uint32_t host, struct slice origin);
/* host_state_is_dead(run, host, *text): why asking it makes no sense now, or
 * DIAG_OK. */
enum diag_code host_state_is_dead(
    struct run *, uint32_t host, const char **text);
/* host_state_admits(attempt, addr): may its request go there now (HOSTILE T10)?
 */
bool host_state_admits(void *attempt, const struct addr *);
/* host_state_defer(run, visit, why): nothing was sent; a little later, then. */
void host_state_defer(struct run *, uint32_t task, enum fetch_deferral why);
/* host_state_fail(…): nobody waits for this server any more. */
void host_state_fail(
    struct run *, uint32_t host, enum diag_code, const char *text);

#endif
