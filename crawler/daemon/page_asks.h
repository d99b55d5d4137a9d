/*
 * Pages that the daemon itself asks, for people who watch sites: new pages for
 * their titles and descriptions, and some pages of each mass drop, rename and
 * launch whether they are there.
 *
 *	a reading -> a look at the site -> pages to ask -> the driver -> store
 *
 * A site is looked at some time after its readings, when its changes are
 * counted: its events are gathered, and those that are known and that nobody
 * asked get a sample of their pages.  The sample is stored at once, so that the
 * same pages are asked after a restart, and none twice.  New pages are those
 * that readings of the last week brought, the newest first.  What pages said is
 * stored (store/page_says.h).
 *
 * Requests keep delays and robots.txt, as the driver does, and count in the
 * budgets of the site, its tags and of everything; a page waits until these
 * allow it.
 */
#ifndef FRESHET_PAGE_ASKS_H
#define FRESHET_PAGE_ASKS_H

#include <stdint.h>

#include "crawler/cli/options.h"

struct frontier;
struct loop;
struct page_asks;
struct reading;
struct run;
struct store;
struct watch;

/* Everything in it is borrowed and outlives the asks. */
struct page_asks_options {
	struct loop *loop;
	struct store *store;
	struct run *run;
	struct frontier *frontier;
	const struct options *options;
	/* something was written: commit soon */
	void (*written)(void *arg);
	void *arg;
};

/* page_asks_new(options): page_asks_site() names the sites. */
struct page_asks *page_asks_new(const struct page_asks_options *);

/* page_asks_free(asks): ask no more; NULL is ignored.  Call this function
 * before the run is freed. */
void page_asks_free(struct page_asks *);

/* page_asks_site(asks, watch): this is the site's row of the watch list now.
 * page_asks_read(asks, site_id, reading): a reading of the site was committed.
 */
void page_asks_site(struct page_asks *, const struct watch *);
void page_asks_read(
    struct page_asks *, int64_t site_id, const struct reading *);

#endif
