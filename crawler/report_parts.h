/* What the formats of a report share. */
#ifndef FRESHET_REPORT_PARTS_H
#define FRESHET_REPORT_PARTS_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/report.h"

/* report_status_name: "success", "has errors", "couldn't fetch", as Search
 * Console says.  report_kind_title: "sitemap index", "RSS feed", …. */
const char *report_status_name(enum report_status);
const char *report_kind_title(enum document_kind);

/* report_origin(url): "https://host:port" at its front; empty for a file. */
struct slice report_origin(struct slice url);

/* report_path(report, document): its URL, without the origin where that is
 * the first document's; borrowed, hostile. */
struct slice report_path(const struct report *, const struct report_document *);

/* report_file(document): where its bytes are: of a file that is not yet
 * published its path, else its URL; hostile. */
const char *report_file(const struct report_document *);

/* report_sample_document(report, sample): NULL when there is none. */
const struct report_document *report_sample_document(
    const struct report *, const struct report_sample *);

/* report_percent(part, whole): 100 only for all, 0 only for none. */
unsigned report_percent(uint64_t part, uint64_t whole);

/* report_shape(document): the shape of its dates in words, "" when there is
 * none or a finding names it already. */
const char *report_shape(const struct report_document *);

/* report_put_xml(out, text): for XML and HTML, in text and in quotes;
 * controls and what is no UTF-8 as \xNN. */
void report_put_xml(struct buf *, struct slice text);

/* report_put_age(out, date, now_s): "2 h ago", "today", "2026-11-20", "-". */
void report_put_age(struct buf *, const struct date *, int64_t now_s);

/* report_put_size(out, document): "50,003 of 50,000 URLs, 7.1 MB of 52.4 MB";
 * of a robots.txt the bytes alone. */
void report_put_size(struct buf *, const struct report_document *);

/* report_put_verdict(out, report): "3 of 14 sitemaps need attention". */
void report_put_verdict(struct buf *, const struct report *);

#endif
