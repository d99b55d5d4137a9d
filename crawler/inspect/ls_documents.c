/* The documents of a site, as a list (freshet ls --sitemaps). */
#include "crawler/inspect/ls_documents.h"
#include "base/verdict.h"

#include <string.h>

#include "base/human.h"
#include "base/out_json.h"

#define TIME_WIDTH 20 /* 2024-06-05T10:11:12Z */

void
ls_date(struct out *out, const struct date *date, size_t width)
{
	size_t from = out->text.len;

	if (date->precision == DATE_NONE)
		(void)buf_put_char(&out->text, '-');
	else
		date_print(&out->text, date);
	out_pad(out, from, width);
}

static void
put_time(struct out *out, int64_t epoch_s, size_t width)
{
	struct date date = {.epoch_s = epoch_s,
	    .precision = epoch_s == 0 ? DATE_NONE : DATE_SECOND};

	ls_date(out, &date, width);
}

void
ls_json_date(struct buf *out, const char *key, const struct date *date)
{
	out_json_key(out, key);
	if (date->precision == DATE_NONE) {
		(void)buf_put(out, "null", 4);
		return;
	}
	(void)buf_put_char(out, '"');
	date_print(out, date);
	(void)buf_put_char(out, '"');
}

static void
json_epoch(struct buf *out, const char *key, int64_t epoch_s)
{
	struct date date = {.epoch_s = epoch_s,
	    .precision = epoch_s == 0 ? DATE_NONE : DATE_SECOND};

	ls_json_date(out, key, &date);
}

/* kind_of(row): a robots.txt is one by its name, though it was never read. */
static enum document_kind
kind_of(const struct document_row *row)
{
	return selection_is_robots(row) ? KIND_ROBOTS : row->document.kind;
}

void
ls_document_json(
    const struct document_row *row, struct slice parent, struct out *out)
{
	const struct document *document = &row->document;
	struct buf *text = &out->text;

	(void)buf_put_slice(text, slice_of("{\"v\":1"));
	out_json_word(text, "type", slice_of("document"));
	out_json_word(text, "url", slice_of(document->url));
	out_json_word(text, "site", row->site);
	out_json_word(text, "index", parent);
	out_json_word(text, "kind", slice_of(document_kind_name(kind_of(row))));
	out_json_word(text, "outcome",
	    slice_of(row->reading_id == 0 ? "" : outcome_name(row->outcome)));
	out_json_word(text, "failure", row->failure);
	out_json_number(text, "status", (uint64_t)row->status);
	out_json_key(text, "complete");
	(void)buf_put_slice(
	    text, slice_of(document->is_complete ? "true" : "false"));
	out_json_key(text, "unlisted");
	(void)buf_put_slice(
	    text, slice_of(row->is_unlisted ? "true" : "false"));
	out_json_number(text, "seen", row->seen);
	out_json_number(text, "refused", row->refused);
	out_json_number(text, "entries", document->entries);
	out_json_number(text, "listed_refused", document->refused);
	out_json_word(text, "refused_by",
	    slice_of(document->refused == 0
		    ? ""
		    : diag_name(verdict_code(document->refused_by))));
	out_json_number(text, "missed", document->missed);
	out_json_number(text, "dated", row->dated);
	ls_json_date(text, "newest", &row->newest);
	out_json_number(text, "errors", row->errors);
	out_json_number(text, "warnings", row->warnings);
	json_epoch(text, "last_read", document->last_read_s);
	json_epoch(text, "last_try", document->last_try_s);
	(void)buf_put_slice(text, slice_of("}\n"));
}

struct list {
	const struct options *options;
	struct store *store;
	struct out *out;
	struct buf status; /* of the document at hand */
	size_t status_width;
};

/* outcome_of(row): how the latest attempt ended, in one word. */
static struct slice
outcome_of(const struct document_row *row)
{
	if (row->reading_id == 0)
		return slice_of("-");
	if (row->failure.len > 0)
		return row->failure;
	if (row->is_unlisted)
		return slice_of("unlisted");
	if (!row->document.is_complete)
		return slice_of("partial");
	return slice_of(outcome_name(row->outcome));
}

/* status_of(list, row): that, and how much it lists in vain. */
static struct slice
status_of(struct list *list, const struct document_row *row)
{
	struct buf *status = &list->status;

	buf_clear(status);
	(void)buf_put_slice(status, outcome_of(row));
	if (row->document.refused > 0) {
		(void)buf_print(status, ", ");
		verdict_put_refused(
		    status, row->document.refused, row->document.refused_by);
	}
	return buf_text(status);
}

/* put_coverage(out, row): how many of its entries have a lastmod. */
static void
put_coverage(struct out *out, const struct document_row *row)
{
	uint64_t entries = verdict_accepted(
	    row->document.entries, row->document.refused);
	uint64_t dated = row->dated < entries ? row->dated : entries;
	size_t from = out->text.len;

	if (entries == 0)
		(void)buf_put_slice(&out->text, slice_of("      -"));
	else if (dated > 0 && dated * 100 < entries)
		(void)buf_put_slice(&out->text, slice_of("  < 1 %"));
	else
		(void)buf_print(
		    &out->text, "%5u %%", (unsigned)(100 * dated / entries));
	out_pad(out, from, 9);
}

static void
put_long(struct list *list, const struct document_row *row)
{
	struct out *out = list->out;
	struct date newest = row->newest;
	size_t from = out->text.len;
	size_t status;

	/* its column is as wide as seconds are; --json has all of it */
	if (newest.precision > DATE_SECOND)
		newest.precision = DATE_SECOND;

	(void)buf_put_slice(
	    &out->text, slice_of(document_kind_name(kind_of(row))));
	out_pad(out, from, 8);
	out_grouped(out, row->document.entries, 11);
	(void)buf_put(&out->text, "  ", 2);
	put_coverage(out, row);
	ls_date(out, &newest, TIME_WIDTH);
	(void)buf_put(&out->text, "  ", 2);
	if (row->failure.len > 0)
		out_severity(out, SEVERITY_ERROR);
	status = out->text.len;
	out_text(out, status_of(list, row));
	out_pad(out, status, list->status_width);
	if (row->failure.len > 0)
		out_severity(out, SEVERITY_NONE);
	(void)buf_put(&out->text, "  ", 2);
	put_time(out, row->document.last_read_s, TIME_WIDTH);
	(void)buf_put(&out->text, "  ", 2);
	out_text(out, slice_of(row->document.url));
	(void)buf_put_char(&out->text, '\n');
}

static bool
widen(void *arg, const struct document_row *row)
{
	struct list *list = arg;
	struct slice status = status_of(list, row);

	if (selection_is_notable(row) && status.len > list->status_width)
		list->status_width = status.len;
	return true;
}

static bool
put_document(void *arg, const struct document_row *row)
{
	struct list *list = arg;
	struct document parent = {0};

	if (!selection_is_notable(row) ||
	    (selection_is_robots(row) && !list->options->is_long &&
		!list->options->is_json))
		return true;
	if (list->options->is_json) {
		if (row->first_parent_id != 0)
			(void)store_document_get(
			    list->store, row->first_parent_id, &parent);
		ls_document_json(row, slice_of(parent.url), list->out);
		document_release(&parent);
	} else if (list->options->is_long) {
		put_long(list, row);
	} else {
		out_text(list->out, slice_of(row->document.url));
		(void)buf_put_char(&list->out->text, '\n');
	}
	return out_line(list->out);
}

static void
put_heading(const struct list *list)
{
	struct out *out = list->out;
	size_t from;

	(void)buf_put_slice(&out->text,
	    slice_of("KIND        ENTRIES  LASTMOD  NEWEST                "));
	from = out->text.len;
	(void)buf_put_slice(&out->text, slice_of("STATUS"));
	out_pad(out, from, list->status_width);
	(void)buf_put_slice(
	    &out->text, slice_of("  LAST READ             DOCUMENT\n"));
}

void
ls_documents(const struct options *options, const struct selection *selection,
    struct store *store, struct out *out)
{
	struct list list = {.options = options,
	    .store = store,
	    .out = out,
	    .status_width = strlen("STATUS")};

	buf_init(&list.status, SIZE_MAX);
	if (options->is_long && !options->is_json) {
		selection_documents(selection, store, widen, &list);
		put_heading(&list);
	}
	selection_documents(selection, store, put_document, &list);
	buf_release(&list.status);
}
