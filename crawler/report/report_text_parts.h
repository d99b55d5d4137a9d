/* What the parts of the report for people share. */
#ifndef FRESHET_REPORT_TEXT_PARTS_H
#define FRESHET_REPORT_TEXT_PARTS_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/out.h"
#include "crawler/report/report.h"

#define TEXT_COLUMNS 80

struct text_report {
	const struct report *report;
	struct out *out;
	struct buf cell; /* one cell before it is padded */
	size_t from, to; /* the documents of one origin */
	/* that origin, which their URLs are printed without */
	struct slice home;
	/* widths in the table at hand */
	size_t name_columns, count_columns, newest_columns;
};

/* text_wrapped(text, value, indent): print a foreign value, made visible, on up
 * to three lines, of which the first is begun; lines are cut between words,
 * long words in their middle. Uses the cell. */
void text_wrapped(struct text_report *, struct slice value, size_t indent);

void text_spaces(struct buf *, size_t n);

/* text_words(text, words, severity): print freshet's own words in the colour of
 * a severity. */
void text_words(struct text_report *, const char *words, enum severity);

void text_end_line(struct text_report *);

#endif
