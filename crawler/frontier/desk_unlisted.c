/* Pages that no document listed: see desk_unlisted.h. */
#include "crawler/frontier/desk_unlisted.h"

#include "crawler/frontier/desk_parts.h"
#include "crawler/frontier/desk_told.h"
#include "store/since.h"

struct seeking {
	struct desk *desk;
	uint32_t document;
	uint32_t unlisted; /* that they belong to so far */
};

static bool
find(void *arg, const struct entry *entry)
{
	const struct seeking *seeking = arg;
	struct desk *desk = seeking->desk;
	bool is_listed = entry->missed == 0 &&
	    entry->verdict == VERDICT_ACCEPTED;
	uint32_t number = is_listed ? page_by_url(desk, entry->url) : NONE;

	if (number != NONE && desk->pages[number].document == seeking->unlisted)
		told_listed(desk, number, seeking->document, &entry->lastmod);
	return desk->documents[seeking->unlisted].promoted > 0;
}

void
unlisted_found(struct desk *desk, uint32_t document)
{
	const struct document_at *is = &desk->documents[document];
	uint32_t unlisted = desk->sites[is->site].unlisted;
	struct seeking seeking = {desk, document, unlisted - 1};

	if (unlisted == 0 || is->is_index || unlisted - 1 == document ||
	    desk->documents[unlisted - 1].promoted == 0)
		return;
	store_each_entry(desk->options.store, is->id, find, &seeking);
}
