/* The watch list: which sites are kept fresh, and what is wanted of each. */
#ifndef FRESHET_WATCH_H
#define FRESHET_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strings.h"

struct store;

struct watch {
	int64_t site_id;
	char *host; /* owned; of the site; not written */
	bool is_watched; /* false: it was taken off the list */
	int64_t added_s;
	double weight;
	/* between readings of a document, and between fetches of a page: at
	 * least, at most; 0: no bound */
	int64_t every_least_s, every_most_s;
	int64_t page_least_s, page_most_s;
	double requests_per_hour; /* 0: no budget of its own */
	char *profile; /* owned; NULL: that of the configuration */
	struct strings targets; /* as they were given */
	struct strings tags;
	struct strings sections; /* path prefixes; none: all of the site */
};

/* watch_init(watch): of no site: watched, weight 1, no bounds.
 * watch_release(watch): a zeroed one is fine. */
void watch_init(struct watch *);
void watch_release(struct watch *);

/* store_watch_get(store, site_id, watch): release it; false, and nothing is
 * set, when the site never was on the list. */
bool store_watch_get(struct store *, int64_t site_id, struct watch *);

/* store_watch_profile(store, host, name): append that of the site of that host;
 * false: none, or it is not watched. */
bool store_watch_profile(struct store *, struct slice host, struct buf *name);

/* store_watch_put(store, watch): all of it, in place of what was known of that
 * site; durable with the next store_flush. */
void store_watch_put(struct store *, const struct watch *);

/* store_each_watch(store, fn, arg): in order of hosts, those that were taken
 * off the list too; borrowed.  fn may use the store. */
typedef void store_watch_fn(void *arg, const struct watch *);
void store_each_watch(struct store *, store_watch_fn *, void *arg);

/* store_tag_budget_put(store, tag, per_hour): requests to all sites with that
 * tag together; 0: no budget.  Durable with the next store_flush. */
void store_tag_budget_put(struct store *, const char *tag, double per_hour);

/* store_each_tag_budget(store, fn, arg): in order of tags; borrowed.  fn may
 * not use the store. */
typedef void store_tag_budget_fn(void *arg, struct slice tag, double per_hour);
void store_each_tag_budget(struct store *, store_tag_budget_fn *, void *arg);

#endif
