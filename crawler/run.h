/*
 * The driver: one run of `crawl` over its targets.
 *
 *	targets -> robots.txt of each -> seeds -> documents -> children
 *
 * Everything that happens to one document lies in a visit; every arrow
 * between fetch, readers and store is a callback of the loop.
 */
#ifndef FRESHET_RUN_H
#define FRESHET_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/fetch.h"
#include "crawler/loop.h"
#include "crawler/policy.h"
#include "crawler/readers.h"
#include "crawler/site_rules.h"
#include "crawler/spool.h"
#include "store/store.h"

struct run;

/* Everything in it is borrowed and outlives the run. */
struct run_options {
	struct loop *loop;
	struct store *store;
	struct fetcher *fetcher;
	struct policy *policy;
	struct spool *spool;
	struct readers *readers;
	site_rules_fn *rules; /* of a host, asked with arg */
	uint64_t max_urls; /* of the whole run */
	unsigned max_backlog; /* bodies that wait for readers */
	bool is_forced; /* no conditions, nothing is skipped */

	/* document: an attempt was committed; reading is borrowed.
	 * problem: one line for people; code is DIAG_OK when it has none. */
	void (*document)(void *arg, struct slice url, const struct reading *);
	void (*problem)(
	    void *arg, enum diag_code, struct slice url, struct slice text);
	void *arg;
};

/* What has been counted so far. Documents do not include robots.txt. */
struct run_totals {
	uint64_t sites;
	uint64_t known; /* documents that this run has to look at */
	uint64_t done;
	uint64_t read, unchanged, failed, refused;
	uint64_t partial; /* of read: not to their ends */
	uint64_t already; /* read before this run was interrupted */
	uint64_t listed; /* entries of all documents that were done */
	uint64_t changes[DELTA_KINDS];
	uint64_t refused_entries;
	uint64_t refused_children; /* of these: of indexes */
	uint64_t codes[DIAG_COUNT]; /* findings, occurrences */
	uint64_t wire_bytes;
	uint64_t requests;
	uint64_t lost_targets; /* sites at which nothing was found */
	bool is_over_budget;
	int error; /* errno behind `fatal`, 0: none */
	enum diag_code fatal; /* DIAG_OK, or why the run could not go on */
};

struct run *run_new(const struct run_options *);

/* run_free(run): what is under way is dropped; the fetcher and the readers
 * must have been freed before. */
void run_free(struct run *);

/* run_target(run, text): one more target, before run_start.  DIAG_OK, or what
 * is wrong with it. */
enum diag_code run_target(struct run *, struct slice text);

/* run_start(run): go; the loop stops when all is done, run_stop was called or
 * the store failed. */
void run_start(struct run *);

/* run_stop(run): commit what was read, ask for nothing more, stop the loop. */
void run_stop(struct run *);

const struct run_totals *run_totals(const struct run *);

#endif
