/*
 * The frontier: the one place that knows both the store and the scheduler.  It
 * gives the scheduler what the store knows, hands out what the scheduler
 * chooses (frontier_hand.h), and says why (frontier_show.h).
 *
 * Everything that it writes lies in the store's open transaction: who calls it
 * calls frontier_save and store_flush, and acknowledges nothing before that.  A
 * call with a time before the latest one is one with that, until the clock was
 * put back by ten minutes: then what was later is now, and leases and holds
 * last as long as they would have.
 */
#ifndef FRESHET_FRONTIER_H
#define FRESHET_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/site_rules.h"
#include "base/slice.h"
#include "store/store.h"

#define FRONTIER_NEVER                                            \
	INT64_MAX /* of a time: not before something else happens \
		   */

struct frontier;
struct frontier_held;
struct frontier_only;

struct frontier_late {
	struct slice host; /* borrowed */
	uint64_t pages;
	int64_t ceiling_s;
	double each_s; /* between two requests */
};

/* Everything in it is borrowed and outlives the desk. */
struct frontier_options {
	struct store *store;
	site_rules_fn *rules; /* of a host */
	void *rules_arg;
	const char *agent; /* the product token that robots.txt is judged for */
	uint64_t hash_key; /* nobody else's: for tables of hosts and URLs */
	double requests_per_hour; /* of everything; 0: no limit */
	bool reads_documents; /* frontier_next_document is asked, too */
	bool is_shown; /* to be looked at alone: the store is only read */
	/* Of a frontier that is_shown: nothing is wanted of others; NULL: all.
	 */
	const struct frontier_only *only; /* frontier_only.h */
	int64_t burst_ms; /* what a host's rate brings in that time may be
			   * handed out at once */
	/* held: a host is left alone for much longer than was said before, or
	 * no longer (frontier_held.h).  It may not call the desk.  NULL. */
	void (*held)(void *arg, const struct frontier_held *);
	/* wanted: frontier_next_document may say yes now, of what was asked for
	 * in frontier_lease.  As held. */
	void (*wanted)(void *arg);
	/* full: that site lists as many URLs as its rules allow: documents that
	 * were never read stay so.  As held. */
	void (*full)(void *arg, struct slice host);
	/* late: pages of that site cannot be fetched within their ceiling at
	 * the pace of its host; once, until it is watched otherwise.  As
	 * held. */
	void (*late)(void *arg, const struct frontier_late *);
	void *arg;
};

/*
 * frontier_new(options, now_s): load all that the store knows, and be told of
 * the readings that were committed since the frontier before was saved.  Writes
 * nothing if it is_shown, so that a store that is only read may have a desk.
 * frontier_free(frontier): what was not saved is forgotten; NULL is fine.
 */
struct frontier *frontier_new(const struct frontier_options *, int64_t now_s);
void frontier_free(struct frontier *);

/* frontier_sync(frontier, now_s): tell the scheduler of the readings
 * committed since the last time: to be called after commits. */
void frontier_sync(struct frontier *, int64_t now_s);

/*
 * frontier_watch_changed(frontier, site_id, now_s): the row of the watch list
 * of that site was written, or what the rules say of its host: it is read
 * again.  Also of a site that is new.  site_id 0: budgets of tags were written.
 */
void frontier_watch_changed(struct frontier *, int64_t site_id, int64_t now_s);

/* frontier_save(frontier): what was learned since the last call, into the open
 * transaction: to be called before each store_flush.  Cheap when nothing was
 * learned. */
void frontier_save(struct frontier *);

/* frontier_expire(frontier, now_s): end the leases that are over.
 * frontier_lease and frontier_done do that, too. */
void frontier_expire(struct frontier *, int64_t now_s);

/* A document that is best read now. */
struct frontier_document {
	int64_t id, site_id;
	const char *why; /* static: "new", "interval", "ceiling", "owed",
			  * "value" */
	double value, price; /* of the reading, and of any request now */
};

/*
 * frontier_next_document(frontier, now_s, document): of the sites that are
 * watched. It is out until frontier_sync meets a reading of it, or it is
 * given back: frontier_document_back(frontier, document_id, now_s): nothing
 * came of it. frontier_next_document_s(frontier, now_s): when
 * frontier_next_document may say yes again.
 */
bool frontier_next_document(
    struct frontier *, int64_t now_s, struct frontier_document *);
void frontier_document_back(
    struct frontier *, int64_t document_id, int64_t now_s);
int64_t frontier_next_document_s(struct frontier *, int64_t now_s);

#endif
