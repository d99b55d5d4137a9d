/* Bursts and silences of a site. */
#include "crawler/events/habit.h"

#include "base/mem.h"
#include "base/zone.h"

static size_t
habit_place_of(const struct habit *habit, int64_t at_s)
{
	int64_t day = zone_day(at_s);

	return day > habit->first_day ? (size_t)(day - habit->first_day) : 0;
}

struct habit_day *
habit_day(struct habit *habit, int64_t at_s)
{
	size_t place = habit_place_of(habit, at_s);

	habit->days = mem_grow(
	    habit->days, &habit->cap, place + 1, sizeof(*habit->days));
	while (habit->count <= place)
		habit->days[habit->count++] = (struct habit_day){0};
	return &habit->days[place];
}

static uint64_t
less(uint64_t pages, uint64_t others)
{
	return pages > others ? pages - others : 0;
}

uint64_t
habit_burst(const struct habit *habit, int64_t at_s,
    const struct habit_moved *moved, uint64_t *usual)
{
	size_t place = habit_place_of(habit, at_s);
	const struct habit_day *day;
	uint64_t pages;
	unsigned read = 0;

	*usual = 0;
	/* A site that was not watched for so long has no habit yet. */
	if (place >= habit->count || place < HABIT_DAYS)
		return 0;
	for (size_t before = 1; before <= HABIT_DAYS; before++) {
		day = &habit->days[place - before];
		pages = less(day->pages, moved->pages[before]);
		read += day->is_read;
		if (pages > *usual)
			*usual = pages;
	}
	/* What came late was not new on that day, and a launch is an event of
	 * its own. */
	day = &habit->days[place];
	pages = less(day->pages, day->late + day->launched + moved->pages[0]);
	return read >= HABIT_READ && pages >= BURST_LEAST &&
		pages / BURST_TIMES >= *usual
	    ? pages
	    : 0;
}

int64_t
habit_silent_from(const struct habit *habit, int64_t at_s, uint64_t *longest)
{
	size_t place = habit_place_of(habit, at_s);
	size_t before = place;
	size_t published = 1;
	uint64_t days;

	/* Go back from one day with new pages to the one before. */
	*longest = 0;
	for (size_t i = place;
	     i-- > 0 && place - i <= SILENCE_DAYS && i < habit->count;) {
		if (habit->days[i].pages == 0)
			continue;
		if (before - i > *longest)
			*longest = before - i;
		before = i;
		published++;
	}
	if (published < SILENCE_LEAST_PUBLISHED || *longest > SILENCE_GAP_DAYS)
		return 0;
	/* A site that publishes daily may pause for a weekend and a holiday. */
	days = SILENCE_TIMES * *longest;
	if (days < SILENCE_LEAST_DAYS)
		days = SILENCE_LEAST_DAYS;
	return zone_day_s(zone_day(at_s) + (int64_t)days + 1);
}
