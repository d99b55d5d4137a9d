/*
 * The past of a site: what is told of any span of it follows from the events
 * and the counts of one window, which is the same for all that look.
 */
#ifndef FRESHET_PAST_H
#define FRESHET_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/events/events.h"
#include "crawler/events/site_counts.h"

struct site_changes;
struct store;

/* The window reaches back at least so many days. */
#define PAST_DAYS 97

/* What is needed of the past, as bits. */
enum past_part {
	PAST_KNOWN = 1, /* events as far as is known */
	PAST_TOLD = 2, /* events as they were told */
	PAST_COUNTS = 4,
	PAST_ALL = 7
};

struct site_past {
	struct store *store;
	int64_t site_id;
	struct events_span span; /* the earliest */
	struct site_changes *changes; /* owned; NULL: not needed yet */
	struct events_found found[2]; /* as known, and as told */
	struct site_counts counts;
};

/*
 * past_open(past, store, site_id, span, parts): what the caller needs of the
 * past of a site, for spans that begin with this one or later.  All is read in
 * one transaction, so that no reading comes in between.  A span that begins
 * before the window has a window of its own; so has one of a site at which more
 * happened in the window than is compared.
 *
 * past_keep(store, site_id, span): write what others will ask of the past of
 * the site, unless it is there and holds; then, or if changes of the site are
 * still to be counted, returns false.  When the span begins does not matter.
 * past_is_kept(store, site_id, span): is it there, and does it hold?
 *
 * past_events(past, span, list): add the events of the span, once; see
 * events_of_span().
 *
 * past_changes(past): which pages moved since the earliest span began;
 * borrowed.
 *
 * past_release(past): zeroed is allowed.
 */
bool past_keep(struct store *, int64_t site_id, const struct events_span *);
bool past_is_kept(struct store *, int64_t site_id, const struct events_span *);
void past_open(struct site_past *, struct store *, int64_t site_id,
    const struct events_span *, unsigned parts);
enum events_gap past_events(
    struct site_past *, const struct events_span *, struct site_event_list *);
const struct site_changes *past_changes(struct site_past *);
void past_release(struct site_past *);

#endif
