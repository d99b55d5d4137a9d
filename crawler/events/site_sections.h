/*
 * Sections of a site that were launched, and that are gone.
 *
 * How many pages a section had at a time follows from how many it has now, and
 * from those that came and went since.  Memory grows with the sections that
 * changed and the readings that changed them, up to a limit.
 *
 * And how many new pages a site has in a day, and whether a day, or a time
 * without new pages, is against the site's habit.  Days are those of
 * base/zone.h.
 */
#ifndef FRESHET_SITE_SECTIONS_H
#define FRESHET_SITE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/slice.h"
#include "crawler/events/documents.h"
#include "crawler/events/site_event.h"

#define HABIT_DAYS 28 /* before a burst */
#define HABIT_READ 20 /* of these: on which pages could be seen */
#define BURST_LEAST 20 /* pages */
#define BURST_TIMES 4 /* as many as on the best of the days before */
#define SILENCE_DAYS 90 /* before a silence */
#define SILENCE_TIMES 2 /* as long as the longest time between two days */
#define SILENCE_LEAST_DAYS 7
#define SILENCE_GAP_DAYS 14 /* between two days with new pages, at most */
#define SILENCE_LEAST_PUBLISHED 8 /* days with new pages */

struct habit_day {
	uint64_t pages; /* new, and not moved */
	uint64_t late; /* of these: nobody had looked for two days */
	uint64_t launched; /* of these: of a section that was launched */
	int64_t first_reading_id, last_reading_id; /* that found some */
	bool is_read; /* a reading told which pages a sitemap lists */
};

/* All but first_day is zeroed before its first use. */
struct habit {
	int64_t first_day; /* since the Epoch */
	struct habit_day *days; /* owned; the caller frees it with free() */
	size_t count, cap;
};

/* habit_day(habit, at_s): the day of a time, to be counted in; times before the
 * first day belong to it.  Valid until the next call. */
struct habit_day *habit_day(struct habit *, int64_t at_s);

/* habit_burst(habit, at_s, moved, usual): the new pages of the day of at_s that
 * count, if they are a burst; else 0.  moved[i] says how many of the new pages
 * of i days before turned out to have moved.  *usual gets the most new pages of
 * one of the days before. */
struct habit_moved {
	uint64_t pages[HABIT_DAYS + 1];
};
uint64_t habit_burst(const struct habit *, int64_t at_s,
    const struct habit_moved *moved, uint64_t *usual);

/* habit_silent_from(habit, at_s, longest): if no new page comes after the day
 * of at_s, from when on is that a silence?  Returns that time, or 0 if the site
 * has no habit, because it has few days with new pages, or long times without.
 * *longest gets the most days from one day with new pages to the next. */
int64_t habit_silent_from(
    const struct habit *, int64_t at_s, uint64_t *longest);

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

/* What came and went in all sections; zeroed before its first use, but for the
 * key of the names. */
struct site_sections {
	struct names names;
	struct site_section *items; /* owned; by their numbers */
	size_t cap;
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
void site_sections_events(const struct site_sections *, struct open_documents *,
    struct habit *, int64_t lag_s, struct site_event_list *);

#endif
