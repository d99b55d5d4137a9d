/* Sections that were launched, and that are gone. */
#include "crawler/events/site_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/zone.h"
#include "tests/fixtures/fixture.h"

#define DAY_S INT64_C(86400)
#define START_S (20000 * DAY_S)
#define MOST 6

enum how { CAME, MOVED, LEFT, MOVED_AWAY };

struct coming {
	int day, count;
	enum how how;
	int known; /* the day on which it is known that they moved; 0: day */
};

struct trial {
	const char *name;
	struct coming changes[MOST]; /* of /a; ends with no count */
	int present; /* pages of /a now */
	int now; /* 0: much later */
	int open; /* a document is open since this day; 0: none */
	bool is_as_told; /* what is known later does not count */
	const char *events; /* "KIND@DAY=COUNT known DAY " of each */
};

#define TOLD 0, 0, true

static const struct trial trials[] = {
    {"five pages", {{1, 5, CAME, 0}}, 5, 0, 0, false,
	"section-launched@1=5 known 3 "},
    {"four pages", {{1, 4, CAME, 0}}, 4, 0, 0, false, ""},
    {"there were pages before", {{1, 5, CAME, 0}}, 6, 0, 0, false, ""},
    {"they moved", {{1, 5, MOVED, 0}}, 5, 0, 0, false, ""},
    {"some moved", {{1, 3, MOVED, 0}, {1, 5, CAME, 0}}, 8, 0, 0, false, ""},
    {"some moved before", {{1, 3, MOVED, 0}, {2, 5, CAME, 0}}, 8, 0, 0, false,
	""},
    {"within a week", {{1, 2, CAME, 0}, {4, 2, CAME, 0}, {7, 2, CAME, 0}}, 6, 0,
	0, false, "section-launched@1=6 known 9 "},
    {"within eight days", {{1, 2, CAME, 0}, {4, 2, CAME, 0}, {8, 2, CAME, 0}},
	6, 0, 0, false, ""},
    {"later ones are new pages of the section",
	{{1, 6, CAME, 0}, {8, 9, CAME, 0}}, 15, 0, 0, false,
	"section-launched@1=6 known 3 "},
    {"not settled", {{1, 5, CAME, 0}}, 5, 2, 0, false,
	"section-launched@1=5 known 0 "},
    {"not settled, and a document is open", {{1, 5, CAME, 0}}, 5, 3, 1, false,
	"doubtful section-launched@1=5 known 0 "},
    {"two weeks later", {{1, 5, CAME, 0}}, 5, 15, 1, false,
	"section-launched@1=5 known 15 "},
    {"all pages left", {{1, 5, LEFT, 0}}, 0, 0, 0, false,
	"section-gone@1=5 known 3 "},
    {"four pages left", {{1, 4, LEFT, 0}}, 0, 0, 0, false, ""},
    {"one page stayed", {{1, 5, LEFT, 0}}, 1, 0, 0, false, ""},
    {"all pages moved away", {{1, 5, MOVED_AWAY, 0}}, 0, 0, 0, false, ""},
    {"they left within a week", {{1, 3, LEFT, 0}, {7, 3, LEFT, 0}}, 0, 0, 0,
	false, "section-gone@1=6 known 9 "},
    {"they left slowly", {{1, 3, LEFT, 0}, {8, 3, LEFT, 0}}, 0, 0, 0, false,
	""},
    {"it came and went", {{1, 5, CAME, 0}, {3, 5, LEFT, 0}, {9, 6, CAME, 0}}, 6,
	0, 0, false,
	"section-launched@1=5 known 3 section-gone@3=5 known 5 "
	"section-launched@9=6 known 11 "},
    {"a move is known later", {{1, 5, MOVED, 20}}, 5, 0, 0, false, ""},
    {"as told: a move is known later", {{1, 5, MOVED, 20}}, 5, TOLD,
	"section-launched@1=5 known 3 "},
    {"as told: a move is known in time", {{1, 5, MOVED, 2}}, 5, TOLD, ""},
    {"as told: more pages come later", {{1, 5, CAME, 0}, {4, 3, CAME, 0}}, 8,
	TOLD, "section-launched@1=5 known 3 "},
    {"as told: more pages come before it is known",
	{{1, 5, CAME, 0}, {2, 3, CAME, 0}}, 8, TOLD,
	"section-launched@1=8 known 3 "},
    {"as told: a move puts it off",
	{{1, 3, CAME, 0}, {2, 2, MOVED, 3}, {3, 2, CAME, 0}}, 7, TOLD,
	"section-launched@1=5 known 5 "},
    {"as told: they left, and turn up later", {{1, 5, MOVED_AWAY, 6}}, 0, TOLD,
	"section-gone@1=5 known 3 "},
    {"as told: it is not settled", {{1, 5, CAME, 0}}, 5, 2, 0, true, ""},
};

static void
put(struct site_sections *sections, const struct coming *change,
    int64_t reading_id, const char *name)
{
	struct section_change one = {.section = slice_of(name),
	    .reading_id = reading_id,
	    .read_s = START_S + change->day * DAY_S,
	    .at_s = START_S + change->day * DAY_S,
	    .is_gone = change->how >= LEFT,
	    .moved_s = change->how == MOVED || change->how == MOVED_AWAY
		? START_S +
		    (change->known > 0 ? change->known : change->day) * DAY_S
		: 0};

	for (int i = 0; i < change->count; i++)
		site_sections_change(sections, &one);
}

static void
assert_trial(const struct trial *trial)
{
	struct site_sections all = {0}, *sections = &all;
	struct open_documents open = {
	    .now_s = START_S + (trial->now > 0 ? trial->now : 99) * DAY_S};
	struct site_event_list list = {0};
	struct habit habit;
	struct buf said;

	habit = (struct habit){.first_day = zone_day(START_S)};
	buf_init(&said, SIZE_MAX);
	if (trial->open > 0)
		open_documents_add(&open, START_S + trial->open * DAY_S, 0);
	assert_int_equal(sections->step_count, 0);
	for (int i = 0; i < MOST && trial->changes[i].count > 0; i++) {
		put(sections, &trial->changes[i], i + 1, "/a");
		/* another section, which was always there */
		put(sections,
		    &(struct coming){trial->changes[i].day, 1, CAME, 0}, i + 1,
		    "/b");
	}
	for (int i = 0; i < trial->present; i++)
		site_sections_list(sections, slice_of("/a"));
	for (int i = 0; i < 100; i++)
		site_sections_list(sections, slice_of("/b"));
	site_sections_list(sections, slice_of("/never-changed"));
	site_sections_events(sections, &open, &habit,
	    trial->is_as_told ? 300 : SECTIONS_AS_KNOWN, &list);
	site_event_list_sort(&list);
	for (size_t i = 0; i < list.count; i++) {
		const struct site_event *event = &list.items[i];
		struct slice kind = site_event_kind_name(event->kind);

		assert_string_equal(event->section, "/a");
		(void)buf_print(&said, "%s%.*s@%d=%llu known %d ",
		    event->is_doubtful ? "doubtful " : "", (int)kind.len,
		    kind.p, (int)((event->at_s - START_S) / DAY_S),
		    (unsigned long long)event->count,
		    event->known_s == 0
			? 0
			: (int)((event->known_s - START_S) / DAY_S));
	}
	if (strcmp(buf_str(&said), trial->events) != 0)
		fail_msg("%s: %s\nnot %s", trial->name, buf_str(&said),
		    trial->events);
	buf_release(&said);
	free(habit.days);
	site_event_list_release(&list);
	free(open.items);
	site_sections_release(sections);
}

static void
sections_come_and_go(void **state)
{
	for (size_t i = 0; i < COUNT(trials); i++)
		assert_trial(&trials[i]);
}

/* The pages of a launch count in its days, those that came later do not. */
static void
days(void **state)
{
	struct site_sections all = {0}, *sections = &all;
	struct open_documents open = {.now_s = START_S + 99 * DAY_S};
	struct site_event_list list = {0};
	struct habit habit;

	habit = (struct habit){.first_day = zone_day(START_S)};
	put(sections, &(struct coming){1, 4, CAME, 0}, 1, "/a");
	put(sections, &(struct coming){3, 3, CAME, 0}, 2, "/a");
	put(sections, &(struct coming){9, 9, CAME, 0}, 3, "/a");
	put(sections, &(struct coming){9, 9, CAME, 0}, 3, "/");
	for (int i = 0; i < 16; i++)
		site_sections_list(sections, slice_of("/a"));
	site_sections_events(sections, &open, &habit, SECTIONS_AS_KNOWN, &list);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].end_s, START_S + 3 * DAY_S);
	assert_int_equal(habit_day(&habit, START_S + DAY_S)->launched, 4);
	assert_int_equal(habit_day(&habit, START_S + 3 * DAY_S)->launched, 3);
	assert_int_equal(habit_day(&habit, START_S + 9 * DAY_S)->launched, 0);
	assert_false(sections->is_full);
	free(habit.days);
	site_event_list_release(&list);
	site_sections_release(sections);
}

/* With a section for each page there are too many to say anything. */
static void
too_many(void **state)
{
	struct site_sections all = {0}, *sections = &all;
	struct open_documents open = {.now_s = START_S + 99 * DAY_S};
	struct site_event_list list = {0};
	struct habit habit;
	char name[32];

	habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 0; i <= 20000; i++) {
		assert_false(sections->is_full);
		(void)snprintf(name, sizeof(name), "/%d", i * 7919 % 20011);
		put(sections, &(struct coming){1, 5, CAME, 0}, 1, name);
	}
	assert_true(sections->is_full);
	site_sections_events(sections, &open, &habit, SECTIONS_AS_KNOWN, &list);
	assert_int_equal(list.count, 0);
	free(habit.days);
	site_sections_release(sections);
}

static struct habit_day *
habit_of(struct habit *habit, int n)
{
	return habit_day(habit, START_S + n * DAY_S + 1000);
}

/* 40 days that were read, with five new pages each Monday or so. */
static void
begin(struct habit *habit)
{
	*habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 0; i < 40; i++) {
		habit_of(habit, i)->is_read = true;
		habit_of(habit, i)->pages = i % 7 == 0 ? 5 : 0;
	}
}

static const struct habit_moved none;

static void
burst(void **state)
{
	struct habit habit;
	uint64_t usual;
	int64_t at_s = START_S + 39 * DAY_S;

	begin(&habit);
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	habit_of(&habit, 39)->pages = 20;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 20);
	assert_int_equal(usual, 5);
	habit_of(&habit, 39)->pages = 19;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	/* four times as many as on the best day before */
	habit_of(&habit, 38)->pages = 10;
	habit_of(&habit, 39)->pages = 39;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	habit_of(&habit, 39)->pages = 40;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 40);
	/* a launch is told by itself; what came unseen is no burst */
	habit_of(&habit, 39)->launched = 1;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	habit_of(&habit, 39)->launched = 0;
	habit_of(&habit, 39)->late = 1;
	assert_int_equal(habit_burst(&habit, at_s, &none, &usual), 0);
	habit_of(&habit, 39)->late = 0;
	assert_int_equal(
	    habit_burst(&habit, at_s, &(struct habit_moved){{1}}, &usual), 0);
	assert_int_equal(
	    habit_burst(&habit, at_s, &(struct habit_moved){{50}}, &usual), 0);
	free(habit.days);
}

static void
burst_needs_a_habit(void **state)
{
	struct habit habit;
	uint64_t usual;

	begin(&habit);
	habit_of(&habit, 27)->pages = 100;
	assert_int_equal(
	    habit_burst(&habit, START_S + 27 * DAY_S, &none, &usual), 0);
	habit_of(&habit, 28)->pages = 400;
	assert_int_equal(
	    habit_burst(&habit, START_S + 28 * DAY_S, &none, &usual), 400);
	for (int i = 0; i < 8; i++)
		habit_of(&habit, i)->is_read = false;
	assert_int_equal(
	    habit_burst(&habit, START_S + 28 * DAY_S, &none, &usual), 400);
	habit_of(&habit, 8)->is_read = false;
	assert_int_equal(
	    habit_burst(&habit, START_S + 28 * DAY_S, &none, &usual), 0);
	/* no days are known there */
	assert_int_equal(
	    habit_burst(&habit, START_S + 99 * DAY_S, &none, &usual), 0);
	free(habit.days);
}

static void
silence(void **state)
{
	struct habit habit;
	uint64_t longest;
	int64_t at_s = START_S + 56 * DAY_S + 500;

	habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 7; i <= 56; i += 7)
		habit_of(&habit, i)->pages = 5;
	/* eight days with new pages, a week apart: silence from the 15th day
	 * on */
	assert_int_equal(habit_silent_from(&habit, at_s, &longest),
	    START_S + (56 + 15) * DAY_S);
	assert_int_equal(longest, 7);
	habit_of(&habit, 28)->pages = 0;
	assert_int_equal(habit_silent_from(&habit, at_s, &longest), 0);
	habit_of(&habit, 25)->pages = 1;
	assert_int_equal(habit_silent_from(&habit, at_s, &longest),
	    START_S + (56 + 21) * DAY_S);
	assert_int_equal(longest, 10);
	/* with long times between, there is no habit */
	habit_of(&habit, 25)->pages = 0;
	habit_of(&habit, 20)->pages = 1;
	habit_of(&habit, 21)->pages = 0;
	habit_of(&habit, 13)->pages = 1;
	assert_int_equal(habit_silent_from(&habit, at_s, &longest), 0);
	assert_int_equal(longest, 15);
	free(habit.days);
}

static void
short_silence(void **state)
{
	struct habit habit;
	uint64_t longest;

	habit = (struct habit){.first_day = zone_day(START_S)};
	for (int i = 0; i < 20; i++)
		habit_of(&habit, i)->pages = 1;
	/* it lasts for a week at least */
	assert_int_equal(
	    habit_silent_from(&habit, START_S + 19 * DAY_S, &longest),
	    START_S + (19 + 8) * DAY_S);
	assert_int_equal(longest, 1);
	free(habit.days);
}

UNIT(site_sections)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sections_come_and_go),
	    cmocka_unit_test(days),
	    cmocka_unit_test(too_many),
	    cmocka_unit_test(burst),
	    cmocka_unit_test(burst_needs_a_habit),
	    cmocka_unit_test(silence),
	    cmocka_unit_test(short_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
