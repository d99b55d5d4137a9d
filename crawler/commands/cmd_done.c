/* freshet done: take results of fetches. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawler.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/splitter.h"
#include "crawler/event/standard.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/result_line.h"

struct done {
	struct options *options;
	struct loop *loop; /* owned */
	struct stop_signals *signals; /* owned */
	/* owned; NULL before the first result */
	struct store_client *client;
	struct inlet *inlet; /* owned */
	struct outlet *outlet; /* owned */
	struct line_queue queue;
	uint64_t ok, other;
	/* is_over: stdin is read to its end or no longer */
	bool has_frontier, is_over;
	int error; /* errno of stdin */
	int stopped_by; /* the exit status that stopped the command; 0: none */
	int status;
};

static size_t
waiting(const struct done *done)
{
	return line_queue_rest(&done->queue).len;
}

/* Read more, or end the command. */
static void
done_go_on(struct done *done)
{
	bool is_full = waiting(done) >= LINE_QUEUE_BYTES ||
	    outlet_waiting(done->outlet) >= LINE_QUEUE_BYTES;

	if (done->is_over && waiting(done) == 0 &&
	    outlet_waiting(done->outlet) == 0)
		loop_stop(done->loop);
	else
		inlet_pause(done->inlet, is_full || done->is_over);
}

/* Answers of the frontier. */

static void
on_ack(void *arg, struct slice line, const struct ndjson *object)
{
	static const char ok[] = "\"ack\":\"OK\"";
	struct done *done = arg;

	if (object != NULL)
		return;
	/* cannot match within a text, where quotes are escaped */
	if (memmem(line.p, line.len, ok, sizeof(ok) - 1) != NULL)
		done->ok++;
	else
		done->other++;
	outlet_put(done->outlet, line);
	outlet_put(done->outlet, slice_of("\n"));
	line_queue_pop(&done->queue);
	line_queue_pop_blank(&done->queue);
	done_go_on(done);
}

static void
done_on_ready(void *arg)
{
	struct done *done = arg;
	struct buf line;

	done->has_frontier = true;
	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, "done");
	(void)buf_print(&line, ",\"line\":%" PRIu64 "}\n", done->queue.line);
	(void)buf_put_slice(&line, line_queue_rest(&done->queue));
	(void)store_client_write(done->client, buf_text(&line));
	buf_release(&line);
}

static void
done_on_ended(void *arg, int status)
{
	struct done *done = arg;

	done->has_frontier = false;
	done->status = status;
	loop_stop(done->loop);
}

/* Results from stdin. */

static void
on_result(void *arg, struct slice line)
{
	struct done *done = arg;
	struct slice queued = line_queue_put(&done->queue, line);

	if (done->has_frontier)
		(void)store_client_write(done->client, queued);
	line_queue_pop_blank(&done->queue);
	if (done->client == NULL && waiting(done) > 0) {
		/* In a pipe behind `due`, which may load pages for longer than
		 * a store is waited for, the first result comes when the
		 * frontier is there. */
		struct store_client_options how = {.options = done->options,
		    .loop = done->loop,
		    .ready = done_on_ready,
		    .line = on_ack,
		    .ended = done_on_ended,
		    .arg = done};

		done->client = store_client_new(&how);
	}
	done_go_on(done);
}

static void
done_on_end(void *arg, int error)
{
	struct done *done = arg;

	done->is_over = true;
	done->error = error;
	done_go_on(done);
}

/* A reader of answers that goes away does not stop the results. */
static void
done_on_written(void *arg)
{
	done_go_on(arg);
}

static void
done_on_signal(void *arg, int number)
{
	struct done *done = arg;

	done->stopped_by = 128 + number;
	done->is_over = true;
	done_go_on(done);
}

/* The command. */

static int
end_status(const struct done *done)
{
	int error = outlet_error(done->outlet);
	char room[128];

	if (done->other > 0 && !done->options->output.is_quiet)
		complain("%" PRIu64 " of %" PRIu64
			 " results were not taken: see \"reason\"",
		    done->other, done->ok + done->other);
	if (waiting(done) > 0 && done->status != EXIT_DONE)
		complain("results from line %" PRIu64
			 " on were not taken: say them again",
		    done->queue.line);
	if (done->status != EXIT_DONE)
		return done->status;
	if (error != 0 && error != EPIPE)
		complain("cannot write to stdout: %s",
		    strerror_r(error, room, sizeof(room)));
	if (done->error != 0)
		complain("cannot read stdin: %s",
		    strerror_r(done->error, room, sizeof(room)));
	if (done->error != 0 || (error != 0 && error != EPIPE))
		return EXIT_DISK;
	if (done->stopped_by != 0)
		return done->stopped_by;
	return done->other > 0 && done->options->frontier.is_strict
	    ? EXIT_FINDINGS
	    : EXIT_DONE;
}

static int
take_all(struct done *done)
{
	struct inlet_options in = {.max_line = RESULT_MAX_BYTES,
	    .line = on_result,
	    .end = done_on_end,
	    .arg = done};
	int status;

	done->signals = stop_signals_new(done->loop, done_on_signal, done);
	done->outlet = outlet_new(
	    done->loop, STDOUT_FILENO, done_on_written, done);
	done->inlet = inlet_new(done->loop, STDIN_FILENO, &in);
	loop_run(done->loop);
	status = end_status(done);
	inlet_free(done->inlet);
	store_client_free(done->client);
	outlet_free(done->outlet);
	stop_signals_free(done->signals);
	return status;
}

int
command_done(struct options *options)
{
	struct done done = {.options = options, .status = EXIT_DONE};
	int status;

	if (!crawler_finds_store(options->store.path))
		return EXIT_USAGE;
	done.loop = loop_new();
	if (done.loop == NULL)
		return EXIT_RESOURCES;
	line_queue_init(&done.queue);
	status = take_all(&done);
	loop_free(done.loop);
	line_queue_release(&done.queue);
	return status;
}
