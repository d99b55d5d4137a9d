/* Which documents of a report a list shows. */
#include "crawler/report_rows.h"

#include "crawler/report_facts.h"

bool
report_is_under(const struct report *report, size_t i, uint32_t head)
{
	const struct report_document *document = &report->documents[i];
	uint32_t parent = document->parent;

	if (head == REPORT_ALL)
		return true;
	if (document->kind == KIND_ROBOTS || report_leads_nowhere(document))
		return false;
	if (head != UINT32_MAX)
		return parent == head;
	return document->kind != KIND_INDEX &&
	    (parent >= report->document_count ||
		report->documents[parent].kind != KIND_INDEX);
}

static bool
is_doubtful(const struct report_document *document)
{
	return document->status != REPORT_SUCCESS || document->errors > 0 ||
	    document->warnings > 0;
}

void
report_rows_init(
    struct report_rows *rows, const struct report_list *list, uint64_t max)
{
	uint64_t doubtful = 0, all = 0;

	for (size_t i = list->from; i < list->to; i++) {
		if (!report_is_under(list->report, i, list->head))
			continue;
		all++;
		if (is_doubtful(&list->report->documents[i]))
			doubtful++;
	}
	rows->doubtful = doubtful < max ? doubtful : max;
	rows->others = all < max ? all - doubtful : max - rows->doubtful;
	rows->hidden = all < max ? 0 : all - max;
}

bool
report_rows_take(
    struct report_rows *rows, const struct report_document *document)
{
	uint64_t *left = is_doubtful(document) ? &rows->doubtful
					       : &rows->others;

	if (*left == 0)
		return false;
	--*left;
	return true;
}
