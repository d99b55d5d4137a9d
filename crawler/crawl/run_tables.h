/*
 * The driver: entries of its tables come, and go.
 *
 * A run can live for ever, so what is over makes room.  A task of a crawl stays
 * until the end of the crawl: its children, and proofs that come later, look
 * back at it.  The task of a single document goes with its commit.
 */
#ifndef FRESHET_RUN_TABLES_H
#define FRESHET_RUN_TABLES_H

#include "crawler/crawl/run_base.h"

/* run_add_task(run, task): the number of a copy; the copy owns the URL. */
uint32_t run_add_task(struct run *, const struct task *);

/* run_reopen(run, task): a task that is done begins once more. */
void run_reopen(struct run *, uint32_t task);

/* run_find(run, site, document_id): the task of this site entry for the
 * document, or NONE. */
uint32_t run_find(struct run *, uint32_t site, int64_t document_id);

/*
 * run_site(run, crawl, host): the entry of that site for that crawl; if there
 * is none, the crawl of the site begins.  NONE while another crawl, or a single
 * document, is at work there.
 * run_site_is_busy(run, site): is that crawl of the site under way?
 */
uint32_t run_site(struct run *, uint32_t crawl, struct slice host);
bool run_site_is_busy(const struct run *, const struct crawled_site *);

/*
 * The number of an entry that was free, or is new; the entry has no content
 * yet.  run_place(run, site_id): the place of the site, made if there is none.
 */
uint32_t run_new_site(struct run *);
uint32_t run_new_crawl(struct run *);
struct site_place *run_place(struct run *, int64_t site_id);

/* run_want_no_place(run): no crawl waits for single documents any more; a
 * crawl that still does asks again. */
void run_want_no_place(struct run *);

/* run_end_single(run, task): the task of a single document is done; its entry
 * is free, and the site's after the last task. */
void run_end_single(struct run *, uint32_t task);

/* run_free_crawl(run, crawl): all tasks and sites of the crawl are free. */
void run_free_crawl(struct run *, uint32_t crawl);

#endif
