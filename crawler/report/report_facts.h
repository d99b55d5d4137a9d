/* What follows from the values of a report. */
#ifndef FRESHET_REPORT_FACTS_H
#define FRESHET_REPORT_FACTS_H

#include "base/slice.h"
#include "crawler/report/report.h"

/* report_origin(url): the front "https://host:port" of a URL; empty for a
 * file. */
struct slice report_origin(struct slice url);

/* report_home(report): the value of report.home. */
struct slice report_home(const struct report *);

/* report_path(home, document): the document's URL, without the origin if that
 * is home; borrowed, hostile. */
struct slice report_path(struct slice home, const struct report_document *);

/* report_leads_nowhere(document): whether it is a target for which no sitemap
 * was found. report_is_absent(document): whether it is a robots.txt that does
 * not exist, which is no fault. */
bool report_leads_nowhere(const struct report_document *);
bool report_is_absent(const struct report_document *);

/* report_file(document): where the bytes are: the path of a file that is not
 * published yet, else the URL; hostile. */
const char *report_file(const struct report_document *);

/* report_has_others(document): whether more entries were read than kept; its
 * share of dates is a share of the kept ones. */
bool report_has_others(const struct report_document *);

/* report_is_too_large(document): whether it is over its limit of bytes, so that
 * its size is not known. */
bool report_is_too_large(const struct report_document *);

/* report_is_bad(report): whether the verdict says that something is wrong. */
bool report_is_bad(const struct report *);

/* report_is_unconfined(report): whether the readers are known to have had no
 * sandbox. */
bool report_is_unconfined(const struct report *);

/* report_is_aside(report, finding): whether the finding only says which rule
 * took an entry, so that the owner has nothing to do. Where remarks fail the
 * check (--fail-on info), no finding is such a one. */
bool report_is_aside(const struct report *, const struct report_finding *);

/* report_has_faults(report): is there a group of findings that is not aside? */
bool report_has_faults(const struct report *);

/* report_sample_document(report, sample): NULL: the sample has none. */
const struct report_document *report_sample_document(
    const struct report *, const struct report_sample *);

/* report_percent(part, whole): 100 only for the whole, 0 only for nothing. */
unsigned report_percent(uint64_t part, uint64_t whole);

#endif
