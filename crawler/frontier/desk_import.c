/* What another crawler knows of pages: see desk_import.h. */
#include "crawler/frontier/desk_import.h"

#include "crawler/frontier/desk_documents.h"
#include "crawler/frontier/desk_lease.h"
#include "crawler/frontier/desk_parts.h"
#include "sched/scheduler_tell.h"

/* Its document may be one that the import made. */
static void
add(struct desk *desk, int64_t id)
{
	struct page_row row;
	uint32_t document;

	if (!store_page_get(desk->options.store, id, &row))
		return;
	document = document_find(desk, row.document_id);
	if (document == NONE || page_promote(desk, &row, false) == NONE)
		return;
	if (desk->documents[document].listed > 0)
		document_left(desk, document);
}

/* A fetch that is later than what was known of it.  One that failed once says
 * nothing of its host now; whoever has the page now will say more. */
static void
tell(struct desk *desk, uint32_t number, const struct import_line *line,
    enum page_outcome outcome)
{
	struct scheduler_outcome told = {
	    .now_s = line->fetched_s, .kind = page_told_kind(outcome)};

	if (outcome == PAGE_FAILED ||
	    (desk->pages[number].flags & PAGE_LEASED) != 0)
		return;
	shelf_drop(desk, number);
	scheduler_outcome(desk->scheduler, number, &told);
	page_taught(desk, number, url_text(&line->url));
}

void
desk_import(struct desk *desk, struct importer *importer,
    const struct import_row *row, int64_t now_s)
{
	const struct import_line *line = &row->line;
	struct import_taken taken;
	uint32_t number;

	desk_expire(desk, now_s);
	taken = import_page(importer, line, row->listed);
	if (taken.is_new && taken.id != 0)
		add(desk, taken.id);
	number = taken.is_new ? NONE : page_by_id(desk, taken.id);
	if (number == NONE)
		return;
	if (line->has_weight)
		scheduler_weigh(desk->scheduler, number, (float)line->weight);
	if (taken.outcome != PAGE_OUTCOMES)
		tell(desk, number, line, taken.outcome);
}
