/* The results of a crawl: a closing summary for people, or JSON lines. */
#ifndef FRESHET_SUMMARY_H
#define FRESHET_SUMMARY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/profile.h"
#include "base/slice.h"
#include "crawler/crawl/run.h"
#include "store/segment/reading.h"

struct summary;

struct summary *summary_new(void);
void summary_free(struct summary *);

/* summary_document(summary, url, reading, profile): count the document, and
 * keep its findings for the summary, with the severities of the profile. */
void summary_document(struct summary *, struct slice url,
    const struct reading *, const struct profile *);

/* summary_put(out, summary, totals, spent_ms): the closing summary. */
void summary_put(struct buf *, const struct summary *,
    const struct run_totals *, int64_t spent_ms);

/* summary_json_document(out, url, reading, profile),
 * summary_json_totals(out, totals, sandbox, spent_ms, status): a line of JSON
 * with "v":1 for a document, and for the whole crawl. */
void summary_json_document(struct buf *, struct slice url,
    const struct reading *, const struct profile *);
void summary_json_totals(struct buf *, const struct run_totals *,
    const char *sandbox, int64_t spent_ms, int status);

#endif
