/*
 * The desk: the one place that knows both the store and the scheduler.  It
 * gives the scheduler what the store knows, hands out what the scheduler
 * chooses (desk_hand.h), and says why (desk_show.h).
 *
 * Everything that it writes lies in the store's open transaction: who calls it
 * calls desk_save and store_flush, and acknowledges nothing before that.  A
 * call with a time before the latest one is one with that, until the clock was
 * put back by ten minutes: then what was later is now, and leases and holds
 * last as long as they would have.
 */
#ifndef FRESHET_DESK_H
#define FRESHET_DESK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/site_rules.h"
#include "base/slice.h"
#include "store/store.h"

#define DESK_NEVER                                                \
	INT64_MAX /* of a time: not before something else happens \
		   */

struct desk;
struct desk_held;
struct desk_only;

struct desk_late {
	struct slice host; /* borrowed */
	uint64_t pages;
	int64_t ceiling_s;
	double each_s; /* between two requests */
};

/* Everything in it is borrowed and outlives the desk. */
struct desk_options {
	struct store *store;
	site_rules_fn *rules; /* of a host */
	void *rules_arg;
	const char *agent; /* the product token that robots.txt is judged for */
	uint64_t hash_key; /* nobody else's: for tables of hosts and URLs */
	double requests_per_hour; /* of everything; 0: no limit */
	bool reads_documents; /* desk_next_document is asked, too */
	bool is_shown; /* to be looked at alone: the store is only read */
	/* Of a desk that is_shown: nothing is wanted of others; NULL: all. */
	const struct desk_only *only; /* desk_only.h */
	int64_t burst_ms; /* what a host's rate brings in that time may be
			   * handed out at once */
	/* held: a host is left alone for much longer than was said before, or
	 * no longer (desk_held.h).  It may not call the desk.  NULL. */
	void (*held)(void *arg, const struct desk_held *);
	/* wanted: desk_next_document may say yes now, of what was asked for
	 * in desk_take.  As held. */
	void (*wanted)(void *arg);
	/* full: that site lists as many URLs as its rules allow: documents that
	 * were never read stay so.  As held. */
	void (*full)(void *arg, struct slice host);
	/* late: pages of that site cannot be fetched within their ceiling at
	 * the pace of its host; once, until it is watched otherwise.  As
	 * held. */
	void (*late)(void *arg, const struct desk_late *);
	void *arg;
};

/*
 * desk_new(options, now_s): load all that the store knows, and be told of the
 * readings that were committed since the desk before was saved.  Writes
 * nothing if it is_shown, so that a store that is only read may have a desk.
 * desk_free(desk): what was not saved is forgotten; NULL is fine.
 */
struct desk *desk_new(const struct desk_options *, int64_t now_s);
void desk_free(struct desk *);

/* desk_catch_up(desk, now_s): tell the scheduler of the readings committed
 * since the last time: to be called after commits. */
void desk_catch_up(struct desk *, int64_t now_s);

/*
 * desk_watch_changed(desk, site_id, now_s): the row of the watch list of that
 * site was written, or what the rules say of its host: it is read again.  Also
 * of a site that is new.  site_id 0: budgets of tags were written.
 */
void desk_watch_changed(struct desk *, int64_t site_id, int64_t now_s);

/* desk_save(desk): what was learned since the last call, into the open
 * transaction: to be called before each store_flush.  Cheap when nothing was
 * learned. */
void desk_save(struct desk *);

/* desk_expire(desk, now_s): end the leases that are over.  desk_take and
 * desk_done do that, too. */
void desk_expire(struct desk *, int64_t now_s);

/* A document that is best read now. */
struct desk_document {
	int64_t id, site_id;
	const char *why; /* static: "new", "interval", "ceiling", "owed",
			  * "value" */
	double value, price; /* of the reading, and of any request now */
};

/*
 * desk_next_document(desk, now_s, document): of the sites that are watched.
 * It is out until desk_catch_up meets a reading of it, or it is given back:
 * desk_document_back(desk, document_id, now_s): nothing came of it.
 * desk_next_document_s(desk, now_s): when desk_next_document may say yes again.
 */
bool desk_next_document(struct desk *, int64_t now_s, struct desk_document *);
void desk_document_back(struct desk *, int64_t document_id, int64_t now_s);
int64_t desk_next_document_s(struct desk *, int64_t now_s);

#endif
