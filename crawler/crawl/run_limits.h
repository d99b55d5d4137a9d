/* The driver: limits of URLs: of a crawl, of a site, and the size of the store
 * (HOSTILE T18). */
#ifndef FRESHET_RUN_LIMITS_H
#define FRESHET_RUN_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct run;

/* limits_claim(run, task, urls): a reading of the task has so many URLs; the
 * limits of its crawl and of its site may be reached. */
void limits_claim(struct run *, uint32_t task, uint64_t urls);

/* limits_room(run): the number of documents that the crawl nearest to its limit
 * has room for, if they are as large as those read so far. */
uint64_t limits_room(const struct run *);

/* limits_defer(run, task): do the readers have as many documents of the
 * site as the limit of the site may have room for? */
bool limits_defer(struct run *, uint32_t task);

/* limits_forbid(run, task): the task is not asked for, because of a limit of
 * its crawl, of its site or of the store. */
bool limits_forbid(struct run *, uint32_t task);

/* limits_skip(run, task): if the task is closed, report the limit once, post
 * DONE and return true. */
bool limits_skip(struct run *, uint32_t task);

#endif
