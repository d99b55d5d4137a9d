/* What the formats of a report share: words, sentences, and which documents and
 * pages a list shows. */
#ifndef FRESHET_REPORT_PHRASES_H
#define FRESHET_REPORT_PHRASES_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/report/report.h"

/* By enum report_status, in the words of Search Console; and by enum
 * document_kind. */
extern const char *const report_status_names[];
extern const char *const report_kind_titles[];

/* report_put_age(out, date, now_s): append "2 h ago", "today", "2026-11-20" or
 * "-"; "2026-11-20 UTC" if the site, with its time zone, may have written the
 * day before or after. */
void report_put_age(struct buf *, const struct date *, int64_t now_s);

/* report_is_near_limit(document): whether its bytes come near their limit, so
 * that both are shown to the byte. */
bool report_is_near_limit(const struct report_document *);

/* report_put_bytes(out, document, is_limit): append its size, "7.1 MB"; next to
 * the limit "52,428,799 bytes", and "over 52,428,800 bytes" if it is over the
 * limit, where reading stops. is_limit: its limit, in the same unit. */
void report_put_bytes(
    struct buf *, const struct report_document *, bool is_limit);

/* report_put_size(out, document): append "50,003 URLs (limit 50,000), 7.1 MB
 * (limit 52.4 MB)"; for a robots.txt the bytes alone. */
void report_put_size(struct buf *, const struct report_document *);

/* report_put_line(out, sample): append " line 9, entry 3 (new)", or less, or
 * nothing. */
void report_put_line(struct buf *, const struct report_sample *);

/* report_annotated(report, document, *line): the document whose file people
 * must mend: of one that was not read, its index, with the line that lists it
 * (0: not known); else the document itself, and *line stays as it is. */
const struct report_document *report_annotated(
    const struct report *, const struct report_document *, uint32_t *line);

/* report_title(report, i): the i-th target for a heading: the URL at which a
 * folder or file will be, else as it was typed; hostile. */
const char *report_title(const struct report *, size_t i);

/* report_put_verdict(out, report): append "3 of 14 sitemaps need attention". */
void report_put_verdict(struct buf *, const struct report *);

/* report_put_run(out, report): append "read 2026-11-20T10:11:12Z in 0.3 s,
 * judged by profile google", the agents if there are several, and what was not
 * done. */
void report_put_run(struct buf *, const struct report *);

/* report_put_uncompared(out, report): append "only the first 9 of 12 URLs were
 * compared with robots.txt"; nothing if all were. */
void report_put_uncompared(struct buf *, const struct report *);

/* report_put_accepted(out, report): append "3 new findings, 12 known, 2 gone; 4
 * ignored"; nothing if nothing is accepted. */
void report_put_accepted(struct buf *, const struct report *);

/* report_put_asides(out, report): append "nothing to do: directory-waived, 35
 * times". Returns false, and appends nothing, if there is no such finding. */
bool report_put_asides(struct buf *, const struct report *);

/* report_put_generators(out, report): append "made by MkDocs, known by ...
 * ('freshet help MkDocs' says more)". Returns false, and appends nothing, if no
 * generator is known. */
bool report_put_generators(struct buf *, const struct report *);

/* report_remedy(report, finding): what to do, in printable ASCII. If a site was
 * asked over http and lists https URLs only, that is to check the https site;
 * else it is the remedy of the code, and for dates the switch of the generator.
 * The text comes by value, for one print (human.h). */
struct report_remedy {
	char text[768]; /* a host has 255 bytes; a remedy, a switch 250 */
};
struct report_remedy report_remedy(
    const struct report *, const struct report_finding *);

/* Listed pages. */

/* report_page_note(page, i, *says, *what): the i-th remark that has no column:
 * freshet's words, then hostile ones. Returns false past the last. */
bool report_page_note(
    const struct report_page *, size_t i, const char **says, const char **what);

/* Lists of documents and of pages. */

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
