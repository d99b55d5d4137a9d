/* What changed in the robots.txt files of a site. */
#ifndef FRESHET_ROBOTS_EVENTS_H
#define FRESHET_ROBOTS_EVENTS_H

#include <stdint.h>

#include "crawler/events/events.h"
#include "crawler/events/site_event.h"

struct store;

/*
 * robots_events(store, site_id, span, list):
 * Add an event for each text of a robots.txt of the site's origins that was
 * read within the span and differs, by robots_compare(), from the text before
 * it.  No event is added if only Sitemap lines changed, and the list has an
 * event of the same reading that says that they were lost or came back.
 */
void robots_events(struct store *, int64_t site_id, const struct events_span *,
    struct site_event_list *);

#endif
