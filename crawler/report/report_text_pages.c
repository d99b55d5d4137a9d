/* The listed pages of a report for people. */
#include <string.h>

#include "base/vis.h"
#include "crawler/report/report_page_parts.h"
#include "crawler/report/report_rows.h"
#include "crawler/report/report_text_parts.h"

#define ROWS 40
#define STATUS_COLUMNS 17 /* "301 to disallowed" */
#define INDEX_COLUMNS 7 /* "noindex" */
#define CANONICAL_COLUMNS 9 /* the heading */
#define REST_COLUMNS \
	(2 + 2 + STATUS_COLUMNS + 2 + INDEX_COLUMNS + 2 + CANONICAL_COLUMNS)

static void
measure(struct text *text, const struct report_rows *rows)
{
	const struct report *report = text->report;

	text->name_columns = strlen("PAGE");
	for (size_t i = 0; i < rows->count; i++) {
		size_t name;

		buf_clear(&text->cell);
		vis_put(&text->cell,
		    report_page_path(report, &report->pages[rows->items[i]]),
		    SIZE_MAX);
		name = vis_columns(buf_text(&text->cell));
		if (name > text->name_columns)
			text->name_columns = name;
	}
	if (text->name_columns + REST_COLUMNS > TEXT_COLUMNS)
		text->name_columns = TEXT_COLUMNS - REST_COLUMNS;
}

static void
put_row(struct text *text, const struct report_page *page)
{
	struct buf *out = &text->out->text;
	const char *says, *what;
	size_t used;

	(void)buf_put(out, "  ", 2);
	used = vis_put_middle(&text->out->text,
	    report_page_path(text->report, page), text->name_columns);
	text_spaces(out, text->name_columns - used + 2);
	buf_clear(&text->cell);
	report_put_page_status(&text->cell, page);
	text_words(text, buf_str(&text->cell), page->severity);
	used = text->cell.len;
	text_spaces(out, STATUS_COLUMNS - used + 2);
	(void)buf_print(out, "%-*s  %s", INDEX_COLUMNS, report_page_index(page),
	    report_page_canonical(page));
	text_end_line(text);
	for (size_t i = 0; report_page_note(page, i, &says, &what); i++) {
		text_spaces(out, 6);
		(void)buf_print(out, "%s", says);
		(void)vis_put_middle(&text->out->text, slice_of(what),
		    TEXT_COLUMNS - 6 - strlen(says));
		text_end_line(text);
	}
}

void
text_pages(struct text *text)
{
	const struct report *report = text->report;
	struct buf *out = &text->out->text;
	struct report_rows rows;

	if (report->page_count == 0)
		return;
	report_page_rows_init(&rows, report, ROWS);
	report_put_pages_verdict(out, report);
	text_end_line(text);
	measure(text, &rows);
	(void)buf_print(out, "  %-*s  %-*s  %-*s  CANONICAL\n",
	    (int)text->name_columns, "PAGE", STATUS_COLUMNS, "STATUS",
	    INDEX_COLUMNS, "INDEX");
	for (size_t i = 0; i < rows.count; i++)
		put_row(text, &report->pages[rows.items[i]]);
	if (rows.hidden > 0) {
		(void)buf_print(out, "  ... and ");
		report_put_hidden(out, &rows);
		(void)buf_print(out, ", which -f json or html lists\n");
	}
	report_rows_release(&rows);
}
