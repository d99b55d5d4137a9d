/* The driver: what a run begins with, see run_internal.h. */
#ifndef FRESHET_RUN_SEED_H
#define FRESHET_RUN_SEED_H

#include "crawler/run_tables.h"

/* run_seed.c: targets, robots.txt and what follows from it */
void seed_start(struct run *);
void seed_documents(struct run *); /* all targets' robots.txt are known */
uint32_t seed_document(struct run *, uint32_t site, struct slice url,
    int64_t document_id, enum frontier_class);
bool seed_probe(struct run *, uint32_t origin); /* false: none is left */

/* run_robots.c */
void robots_ask(struct run *, uint32_t origin);
void robots_conditions(struct run *, uint32_t visit, const struct document *,
    struct fetch_request *);
void robots_skip(struct run *, uint32_t visit);
void robots_answered(struct run *, uint32_t visit, const struct fetch_result *);

#endif
