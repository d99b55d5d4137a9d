/* Some of the pages of events: see event_pages.h. */
#include "crawler/events/event_pages.h"

#include "base/section.h"
#include "store/site_changes.h"

struct sampling {
	struct store *store;
	struct site_event *event;
	const struct site_changes *changes;
	const struct section_rules *sections;
	enum delta_kind kind; /* of the changes that are pages of the event */
	size_t most;
	uint64_t seen;
};

/* The pages that are taken are spread over all that the event counts. */
static void
sampling_add(struct sampling *sampling, struct slice url)
{
	struct strings *sample = &sampling->event->sample;
	uint64_t step = sampling->event->count / sampling->most;

	if (!section_is_ignored(sampling->sections, url) &&
	    sampling->seen++ % (step > 0 ? step : 1) == 0 &&
	    sample->count < sampling->most)
		strings_add(sample, url);
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
	if (entry->is_held)
		sampling_add(arg, entry->url);
	return true;
}

void
event_pages_sample(struct store *store, int64_t site_id,
    struct site_event *event, const struct site_changes *changes,
    const struct section_rules *sections, unsigned most)
{
	struct sampling sampling = {store, event, changes, sections,
	    event->kind == EVENT_SECTION_LAUNCHED ? DELTA_ADDED : DELTA_GONE,
	    most, 0};

	if (event->kind == EVENT_MASS_DROP_WAITING)
		store_each_entry(
		    store, event->document_id, sampling_on_entry, &sampling);
	/* of an accident, everything is there again */
	else if (event->kind != EVENT_PAGES_MOVED &&
	    event->kind != EVENT_MASS_DROP_ACCIDENT)
		store_each_reading(store,
		    (struct reading_from){.by = READINGS_OF_SITE,
			.id = site_id,
			.at_s = event->at_s},
		    sampling_on_reading, &sampling);
	for (size_t i = 0;
	     event->kind == EVENT_PAGES_MOVED && i < changes->move_count; i++)
		if (site_event_has_move(event, &changes->moves[i]))
			sampling_add(&sampling, changes->moves[i].from.url);
}
