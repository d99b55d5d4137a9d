/* Counts of a crawl that goes on in another process. */
#ifndef FRESHET_TOTALS_H
#define FRESHET_TOTALS_H

#include "base/buf.h"
#include "crawler/crawl/run.h"
#include "crawler/event/ndjson.h"

/* totals_put(out, totals): members of an object of JSON, each after a comma.
 * totals_get: what such an object says; counts that it lacks are 0. */
void totals_put(struct buf *, const struct run_totals *);
void totals_get(const struct ndjson *, struct run_totals *);

/* totals_refused(totals, most): how many of those listed are refused, and by
 * which rule the most. */
uint64_t totals_refused(const struct run_totals *, enum verdict *most);

/*
 * totals_continue(totals, before): of a crawl that went on here after another
 * process had done `before` of it: documents that were read there are no
 * longer said to be known already.
 */
void totals_continue(struct run_totals *, const struct run_totals *before);

#endif
