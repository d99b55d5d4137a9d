/*
 * The daemon's core: the sites of the watch list are read, for ever.  It asks
 * the frontier for documents that are due and the driver to read them, and
 * crawls whole what is new on the list.  It prints nothing and knows no
 * signals.
 *
 * A site is crawled whole, from its targets, until that found something; then
 * its documents are read one by one, as the frontier says.  One that nothing
 * was found at is tried again after 15 minutes, then after twice as long each
 * time.
 */
#ifndef FRESHET_DAEMON_H
#define FRESHET_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/crawl/run.h"
#include "crawler/frontier/frontier.h"

struct daemon;

enum daemon_event_kind {
	DAEMON_ADDED, /* a site is on the list now, and is new */
	DAEMON_REMOVED, /* it is not any more */
	DAEMON_DOCUMENT, /* an attempt to read it was committed */
	DAEMON_PROBLEM, /* something else to tell */
	DAEMON_CRAWLED, /* a site was crawled whole */
	DAEMON_CLOCK, /* the clock was set, or the machine was suspended */
};

/* Everything in it is borrowed. */
struct daemon_event {
	enum daemon_event_kind kind;
	struct slice site; /* its host; CLOCK: empty */
	struct slice url; /* DOCUMENT, PROBLEM */
	const char *why; /* DOCUMENT: static: why it was due */
	const struct reading *reading; /* DOCUMENT */
	enum diag_code code; /* PROBLEM: or DIAG_OK */
	struct slice text; /* PROBLEM */
	const struct run_totals *totals; /* CRAWLED */
	int64_t next_s; /* CRAWLED: tried again then; 0: something was found */
	int64_t jump_s; /* CLOCK: so much later than it should be, or earlier */
};

/* What was read for the list, the whole of it. */
struct daemon_counts {
	uint64_t sites; /* on the list */
	uint64_t crawls; /* of whole sites */
	uint64_t read, unchanged, failed, refused; /* no robots.txt */
	uint64_t partial, refused_children; /* as of run_totals */
	uint64_t lost; /* sites at which nothing was found */
	bool is_over_budget; /* a limit left something out */
};

/* Everything in it is borrowed and outlives the daemon. */
struct daemon_options {
	struct loop *loop;
	struct store *store;
	struct run *run; /* its before_commit calls daemon_save */
	struct frontier *frontier; /* with reads_documents */
	unsigned max_sites; /* at once */
	unsigned max_documents; /* handed to the driver at once */
	int64_t keep_s; /* readings that are older are forgotten; 0: none */
	bool is_once; /* what is due now, and no document twice */

	/* From the loop.  synced: the frontier may know more than before.
	 * over: with is_once, nothing is due any more; nothing is called after
	 * it. */
	void (*event)(void *arg, const struct daemon_event *);
	void (*synced)(void *arg);
	void (*over)(void *arg);
	void *arg;
};

/* daemon_new(options): it begins in the next round of the loop.
 * daemon_free(daemon): what its crawls read is not told any more; before the
 * run, which is dropped or stopped; NULL is fine. */
struct daemon *daemon_new(const struct daemon_options *);
void daemon_free(struct daemon *);

/* daemon_watch_changed(daemon, site_id): its row of the watch list was
 * written, and the frontier has been told; nothing of it is committed here. */
void daemon_watch_changed(struct daemon *, int64_t site_id);

/* daemon_wake(daemon): others committed readings, or changed what is due. */
void daemon_wake(struct daemon *);

/* daemon_save(daemon): what was learned, into the open transaction: before
 * each COMMIT. */
void daemon_save(struct daemon *);

/* daemon_stop(daemon): nothing further is asked for; what the driver has begun
 * is committed by it.  over is not called. */
void daemon_stop(struct daemon *);

const struct daemon_counts *daemon_counts(const struct daemon *);

#endif
