/* New pages that the site had listed before: they are back. */
#ifndef FRESHET_CAME_BACK_H
#define FRESHET_CAME_BACK_H

#include <stddef.h>
#include <stdint.h>

#include "crawler/events/site_event.h"

struct section_rules;
struct store;

/* came_back(store, site_id, sections, list, from): fill in, for the launches
 * and bursts in the list from that index on, how many of their pages were gone
 * before, and when the last of these went.  Reads all readings of the site in
 * which pages went, if there is such an event. */
void came_back(struct store *, int64_t site_id, const struct section_rules *,
    struct site_event_list *, size_t from);

#endif
