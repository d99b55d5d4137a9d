/* One crawl command at work; shared by the files of cmd_crawl. */
#ifndef FRESHET_CRAWL_H
#define FRESHET_CRAWL_H

#include "crawler/cli/options.h"
#include "crawler/control/control.h"
#include "crawler/control/crawl_output.h"
#include "crawler/control/frontier_service.h"
#include "crawler/control/network.h"
#include "crawler/control/progress.h"
#include "crawler/crawl/run.h"
#include "crawler/event/spool.h"
#include "crawler/sandbox/forkserver.h"

struct crawler {
	struct options *options;
	bool is_scratch; /* its store is thrown away */
	struct read_checks checks;
	const char *agent; /* as of run_options */
	const struct local_options *files; /* borrowed; NULL: none */
	struct local *local;
	/* of run_options, with one argument; NULL: the options' rules */
	site_rules_fn *rules;
	run_body_fn *body;
	/* of what others ask for, each may be NULL: a document of theirs was
	 * committed; a row of the watch list was */
	void (*before_commit)(void *hooks_arg);
	void (*guest_read)(void *hooks_arg);
	void (*watch_changed)(void *hooks_arg, int64_t site_id);
	void *hooks_arg;
	struct watch_rules
	    *watch_rules; /* of all sites, unless there are such */
	struct network network;
	struct loop *loop;
	struct store *store;
	struct spool *spool;
	struct readers *readers;
	struct run *run;
	uint32_t request; /* the crawl of the command itself */
	bool is_continued; /* of what another process began for it: */
	struct run_totals before; /* the counts there */
	int64_t before_ms; /* and the time spent there */
	/* Once somebody asked for pages; NULL before. */
	struct frontier *frontier;
	struct frontier_service *service;
	struct control *control; /* others ask through it; NULL: they cannot */
	struct progress *progress;
	struct crawl_output *teller;
	struct stop_signals *signals; /* owned */
	int stopped_by; /* a signal, 0: none */
	int64_t began_ms;
};

/*
 * crawler_open(crawl, forkserver, why): the store first, then all else.
 * Returns EXIT_DONE, or the status after one line on stderr; of EXIT_LOCKED
 * the line is in why instead.  crawler_close in any case.
 * crawler_close_run(crawl): all but the store and the loop.
 * crawler_open_run(crawl, forkserver): as the options are now; after
 * network_policy.
 */
int crawler_open(struct crawler *, struct forkserver *, struct buf *why);
void crawler_close(struct crawler *);
void crawler_close_run(struct crawler *);
int crawler_open_run(struct crawler *, struct forkserver *);

/* crawler_sandbox(options): a word for reports on what holds the readers:
 * sandboxed; off: the operator wants none; unsupported: by the kernel;
 * in-process: there are no readers. */
const char *crawler_sandbox(const struct options *);

/* crawler_request(crawl, teller): a crawl that tells the teller; done is not
 * set.
 */
struct crawl_options crawler_request(
    const struct crawler *, struct crawl_output *);

/* crawler_totals(crawl, crawl, *totals): what is told of it at its end. */
void crawler_totals(
    const struct crawler *, uint32_t crawl, struct run_totals *totals);

/* crawler_status(crawl, totals): CLI section 3, in its order of precedence. */
int crawler_status(const struct crawler *, const struct run_totals *);

/* crawler_readers_lost(error): one line on stderr on readers_are_lost; the exit
 * status for it. */
int crawler_readers_lost(int error);

/* crawler_complain(crawl): one line on stderr on why the run could not go on;
 * nothing, and false, when it could. */
bool crawler_complain(const struct crawler *);

/* crawler_share(crawler, frontier): use this frontier from now on; the crawler
 * owns it.  The run and the fetchers of the frontier then ask hosts together:
 * each keeps the delays for the requests of both. */
void crawler_share(struct crawler *, struct frontier *);

/* crawler_serve(crawl): take the requests of others from now on. */
void crawler_serve(struct crawler *);

#endif
