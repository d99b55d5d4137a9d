/* Explain: what limits how often a page or a document is asked for. */
#ifndef FRESHET_EXPLAIN_LIMITS_H
#define FRESHET_EXPLAIN_LIMITS_H

#include <stdbool.h>

#include "base/buf.h"
#include "crawler/desk_show.h"

/* explain_limits_text(text, terms, is_page): "; its host is asked every 1 s;
 * fetched every 1h..90d (pages-every)".  explain_limits_json(text, terms). */
void explain_limits_text(
    struct buf *, const struct desk_terms *, bool is_page);
void explain_limits_json(struct buf *, const struct desk_terms *);

/* explain_round_text(text, round, of_pages): "6 pages at 30 s a request take
 * 3 min, and take turns". */
void explain_round_text(
    struct buf *, const struct desk_round *, bool of_pages);

#endif
