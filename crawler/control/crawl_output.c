/* What a command that asked for a crawl hears of it. */
#include "crawler/control/crawl_output.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vis.h"
#include "crawler/control/summary.h"
#include "crawler/event/exit.h"

#define TEXT_MAX 1000

struct crawl_output {
	struct crawl_output_options options;
	struct summary *summary; /* owned */
};

struct crawl_output *
crawl_output_new(const struct crawl_output_options *options)
{
	struct crawl_output *teller = mem_zero(sizeof(*teller));

	teller->options = *options;
	teller->summary = summary_new();
	return teller;
}

void
crawl_output_free(struct crawl_output *teller)
{
	if (teller == NULL)
		return;
	summary_free(teller->summary);
	free(teller);
}

/* say(teller, stream, text): whole lines; and release the text. */
static void
say(struct crawl_output *teller, enum stream stream, struct buf *text)
{
	struct vis_lines lines = {.is_inside = false};
	struct buf tame;

	buf_init(&tame, SIZE_MAX);
	vis_put_lines(&tame, buf_text(text), &lines);
	teller->options.say(teller->options.arg, stream, buf_text(&tame));
	buf_release(&tame);
	buf_release(text);
}

void
crawl_output_document(void *arg, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	struct crawl_output *teller = arg;
	struct buf line;

	if (!teller->options.is_json) {
		summary_document(teller->summary, url, reading, profile);
		return;
	}
	buf_init(&line, SIZE_MAX);
	summary_json_document(&line, url, reading, profile);
	say(teller, STREAM_OUT, &line);
}

void
crawl_output_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct crawl_output *teller = arg;
	struct buf line;

	if (teller->options.is_quiet)
		return;
	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line, "freshet: ");
	if (url.len > 0) {
		vis_put(&line, url, TEXT_MAX);
		(void)buf_print(&line, ": ");
	}
	if (code != DIAG_OK)
		(void)buf_print(&line, "%s: ", diag_name(code));
	if (text.len > 0 || code == DIAG_OK)
		vis_put(&line, text, TEXT_MAX);
	else
		(void)buf_print(&line, "%s", diag_info(code)->trigger);
	(void)buf_put_char(&line, '\n');
	say(teller, STREAM_ERR, &line);
}

void
crawl_output_end(struct crawl_output *teller, const struct run_totals *totals,
    int64_t spent_ms, int status)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (teller->options.is_json)
		summary_json_totals(
		    &text, totals, teller->options.sandbox, spent_ms, status);
	else if (!teller->options.is_quiet)
		summary_put(&text, teller->summary, totals, spent_ms);
	say(teller, STREAM_OUT, &text);
	if (status == EXIT_BUDGET)
		teller->options.say(teller->options.arg, STREAM_ERR,
		    slice_of("freshet: stopped at a limit; run the same "
			     "command to go on\n"));
}
