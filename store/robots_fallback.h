/* For how long a robots.txt holds, and what does while it cannot be had (SPEC
 * */
#ifndef FRESHET_ROBOTS_FALLBACK_H
#define FRESHET_ROBOTS_FALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/profile.h"
#include "store/proof.h"

struct store;

/* It is not asked for again within that time, whatever it says of its age, and
 * while it cannot be had: else each document would ask for it. */
#define ROBOTS_LEAST_S 3600

/*
 * robots_is_closed(store, site_id, profile, fact, now_s): nothing of fact's
 * origin may be fetched for that site; false, too, when its robots.txt was had.
 * robots_has_given_up(profile, fact, now_s): google alone forgets the copy in
 * the end.
 */
bool robots_is_closed(struct store *, int64_t site_id, const struct profile *,
    const struct robots_fact *, int64_t now_s);
bool robots_has_given_up(
    const struct profile *, const struct robots_fact *, int64_t now_s);

/* robots_is_spare(store, origin): https that never answered, where the same
 * host answers by http: nobody needs it, and it is asked once a week. */
bool robots_is_spare(struct store *, struct slice origin);

#endif
