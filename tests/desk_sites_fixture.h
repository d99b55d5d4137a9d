/* Other sites of the desk's store, for tests. */
#ifndef FRESHET_DESK_SITES_FIXTURE_H
#define FRESHET_DESK_SITES_FIXTURE_H

#include "tests/desk_fixture.h"

/* office_site(office, host): a site of one page, HOST/page, that allows
 * everything. */
void office_site(struct office *, const char *host);

#endif
