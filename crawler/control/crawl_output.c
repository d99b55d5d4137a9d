/* The output of a command that asked for a crawl. */
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
	struct crawl_output *output = mem_zero(sizeof(*output));

	output->options = *options;
	output->summary = summary_new();
	return output;
}

void
crawl_output_free(struct crawl_output *output)
{
	if (output == NULL)
		return;
	summary_free(output->summary);
	free(output);
}

/* write_lines(output, stream, text): write whole lines, with control characters
 * escaped, and release the text. */
static void
write_lines(struct crawl_output *output, enum stream stream, struct buf *text)
{
	struct vis_lines lines = {.is_inside = false};
	struct buf tame;

	buf_init(&tame, SIZE_MAX);
	vis_put_lines(&tame, buf_text(text), &lines);
	output->options.write(output->options.arg, stream, buf_text(&tame));
	buf_release(&tame);
	buf_release(text);
}

void
crawl_output_document(void *arg, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	struct crawl_output *output = arg;
	struct buf line;

	if (!output->options.is_json) {
		summary_document(output->summary, url, reading, profile);
		return;
	}
	buf_init(&line, SIZE_MAX);
	summary_json_document(&line, url, reading, profile);
	write_lines(output, STREAM_OUT, &line);
}

void
crawl_output_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct crawl_output *output = arg;
	struct buf line;

	if (output->options.is_quiet)
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
	write_lines(output, STREAM_ERR, &line);
}

void
crawl_output_end(struct crawl_output *output, const struct run_totals *totals,
    int64_t spent_ms, int status)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (output->options.is_json)
		summary_json_totals(
		    &text, totals, output->options.sandbox, spent_ms, status);
	else if (!output->options.is_quiet)
		summary_put(&text, output->summary, totals, spent_ms);
	write_lines(output, STREAM_OUT, &text);
	if (status == EXIT_BUDGET)
		output->options.write(output->options.arg, STREAM_ERR,
		    slice_of("freshet: stopped at a limit; run the same "
			     "command to go on\n"));
}
