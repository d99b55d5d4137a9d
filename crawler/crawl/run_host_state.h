/*
 * The driver: hosts, and the requests that they got.
 *
 * The host queue has the delays; this module says what they are, and what the
 * hosts have shown of themselves: failures, pauses that they asked for, the
 * requests that go into the store's request log.
 */
#ifndef FRESHET_RUN_HOST_STATE_H
#define FRESHET_RUN_HOST_STATE_H

#include "crawler/crawl/run_base.h"

/* The number of an origin, or of a host in the host queue, by name; the entry
 * is made if there is none. */
uint32_t run_origin(struct run *, const struct url *);
uint32_t run_host(struct run *, struct slice name);

/* host_state_set_politeness(run, host): set the delay from all that is known.
 */
void host_state_set_politeness(struct run *, uint32_t host);

/* host_state_set_delay(run, origin, delay_ms): robots.txt of the origin asks
 * for that delay, 0: for none; the largest one of a host holds (SPEC R-105). */
void host_state_set_delay(struct run *, uint32_t origin, uint32_t delay_ms);

/* host_state_spare(run, host): wait one delay, since an interrupted crawl may
 * have asked the host a moment ago. */
void host_state_spare(struct run *, uint32_t host);

/*
 * host_state_share(run, host, wait_ms): others asked the host: nothing is asked
 * for so long.
 * host_state_report_asked(run, host): tell the others that the host was asked,
 * or has answered (run_options.asked).
 */
void host_state_share(struct run *, uint32_t host, int64_t wait_ms);
void host_state_report_asked(struct run *, uint32_t host);

/*
 * An answer, or its lack: host_state_note() for the request log, before the
 * others; host_state_learn() takes the address; host_state_count() counts
 * failures in a row.
 */
void host_state_note(
    struct run *, const struct attempt *, const struct fetch_result *);
void host_state_learn(
    struct run *, const struct attempt *, const struct fetch_result *);
void host_state_count(struct run *, uint32_t host, const struct fetch_result *);

/* host_state_write(run): the notes go into the transaction under way. */
void host_state_write(struct run *);

/* host_state_park(run, host, wait_ms): the host asked not to be asked for so
 * long. */
void host_state_park(struct run *, uint32_t host, int64_t wait_ms);

/* host_state_is_dead(run, host, *text): why it makes no sense to ask the host
 * now, or DIAG_OK; text is static. */
enum diag_code host_state_is_dead(
    struct run *, uint32_t host, const char **text);

/* host_state_admits(attempt, addr): may the request go to that address now
 * (HOSTILE T10)? */
bool host_state_admits(void *attempt, const struct addr *);

/* host_state_defer(run, task, why): nothing was sent; the task goes back into
 * the host queue. */
void host_state_defer(struct run *, uint32_t task, enum fetch_deferral why);

/* host_state_remembers(run, host): has the host shown anything that must not be
 * forgotten? */
bool host_state_remembers(struct run *, uint32_t host);

#endif
