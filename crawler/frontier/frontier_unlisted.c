/* Pages that no document listed: see frontier_unlisted.h. */
#include "crawler/frontier/frontier_unlisted.h"

#include "crawler/frontier/frontier_parts.h"
#include "crawler/frontier/frontier_told.h"
#include "store/changes.h"

struct seeking {
	struct frontier *frontier;
	uint32_t document;
	uint32_t unlisted; /* that they belong to so far */
};

static bool
find(void *arg, const struct entry *entry)
{
	const struct seeking *seeking = arg;
	struct frontier *frontier = seeking->frontier;
	bool is_listed = entry->missed == 0 &&
	    entry->verdict == VERDICT_ACCEPTED;
	uint32_t number = is_listed ? page_by_url(frontier, entry->url) : NONE;

	if (number != NONE &&
	    frontier->pages[number].document == seeking->unlisted)
		told_listed(
		    frontier, number, seeking->document, &entry->lastmod);
	return frontier->documents[seeking->unlisted].promoted > 0;
}

void
unlisted_found(struct frontier *frontier, uint32_t document)
{
	const struct document_at *is = &frontier->documents[document];
	uint32_t unlisted = frontier->sites[is->site].unlisted;
	struct seeking seeking = {frontier, document, unlisted - 1};

	if (unlisted == 0 || is->is_index || unlisted - 1 == document ||
	    frontier->documents[unlisted - 1].promoted == 0)
		return;
	store_each_entry(frontier->options.store, is->id, find, &seeking);
}
