/* Listed pages in the formats of a report: what they share. */
#ifndef FRESHET_REPORT_PAGE_PARTS_H
#define FRESHET_REPORT_PAGE_PARTS_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/report/report.h"

/* report_page_path(report, page): as report_path. */
struct slice report_page_path(
    const struct report *, const struct report_page *);

/* report_put_page_status(out, page): "200", "301 to 404", "disallowed",
 * "no answer". */
void report_put_page_status(struct buf *, const struct report_page *);

/* report_page_index(page): "yes", "noindex", "unknown": it may stand in the
 * part that was not looked at; "-": nobody knows.
 * report_page_canonical(page): "itself", "another", "several", "no URL",
 * "none", "-". */
const char *report_page_index(const struct report_page *);
const char *report_page_canonical(const struct report_page *);

/* report_page_note(page, i, *says, *what): what its row has no place for: the
 * i-th of them, our words and then hostile ones; false past the last. */
bool report_page_note(
    const struct report_page *, size_t i, const char **says, const char **what);

/* report_put_pages_verdict(out, report): "20 listed pages were looked at: 18
 * as they should be". */
void report_put_pages_verdict(struct buf *, const struct report *);

/* report_put_page_json(out, report, page): the members of its object. */
void report_put_page_json(
    struct buf *, const struct report *, const struct report_page *);

#endif
