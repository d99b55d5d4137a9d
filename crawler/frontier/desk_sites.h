/* Sites of the desk; documents: desk_documents.h. */
#ifndef FRESHET_DESK_SITES_H
#define FRESHET_DESK_SITES_H

#include "crawler/frontier/desk_internal.h"

struct watch;

/* site_put(desk, site_id, host, watch): one that is not known yet; watch is
 * NULL when it never was on the watch list. */
uint32_t site_put(
    struct desk *, int64_t site_id, struct slice host, const struct watch *);

/* site_find(desk, site_id): made from the store when new; NONE: it has none. */
uint32_t site_find(struct desk *, int64_t site_id);

/* site_at_work(desk, site): what follows is done for it (at_work.h). */
void site_at_work(const struct desk *, uint32_t site);

/* site_wants(site, url): is it in one of its sections, and the site on? */
bool site_wants(const struct site_at *, struct slice url);

/* site_round(desk, site, of_pages): of its pages, or its documents without
 * robots.txt. */
struct desk_round site_round(const struct desk *, uint32_t site, bool of_pages);

/* site_taken(desk, site): a page of it is handed out. */
void site_taken(struct desk *, uint32_t site);

void sites_release(struct desk *);

#endif
