/*
 * The sites of the watch list, as the daemon has them, and which of them is
 * crawled whole next.
 *
 *	NEW -> crawled whole -> FOUND
 *	        |        ^        |
 *	        |        |        v  nothing could be read for a day
 *	        +-> LOST +<-------+
 *	          (tried again later)
 */
#ifndef FRESHET_DAEMON_SITES_H
#define FRESHET_DAEMON_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/frontier/site_crawl.h"

struct daemon_sites;
struct job;
struct watch;

#define NEVER_S SITE_CRAWL_NEVER
#define NO_SITE UINT32_MAX

struct daemon_site {
	int64_t id;
	int64_t whole_s; /* when the site is crawled whole; NEVER_S: FOUND */
	/* FOUND: when the store was asked whether it is lost */
	int64_t looked_s;
	int64_t most_s; /* LOST: the ceiling of its interval; 0: none */
	int64_t lost_s; /* LOST: since when; 0: not known */
	uint8_t tries; /* LOST: failed tries in a row */
	bool is_watched;
	struct job *job; /* the daemon's: the crawl under way; NULL: none */
};

/* daemon_sites_new(store, watched, now_s): load the watch list.  *watched is
 * kept equal to the number of watched sites; both are borrowed.
 * daemon_sites_free(sites): NULL is fine. */
struct daemon_sites *daemon_sites_new(
    struct store *, uint64_t *watched, int64_t now_s);
void daemon_sites_free(struct daemon_sites *);

/* daemon_site_at(sites, site): borrowed until a site is added. */
struct daemon_site *daemon_site_at(const struct daemon_sites *, uint32_t site);

/* daemon_site_find(sites, id, now_s): the number of a site, which may be new on
 * the list; NO_SITE: it never was there. */
uint32_t daemon_site_find(struct daemon_sites *, int64_t id, int64_t now_s);

/* daemon_site_changed(sites, watch, now_s, was_watched): the row of that site
 * in the watch list is new, or has changed.  Returns the number of the
 * site. */
uint32_t daemon_site_changed(struct daemon_sites *, const struct watch *,
    int64_t now_s, bool *was_watched);

/* site_plan(sites, site): plan when the site is crawled whole, unless a job is
 * under way.  Call this function when a member of the site has changed. */
void site_plan(struct daemon_sites *, uint32_t site);

/* site_next_whole(sites, now_s): a site that is to be crawled whole now, which
 * takes it out of the plan; NO_SITE: none.  site_whole_s: when the next one is
 * due; NEVER_S: none. */
uint32_t site_next_whole(struct daemon_sites *, int64_t now_s);
int64_t site_whole_s(const struct daemon_sites *);

/* site_waits(sites, site, host, now_s): is the site set aside (store/aside.h),
 * or is its host held (store/hold.h)?  Then its crawl is planned again, for
 * when the hold ends or for a look in a while. */
bool site_waits(
    struct daemon_sites *, uint32_t site, struct slice host, int64_t now_s);

/* site_crawled(sites, site, is_found, now_s): the site was crawled whole.  The
 * result is saved.  If nothing was found, the site is planned again, and the
 * function returns that time; else 0. */
int64_t site_crawled(
    struct daemon_sites *, uint32_t site, bool is_found, int64_t now_s);

/* site_failed(sites, site, now_s): a job that is over could not read all.  If
 * none could for a day, the site is crawled whole as a new one. */
void site_failed(struct daemon_sites *, uint32_t site, int64_t now_s);

#endif
