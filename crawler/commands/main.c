/* main(): what happens before and after a command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/zone.h"
#include "crawler/cli/command.h"
#include "crawler/cli/options_parse.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/event/log.h"
#include "crawler/serve/serve.h"
#ifdef FRESHET_TEST_HOOKS
#include "tests/fixtures/reader_faults.h"
#include "tests/fixtures/test_clock.h"
#endif

/* Say that an assertion failed; assert() has printed it on the line before. */
static void
on_abort(int number)
{
	static const char text[] =
	    "freshet: this is a bug in freshet: please report the line above "
	    "and the command, as BUGS in freshet(1) says; the last commit is "
	    "intact\n";
	ssize_t n;

	at_work_mark(number);
	n = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)n; /* there is nowhere else to write to */
	_exit(EXIT_BUG);
}

typedef int reading_fn(struct options *, struct forkserver *);

/* The fork server starts before anything else, so that readers inherit as
 * little as possible (DESIGN section 3.2). */
static int
with_readers(struct options *options, reading_fn *command)
{
	struct forkserver_options how = {.sandbox = options->readers.sandbox,
	    .reader_memory = options->limits.reader_memory,
	    .job_cpu_s = (uint32_t)options->limits.reader_cpu_s};
	struct forkserver *forkserver = NULL;
	int status;

#ifdef FRESHET_TEST_HOOKS
	how.fault = getenv("FRESHET_TEST_FAULT");
	if (how.fault != NULL)
		how.inject = reader_fault;
#endif
	/* with --readers 0 documents are read in this process, as for a
	 * debugger */
	if (!options->readers.has_count || options->readers.count > 0) {
		forkserver = forkserver_start(&how);
		if (forkserver == NULL)
			return complain_with(EXIT_RESOURCES,
			    "cannot start the fork server: %s",
			    strerrordesc_np(errno));
	}
	status = command(options, forkserver);
	forkserver_free(forkserver);
	return status;
}

static int run_words(int argc, char **argv, int64_t now);

/* Answers of the server are made by the commands themselves, so that they say
 * the same. */
int
command_serve(struct options *options)
{
	return serve_run(options, run_words);
}

typedef int command_fn(struct options *);

static const struct {
	command_fn *run;
	reading_fn *read; /* instead: the command needs readers */
} commands[COMMAND_COUNT] = {
#define RUNS(NUMBER, name) [COMMAND_##NUMBER] = {.run = command_##name},
#define READS(NUMBER, name) [COMMAND_##NUMBER] = {.read = command_##name},
#include "crawler/cli/command.def"
};

/* Help of a command wins over the command: --help anywhere on the line is meant
 * so. */
static int
main_dispatch(struct options *options)
{
	ptrdiff_t number;

	if (options->command == NULL && options->wants_help)
		return command_help_on(options, NULL);
	if (options->command == NULL) {
		/* what `freshet` alone says goes where mistakes go */
		struct buf text = BUF_UP_TO(1 << 16);
		ssize_t n;

		help_overview(&text);
		n = write(STDERR_FILENO, text.p, text.len);
		(void)n; /* the exit status says it, too */
		buf_release(&text);
		return EXIT_USAGE;
	}
	if (options->wants_help && strcmp(options->command, "help") != 0)
		return command_help_on(options, options->command);
	if (options->wants_help && options->targets.args.count == 0)
		return command_help_on(options, "help");
	number = command_find(slice_of(options->command)) - command_rows;
	return commands[number].read != NULL
	    ? with_readers(options, commands[number].read)
	    : commands[number].run(options);
}

/* A command that makes an answer of `serve`. */
static int
run_words(int argc, char **argv, int64_t now)
{
	struct options options;
	int status = options_parse(&options, argc, argv);

	options.now_s = now;
	if (status == EXIT_DONE)
		status = main_dispatch(&options);
	options_clear(&options);
	return status;
}

/* The one place beside the loop that reads a clock: commands get the time as an
 * argument. */
static int64_t
main_now_s(void)
{
#ifdef FRESHET_TEST_HOOKS

	if (!test_clock_open()) {
		complain("cannot reach the clock of the test: %s",
		    strerrordesc_np(errno));
		_exit(EXIT_BUG);
	}
	return test_clock_us(CLOCK_REALTIME) / 1000000;
#else
	return time(NULL);
#endif
}

/* A program that reads the log finds errors where it finds all else. */
static void
log_complaint(void *arg, struct slice text)
{
	struct slice warning = slice_of("warning: ");
	struct log *log = arg;
	bool is_warning = slice_starts(text, warning);

	log_begin(log, main_now_s(), is_warning ? "warning" : "error");
	log_text(
	    log, "text", is_warning ? slice_from(text, warning.len) : text);
	log_end(log);
}

/* If the log is JSON, errors are JSON lines, too. */
static void
route_complaints(struct log *log, enum log_mode mode)
{
	struct complain_sink sink = {log_complaint, log};

	buf_release(&log->line);
	log_init(log, mode, STDERR_FILENO);
	if (!log->is_json)
		sink.fn = NULL;
	(void)complain_through(sink);
}

int
main(int argc, char **argv)
{
	static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
	const char *form = "";
	struct options options;
	struct log log = {0};
	int status;

	/* HOSTILE P11: if descriptor 0, 1 or 2 is closed, the next file opened,
	 * perhaps a store, would get its number. stdout is replaced by a
	 * descriptor that cannot be written, so that lost output is noticed. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", modes[fd]) != fd)
			return EXIT_RESOURCES;
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction abort_once = {
	    .sa_handler = on_abort, .sa_flags = SA_RESETHAND};

	/* writing to a closed pipe, or past RLIMIT_FSIZE, gives an errno
	 * instead */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	(void)sigaction(SIGABRT, &abort_once, NULL);

	if (argc > 1 && strcmp(argv[1], "__complete") == 0)
		return command_complete(argc - 2, argv + 2);
	/* the log of a `run` whose command line may have errors */
	for (int i = 2; i < argc && strcmp(argv[1], "run") == 0; i++)
		if (strncmp(argv[i], "--log=", 6) == 0)
			form = argv[i] + 6;
		else if (strcmp(argv[i], "--log") == 0 && i + 1 < argc)
			form = argv[i + 1];
	if (argc > 1 && strcmp(argv[1], "run") == 0)
		route_complaints(&log,
		    strcmp(form, "text") == 0       ? LOG_TEXT
			: strcmp(form, "json") == 0 ? LOG_JSON
						    : LOG_AUTO);
	status = options_parse(&options, argc, argv);
	options.now_s = main_now_s();
	if (status == EXIT_DONE && options.command != NULL &&
	    strcmp(options.command, "run") == 0)
		route_complaints(&log, options.run.log);
	if (status == EXIT_DONE && options.output.tz != NULL &&
	    !zone_use(options.output.tz))
		status = complain_with(EXIT_USAGE,
		    "'--tz': there is no time zone '%s'; Debian's are in the "
		    "package tzdata",
		    options.output.tz);
	if (status == EXIT_DONE)
		status = main_dispatch(&options);
	options_clear(&options);
	buf_release(&log.line);
	return status;
}
