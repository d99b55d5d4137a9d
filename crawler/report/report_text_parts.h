/* What the parts of a textual report share. */
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
	size_t from, to; /* the documents of one origin, */
	struct slice home; /* which they are shown without */
	/* of the table at hand */
	size_t name_columns, count_columns, newest_columns;
};

/*
 * text_wrapped(text, value, indent): foreign value, harmless, on up to three
 * lines, of which the first is begun: cut between words, and long words in
 * their middle.  Uses the cell.
 */
void text_wrapped(struct text_report *, struct slice value, size_t indent);

void text_spaces(struct buf *, size_t n);

/* text_words(text, words, severity): our own words, in its colour. */
void text_words(struct text_report *, const char *words, enum severity);

void text_end_line(struct text_report *);

#endif
