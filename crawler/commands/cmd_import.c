/* freshet import: take over what another crawler knows of URLs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/splitter.h"
#include "crawler/event/standard.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/import_line.h"
#include "crawler/frontier/import_page.h"

struct import {
	struct options *options;
	const char *name; /* name of the input */
	struct loop *loop; /* owned */
	struct stop_signals *signals; /* owned */
	struct store_client *client; /* owned */
	struct inlet *inlet; /* owned */
	struct line_queue queue; /* owned */
	struct import_totals totals;
	uint64_t lines; /* lines with an answer */
	uint64_t bad;
	/* is_over: the input is read to its end or no longer */
	bool has_frontier, is_over;
	int error; /* errno; 0: the end of the input */
	int stopped_by; /* the exit status that stopped the command; 0: none */
	int status;
};

/* Read more, or end the command. */
static void
import_go_on(struct import *import)
{
	size_t waiting = line_queue_rest(&import->queue).len;

	if (import->is_over && waiting == 0)
		loop_stop(import->loop);
	else
		inlet_pause(import->inlet,
		    import->is_over || waiting >= LINE_QUEUE_BYTES);
}

static void
import_on_line(void *arg, struct slice text)
{
	struct import *import = arg;
	struct slice queued = line_queue_put(&import->queue, text);

	if (import->has_frontier)
		(void)store_client_write(import->client, queued);
	import_go_on(import);
}

static void
import_on_end(void *arg, int error)
{
	struct import *import = arg;

	import->error = error;
	import->is_over = true;
	import_go_on(import);
}

/* Answers of the frontier. */

static uint64_t
import_number(const struct ndjson *object, const char *key)
{
	return (uint64_t)ndjson_number(object, key, 0);
}

static void
on_answer(void *arg, struct slice line, const struct ndjson *object)
{
	struct import *import = arg;
	struct slice type;

	(void)line;
	if (object == NULL)
		return;
	type = ndjson_text(object, "type");
	if (slice_is(type, "taken")) {
		uint64_t lines = import_number(object, "lines");

		import->lines += lines;
		import->bad += import_number(object, "bad");
		import->totals.added += import_number(object, "new");
		import->totals.known += import_number(object, "known");
		import->totals.history += import_number(object, "history");
		import->totals.unlisted += import_number(object, "unlisted");
		while (lines-- > 0)
			line_queue_pop(&import->queue);
		import_go_on(import);
	} else if (slice_is(type, "bad")) {
		struct slice why = ndjson_text(object, "why");

		complain("%s:%" PRIu64 ": %.*s", import->name,
		    import_number(object, "line"), (int)why.len, why.p);
	}
}

static void
import_on_ready(void *arg)
{
	struct import *import = arg;
	bool is_json = import->options->import_format == IMPORT_JSONL;
	struct buf line;

	import->has_frontier = true;
	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, "import");
	(void)buf_print(&line, ",\"line\":%" PRIu64 ",\"json\":%s}\n",
	    import->queue.line, is_json ? "true" : "false");
	(void)buf_put_slice(&line, line_queue_rest(&import->queue));
	(void)store_client_write(import->client, buf_text(&line));
	buf_release(&line);
}

static void
import_on_ended(void *arg, int status)
{
	struct import *import = arg;

	import->has_frontier = false;
	import->status = status;
	loop_stop(import->loop);
}

static void
import_on_signal(void *arg, int number)
{
	struct import *import = arg;

	import->stopped_by = 128 + number;
	import->is_over = true;
	import_go_on(import);
}

/* Print the totals. The exit status is 4 if no line was good, 1 if some were
 * not (exit.h). */
static int
print_totals(const struct import *import)
{
	const struct options *options = import->options;
	uint64_t good = import->totals.added + import->totals.known;
	char room[128];
	struct out out;
	int written;

	out_init(&out, &options->output);
	if (options->output.is_json) {
		out_json_line(&out.text, "import");
		out_json_number(&out.text, "lines", import->lines);
		out_json_number(&out.text, "bad", import->bad);
		out_json_number(&out.text, "new", import->totals.added);
		out_json_number(&out.text, "known", import->totals.known);
		out_json_number(&out.text, "history", import->totals.history);
		out_json_number(&out.text, "unlisted", import->totals.unlisted);
		out_json_line_end(&out.text);
	} else if (!options->output.is_quiet) {
		const struct import_totals *totals = &import->totals;

		(void)buf_print(&out.text,
		    "imported %s, %s known, %s with a fetch that was not known",
		    human_of(totals->added, "new page").text,
		    human_n(totals->known).text, human_n(totals->history).text);
		if (totals->unlisted > 0)
			(void)buf_print(&out.text,
			    "; %s that no sitemap here lists",
			    human_n(totals->unlisted).text);
		(void)buf_put_char(&out.text, '\n');
	}
	written = out_finish(&out);
	if (written != EXIT_DONE)
		return written;
	if (import->error != 0)
		complain("cannot read '%s': %s", import->name,
		    strerror_r(import->error, room, sizeof(room)));
	if (import->error != 0)
		return EXIT_DISK;
	if (import->stopped_by != 0)
		return import->stopped_by;
	if (import->bad == 0)
		return EXIT_DONE;
	return good == 0 ? EXIT_NO_TARGET : EXIT_FINDINGS;
}

int
command_import(struct options *options)
{
	const char *name = options->targets.args.count > 0
	    ? options->targets.args.items[0]
	    : "-";
	struct import import = {
	    .options = options, .name = name, .status = EXIT_DONE};
	bool is_stdin = strcmp(name, "-") == 0;
	char room[128];
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		complain("cannot read '%s': %s", name,
		    strerror_r(errno, room, sizeof(room)));
		return EXIT_USAGE;
	}
	if (is_stdin)
		import.name = "stdin";
	import.loop = loop_new();
	if (import.loop == NULL)
		return EXIT_RESOURCES;
	line_queue_init(&import.queue);
	struct store_client_options how = {.options = import.options,
	    .loop = import.loop,
	    .ready = import_on_ready,
	    .line = on_answer,
	    .ended = import_on_ended,
	    .arg = &import,
	    .makes_store = true};
	struct inlet_options in = {.max_line = IMPORT_LINE_MAX,
	    .line = import_on_line,
	    .end = import_on_end,
	    .arg = &import};

	import.signals = stop_signals_new(
	    import.loop, import_on_signal, &import);
	import.client = store_client_new(&how);
	import.inlet = inlet_new(import.loop, fd, &in);
	loop_run(import.loop);
	inlet_free(import.inlet);
	store_client_free(import.client);
	stop_signals_free(import.signals);

	if (import.status == EXIT_DONE)
		import.status = print_totals(&import);
	line_queue_release(&import.queue);
	loop_free(import.loop);
	if (!is_stdin)
		(void)close(fd);
	return import.status;
}
