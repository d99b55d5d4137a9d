/*
 * The driver: crawls, each of which is one `crawl` over its targets.
 *
 *	targets -> robots.txt of each -> seeds -> documents -> children
 *
 * A crawl may join while others are under way; politeness, readers and
 * commits are shared, counts are not.  Everything that happens to one document
 *lies in a visit; every arrow between fetch, readers and store is a callback of
 *the loop.
 */
#ifndef FRESHET_RUN_H
#define FRESHET_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/crawl/local.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/policy.h"
#include "crawler/sandbox/readers.h"
#include "store/store.h"

struct reader_job;
struct run;

/*
 * run_body_fn: from the loop, before a document's bytes, which are the
 * spool's, are read under the job's scope; more than once when a proof comes
 * late.  Everything is borrowed.  It may stop the loop, and use nothing of the
 * run.
 */
typedef void run_body_fn(void *body_arg, int64_t document_id, struct slice url,
    const struct reader_job *, struct spool_file *);

/* Everything in it is borrowed and outlives the run. */
struct run_options {
	struct loop *loop;
	struct store *store;
	struct fetcher *fetcher;
	struct local *local; /* answers for it; NULL: nothing does */
	struct policy *policy;
	struct spool *spool;
	struct readers *readers;
	site_rules_fn *rules; /* of a host */
	void *rules_arg;
	const char *agent; /* whose rules of robots.txt hold; NULL: ours */
	uint64_t hash_key; /* nobody else's: for tables of hosts */
	uint64_t max_store_bytes; /* 0: no limit (HOSTILE T18) */
	unsigned max_backlog; /* bodies that wait for readers */
	struct read_checks checks; /* of every document; none by default */
	bool is_scratch; /* the store is thrown away */
	run_body_fn *body; /* sees every body; NULL: nobody does */
	void *body_arg;
	/* It is asked, or has answered: for how long it is asked nothing more,
	 * 0: its delay says so alone; or NULL.  It may not call the run. */
	int64_t (*asked)(void *asked_arg, struct slice host);
	void *asked_arg;
	/* Before each COMMIT of the run: what else belongs into it; or NULL. */
	void (*before_commit)(void *before_commit_arg);
	void *before_commit_arg;
};

/* A run can live for ever: what is over makes room in it for what comes. */
struct run *run_new(const struct run_options *);

/* run_free(run): what is under way is dropped; the fetcher and the readers
 * must have been freed before. */
void run_free(struct run *);

/* run_crawl(run, options): the number of a new crawl, without targets; after
 * its end another one's, but for the first: that is the run's own. */
uint32_t run_crawl(struct run *, const struct crawl_options *);

/* run_target(run, crawl, text): one more target, before run_start.  DIAG_OK,
 * or what is wrong with it. */
enum diag_code run_target(struct run *, uint32_t crawl, struct slice text);

/*
 * run_document(run, crawl, document_id): read that document of the store,
 * robots.txt, index or sitemap, conditionally; before run_start or after it,
 * from callbacks, too, until the crawl's done.  Nothing of what it leads to is
 * read: children that are new become documents of the store, and so do the
 * Sitemap lines of robots.txt, where the watch list names its origin.
 * robots.txt is not asked for while that of the store is fresh (SPEC R-104). It
 * waits while a crawl is at its site, or somebody reads it; limits of URLs are
 * for crawls.  Each ends with document, or with returned.
 */
void run_document(struct run *, uint32_t crawl, int64_t document_id);

/*
 * run_start(run, crawl): go.  A site that another crawl is at waits until
 * that one is through with it, and is then crawled once more; or those who read
 * single documents.  The loop stops by itself only when the store failed.
 */
void run_start(struct run *, uint32_t crawl);

/* run_drop(run, crawl): nobody waits for it any more: nothing further is
 * asked for, what is under way is committed, done is not called. */
void run_drop(struct run *, uint32_t crawl);

/* run_reload(run): the rules are asked for anew, for all that is under way,
 * too; the old ones are not used any more. */
void run_reload(struct run *);

/* run_stop(run): commit what was read, ask for nothing more, stop the loop. */
void run_stop(struct run *);

/* run_commit(run): COMMIT what waits, now, from the loop; false: the store
 * failed, and the run ends. */
bool run_commit(struct run *);

/* run_totals(run, crawl): until another one has its number. */
const struct run_totals *run_totals(struct run *, uint32_t crawl);

/* run_failure(run, *error): DIAG_OK, or why the run could not go on; error is
 * the errno behind it, 0: none. */
enum diag_code run_failure(const struct run *, int *error);

/* run_spare(run, host, wait_ms): somebody else asks that host now: it is not
 * asked for so long.  True when a task waits for the host. */
bool run_spare(struct run *, struct slice host, int64_t wait_ms);

#endif
