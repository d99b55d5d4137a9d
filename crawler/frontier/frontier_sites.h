/* The table of sites, as the watch list has them. */
#ifndef FRESHET_FRONTIER_SITES_H
#define FRESHET_FRONTIER_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/slice.h"
#include "base/strings.h"
#include "sched/scheduler.h"

struct frontier;
struct watch;

struct site_item {
	int64_t id;
	uint32_t host;
	uint32_t number; /* of the scheduler */
	uint32_t robots; /* the scheduler's site for robots.txt; NONE: none */
	uint32_t documents; /* the first of its documents, plus one */
	uint32_t unlisted; /* the document of pages that none lists, plus one */
	uint32_t pages;
	uint32_t ready; /* its pages in ready queues */
	/* about how many of its pages have an orphan as their document */
	uint32_t orphan_pages;
	uint64_t listed; /* accepted entries of its documents without indexes */
	uint64_t refused; /* refused entries of the same documents */
	struct strings sections; /* owned; path prefixes; empty: all paths */
	struct strings tags; /* owned */
	bool is_watched, is_removed; /* from the watch list */
	bool is_dirty; /* something was learned of it and is not saved */
	bool is_late; /* options.late was called */
	/* it may have changed which of its documents are orphans:
	 * page_parents.h */
	bool is_suspect;
	/* a sitemap of the site was read.  Before that its documents are not
	 * loaded: the crawl of the whole site decides when they are read, and
	 * there may be very many such sites */
	bool is_found;
};

struct frontier_sites {
	struct site_item *items; /* owned, and their strings */
	size_t count, cap;
	struct idmap by_id;
	/* how often the row of a site in the watch list was new or had
	 * changed */
	uint64_t changes;
};

/* site_by_id(frontier, id): the number of that site; NONE: unknown. */
uint32_t site_by_id(const struct frontier *, int64_t id);
/* site_dirty(frontier, site): as page_dirty(). */
void site_dirty(struct frontier *, uint32_t site);

/* site_suspect(frontier, site): the targets of the site, an index or its
 * robots.txt have changed, so that documents may have become orphans, or may
 * have stopped being orphans. */
void site_suspect(struct frontier *, uint32_t site);

/* watch_schedule(watch): the weight and the intervals of a site with that row
 * of the watch list, with defaults for what the row does not give; NULL:
 * defaults only.  Host and tag are not set. */
struct scheduler_site watch_schedule(const struct watch *);

/* site_put(frontier, site_id, host, watch): the number of a new site; watch is
 * its row of the watch list, NULL: it never had one. */
uint32_t site_put(struct frontier *, int64_t site_id, struct slice host,
    const struct watch *);

/* site_find(frontier, site_id): the number of a site, which is read from the
 * store when it is new; NONE: the store does not have it. */
uint32_t site_find(struct frontier *, int64_t site_id);

/* site_follow(frontier, site): read its row of the watch list again, and set
 * what the scheduler knows of the site. */
void site_follow(struct frontier *, uint32_t site);

/* site_at_work(frontier, site): a crash report names that site from now on
 * (base/at_work.h). */
void site_at_work(const struct frontier *, uint32_t site);

/* site_wants(site, url): is the site not removed, and the URL in one of its
 * sections? */
bool site_wants(const struct site_item *, struct slice url);

/* site_rate(frontier, site): the requests an hour that the site can have: the
 * rate of its host, limited by each budget that the site shares with others,
 * as if the site could use all of that budget.  0: no limit. */
double site_rate(const struct frontier *, uint32_t site);

/* site_leased(frontier, site): a page of the site was leased, so from now on
 * its documents are read to find pages worth a fetch, and not to find every
 * change of the listing. */
void site_leased(struct frontier *, uint32_t site);

#endif
