/*
 * How many new pages a site has in a day, and whether a day, or a time without
 * new pages, is against the site's habit.  Days are those of base/zone.h.
 */
#ifndef FRESHET_HABIT_H
#define FRESHET_HABIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
