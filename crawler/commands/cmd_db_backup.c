/* freshet db backup: a copy of the store, of one moment. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/out_json.h"
#include "crawler/event/exit.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/cmd_db.h"
#include "store/backup.h"

struct meter {
	bool is_shown;
	unsigned percent;
	sigset_t signals; /* that are held back, so that no draft is left */
	int stopped_by; /* one of these, 0: none */
};

static bool
is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) == 1 && term != NULL &&
	    strcmp(term, "dumb") != 0;
}

static void
hold_signals(struct meter *meter)
{
	(void)sigemptyset(&meter->signals);
	(void)sigaddset(&meter->signals, SIGINT);
	(void)sigaddset(&meter->signals, SIGTERM);
	(void)sigaddset(&meter->signals, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &meter->signals, NULL);
}

static bool
on_step(void *arg, uint64_t done, uint64_t total)
{
	static const struct timespec at_once = {0};
	struct meter *meter = arg;
	unsigned percent = total == 0 ? 100 : (unsigned)(done * 100 / total);

	if (meter->is_shown && percent != meter->percent) {
		meter->percent = percent;
		(void)fprintf(stderr, "\rbacking up: %u %% ", percent);
	}
	int signal = sigtimedwait(&meter->signals, NULL, &at_once);
	if (signal > 0)
		meter->stopped_by = signal;
	return meter->stopped_by == 0;
}

static int
report(const struct options *options, const char *path)
{
	struct stat made;
	uint64_t bytes = stat(path, &made) == 0 ? (uint64_t)made.st_size : 0;
	struct out out;

	if (options->is_quiet && !options->is_json)
		return EXIT_DONE;
	out_init(&out, options);
	if (options->is_json) {
		(void)buf_put_slice(&out.text, slice_of("{\"v\":1"));
		out_json_word(&out.text, "type", slice_of("backup"));
		out_json_word(&out.text, "file", slice_of(path));
		out_json_number(&out.text, "bytes", bytes);
		(void)buf_put_slice(&out.text, slice_of("}\n"));
	} else {
		out_text(&out, slice_of(path));
		(void)buf_put_slice(&out.text, slice_of("  "));
		human_bytes(&out.text, bytes);
		(void)buf_put_char(&out.text, '\n');
	}
	return out_finish(&out);
}

int
db_backup(struct options *options)
{
	const char *path = options->args.items[1];
	struct meter meter = {.percent = UINT32_MAX};
	struct store *store = NULL;
	enum diag_code code;
	struct buf why;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	buf_init(&why, SIZE_MAX);
	meter.is_shown = !options->is_quiet && is_terminal();
	hold_signals(&meter);
	code = store_backup(store, path, on_step, &meter, &why);
	if (meter.percent != UINT32_MAX)
		(void)fputs("\r                  \r", stderr);
	if (meter.stopped_by != 0) {
		complain("interrupted; nothing was written");
		status = meter.stopped_by == SIGINT ? EXIT_INTERRUPTED
						    : EXIT_TERMINATED;
	} else if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(&why));
		status = exit_of_store(code);
	} else {
		status = report(options, path);
	}
	buf_release(&why);
	store_close(store);
	return status;
}
