/*
 * What the daemon remembers of a watched site over restarts: whether a crawl
 * from its targets has found anything, and when the next one is.
 */
#ifndef FRESHET_SITE_CRAWL_H
#define FRESHET_SITE_CRAWL_H

#include <stdbool.h>
#include <stdint.h>

struct store;
struct watch;

#define SITE_CRAWL_NEVER INT64_MAX
#define SITE_CRAWL_TRIES 10 /* no more are counted */

struct site_crawl {
	int64_t whole_s; /* when the next crawl is; NEVER: the site was found */
	int64_t lost_s; /* the first of the tries; 0: not known */
	/* crawls in a row that found nothing; the last crawl found nothing if
	 * there are any, and whole_s is not NEVER */
	uint8_t tries;
};

/* site_crawl_get(store, watch, crawl): false: the site was never crawled from
 * the targets that it has now. */
bool site_crawl_get(struct store *, const struct watch *, struct site_crawl *);

/* site_crawl_put(store, watch, crawl): save, in the open transaction. */
void site_crawl_put(
    struct store *, const struct watch *, const struct site_crawl *);

#endif
