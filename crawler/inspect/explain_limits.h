/* What limits how often a page or a document is asked for. */
#ifndef FRESHET_EXPLAIN_LIMITS_H
#define FRESHET_EXPLAIN_LIMITS_H

#include <stdbool.h>

#include "base/buf.h"
#include "crawler/frontier/frontier_show.h"

struct explain_due;

/* Append "; its host is asked every 1 s; budgets 500/h of its site; fetched
 * every 1h..90d (pages-every)", as text and as members of an object. */
void explain_limits_text(struct buf *, const struct explain_due *);
void explain_limits_json(struct buf *, const struct explain_due *);

/* explain_limits_budget(due, of, tag, per_hour): a frontier_budget_fn: add a
 * budget. explain_limits_release(due): free the budgets. */
void explain_limits_budget(
    void *due, const char *of, struct slice tag, double per_hour);
void explain_limits_release(struct explain_due *);

/* explain_round_text(text, round, of_pages): append "6 pages at 30 s a request
 * take 3 min, and take turns". */
void explain_round_text(
    struct buf *, const struct frontier_round *, bool of_pages);

#endif
