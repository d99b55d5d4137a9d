/*
 * The daemon reads the sites of the watch list, for ever.  The frontier says
 * which documents are due, and the driver (crawler/crawl/run.h) reads them. The
 * daemon prints nothing and knows no signals.
 *
 * A new site is crawled whole, from its targets; once that has found something,
 * its documents are read one by one, as the frontier says.  If nothing was
 * found, the site is crawled whole again after 15 minutes, then after twice as
 * long each time.
 */
#ifndef FRESHET_DAEMON_H
#define FRESHET_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/crawl/run.h"
#include "crawler/frontier/frontier.h"

struct daemon;
struct log;
struct options;

enum daemon_event_kind {
	DAEMON_ADDED, /* a site came on the watch list */
	DAEMON_REMOVED, /* a site was taken from it */
	DAEMON_DOCUMENT, /* an attempt to read a document was committed */
	DAEMON_PROBLEM, /* something else that the operator should know */
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
	/* CRAWLED: when the site is crawled again; 0: something was found */
	int64_t next_s;
	int64_t jump_s; /* CLOCK: how far ahead it jumped; below 0: back */
};

/* What the daemon has read so far. */
struct daemon_counts {
	uint64_t sites; /* on the watch list now */
	uint64_t crawls; /* of whole sites */
	/* of all its crawls: documents without robots.txt by their outcomes,
	 * refused children, lost targets, is_over_budget; the rest is 0 */
	struct run_totals totals;
};

/* Everything in it is borrowed and outlives the daemon. */
struct daemon_options {
	struct loop *loop;
	struct store *store;
	struct run *run; /* its before_commit calls frontier_save */
	struct frontier *frontier; /* with reads_documents */
	unsigned max_sites; /* how many are crawled at once */
	unsigned max_documents; /* how many the driver gets at once */
	int64_t keep_s; /* older readings are pruned; 0: none */
	bool is_once; /* read what is due now, no document twice, and end */
	/* which pages are asked (page_asks.h); NULL, or with is_once: none */
	const struct options *options;
	struct daemon_counts *counts; /* what is read is added to them */

	/* Called from the loop.  synced: frontier_sync() was called.
	 * over: the store has failed, or, with is_once, nothing is due any
	 * more; no callback is called after it. */
	void (*event)(void *arg, const struct daemon_event *);
	void (*synced)(void *arg);
	void (*over)(void *arg);
	void *arg;
};

/* daemon_new(options): a daemon that begins in the next round of the loop.
 * daemon_free(daemon): drop its crawls without events.  Call this function
 * before the run is freed; NULL is ignored. */
struct daemon *daemon_new(const struct daemon_options *);
void daemon_free(struct daemon *);

/* daemon_watch_changed(daemon, site_id): the site's row of the watch list was
 * written; the caller has called frontier_watch_changed(), and commits. */
void daemon_watch_changed(struct daemon *, int64_t site_id);

/* daemon_wake(daemon): others have committed readings, or changed what is due:
 * take a turn soon. */
void daemon_wake(struct daemon *);

/* daemon_next_s(daemon, now_s): when the next document or site is due;
 * INT64_MAX: none is known to be. */
int64_t daemon_next_s(struct daemon *, int64_t now_s);

/* daemon_stop(daemon): begin no more readings.  The driver commits what it has
 * begun; over is not called. */
void daemon_stop(struct daemon *);

/* daemon_log(log, now_s, event): write one line of the log (run.md). */
void daemon_log(struct log *, int64_t now_s, const struct daemon_event *);

#endif
