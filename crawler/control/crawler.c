/* freshet crawl: what a crawl stands on, and how it ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/cli/watch_rules.h"
#include "crawler/control/crawler.h"
#include "crawler/control/store_access.h"
#include "crawler/crawl/run_shared.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/exit.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/sandbox/sandbox.h"
#include "store/aside.h"

#define SCRATCH_FREE_BYTES (16ull << 20)
#define MAX_READERS 8
#define MAX_BACKLOG 256 /* bodies that wait for them */
#define JOBS_EACH 256
#define MAX_RESULT_BYTES (64ull << 20)

static int
open_store(struct crawler *crawl, struct buf *why)
{
	struct store_options options = {.path = crawl->options->store,
	    .is_scratch = crawl->is_scratch,
	    .min_free_bytes = crawl->is_scratch
		? SCRATCH_FREE_BYTES
		: crawl->options->limits.free_bytes};
	enum diag_code code;

	if (crawl->options->is_default_store &&
	    !options_make_folder(crawl->options))
		return EXIT_USAGE;
	code = store_open(&options, &crawl->store, why);
	if (code == DIAG_OK && !crawl->is_scratch)
		store_access_opened(crawl->store, crawl->options);
	if (code != DIAG_OK && code != DIAG_STORE_LOCKED)
		complain("%s: %s", diag_name(code), buf_str(why));
	return code == DIAG_OK ? EXIT_DONE : exit_of_store(code);
}

/* reader_count(options): one for each processor. */
static unsigned
reader_count(const struct options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (options->has_readers)
		return options->readers;
	if (processors < 1)
		return 1;
	return processors > MAX_READERS ? MAX_READERS : (unsigned)processors;
}

const char *
crawler_sandbox(const struct options *options)
{
	if (reader_count(options) == 0)
		return "in-process";
	if (options->sandbox == SANDBOX_OFF)
		return "off";
	return sandbox_is_supported() ? "jailed" : "unsupported";
}

/* Hosts that the run and the fetchers of its frontier ask together
 * (frontier_pace.h). */

static bool
on_handed(void *arg, struct slice host, int64_t wait_ms)
{
	const struct crawler *crawl = arg;

	return run_spare(crawl->run, host, wait_ms);
}

void
crawler_share(struct crawler *crawl, struct frontier *frontier)
{
	crawl->frontier = frontier;
	frontier_set_handed(frontier, on_handed, crawl);
}

static int64_t
crawler_asked(void *arg, struct slice host)
{
	const struct crawler *crawl = arg;

	return crawl->frontier == NULL ? 0
				       : frontier_asked(crawl->frontier, host);
}

static void
open_run(struct crawler *crawl)
{
	struct run_options how;

	crawl->watch_rules = watch_rules_new(crawl->options, crawl->store);
	how = (struct run_options){.loop = crawl->loop,
	    .store = crawl->store,
	    .fetcher = crawl->network.fetcher,
	    .local = crawl->local,
	    .checks = crawl->checks,
	    .is_scratch = crawl->is_scratch,
	    .policy = crawl->network.policy,
	    .spool = crawl->spool,
	    .readers = crawl->readers,
	    .rules = crawl->rules != NULL ? crawl->rules : watch_rules_of,
	    .rules_arg = crawl->rules != NULL ? crawl->hooks_arg
					      : crawl->watch_rules,
	    .body = crawl->body,
	    .body_arg = crawl->hooks_arg,
	    .before_commit = crawl->before_commit,
	    .before_commit_arg = crawl->hooks_arg,
	    .asked = crawler_asked,
	    .asked_arg = crawl,
	    .agent = crawl->agent,
	    .hash_key = network_key(),
	    .max_store_bytes = crawl->is_scratch
		? 0
		: crawl->options->limits.store_bytes,
	    .max_backlog = MAX_BACKLOG};

	crawl->run = run_new(&how);
}

int
crawler_open_run(struct crawler *crawl, struct forkserver *forkserver)
{
	struct readers_options readers = {.count = reader_count(crawl->options),
	    .job_wall_ms = (uint32_t)crawl->options->limits.reader_time_ms,
	    .jobs_each = JOBS_EACH,
	    .isolation = crawl->options->isolation,
	    .max_result_bytes = MAX_RESULT_BYTES};
	int status;

	if (crawl->files != NULL)
		crawl->local = local_new(crawl->loop, crawl->files);
	crawl->spool = spool_new(NULL);
	crawl->readers = readers_new(crawl->loop, forkserver, &readers);
	status = network_open(&crawl->network, crawl->loop, crawl->options);
	if (status == EXIT_DONE)
		open_run(crawl);
	return status;
}

int
crawler_open(
    struct crawler *crawl, struct forkserver *forkserver, struct buf *why)
{
	int status = network_policy(&crawl->network, crawl->options);

	if (status == EXIT_DONE)
		status = open_store(crawl, why);
	if (status != EXIT_DONE)
		return status;
	crawl->loop = loop_new();
	return crawler_open_run(crawl, forkserver);
}

void
crawler_close_run(struct crawler *crawl)
{
	frontier_service_free(crawl->service);
	crawl->service = NULL;
	frontier_free(crawl->frontier);
	crawl->frontier = NULL;
	network_release(&crawl->network);
	readers_free(crawl->readers);
	crawl->readers = NULL;
	run_free(crawl->run);
	crawl->run = NULL;
	watch_rules_free(crawl->watch_rules);
	crawl->watch_rules = NULL;
	local_free(crawl->local);
	crawl->local = NULL;
	spool_free(crawl->spool);
	crawl->spool = NULL;
}

void
crawler_close(struct crawler *crawl)
{
	aside_end();
	frontier_service_settle(crawl->service);
	control_free(crawl->control);
	progress_free(crawl->progress);
	crawler_close_run(crawl);
	store_close(crawl->store);
	stop_signals_free(crawl->signals);
	loop_free(crawl->loop);
	crawl_output_free(crawl->teller);
}

struct crawl_options
crawler_request(const struct crawler *crawl, struct crawl_output *teller)
{
	const struct options *options = crawl->options;

	return (struct crawl_options){
	    .max_urls = options->max_urls > 0 ? options->max_urls : UINT64_MAX,
	    .is_forced = options->is_forced,
	    .document = crawl_output_document,
	    .problem = crawl_output_problem,
	    .arg = teller};
}

void
crawler_totals(
    const struct crawler *crawl, uint32_t request, struct run_totals *totals)
{
	*totals = *run_totals(crawl->run, request);
	if (request == crawl->request)
		totals_continue(totals, &crawl->before);
}

int
crawler_readers_lost(int error)
{
	char room[128];

	if (error == 0)
		complain("the process that starts readers died again and "
			 "again: please report how; the last commit is intact, "
			 "run the same command to resume");
	else
		complain("no reader can be started: %s; the last commit is "
			 "intact, run the same command to resume",
		    strerror_r(error, room, sizeof(room)));
	return error == 0 ? EXIT_BUG : EXIT_RESOURCES;
}

bool
crawler_complain(const struct crawler *crawl)
{
	char room[128];
	int error;
	enum diag_code fatal = run_failure(crawl->run, &error);
	const char *why = strerror_r(error, room, sizeof(room));

	if (fatal == DIAG_READER_CRASHED)
		(void)crawler_readers_lost(error);
	else if (error == EMFILE || error == ENFILE)
		complain("no descriptor is left for a body: %s; see 'ulimit "
			 "-n'",
		    why);
	else if (error != 0)
		complain("no room for a body in the folder for temporary "
			 "files: %s",
		    why);
	else if (fatal != DIAG_OK)
		(void)complain_of_store(crawl->store, fatal);
	return fatal != DIAG_OK || error != 0;
}

int
crawler_status(const struct crawler *crawl, const struct run_totals *totals)
{
	int error;
	enum diag_code fatal = run_failure(crawl->run, &error);

	if (fatal == DIAG_READER_CRASHED)
		return error == 0 ? EXIT_BUG : EXIT_RESOURCES;
	if (error == EMFILE || error == ENFILE)
		return EXIT_RESOURCES;
	if (fatal != DIAG_OK)
		return exit_of_store(fatal);
	if (totals->codes[DIAG_STORE_DAMAGED] > 0)
		return EXIT_DAMAGED;
	if (crawl->stopped_by != 0)
		return 128 + crawl->stopped_by;
	/* Nothing may have been asked for at all. */
	if (totals->is_over_budget &&
	    totals->failed + totals->refused + totals->lost_targets == 0)
		return EXIT_BUDGET;
	if (totals->read + totals->unchanged + totals->already == 0)
		return EXIT_NO_TARGET;
	if (totals->is_over_budget)
		return EXIT_BUDGET;
	if (totals->failed + totals->refused + totals->partial +
		totals->lost_targets + totals->refused_children >
	    0)
		return EXIT_FINDINGS;
	return EXIT_DONE;
}
