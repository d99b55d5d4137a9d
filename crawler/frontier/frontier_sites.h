/* Sites of the frontier; documents: frontier_documents.h. */
#ifndef FRESHET_FRONTIER_SITES_H
#define FRESHET_FRONTIER_SITES_H

#include "crawler/frontier/frontier_internal.h"

struct watch;

/* site_put(frontier, site_id, host, watch): one that is not known yet; watch is
 * NULL when it never was on the watch list. */
uint32_t site_put(struct frontier *, int64_t site_id, struct slice host,
    const struct watch *);

/* site_find(frontier, site_id): made from the store when new; NONE: it has
 * none. */
uint32_t site_find(struct frontier *, int64_t site_id);

/* site_at_work(frontier, site): what follows is done for it (at_work.h). */
void site_at_work(const struct frontier *, uint32_t site);

/* site_wants(site, url): is it in one of its sections, and the site on? */
bool site_wants(const struct site_at *, struct slice url);

/* site_round(frontier, site, of_pages): of its pages, or its documents without
 * robots.txt. */
struct frontier_round site_round(
    const struct frontier *, uint32_t site, bool of_pages);

/* site_taken(frontier, site): a page of it is handed out. */
void site_taken(struct frontier *, uint32_t site);

void sites_release(struct frontier *);

#endif
