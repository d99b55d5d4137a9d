/* The table of sites, as the watch list has them. */
#ifndef FRESHET_FRONTIER_SITES_H
#define FRESHET_FRONTIER_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"
#include "crawler/frontier/frontier_context.h"
#include "sched/scheduler.h"

struct host_table;
struct tag_table;
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
	uint32_t orphan_pages; /* pages whose document is an orphan, about */
	uint64_t listed; /* accepted entries of its documents without indexes */
	uint64_t refused; /* refused entries of the same */
	struct strings sections; /* owned; path prefixes; empty: all paths */
	struct strings tags; /* owned */
	struct scheduler_site is; /* as the scheduler has it */
	bool is_watched, is_removed; /* from the watch list */
	bool is_dirty; /* something was learned of it and is not saved */
	bool is_late; /* options.late was called */
	bool is_suspect; /* which of its documents are orphans may have
			  * changed: page_parents.h */
	bool is_found; /* a sitemap of it was read.  Before that its documents
			* are not loaded: whoever crawls the site whole says
			* when, and there may be very many such sites */
};

struct frontier_sites;

struct frontier_sites *frontier_sites_new(
    const struct frontier_context *, struct host_table *, struct tag_table *);
void frontier_sites_free(struct frontier_sites *);

/* site_add(table, item): a new site, which is suspect; returns its number and
 * takes over its strings.  site_by_id: NONE: unknown. */
uint32_t site_add(struct frontier_sites *, const struct site_item *);
uint32_t site_by_id(const struct frontier_sites *, int64_t id);
struct site_item *site_at(const struct frontier_sites *, uint32_t site);
uint32_t site_count(const struct frontier_sites *);

/* site_changed(table, site): the watch list's row of that site is new or
 * another.  site_changes: how often that happened.  site_change(table, n): the
 * site of change n, if that is one of the last SITE_CHANGES. */
#define SITE_CHANGES 64
void site_changed(struct frontier_sites *, uint32_t site);
uint64_t site_changes(const struct frontier_sites *);
uint32_t site_change(const struct frontier_sites *, uint64_t n);

/* site_dirty, site_dirty_list: as those of pages. */
void site_dirty(struct frontier_sites *, uint32_t site);
struct number_list *site_dirty_list(struct frontier_sites *);

/* site_suspect(table, site): its targets, an index or its robots.txt have
 * changed: some of its documents may have become orphans, or none any more.
 * site_suspect_list: the suspect sites. */
void site_suspect(struct frontier_sites *, uint32_t site);
struct number_list *site_suspect_list(struct frontier_sites *);

/* watch_schedule(watch): the weight and the intervals of a site with that row
 * of the watch list, with defaults for what the row does not give; NULL:
 * defaults only.  Host and tag are not set. */
struct scheduler_site watch_schedule(const struct watch *);

/* site_put(table, site_id, host, watch): the number of a new site; watch is
 * its row of the watch list, NULL: it never had one. */
uint32_t site_put(struct frontier_sites *, int64_t site_id, struct slice host,
    const struct watch *);

/* site_find(table, site_id): the number of a site, which is read from the
 * store when it is new; NONE: the store does not have it. */
uint32_t site_find(struct frontier_sites *, int64_t site_id);

/* site_follow(table, site): read its row of the watch list again, and set
 * what the scheduler knows of the site. */
void site_follow(struct frontier_sites *, uint32_t site);

/* site_at_work(table, site): a crash report names that site from now on
 * (base/at_work.h). */
void site_at_work(const struct frontier_sites *, uint32_t site);

/* site_wants(site, url): is the site not removed, and the URL in one of its
 * sections? */
bool site_wants(const struct site_item *, struct slice url);

/* site_rate(table, site): the requests an hour that the site can have: the rate
 * of its host, and no more than each budget that the site shares with others,
 * as if the site had all of that.  0: any. */
double site_rate(const struct frontier_sites *, uint32_t site);

/* site_leased(table, site): a page of the site was leased: from now on its
 * documents are read for the sake of its pages, not of each change they list.
 */
void site_leased(struct frontier_sites *, uint32_t site);

#endif
