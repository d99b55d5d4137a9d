/*
 * The listener of `run --hints`: others say here by themselves that pages and
 * feeds have changed, by IndexNow and WebSub (SPEC ).
 *
 * A hint lists and deletes nothing; the scheduler learns what it is worth
 * (scheduling-formulas.md, T17).  All that comes in is hostile: it is limited,
 * and nothing is done for a host that is not watched.  Nothing is stored.
 */
#ifndef FRESHET_HINTS_H
#define FRESHET_HINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

struct fetcher;
struct frontier;
struct hint_listener;
struct loop;
struct run;
struct spool;
struct store;

/* Everything in it is borrowed and outlives the listener. */
struct hints_options {
	const char *listen; /* as of value_listen() */
	struct loop *loop;
	struct store *store;
	struct run *run;
	struct frontier *frontier;
	struct fetcher *fetcher; /* these two ask hubs */
	struct spool *spool;
	/* of the listener, for hubs; NULL: no feed is subscribed to */
	const char *public_url;
	uint64_t hash_key; /* secret: for the table of senders */
	/* the frontier was told so many URLs that the key file, or hub, of that
	 * URL proves, and knew so many of them: plan anew */
	void (*told)(void *arg, struct slice by, size_t urls, size_t known);
	/* something that the operator should know */
	void (*problem)(
	    void *arg, struct slice host, enum diag_code, struct slice text);
	void *arg;
};

/* hints_new(options, port): a listener at *port; NULL with errno.
 * hints_free(listener): call this function before the run is freed; what waits
 * is dropped. The loop does not run meanwhile, nor afterwards with the same
 * fetcher. NULL is ignored. */
struct hint_listener *hints_new(const struct hints_options *, uint16_t *port);
void hints_free(struct hint_listener *);

/* indexnow_is_key(key): 8 to 128 letters, digits and dashes? */
bool indexnow_is_key(struct slice key);

/* hints_feed(listener, site_id, url, hub): a reading of that feed names a hub,
 * as it is written there; empty: none.  The hub is asked to subscribe. */
void hints_feed(struct hint_listener *, int64_t site_id, struct slice url,
    struct slice hub);

#endif
