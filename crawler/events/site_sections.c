/* Which sections of a site came and went, and what is against its habit. */
#include "crawler/events/site_sections.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/zone.h"

#define SECTIONS_MOST 20000 /* each page may have a folder of its own */
#define STEPS_MOST 1000000 /* 56 MB */
#define NONE SIZE_MAX

/* Changes of a section by one reading: those that are no moves, or moves that
 * became known at the same time. */
struct step {
	uint32_t section;
	int64_t reading_id, read_s, at_s;
	int64_t moved_s; /* 0: these pages did not move */
	uint32_t came, gone;
	size_t before; /* the step of the section before this one; NONE: none */
};

struct site_section {
	uint64_t present; /* now */
	uint64_t came, gone; /* by all steps */
	size_t last; /* its latest step; NONE: none yet */
};

void
site_sections_release(struct site_sections *sections)
{
	names_release(&sections->names);
	free(sections->items);
	free(sections->steps);
	*sections = (struct site_sections){0};
}

/* Only sections in which something changed are kept: a site may have many that
 * never do. */
void
site_sections_change(
    struct site_sections *sections, const struct section_change *change)
{
	struct site_section *section;
	size_t found = NONE;
	struct step *step;
	uint32_t number;

	/* pages without a folder are no section that a site launches */
	if (slice_is(change->section, "/"))
		return;
	number = names_find(&sections->names, change->section);
	if (number == NAMES_NONE && sections->names.count >= SECTIONS_MOST) {
		sections->is_full = true;
		return;
	}
	if (number == NAMES_NONE) {
		number = names_put(&sections->names, change->section);
		sections->items = mem_grow(sections->items, &sections->cap,
		    (size_t)number + 1, sizeof(*sections->items));
		sections->items[number] = (struct site_section){.last = NONE};
	}
	section = &sections->items[number];
	/* The step to which the change belongs is one of the latest reading. */
	for (size_t i = section->last; i != NONE && found == NONE &&
	     sections->steps[i].reading_id == change->reading_id;
	     i = sections->steps[i].before)
		if (sections->steps[i].moved_s == change->moved_s)
			found = i;
	if (found == NONE && sections->step_count >= STEPS_MOST) {
		sections->is_full = true;
		return;
	}
	if (found == NONE) {
		sections->steps = mem_grow(sections->steps, &sections->step_cap,
		    sections->step_count + 1, sizeof(*sections->steps));
		found = sections->step_count++;
		sections->steps[found] = (struct step){.section = number,
		    .reading_id = change->reading_id,
		    .read_s = change->read_s,
		    .at_s = change->at_s,
		    .moved_s = change->moved_s,
		    .before = section->last};
		section->last = found;
	}
	step = &sections->steps[found];
	if (change->is_gone) {
		section->gone++;
		step->gone++;
		step->at_s = change->at_s;
	} else {
		section->came++;
		step->came++;
	}
}

void
site_sections_list(struct site_sections *sections, struct slice name)
{
	uint32_t number = names_find(&sections->names, name);

	if (number != NAMES_NONE)
		sections->items[number].present++;
}

/* The steps of one section, and what is made of them. */
struct section_walk {
	struct open_documents *open;
	struct habit *habit;
	struct site_event_list *list;
	int64_t lag_s;
	const struct step **steps; /* owned; by section, then by reading */
	size_t first, end; /* the section at hand */
	const char *name;
};

/* What a reading changed. */
struct turn {
	size_t end; /* the first step after it */
	int64_t read_s;
	uint64_t came, gone;
	uint64_t new_pages,
	    left; /* without those that are known to have moved */
};

/* Up to when something counts for an event that was known then. */
static int64_t
until(const struct section_walk *walk, int64_t known_s)
{
	return walk->lag_s > INT64_MAX - known_s ? INT64_MAX
						 : known_s + walk->lag_s;
}

/* The reading of step i, with the moves that were known before until_s. */
static struct turn
turn_of(const struct section_walk *walk, size_t i, int64_t until_s)
{
	const struct step *first = walk->steps[i];
	struct turn turn = {.end = i, .read_s = first->read_s};

	for (; turn.end < walk->end; turn.end++) {
		const struct step *step = walk->steps[turn.end];
		bool is_moved = step->moved_s != 0 && step->moved_s < until_s;

		if (step->reading_id != first->reading_id)
			break;
		turn.came += step->came;
		turn.gone += step->gone;
		turn.new_pages += is_moved ? 0 : step->came;
		turn.left += is_moved ? 0 : step->gone;
	}
	return turn;
}

/* Counts of old stores may not fit; a section has no fewer than no pages. */
static uint64_t
pages_less(uint64_t pages, uint64_t others)
{
	return pages > others ? pages - others : 0;
}

/* A launch that begins with a step. */
struct launch {
	struct site_event event; /* its count: none, if it is none */
	int64_t enough_s; /* when there were enough pages; 0: never */
	size_t end; /* the first step after it */
};

/* Count the pages of a launch that begins with step `first`, by the moves that
 * were known before until_s, and by the readings before read_until_s. */
static struct launch
count_launch(const struct section_walk *walk, size_t first, int64_t until_s,
    int64_t read_until_s)
{
	struct launch launch = {.event.kind = EVENT_SECTION_LAUNCHED,
	    .event.at_s = walk->steps[first]->read_s,
	    .event.first_reading_id = walk->steps[first]->reading_id,
	    .end = first};
	uint64_t pages = 0;

	for (size_t i = first; i < walk->end;) {
		struct turn turn = turn_of(walk, i, until_s);

		if (turn.read_s - launch.event.at_s >= SECTION_WITHIN_S ||
		    turn.read_s >= read_until_s)
			break;
		/* a section to which pages move was renamed */
		if (i == first &&
		    (turn.new_pages == 0 || turn.new_pages < turn.came))
			break;
		if (turn.new_pages > 0) {
			launch.event.count += turn.new_pages;
			launch.event.end_s = turn.read_s;
			launch.event.last_reading_id = walk->steps[i]
							   ->reading_id;
		}
		if (launch.enough_s == 0 && launch.event.count >= SECTION_LEAST)
			launch.enough_s = turn.read_s;
		pages = pages_less(pages + turn.came, turn.gone);
		launch.end = i = turn.end;
		if (pages == 0 && turn.gone > 0)
			break;
	}
	return launch;
}

/* Add an event that is known since known_s (0: not yet), by the reading of
 * read_s. */
static void
add_event(const struct section_walk *walk, struct site_event event,
    int64_t read_s, int64_t known_s)
{
	event.known_s = known_s;
	if (known_s == 0) {
		if (walk->lag_s != SECTIONS_AS_KNOWN)
			return;
		event.settles_s = read_s + SETTLED_LEAST_S;
		event.is_doubtful = !open_documents_is_none(walk->open);
	}
	event.section = mem_copy(walk->name);
	(void)site_event_add(walk->list, event);
}

/* Add the launch that begins with a step, if it is one.  Moves that become
 * known put off when there are enough pages, and so when the launch is settled,
 * and then further moves may be known.  Returns the first step after it, or
 * `first`. */
static size_t
add_launch(const struct section_walk *walk, size_t first)
{
	int64_t known_s = 0;
	int64_t until_s = walk->lag_s == SECTIONS_AS_KNOWN
	    ? INT64_MAX
	    : walk->steps[first]->read_s;
	struct launch launch;

	for (;;) {
		launch = count_launch(walk, first, until_s, INT64_MAX);
		if (launch.enough_s == 0)
			return launch.end;
		known_s = open_documents_settled(walk->open, launch.enough_s);
		if (known_s == 0 || until(walk, known_s) <= until_s)
			break;
		until_s = until(walk, known_s);
	}
	for (size_t i = first; i < launch.end;) {
		struct turn turn = turn_of(walk, i, until_s);

		/* Is a launch that had enough pages at enough_s known when the
		 * bursts of a day are? */
		int64_t enough_s = launch.enough_s;
		int64_t day_end_s = zone_day_s(zone_day(turn.read_s) + 1);
		if (walk->lag_s == SECTIONS_AS_KNOWN ||
		    enough_s < day_end_s + SETTLED_LEAST_S)
			habit_day(walk->habit, turn.read_s)
			    ->launched += turn.new_pages;
		i = turn.end;
	}
	if (known_s != 0)
		add_event(walk,
		    count_launch(walk, first, until_s, until(walk, known_s))
			.event,
		    launch.enough_s, known_s);
	else
		add_event(walk, launch.event, launch.enough_s, 0);
	return launch.end;
}

/* All pages of the section have left with step `last`: did enough of them
 * within a week, without moving? */
static void
add_gone(const struct section_walk *walk, size_t last)
{
	const struct step *end = walk->steps[last];
	int64_t known_s = open_documents_settled(walk->open, end->read_s);
	int64_t until_s = known_s == 0 ? INT64_MAX : until(walk, known_s);
	struct site_event event = {.kind = EVENT_SECTION_GONE,
	    .at_s = end->at_s,
	    .end_s = end->at_s,
	    .last_reading_id = end->reading_id,
	    .first_reading_id = end->reading_id};

	for (size_t i = last + 1; i-- > walk->first;) {
		const struct step *step = walk->steps[i];

		if (end->read_s - step->read_s >= SECTION_WITHIN_S)
			break;
		if (step->gone == 0 ||
		    (step->moved_s != 0 && step->moved_s < until_s))
			continue;
		event.count += step->gone;
		event.first_reading_id = step->reading_id;
		if (step->at_s < event.at_s)
			event.at_s = step->at_s;
	}
	if (event.count >= SECTION_LEAST)
		add_event(walk, event, end->read_s, known_s);
}

/* By section, and in each as they were read, which is the order in memory. */
static int
by_section(const void *a, const void *b)
{
	const struct step *one = *(const struct step *const *)a;
	const struct step *other = *(const struct step *const *)b;

	if (one->section != other->section)
		return one->section < other->section ? -1 : 1;
	return one < other ? -1 : one > other;
}

/* Go through the steps of each section, from the number of pages that it had
 * before the first one: it was launched when it had none and pages came, and is
 * gone when the last ones leave. */
void
site_sections_events(const struct site_sections *sections,
    struct open_documents *open, struct habit *habit, int64_t lag_s,
    struct site_event_list *list)
{
	struct section_walk walk = {.open = open,
	    .habit = habit,
	    .list = list,
	    .lag_s = lag_s,
	    .steps = mem_alloc(
		(sections->step_count + 1) * sizeof(*walk.steps))};

	for (size_t i = 0; i < sections->step_count; i++)
		walk.steps[i] = &sections->steps[i];
	qsort(
	    walk.steps, sections->step_count, sizeof(*walk.steps), by_section);
	while (!sections->is_full && walk.first < sections->step_count) {
		walk.end = walk.first + 1;
		while (walk.end < sections->step_count &&
		    walk.steps[walk.end]->section ==
			walk.steps[walk.first]->section)
			walk.end++;
		uint32_t number = walk.steps[walk.first]->section;
		const struct site_section *section = &sections->items[number];
		uint64_t pages = 0;
		size_t launched =
		    0; /* the first step after the latest launch */

		walk.name = names_text(&sections->names, number);
		/* what it has now, and what left it, less what came */
		if (section->present + section->gone > section->came)
			pages = section->present + section->gone -
			    section->came;
		for (size_t i = walk.first; i < walk.end;) {
			struct turn turn = turn_of(&walk, i, INT64_MAX);

			if (pages == 0 && turn.came > 0 && i >= launched)
				launched = add_launch(&walk, i);
			pages = pages_less(pages + turn.came, turn.gone);
			if (pages == 0 && turn.gone > 0)
				add_gone(&walk, turn.end - 1);
			i = turn.end;
		}
		walk.first = walk.end;
	}
	free(walk.steps);
}

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
		pages = pages_less(day->pages, moved->pages[before]);
		read += day->is_read;
		if (pages > *usual)
			*usual = pages;
	}
	/* What came late was not new on that day, and a launch is an event of
	 * its own. */
	day = &habit->days[place];
	pages = pages_less(
	    day->pages, day->late + day->launched + moved->pages[0]);
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
