/* Which requests have to wait until a name is looked up (HOSTILE T5). */
#ifndef FRESHET_FETCH_NAMES_H
#define FRESHET_FETCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"

struct fetcher;

/*
 * fetch_owner(fetcher, url): 0 when a request for it is sent, or ends, without
 * a look-up; else a key of whoever registered the name that has to be looked
 * up.  fetch_may_look_up(fetcher, owner): should one more such request be
 * started now?  What is started in spite of it waits, counts as active, and may
 * come back as DEFERRED_LOOKUP.
 */
uint64_t fetch_owner(const struct fetcher *, const struct url *);
bool fetch_may_look_up(const struct fetcher *, uint64_t owner);

#endif
