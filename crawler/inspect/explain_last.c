/* What the last fetch of a page brought, or the last reading of a document. */
#include "crawler/inspect/explain_last.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "base/zone.h"
#include "store/page.h"
#include "store/query.h"

#define LOCATION_SHOWN 2048

static bool
is_lasting(enum page_outcome kind)
{
	return kind == PAGE_FAILED || kind == PAGE_GONE || kind == PAGE_MOVED;
}

/* Did the host answer, though not with the page? The frontier does not count
 * that as a failure, unless the answer asks freshet to wait. */
static bool
is_answer(enum page_outcome kind, int status)
{
	return kind == PAGE_FAILED && status >= 300 && status < 500 &&
	    status != 408 && status != 429;
}

static bool
on_outcome(void *arg, const struct outcome_row *row)
{
	struct explain_last *last = arg;
	bool is_same = !last->is_known ||
	    (row->kind == last->kind &&
		is_answer(row->kind, row->status) ==
		    is_answer(last->kind, last->status));

	last->is_compared |= row->kind == PAGE_CHANGED ||
	    row->kind == PAGE_SAME || row->kind == PAGE_NOT_MODIFIED;
	if (!last->is_known) {
		last->is_known = true;
		last->at_s = row->at_s;
		last->kind = row->kind;
		last->status = row->status;
		last->has_hash = row->has_hash;
		if (row->location.len > 0)
			last->location = slice_dup(row->location);
	}
	last->is_over |= !is_same ||
	    (last->times > 0 && !is_lasting(row->kind));
	if (!last->is_over) {
		last->times++;
		last->since_s = row->at_s;
	}
	return !last->is_over || !last->is_compared;
}

void
explain_last_ask(
    struct store *store, struct slice url, struct explain_last *last)
{
	int64_t page_id = store_page_find(store, url);

	if (page_id != 0)
		store_each_outcome_of(store, page_id, on_outcome, last);
}

void
explain_last_document(const struct document_row *row, struct explain_last *last)
{
	*last = (struct explain_last){.is_document = true,
	    .is_known = row->reading_id != 0,
	    .at_s = row->at_s,
	    .outcome = row->outcome,
	    .status = row->status,
	    .times = row->document.failures,
	    .since_s = row->document.failing_since_s};
	if (row->failure.len > 0)
		last->failure = slice_dup(row->failure);
}

void
explain_last_release(struct explain_last *last)
{
	free(last->location);
	free(last->failure);
	*last = (struct explain_last){0};
}

/* Since when the outcome has been the same. */
static void
put_lasting(const struct explain_last *last, struct buf *out)
{
	if (last->times > 1) {
		(void)buf_print(
		    out, ", %" PRIu64 " times in a row since ", last->times);
		zone_print(out, last->since_s);
	}
	if (last->location == NULL)
		return;
	(void)buf_print(out, ", to ");
	vis_put(out, slice_of(last->location), LOCATION_SHOWN);
}

void
explain_last_text(const struct explain_last *last, struct buf *out)
{
	static const char *const words[PAGE_OUTCOMES] = {
	    [PAGE_CHANGED] = "it had changed",
	    [PAGE_SAME] = "it was as before",
	    [PAGE_NOT_MODIFIED] = "it was as before",
	    [PAGE_FETCHED] = "whether it had changed was not said",
	    [PAGE_MOVED] = "it has moved",
	    [PAGE_GONE] = "it is gone",
	    [PAGE_FAILED] = "it failed"};

	if (last->is_document) {
		/* A document that did not fail needs no sentence. */
		if (last->is_known &&
		    (last->outcome == OUTCOME_FAILED ||
			last->outcome == OUTCOME_REFUSED)) {
			(void)buf_print(out, "last tried ");
			zone_print(out, last->at_s);
			(void)buf_print(out, ": %s",
			    last->failure != NULL ? last->failure
						  : "it failed");
			if (last->status != 0)
				(void)buf_print(
				    out, ", status %d", last->status);
			if (last->times > 1)
				put_lasting(last, out);
		}
		return;
	}
	if (!last->is_known)
		return;
	(void)buf_print(out, "last tried ");
	zone_print(out, last->at_s);
	(void)buf_print(out, ": ");
	if (last->status == 0)
		(void)buf_print(out, "no answer");
	else
		(void)buf_print(out, "status %d", last->status);
	if (last->kind == PAGE_FETCHED && last->has_hash)
		(void)buf_print(out, ", and no text before to compare it with");
	else if (is_answer(last->kind, last->status))
		(void)buf_print(out, ", an answer without the page");
	else
		(void)buf_print(out, ", %s", words[last->kind]);
	if (is_lasting(last->kind))
		put_lasting(last, out);
}

static const char *
name_of(const struct explain_last *last)
{
	if (!last->is_known)
		return NULL;
	return last->is_document ? outcome_name(last->outcome)
				 : page_outcome_name(last->kind);
}

void
explain_last_json(struct buf *text, const struct explain_last *last)
{
	out_json_time(text, "last_tried", last->is_known ? last->at_s : 0);
	out_json_string(text, "last_outcome", name_of(last));
	out_json_string(text, "last_failure", last->failure);
	out_json_number(text, "last_status", (uint64_t)last->status);
	out_json_number(text, "last_times", last->times);
	out_json_time(text, "last_since", last->is_known ? last->since_s : 0);
	out_json_string(text, "last_location", last->location);
}
