/* freshet crawl: read the sitemaps of sites into the store. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/vis.h"
#include "crawler/commands.h"
#include "crawler/crawl.h"
#include "crawler/exit.h"
#include "crawler/target.h"

#define LOCK_WAIT_MS 5000 /* CLI section 2 */
#define LOCK_STEP_MS 50

static void
say(void *arg, enum stream stream, struct slice text)
{
	struct crawl *crawl = arg;

	if (text.len == 0)
		return;
	if (stream == STREAM_ERR && crawl->progress != NULL)
		progress_clear(crawl->progress);
	(void)fwrite(
	    text.p, 1, text.len, stream == STREAM_ERR ? stderr : stdout);
	/* Whoever reads along hears of a commit when it has happened. */
	if (stream == STREAM_OUT)
		(void)fflush(stdout);
}

static void
on_signal(struct crawl *crawl, int number)
{
	if (crawl->stopped_by != 0)
		_exit(128 + number);
	crawl->stopped_by = number;
	run_stop(crawl->run);
}

static void
on_interrupt(void *arg)
{
	on_signal(arg, SIGINT);
}

static void
on_terminate(void *arg)
{
	on_signal(arg, SIGTERM);
}

/* on_done(arg): all that this command asked for; others take over what they
 * asked for themselves. */
static void
on_done(void *arg)
{
	struct crawl *crawl = arg;

	loop_stop(crawl->loop);
}

static const struct run_totals *
totals_of(void *arg)
{
	const struct crawl *crawl = arg;

	return run_totals(crawl->run, crawl->party);
}

/* Targets. */

/* complain(subject, text): one line on stderr; the subject is foreign. */
static void
complain(const char *subject, const char *text, enum diag_code code)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line, "freshet: '");
	vis_put(&line, slice_of(subject), 1000);
	(void)buf_print(&line, "': %s", text);
	if (code != DIAG_OK)
		(void)buf_print(&line, ": %s: %s", diag_name(code),
		    diag_info(code)->trigger);
	(void)fprintf(stderr, "%s\n", buf_str(&line));
	buf_release(&line);
}

static bool
is_target(const char *text)
{
	struct target target;
	enum diag_code code = target_parse(&target, slice_of(text));

	target_release(&target);
	if (code != DIAG_OK && access(text, F_OK) == 0)
		complain(text,
		    "is a file: crawl reads sites over http or https", DIAG_OK);
	else if (code != DIAG_OK)
		complain(text, "is neither a host nor a URL", code);
	return code == DIAG_OK;
}

/*
 * check_targets(options, typed, *bad): those that were typed must be right,
 * before anything is asked; a bad line in a long list costs itself only.
 */
static int
check_targets(struct options *options, size_t typed, size_t *bad)
{
	struct words *args = &options->args;
	size_t kept = 0;

	*bad = 0;
	for (size_t i = 0; i < args->count; i++) {
		if (is_target(args->items[i]))
			args->items[kept++] = args->items[i];
		else if (i < typed)
			return EXIT_USAGE;
		else
			(*bad)++;
	}
	args->count = kept;
	return EXIT_DONE;
}

static int
take_targets(struct options *options, size_t *bad)
{
	size_t typed = options->args.count;
	int status;

	if (!options_read_targets(options))
		return EXIT_USAGE;
	if (options->args.count == 0) {
		(void)fputs("freshet: crawl needs a target: a host, or the "
			    "URL of a site, an index or a sitemap\n",
		    stderr);
		return EXIT_USAGE;
	}
	status = check_targets(options, typed, bad);
	if (status == EXIT_DONE && options->args.count == 0)
		status = EXIT_NO_TARGET;
	return status;
}

/* The crawl itself. */

static void
start(struct crawl *crawl)
{
	const struct options *options = crawl->options;
	struct teller_options how = {.is_json = options->is_json,
	    .is_quiet = options->is_quiet,
	    .say = say,
	    .arg = crawl};
	struct party_options party;

	crawl->teller = teller_new(&how);
	party = crawl_party(crawl, crawl->teller);
	party.is_forced = options->is_forced;
	party.done = on_done;
	party.done_arg = crawl;
	crawl->party = run_party(crawl->run, &party);
	for (size_t i = 0; i < options->args.count; i++)
		(void)run_target(crawl->run, crawl->party,
		    slice_of(options->args.items[i])); /* all are right */
	crawl->progress = progress_new(crawl->loop, options->progress,
	    options->is_quiet, totals_of, crawl);
	crawl->interrupt = loop_signal_new(
	    crawl->loop, SIGINT, on_interrupt, crawl);
	crawl->terminate = loop_signal_new(
	    crawl->loop, SIGTERM, on_terminate, crawl);
	crawl->began_ms = loop_now_ms(crawl->loop);
	crawl_serve(crawl);
	run_start(crawl->run, crawl->party);
}

/* report(crawl, status): the end, on stdout, and what to do next on stderr. */
static void
report(struct crawl *crawl, int status)
{
	int error;
	enum diag_code fatal = run_failure(crawl->run, &error);

	progress_free(crawl->progress);
	crawl->progress = NULL;
	teller_end(crawl->teller, run_totals(crawl->run, crawl->party),
	    loop_now_ms(crawl->loop) - crawl->began_ms, status);
	if (error != 0)
		(void)fprintf(stderr,
		    "freshet: no room for a body in the folder for temporary "
		    "files: %s\n",
		    strerrordesc_np(error));
	else if (fatal == DIAG_READER_CRASHED)
		(void)fputs("freshet: the process that starts readers died "
			    "again and again: please report how; the last "
			    "commit is intact, run the same command to "
			    "resume\n",
		    stderr);
	else if (fatal != DIAG_OK)
		(void)fprintf(stderr, "freshet: %s: %s\n", diag_name(fatal),
		    diag_info(fatal)->trigger);
	else if (crawl->stopped_by != 0)
		(void)fputs("freshet: interrupted; run the same command to "
			    "resume\n",
		    stderr);
}

static int
crawl_here(struct crawl *crawl, size_t bad)
{
	int status;

	start(crawl);
	loop_run(crawl->loop);
	/* What was read for others is kept for them. */
	run_stop(crawl->run);
	status = crawl_status(crawl, crawl->party);
	if (status == EXIT_DONE && bad > 0)
		status = EXIT_FINDINGS;
	report(crawl, status);
	return status;
}

static void
wait_a_little(void)
{
	struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000L};

	(void)nanosleep(&step, NULL);
}

/*
 * crawl_somewhere(options, forkserver, bad): here, when the store is free,
 * else where it is held; who waits for an answer waits 5 s.
 */
static int
crawl_somewhere(
    struct options *options, struct forkserver *forkserver, size_t bad)
{
	int status = EXIT_LOCKED;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	for (int waited_ms = 0; status == EXIT_LOCKED;
	     waited_ms += LOCK_STEP_MS) {
		struct crawl crawl = {.options = options};

		buf_clear(&why);
		status = crawl_open(&crawl, forkserver, &why);
		if (status == EXIT_DONE)
			status = crawl_here(&crawl, bad);
		crawl_close(&crawl);
		if (status != EXIT_LOCKED || waited_ms >= LOCK_WAIT_MS)
			break;
		status = crawl_join(options);
		if (status == JOIN_LEFT)
			waited_ms = 0;
		if (status == JOIN_LEFT || status == JOIN_NOBODY) {
			status = EXIT_LOCKED;
			wait_a_little();
		} else if (status == EXIT_DONE && bad > 0) {
			status = EXIT_FINDINGS;
		}
	}
	if (status == EXIT_LOCKED)
		(void)fprintf(stderr, "freshet: %s: %s\n",
		    diag_name(DIAG_STORE_LOCKED), buf_str(&why));
	buf_release(&why);
	return status;
}

int
command_crawl(struct options *options, struct forkserver *forkserver)
{
	size_t bad;
	int status = take_targets(options, &bad);

	if (status != EXIT_DONE)
		return status;
	status = crawl_somewhere(options, forkserver, bad);
	/* What nobody could hear was not said. */
	if (fflush(stdout) != 0 || ferror(stdout))
		status = EXIT_DISK;
	return status;
}
