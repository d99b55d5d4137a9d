/* Work that the driver of the owner does: see driver_work.h. */
#include "crawler/commands/driver_work.h"

#include <stdio.h>
#include <unistd.h>

#include "base/out_json.h"
#include "crawler/cli/options_same.h"
#include "crawler/cli/out.h"
#include "crawler/control/control.h"
#include "crawler/control/progress.h"
#include "crawler/control/served.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/stop_signals.h"

struct working {
	struct driver_work *work;
	const char *command; /* of the request */
	uint64_t command_bit;
	struct loop *loop; /* owned */
	struct loop_timer *flush; /* owned: of stdout */
	struct loop_timer *farewell; /* owned: the owner does not answer */
	struct progress *progress; /* owned; NULL: no work has begun */
	struct store_client *client; /* owned */
	bool was_asked; /* an owner before did a part */
	bool is_over;
	bool is_unheard; /* nobody reads stdout: it was stopped */
	int stopped_by; /* a signal, or 0 */
	int status;
};

static void
working_end(void *arg, int status)
{
	struct working *working = arg;

	working->is_over = true;
	working->status = status;
	loop_stop(working->loop);
}

static void
working_on_farewell(void *arg)
{
	struct working *working = arg;

	working_end(working,
	    working->stopped_by == 0 ? EXIT_DISK : 128 + working->stopped_by);
}

static void
working_on_ready(void *arg)
{
	struct working *working = arg;
	struct driver_work *work = working->work;
	const struct options_output *output = &work->options->output;
	struct strings values = {0};
	struct buf line;

	/* The owner left when the command had been stopped. */
	if (working->stopped_by != 0 || working->is_unheard) {
		working_on_farewell(working);
		return;
	}
	store_call_begin(&line, working->command);
	/* The request: crawler_serve.h has the form. */
	out_json_flag(&line, "json", output->is_json);
	out_json_flag(&line, "quiet", output->is_quiet);
	out_json_number(&line, "progress_ms",
	    (uint64_t)progress_interval_ms(output->progress, output->is_quiet));
	out_json_flag(
	    &line, "archived", work->options->fetch.archives_documents);
	work->put(work->arg, &line, working->was_asked);
	/* the owner compares them one by one, to name the first that differs */
	options_values(work->options, working->command_bit, &values);
	out_json_strings(&line, "options", &values);
	strings_release(&values);
	out_json_line_end(&line);
	if (line.len > CONTROL_MAX_REQUEST &&
	    !store_client_is_owner(working->client)) {
		complain("the process that holds the store takes no more than "
			 "%u MiB of targets at once",
		    CONTROL_MAX_REQUEST >> 20);
		buf_release(&line);
		working_end(working, EXIT_USAGE);
	} else {
		(void)store_client_send(working->client, &line);
	}
}

static void
working_on_line(void *arg, struct slice line, const struct ndjson *object)
{
	struct working *working = arg;
	struct slice type;

	(void)line;
	if (object == NULL)
		return;
	working->was_asked = true;
	type = ndjson_text(object, "type");
	if (slice_is(type, "said")) {
		struct slice text = ndjson_text(object, "text");
		bool is_out = ndjson_number(object, "stream", STREAM_ERR) ==
		    STREAM_OUT;

		/* stdout may be the terminal that shows the progress */
		if (!is_out || isatty(STDOUT_FILENO) == 1)
			progress_clear(working->progress);
		if (!is_out)
			(void)fflush(stdout);
		(void)fwrite(text.p, 1, text.len, is_out ? stdout : stderr);
		/* A program that reads the output learns of a commit right
		 * after it. */
		if (is_out)
			loop_timer_set(working->flush, 0);
	} else if (slice_is(type, "progress")) {
		const struct options_output *output = &working->work->options
							   ->output;
		struct run_totals *totals = &working->work->totals;

		/* nothing is shown while the command waits for the store */
		if (working->progress == NULL)
			working->progress = progress_new(working->loop,
			    output->progress, output->is_quiet, totals);
		totals->done = (uint64_t)ndjson_number(object, "done", 0);
		totals->known = (uint64_t)ndjson_number(object, "known", 0);
		totals->listed = (uint64_t)ndjson_number(object, "listed", 0);
		totals->wire_bytes = (uint64_t)ndjson_number(
		    object, "wire_bytes", 0);
		totals->pages = (uint64_t)ndjson_number(object, "pages", 0);
		totals->pages_done = (uint64_t)ndjson_number(
		    object, "pages_done", 0);
	} else if (working->work->line != NULL) {
		progress_clear(working->progress);
		working->work->line(working->work->arg, object);
	}
}

/* What the client of the store says goes below the line of progress. */
static void
working_on_complaint(void *arg, struct slice text)
{
	struct working *working = arg;
	struct complain_sink before;

	progress_clear(working->progress);
	before = complain_through((struct complain_sink){0});
	complain("%.*s", (int)text.len, text.p);
	(void)complain_through(before);
}

/* The owner commits what it has read, and ends the answer with that status. */
static void
working_stop(struct working *working, int status)
{
	struct buf line = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&line, "{\"stop\":%d}\n", status);
	if (!store_client_send(working->client, &line))
		working_end(working, status);
	else if (!store_client_is_owner(working->client))
		loop_timer_set(working->farewell, working->work->farewell_ms);
}

static void
working_on_signal(void *arg, int number)
{
	struct working *working = arg;

	working->stopped_by = number;
	working_stop(working, 128 + number);
}

static void
working_on_flush(void *arg)
{
	struct working *working = arg;

	if (fflush(stdout) != 0 && working->work->stops_unheard &&
	    !working->is_unheard) {
		working->is_unheard = true;
		working_stop(working, EXIT_DISK);
	}
}

int
driver_work_do(
    struct driver_work *work, const char *command, uint64_t command_bit)
{
	struct working working = {
	    .work = work, .command = command, .command_bit = command_bit};

	working.loop = loop_new();
	if (working.loop == NULL)
		return EXIT_RESOURCES;
	/* this process does it if it becomes the owner, else it asks the owner
	 * to */
	struct store_client_options how = {.options = work->options,
	    .loop = working.loop,
	    .ready = working_on_ready,
	    .line = working_on_line,
	    .ended = working_end,
	    .arg = &working,
	    .makes_store = work->makes_store,
	    .has_driver = true,
	    .forkserver = work->forkserver};
	struct stop_signals *signals = stop_signals_new(
	    working.loop, working_on_signal, &working);
	struct complain_sink before;

	working.flush = loop_timer_new(
	    working.loop, working_on_flush, &working);
	working.farewell = loop_timer_new(
	    working.loop, working_on_farewell, &working);
	before = complain_through(
	    (struct complain_sink){working_on_complaint, &working});
	working.client = store_client_new(&how);
	loop_run(working.loop);
	if (!working.is_over)
		store_client_stopped(working.client);
	progress_free(working.progress);
	working.progress = NULL;
	store_client_free(working.client);
	(void)complain_through(before);
	stop_signals_free(signals);
	loop_timer_free(working.flush);
	loop_timer_free(working.farewell);

	loop_free(working.loop);
	if (working.stopped_by != 0)
		complain("interrupted; run the same command to resume");
	/* output that cannot be written is an error, unless the reader of the
	 * pipe has ended */
	if ((fflush(stdout) != 0 || ferror(stdout)) && !out_is_unheard())
		return EXIT_DISK;
	return working.status;
}
