/* What the formats of a report share. */
#ifndef FRESHET_REPORT_PARTS_H
#define FRESHET_REPORT_PARTS_H

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
 * compared with robots.txt"; nothing, and false, when all were that could be.
 */
bool report_put_uncompared(struct buf *, const struct report *);

#endif
