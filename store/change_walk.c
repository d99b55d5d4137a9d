/* Walks over what readings changed. */
#include "store/change_walk.h"

#include "base/buf.h"

struct change_walk {
	const struct reading_row *reading;
	const struct site_changes *moves;
	bool is_of_site;
	struct buf elsewhere; /* see store_elsewhere() */
	uint64_t at; /* the place of the next change in the delta */
	change_walk_fn *fn;
	void *arg;
};

static bool
change_walk_change(void *arg, const struct change *change)
{
	struct change_walk *walk = arg;
	const struct move *move = NULL;
	uint64_t at = walk->at++;
	bool is_verdict = change->kind == DELTA_REFUSED ||
	    change->kind == DELTA_ACCEPTED;

	if (walk->is_of_site && !(is_verdict && walk->reading->lists_pages) &&
	    reading_is_elsewhere(
		walk->reading, buf_text(&walk->elsewhere), change, at))
		return true;
	if (walk->moves != NULL)
		(void)site_changes_find(
		    walk->moves, walk->reading->id, at, &move);
	return walk->fn(walk->arg, walk->reading, change, move);
}

static bool
change_walk_entry(void *arg, const struct entry *entry)
{
	struct change_walk *walk = arg;
	struct change change = {
	    .kind = DELTA_ADDED, .url = entry->url, .verdict = entry->verdict};

	if (entry->first_seen_s != walk->reading->at_s)
		return true;
	/* the date at that time is in the delta that changed it */
	if (entry->redated_s == 0)
		change.after = entry->lastmod;
	return walk->fn(walk->arg, walk->reading, &change, NULL);
}

static void
change_walk_reading(struct store *store, struct change_walk *walk)
{
	const struct reading_row *reading = walk->reading;

	buf_init(&walk->elsewhere, SIZE_MAX);
	if (reading->has_delta && walk->is_of_site)
		store_elsewhere(store, reading->id, &walk->elsewhere);
	if (reading->has_delta)
		store_each_change(store, reading->id, change_walk_change, walk);
	else if (reading->changes[DELTA_ADDED] > 0)
		store_each_entry(
		    store, reading->document_id, change_walk_entry, walk);
	buf_release(&walk->elsewhere);
}

void
site_change_walk(struct store *store, const struct reading_row *reading,
    const struct site_changes *moves, change_walk_fn *fn, void *arg)
{
	struct change_walk walk = {.reading = reading,
	    .moves = moves,
	    .is_of_site = true,
	    .fn = fn,
	    .arg = arg};

	change_walk_reading(store, &walk);
}

void
document_change_walk(struct store *store, const struct reading_row *reading,
    const struct site_changes *moves, change_walk_fn *fn, void *arg)
{
	struct change_walk walk = {
	    .reading = reading, .moves = moves, .fn = fn, .arg = arg};

	change_walk_reading(store, &walk);
}
