/* Events for people and for programs. */
#ifndef FRESHET_SITE_EVENT_TEXT_H
#define FRESHET_SITE_EVENT_TEXT_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/events/site_event.h"

/* site_event_sentence(out, event, host): append a sentence that says what
 * happened. It may contain foreign text; host is that of the site.
 * site_events_waiting_sentence(out, waiting, now_s): append how many events
 * wait, of which kinds, and until when. site_event_json(out, event, host):
 * append an object with its facts, without a line end. */
void site_event_sentence(
    struct buf *, const struct site_event *, struct slice host);
void site_events_waiting_sentence(
    struct buf *, const struct site_events_waiting *, int64_t now_s);
void site_event_json(
    struct buf *, const struct site_event *, struct slice host);

#endif
