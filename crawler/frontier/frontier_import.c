/* What another crawler knows of pages: see frontier_import.h. */
#include "crawler/frontier/frontier_import.h"

#include "crawler/frontier/frontier_documents.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/scheduler_events.h"

/* Its document may be one that the import made. */
static void
add(struct frontier *frontier, int64_t id)
{
	struct page_row row;
	uint32_t document;

	if (!store_page_get(frontier->options.store, id, &row))
		return;
	document = document_find(frontier, row.document_id);
	if (document == NONE || page_promote(frontier, &row, false) == NONE)
		return;
	if (frontier->documents[document].listed > 0)
		document_left(frontier, document);
}

/* A fetch that is later than what was known of it.  One that failed once says
 * nothing of its host now; whoever has the page now will say more. */
static void
tell(struct frontier *frontier, uint32_t number, const struct import_line *line,
    enum page_outcome outcome)
{
	struct scheduler_outcome told = {
	    .now_s = line->fetched_s, .kind = page_told_kind(outcome)};

	if (outcome == PAGE_FAILED ||
	    (frontier->pages[number].flags & PAGE_LEASED) != 0)
		return;
	shelf_drop(frontier, number);
	scheduler_outcome(frontier->scheduler, number, &told);
	page_taught(frontier, number, url_text(&line->url));
}

void
frontier_import(struct frontier *frontier, struct importer *importer,
    const struct import_row *row, int64_t now_s)
{
	const struct import_line *line = &row->line;
	struct import_taken taken;
	uint32_t number;

	frontier_expire(frontier, now_s);
	taken = import_page(importer, line, row->listed);
	if (taken.is_new && taken.id != 0)
		add(frontier, taken.id);
	number = taken.is_new ? NONE : page_by_id(frontier, taken.id);
	if (number == NONE)
		return;
	if (line->has_weight)
		scheduler_weigh(
		    frontier->scheduler, number, (float)line->weight);
	if (taken.outcome != PAGE_OUTCOMES)
		tell(frontier, number, line, taken.outcome);
}
