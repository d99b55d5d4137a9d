/*
 * The delay between two requests to a host, to the millisecond: pages that are
 * handed out and requests of our own keep it together, and take turns while
 * both wait.
 */
#ifndef FRESHET_FRONTIER_PACE_H
#define FRESHET_FRONTIER_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct frontier;
struct frontier_result;
struct frontier_consumer;

/* Both are called from within the frontier, which they may not call. */
struct frontier_pacer {
	/* Of a monotonic clock; NULL: seconds of the frontier, in milliseconds.
	 */
	int64_t (*now_ms)(void *clock);
	void *clock;
	/* A page of that host is handed out, or told of: we ask it nothing
	 * before wait_ms are over, whatever was said before.  Is there
	 * something that we want to ask it?  That goes before the next page
	 * then.  NULL: we ask nothing. */
	bool (*handed)(void *arg, struct slice host, int64_t wait_ms);
	void *arg;
};

/* frontier_set_clock(frontier, now_ms, clock), frontier_set_handed(frontier,
 * handed, arg): from now on. */
void frontier_set_clock(
    struct frontier *, int64_t (*now_ms)(void *), void *clock);
void frontier_set_handed(struct frontier *,
    bool (*handed)(void *, struct slice, int64_t), void *arg);

/* frontier_asked(frontier, host): a request of ours goes to it, or was
 * answered: no page of it for its delay.  Returns for how long it is asked
 * nothing by us, since a page goes before; 0: its delay says so alone. */
int64_t frontier_asked(struct frontier *, struct slice host);

/* frontier_paced_ms(frontier): when a page may be had that only the delay held
 * up since the last call, from now, at least 1; INT64_MAX: there was none. */
int64_t frontier_paced_ms(struct frontier *);

/*
 * Private to the desk.  pace_allows: may this one have a page of that host now?
 * pace_handed: a page of it is handed out; is_alone: and no other until it is
 * told of.  pace_told: it was asked for at that time, of the clock: the delay
 * runs from there.  pace_over: no page of it is out any more.  pace_asked_for:
 * somebody asks for pages.
 */
bool pace_allows(
    struct frontier *, const struct frontier_consumer *, uint32_t host);
void pace_handed(struct frontier *, uint32_t host, bool is_alone);
void pace_told(
    struct frontier *, uint32_t host, const struct frontier_result *);
void pace_over(struct frontier *, uint32_t host);
void pace_asked_for(struct frontier *, const struct frontier_consumer *);

#endif
