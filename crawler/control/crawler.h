/*
 * A crawler: the process that owns a store.  It has the frontier once a client
 * wants pages, and in `crawl`, `run`, `check` and `compare` also what asks the
 * network: the driver, the fetcher and the readers.
 */
#ifndef FRESHET_CRAWLER_H
#define FRESHET_CRAWLER_H

#include "crawler/archive/archive.h"
#include "crawler/cli/network.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_sites.h"
#include "crawler/control/control.h"
#include "crawler/control/frontier_service.h"
#include "crawler/control/progress.h"
#include "crawler/crawl/run.h"
#include "crawler/event/spool.h"
#include "crawler/sandbox/forkserver.h"
#include "sched/host_table.h"

/* The command sets the first part before crawler_open; the rest is zeroed. */
struct crawler {
	struct options *options;
	struct loop *loop; /* borrowed; NULL: one of its own */
	bool owns_loop;
	bool is_scratch; /* the store is thrown away */
	bool makes_store; /* if there is none */
	bool has_no_driver; /* it asks no server: run and readers are NULL */
	/* Without driver: a command that needs one wants the store.  Called
	 * from the loop; crawler_close() follows later. */
	void (*wanted)(void *wanted_arg);
	void *wanted_arg;
	struct read_checks checks;
	const char *agent; /* for run_options */
	const struct local_options *files; /* borrowed; NULL: no local files */
	run_body_fn *body; /* for run_options, with hooks_arg */
	void (*before_commit)(void *hooks_arg);
	/* A document that a client wants was committed, or NULL. */
	void (*client_read)(void *hooks_arg);
	/* A client changed a row of the watch list, or NULL. */
	void (*watch_changed)(void *hooks_arg, int64_t site_id);
	void *hooks_arg;

	struct network network;
	struct store *store;
	/* Of a shard in PostgreSQL; NULL: the store is a file. */
	struct shard_worker *worker; /* owned */
	struct depot *depot; /* owned by it, as `others` is */
	const struct host_others *others;
	bool is_elsewhere; /* another machine holds the shard */
	char lease_prefix[16]; /* of its tokens; empty: there is one shard */
	bool takes_mail; /* the request at hand came as mail */
	struct local *local;
	struct watch_rules watch_rules; /* of all sites */
	struct identity *identity; /* NULL: nothing is signed */
	struct signer signer; /* borrows from it */
	struct spool *spool;
	struct readers *readers;
	/* of robots.txt and sitemaps; NULL: they are not archived */
	struct archive *archive;
	bool is_archive_failing;
	struct run *run;
	uint32_t request; /* the crawl of the command itself */
	/* NULL until the first client asks for pages. */
	struct frontier *frontier;
	struct frontier_service *service;
	struct control *control; /* for other commands; NULL: not served */
	struct served *served; /* what the driver does for clients */
	struct progress *progress;
	struct stop_signals *signals; /* owned */
	int stopped_by; /* a signal, or 0 */
	/* of the readings before it was opened; 0: no past is kept */
	int64_t last_id;
	int64_t began_ms;
};

/* crawler_finds_store(path): is there a store?  A line on stderr says if not.
 */
bool crawler_finds_store(const char *path);

/* crawler_open(crawler, forkserver, why): open the store, then all else.
 * Sites at which earlier processes were at work when they aborted are set aside
 * (store/aside.h); a warning on stderr names these sites.
 * Returns EXIT_DONE, or the exit status after one line on stderr; for
 * EXIT_LOCKED the line is in why instead.  crawler_close must be called in any
 * case. */
int crawler_open(struct crawler *, struct forkserver *, struct buf *why);
void crawler_close(struct crawler *);

/*
 * crawler_close_run(crawler): close all but the store, the loop and the socket.
 * crawler_open_run(crawler, forkserver): open the same again with the options
 * as they are now, after network_policy; returns what crawler_open does.
 */
void crawler_close_run(struct crawler *);
int crawler_open_run(struct crawler *, struct forkserver *);

/* crawler_identity(options, now_s, identity): open the keys that sign requests;
 * *identity stays as it is if the options name none.  EXIT_DONE, or EXIT_USAGE
 * after one line on stderr. */
int crawler_identity(const struct options *, int64_t now_s, struct identity **);

/* crawler_open_frontier(crawler, frontier, service): make both; the caller has
 * set in the options what is its own, the crawler sets all else.  What was
 * crawled since is read, which a signal may interrupt. */
void crawler_open_frontier(struct crawler *, struct frontier_options *,
    struct frontier_service_options *);

/* crawler_need_frontier(crawler): the same for clients that want pages, unless
 * it is there. */
void crawler_need_frontier(struct crawler *);

/* crawler_allow_watched(crawler): requests may go to the targets of the watch
 * list, private ones, too. */
void crawler_allow_watched(struct crawler *);

/* crawler_commit(crawler, peer, answer, status, why): commit the open
 * transaction, send the answer, and end the peer.  If the commit fails, false,
 * and the peer is told that instead. */
bool crawler_commit(struct crawler *, struct control_peer *,
    struct slice answer, int status, struct slice why);

/* crawler_about(crawler): what its archives say of it; borrowed. */
struct archive_about crawler_about(const struct crawler *);

/* crawler_request(crawler): options for a crawl; the callbacks are not set. */
struct crawl_options crawler_request(const struct crawler *);

/* crawler_status(crawler, totals): the exit status; of several that fit, the
 * first in the order of the function. */
int crawler_status(const struct crawler *, const struct run_totals *);

/* crawler_trouble(crawler, why): has the driver failed?  Then one line says
 * why.  crawler_complain(crawler): the same, on stderr. */
bool crawler_trouble(const struct crawler *, struct buf *why);
bool crawler_complain(const struct crawler *);

/* crawler_sandbox(readers): a word for reports: "jailed", "off" (the
 * operator wants no sandbox), "unsupported" (by the kernel), or "in-process"
 * (there are no reader processes). */
const char *crawler_sandbox(const struct options_readers *);

#endif
