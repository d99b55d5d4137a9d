/* The events of a site in a span of time, from what the store holds (SPEC
 * section 16). */
#ifndef FRESHET_EVENTS_H
#define FRESHET_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/events/site_event.h"

struct renamings;
struct section_rules;
struct store;

struct events_span {
	int64_t since_s;
	int64_t until_s; /* this second does not belong to the span */
	int64_t now_s;
	/* Events as they were told when they became known: what was read
	 * EVENTS_LAG_S later, or after that, neither changes an event nor takes
	 * it back.  So the events of a past span are those that somebody was
	 * told then.  false: as far as is known at now_s. */
	bool is_as_told;
	/* of the site; borrowed; NULL: see base/section.h.  Pages that they
	 * ignore count in no event but those of whole sitemaps. */
	const struct section_rules *sections;
	const struct renamings *renamings; /* of the site; borrowed */
	/* those that are doubtful, too (site_event.h) */
	bool wants_doubtful;
	/* so many pages of each event are wanted in its sample, if the event is
	 * known, or a section is gone, and nobody asked its pages; 0: none */
	unsigned sample;
};

/* Why some kinds of events were not looked for. */
enum events_gap {
	EVENTS_WHOLE,
	/* a version before 10 of the store made readings of that time, or the
	 * changes of the latest ones are still to be counted */
	EVENTS_UNCOUNTED,
	/* there are more changes than are compared, so that moves are unknown
	 * (store/site_changes.h) */
	EVENTS_TOO_MANY
};

/*
 * events_gather(store, site_id, span, list):
 * Add the events that became known within the span; if the span reaches to now,
 * those that are not over, too, unless the events are as told.  They are
 * computed from readings up to 120 days before the span.  Memory grows
 * with the documents of the site, and with the changes of the span up to a
 * limit, but not with its pages.
 *
 * Unless it returns EVENTS_WHOLE, no event of launched or gone sections, of
 * moves, of a burst, of a silence, and no first reading is among them.
 */
enum events_gap events_gather(struct store *, int64_t site_id,
    const struct events_span *, struct site_event_list *);

#endif
