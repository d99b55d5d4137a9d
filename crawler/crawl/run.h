/*
 * The driver: crawls, each of which goes from targets to commits.
 *
 *	targets -> robots.txt of each -> seeds -> documents -> children
 *
 * A crawl may join while others are under way: politeness, readers and
 * commits are shared, counts are not.  What happens to one document is kept
 * in a task, see run_tables.h; every answer, reading and commit is a callback
 * from the loop.
 */
#ifndef FRESHET_RUN_H
#define FRESHET_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/site_rules.h"
#include "base/slice.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/crawl/local.h"
#include "crawler/crawl/run_sign.h"
#include "crawler/event/loop.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/policy.h"
#include "crawler/sandbox/readers.h"
#include "store/store.h"

struct host_others;
struct host_table;
struct reader_job;
struct run;

/* run_body_fn: called from the loop when the body of a document is in the
 * spool, before it is read under the scope of the job; called again if the
 * document is read again because a proof comes late. Everything is borrowed.
 * The function may stop the loop, but not call the run. */
typedef void run_body_fn(void *body_arg, int64_t document_id, struct slice url,
    const struct reader_job *, struct spool_file *);

/* Everything is borrowed and outlives the run. */
struct run_options {
	struct loop *loop;
	struct store *store;
	struct fetcher *fetcher;
	struct local *local; /* answers URLs from files; NULL: no URL is */
	struct policy *policy;
	struct spool *spool;
	struct readers *readers;
	site_rules_fn *rules; /* the rules of a host */
	void *rules_arg;
	/* other processes that ask hosts, see host_table.h; NULL: none */
	const struct host_others *others;
	/* product token whose rules in robots.txt hold; NULL: freshet's */
	const char *agent;
	struct signer signer; /* of requests; zeroed: nothing is signed */
	uint64_t hash_key; /* secret, for tables of hosts */
	uint64_t max_store_bytes; /* 0: no limit (HOSTILE T18) */
	unsigned max_backlog; /* bodies that may wait for readers */
	struct read_checks checks; /* for every document; none by default */
	bool is_scratch; /* the store is deleted after the run */
	bool is_scan_off; /* libxml2 reads every document: see scope.h */
	run_body_fn *body; /* called for every body; NULL: not called */
	void *body_arg;
	/* Called for each answer to a request for robots.txt or a sitemap,
	 * before it is looked at. NULL: not called. The members of struct
	 * page_exchange that concern a page are zero. */
	void (*exchange)(void *exchange_arg, const struct page_exchange *);
	void *exchange_arg;
	/* Called before each COMMIT of the run, so that the caller can add its
	 * own changes to the transaction. May be NULL. */
	void (*before_commit)(void *before_commit_arg);
	void *before_commit_arg;
};

/* A run can live for ever: tasks, sites and crawls that are over make room for
 * new ones. */
struct run *run_new(const struct run_options *);

/* run_free(run): drop what is under way. The caller has freed the fetcher and
 * the readers before. */
void run_free(struct run *);

/* run_crawl(run, options): the number of a new crawl, which has no targets
 * yet. After the end of the crawl another one may get the number, except that
 * of the first crawl, which stays for the life of the run. */
uint32_t run_crawl(struct run *, const struct crawl_options *);

/* run_target(run, crawl, text): add a target; call it before run_start().
 * Returns DIAG_OK, or what is wrong with the target. */
enum diag_code run_target(struct run *, uint32_t crawl, struct slice text);

/*
 * run_document(run, crawl, document_id): read that document of the store
 * (robots.txt, index or sitemap), with a conditional request.  May be called
 * before and after run_start(), from callbacks, too, until `done` of the crawl
 * is called.
 *
 * Nothing that the document leads to is read: new children become documents
 * of the store, and so do Sitemap lines of robots.txt if the watch list names
 * its origin.  robots.txt is not asked for while the stored one is fresh
 * (SPEC R-104). The document waits while a crawl is at its site, or somebody
 * reads it. The limits of URLs do not apply. For each call of run_document(),
 * either `document` or `returned` of the crawl's options is called once.
 */
void run_document(struct run *, uint32_t crawl, int64_t document_id);

/* The longest time that a crawl waits for a host that is held: the first pause
 * after a 429 without Retry-After is as long (store/hold.h). */
#define MAX_PARK_MS 75000

/* A page to fetch.  Everything is copied. */
struct page_order {
	int64_t site_id; /* the site whose rules hold */
	struct slice url; /* normalised */
	uint64_t id; /* the caller's, told back */
	/* validators of the page, for its first hop; empty: none */
	struct slice etag, last_modified;
	uint64_t max_bytes; /* of a longer body, the beginning is kept */
	bool is_head; /* only the headers are asked for */
	bool is_identity; /* no content coding is offered */
	bool wants_text; /* the main text, in listed_page.text_fd */
	bool wants_exchange; /* call `exchange` of the crawl's options */
};

/*
 * run_page(run, crawl, order): fetch a page, for a crawl that takes_pages and
 * was started, until run_drop().  robots.txt of the origin of each hop is asked
 * for first, unless it is known and fresh; the delay of the host is kept, which
 * pages and documents share in turns; redirects and further tries are as of
 * documents.
 *
 * For each call, either `page` of the crawl's options is called once, or
 * `page_returned`; never from within run_page(), and neither after run_drop()
 * or run_stop().
 */
void run_page(struct run *, uint32_t crawl, const struct page_order *);

/* run_start(run, crawl): begin the crawl. While another crawl is at one of its
 * sites, the crawl waits, and then crawls that site once more; it also waits
 * for single documents of the site. The loop stops by itself only when the
 * store failed. */
void run_start(struct run *, uint32_t crawl);

/* run_drop(run, crawl): nobody waits for the crawl any more. It sends no
 * further requests and commits what is under way; `done` is not called. */
void run_drop(struct run *, uint32_t crawl);

/* run_stop(run): send no further requests, commit what was read, stop the
 * loop. */
void run_stop(struct run *);

/* run_commit(run): COMMIT at once what is not committed yet, and wait until it
 * is durable; call it from the loop. False: the store failed, and the run ends.
 */
bool run_commit(struct run *);

/* run_commit_begin(run): the same without the wait; call it while the store is
 * not full (store_is_full). */
bool run_commit_begin(struct run *);

/* run_acked(run): COMMITs of the store have become durable, or the store has
 * failed; for a store whose COMMITs are durable later (store_is_durable). */
void run_acked(struct run *);

/* run_totals(run, crawl): the counts of the crawl; borrowed until another crawl
 * gets the number. */
const struct run_totals *run_totals(struct run *, uint32_t crawl);

/* run_failure(run, *error): DIAG_OK, or why the run could not go on; *error
 * is the errno behind it, 0: none. */
enum diag_code run_failure(const struct run *, int *error);

/* run_hosts(run): the hosts, and when they may be asked; borrowed.  Whoever
 * sends requests besides the run shares this table with it. */
struct host_table *run_hosts(struct run *);

#endif
