/* The events of a site in a span of time, from what the store holds (SPEC
 * section 16). */
#ifndef FRESHET_EVENTS_H
#define FRESHET_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/events/site_event.h"

struct renamings;
struct section_rules;
struct site_changes;
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

/* The events of a window, from which those of a span are taken. */
struct events_found {
	struct site_event_list list; /* in the order in which they were found */
	/* the first reading whose changes are not counted; 0: none */
	int64_t uncounted_s;
	bool has_too_many; /* see EVENTS_TOO_MANY */
	/* from then on other events would be found, though nothing was read;
	 * INT64_MAX: never */
	int64_t until_s;
};

/*
 * events_find(store, site_id, window, changes, found):
 * Find the events of a site, from readings up to 120 days before the begin of
 * the window; those that were known before it may be missing.  The end of the
 * window does not matter.  `changes` has the pairs of which a change was read
 * at most EVENTS_MOVED_S before it.  Memory grows with the documents of
 * the site, and with the changes of the window up to a limit, but not with its
 * pages.  The caller releases found->list.
 *
 * events_of_span(store, site_id, found, span, changes, list): move those that
 * became known within the span to the list, and free the others; if the span
 * reaches to now, those that are not over are moved, too, unless the events are
 * as told.  `changes` is needed if a sample is wanted; else NULL.
 *
 * Unless it returns EVENTS_WHOLE, no event of launched or gone sections, of
 * moves, of a burst, of a silence, and no first reading is among them.
 */
#define EVENTS_MOVED_S (30 * INT64_C(86400))
void events_find(struct store *, int64_t site_id, const struct events_span *,
    const struct site_changes *changes, struct events_found *);
enum events_gap events_of_span(struct store *, int64_t site_id,
    struct events_found *, const struct events_span *,
    const struct site_changes *changes, struct site_event_list *);

/* events_until(until_s, at_s): lower *until_s to at_s. */
static inline void
events_until(int64_t *until_s, int64_t at_s)
{
	if (at_s < *until_s)
		*until_s = at_s;
}

#endif
