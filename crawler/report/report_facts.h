/* What follows from the values of a report. */
#ifndef FRESHET_REPORT_FACTS_H
#define FRESHET_REPORT_FACTS_H

#include "base/slice.h"
#include "crawler/report/report.h"

/* report_origin(url): "https://host:port" at its front; empty for a file. */
struct slice report_origin(struct slice url);

/* report_home(report): what report.home is. */
struct slice report_home(const struct report *);

/* report_path(home, document): its URL, without the origin where that is
 * home; borrowed, hostile. */
struct slice report_path(struct slice home, const struct report_document *);

/* report_leads_nowhere(document): a target where no sitemap was found.
 * report_is_absent: a robots.txt that is not there, which is no fault. */
bool report_leads_nowhere(const struct report_document *);
bool report_is_absent(const struct report_document *);

/* report_file(document): where its bytes are: of a file that is not yet
 * published its path, else its URL; hostile. */
const char *report_file(const struct report_document *);

/* report_has_others(document): what was read of it is more than what was kept,
 * of which its share of dates is. */
bool report_has_others(const struct report_document *);

/* report_is_bad(report): does its verdict say that something is wrong? */
bool report_is_bad(const struct report *);

/* report_is_unjailed(report): it is known that nothing held the readers. */
bool report_is_unjailed(const struct report *);

/* report_sample_document(report, sample): NULL when there is none. */
const struct report_document *report_sample_document(
    const struct report *, const struct report_sample *);

/* report_percent(part, whole): 100 only for all, 0 only for none. */
unsigned report_percent(uint64_t part, uint64_t whole);

#endif
