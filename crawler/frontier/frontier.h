/*
 * The frontier says which page or document is read next.  It is the one place
 * that knows both the store and the scheduler: it gives the scheduler what the
 * store knows, leases to consumers the pages that the scheduler chooses
 * (frontier_lease.h), applies what fetchers and readings report
 * (frontier_result.h; frontier_sync()), and explains itself (frontier_show.h).
 *
 * Everything that the frontier writes lies in the store's open transaction: the
 * caller calls frontier_save() and store_flush(), and acknowledges nothing
 * before.  Time never goes back: a call with an earlier time than the latest
 * counts as one with the latest.  Only when the clock was put back by more than
 * ten minutes is the earlier time believed; leases and holds then last as long
 * as they would have.
 */
#ifndef FRESHET_FRONTIER_H
#define FRESHET_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/site_rules.h"
#include "base/slice.h"
#include "store/hold.h"
#include "store/store.h"

/* A time: not before something else happens. */
#define FRONTIER_NEVER INT64_MAX

struct frontier;
struct frontier_round;
struct host_others;
struct host_table;

/* The argument of frontier_options.held. */
struct frontier_held {
	struct slice host;
	/* a hold of its pages only; else of its documents, too */
	bool is_pages;
	int64_t until_s; /* 0: the hold is over */
	/* static: one of those of frontier_hold(); "failures" or "refused",
	 * because of its pages; "before": the hold was loaded; "over", with
	 * until_s 0 */
	const char *why;
};

/* Some sites of a store, for a frontier with is_shown.  Zeroed: no site. */
struct frontier_only {
	int64_t *ids; /* owned */
	size_t count, cap;
	struct idmap seen; /* the same ids */
};

/*
 * frontier_only_add(only, site_id): add a site.  What is no id, as 0, is
 * ignored, and so is a site that was added before.
 * frontier_only_url(only, store, url): add the sites that concern a normalised
 * URL: that of its host, and those with a document that has this URL, lists it,
 * or listed it when it was promoted.
 */
void frontier_only_add(struct frontier_only *, int64_t site_id);
void frontier_only_url(
    struct frontier_only *, struct store *, struct slice url);
void frontier_only_release(struct frontier_only *);

/* Everything in it is borrowed and outlives the frontier. */
struct frontier_options {
	struct store *store;
	site_rules_fn *rules; /* of a host */
	void *rules_arg;
	/* borrowed: the table of the driver, with which the frontier then keeps
	 * the delays of hosts; NULL: one of its own, with these rules */
	struct host_table *hosts;
	/* without `hosts`: other processes that ask hosts, see host_table.h;
	 * NULL: none */
	const struct host_others *others;
	uint64_t hash_key; /* secret: for tables of hosts and URLs */
	/* before the tokens of leases: "3:" of a shard, in hex; NULL: nothing
	 */
	const char *lease_prefix;
	double requests_per_hour; /* the budget of everything; 0: no limit */
	bool reads_documents; /* frontier_next_document() is called, too */
	/* only frontier_show.h is used; the store is only read */
	bool is_shown;
	/* With is_shown: load no other sites than these; NULL: all. */
	const struct frontier_only *only;
	/* as many pages of a host may be leased at once as its rate allows in
	 * this time */
	int64_t burst_ms;

	/* The callbacks may not call the frontier; NULL: not called.
	 * held: a hold is much longer than was reported before, or over. */
	void (*held)(void *arg, const struct frontier_held *);
	/* wanted: frontier_next_document() may return a document that a lease
	 * waits for, or a share has changed. */
	void (*wanted)(void *arg);
	/* full: the site lists as many URLs as its rules allow; sitemaps of it
	 * that were never read stay unread. */
	void (*full)(void *arg, struct slice host);
	/* late: the pages of a site cannot all be fetched within their ceiling
	 * (frontier_show.h); once, until its row of the watch list changes. */
	void (*late)(
	    void *arg, struct slice host, const struct frontier_round *);
	void *arg;
};

/*
 * frontier_new(options, now_s): load everything that the store knows, and
 * apply the readings that were committed after the last frontier was saved.
 * With is_shown nothing is written.
 * frontier_free(frontier): free the frontier; what was not saved is lost.
 * NULL is ignored.
 */
struct frontier *frontier_new(const struct frontier_options *, int64_t now_s);
void frontier_free(struct frontier *);

/* frontier_sync(frontier, now_s): apply the readings that were committed since
 * the last time.  To be called after commits.  Returns true when there was too
 * much for one call: call again soon. */
bool frontier_sync(struct frontier *, int64_t now_s);

/* frontier_watch_changed(frontier, site_id, now_s): read the site's row of the
 * watch list and the rules of its host again; the site may be new.  site_id 0:
 * budgets of tags have changed. */
void frontier_watch_changed(struct frontier *, int64_t site_id, int64_t now_s);

/* frontier_save(frontier): write what was learned since the last call to the
 * open transaction.  To be called before each store_flush(); cheap when nothing
 * was learned. */
void frontier_save(struct frontier *);

/* A document that is to be read now. */
struct frontier_document {
	int64_t id, site_id;
	/* static: "new", "interval", "ceiling", "owed", "value" */
	const char *why;
	double value, price; /* of this reading, and of any request now */
};

/*
 * frontier_next_document(frontier, now_s, document): the best document of the
 * watched sites that may be read now; false: none.  The document is out until
 * frontier_sync() meets a reading of it, or until
 * frontier_document_back(frontier, document_id, now_s), when it was not read.
 * frontier_next_document_s(frontier, now_s): when there may be another one.
 */
bool frontier_next_document(
    struct frontier *, int64_t now_s, struct frontier_document *);
void frontier_document_back(
    struct frontier *, int64_t document_id, int64_t now_s);
int64_t frontier_next_document_s(struct frontier *, int64_t now_s);

/* frontier_ask(frontier, site_id, now_s): may a page of the site be asked that
 * nobody leases?  Returns now_s if its budgets and holds allow it: the request
 * counts in them; else when they do. */
int64_t frontier_ask(struct frontier *, int64_t site_id, int64_t now_s);

/* frontier_watches(frontier, site_id): is the site on the watch list?
 * frontier_hint(frontier, site_id, url, now_s): somebody says by himself that
 * the page, or that document of the site, has changed (scheduler_hint). Returns
 * false if the normalised URL is neither. */
bool frontier_watches(struct frontier *, int64_t site_id);
bool frontier_hint(
    struct frontier *, int64_t site_id, struct slice url, int64_t now_s);

/*
 * frontier_hold(frontier, host, until_s, now_s, why): hold a host (normalised,
 * without a port): none of its pages is leased and none of its documents read
 * before until_s.  A longer hold stays.  If until_s is not later than now_s,
 * all holds of the host end.  Holds are saved.
 *
 * why is static: "order", "retry-after", "limited" (there were too many
 * requests, and the host named no time), "spared" (the driver gave a document
 * back). Returns false, and holds nothing, if until_s is more than a year
 * ahead.
 */
bool frontier_hold(struct frontier *, struct slice host, int64_t until_s,
    int64_t now_s, const char *why);

/* frontier_held(frontier, host): the holds of that host now. */
struct hold_times frontier_held(struct frontier *, struct slice host);

/* frontier_hold_over_s(frontier): the end of the first hold that options.held
 * was called for and that is not over; frontier_sync() reports it then.
 * FRONTIER_NEVER: none. */
int64_t frontier_hold_over_s(const struct frontier *);

/* frontier_hosts(frontier): the table of its hosts; borrowed. */
struct host_table *frontier_hosts(struct frontier *);

/* A share of the budget of everything, whose name is empty, or of a tag
 * (host_others.has_shares); wanted says how much waits for it. */
struct frontier_share {
	const char *name; /* borrowed */
	double per_hour, wanted;
};

/* frontier_next_share(frontier, now_s, share): a share that is to be asked for;
 * to be called until there is none, every second.
 * frontier_set_share(frontier, name, per_hour): so much is used from now on. */
bool frontier_next_share(
    struct frontier *, int64_t now_s, struct frontier_share *);
void frontier_set_share(struct frontier *, const char *name, double per_hour);

/* frontier_paced_ms(frontier): in how many milliseconds, at least 1, a page may
 * be leased.  Only pages count that were refused since the last call because of
 * the delay alone; INT64_MAX: there was none.
 * frontier_has_paced(frontier): is there such a page? */
int64_t frontier_paced_ms(struct frontier *);
bool frontier_has_paced(const struct frontier *);

#endif
