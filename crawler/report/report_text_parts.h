/* What the parts of the report for people share. */
#ifndef FRESHET_REPORT_TEXT_PARTS_H
#define FRESHET_REPORT_TEXT_PARTS_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/out.h"
#include "crawler/report/report.h"
#include "crawler/report/report_rows.h"

#define TEXT_COLUMNS 80 /* of sentences, at most */

struct text_report {
	const struct report *report;
	struct out *out;
	struct buf cell; /* one cell before it is padded */
	/* The width of the page: that of the terminal. In a file or a pipe
	 * lines are wrapped at TEXT_COLUMNS, and no text is cut. */
	size_t columns;
	bool is_cut;
	size_t from, to; /* the documents of one origin */
	/* that origin, which their URLs are printed without */
	struct slice home;
	/* widths in the table at hand */
	size_t name_columns, count_columns, newest_columns;
};

/* text_wrapped(text, value, indent): print a foreign value, made visible, on
 * lines of which the first is begun; lines are cut between words. On a terminal
 * there are three at most, and long words are cut in their middle. Uses the
 * cell. */
void text_wrapped(struct text_report *, struct slice value, size_t indent);

/* text_middle(text, value, columns): print a foreign value. On a terminal its
 * middle is cut out if it is longer. Returns the number of columns. */
size_t text_middle(struct text_report *, struct slice value, size_t columns);

/* text_names(text, rest): limit name_columns on a terminal, in a table whose
 * other columns take `rest`. */
void text_names(struct text_report *, size_t rest);

/* text_sentence(text, first, words): like out_wrapped(), in the page's width,
 * TEXT_COLUMNS at most. */
void text_sentence(struct text_report *, const char *first, const char *words);

/* text_line(text): print the cell as a line, which is broken only where it does
 * not fit a terminal. */
void text_line(struct text_report *);

void text_spaces(struct buf *, size_t n);

/* text_words(text, words, severity): print freshet's own words in the colour of
 * a severity. */
void text_words(struct text_report *, const char *words, enum severity);

void text_end_line(struct text_report *);

/* text_end_rows(text, rows): say how many rows a table does not show, and
 * release the rows. */
void text_end_rows(struct text_report *, struct report_rows *);

#endif
