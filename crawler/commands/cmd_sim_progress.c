/* Progress of `sim`: one line on a terminal, one a minute elsewhere. */
#include "crawler/commands/cmd_sim_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "crawler/cli/out.h"

#define TERMINAL_MS 200
#define JSON_MS 1000
#define PLAIN_MS 60000
#define LINE_MAX_BYTES 1024

static bool
is_terminal(const struct options *options)
{
	const char *term = getenv("TERM");

	return options->progress == PROGRESS_AUTO && isatty(STDERR_FILENO) &&
	    term != NULL && strcmp(term, "dumb") != 0;
}

static bool
is_silent(const struct sim_progress *progress)
{
	const struct options *options = progress->options;

	return progress->loop == NULL || options->progress == PROGRESS_OFF ||
	    (options->progress == PROGRESS_AUTO && options->is_quiet);
}

static int64_t
interval_ms(const struct options *options)
{
	if (is_terminal(options))
		return TERMINAL_MS;
	return options->progress == PROGRESS_JSON ? JSON_MS : PLAIN_MS;
}

void
sim_progress_clear(struct sim_progress *progress)
{
	if (progress->has_line) {
		(void)fputs("\r\033[K", stderr);
		(void)fflush(stderr);
	}
	progress->has_line = false;
}

static void
put_line(struct buf *line, const struct sim_progress *progress,
    const struct study_step *step, int64_t spent_ms)
{
	double part = ((double)step->done + step->part) / (double)step->all;

	if (part > 1)
		part = 1;
	if (progress->options->progress == PROGRESS_JSON) {
		(void)buf_print(line,
		    "{\"v\":1,\"type\":\"progress\",\"policy\":\"%s\","
		    "\"seed\":%u,\"part\":%.4f,\"ms\":%lld}",
		    step->policy, step->seed, part, (long long)spent_ms);
		return;
	}
	(void)buf_print(line, "simulating %s  %s  seed %u  %.0f %%",
	    progress->name, step->policy, step->seed, 100 * part);
	if (part > 0.01) {
		(void)buf_print(line, "  ETA ");
		human_clock(
		    line, (int64_t)((double)spent_ms * (1 - part) / part));
	}
}

void
sim_progress_step(void *arg, const struct study_step *step)
{
	struct sim_progress *progress = arg;
	struct buf line;
	int64_t now_ms;

	if (is_silent(progress))
		return;
	now_ms = loop_now_ms(progress->loop);
	if (!progress->has_begun) {
		progress->has_begun = true;
		progress->began_ms = progress->shown_ms = now_ms;
	}
	if (now_ms - progress->shown_ms < interval_ms(progress->options))
		return;
	progress->shown_ms = now_ms;
	buf_init(&line, LINE_MAX_BYTES);
	put_line(&line, progress, step, now_ms - progress->began_ms);
	if (is_terminal(progress->options)) {
		(void)fprintf(stderr, "\r\033[K%s", buf_str(&line));
		progress->has_line = true;
	} else {
		(void)fprintf(stderr, "%s\n", buf_str(&line));
	}
	(void)fflush(stderr);
	buf_release(&line);
}
