/* freshet crawl: read the sitemaps of sites into the store. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "crawler/commands.h"
#include "crawler/crawl.h"
#include "crawler/exit.h"
#include "crawler/out.h"
#include "crawler/targets.h"
#include "crawler/totals.h"

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

static int
take_targets(struct options *options, size_t *bad)
{
	int status = targets_read(options, bad);

	if (status == EXIT_DONE && options->args.count == 0) {
		complain("crawl needs a target: a host, or the URL of a site, "
			 "an index or a sitemap");
		return EXIT_USAGE;
	}
	return status;
}

/* The crawl itself. */

static void
start(struct crawl *crawl)
{
	const struct options *options = crawl->options;
	struct teller_options how = {.is_json = options->is_json,
	    .sandbox = crawl_sandbox(options),
	    .is_quiet = options->is_quiet,
	    .say = say,
	    .arg = crawl};
	struct party_options party;

	crawl->teller = teller_new(&how);
	party = crawl_party(crawl, crawl->teller);
	party.is_continued = crawl->is_continued;
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
report(struct crawl *crawl, const struct run_totals *totals, int status)
{
	progress_free(crawl->progress);
	crawl->progress = NULL;
	teller_end(crawl->teller, totals,
	    crawl->before_ms + loop_now_ms(crawl->loop) - crawl->began_ms,
	    status);
	if (!crawl_complain(crawl) && crawl->stopped_by != 0)
		(void)fputs("freshet: interrupted; run the same command to "
			    "resume\n",
		    stderr);
}

static int
crawl_here(struct crawl *crawl, size_t bad)
{
	struct run_totals totals;
	int status;

	start(crawl);
	loop_run(crawl->loop);
	/* What was read for others is kept for them. */
	run_stop(crawl->run);
	crawl_totals(crawl, crawl->party, &totals);
	status = crawl_status(crawl, &totals);
	if (status == EXIT_DONE && bad > 0)
		status = EXIT_FINDINGS;
	report(crawl, &totals, status);
	return status;
}

static void
wait_a_little(void)
{
	struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000L};

	(void)nanosleep(&step, NULL);
}

/* A command on its way to a store that it can use. */
struct way {
	struct options *options;
	struct forkserver *forkserver;
	struct loop *clock; /* owned */
	int64_t began_ms; /* with another process, 0: not yet */
	int64_t heard_ms; /* when there was hope last */
	bool is_continued; /* another process has begun it: */
	struct run_totals before; /* its counts */
	struct buf why; /* the store cannot be had */
};

/* try_here(way, bad): EXIT_LOCKED when it must be tried elsewhere. */
static int
try_here(struct way *way, size_t bad)
{
	struct crawl crawl = {.options = way->options,
	    .is_continued = way->is_continued,
	    .before = way->before};
	int status;

	if (way->is_continued)
		crawl.before_ms = loop_now_ms(way->clock) - way->began_ms;
	buf_clear(&way->why);
	status = crawl_open(&crawl, way->forkserver, &way->why);
	if (status == EXIT_DONE)
		status = crawl_here(&crawl, bad);
	crawl_close(&crawl);
	return status;
}

/* add(to, more): when the crawl moved more than once. */
static void
add(struct run_totals *to, const struct run_totals *more)
{
	struct run_totals sum = *more;

	totals_continue(&sum, to);
	*to = sum;
}

/* try_there(way, bad): EXIT_LOCKED when it may be tried again. */
static int
try_there(struct way *way, size_t bad)
{
	int64_t now_ms = loop_now_ms(way->clock);
	struct joining joining = {
	    .patience_ms = LOCK_WAIT_MS - (now_ms - way->heard_ms),
	    .is_continued = way->is_continued,
	    .before = way->before};
	int status = crawl_join(way->options, &joining);

	if (status == JOIN_LEFT) {
		way->is_continued = true;
		if (way->began_ms == 0)
			way->began_ms = now_ms;
		way->heard_ms = loop_now_ms(way->clock);
		add(&way->before, &joining.totals);
	}
	if (status == JOIN_LEFT || status == JOIN_NOBODY)
		return EXIT_LOCKED;
	return status == EXIT_DONE && bad > 0 ? EXIT_FINDINGS : status;
}

/*
 * crawl_somewhere(way, bad): here, when the store is free, else where it is
 * held; who waits for an answer waits 5 s.
 */
static int
crawl_somewhere(struct way *way, size_t bad)
{
	for (;;) {
		int status = try_here(way, bad);

		if (status != EXIT_LOCKED)
			return status;
		if (loop_now_ms(way->clock) - way->heard_ms >= LOCK_WAIT_MS)
			break;
		status = try_there(way, bad);
		if (status != EXIT_LOCKED)
			return status;
		wait_a_little();
	}
	(void)fprintf(stderr, "freshet: %s: %s\n", diag_name(DIAG_STORE_LOCKED),
	    buf_str(&way->why));
	return EXIT_LOCKED;
}

int
command_crawl(struct options *options, struct forkserver *forkserver)
{
	struct way way = {.options = options, .forkserver = forkserver};
	size_t bad;
	int status = take_targets(options, &bad);

	if (status != EXIT_DONE)
		return status;
	way.clock = loop_new();
	way.heard_ms = loop_now_ms(way.clock);
	buf_init(&way.why, SIZE_MAX);
	status = crawl_somewhere(&way, bad);
	buf_release(&way.why);
	loop_free(way.clock);
	/* What nobody could hear was not said; a reader that went away did
	 * not want to. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && !out_is_unheard())
		status = EXIT_DISK;
	return status;
}
