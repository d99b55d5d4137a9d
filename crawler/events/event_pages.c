/* Some of the pages of events: see event_pages.h. */
#include "crawler/events/event_pages.h"

#include <stdlib.h>

#include "base/section.h"
#include "store/site_changes.h"

/* Every `stride`th page is kept; when there are twice as many as are wanted,
 * every other one goes, so that those that are left lie evenly. */
struct sampling {
	struct store *store;
	struct site_event *event;
	const struct site_changes *changes;
	const struct section_rules *sections;
	enum delta_kind kind; /* of the changes that are pages of the event */
	struct strings urls; /* owned */
	size_t most;
	uint64_t seen, stride;
};

static void
sampling_add(struct sampling *sampling, struct slice url)
{
	struct strings *urls = &sampling->urls;
	size_t kept = 0;

	if (sampling->seen++ % sampling->stride != 0)
		return;
	strings_add(urls, url);
	if (urls->count < 2 * sampling->most)
		return;
	for (size_t i = 0; i < urls->count; i++) {
		if (i % 2 == 0)
			urls->items[kept++] = urls->items[i];
		else
			free(urls->items[i]);
	}
	urls->count = kept;
	sampling->stride *= 2;
}

/* A page that moved is told by another event. */
static bool
sampling_on_change(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct sampling *sampling = arg;
	const char *section = sampling->event->section;

	(void)row;
	if (change->kind == sampling->kind && move == NULL &&
	    !section_is_ignored(sampling->sections, change->url) &&
	    (section == NULL ||
		slice_is(section_of(sampling->sections, change->url), section)))
		sampling_add(sampling, change->url);
	return true;
}

static bool
sampling_on_reading(void *arg, const struct reading_row *row)
{
	struct sampling *sampling = arg;
	const struct site_event *event = sampling->event;
	/* what has left by a mass drop has left by its last reading */
	int64_t first_id = event->kind == EVENT_MASS_DROP_CONFIRMED
	    ? event->last_reading_id
	    : event->first_reading_id;

	/* children that an index lists are no pages of the site */
	if (row->id >= first_id && row->id <= event->last_reading_id)
		reading_change_walk(sampling->store, row, !event->is_of_index,
		    sampling->changes, sampling_on_change, sampling);
	return row->id < event->last_reading_id;
}

/* What is missing from a mass drop that waits is held in its document. */
static bool
sampling_on_entry(void *arg, const struct entry *entry)
{
	struct sampling *sampling = arg;

	if (entry->is_held &&
	    !section_is_ignored(sampling->sections, entry->url))
		sampling_add(sampling, entry->url);
	return true;
}

static void
sampling_moves(struct sampling *sampling)
{
	const struct site_changes *changes = sampling->changes;

	for (size_t i = 0; i < changes->move_count; i++) {
		const struct move *move = &changes->moves[i];

		if (site_event_has_move(sampling->event, move->from.url,
			move->to.url, move->to.at_s))
			sampling_add(sampling, move->from.url);
	}
}

void
event_pages_sample(struct store *store, int64_t site_id,
    struct site_event *event, const struct site_changes *changes,
    const struct section_rules *sections, unsigned most)
{
	struct sampling sampling = {.store = store,
	    .event = event,
	    .changes = changes,
	    .sections = sections,
	    .kind = event->kind == EVENT_SECTION_LAUNCHED ? DELTA_ADDED
							  : DELTA_GONE,
	    .most = most,
	    .stride = 1};
	struct strings *urls = &sampling.urls;

	/* of an accident, everything is there again */
	if (event->kind == EVENT_PAGES_MOVED)
		sampling_moves(&sampling);
	else if (event->kind == EVENT_MASS_DROP_WAITING)
		store_each_entry(
		    store, event->document_id, sampling_on_entry, &sampling);
	else if (event->kind != EVENT_MASS_DROP_ACCIDENT)
		store_each_reading(store,
		    (struct reading_from){.by = READINGS_OF_SITE,
			.id = site_id,
			.at_s = event->at_s},
		    sampling_on_reading, &sampling);
	if (most > urls->count)
		most = (unsigned)urls->count;
	for (size_t i = 0; i < most; i++)
		strings_add(&event->sample,
		    slice_of(urls->items[i * urls->count / most]));
	strings_release(urls);
}
