/* Which documents of a report a list shows. */
#ifndef FRESHET_REPORT_ROWS_H
#define FRESHET_REPORT_ROWS_H

#include "crawler/report.h"

/*
 * The documents that a long list shows: all when they are at most max, else
 * those with errors or warnings, then others, in their order.  under is the
 * number of their index or REPORT_ALL; rows_take asks for each document of
 * that list once.
 */
#define REPORT_ALL (UINT32_MAX - 1)

struct report_rows {
	uint64_t doubtful, others; /* still to come */
	uint64_t hidden;
};

void report_rows_init(
    struct report_rows *, const struct report *, uint32_t under, uint64_t max);
bool report_rows_take(struct report_rows *, const struct report_document *);

/*
 * report_is_under(report, i, head): does the list of index `head` show
 * document i?  UINT32_MAX: the sitemaps that no index leads to; REPORT_ALL:
 * every document.
 */
bool report_is_under(const struct report *, size_t i, uint32_t head);

#endif
