/*
 * A crawler: the process that owns a store and asks the network for it, with
 * the driver, the fetcher, the readers, and the frontier once a client wants
 * pages. `crawl`, `run`, `check` and `compare` each have one.
 */
#ifndef FRESHET_CRAWLER_H
#define FRESHET_CRAWLER_H

#include "crawler/cli/options.h"
#include "crawler/control/control.h"
#include "crawler/control/crawl_output.h"
#include "crawler/control/frontier_service.h"
#include "crawler/control/network.h"
#include "crawler/control/progress.h"
#include "crawler/crawl/run.h"
#include "crawler/event/spool.h"
#include "crawler/sandbox/forkserver.h"

/* The command sets the first part before crawler_open; the rest is zeroed. */
struct crawler {
	struct options *options;
	bool is_scratch; /* the store is thrown away */
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
	struct loop *loop;
	struct store *store;
	struct local *local;
	struct watch_rules *watch_rules; /* of all sites */
	struct spool *spool;
	struct readers *readers;
	struct run *run;
	uint32_t request; /* the crawl of the command itself */
	bool is_continued; /* another process began that crawl: */
	struct run_totals before; /* the counts of that process */
	int64_t before_ms; /* the time that it spent */
	/* NULL until the first client asks for pages. */
	struct frontier *frontier;
	struct frontier_service *service;
	struct control *control; /* the socket; NULL: none */
	struct progress *progress;
	struct crawl_output *output;
	struct loop_timer *flush; /* of stdout; command_crawl() owns it */
	struct stop_signals *signals; /* owned */
	int stopped_by; /* a signal, or 0 */
	int64_t began_ms;
};

/*
 * crawler_open(crawler, forkserver, why): open the store, then all else.
 * Returns EXIT_DONE, or the exit status after one line on stderr; for
 * EXIT_LOCKED the line is in why instead.  crawler_close must be called in any
 * case.
 */
int crawler_open(struct crawler *, struct forkserver *, struct buf *why);
void crawler_close(struct crawler *);

/*
 * crawler_close_run(crawler): close all but the store, the loop and the socket.
 * crawler_open_run(crawler, forkserver): open the same again with the options
 * as they are now, after network_policy; returns what crawler_open does.
 */
void crawler_close_run(struct crawler *);
int crawler_open_run(struct crawler *, struct forkserver *);

/*
 * scratch_store_make(*folder): the path for a new store in a new folder; both
 * are owned.  NULL with errno. scratch_store_hide(folder): unlink store and
 * folder, once the store is open: nothing is left behind, however this process
 * ends.  Frees *folder and sets it to NULL; a NULL *folder is ignored.
 */
char *scratch_store_make(char **folder);
void scratch_store_hide(char **folder);

/* crawler_share(crawler, frontier): use this frontier from now on; the crawler
 * owns it.  The driver and the fetchers of the frontier then keep the delays of
 * hosts together. */
void crawler_share(struct crawler *, struct frontier *);

/* crawler_request(crawler, output): options for a crawl that reports to the
 * output; `done` is not set. */
struct crawl_options crawler_request(
    const struct crawler *, struct crawl_output *);

/* crawler_totals(crawler, request, *totals): the counts of a crawl, for its
 * report, with those of the process that began it. */
void crawler_totals(
    const struct crawler *, uint32_t request, struct run_totals *totals);

/* crawler_progress(crawler): for progress_new(): what this process has counted
 * so far of the crawl of the command itself. */
const struct run_totals *crawler_progress(void *crawler);

/* crawler_status(crawler, totals): the exit status; of several that fit, the
 * first in the order of the function. */
int crawler_status(const struct crawler *, const struct run_totals *);

/* crawler_complain(crawler): if the driver failed, one line on stderr that says
 * why, and true. */
bool crawler_complain(const struct crawler *);

/* crawler_readers_lost(error): one line on stderr about readers that cannot be
 * started (errno, or 0 when their parent died); returns the exit status. */
int crawler_readers_lost(int error);

/* crawler_sandbox(readers): a word for reports: "jailed", "off" (the
 * operator wants no sandbox), "unsupported" (by the kernel), or "in-process"
 * (there are no reader processes). */
const char *crawler_sandbox(const struct options_readers *);

#endif
