/* The table of sites, as the watch list has them. */
#ifndef FRESHET_FRONTIER_SITES_H
#define FRESHET_FRONTIER_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/slice.h"
#include "crawler/frontier/frontier_show.h"
#include "sched/scheduler.h"

struct frontier;
struct sched_site;
struct watch;

struct frontier_sites {
	struct idmap by_id; /* id -> number */
	/* how often the row of a site in the watch list was new or had
	 * changed */
	uint64_t changes;
};

/* site_dirty(frontier, site): as page_dirty(). */
void site_dirty(struct frontier *, uint32_t site);

/* site_suspect(frontier, site): the targets of the site, an index or its
 * robots.txt have changed, so that documents may have become orphans, or may
 * have stopped being orphans. */
void site_suspect(struct frontier *, uint32_t site);

/* watch_schedule(watch): the weight and the intervals of a site with that row
 * of the watch list, with defaults for what the row does not give; NULL:
 * defaults only.  Host and tag are not set. */
struct scheduler_site watch_schedule(const struct watch *);

/* site_put(frontier, site_id, host, watch): the number of a new site; watch is
 * its row of the watch list, NULL: it never had one. */
uint32_t site_put(struct frontier *, int64_t site_id, struct slice host,
    const struct watch *);

/* site_find(frontier, site_id): the number of a site, which is read from the
 * store when it is new; NONE: the store does not have it. */
uint32_t site_find(struct frontier *, int64_t site_id);

/* site_follow(frontier, site): read its row of the watch list again, and set
 * what the scheduler knows of the site. */
void site_follow(struct frontier *, uint32_t site);

/* site_wants(site, url): is the site not removed, and the URL in one of its
 * sections? */
bool site_wants(const struct sched_site *, struct slice url);

/* site_round(frontier, site, of_pages): the round of one request for each page
 * of the site, or for each of its documents without robots.txt. */
struct frontier_round site_round(
    const struct frontier *, uint32_t site, bool of_pages);

/* site_leased(frontier, site): a page of the site was leased, so from now on
 * its documents are read to find pages worth a fetch, and not to find every
 * change of the listing. */
void site_leased(struct frontier *, uint32_t site);

#endif
