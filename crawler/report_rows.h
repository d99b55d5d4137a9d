/* Which documents of a report a list shows. */
#ifndef FRESHET_REPORT_ROWS_H
#define FRESHET_REPORT_ROWS_H

#include "crawler/report.h"

#define REPORT_ALL (UINT32_MAX - 1)

/* Documents from `from` to before `to` that are under head: the number of
 * their index, UINT32_MAX or REPORT_ALL, as report_is_under says. */
struct report_list {
	const struct report *report;
	size_t from, to;
	uint32_t head;
};

/*
 * Those of a list that are shown: all when they are at most max, else those
 * with errors or warnings, then others, in their order.  rows_take asks for
 * each document of that list once.
 */
struct report_rows {
	uint64_t doubtful, others; /* still to come */
	uint64_t hidden;
};

void report_rows_init(
    struct report_rows *, const struct report_list *, uint64_t max);
bool report_rows_take(struct report_rows *, const struct report_document *);

/*
 * report_is_under(report, i, head): does the list of index `head` show
 * document i?  UINT32_MAX: the sitemaps that no index leads to; REPORT_ALL:
 * every document.
 */
bool report_is_under(const struct report *, size_t i, uint32_t head);

#endif
