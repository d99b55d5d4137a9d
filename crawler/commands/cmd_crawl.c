/*
 * freshet crawl: read the sitemaps of sites into the store.
 *
 * The owner of the store crawls, which is this process if no other one owns it.
 * If the owner leaves first, the crawl goes on as after an interruption: what
 * was read before is not read again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/options_same.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/control/control.h"
#include "crawler/control/crawler_serve.h"
#include "crawler/control/progress.h"
#include "crawler/control/shards.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/stop_signals.h"

/* The blocks of a document, the cache of the store and the table in which URLs
 * are counted, which takes 8 MiB, fit into twice this. */
#define KEPT_BYTES (12 << 20)
/* How long a user who stops the command waits for an owner that hangs. */
#define FAREWELL_MS 2000

struct crawl_command {
	struct options *options;
	size_t bad; /* bad lines in lists of targets */
	struct loop *loop; /* owned */
	struct loop_timer *flush; /* owned: of stdout */
	struct loop_timer *farewell; /* owned: the owner does not answer */
	struct progress *progress; /* owned; NULL: no crawl has begun */
	struct store_client *client; /* owned */
	struct run_totals totals; /* what the owner counted */
	bool was_asked; /* an owner before did a part */
	bool is_over;
	int stopped_by; /* a signal, or 0 */
	int status;
};

/* The targets are those that were typed, or those of the watched sites with a
 * tag. */
static int
take_targets(struct options *options, size_t *bad)
{
	int status;

	if (options->watch.tags.count > 0) {
		/* The targets of watched sites with a tag, in place of typed
		 * ones.  stdin may be a pipe that nobody writes to, as in a job
		 * of cron. */
		struct options_targets *targets = &options->targets;
		struct strings found = {0};

		if (targets->args.count > 0 || targets->input_files.count > 0 ||
		    (targets->has_stdin && !targets->is_piped)) {
			complain("give TARGETs or --tag, one of them");
			return EXIT_USAGE;
		}
		status = sites_tagged(options, true, &found);
		for (size_t i = 0; i < found.count; i++)
			string_list_add(&targets->args,
			    options_keep(options, slice_of(found.items[i])));
		strings_release(&found);
		return status;
	}
	status = targets_read(options, bad);
	if (status == EXIT_DONE && options->targets.args.count == 0) {
		complain("'crawl' needs a TARGET or --tag; see 'freshet help "
			 "crawl'");
		return EXIT_USAGE;
	}
	return status;
}

/* The request. */

/* put_request: crawler_serve.h has the form; out is new. */
static void
put_request(struct buf *out, const struct crawl_command *command)
{
	const struct options *options = command->options;
	const struct string_list *args = &options->targets.args;
	struct strings values = {0};

	store_call_begin(out, "crawl");
	out_json_flag(out, "json", options->output.is_json);
	out_json_flag(out, "quiet", options->output.is_quiet);
	out_json_flag(out, "force", options->is_forced);
	out_json_flag(out, "again", command->was_asked);
	out_json_flag(out, "bad", command->bad > 0);
	out_json_number(out, "progress_ms",
	    (uint64_t)progress_interval_ms(
		options->output.progress, options->output.is_quiet));
	out_json_begin(out, "targets", '[');
	for (size_t i = 0; i < args->count; i++) {
		/* Append a target: bytes that are not UTF-8 are
		 * percent-encoded, since JSON cannot hold them. */
		struct slice text = slice_of(args->items[i]);
		struct buf ascii = BUF_UP_TO(SIZE_MAX);

		for (size_t k = 0; k < text.len; k++)
			if ((unsigned char)text.p[k] < 0x80)
				(void)buf_put_char(&ascii, text.p[k]);
			else
				(void)buf_print(
				    &ascii, "%%%02X", (unsigned char)text.p[k]);
		out_json_text(
		    out, NULL, vis_is_utf8(text) ? text : buf_text(&ascii));
		buf_release(&ascii);
	}
	out_json_end(out, ']');
	out_json_begin(out, "options", '[');
	/* the owner compares them one by one, to name the first that differs */
	options_values(options, &values);
	for (size_t i = 0; i < values.count; i++)
		out_json_string(out, NULL, values.items[i]);
	strings_release(&values);
	out_json_end(out, ']');
	out_json_line_end(out);
}

/* The answer. */

static void
crawl_end(void *arg, int status)
{
	struct crawl_command *command = arg;

	command->is_over = true;
	command->status = status;
	loop_stop(command->loop);
}

static void
crawl_on_ready(void *arg)
{
	struct crawl_command *command = arg;
	struct buf line;

	/* The owner left when the user had stopped the command. */
	if (command->stopped_by != 0) {
		crawl_end(command, 128 + command->stopped_by);
		return;
	}
	put_request(&line, command);
	if (line.len > CONTROL_MAX_REQUEST &&
	    !store_client_is_owner(command->client)) {
		complain("the process that holds the store takes no more than "
			 "%u MiB of targets at once",
		    CONTROL_MAX_REQUEST >> 20);
		buf_release(&line);
		crawl_end(command, EXIT_USAGE);
	} else {
		(void)store_client_send(command->client, &line);
	}
}

static void
crawl_on_line(void *arg, struct slice line, const struct ndjson *object)
{
	struct crawl_command *command = arg;
	struct slice type;

	(void)line;
	if (object == NULL)
		return;
	command->was_asked = true;
	type = ndjson_text(object, "type");
	if (slice_is(type, "said")) {
		struct slice text = ndjson_text(object, "text");
		bool is_out = ndjson_number(object, "stream", STREAM_ERR) ==
		    STREAM_OUT;

		/* stdout may be the terminal that shows the progress */
		if (!is_out || isatty(STDOUT_FILENO) == 1)
			progress_clear(command->progress);
		if (!is_out)
			(void)fflush(stdout);
		(void)fwrite(text.p, 1, text.len, is_out ? stdout : stderr);
		/* A program that reads the output learns of a commit right
		 * after it. */
		if (is_out)
			loop_timer_set(command->flush, 0);
	} else if (slice_is(type, "progress")) {
		const struct options_output *output = &command->options->output;
		struct run_totals *totals = &command->totals;

		/* nothing is shown while the command waits for the store */
		if (command->progress == NULL)
			command->progress = progress_new(command->loop,
			    output->progress, output->is_quiet,
			    &command->totals);
		totals->done = (uint64_t)ndjson_number(object, "done", 0);
		totals->known = (uint64_t)ndjson_number(object, "known", 0);
		totals->listed = (uint64_t)ndjson_number(object, "listed", 0);
		totals->wire_bytes = (uint64_t)ndjson_number(
		    object, "wire_bytes", 0);
	}
}

static void
on_flush(void *arg)
{
	(void)arg;
	(void)fflush(stdout);
}

/* What the client of the store says goes below the line of progress. */
static void
crawl_on_complaint(void *arg, struct slice text)
{
	struct crawl_command *command = arg;
	struct complain_sink before;

	progress_clear(command->progress);
	before = complain_through((struct complain_sink){0});
	complain("%.*s", (int)text.len, text.p);
	(void)complain_through(before);
}

/* The owner commits what it has read, and ends the answer. */
static void
crawl_on_signal(void *arg, int number)
{
	struct crawl_command *command = arg;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	command->stopped_by = number;
	(void)buf_print(&line, "{\"stop\":%d}\n", 128 + number);
	if (!store_client_send(command->client, &line))
		crawl_end(command, 128 + number);
	else if (!store_client_is_owner(command->client))
		loop_timer_set(command->farewell, FAREWELL_MS);
}

static void
crawl_on_farewell(void *arg)
{
	struct crawl_command *command = arg;

	crawl_end(command, 128 + command->stopped_by);
}

/* Crawl the targets, which are of one shard. */
static int
crawl_go(struct options *options, struct forkserver *forkserver, size_t bad)
{
	struct crawl_command command = {.options = options, .bad = bad};

	command.loop = loop_new();
	if (command.loop == NULL)
		return EXIT_RESOURCES;
	/* this process crawls if it becomes the owner, else it asks the owner
	 * to */
	struct store_client_options how = {.options = command.options,
	    .loop = command.loop,
	    .ready = crawl_on_ready,
	    .line = crawl_on_line,
	    .ended = crawl_end,
	    .arg = &command,
	    .makes_store = true,
	    .has_driver = true,
	    .forkserver = forkserver};
	struct stop_signals *signals = stop_signals_new(
	    command.loop, crawl_on_signal, &command);
	struct complain_sink before;

	command.flush = loop_timer_new(command.loop, on_flush, NULL);
	command.farewell = loop_timer_new(
	    command.loop, crawl_on_farewell, &command);
	before = complain_through(
	    (struct complain_sink){crawl_on_complaint, &command});
	command.client = store_client_new(&how);
	loop_run(command.loop);
	if (!command.is_over)
		store_client_stopped(command.client);
	progress_free(command.progress);
	command.progress = NULL;
	store_client_free(command.client);
	(void)complain_through(before);
	stop_signals_free(signals);
	loop_timer_free(command.flush);
	loop_timer_free(command.farewell);

	loop_free(command.loop);
	if (command.stopped_by != 0)
		(void)fputs("freshet: interrupted; run the same command to "
			    "resume\n",
		    stderr);
	/* output that cannot be written is an error, unless the reader of the
	 * pipe has ended */
	if ((fflush(stdout) != 0 || ferror(stdout)) && !out_is_unheard())
		return EXIT_DISK;
	return command.status;
}

int
command_crawl(struct options *options, struct forkserver *forkserver)
{
	struct string_list all, *args = &options->targets.args;
	struct shards shards = {0};
	size_t bad = 0;
	int worst = EXIT_DONE;
	int status;

	mem_keep(KEPT_BYTES);
	status = take_targets(options, &bad);
	if (status == EXIT_DONE)
		status = shards_open(&shards, options);
	if (status != EXIT_DONE)
		return status;
	/* one shard after another; a signal ends them all */
	all = *args;
	for (unsigned s = 0; s < shards.count && worst < 128; s++) {
		*args = (struct string_list){0};
		for (size_t i = 0; i < all.count; i++)
			if (shards_home(&shards, slice_of(all.items[i])) == s)
				string_list_add(args, all.items[i]);
		if (args->count == 0)
			continue;
		if (shards.count > 1)
			options_take_shard(options, s);
		status = crawl_go(options, forkserver, bad);
		worst = status > worst ? status : worst;
		string_list_release(args);
	}
	*args = all;
	shards_close(&shards);
	return worst;
}
