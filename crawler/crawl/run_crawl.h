/* The driver: crawls, and what they hear; see run_internal.h. */
#ifndef FRESHET_RUN_CRAWL_H
#define FRESHET_RUN_CRAWL_H

#include "crawler/crawl/run_tables.h"

void crawl_release(struct crawl *);

/* crawls_step(run): what can go on goes on; crawls that are over end. */
void crawls_step(struct run *);

/* crawl_claim(run, visit, urls): it has read so many; its crawl and its site
 * may have reached their limits. */
void crawl_claim(struct run *, uint32_t task, uint64_t urls);

/* crawl_room(run): how many documents at once the crawl that is nearest to its
 * limit has room for, by the size of those so far. */
uint64_t crawl_room(const struct run *);

/* crawl_waits(run, visit): do the readers have as many documents of its site
 * as the limit of the site may have room for? */
bool crawl_waits(struct run *, uint32_t task);

/* crawl_heard_robots(run, crawl, origin): that robots.txt is known now, or
 * given up. */
void crawl_heard_robots(struct run *, uint32_t crawl, uint32_t origin);

void crawl_problem(
    struct crawl *, enum diag_code, struct slice url, struct slice text);
/* crawl_returns(run, crawl, document_id): nothing came of it. */
void crawl_returns(struct run *, uint32_t crawl, int64_t document_id);

/* crawl_starts_anew(run, crawl): nothing that was read before counts. */
bool crawl_starts_anew(const struct run *, uint32_t crawl);

/* crawl_heard(run, visit, reading): it is committed: counted and told. */
void crawl_heard(struct run *, uint32_t task, const struct reading *);

/* crawl_tell_time(run, crawl): once, if the clock was set back. */
void crawl_tell_time(struct run *, uint32_t crawl);

/* crawl_is_closed(run, visit): it is not asked for, by a limit of its crawl or
 * site, or of the store. */
bool crawl_is_closed(struct run *, uint32_t task);

/* crawl_skips(run, visit): true when its crawl asks for nothing more; the
 * visit is finished then. */
bool crawl_skips(struct run *, uint32_t task);

#endif
