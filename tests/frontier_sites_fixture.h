/* Other sites of the frontier's store, for tests. */
#ifndef FRESHET_FRONTIER_SITES_FIXTURE_H
#define FRESHET_FRONTIER_SITES_FIXTURE_H

#include "tests/frontier_fixture.h"

/* office_site(office, host): a site of one page, HOST/page, that allows
 * everything. */
void office_site(struct office *, const char *host);

/* office_watch(office, site_id, host, every_s): that site is watched, and its
 * documents are read so often; into the open transaction. */
void office_watch(
    struct office *, int64_t site_id, const char *host, int64_t every_s);

#endif
