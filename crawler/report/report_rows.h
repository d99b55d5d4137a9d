/* Which documents and pages a list shows: the worst first. */
#ifndef FRESHET_REPORT_ROWS_H
#define FRESHET_REPORT_ROWS_H

#include "base/buf.h"
#include "crawler/report/report.h"

#define REPORT_ALL (UINT32_MAX - 1)

/* The documents from `from` to before `to` that are under `head`: the number of
 * their index, UINT32_MAX or REPORT_ALL; see report_is_under(). */
struct report_list {
	const struct report *report;
	size_t from, to;
	uint32_t head;
};

/* The rows that a list shows, and the number of those it does not show. */
struct report_rows {
	uint32_t *items; /* owned: numbers of documents, or of pages */
	size_t count;
	uint64_t hidden;
	/* of the hidden: documents with errors; documents that could not be
	 * fetched; pages with faults */
	uint64_t errors, lost, bad;
};

/* report_rows_init(rows, list, max): choose the worst rows of a list, at most
 * max: errors, documents that could not be fetched, warnings, remarks, then
 * others. The worst come first, each below its index; robots.txt and indexes
 * keep their places. */
void report_rows_init(
    struct report_rows *, const struct report_list *, uint64_t max);

/* A table of pages, as text, HTML and Markdown have it: what was found at the
 * listed pages that were fetched; or, if several agents were judged, which of
 * them may fetch what (is_closed). */
struct report_table {
	const struct report *report;
	bool is_closed;
	const char *id, *title;
	struct report_rows rows; /* owned; without items if is_closed */
	size_t columns; /* behind that of the page */
	const char *heads[REPORT_AGENTS_MAX];
};

/* report_table_drop_well(table): leave out pages without a fault that were read
 * to their end: the sentence above counts them. False: no row is left, and the
 * rows are freed. */
bool report_table_drop_well(struct report_table *);

struct report_table_row {
	const char *url;
	struct slice path; /* the URL, without the origin of the report */
	/* it has codes and notes beside the columns; NULL: not */
	const struct report_page *page;
	const char *cells[REPORT_AGENTS_MAX];
	char status[32]; /* the first of the cells */
};

/*
 * report_table_init(table, report, is_closed, max): choose the worst pages, at
 * most max.  Returns false if there is no such table; else the caller frees
 * its rows.
 * report_table_verdict(out, table): append the sentence above the table.
 * report_table_row(table, i, row): fill in the i-th row.
 */
bool report_table_init(
    struct report_table *, const struct report *, bool is_closed, uint64_t max);
void report_table_verdict(struct buf *, const struct report_table *);
void report_table_row(
    const struct report_table *, size_t i, struct report_table_row *);

/* report_put_hidden(out, rows, where): append "13 more (2 have errors)", and
 * where they are, if they are anywhere. */
void report_put_hidden(
    struct buf *, const struct report_rows *, const char *where);

/* report_is_under(report, i, head): whether the list of index `head` shows
 * document i. UINT32_MAX: the sitemaps without an index; REPORT_ALL: every
 * document. */
bool report_is_under(const struct report *, size_t i, uint32_t head);

#endif
