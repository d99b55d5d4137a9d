/*
 * Hosts: how often each may be asked, and holds, during which it is left alone.
 *
 * A hold ends at a time that is known; nothing of the host is leased before.  A
 * pause is the scheduler's alone: enough chosen pages of the host wait.
 */
#ifndef FRESHET_FRONTIER_HOSTS_H
#define FRESHET_FRONTIER_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/learned.h"

/* The argument of frontier_options.held. */
struct frontier_held {
	struct slice host;
	bool is_pages; /* of its pages alone; else of its documents, too */
	int64_t until_s; /* 0: the hold is over */
	const char *why; /* static: one of frontier_hold(), or "failures" or
			  * "refused" of its pages, or "before": the hold was
			  * loaded; "over" with until_s 0 */
};

/*
 * frontier_hold(frontier, host, until_s, now_s, why): hold a host (normalised,
 * without a port): none of its pages is leased and none of its documents read
 * before until_s.  A longer hold stands.  If until_s is not later than now_s,
 * all holds of the host end.  Holds are saved.
 *
 * why is static: "order", "retry-after", "limited" (asked too much; the host
 * did not say until when), "spared" (the driver gave a document back). Returns
 * false, and holds nothing, if until_s is more than a year ahead.
 */
bool frontier_hold(struct frontier *, struct slice host, int64_t until_s,
    int64_t now_s, const char *why);

/* frontier_held(frontier, host): the holds of that host now. */
struct hold_times frontier_held(struct frontier *, struct slice host);

/* frontier_knows(frontier, host): was a site of that host read or added, or is
 * a page of it known? */
bool frontier_knows(struct frontier *, struct slice host);

/* frontier_hold_over_s(frontier): the end of the first hold that options.held
 * was called for and that is not over; frontier_sync() reports it then.
 * FRONTIER_NEVER: none. */
int64_t frontier_hold_over_s(const struct frontier *);

/* The rest is for the frontier's own files. */

/* host_put(frontier, name): the number of that host, made when it is new. */
uint32_t host_put(struct frontier *, struct slice name);

/* host_limit(frontier, host): set the limits of the host, in the scheduler too,
 * from its rules, its Crawl-delay and its budget. */
void host_limit(struct frontier *, uint32_t host);

/* host_ready_s(frontier, host, is_spaced): when one more page of the host may
 * be leased.  Its delay counts if is_spaced, or if the scheduler does not know
 * the host. */
int64_t host_ready_s(struct frontier *, uint32_t host, bool is_spaced);

/* host_hold(frontier, host, kind, until_s, why): hold the host until then, or
 * end that hold; nothing is saved.  host_save_hold: save the holds of a host.
 * host_hold_again: the scheduler knows the host only now: tell it of holds. */
void host_hold(struct frontier *, uint32_t host, enum held_kind,
    int64_t until_s, const char *why);
void host_save_hold(struct frontier *, uint32_t host);
void host_hold_again(struct frontier *, uint32_t host);

/* holds_over(frontier): report the holds that are over. */
void holds_over(struct frontier *);

/* host_held_s(frontier, host): the end of all holds of its pages; INT64_MIN: it
 * never was held.  host_times(frontier, host): its holds that are not over. */
int64_t host_held_s(const struct frontier *, uint32_t host);
struct hold_times host_times(const struct frontier *, uint32_t host);

/* host_pause(frontier, host, until_s): the scheduler chooses no page of it
 * before.  host_unpause: it may again.  A site has the host. */
void host_pause(struct frontier *, uint32_t host, int64_t until_s);
void host_unpause(struct frontier *, uint32_t host);

#endif
