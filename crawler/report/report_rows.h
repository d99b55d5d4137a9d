/* Which documents, and pages, of a report a list shows: the worst first. */
#ifndef FRESHET_REPORT_ROWS_H
#define FRESHET_REPORT_ROWS_H

#include "base/buf.h"
#include "crawler/report/report.h"

#define REPORT_ALL (UINT32_MAX - 1)

/* Documents from `from` to before `to` that are under head: the number of
 * their index, UINT32_MAX or REPORT_ALL, as report_is_under says. */
struct report_list {
	const struct report *report;
	size_t from, to;
	uint32_t head;
};

/* What a list shows, and of how much it says no more than that it is there. */
struct report_rows {
	uint32_t *items; /* owned: numbers of documents, or of pages */
	size_t count;
	uint64_t hidden;
	uint64_t errors, lost, bad; /* of these: documents with errors, that
				     * could not be fetched; pages with anything
				     * wrong */
};

/*
 * report_rows_init(rows, list, max): the worst of a list, max at most: errors,
 * what could not be fetched, warnings, remarks, and then all others.  The worst
 * stand first, each below its index, where robots.txt and indexes keep their
 * places.  report_page_rows_init: of all pages.  report_rows_release.
 */
void report_rows_init(
    struct report_rows *, const struct report_list *, uint64_t max);
void report_page_rows_init(
    struct report_rows *, const struct report *, uint64_t max);
void report_rows_release(struct report_rows *);

/* report_put_hidden(out, rows): "13 more (2 have errors)". */
void report_put_hidden(struct buf *, const struct report_rows *);

/*
 * report_is_under(report, i, head): does the list of index `head` show
 * document i?  UINT32_MAX: the sitemaps that no index leads to; REPORT_ALL:
 * every document.
 */
bool report_is_under(const struct report *, size_t i, uint32_t head);

#endif
