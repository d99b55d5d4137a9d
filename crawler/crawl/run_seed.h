/* The driver: what a run begins with, see run_internal.h. */
#ifndef FRESHET_RUN_SEED_H
#define FRESHET_RUN_SEED_H

#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_tables.h"

/* run_seed.c: targets, robots.txt and what follows from it */

/* seed_target(run, crawl, target): begin it; false while its site is busy. */
bool seed_target(struct run *, uint32_t crawl, struct crawl_target *);
/* seed_name(run, site_id, target): the operator named it, which is not begun:
 * what its origin gets that others do not. */
void seed_name(struct run *, int64_t site_id, const struct target *);
/* seed_documents(run, crawl): the time for its documents has come. */
void seed_documents(struct run *, uint32_t crawl);
/* seed_drop(run, crawl): it sows nothing more. */
void seed_drop(struct run *, uint32_t crawl);
/* seed_origin(run, origin): sow its seeds, when the time has come. */
void seed_origin(struct run *, uint32_t origin);
/* seed_want_robots(run, origin, site): its crawl's documents wait for it. */
void seed_want_robots(struct run *, uint32_t origin, uint32_t site);
/* seed_leads_inward(run, origin, url): SPEC R-70: does a host with a name, or a
 * public address, name one that is none? */
bool seed_leads_inward(struct run *, uint32_t origin, struct slice url);
uint32_t seed_document(struct run *, uint32_t site, struct slice url,
    int64_t document_id, enum host_queue_class);
/* false: none is left */
bool seed_probe(struct run *, uint32_t origin, uint32_t site);
/* seed_next(run, visit): nothing is at that default location: the next one,
 * of a target that ends in a slash at last the target itself.  False: none is
 * left. */
bool seed_next(struct run *, uint32_t task);
/* seed_is_left(run, visit): before its request is sent: will its connection be
 * of no use afterwards? */
bool seed_is_left(struct run *, uint32_t task);
/* seed_end_probe(run, visit, code): nothing at this default location; the next
 * one is tried if the host answers at all. */
void seed_end_probe(struct run *, uint32_t task, enum diag_code);
/*
 * seed_try_http(run, number, result): a bare host whose https does not answer
 * (SPEC 15.6).  Not with the operator's secrets, which http would show.
 */
bool seed_try_http(struct run *, uint32_t task, const struct fetch_result *);

#endif
