/* The state of a watched site, in a word or two. */
#ifndef FRESHET_LIST_STATE_H
#define FRESHET_LIST_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/frontier/site_crawl.h"
#include "store/hold.h"
#include "store/segment/entry.h"
#include "store/site.h"

struct store;
struct watch;
struct frontier;

/* A host that is held. */
struct held_host {
	char *host; /* owned */
	struct hold_times until; /* times in the past are 0 */
};
struct held_hosts {
	struct held_host *items; /* owned; sorted by host */
	size_t count, cap;
	int64_t now_s;
};

/* held_hosts_load(store, now_s, hosts): load the hosts that are held longer
 * than now_s. Zeroed hosts are an empty list. */
void held_hosts_load(struct store *, int64_t now_s, struct held_hosts *);
void held_hosts_release(struct held_hosts *);

struct list_state {
	/* static: new, lost, set-aside, held, pages-held, ok */
	const char *name;
	struct hold_times held; /* holds of its host */
	struct site_crawl crawl; /* for lost */
	struct site_totals totals;
	uint64_t failing; /* failing documents, with robots.txt */
};

void list_state(struct store *, const struct watch *,
    const struct site_totals *, const struct held_hosts *, struct list_state *);

/* list_state_text(out, state): append the state for people.
 * list_state_json(out, state): append the members "state", "held_until",
 * "pages_held_until", "lost_since", "next_try", "stale_since" and "waiting". */
void list_state_text(struct buf *out, const struct list_state *);
void list_state_json(struct buf *out, const struct list_state *);

/* list_rounds_text(out, frontier, site_id, now_s): append which longest
 * intervals of a site cannot be kept; nothing if frontier is NULL.
 * list_rounds_json(): append the members "every_kept" and "pages_every_kept",
 * null if frontier is NULL. */
void list_rounds_text(
    struct buf *, struct frontier *, int64_t site_id, int64_t now_s);
void list_rounds_json(
    struct buf *, struct frontier *, int64_t site_id, int64_t now_s);

#endif
