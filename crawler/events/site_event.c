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
	/* what is new or moved, what is lost or broken, what is odd, what is
	 * over */
	static const enum site_event_kind order[] = {EVENT_SECTION_LAUNCHED,
	    EVENT_PAGES_MOVED, EVENT_SECTION_GONE, EVENT_MASS_DROP_CONFIRMED,
	    EVENT_MASS_DROP_WAITING, EVENT_FAILING, EVENT_LINE_LOST,
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
	free(event->replaced);
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

/* Events of a kind are one line if there are so many, on every third day at
 * least. */
#define FOLD_REDATED 5
#define FOLD_NOTES 3
#define FOLD_APART_S (3 * INT64_C(86400))

static void
fold_kind(struct site_event_list *list, enum site_event_kind kind, size_t least)
{
	struct site_event *first = NULL, *last = NULL;
	size_t count = 0, kept = 0;
	int64_t since_s;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].kind != kind)
			continue;
		first = count++ == 0 ? &list->items[i] : first;
		last = &list->items[i];
	}
	if (count < least ||
	    last->at_s - first->at_s >= (int64_t)count * FOLD_APART_S)
		return;
	since_s = first->at_s;
	last->repeats = count;
	last->repeats_since_s = since_s;
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].kind == kind && list->items[i].repeats == 0)
			site_event_release(&list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

void
site_event_list_fold(struct site_event_list *list)
{
	fold_kind(list, EVENT_REDATED, FOLD_REDATED);
	fold_kind(list, EVENT_OTHER_SITEMAP, FOLD_NOTES);
}

size_t
site_event_list_count(const struct site_event_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += !site_event_is_note(list->items[i].kind);
	return count;
}

/* Facts. */

/* Events are of one fact if they happened at most so long apart. */
#define FACT_S INT64_C(86400)

static bool
is_near(const struct site_event *a, const struct site_event *b)
{
	int64_t apart_s = a->at_s - b->at_s;

	return apart_s < FACT_S && -apart_s < FACT_S;
}

/* Did robots.txt change in nothing but its Sitemap lines? */
static bool
has_lines_alone(const struct site_event *event)
{
	const char *part = event->text;

	while (part != NULL) {
		part += strspn(part, " ;");
		if (strncmp(part, "new Sitemap:", 12) != 0 &&
		    strncmp(part, "gone Sitemap:", 13) != 0)
			return false;
		part = strstr(part, "; ");
	}
	return true;
}

/* Does `main` tell what `event` tells? */
static bool
tells(const struct site_event *main, const struct site_event *event)
{
	bool is_later = event->at_s >= main->at_s;

	switch (event->kind) {
	case EVENT_SECTION_GONE:
		/* it was replaced, or came back since */
		return main->kind == EVENT_SECTION_LAUNCHED &&
		    ((main->replaced != NULL && is_near(main, event) &&
			 strcmp(main->replaced, event->section) == 0) ||
			(main->back * 2 >= main->count && main->back > 0 &&
			    main->at_s >= event->at_s &&
			    strcmp(main->section, event->section) == 0));
	case EVENT_MASS_DROP_WAITING:
	case EVENT_MASS_DROP_CONFIRMED:
		return main->kind == EVENT_SECTION_GONE &&
		    is_near(main, event) && main->count * 2 >= event->count;
	case EVENT_ROBOTS_CHANGED:
		return ((main->kind == EVENT_PAGES_MOVED &&
			    has_lines_alone(event)) ||
			   main->kind == EVENT_LINE_LOST ||
			   main->kind == EVENT_LINE_BACK) &&
		    is_near(main, event);
	case EVENT_VERDICT_CHANGED:
		return (main->kind == EVENT_LINE_LOST ||
			   main->kind == EVENT_LINE_BACK) &&
		    is_near(main, event) &&
		    (event->text != NULL &&
			strstr(event->text, "Sitemap") != NULL);
	case EVENT_LINE_BACK:
		return main->kind == EVENT_LINE_LOST && is_later &&
		    main->document_id == event->document_id;
	case EVENT_BACK:
		return main->kind == EVENT_FAILING && is_later &&
		    main->document_id == event->document_id;
	default:
		return false;
	}
}

void
site_event_list_facts(struct site_event_list *list)
{
	bool *is_told = mem_zero(list->count + 1);
	size_t count = 0;

	/* Pair each section that went with one that came by the same reading.
	 */
	for (size_t i = 0; i < list->count; i++) {
		struct site_event *gone = &list->items[i], *best = NULL;

		if (gone->kind != EVENT_SECTION_GONE)
			continue;
		for (size_t k = 0; k < list->count; k++) {
			struct site_event *came = &list->items[k];

			if (came->kind == EVENT_SECTION_LAUNCHED &&
			    came->replaced == NULL &&
			    came->at_s == gone->at_s &&
			    (best == NULL || came->count > best->count))
				best = came;
		}
		if (best == NULL)
			continue;
		best->replaced = mem_copy(gone->section);
		best->of = gone->count;
	}
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->count && !is_told[i]; k++)
			is_told[i] = k != i &&
			    tells(&list->items[k], &list->items[i]);
	for (size_t i = 0; i < list->count; i++) {
		if (is_told[i])
			site_event_release(&list->items[i]);
		else
			list->items[count++] = list->items[i];
	}
	list->count = count;
	free(is_told);
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
