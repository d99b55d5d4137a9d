/* How a watched site is, in a word or two. */
#ifndef FRESHET_LIST_STATE_H
#define FRESHET_LIST_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/frontier/site_crawl.h"
#include "store/learned.h"
#include "store/segment/entry.h"

struct site_totals;
struct store;
struct watch;
struct frontier;

/* Hosts that are left alone, in order. */
struct held_host {
	char *host; /* owned */
	struct hold_times until; /* what is over is 0 */
};
struct held_hosts {
	struct held_host *items; /* owned */
	size_t count, cap;
	int64_t now_s;
};

/* held_hosts_load(store, now_s, hosts): those that are held longer than now_s.
 * held_until(hosts, host): all 0: it is not held.  Zeroed they are none. */
void held_hosts_load(struct store *, int64_t now_s, struct held_hosts *);
struct hold_times held_until(const struct held_hosts *, const char *host);
void held_hosts_release(struct held_hosts *);

/* list_totals(store, watch, totals): store_site_totals, but for robots.txt that
 * a bare host need not have. */
void list_totals(struct store *, const struct watch *, struct site_totals *);

struct list_state {
	const char *name; /* static: new, lost, set-aside, held, pages-held,
			   * ok */
	struct hold_times held; /* its host */
	struct site_crawl crawl; /* lost */
	uint64_t failing; /* documents, robots.txt too */
	uint64_t waiting, waiting_urls; /* for a second reading: documents */
	int64_t stale_since_s; /* what was read before stands; 0: it does not */
	uint64_t refused; /* of the URLs that it lists; by which rule most: */
	enum verdict refused_by;
};

void list_state(struct store *, const struct watch *,
    const struct site_totals *, const struct held_hosts *, struct list_state *);

/* list_state_text(out, state): for people.  list_state_json(out, state): the
 * members "state", "held_until", "pages_held_until", "lost_since",
 * "next_try", "stale_since", "waiting". */
void list_state_text(struct buf *out, const struct list_state *);
void list_state_json(struct buf *out, const struct list_state *);

/* Can the longest intervals of a watched site be kept? */

/* list_rounds_text(out, frontier, site_id, now_s): behind that of its pages, if
 * one cannot; nothing if frontier is NULL.  list_rounds_json(out, frontier,
 * site_id, now_s): the members "every_kept" and "pages_every_kept", null then.
 */
void list_rounds_text(
    struct buf *, struct frontier *, int64_t site_id, int64_t now_s);
void list_rounds_json(
    struct buf *, struct frontier *, int64_t site_id, int64_t now_s);

#endif
