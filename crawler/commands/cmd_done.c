/*
 * freshet done and import: lines of the input, results of fetches or what
 * another crawler knows, that the owner of the store takes.
 *
 *	input -> queue of lines -> owner -> an answer: the line leaves the queue
 *
 * If the owner leaves, what is in the queue is sent again to the next one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawler.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/standard.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/frontier/import.h"

/* No line is read while this many bytes wait for an answer; the last line may
 * exceed the limit. */
#define LINES_BYTES ((size_t)1 << 20)

struct sending {
	struct options *options;
	bool is_import;
	const char *name; /* of the input */
	struct loop *loop; /* owned, as all of these are */
	struct stop_signals *signals;
	struct store_client *client; /* NULL before the first line */
	struct inlet inlet;
	struct outlet outlet; /* for the answers of `done`; import: none */
	/* Lines that were sent to the owner of the store and not answered yet.
	 * If that process leaves, they are sent again to the next owner. */
	struct splitter lines;
	uint64_t line; /* the number of the first waiting line, from 1 */
	/* is_over: the input is read to its end or no longer */
	bool has_frontier, is_over;
	int error; /* errno of the input; 0: none */
	int stopped_by; /* the exit status that stopped the command; 0: none */
	int status;
	uint64_t ok, other; /* results that were taken, and the others */
	struct import_totals totals; /* of import */
	uint64_t answered, bad; /* lines of import with an answer */
};

/* Read more, or end the command. A reader of answers that goes away does not
 * stop the results. */
static void
sending_go_on(void *arg)
{
	struct sending *sending = arg;
	size_t waiting = splitter_rest(&sending->lines).len;
	size_t unwritten = sending->outlet.out.len;
	bool is_full = waiting >= LINES_BYTES || unwritten >= LINES_BYTES;

	/* what waits without an owner are blank lines, which need none */
	if (sending->is_over && (waiting == 0 || sending->client == NULL) &&
	    unwritten == 0)
		loop_stop(sending->loop);
	else if (sending->inlet.is_paused != (is_full || sending->is_over))
		inlet_pause(&sending->inlet, is_full || sending->is_over);
}

/* The first lines have their answers: drop them. Results are answered one by
 * one, and a blank line is none: blank lines at the head go as well. */
static void
sending_drop(struct sending *sending, int64_t answered)
{
	struct slice line;

	while (answered-- > 0)
		sending->line += splitter_next(&sending->lines, &line);
	while (!sending->is_import && splitter_peek(&sending->lines, &line) &&
	    slice_trim(line).len == 0)
		sending->line += splitter_next(&sending->lines, &line);
}

/* The owner of the store has an answer.  `done` passes each one on; import
 * counts them. */
static void
sending_on_answer(void *arg, struct slice line, const struct ndjson *object)
{
	static const char ok[] = "\"ack\":\"OK\"";
	struct sending *sending = arg;
	struct slice type = object == NULL ? slice_of("")
					   : ndjson_text(object, "type");

	if (!sending->is_import && object == NULL) {
		/* cannot match within a text, where quotes are escaped */
		if (memmem(line.p, line.len, ok, sizeof(ok) - 1) != NULL)
			sending->ok++;
		else
			sending->other++;
		outlet_put(&sending->outlet, line);
		outlet_put(&sending->outlet, slice_of("\n"));
		sending_drop(sending, 1);
		sending_go_on(sending);
	} else if (sending->is_import && slice_is(type, "taken")) {
		int64_t lines = ndjson_number(object, "lines", 0);
		struct import_totals *totals = &sending->totals;

		sending->answered += (uint64_t)lines;
		sending->bad += (uint64_t)ndjson_number(object, "bad", 0);
		totals->added += (uint64_t)ndjson_number(object, "new", 0);
		totals->known += (uint64_t)ndjson_number(object, "known", 0);
		totals->history += (uint64_t)ndjson_number(
		    object, "history", 0);
		totals->unlisted += (uint64_t)ndjson_number(
		    object, "unlisted", 0);
		sending_drop(sending, lines);
		sending_go_on(sending);
	} else if (sending->is_import && slice_is(type, "bad")) {
		struct slice why = ndjson_text(object, "why");

		complain("%s:%" PRId64 ": %.*s", sending->name,
		    ndjson_number(object, "line", 0), (int)why.len, why.p);
	}
}

/* There is an owner of the store: send all that waits. */
static void
sending_on_ready(void *arg)
{
	struct sending *sending = arg;
	struct buf line;

	sending->has_frontier = true;
	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, sending->is_import ? "import" : "done");
	out_json_number(&line, "line", sending->line);
	if (sending->is_import)
		out_json_flag(&line, "json",
		    sending->options->import_format == IMPORT_JSONL);
	out_json_line_end(&line);
	(void)buf_put_slice(&line, splitter_rest(&sending->lines));
	(void)store_client_write(sending->client, buf_text(&line));
	buf_release(&line);
}

/* There will be no owner any more: what waits cannot be taken. */
static void
sending_on_lost(void *arg, int status)
{
	struct sending *sending = arg;

	sending->has_frontier = false;
	sending->status = status;
	loop_stop(sending->loop);
}

static void
sending_on_line(void *arg, struct slice line)
{
	struct sending *sending = arg;
	struct store_client_options how = {.options = sending->options,
	    .loop = sending->loop,
	    .ready = sending_on_ready,
	    .line = sending_on_answer,
	    .ended = sending_on_lost,
	    .arg = sending,
	    .makes_store = sending->is_import};
	struct slice waiting;

	(void)splitter_put(&sending->lines, line);
	(void)splitter_put(&sending->lines, slice_of("\n"));
	/* The last of what waits is the line with its line feed. */
	waiting = splitter_rest(&sending->lines);
	if (sending->has_frontier)
		(void)store_client_write(sending->client,
		    slice_from(waiting, waiting.len - line.len - 1));
	sending_drop(sending, 0);
	/* The store is looked for when there is something to say.  In a pipe
	 * behind `due`, which may load pages for longer than a store is waited
	 * for, the first result comes when the frontier is there.  A queue that
	 * is full of blank lines needs the store, too: nothing else empties it.
	 */
	if (sending->client == NULL &&
	    (slice_trim(line).len > 0 ||
		splitter_rest(&sending->lines).len >= LINES_BYTES))
		sending->client = store_client_new(&how);
	sending_go_on(sending);
}

/* The end of the input is not the end of the command: lines may wait for
 * answers. */
static void
sending_on_end(void *arg, int error)
{
	struct sending *sending = arg;

	sending->is_over = true;
	sending->error = error;
	sending_go_on(sending);
}

/* What was sent is still answered, so that nobody says a result twice. */
static void
sending_on_signal(void *arg, int number)
{
	struct sending *sending = arg;

	sending->stopped_by = 128 + number;
	sending->is_over = true;
	sending_go_on(sending);
}

/* Send all lines; the exit status, EXIT_DONE if each has its answer. */
static int
sending_run(struct sending *sending, int fd, size_t max_line)
{
	struct inlet_options in = {.max_line = max_line,
	    .line = sending_on_line,
	    .end = sending_on_end,
	    .arg = sending};

	sending->loop = loop_new();
	if (sending->loop == NULL)
		return EXIT_RESOURCES;
	sending->line = 1;
	splitter_init(&sending->lines, SIZE_MAX);
	sending->signals = stop_signals_new(
	    sending->loop, sending_on_signal, sending);
	if (!sending->is_import)
		outlet_init(&sending->outlet, sending->loop, STDOUT_FILENO,
		    sending_go_on, sending);
	inlet_init(&sending->inlet, sending->loop, fd, &in);
	loop_run(sending->loop);
	return sending->status;
}

/* Free all; `status` is EXIT_DONE or what went wrong before, and `amiss` the
 * status of lines that were not taken. */
static int
sending_end(struct sending *sending, int status, int amiss)
{
	char room[128];

	loop_watch_free(sending->inlet.watch);
	loop_timer_free(sending->inlet.next);
	buf_release(&sending->inlet.in.text);
	store_client_free(sending->client);
	loop_watch_free(sending->outlet.watch);
	loop_timer_free(sending->outlet.next);
	buf_release(&sending->outlet.out);
	stop_signals_free(sending->signals);
	buf_release(&sending->lines.text);
	loop_free(sending->loop);
	if (status == EXIT_DONE && sending->error != 0) {
		complain("cannot read '%s': %s", sending->name,
		    strerror_r(sending->error, room, sizeof(room)));
		status = EXIT_DISK;
	}
	if (status == EXIT_DONE)
		status = sending->stopped_by;
	return status == EXIT_DONE ? amiss : status;
}

int
command_done(struct options *options)
{
	struct sending sending = {.options = options, .name = "stdin"};
	char room[128];
	int error;
	int status;

	/* results are of leases, and without a store there was none */
	if (options->store.url == NULL &&
	    !crawler_finds_store(options->store.path))
		return EXIT_USAGE;
	status = sending_run(&sending, STDIN_FILENO, RESULT_MAX_BYTES);
	if (sending.loop == NULL)
		return status;
	/* each refused result had its reason in its answer; this is for who
	 * did not look */
	if (sending.other > 0 && !options->output.is_quiet)
		complain("%" PRIu64 " of %" PRIu64
			 " results were not taken: see \"reason\"",
		    sending.other, sending.ok + sending.other);
	if (splitter_rest(&sending.lines).len > 0 && status != EXIT_DONE)
		complain("results from line %" PRIu64
			 " on were not taken: say them again",
		    sending.line);
	/* who does not read the answers has given results all the same */
	error = sending.outlet.error;
	if (status == EXIT_DONE && error != 0 && error != EPIPE) {
		complain("cannot write to stdout: %s",
		    strerror_r(error, room, sizeof(room)));
		status = EXIT_DISK;
	}
	return sending_end(&sending, status,
	    sending.other > 0 && options->frontier.is_strict ? EXIT_FINDINGS
							     : EXIT_DONE);
}

/* Print what became of all lines. */
static int
import_print(const struct sending *sending)
{
	const struct options_output *output = &sending->options->output;
	const struct import_totals *totals = &sending->totals;
	struct out out;

	out_init(&out, output);
	if (output->is_json) {
		out_json_line(&out.text, "import");
		out_json_number(&out.text, "lines", sending->answered);
		out_json_number(&out.text, "bad", sending->bad);
		out_json_number(&out.text, "new", totals->added);
		out_json_number(&out.text, "known", totals->known);
		out_json_number(&out.text, "history", totals->history);
		out_json_number(&out.text, "unlisted", totals->unlisted);
		out_json_line_end(&out.text);
	} else if (!output->is_quiet) {
		(void)buf_print(&out.text,
		    "imported %s, %s known, %s with a fetch that was not known",
		    human_of(totals->added, "new page").text,
		    human_of(totals->known, NULL).text,
		    human_of(totals->history, NULL).text);
		if (totals->unlisted > 0)
			(void)buf_print(&out.text,
			    "; %s that no sitemap here lists",
			    human_of(totals->unlisted, NULL).text);
		(void)buf_put_char(&out.text, '\n');
	}
	return out_finish(&out);
}

int
command_import(struct options *options)
{
	const char *name = options->targets.args.count > 0
	    ? options->targets.args.items[0]
	    : "-";
	bool is_stdin = strcmp(name, "-") == 0;
	struct sending sending = {.options = options,
	    .is_import = true,
	    .name = is_stdin ? "stdin" : name};
	char room[128];
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	int amiss;
	int status;

	if (fd < 0) {
		complain("cannot read '%s': %s", name,
		    strerror_r(errno, room, sizeof(room)));
		return EXIT_USAGE;
	}
	status = sending_run(&sending, fd, IMPORT_LINE_MAX);
	if (status == EXIT_DONE)
		status = import_print(&sending);
	/* 4 if no line was good, 1 if some were not (exit.h) */
	amiss = sending.totals.added + sending.totals.known == 0
	    ? EXIT_NO_TARGET
	    : EXIT_FINDINGS;
	status = sending_end(
	    &sending, status, sending.bad == 0 ? EXIT_DONE : amiss);
	if (!is_stdin)
		(void)close(fd);
	return status;
}
