/* The driver: what the hosts that are asked have shown of themselves. */
#ifndef FRESHET_RUN_PEER_H
#define FRESHET_RUN_PEER_H

#include "crawler/crawl/run_tables.h"

/* visit_politeness(run, host): its delay, from all that is known. */
void visit_politeness(struct run *, uint32_t host);
/* peer_set_delay(run, origin, delay_ms): what robots.txt of the origin asks
 * for, 0: nothing; the largest of those of its host holds (SPEC R-105). */
void peer_set_delay(struct run *, uint32_t origin, uint32_t delay_ms);
void peer_learn(
    struct run *, const struct journey *, const struct fetch_result *);
void peer_count(struct run *, uint32_t host, const struct fetch_result *);
/* peer_spare(run, host): a crawl that was interrupted may have asked it a
 * moment ago: it is left alone for one delay. */
void peer_spare(struct run *, uint32_t host);
/* peer_remembers(run, host): has it shown what is not to be forgotten? */
bool peer_remembers(struct run *, uint32_t host);
/* peer_park(run, host, wait_ms): it is not asked for so long.
 * peer_recall(run, host, origin): what the origin asked an earlier run for. */
void peer_park(struct run *, uint32_t host, int64_t wait_ms);
void peer_recall(struct run *, uint32_t host, struct slice origin);
/* peer_is_dead(run, host, *text): why asking it makes no sense now, or
 * DIAG_OK. */
enum diag_code peer_is_dead(struct run *, uint32_t host, const char **text);
/* peer_admits(journey, addr): may its request go there now (HOSTILE T10)? */
bool peer_admits(void *journey, const struct addr *);
/* peer_defer(run, visit, why): nothing was sent; a little later, then. */
void peer_defer(struct run *, uint32_t visit, enum fetch_deferral why);
/* peer_fail(…): nobody waits for this server any more. */
void peer_fail(struct run *, uint32_t host, enum diag_code, const char *text);

#endif
