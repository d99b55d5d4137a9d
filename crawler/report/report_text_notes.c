/* What the row of a document in a report for people has no place for. */
#include "base/human.h"
#include "crawler/report/report_parts.h"
#include "crawler/report/report_text_parts.h"

#define FULL_PERCENT 90 /* of a limit, from where it is worth a word */

/* fullest_percent(document): of the limit that it is nearest to. */
static unsigned
fullest_percent(const struct report_document *document)
{
	unsigned entries = 0, bytes = 0;

	if (document->max_entries > 0)
		entries = report_percent(document->seen, document->max_entries);
	if (document->max_bytes > 0)
		bytes = report_percent(
		    document->decoded_bytes, document->max_bytes);
	return entries > bytes ? entries : bytes;
}

/* is_cut(document): something was read, but not all. */
static bool
is_cut(const struct report_document *document)
{
	return document->status != REPORT_NOT_FETCHED &&
	    !document->is_complete && document->seen > 0;
}

/* put_note(text, column, words): the next of some notes, on a new line where
 * it does not fit.  Returns the column behind it. */
static size_t
put_note(struct text *text, size_t column, struct slice words)
{
	struct buf *out = &text->out->text;

	if (column == 0) {
		text_spaces(out, 6);
		column = 6;
	} else if (column + 2 + words.len + 1 > TEXT_COLUMNS) {
		(void)buf_put(out, ",\n      ", 8);
		column = 6;
	} else {
		(void)buf_put(out, ", ", 2);
		column += 2;
	}
	(void)buf_put_slice(out, words);
	return column + words.len;
}

/* put_kept(text, document, column): of how many its share of dates is, where
 * its row counts others, too.  Returns the column behind it. */
static size_t
put_kept(
    struct text *text, const struct report_document *document, size_t column)
{
	if (!report_has_others(document))
		return column;
	buf_clear(&text->cell);
	(void)buf_print(&text->cell, "lastmod of ");
	human_count(&text->cell, document->entries);
	(void)buf_print(&text->cell, " kept");
	return put_note(text, column, buf_text(&text->cell));
}

void
text_notes(
    struct text *text, const struct report_document *document, bool has_size)
{
	unsigned percent = fullest_percent(document);
	size_t column = 0;

	for (size_t i = 0; i < document->finding_count; i++) {
		const struct report_finding *finding = &document->findings[i];

		if (finding->severity < SEVERITY_WARNING)
			continue;
		buf_clear(&text->cell);
		(void)buf_print(&text->cell, "%s", diag_name(finding->code));
		if (finding->count > 1) {
			(void)buf_put(&text->cell, " x ", 3);
			human_count(&text->cell, finding->count);
		}
		column = put_note(text, column, buf_text(&text->cell));
	}
	if (!has_size)
		column = put_kept(text, document, column);
	if (is_cut(document))
		column = put_note(
		    text, column, slice_of("not read to the end"));
	if (percent >= FULL_PERCENT && !has_size) {
		buf_clear(&text->cell);
		report_put_size(&text->cell, document);
		column = put_note(text, column, buf_text(&text->cell));
	}
	if (column > 0)
		text_end_line(text);
}
