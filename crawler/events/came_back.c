/* Which new pages were gone before. */
#include "crawler/events/came_back.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/section.h"
#include "store/page.h"
#include "store/site_changes.h"

/* A new page of an event. */
struct new_page {
	uint64_t hash;
	size_t event; /* index in the list */
	int64_t
	    gone_s; /* when it went, before it came; 0: it was never there */
};

struct coming_back {
	struct store *store;
	const struct section_rules *sections;
	struct site_event_list *list;
	size_t from;
	struct new_page *pages; /* owned; sorted by hash in the second pass */
	size_t count, cap;
	int64_t last_id; /* of the readings that brought them */
};

static bool
is_of_pages(const struct site_event *event)
{
	return event->kind == EVENT_SECTION_LAUNCHED ||
	    event->kind == EVENT_BURST;
}

static bool
brings(const struct site_event *event, const struct reading_row *row)
{
	return is_of_pages(event) && row->id >= event->first_reading_id &&
	    row->id <= event->last_reading_id;
}

static bool
take_new(void *arg, const struct reading_row *row, const struct change *change,
    const struct move *move)
{
	struct coming_back *back = arg;

	(void)move;
	if (change->kind != DELTA_ADDED ||
	    section_is_ignored(back->sections, change->url))
		return true;
	for (size_t i = back->from; i < back->list->count; i++) {
		const struct site_event *event = &back->list->items[i];

		if (!brings(event, row) ||
		    (event->section != NULL &&
			!slice_is(section_of(back->sections, change->url),
			    event->section)))
			continue;
		back->pages = mem_grow(back->pages, &back->cap, back->count + 1,
		    sizeof(*back->pages));
		back->pages[back->count++] = (struct new_page){
		    .hash = hash_key(change->url, store_hash_key(back->store)),
		    .event = i};
	}
	return true;
}

static bool
find_new(void *arg, const struct reading_row *row)
{
	struct coming_back *back = arg;
	bool is_one = false;

	for (size_t i = back->from; i < back->list->count; i++)
		is_one = is_one || brings(&back->list->items[i], row);
	if (!is_one || !row->has_delta || row->site[DELTA_ADDED] == 0)
		return row->id <= back->last_id;
	site_change_walk(back->store, row, NULL, take_new, back);
	return true;
}

static int
by_hash(const void *a, const void *b)
{
	const struct new_page *one = a, *other = b;

	if (one->hash != other->hash)
		return one->hash < other->hash ? -1 : 1;
	return one->event < other->event ? -1 : one->event > other->event;
}

static bool
take_gone(void *arg, const struct reading_row *row, const struct change *change,
    const struct move *move)
{
	struct coming_back *back = arg;
	struct new_page key = {
	    .hash = hash_key(change->url, store_hash_key(back->store))};
	size_t low = 0, high = back->count;

	(void)move;
	if (change->kind != DELTA_GONE)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (back->pages[middle].hash < key.hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < back->count && back->pages[low].hash == key.hash; low++)
		if (row->id <
		    back->list->items[back->pages[low].event].first_reading_id)
			back->pages[low].gone_s = reading_at_s(row, DELTA_GONE);
	return true;
}

static bool
find_gone(void *arg, const struct reading_row *row)
{
	struct coming_back *back = arg;

	if (row->id > back->last_id)
		return false;
	if (!row->has_delta || row->site[DELTA_GONE] == 0)
		return true;
	site_change_walk(back->store, row, NULL, take_gone, back);
	return true;
}

void
came_back(struct store *store, int64_t site_id,
    const struct section_rules *sections, struct site_event_list *list,
    size_t from)
{
	struct coming_back back = {
	    .store = store, .sections = sections, .list = list, .from = from};
	int64_t first_s = INT64_MAX;

	for (size_t i = from; i < list->count; i++) {
		const struct site_event *event = &list->items[i];

		if (!is_of_pages(event))
			continue;
		if (event->at_s < first_s)
			first_s = event->at_s;
		if (event->last_reading_id > back.last_id)
			back.last_id = event->last_reading_id;
	}
	if (back.last_id == 0)
		return;
	store_each_site_reading(store, site_id, first_s, find_new, &back);
	if (back.count > 0) {
		qsort(back.pages, back.count, sizeof(*back.pages), by_hash);
		store_each_site_reading(store, site_id, 0, find_gone, &back);
	}
	for (size_t i = 0; i < back.count; i++) {
		struct site_event *event = &list->items[back.pages[i].event];

		if (back.pages[i].gone_s == 0)
			continue;
		event->back++;
		if (back.pages[i].gone_s > event->away_s)
			event->away_s = back.pages[i].gone_s;
	}
	/* later readings may have added to the pages of a told event */
	for (size_t i = from; i < list->count; i++)
		if (list->items[i].back > list->items[i].count)
			list->items[i].back = list->items[i].count;
	free(back.pages);
}
