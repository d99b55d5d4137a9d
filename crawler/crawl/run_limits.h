/* The driver: the limits of URLs of a crawl and of a site, and the size of the
 * store (HOSTILE T18). */
#ifndef FRESHET_RUN_LIMITS_H
#define FRESHET_RUN_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct content;
struct run;

/* limits_claim(run, task, urls): count the URLs of a reading of the task
 * against the limits of its crawl and of its site. */
void limits_claim(struct run *, uint32_t task, uint64_t urls);

/* limits_room(run): the number of documents that the crawl nearest to its limit
 * has room for, if they are as large as those read so far. */
uint64_t limits_room(const struct run *);

/* limits_defer(run, task): must the task wait, because the documents of its
 * site that readers have may already reach the site's limit? */
bool limits_defer(struct run *, uint32_t task);

/* limits_forbid(run, task): does a limit of its crawl, of its site or of the
 * store forbid to ask for the task? */
bool limits_forbid(struct run *, uint32_t task);

/* limits_kept(run, task): does the store keep so much of the task's site that
 * nothing more may be asked for?  Then the task is given up.
 * limits_may_keep(run, task, content): may the content of its reading be
 * stored? Else the task is given up, and so are the next ones of the site until
 * tomorrow. */
bool limits_kept(struct run *, uint32_t task);
bool limits_may_keep(struct run *, uint32_t task, const struct content *);

/* limits_skip(run, task): if limits_forbid() says so, report the limit once for
 * the crawl, post DONE and return true. */
bool limits_skip(struct run *, uint32_t task);

#endif
