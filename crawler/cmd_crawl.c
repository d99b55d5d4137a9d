/* freshet crawl: read the sitemaps of sites into the store. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/vis.h"
#include "crawler/commands.h"
#include "crawler/exit.h"
#include "crawler/network.h"
#include "crawler/options_sites.h"
#include "crawler/progress.h"
#include "crawler/run.h"
#include "crawler/summary.h"

#define DEFAULT_MAX_URLS 50000000 /* SPEC R-41 */
#define MIN_FREE_BYTES (1ull << 30) /* HOSTILE T18 */
#define MAX_READERS 8
#define MAX_BACKLOG 256 /* bodies that wait for them */
#define JOB_WALL_MS 60000
#define JOBS_EACH 256
#define MAX_RESULT_BYTES (64ull << 20)

struct crawl {
	struct options *options;
	struct network network;
	struct loop *loop;
	struct store *store;
	struct spool *spool;
	struct readers *readers;
	struct run *run;
	uint32_t party;
	struct progress *progress;
	struct summary *summary;
	struct loop_signal *interrupt;
	struct loop_signal *terminate;
	int stopped_by; /* a signal, 0: none */
	int64_t began_ms;
};

static void
on_document(void *arg, struct slice url, const struct reading *reading)
{
	struct crawl *crawl = arg;

	if (crawl->options->is_json)
		summary_json_document(url, reading, &crawl->options->profile);
	else
		summary_document(crawl->summary, url, reading);
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct crawl *crawl = arg;

	progress_problem(crawl->progress, code, url, text);
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

/* complain(subject, text): one line on stderr; the subject is foreign. */
static int
complain(const char *subject, const char *text)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	vis_put(&line, slice_of(subject), 1000);
	(void)fprintf(stderr, "freshet: '%s': %s\n", buf_str(&line), text);
	buf_release(&line);
	return EXIT_USAGE;
}

static int
open_store(struct crawl *crawl)
{
	struct store_options options = {
	    .path = crawl->options->store, .min_free_bytes = MIN_FREE_BYTES};
	struct buf why;
	enum diag_code code;

	if (crawl->options->is_default_store &&
	    !options_make_folder(crawl->options))
		return EXIT_USAGE;
	buf_init(&why, SIZE_MAX);
	code = store_open(&options, &crawl->store, &why);
	if (code != DIAG_OK)
		(void)fprintf(stderr, "freshet: %s: %s\n", diag_name(code),
		    buf_str(&why));
	buf_release(&why);
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

static int
open_all(struct crawl *crawl, struct forkserver *forkserver)
{
	struct readers_options readers = {.count = reader_count(crawl->options),
	    .job_wall_ms = JOB_WALL_MS,
	    .jobs_each = JOBS_EACH,
	    .max_result_bytes = MAX_RESULT_BYTES};
	int status = network_policy(&crawl->network, crawl->options);

	if (status == EXIT_DONE)
		status = open_store(crawl);
	if (status != EXIT_DONE)
		return status;
	crawl->loop = loop_new();
	crawl->spool = spool_new(NULL);
	crawl->readers = readers_new(crawl->loop, forkserver, &readers);
	return network_open(&crawl->network, crawl->loop, crawl->options);
}

static const struct site_rules *
rules_of(void *arg, struct slice host)
{
	const struct crawl *crawl = arg;

	return options_site_rules(crawl->options, host);
}

/* on_done(arg): all that was asked for. */
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

/* new_key(): of tables whose keys strangers choose. */
static uint64_t
new_key(void)
{
	uint64_t key = 0;

	/* Never fails for so few bytes once the system is up. */
	(void)!getrandom(&key, sizeof(key), 0);
	return key;
}

static void
start_run(struct crawl *crawl)
{
	const struct options *options = crawl->options;
	struct run_options how = {.loop = crawl->loop,
	    .store = crawl->store,
	    .fetcher = crawl->network.fetcher,
	    .policy = crawl->network.policy,
	    .spool = crawl->spool,
	    .readers = crawl->readers,
	    .rules = rules_of,
	    .rules_arg = crawl,
	    .hash_key = new_key(),
	    .max_backlog = MAX_BACKLOG};
	struct party_options party = {.max_urls = options->max_urls > 0
		? options->max_urls
		: DEFAULT_MAX_URLS,
	    .is_forced = options->is_forced,
	    .document = on_document,
	    .problem = on_problem,
	    .done = on_done,
	    .arg = crawl};

	crawl->run = run_new(&how);
	crawl->party = run_party(crawl->run, &party);
	crawl->summary = summary_new(&options->profile);
	crawl->progress = progress_new(crawl->loop, options->progress,
	    options->is_quiet, totals_of, crawl);
	crawl->interrupt = loop_signal_new(
	    crawl->loop, SIGINT, on_interrupt, crawl);
	crawl->terminate = loop_signal_new(
	    crawl->loop, SIGTERM, on_terminate, crawl);
	crawl->began_ms = loop_now_ms(crawl->loop);
}

static int
add_targets(struct crawl *crawl)
{
	const struct words *targets = &crawl->options->args;

	for (size_t i = 0; i < targets->count; i++) {
		struct buf text;
		enum diag_code code = run_target(
		    crawl->run, crawl->party, slice_of(targets->items[i]));

		if (code == DIAG_OK)
			continue;
		if (access(targets->items[i], F_OK) == 0)
			return complain(targets->items[i],
			    "is a file: crawl reads sites over http or https");
		buf_init(&text, 256);
		(void)buf_print(
		    &text, "is neither a host nor a URL: %s", diag_name(code));
		(void)complain(targets->items[i], buf_str(&text));
		buf_release(&text);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* status_of(crawl): CLI section 3, in its order of precedence. */
static int
status_of(const struct crawl *crawl)
{
	const struct run_totals *totals = run_totals(crawl->run, crawl->party);
	int error;
	enum diag_code fatal = run_failure(crawl->run, &error);

	if (fatal == DIAG_READER_CRASHED)
		return EXIT_BUG;
	if (error == EMFILE || error == ENFILE)
		return EXIT_RESOURCES;
	if (fatal != DIAG_OK)
		return exit_of_store(fatal);
	if (crawl->stopped_by != 0)
		return 128 + crawl->stopped_by;
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

static void
close_all(struct crawl *crawl)
{
	progress_free(crawl->progress);
	network_release(&crawl->network);
	readers_free(crawl->readers);
	run_free(crawl->run);
	spool_free(crawl->spool);
	store_close(crawl->store);
	loop_signal_free(crawl->interrupt);
	loop_signal_free(crawl->terminate);
	loop_free(crawl->loop);
	summary_free(crawl->summary);
}

/* report(crawl, status): the end, on stdout, and what to do next on stderr. */
static void
report(struct crawl *crawl, int status)
{
	const struct run_totals *totals = run_totals(crawl->run, crawl->party);
	int error;
	enum diag_code fatal = run_failure(crawl->run, &error);
	int64_t spent_ms = loop_now_ms(crawl->loop) - crawl->began_ms;

	progress_free(crawl->progress);
	crawl->progress = NULL;
	if (crawl->options->is_json)
		summary_json_totals(totals, spent_ms, status);
	else if (!crawl->options->is_quiet)
		summary_print(crawl->summary, totals, spent_ms);
	if (error != 0)
		(void)fprintf(stderr,
		    "freshet: no room for a body in the folder for temporary "
		    "files: %s\n",
		    strerrordesc_np(error));
	else if (fatal != DIAG_OK)
		(void)fprintf(stderr, "freshet: %s: %s\n", diag_name(fatal),
		    diag_info(fatal)->trigger);
	else if (crawl->stopped_by != 0)
		(void)fputs("freshet: interrupted; run the same command to "
			    "resume\n",
		    stderr);
	else if (status == EXIT_BUDGET)
		(void)fputs("freshet: stopped at a limit; run the same "
			    "command to go on\n",
		    stderr);
}

int
command_crawl(struct options *options, struct forkserver *forkserver)
{
	struct crawl crawl = {.options = options};
	int status;

	if (options->has_stdin)
		options_read_stdin(options);
	if (options->args.count == 0) {
		(void)fputs("freshet: crawl needs a target: a host, or the "
			    "URL of a site, an index or a sitemap\n",
		    stderr);
		return EXIT_USAGE;
	}
	status = open_all(&crawl, forkserver);
	if (status == EXIT_DONE) {
		start_run(&crawl);
		status = add_targets(&crawl);
	}
	if (status == EXIT_DONE) {
		run_start(crawl.run, crawl.party);
		loop_run(crawl.loop);
		status = status_of(&crawl);
		report(&crawl, status);
		/* What nobody could hear was not said. */
		if (fflush(stdout) != 0 || ferror(stdout))
			status = EXIT_DISK;
	}
	close_all(&crawl);
	return status;
}
