/* The driver: what one crawl hears, counts, and may still ask for. */
#ifndef FRESHET_RUN_CRAWL_H
#define FRESHET_RUN_CRAWL_H

#include "crawler/crawl/run_base.h"

/* crawl_release(crawl): all that it owns; the totals stay. */
void crawl_release(struct crawl *);

/* crawl_give(crawl, document_id): one more document to read. */
void crawl_give(struct crawl *, int64_t document_id);

/*
 * The callbacks of the crawl's options, unless it was dropped.
 * crawl_report(run, task, reading): a reading of the task is committed: it is
 * counted, and `document` is called.
 * crawl_problem(): `problem`.  crawl_returns(): `returned`.
 * crawl_report_clock(run, crawl): once, if the clock was set back.
 */
void crawl_report(struct run *, uint32_t task, const struct reading *);
void crawl_problem(
    struct crawl *, enum diag_code, struct slice url, struct slice text);
void crawl_returns(struct run *, uint32_t crawl, int64_t document_id);
void crawl_report_clock(struct run *, uint32_t crawl);

/* crawl_robots_known(run, crawl, origin): robots.txt of the origin, which the
 * crawl waits for, is known now, or was given up. */
void crawl_robots_known(struct run *, uint32_t crawl, uint32_t origin);

/* crawl_starts_anew(run, crawl): nothing that was read before counts. */
bool crawl_starts_anew(const struct run *, uint32_t crawl);

/* Limits of URLs (HOSTILE T18). */

/* crawl_claim(run, task, urls): a reading of the task has so many URLs; the
 * limits of its crawl and of its site may be reached. */
void crawl_claim(struct run *, uint32_t task, uint64_t urls);

/* crawl_room(run): the number of documents that the crawl nearest to its limit
 * has room for, if they are as large as those read so far. */
uint64_t crawl_room(const struct run *);

/* crawl_waits(run, task): do the readers have as many documents of the site as
 * the limit of the site may have room for? */
bool crawl_waits(struct run *, uint32_t task);

/* crawl_is_closed(run, task): the task is not asked for, because of a limit of
 * its crawl, of its site or of the store. */
bool crawl_is_closed(struct run *, uint32_t task);

/* crawl_skips(run, task): if the task is closed, report the limit once, post
 * DONE and return true. */
bool crawl_skips(struct run *, uint32_t task);

#endif
