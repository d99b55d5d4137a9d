/* Columns, colours and cuts of the report for people. */
#include "crawler/report/report_text_parts.h"

#include <string.h>

#include "base/vis.h"

void
text_spaces(struct buf *out, size_t n)
{
	while (n-- > 0)
		(void)buf_put_char(out, ' ');
}

size_t
text_middle(struct text_report *text, struct slice value, size_t columns)
{
	return vis_put_middle(
	    &text->out->text, value, text->is_cut ? columns : SIZE_MAX);
}

#define NAME_LEAST 12

void
text_names(struct text_report *text, size_t rest)
{
	if (text->is_cut && text->name_columns + rest > text->columns)
		text->name_columns = rest + NAME_LEAST > text->columns
		    ? NAME_LEAST
		    : text->columns - rest;
}

void
text_sentence(struct text_report *text, const char *first, const char *words)
{
	out_wrapped_to(&text->out->text, first, words,
	    text->columns < TEXT_COLUMNS ? text->columns : TEXT_COLUMNS);
}

void
text_wrapped(struct text_report *text, struct slice value, size_t indent)
{
	struct buf *out = &text->out->text;
	size_t column = indent, lines = 1;

	while (value.len > 0) {
		const char *space = memchr(value.p, ' ', value.len);
		struct slice word = slice_make(value.p,
		    space == NULL ? value.len : (size_t)(space - value.p));
		size_t columns;

		buf_clear(&text->cell);
		vis_put(&text->cell, word, SIZE_MAX);
		columns = slice_chars(buf_text(&text->cell));
		if (column > indent && column + 1 + columns > text->columns) {
			if (lines++ == 3 && text->is_cut) {
				(void)buf_put(out, "...", 3);
				return;
			}
			text_end_line(text);
			text_spaces(out, indent);
			column = indent;
		} else if (column > indent) {
			(void)buf_put_char(out, ' ');
			column++;
		}
		column += text_middle(text, word, text->columns - indent);
		value = slice_from(
		    value, word.len < value.len ? word.len + 1 : word.len);
	}
}

void
text_words(struct text_report *text, const char *words, enum severity severity)
{
	if (severity != SEVERITY_NONE)
		out_severity(text->out, severity);
	(void)buf_put_slice(&text->out->text, slice_of(words));
	if (severity != SEVERITY_NONE)
		out_severity(text->out, SEVERITY_NONE);
}

void
text_end_line(struct text_report *text)
{
	(void)buf_put_char(&text->out->text, '\n');
	(void)out_line(text->out);
}

void
text_line(struct text_report *text)
{
	out_sentence(text->out,
	    &(struct out_sentence){"", 2, buf_text(&text->cell), SIZE_MAX});
	(void)out_line(text->out);
}

void
text_end_rows(struct text_report *text, struct report_rows *rows)
{
	struct buf *out = &text->out->text;

	if (rows->hidden > 0) {
		(void)buf_print(out, "  ... and ");
		report_put_hidden(out, rows);
		(void)buf_print(out, ", which -f json or html lists\n");
	}
	report_rows_release(rows);
}
