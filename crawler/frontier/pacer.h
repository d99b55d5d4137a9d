/*
 * The delay between two requests to a host, to the millisecond.  Leased pages
 * and requests of freshet itself share that delay, and take turns while both
 * wait.
 */
#ifndef FRESHET_PACER_H
#define FRESHET_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct frontier_context;
struct host_table;
struct frontier_consumer;
struct frontier_result;
struct pacer;

/*
 * pacer_set_clock(pacer, now_ms, clock): use this monotonic clock from now
 * on.  Before this call the pacer uses the time of the frontier, in seconds,
 * and asks nothing of a consumer that spaces its pages itself.
 *
 * pacer_set_leased(pacer, leased, arg): leased is called when a page of a host
 * is leased or its result comes: freshet itself must not ask the host for
 * wait_ms; this replaces earlier waits.  The callback returns whether freshet
 * wants to ask that host; such a request goes before the next page.
 *
 * Neither callback may call the frontier.
 */
void pacer_set_clock(struct pacer *, int64_t (*now_ms)(void *), void *clock);
void pacer_set_leased(struct pacer *,
    bool (*leased)(void *, struct slice host, int64_t wait_ms), void *arg);

/* pacer_asked(pacer, host, is_under_way): freshet asks the host now, or that is
 * over: no page of it is leased while a request is under way, and for the
 * delay of the host.  Returns for how many milliseconds freshet must not ask
 * again because a page goes first; 0: for the delay alone. */
int64_t pacer_asked(struct pacer *, struct slice host, bool is_under_way);

/* pacer_paced_ms(pacer): in how many milliseconds, at least 1, a page may be
 * leased.  Only pages count that were refused since the last call because of
 * the delay alone; INT64_MAX: there was none. */
int64_t pacer_paced_ms(struct pacer *);

/* pacer_has_paced(pacer): is there such a page? */
bool pacer_has_paced(const struct pacer *);

/* The rest is for the frontier's own files. */

/* The hosts are borrowed. */
struct pacer *pacer_new(const struct frontier_context *, struct host_table *);
void pacer_free(struct pacer *);

/* pace_allows(pacer, consumer, host): may the consumer have a page of that
 * host now? */
bool pace_allows(
    struct pacer *, const struct frontier_consumer *, uint32_t host);

/* pace_leased(pacer, host, is_alone): a page is leased; is_alone: all pages of
 * the host that are leased are with one consumer, which spaces them. */
void pace_leased(struct pacer *, uint32_t host, bool is_alone);

/* pace_result(pacer, host, result): the delay counts from the time at which
 * the result says that the page was fetched. */
void pace_result(struct pacer *, uint32_t host, const struct frontier_result *);

/* pace_returned(pacer, host): no page of the host is leased any more. */
void pace_returned(struct pacer *, uint32_t host);

/* pace_asked(pacer, consumer): the consumer asks for a page. */
void pace_asked(struct pacer *, const struct frontier_consumer *);

#endif
