/* Kinds of events, and lists of events. */
#include "crawler/events/site_event.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/options.h"

struct slice
site_event_kind_name(enum site_event_kind kind)
{
	const char *at = EVENT_NAMES;

	for (int i = 0; i < (int)kind; i++)
		at += strcspn(at, "|") + 1;
	return slice_make(at, strcspn(at, "|"));
}

enum site_event_kind
site_event_kind_find(struct slice name)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		if (slice_equal(
			site_event_kind_name((enum site_event_kind)kind), name))
			return (enum site_event_kind)kind;
	return EVENT_KINDS;
}

bool
site_event_is_note(enum site_event_kind kind)
{
	return kind == EVENT_OTHER_SITEMAP;
}

bool
site_event_is_news(enum site_event_kind kind)
{
	return !site_event_is_note(kind) && kind != EVENT_FIRST_READING;
}

unsigned
site_event_rank(enum site_event_kind kind)
{
	/* what is lost or broken, what is new, what is odd, what is over */
	static const enum site_event_kind order[] = {EVENT_SECTION_GONE,
	    EVENT_MASS_DROP_CONFIRMED, EVENT_MASS_DROP_WAITING, EVENT_FAILING,
	    EVENT_LINE_LOST, EVENT_SECTION_LAUNCHED, EVENT_PAGES_MOVED,
	    EVENT_BURST, EVENT_SILENCE, EVENT_VERDICT_CHANGED,
	    EVENT_ROBOTS_CHANGED, EVENT_DATES_BACKWARDS, EVENT_REDATED,
	    EVENT_SESSION_URLS, EVENT_MASS_DROP_ACCIDENT, EVENT_BACK,
	    EVENT_LINE_BACK, EVENT_FIRST_READING, EVENT_OTHER_SITEMAP};
	unsigned rank = 0;

	_Static_assert(sizeof(order) / sizeof(order[0]) == EVENT_KINDS,
	    "each kind has a rank");
	while (rank < EVENT_KINDS && order[rank] != kind)
		rank++;
	return rank;
}

void
site_event_release(struct site_event *event)
{
	free(event->section);
	free(event->to_section);
	free(event->document);
	free(event->from);
	free(event->to);
	free(event->text);
}

struct site_event *
site_event_add(struct site_event_list *list, struct site_event event)
{
	if (list->count >= EVENTS_MOST) {
		list->has_more = true;
		site_event_release(&event);
		return NULL;
	}
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 1, sizeof(*list->items));
	list->items[list->count] = event;
	return &list->items[list->count++];
}

static int
by_time(const void *a, const void *b)
{
	const struct site_event *one = a, *other = b;

	if (one->at_s != other->at_s)
		return one->at_s < other->at_s ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	if (one->first_reading_id != other->first_reading_id)
		return one->first_reading_id < other->first_reading_id ? -1 : 1;
	return strcmp(one->section != NULL ? one->section : "",
	    other->section != NULL ? other->section : "");
}

void
site_event_list_sort(struct site_event_list *list)
{
	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), by_time);
}

void
site_event_list_release(struct site_event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		site_event_release(&list->items[i]);
	free(list->items);
	*list = (struct site_event_list){0};
}

bool
site_event_is_in(const struct site_event *event, const struct strings *sections)
{
	if (event->kind == EVENT_PAGES_MOVED &&
	    (event->section == NULL || event->to_section == NULL))
		return true;
	return strings_has(sections, slice_of(event->section)) ||
	    strings_has(sections, slice_of(event->to_section));
}

void
site_events_wait_for(
    struct site_events_waiting *waiting, const struct site_event *event)
{
	if (event->settles_s == 0)
		return;
	waiting->count++;
	waiting->kinds[event->kind] = true;
	if (event->settles_s > waiting->until_s)
		waiting->until_s = event->settles_s;
}
