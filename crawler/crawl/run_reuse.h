/*
 * The driver: what is over makes room in its tables, so that a run can live
 * for ever.
 *
 * A visit of a crawl stays until the end of its crawl: its children and the
 * proofs that come later look back at it.  One of a document that was asked
 * for by itself ends with its commit.  Free entries are linked.
 */
#ifndef FRESHET_RUN_REUSE_H
#define FRESHET_RUN_REUSE_H

#include "crawler/crawl/run_tables.h"

/* The numbers of free entries, or of new ones at the end; nothing is in them
 * yet. */
uint32_t reuse_task(struct run *);
uint32_t reuse_site(struct run *);
uint32_t reuse_crawl(struct run *);

/* reuse_place(run, site_id): that of the site, made when there is none. */
struct place *reuse_place(struct run *, int64_t site_id);

/* reuse_want_no_place(run): whoever waits for one says so again. */
void reuse_want_no_place(struct run *);

/* reuse_end_single(run, visit): it is done, and of a single document: it is
 * gone, and so is its site after the last one. */
void reuse_end_single(struct run *, uint32_t task);

/*
 * reuse_may_end(run, crawl): nothing of it is under way: is all that it did
 * committed, its end included?  Hundreds may end in one second: they share
 * commits, each of which is a wait for the disk; ask again after the next one.
 */
bool reuse_may_end(struct run *, uint32_t crawl);

/* reuse_end_crawl(run, crawl): all that is left of it is gone but its totals,
 * which last until the next party. */
void reuse_end_crawl(struct run *, uint32_t crawl);

#endif
