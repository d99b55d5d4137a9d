/* The listed pages of a report for people. */
#include <string.h>

#include "base/vis.h"
#include "crawler/human.h"
#include "crawler/report_page_parts.h"
#include "crawler/report_text_parts.h"

#define ROWS 40
#define STATUS_COLUMNS 17 /* "301 to disallowed" */
#define INDEX_COLUMNS 7 /* "noindex" */
#define CANONICAL_COLUMNS 9 /* the heading */
#define REST_COLUMNS \
	(2 + 2 + STATUS_COLUMNS + 2 + INDEX_COLUMNS + 2 + CANONICAL_COLUMNS)

static bool
is_bad(const struct report_page *page)
{
	return page->code_count > 0;
}

/* choose(report, *bad, *good): how many of each are shown. */
static void
choose(const struct report *report, size_t *bad, size_t *good)
{
	*bad = *good = 0;
	for (size_t i = 0; i < report->page_count; i++)
		++*(is_bad(&report->pages[i]) ? bad : good);
	if (*bad > ROWS)
		*bad = ROWS;
	if (*good > ROWS - *bad)
		*good = ROWS - *bad;
}

static void
measure(struct text *text)
{
	const struct report *report = text->report;

	text->name_columns = strlen("PAGE");
	for (size_t i = 0; i < report->page_count; i++) {
		size_t name;

		buf_clear(&text->cell);
		vis_put(&text->cell,
		    report_page_path(report, &report->pages[i]), SIZE_MAX);
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
	size_t bad, good, hidden;

	if (report->page_count == 0)
		return;
	choose(report, &bad, &good);
	hidden = report->page_count - bad - good;
	report_put_pages_verdict(out, report);
	text_end_line(text);
	measure(text);
	(void)buf_print(out, "  %-*s  %-*s  %-*s  CANONICAL\n",
	    (int)text->name_columns, "PAGE", STATUS_COLUMNS, "STATUS",
	    INDEX_COLUMNS, "INDEX");
	for (size_t i = 0; i < report->page_count; i++) {
		size_t *left = is_bad(&report->pages[i]) ? &bad : &good;

		if (*left == 0)
			continue;
		--*left;
		put_row(text, &report->pages[i]);
	}
	if (hidden > 0) {
		(void)buf_print(out, "  ... and ");
		human_count(out, hidden);
		(void)buf_print(out, " more, which -f json or html lists\n");
	}
}
