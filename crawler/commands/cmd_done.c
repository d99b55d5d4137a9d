/*
 * freshet done and import: lines of the input, results of fetches or what
 * another crawler knows, that the owner of the store takes.
 *
 *	input -> queue of lines -> owner -> an answer: the line leaves the queue
 *
 * If the owner leaves, what is in the queue is sent again to the next one.
 * There is a queue, and an owner, for each shard of the store.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawler.h"
#include "crawler/control/shards.h"
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
	struct inlet inlet;
	struct outlet outlet; /* for the answers of `done`; import: none */
	struct shards shards;
	struct queue *queues; /* of the shards */
	size_t waiting; /* bytes in all queues */
	uint64_t line; /* so many lines came */
	bool has_begun; /* a line needs the store; blank ones do not */
	bool is_over; /* the input is read to its end or no longer */
	int error; /* errno of the input; 0: none */
	int stopped_by; /* the exit status that stopped the command; 0: none */
	int status;
	uint64_t ok, other; /* results that were taken, and the others */
	struct import_totals totals; /* of import */
	uint64_t answered, bad; /* lines of import with an answer */
};

/* A shard. */
struct queue {
	struct sending *sending;
	struct store_client *client; /* owned; NULL before the first line */
	/* Lines that were sent to the owner of the shard and not answered yet,
	 * those of `done` with their numbers.  If that process leaves, they are
	 * sent again to the next owner. */
	struct splitter lines;
};

/* Read more, or end the command. A reader of answers that goes away does not
 * stop the results. */
static void
sending_go_on(void *arg)
{
	struct sending *sending = arg;
	size_t unwritten = sending->outlet.out.len;
	bool is_full = sending->waiting >= LINES_BYTES ||
	    unwritten >= LINES_BYTES;

	if (sending->is_over &&
	    (sending->waiting == 0 || !sending->has_begun) && unwritten == 0)
		loop_stop(sending->loop);
	else if (sending->inlet.is_paused != (is_full || sending->is_over))
		inlet_pause(&sending->inlet, is_full || sending->is_over);
}

/* The first lines of a queue have their answers: drop them. */
static void
queue_drop(struct queue *queue, int64_t answered)
{
	struct slice line;

	while (answered-- > 0 && splitter_next(&queue->lines, &line))
		queue->sending->waiting -= line.len + 1;
}

/* Print the answer to a result. */
static void
sending_put_ack(struct sending *sending, struct slice line)
{
	static const char ok[] = "\"ack\":\"OK\"";

	/* cannot match within a text, where quotes are escaped */
	if (memmem(line.p, line.len, ok, sizeof(ok) - 1) != NULL)
		sending->ok++;
	else
		sending->other++;
	outlet_put(&sending->outlet, line);
	outlet_put(&sending->outlet, slice_of("\n"));
}

/* The lines of a queue have become mail: what they say is noted, and the owner
 * of the shard will judge it. */
static void
queue_on_mailed(struct queue *queue, int64_t lines)
{
	struct slice line, number;
	struct result_line result;
	struct frontier_reply reply = {.next_due_s = FRONTIER_NEVER};
	struct buf ack = BUF_UP_TO(SIZE_MAX);

	queue->sending->answered += (uint64_t)lines;
	while (lines-- > 0 && splitter_peek(&queue->lines, &line)) {
		if (!queue->sending->is_import) {
			(void)slice_cut(&line, ' ', &number);
			reply.reason = result_line_parse(&result, line, 0);
			reply.lease = result.result.token;
			reply.url = result.result.url;
			reply.ack = reply.reason == NULL ? FRONTIER_OK
							 : FRONTIER_FAIL;
			(void)slice_number(number, &reply.line);
			buf_clear(&ack);
			frontier_line_ack(&ack, &reply);
			sending_put_ack(
			    queue->sending, slice_trim(buf_text(&ack)));
			ndjson_free(result.object);
		}
		queue_drop(queue, 1);
	}
	buf_release(&ack);
}

/* The owner of a shard has an answer.  `done` passes each one on; import
 * counts them. */
static void
queue_on_answer(void *arg, struct slice line, const struct ndjson *object)
{
	struct queue *queue = arg;
	struct sending *sending = queue->sending;
	struct slice type = object == NULL ? slice_of("")
					   : ndjson_text(object, "type");

	if (slice_is(type, "mailed")) {
		queue_on_mailed(queue, ndjson_number(object, "lines", 0));
	} else if (!sending->is_import && object == NULL) {
		sending_put_ack(sending, line);
		queue_drop(queue, 1);
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
		queue_drop(queue, lines);
	} else if (sending->is_import && slice_is(type, "bad")) {
		struct slice why = ndjson_text(object, "why");

		complain("%s:%" PRId64 ": %.*s", sending->name,
		    ndjson_number(object, "line", 0), (int)why.len, why.p);
	}
	sending_go_on(sending);
}

/* There is an owner of the shard: send all that waits. */
static void
queue_on_ready(void *arg)
{
	struct queue *queue = arg;
	const struct sending *sending = queue->sending;
	struct buf line;

	store_call_begin(&line, sending->is_import ? "import" : "done");
	if (sending->is_import) {
		out_json_number(&line, "line", sending->answered + 1);
		out_json_flag(&line, "json",
		    sending->options->import_format == IMPORT_JSONL);
	}
	out_json_line_end(&line);
	(void)buf_put_slice(&line, splitter_rest(&queue->lines));
	(void)store_client_send(queue->client, &line);
}

/* There will be no owner any more: what waits cannot be taken. */
static void
queue_on_lost(void *arg, int status)
{
	struct sending *sending = ((struct queue *)arg)->sending;

	sending->status = status;
	loop_stop(sending->loop);
}

/* Append the line as its shard gets it, and find that; a result that is none is
 * refused by the first.  False: the line of import is bad, which was said.  In
 * mail there is UTF-8 only, as in JSON; what is not stands behind the object
 * (frontier_lines.h), or is escaped in a URL. */
static bool
sending_put_line(
    struct sending *sending, struct slice text, struct buf *line, unsigned *to)
{
	bool is_json = sending->options->import_format == IMPORT_JSONL;
	struct import_line import = {0};
	struct result_line result;
	const char *why = NULL;
	bool is_plain;

	if (!sending->is_import)
		(void)buf_print(line, "%" PRIu64 " ", sending->line);
	if (sending->shards.count == 1) {
		*to = 0;
	} else if (sending->is_import) {
		why = import_line_read(
		    &import, text, is_json, sending->options->now_s);
		*to = shards_home(&sending->shards, url_text(&import.url));
		text = is_json ? text : url_text(&import.url);
	} else {
		(void)result_line_parse(&result, text, 0);
		*to = shards_of_token(
		    &sending->shards, result.result.token, result.result.url);
		ndjson_free(result.object);
	}
	is_plain = sending->shards.members == NULL ||
	    (vis_is_utf8(text) && memchr(text.p, '\0', text.len) == NULL);
	for (size_t i = 0; i < text.len; i++)
		(void)buf_put_char(line,
		    is_plain || (text.p[i] > '\0' && text.p[i] < 0x7f)
			? text.p[i]
			: '?');
	(void)buf_put_char(line, '\n');
	if (why != NULL) {
		complain(
		    "%s:%" PRIu64 ": %s", sending->name, sending->line, why);
		sending->bad++;
		sending->answered++;
	}
	import_line_release(&import);
	return why == NULL;
}

static void
sending_on_line(void *arg, struct slice text)
{
	struct sending *sending = arg;
	bool is_blank = slice_trim(text).len == 0;
	struct queue *queue;
	struct buf line = {0};
	unsigned shard;

	sending->line++;
	/* a process that takes all lines of an import counts them */
	if (is_blank && (!sending->is_import || sending->shards.count > 1)) {
		sending->answered++;
		return;
	}
	if (sending_put_line(sending, text, &line, &shard)) {
		queue = &sending->queues[shard];
		(void)splitter_put(&queue->lines, buf_text(&line));
		sending->waiting += line.len;
		if (queue->client != NULL)
			(void)store_client_send(queue->client, &line);
		/* The store is looked for when there is something to say.  In a
		 * pipe behind `due`, which may load pages for longer than a
		 * store is waited for, the first result comes when the frontier
		 * is there.  A queue that is full of blank lines needs the
		 * store, too: nothing else empties it. */
		if (queue->client == NULL &&
		    (!is_blank || sending->waiting >= LINES_BYTES))
			queue->client = store_client_new(
			    &(struct store_client_options){
				.options = sending->options,
				.loop = sending->loop,
				.ready = queue_on_ready,
				.line = queue_on_answer,
				.ended = queue_on_lost,
				.arg = queue,
				.makes_store = sending->is_import,
				.shards = &sending->shards,
				.shard = shard,
				.has_lines = true});
		sending->has_begun |= queue->client != NULL;
	}
	buf_release(&line);
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

	sending->status = shards_open(&sending->shards, sending->options);
	if (sending->status != EXIT_DONE)
		return sending->status;
	sending->loop = loop_new();
	if (sending->loop == NULL)
		return EXIT_RESOURCES;
	sending->queues = mem_zero(
	    sending->shards.count * sizeof(*sending->queues));
	for (unsigned s = 0; s < sending->shards.count; s++) {
		sending->queues[s].sending = sending;
		splitter_init(&sending->queues[s].lines, SIZE_MAX);
	}
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
	inlet_release(&sending->inlet);
	for (unsigned s = 0;
	     sending->queues != NULL && s < sending->shards.count; s++) {
		store_client_free(sending->queues[s].client);
		buf_release(&sending->queues[s].lines.text);
	}
	free(sending->queues);
	shards_close(&sending->shards);
	outlet_release(&sending->outlet);
	stop_signals_free(sending->signals);
	loop_free(sending->loop);
	if (status == EXIT_DONE && sending->error != 0)
		status = complain_with(EXIT_DISK, "cannot read '%s': %s",
		    sending->name, strerrordesc_np(sending->error));
	if (status == EXIT_DONE)
		status = sending->stopped_by;
	return status == EXIT_DONE ? amiss : status;
}

int
command_done(struct options *options)
{
	struct sending sending = {.options = options, .name = "stdin"};
	uint64_t first = UINT64_MAX; /* line that was not taken */
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
	for (unsigned s = 0; s < sending.shards.count; s++) {
		struct slice line, number;
		uint64_t n;

		if (splitter_peek(&sending.queues[s].lines, &line) &&
		    slice_cut(&line, ' ', &number) &&
		    slice_number(number, &n) && n < first)
			first = n;
	}
	if (first != UINT64_MAX && status != EXIT_DONE)
		complain("results from line %" PRIu64
			 " on were not taken: say them again",
		    first);
	/* who does not read the answers has given results all the same */
	error = sending.outlet.error;
	if (status == EXIT_DONE && error != 0 && error != EPIPE)
		status = complain_with(EXIT_DISK, "cannot write to stdout: %s",
		    strerrordesc_np(error));
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
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	int amiss;
	int status;

	if (fd < 0)
		return complain_with(EXIT_USAGE, "cannot read '%s': %s", name,
		    strerrordesc_np(errno));
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
