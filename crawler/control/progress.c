/* Progress on stderr while a crawl runs. */
#include "crawler/control/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"

#define LINE_MAX_BYTES 4096

enum shape { SHAPE_NONE, SHAPE_TERMINAL, SHAPE_PLAIN, SHAPE_JSON };

/* The time between two lines, by shape; 0: there is none. */
static const int64_t interval_ms[] = {0, 200, 60000, 1000};

struct progress {
	struct loop *loop;
	const struct run_totals *totals; /* borrowed */
	struct loop_timer *timer;
	enum shape shape;
	int64_t interval_ms; /* between two lines; 0: there is none */
	bool has_line; /* the terminal shows a line, which must be cleared */
	int64_t began_ms;
};

/* shape_of(mode, is_quiet): PROGRESS_AUTO is a line on a terminal that can
 * clear it, a plain line a minute elsewhere, and nothing with --quiet. */
static enum shape
shape_of(enum progress_mode mode, bool is_quiet)
{
	const char *term = getenv("TERM");

	if (mode == PROGRESS_PLAIN || mode == PROGRESS_JSON)
		return mode == PROGRESS_PLAIN ? SHAPE_PLAIN : SHAPE_JSON;
	if (mode == PROGRESS_OFF || is_quiet)
		return SHAPE_NONE;
	/* A dumb terminal, and a file, cannot clear a line. */
	if (isatty(2) && term != NULL && strcmp(term, "dumb") != 0)
		return SHAPE_TERMINAL;
	return SHAPE_PLAIN;
}

int64_t
progress_interval_ms(enum progress_mode mode, bool is_quiet)
{
	return interval_ms[shape_of(mode, is_quiet)];
}

void
progress_clear(struct progress *progress)
{
	if (progress == NULL)
		return;
	if (progress->has_line)
		(void)fputs("\r\033[K", stderr);
	progress->has_line = false;
}

static void
progress_show(void *arg)
{
	struct progress *progress = arg;
	const struct run_totals *totals = progress->totals;
	int64_t spent_ms = loop_now_ms(progress->loop) - progress->began_ms;
	size_t columns;
	struct buf line = BUF_UP_TO(LINE_MAX_BYTES);

	if (progress->shape == SHAPE_JSON) {
		out_json_line(&line, "progress");
		out_json_number(&line, "done", totals->done);
		out_json_number(&line, "known", totals->known);
		out_json_number(&line, "urls", totals->listed);
		out_json_number(&line, "wire_bytes", totals->wire_bytes);
		if (totals->pages > 0) {
			out_json_number(&line, "pages", totals->pages);
			out_json_number(
			    &line, "pages_done", totals->pages_done);
		}
		out_json_number(&line, "ms", (uint64_t)spent_ms);
		out_json_end(&line, '}');
	} else if (totals->known == 0 && totals->pages > 0) {
		(void)buf_print(&line, "fetching  %s pages  %s  %.1f pages/s",
		    human_of(totals->pages_done, NULL).text,
		    human_scaled(totals->wire_bytes, human_bytes).text,
		    spent_ms > 0
			? (double)totals->pages_done * 1000 / (double)spent_ms
			: 0.0);
	} else {
		uint64_t pace = spent_ms > 0
		    ? totals->listed * 1000 / (uint64_t)spent_ms
		    : 0;

		(void)buf_print(&line,
		    "crawling  %s/%s documents  %s URLs  %s  %s URL/s",
		    human_of(totals->done, NULL).text,
		    human_of(totals->known, NULL).text,
		    human_scaled(totals->listed, human_counts).text,
		    human_scaled(totals->wire_bytes, human_bytes).text,
		    human_scaled(pace, human_counts).text);
		if (totals->pages > 0) {
			(void)buf_print(&line, "  %s/%s pages",
			    human_of(totals->pages_done, NULL).text,
			    human_of(totals->pages, NULL).text);
		} else if (totals->done > 0 && totals->known >= totals->done) {
			/* the time that remains at the pace so far */
			double left_ms = (double)spent_ms /
			    (double)totals->done *
			    (double)(totals->known - totals->done);

			(void)buf_print(&line, "  ETA %s",
			    human_time((int64_t)left_ms, true).text);
		}
	}
	if (progress->shape == SHAPE_TERMINAL) {
		/* A line that wraps could not be cleared.  It is ASCII, and
		 * leaves the last column free, where a terminal may wrap. */
		columns = out_terminal_columns(STDERR_FILENO, NULL);
		if (columns > 0 && line.len >= columns)
			line.len = columns - 1;
		(void)fprintf(stderr, "\r\033[K%s", buf_str(&line));
		progress->has_line = true;
	} else {
		(void)fprintf(stderr, "%s\n", buf_str(&line));
	}
	(void)fflush(stderr);
	buf_release(&line);
	loop_timer_set(progress->timer, progress->interval_ms);
}

struct progress *
progress_new(struct loop *loop, enum progress_mode mode, bool is_quiet,
    const struct run_totals *totals)
{
	struct progress *progress = mem_zero(sizeof(*progress));

	progress->loop = loop;
	progress->totals = totals;
	progress->shape = shape_of(mode, is_quiet);
	progress->interval_ms = progress_interval_ms(mode, is_quiet);
	progress->began_ms = loop_now_ms(loop);
	progress->timer = loop_timer_new(loop, progress_show, progress);
	if (progress->interval_ms > 0)
		loop_timer_set(progress->timer, progress->interval_ms);
	return progress;
}

void
progress_free(struct progress *progress)
{
	if (progress == NULL)
		return;
	progress_clear(progress);
	(void)fflush(stderr);
	loop_timer_free(progress->timer);
	free(progress);
}
