/* Bursts and silences of a site. */
#include "crawler/events/habit.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/zone.h"

void
habit_init(struct habit *habit, int64_t from_s)
{
	*habit = (struct habit){.first_day = zone_day(from_s)};
}

void
habit_release(struct habit *habit)
{
	free(habit->days);
	*habit = (struct habit){0};
}

static size_t
place_of(const struct habit *habit, int64_t at_s)
{
	int64_t day = zone_day(at_s);

	return day > habit->first_day ? (size_t)(day - habit->first_day) : 0;
}

struct habit_day *
habit_day(struct habit *habit, int64_t at_s)
{
	size_t place = place_of(habit, at_s);

	habit->days = mem_grow(
	    habit->days, &habit->cap, place + 1, sizeof(*habit->days));
	while (habit->count <= place)
		habit->days[habit->count++] = (struct habit_day){0};
	return &habit->days[place];
}

uint64_t
habit_burst(
    const struct habit *habit, int64_t at_s, uint64_t moved, uint64_t *usual)
{
	size_t place = place_of(habit, at_s);
	const struct habit_day *day;
	uint64_t pages;
	unsigned read = 0;

	*usual = 0;
	if (place >= habit->count || place < HABIT_DAYS)
		return 0;
	for (size_t i = place - HABIT_DAYS; i < place; i++) {
		read += habit->days[i].is_read;
		if (habit->days[i].pages > *usual)
			*usual = habit->days[i].pages;
	}
	day = &habit->days[place];
	if (read < HABIT_READ ||
	    day->pages <= day->late + day->launched + moved)
		return 0;
	pages = day->pages - day->late - day->launched - moved;
	return pages >= BURST_LEAST && pages / BURST_TIMES >= *usual ? pages
								     : 0;
}

int64_t
habit_silent_from(const struct habit *habit, int64_t at_s, uint64_t *longest)
{
	size_t place = place_of(habit, at_s);
	size_t before = place;
	size_t published = 1;
	uint64_t days;

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
	days = SILENCE_TIMES * *longest;
	if (days < SILENCE_LEAST_DAYS)
		days = SILENCE_LEAST_DAYS;
	return zone_day_s(zone_day(at_s) + (int64_t)days + 1);
}
