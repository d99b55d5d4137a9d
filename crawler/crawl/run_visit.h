/* The driver: from the frontier to the answer, see run_internal.h. */
#ifndef FRESHET_RUN_VISIT_H
#define FRESHET_RUN_VISIT_H

#include "crawler/crawl/run_tables.h"

/* run_visit.c: from the frontier to the answer */
void visit_begin(struct run *, uint32_t visit);
void visit_fetch(struct run *, uint32_t visit);
bool visit_is_file(const struct run *, const struct url *);
void visit_queue(struct run *, uint32_t visit);
void visit_rest(struct run *, uint32_t visit);
void visit_put_back(struct run *, uint32_t visit, uint32_t host);
void visit_give_up(
    struct run *, uint32_t visit, enum diag_code, struct slice text);
void visit_finish(struct run *, uint32_t visit);
struct journey *visit_journey(struct run *, uint32_t visit);
void visit_drop_spool(struct journey *);

/* run_hop.c: false: nothing was done, the answer stands */
bool visit_redirect(struct run *, uint32_t visit, const struct fetch_result *);
bool visit_retry(struct run *, uint32_t visit, const struct fetch_result *);

#endif
