/* freshet crawl: read the sitemaps of sites into the store. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawl_join.h"
#include "crawler/control/crawler.h"
#include "crawler/control/crawler_serve.h"
#include "crawler/control/store_access.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/exit.h"
#include "crawler/event/stop_signals.h"

/* The blocks of a document, the cache of the store and the table in which URLs
 * are counted, which takes 8 MiB, fit into twice this. */
#define KEPT_BYTES (12 << 20)

static void
say(void *arg, enum stream stream, struct slice text)
{
	struct crawler *crawl = arg;

	if (text.len == 0)
		return;
	if (stream == STREAM_ERR && crawl->progress != NULL)
		progress_clear(crawl->progress);
	if (stream == STREAM_ERR)
		(void)fflush(stdout);
	(void)fwrite(
	    text.p, 1, text.len, stream == STREAM_ERR ? stderr : stdout);
	/* A program that reads the output learns of a commit right after it. */
	if (stream == STREAM_OUT)
		loop_timer_set(crawl->flush, 0);
}

static void
flush(void *arg)
{
	(void)arg;
	(void)fflush(stdout);
}

static void
on_signal(void *arg, int number)
{
	struct crawler *crawl = arg;

	crawl->stopped_by = number;
	run_stop(crawl->run);
}

/* All targets of this command are done. Other commands whose crawl this process
 * serves take over their own targets. */
static void
on_done(void *arg)
{
	struct crawler *crawl = arg;

	loop_stop(crawl->loop);
}

static int
take_targets(struct options *options, size_t *bad)
{
	int status;

	if (options->watch.tags.count > 0) {
		/* The targets of watched sites with a tag, in place of typed
		 * ones.  stdin may be a pipe that nobody writes to, as in a job
		 * of cron. */
		struct options_targets *targets = &options->targets;
		struct strings found = {0};

		if (targets->args.count > 0 || targets->input_files.count > 0 ||
		    (targets->has_stdin && !targets->is_piped)) {
			complain("give TARGETs or --tag, one of them");
			return EXIT_USAGE;
		}
		status = sites_tagged(options, true, &found);
		for (size_t i = 0; i < found.count; i++)
			string_list_add(&targets->args,
			    options_keep(options, slice_of(found.items[i])));
		strings_release(&found);
		return status;
	}
	status = targets_read(options, bad);
	if (status == EXIT_DONE && options->targets.args.count == 0) {
		complain("'crawl' needs a TARGET or --tag; see 'freshet help "
			 "crawl'");
		return EXIT_USAGE;
	}
	return status;
}

/* The crawl in this process. */

static int
crawl_here(struct crawler *crawl, size_t bad)
{
	struct run_totals totals;
	int status;

	const struct options *options = crawl->options;
	struct crawl_output_options how = {.is_json = options->output.is_json,
	    .sandbox = crawler_sandbox(&options->readers),
	    .is_quiet = options->output.is_quiet,
	    .write = say,
	    .arg = crawl};
	struct crawl_options request;

	crawl->flush = loop_timer_new(crawl->loop, flush, NULL);
	crawl->output = crawl_output_new(&how);
	request = crawler_request(crawl, crawl->output);
	request.is_continued = crawl->is_continued;
	request.done = on_done;
	request.done_arg = crawl;
	crawl->request = run_crawl(crawl->run, &request);
	/* targets_read() has checked the texts. */
	for (size_t i = 0; i < options->targets.args.count; i++)
		(void)run_target(crawl->run, crawl->request,
		    slice_of(options->targets.args.items[i]));
	crawl->progress = progress_new(crawl->loop, options->output.progress,
	    options->output.is_quiet, crawler_progress, crawl);
	crawl->signals = stop_signals_new(crawl->loop, on_signal, crawl);
	crawl->began_ms = loop_now_ms(crawl->loop);
	crawler_serve(crawl);
	run_start(crawl->run, crawl->request);

	loop_run(crawl->loop);
	/* keep what was read for other commands */
	run_stop(crawl->run);
	crawler_totals(crawl, crawl->request, &totals);
	status = crawler_status(crawl, &totals);
	if (status == EXIT_DONE && bad > 0)
		status = EXIT_FINDINGS;
	/* Print the totals on stdout, and on stderr what to do next. */
	progress_free(crawl->progress);
	crawl->progress = NULL;
	crawl_output_end(crawl->output, &totals,
	    crawl->before_ms + loop_now_ms(crawl->loop) - crawl->began_ms,
	    status);
	if (!crawler_complain(crawl) && crawl->stopped_by != 0)
		(void)fputs("freshet: interrupted; run the same command to "
			    "resume\n",
		    stderr);

	loop_timer_free(crawl->flush);
	return status;
}

/* A command that tries two ways in turn: to open the store, and to let another
 * process crawl. */
struct crawl_command {
	struct options *options;
	struct forkserver *forkserver;
	size_t bad; /* bad lines in lists of targets */
	struct loop *clock; /* owned */
	/* start of the crawl in another process; 0: not yet */
	int64_t began_ms;
	/* another process began the crawl, with these totals: */
	bool is_continued;
	struct run_totals before; /* its counts */
};

static int
try_here(void *arg, struct buf *why)
{
	struct crawl_command *command = arg;
	struct crawler crawl = {.options = command->options,
	    .is_continued = command->is_continued,
	    .before = command->before};
	int status;

	if (command->is_continued)
		crawl.before_ms = loop_now_ms(command->clock) -
		    command->began_ms;
	status = crawler_open(&crawl, command->forkserver, why);
	if (status == EXIT_DONE)
		status = crawl_here(&crawl, command->bad);
	crawler_close(&crawl);
	return status;
}

static int
try_there(void *arg, int64_t patience_ms, bool *has_heard)
{
	struct crawl_command *command = arg;
	int64_t now_ms = loop_now_ms(command->clock);
	struct joining joining = {.patience_ms = patience_ms,
	    .is_continued = command->is_continued,
	    .before = command->before};
	int status = crawl_join(command->options, &joining);

	if (status == JOIN_LEFT) {
		command->is_continued = true;
		if (command->began_ms == 0)
			command->began_ms = now_ms;
		*has_heard = true;
		/* Sum up the totals of a crawl that moved between processes. */
		struct run_totals *to = &command->before;
		struct run_totals sum = joining.totals;

		totals_continue(&sum, to);
		*to = sum;
	}
	if (status == JOIN_LEFT || status == JOIN_NOBODY)
		return EXIT_LOCKED;
	return status == EXIT_DONE && command->bad > 0 ? EXIT_FINDINGS : status;
}

int
command_crawl(struct options *options, struct forkserver *forkserver)
{
	struct crawl_command command = {
	    .options = options, .forkserver = forkserver};
	struct store_access access_to_store = {try_here, try_there, &command};
	int status;

	mem_keep(KEPT_BYTES);
	status = take_targets(options, &command.bad);
	if (status != EXIT_DONE)
		return status;
	command.clock = loop_new();
	status = store_access_run(&access_to_store);
	loop_free(command.clock);
	/* output that cannot be written is an error, unless the reader of the
	 * pipe has ended */
	if ((fflush(stdout) != 0 || ferror(stdout)) && !out_is_unheard())
		status = EXIT_DISK;
	return status;
}
