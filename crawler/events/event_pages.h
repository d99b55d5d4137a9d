/* Some of the pages of events, to be asked whether they are there. */
#ifndef FRESHET_EVENT_PAGES_H
#define FRESHET_EVENT_PAGES_H

#include <stdint.h>

#include "crawler/events/site_event.h"

struct section_rules;
struct site_changes;
struct store;

/*
 * event_pages_sample(store, site_id, event, changes, sections, most):
 * Put `most` pages of the event, or all that it has, into its sample, spread
 * over what is known of it: pages that are missing, or that left; old URLs of
 * pages that moved; new pages of its section.  `changes` has the pairs of the
 * site.
 */
void event_pages_sample(struct store *, int64_t site_id, struct site_event *,
    const struct site_changes *changes, const struct section_rules *,
    unsigned most);

#endif
