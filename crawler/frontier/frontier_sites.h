/* Sites, as the watch list has them. */
#ifndef FRESHET_FRONTIER_SITES_H
#define FRESHET_FRONTIER_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/frontier_show.h"

struct frontier;
struct site_item;
struct watch;

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

/* site_at_work(frontier, site): a crash report names that site from now on
 * (base/at_work.h). */
void site_at_work(const struct frontier *, uint32_t site);

/* site_wants(site, url): is the site not removed, and the URL in one of its
 * sections? */
bool site_wants(const struct site_item *, struct slice url);

/* site_round(frontier, site, of_pages): one request for each of its pages, or
 * of its documents but robots.txt. */
struct frontier_round site_round(
    const struct frontier *, uint32_t site, bool of_pages);

/* site_leased(frontier, site): a page of the site was leased: from now on its
 * documents are read for the sake of its pages, not of each change they list.
 */
void site_leased(struct frontier *, uint32_t site);

#endif
