/*
 * What the daemon keeps of a watched site: whether it was ever found when it
 * was crawled whole from the targets that it has, and when that is tried again.
 */
#ifndef FRESHET_SITE_CRAWL_H
#define FRESHET_SITE_CRAWL_H

#include <stdbool.h>
#include <stdint.h>

struct store;
struct watch;

#define SITE_CRAWL_NEVER INT64_MAX
#define SITE_CRAWL_TRIES 10 /* are counted */

struct site_crawl {
	int64_t whole_s; /* it is crawled whole then; NEVER: it was found */
	int64_t lost_s; /* the first try of these; 0: not known */
	uint8_t tries; /* in which nothing was found, in a row */
};

/* site_crawl_get(store, watch, crawl): false: it was never crawled whole from
 * the targets that it has. */
bool site_crawl_get(struct store *, const struct watch *, struct site_crawl *);

/* site_crawl_put(store, watch, crawl): in the open transaction. */
void site_crawl_put(
    struct store *, const struct watch *, const struct site_crawl *);

/* site_crawl_is_lost(crawl): nothing was found at it the last time. */
bool site_crawl_is_lost(const struct site_crawl *);

#endif
