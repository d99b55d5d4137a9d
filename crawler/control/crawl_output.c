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
	struct buf line, tame; /* empty: their memory is used again */
};

struct crawl_output *
crawl_output_new(const struct crawl_output_options *options)
{
	struct crawl_output *output = mem_zero(sizeof(*output));

	output->options = *options;
	output->summary = summary_new();
	buf_init(&output->line, SIZE_MAX);
	buf_init(&output->tame, SIZE_MAX);
	return output;
}

void
crawl_output_free(struct crawl_output *output)
{
	if (output == NULL)
		return;
	summary_free(output->summary);
	buf_release(&output->line);
	buf_release(&output->tame);
	free(output);
}

/* write_lines(output, stream): write the whole lines in output->line, with
 * control characters escaped. */
static void
write_lines(struct crawl_output *output, enum stream stream)
{
	struct vis_lines lines = {.is_inside = false};

	vis_put_lines(&output->tame, buf_text(&output->line), &lines);
	output->options.write(
	    output->options.arg, stream, buf_text(&output->tame));
	buf_clear(&output->tame);
	buf_clear(&output->line);
}

void
crawl_output_document(void *arg, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	struct crawl_output *output = arg;

	if (!output->options.is_json) {
		summary_document(output->summary, url, reading, profile);
		return;
	}
	summary_json_document(&output->line, url, reading, profile);
	write_lines(output, STREAM_OUT);
}

void
crawl_output_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct crawl_output *output = arg;
	struct buf *line = &output->line;

	if (output->options.is_quiet)
		return;
	(void)buf_print(line, "freshet: ");
	if (url.len > 0) {
		vis_put(line, url, TEXT_MAX);
		(void)buf_print(line, ": ");
	}
	if (code != DIAG_OK)
		(void)buf_print(line, "%s: ", diag_name(code));
	if (text.len > 0 || code == DIAG_OK)
		vis_put(line, text, TEXT_MAX);
	else
		(void)buf_print(line, "%s", diag_info(code)->trigger);
	(void)buf_put_char(line, '\n');
	write_lines(output, STREAM_ERR);
}

void
crawl_output_end(struct crawl_output *output, const struct run_totals *totals,
    int64_t spent_ms, int status)
{
	if (output->options.is_json)
		summary_json_totals(&output->line, totals,
		    output->options.sandbox, spent_ms, status);
	else if (!output->options.is_quiet)
		summary_put(&output->line, output->summary, totals, spent_ms);
	write_lines(output, STREAM_OUT);
	if (status == EXIT_BUDGET)
		output->options.write(output->options.arg, STREAM_ERR,
		    slice_of("freshet: stopped at a limit; run the same "
			     "command to go on\n"));
}
