/* Which sections of a site came and went. */
#include "crawler/events/site_sections.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SECTIONS_MOST 20000 /* each page may have a folder of its own */
#define STEPS_MOST 1000000 /* 40 MB */

/* The changes of a section by one reading. */
struct step {
	size_t section;
	int64_t reading_id, read_s, at_s;
	uint32_t came, gone;
	uint32_t moved_in, moved_out; /* of these */
};

struct site_section {
	char *name; /* owned */
	uint64_t present; /* now */
	uint64_t came, gone; /* by all steps */
	size_t last; /* its latest step */
};

struct site_sections {
	struct site_section *items; /* owned; sorted by name: see order */
	size_t count, cap;
	size_t *order; /* owned; places in items, sorted by name */
	size_t order_cap;
	struct step *steps; /* owned; in order of readings */
	size_t step_count, step_cap;
	bool is_full;
};

struct site_sections *
site_sections_new(void)
{
	return mem_zero(sizeof(struct site_sections));
}

void
site_sections_free(struct site_sections *sections)
{
	if (sections == NULL)
		return;
	for (size_t i = 0; i < sections->count; i++)
		free(sections->items[i].name);
	free(sections->items);
	free(sections->order);
	free(sections->steps);
	free(sections);
}

/* The place in `order` of the section, or where it belongs. */
static size_t
find(const struct site_sections *sections, struct slice name, bool *is_there)
{
	size_t low = 0, high = sections->count;

	*is_there = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = slice_order(name,
		    slice_of(sections->items[sections->order[middle]].name));

		if (order == 0) {
			*is_there = true;
			return middle;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The section of that name, added if it is new; NULL: there are too many. */
static struct site_section *
section_named(struct site_sections *sections, struct slice name)
{
	bool is_there;
	size_t place = find(sections, name, &is_there);

	if (is_there)
		return &sections->items[sections->order[place]];
	if (sections->count >= SECTIONS_MOST)
		return NULL;
	sections->items = mem_grow(sections->items, &sections->cap,
	    sections->count + 1, sizeof(*sections->items));
	sections->order = mem_grow(sections->order, &sections->order_cap,
	    sections->count + 1, sizeof(*sections->order));
	memmove(&sections->order[place + 1], &sections->order[place],
	    (sections->count - place) * sizeof(*sections->order));
	sections->order[place] = sections->count;
	sections->items[sections->count] = (struct site_section){
	    .name = slice_dup(name), .last = SIZE_MAX};
	return &sections->items[sections->count++];
}

void
site_sections_change(
    struct site_sections *sections, const struct section_change *change)
{
	struct site_section *section;
	struct step *step;

	/* pages without a folder are no section that a site launches */
	if (slice_is(change->section, "/"))
		return;
	section = section_named(sections, change->section);
	if (section == NULL ||
	    (sections->step_count >= STEPS_MOST &&
		(section->last == SIZE_MAX ||
		    sections->steps[section->last].reading_id !=
			change->reading_id))) {
		sections->is_full = true;
		return;
	}
	if (section->last == SIZE_MAX ||
	    sections->steps[section->last].reading_id != change->reading_id) {
		sections->steps = mem_grow(sections->steps, &sections->step_cap,
		    sections->step_count + 1, sizeof(*sections->steps));
		sections->steps[sections->step_count] = (struct step){
		    .section = (size_t)(section - sections->items),
		    .reading_id = change->reading_id,
		    .read_s = change->read_s,
		    .at_s = change->at_s};
		section->last = sections->step_count++;
	}
	step = &sections->steps[section->last];
	if (change->is_gone) {
		section->gone++;
		step->gone++;
		step->moved_out += change->is_moved;
		step->at_s = change->at_s;
	} else {
		section->came++;
		step->came++;
		step->moved_in += change->is_moved;
	}
}

bool
site_sections_has(const struct site_sections *sections)
{
	return sections->step_count > 0;
}

void
site_sections_list(struct site_sections *sections, struct slice name)
{
	bool is_there;
	size_t place = find(sections, name, &is_there);

	if (is_there)
		sections->items[sections->order[place]].present++;
}

bool
site_sections_is_full(const struct site_sections *sections)
{
	return sections->is_full;
}

/* One section, while the walk goes through its steps. */
struct section_history {
	uint64_t present; /* before the step */
	/* a launch that goes on: */
	bool is_coming;
	struct site_event launch; /* its kind and counts so far */
	size_t first; /* the step with which it began */
	int64_t enough_s; /* when there were enough pages */
};

struct section_events {
	const struct site_sections *sections;
	const struct open_documents *open;
	struct habit *habit;
	struct site_event_list *list;
	const struct step **steps; /* owned; by section, then by reading */
};

static void
add_event(const struct section_events *events, struct site_event event,
    int64_t settled_from_s, const char *name)
{
	event.known_s = open_documents_settled(events->open, settled_from_s);
	if (event.known_s == 0 && !open_documents_is_none(events->open))
		return;
	event.section = mem_copy(name);
	(void)site_event_add(events->list, event);
}

/* The end of a launch, before the step `end`, or of the time in which it may
 * become one. */
static void
end_launch(const struct section_events *events, struct section_history *history,
    size_t end, const char *name)
{
	if (history->is_coming && history->launch.count >= SECTION_LEAST) {
		add_event(events, history->launch, history->enough_s, name);
		for (size_t i = history->first; i < end; i++) {
			const struct step *step = events->steps[i];

			habit_day(events->habit, step->read_s)
			    ->launched += step->came - step->moved_in;
		}
	}
	history->is_coming = false;
}

static void
count_coming(
    struct section_history *history, const struct step *step, uint64_t count)
{
	struct site_event *launch = &history->launch;
	bool had_enough = launch->count >= SECTION_LEAST;

	launch->count += count;
	launch->end_s = step->read_s;
	launch->last_reading_id = step->reading_id;
	if (!had_enough && launch->count >= SECTION_LEAST)
		history->enough_s = step->read_s;
}

/* All pages of the section have left: did enough of them within a week, without
 * moving? */
static void
add_gone(const struct section_events *events, size_t first, size_t last,
    const char *name)
{
	const struct step *end = events->steps[last];
	struct site_event event = {.kind = EVENT_SECTION_GONE,
	    .at_s = end->at_s,
	    .end_s = end->at_s,
	    .last_reading_id = end->reading_id,
	    .first_reading_id = end->reading_id};

	for (size_t i = last + 1; i-- > first;) {
		const struct step *step = events->steps[i];

		if (end->read_s - step->read_s >= SECTION_WITHIN_S)
			break;
		event.count += step->gone - step->moved_out;
		if (step->gone > step->moved_out) {
			event.first_reading_id = step->reading_id;
			if (step->at_s < event.at_s)
				event.at_s = step->at_s;
		}
	}
	if (event.count >= SECTION_LEAST)
		add_event(events, event, end->read_s, name);
}

static void
add_section(const struct section_events *events, size_t first, size_t end)
{
	const struct site_section
	    *section = &events->sections->items[events->steps[first]->section];
	struct section_history history = {0};

	/* what it has now, and what left it, less what came */
	if (section->present + section->gone > section->came)
		history.present = section->present + section->gone -
		    section->came;
	for (size_t i = first; i < end; i++) {
		const struct step *step = events->steps[i];
		uint64_t coming = step->came - step->moved_in;
		uint64_t after = history.present + step->came;

		if (history.is_coming &&
		    step->read_s - history.launch.at_s >= SECTION_WITHIN_S)
			end_launch(events, &history, i, section->name);
		/* a section to which pages move was renamed */
		if (history.present == 0 && coming > 0 && step->moved_in == 0 &&
		    !history.is_coming) {
			history.is_coming = true;
			history.first = i;
			history.launch = (struct site_event){
			    .kind = EVENT_SECTION_LAUNCHED,
			    .at_s = step->read_s,
			    .first_reading_id = step->reading_id};
		}
		if (history.is_coming && coming > 0)
			count_coming(&history, step, coming);
		after = after > step->gone ? after - step->gone : 0;
		if (after == 0 && step->gone > 0) {
			end_launch(events, &history, i + 1, section->name);
			add_gone(events, first, i, section->name);
		}
		history.present = after;
	}
	end_launch(events, &history, end, section->name);
}

static int
by_section(const void *a, const void *b)
{
	const struct step *one = *(const struct step *const *)a;
	const struct step *other = *(const struct step *const *)b;

	if (one->section != other->section)
		return one->section < other->section ? -1 : 1;
	return one < other ? -1 : one > other;
}

void
site_sections_events(const struct site_sections *sections,
    const struct open_documents *open, struct habit *habit,
    struct site_event_list *list)
{
	struct section_events events = {sections, open, habit, list,
	    mem_alloc((sections->step_count + 1) * sizeof(*events.steps))};
	size_t end;

	for (size_t i = 0; i < sections->step_count; i++)
		events.steps[i] = &sections->steps[i];
	qsort(events.steps, sections->step_count, sizeof(*events.steps),
	    by_section);
	for (size_t i = 0; !sections->is_full && i < sections->step_count;
	     i = end) {
		for (end = i + 1; end < sections->step_count &&
		     events.steps[end]->section == events.steps[i]->section;)
			end++;
		add_section(&events, i, end);
	}
	free(events.steps);
}
