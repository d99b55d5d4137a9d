/*
 * Sections of a site that were launched, and that are gone.
 *
 * How many pages a section had at a time follows from how many it has now, and
 * from those that came and went since.  Memory grows with the sections that
 * changed and the readings that changed them, up to a limit.
 */
#ifndef FRESHET_SITE_SECTIONS_H
#define FRESHET_SITE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/events/documents.h"
#include "crawler/events/habit.h"
#include "crawler/events/site_event.h"

/* So many pages must come to a new section, or leave it, in this time. */
#define SECTION_LEAST 5
#define SECTION_WITHIN_S (7 * INT64_C(86400))

/* A page that came to a section, or left it, by a reading. */
struct section_change {
	struct slice section; /* borrowed */
	int64_t reading_id;
	int64_t read_s; /* of the reading */
	int64_t at_s; /* when it happened */
	bool is_gone; /* false: it came */
	/* since when it is known that it came from elsewhere, or went there; 0:
	 * it did not */
	int64_t moved_s;
};

/* What came and went in all sections; zeroed before its first use. */
struct site_sections {
	struct site_section *items; /* owned; in the order of appearance */
	size_t count, cap;
	size_t *order; /* owned; places in items, sorted by name */
	size_t order_cap;
	struct step *steps; /* owned; in order of readings */
	size_t step_count, step_cap;
	/* there were more changes than are kept: site_sections_events() adds
	 * nothing */
	bool is_full;
};

/* site_sections_change(sections, change): count a change; in order of readings.
 * Pages without a folder, of section "/", do not count.
 * site_sections_list(sections, section): count a page that is listed there now,
 * or was in the latest reading but one. */
void site_sections_change(
    struct site_sections *, const struct section_change *);
void site_sections_list(struct site_sections *, struct slice section);
void site_sections_release(struct site_sections *);

/*
 * site_sections_events(sections, open, habit, lag_s, list): add the events, and
 * count the pages of launched sections in their days.
 *
 * What was read, or known of moves, lag_s after an event became known, or
 * later, does not change the event; then events that are not settled are not
 * added.  SECTIONS_AS_KNOWN: all that is known now changes it, and those that
 * are not settled are added.
 */
#define SECTIONS_AS_KNOWN INT64_MAX
void site_sections_events(const struct site_sections *,
    const struct open_documents *, struct habit *, int64_t lag_s,
    struct site_event_list *);

#endif
