/* A crawl that the owner of the store does for this command. */
#include "crawler/control/crawl_join.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vis.h"
#include "crawler/cli/options_same.h"
#include "crawler/control/control.h"
#include "crawler/control/control_socket.h"
#include "crawler/control/crawl_output.h"
#include "crawler/control/progress.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define SILENCE_MS 120000 /* an owner sends a line twice a second */
#define MAX_LINE_BYTES (64u << 20)

/* The connection to the owner while it does the crawl. */
struct join {
	struct loop *loop;
	struct loop_timer *patience; /* ends the wait for a silent owner */
	struct loop_watch *watch;
	struct progress *progress;
	struct joining *joining;
	bool has_answered;
	struct buf in;
	int status; /* the exit status, or JOIN_… */
};

static void
finish(struct join *join, int status)
{
	join->status = status;
	loop_stop(join->loop);
}

static void
on_silence(void *arg)
{
	finish(arg, JOIN_NOBODY);
}

/* The owner drops the crawl when the connection closes. */
static void
on_interrupt(void *arg)
{
	finish(arg, EXIT_INTERRUPTED);
}

static void
on_terminate(void *arg)
{
	finish(arg, EXIT_TERMINATED);
}

static void
write_text(struct join *join, int64_t stream, struct slice text)
{
	if (stream == STREAM_ERR)
		progress_clear(join->progress);
	(void)fwrite(
	    text.p, 1, text.len, stream == STREAM_ERR ? stderr : stdout);
	if (stream == STREAM_OUT)
		(void)fflush(stdout);
}

static void
take_line(struct join *join, struct slice line)
{
	struct ndjson *object = ndjson_parse(line);
	struct slice type;

	if (object == NULL)
		return;
	join->has_answered = true;
	loop_timer_set(join->patience, SILENCE_MS);
	type = ndjson_text(object, "type");
	if (slice_is(type, "said")) {
		write_text(join, ndjson_number(object, "stream", 0),
		    ndjson_text(object, "text"));
	} else if (slice_is(type, "totals")) {
		totals_get(object, &join->joining->totals);
	} else if (slice_is(type, "end")) {
		finish(join, (int)ndjson_number(object, "exit", EXIT_BUG));
	}
	ndjson_free(object);
}

/* take_lines(join): read the whole lines. */
static void
take_lines(struct join *join)
{
	size_t at = 0;
	const char *end;

	while (at < join->in.len &&
	    (end = memchr(join->in.p + at, '\n', join->in.len - at)) != NULL) {
		size_t len = (size_t)(end - (join->in.p + at));

		take_line(join, slice_make(join->in.p + at, len));
		at += len + 1;
	}
	join->in.len -= at;
	if (at > 0)
		memmove(join->in.p, join->in.p + at, join->in.len);
}

static void
on_readable(void *arg, int fd, int ready)
{
	struct join *join = arg;
	char bytes[65536];
	ssize_t n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	(void)ready;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || !buf_put(&join->in, bytes, (size_t)n)) {
		if (join->status == JOIN_NOBODY)
			finish(
			    join, join->has_answered ? JOIN_LEFT : JOIN_NOBODY);
		return;
	}
	take_lines(join);
}

static const struct run_totals *
totals_of(void *arg)
{
	const struct join *join = arg;

	return &join->joining->totals;
}

/* The request. */

struct json_list {
	struct buf *out;
	const char *comma;
};

static void
put_item(struct json_list *list, struct slice text)
{
	(void)buf_print(list->out, "%s", list->comma);
	json_put(list->out, text);
	list->comma = ",";
}

/* put_target(list, text): bytes that are not UTF-8 are percent-encoded, since
 * JSON cannot hold them. */
static void
put_target(struct json_list *list, struct slice text)
{
	struct buf ascii;

	buf_init(&ascii, SIZE_MAX);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.p[i] < 0x80)
			(void)buf_put_char(&ascii, text.p[i]);
		else
			(void)buf_print(
			    &ascii, "%%%02X", (unsigned char)text.p[i]);
	put_item(list, vis_is_utf8(text) ? text : buf_text(&ascii));
	buf_release(&ascii);
}

static void
put_option(void *arg, const char *name, struct slice value)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "%s=%.*s", name, (int)value.len, value.p);
	put_item(arg, buf_text(&text));
	buf_release(&text);
}

/* put_request: crawler_serve.h has the form. */
static void
put_request(struct buf *out, const struct options *options,
    const struct joining *joining)
{
	struct json_list list = {.out = out, .comma = ""};

	(void)buf_print(out,
	    "{\"v\":1,\"command\":\"crawl\",\"version\":\"%s\",\"json\":%s,"
	    "\"quiet\":%s,\"force\":%s,\"continued\":%s",
	    FRESHET_VERSION, options->output.is_json ? "true" : "false",
	    options->output.is_quiet ? "true" : "false",
	    options->is_forced ? "true" : "false",
	    joining->is_continued ? "true" : "false");
	totals_put(out, &joining->before);
	(void)buf_print(out, ",\"targets\":[");
	for (size_t i = 0; i < options->targets.args.count; i++)
		put_target(&list, slice_of(options->targets.args.items[i]));
	(void)buf_print(out, "],\"options\":[");
	list.comma = "";
	options_each_value(options, put_option, &list);
	(void)buf_print(out, "]}\n");
}

/* ask(fd, options, joining): send the request; EXIT_DONE, or the status to
 * return.
 */
static int
ask(int fd, const struct options *options, const struct joining *joining)
{
	struct buf line;
	int status = EXIT_DONE;

	buf_init(&line, SIZE_MAX);
	put_request(&line, options, joining);
	if (line.len > CONTROL_MAX_REQUEST) {
		(void)fputs("freshet: so many targets cannot be handed over to "
			    "the crawl that is under way in this store; run "
			    "the command again when it is through\n",
		    stderr);
		status = EXIT_USAGE;
	} else if (!control_put(fd, buf_text(&line), joining->patience_ms)) {
		status = JOIN_NOBODY;
	}
	buf_release(&line);
	return status;
}

static int
follow(int fd, const struct options_output *output, struct joining *joining)
{
	struct join join = {
	    .loop = loop_new(), .joining = joining, .status = JOIN_NOBODY};
	struct loop_signal *interrupt = loop_signal_new(
	    join.loop, SIGINT, on_interrupt, &join);
	struct loop_signal *terminate = loop_signal_new(
	    join.loop, SIGTERM, on_terminate, &join);

	buf_init(&join.in, MAX_LINE_BYTES);
	join.watch = loop_watch_new(
	    join.loop, fd, LOOP_READ, on_readable, &join);
	join.patience = loop_timer_new(join.loop, on_silence, &join);
	join.progress = progress_new(
	    join.loop, output->progress, output->is_quiet, totals_of, &join);
	loop_timer_set(join.patience, joining->patience_ms);
	loop_run(join.loop);
	progress_free(join.progress);
	loop_timer_free(join.patience);
	loop_watch_free(join.watch);
	loop_signal_free(interrupt);
	loop_signal_free(terminate);
	loop_free(join.loop);
	buf_release(&join.in);
	return join.status;
}

int
crawl_join(const struct options *options, struct joining *joining)
{
	int fd = control_connect(options->store.path);
	int status;

	if (fd < 0)
		return JOIN_NOBODY;
	status = ask(fd, options, joining);
	if (status == EXIT_DONE)
		status = follow(fd, &options->output, joining);
	(void)close(fd);
	if (status == EXIT_INTERRUPTED || status == EXIT_TERMINATED)
		(void)fputs("freshet: interrupted; run the same command to "
			    "resume\n",
		    stderr);
	return status;
}
