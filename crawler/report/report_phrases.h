/* What the formats of a report share. */
#ifndef FRESHET_REPORT_PHRASES_H
#define FRESHET_REPORT_PHRASES_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/report/report.h"
#include "crawler/report/report_facts.h"

/* report_status_name: "success", "has errors", "couldn't fetch", as Search
 * Console says.  report_kind_title: "sitemap index", "RSS feed", …. */
const char *report_status_name(enum report_status);
const char *report_kind_title(enum document_kind);

/* report_put_xml(out, text): for XML and HTML, in text and in quotes;
 * controls and what is no UTF-8 as \xNN. */
void report_put_xml(struct buf *, struct slice text);

/* report_put_age(out, date, now_s): "2 h ago", "today", "2026-11-20", "-";
 * "2026-11-20 UTC" where the site may have written the day before or after,
 * with a zone. */
void report_put_age(struct buf *, const struct date *, int64_t now_s);

/* report_put_size(out, document): "50,003 URLs (limit 50,000), 7.1 MB (limit
 * 52.4 MB)"; of a robots.txt the bytes alone. */
void report_put_size(struct buf *, const struct report_document *);

/* report_put_verdict(out, report): "3 of 14 sitemaps need attention". */
void report_put_verdict(struct buf *, const struct report *);

/* report_put_uncompared(out, report): "only the first 9 of 12 URLs were
 * compared with robots.txt"; nothing, and false, when all were that could
 * be. */
bool report_put_uncompared(struct buf *, const struct report *);

/* Listed pages in the formats of a report: what they share. */

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
