/* What a crawl says on stdout: a closing summary, or one object a line. */
#ifndef FRESHET_SUMMARY_H
#define FRESHET_SUMMARY_H

#include <stdint.h>

#include "base/profile.h"
#include "base/slice.h"
#include "crawler/run.h"
#include "store/reading.h"

struct summary;

/* summary_new(profile): severities are those of the profile. */
struct summary *summary_new(const struct profile *);
void summary_free(struct summary *);

/* summary_document(summary, url, reading): remember what people want to hear
 * about it at the end. */
void summary_document(
    struct summary *, struct slice url, const struct reading *);

/* summary_print(summary, totals, spent_ms): for people. */
void summary_print(
    const struct summary *, const struct run_totals *, int64_t spent_ms);

/* json_document(url, reading, profile), json_summary(totals, spent_ms,
 * status): one line each, with "v":1. */
void summary_json_document(
    struct slice url, const struct reading *, const struct profile *);
void summary_json_totals(
    const struct run_totals *, int64_t spent_ms, int status);

#endif
