/*
 * The delay between two requests to a host, to the millisecond.  Leased pages
 * and requests of freshet itself keep it together, and take turns while both
 * wait.
 */
#ifndef FRESHET_FRONTIER_PACE_H
#define FRESHET_FRONTIER_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct frontier;
struct frontier_consumer;
struct frontier_result;

/*
 * frontier_set_clock(frontier, now_ms, clock): the monotonic clock from now on;
 * before, seconds of the frontier count.
 *
 * frontier_set_leased(frontier, leased, arg): leased is called when a page of a
 * host is leased or its result comes: freshet itself must not ask the host for
 * wait_ms, whatever was said before.  leased returns whether freshet wants to
 * ask that host; such a request goes before the next page.
 *
 * Neither callback may call the frontier.
 */
void frontier_set_clock(
    struct frontier *, int64_t (*now_ms)(void *), void *clock);
void frontier_set_leased(struct frontier *,
    bool (*leased)(void *, struct slice host, int64_t wait_ms), void *arg);

/* frontier_asked(frontier, host): freshet asks the host now, or was answered:
 * no page of it is leased for its delay.  Returns for how many milliseconds
 * freshet must not ask again because a page goes first; 0: for the delay alone.
 */
int64_t frontier_asked(struct frontier *, struct slice host);

/* frontier_paced_ms(frontier): in how many milliseconds, at least 1, a page may
 * be leased that since the last call only the delay held up; INT64_MAX: there
 * was none. */
int64_t frontier_paced_ms(struct frontier *);

/* The rest is for the frontier's own files. */

struct pacer;

struct pacer *pacer_new(void);
void pacer_free(struct pacer *);

/* pace_allows(frontier, consumer, host): may the consumer have a page of that
 * host now? */
bool pace_allows(
    struct frontier *, const struct frontier_consumer *, uint32_t host);

/* pace_leased(frontier, host, is_alone): a page is leased; is_alone: and no
 * other before its result. */
void pace_leased(struct frontier *, uint32_t host, bool is_alone);

/* pace_result(frontier, host, result): the delay counts from the time at which
 * the result says that the page was fetched. */
void pace_result(
    struct frontier *, uint32_t host, const struct frontier_result *);

/* pace_returned(frontier, host): no page of the host is leased any more. */
void pace_returned(struct frontier *, uint32_t host);

/* pace_asked(frontier, consumer): the consumer asks for a page. */
void pace_asked(struct frontier *, const struct frontier_consumer *);

#endif
