/*
 * The one way of a command to the store that it writes.
 *
 *	SEEKING -> HERE   this process got the store
 *	        -> THERE  the owner of the store answers
 *	        -> MAIL   no process of this machine holds the shard
 *	        -> LOST   an owner is silent for 5 s, and none answered before;
 *	                  or the store cannot be opened
 *	HERE, THERE, MAIL -> DONE  the request is over
 *	MAIL -> SEEKING   lines were posted, and more may follow
 *	HERE -> SEEKING   this process has no driver, and a command wants the
 *	                  store that needs one
 *	THERE -> SEEKING  the owner left
 *	DONE -> HERE, SEEKING  there is one more request
 *
 * In HERE and DONE the crawler may be open.  THERE has fd and watch.
 */
#include "crawler/control/store_client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/control/crawler.h"
#include "crawler/control/crawler_serve.h"
#include "crawler/control/shards.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/splitter.h"
#include "crawler/frontier/frontier_lines.h"

/* How long a command waits for a store whose owner does not answer, and how
 * often it tries again. */
#define LOCK_WAIT_MS 5000
#define LOCK_STEP_MS 50
/* The owner left in order: a command that needs a driver goes first. */
#define LEFT_MS 150
#define LOOK_MS 1000 /* for an owner that others need not wait for */
#define MAIL_MS 20 /* lines that come meanwhile are one row of mail */
#define GIVE_WAY_MS 1000 /* such a command opens the store meanwhile */

enum client_state { SEEKING, HERE, THERE, MAIL, DONE, LOST };

struct store_client {
	struct store_client_options options;
	enum client_state state;
	char *path; /* owned: of the store, or of the cache of the shard */
	/* owned: SEEKING, look again; HERE, read what was written */
	struct loop_timer *step;
	struct loop_timer *patience; /* owned: THERE, no answer came */
	int64_t alive_ms; /* the last sign of an owner */
	/* this process does not open the store before this time */
	int64_t gives_way_ms;
	bool has_answered; /* the present owner has answered */
	bool was_served; /* any owner has answered */
	bool has_complained; /* a message was printed since the last answer */
	bool is_leaving; /* the owner said so; or this owner gives way */
	bool is_elsewhere; /* another machine holds the shard */
	bool is_posting; /* MAIL: step is set */
	struct splitter in;
	struct buf here; /* what the owner of this process wrote, before `in` */
	struct buf out, why;
	int fd; /* owned */
	struct loop_watch *watch; /* owned */
	struct crawler own; /* the crawler, unless the caller has it */
	struct crawler *crawler; /* open; NULL: it is not */
	struct control_peer *peer; /* owned: HERE, in this process */
};

/* client_close(client): end what the state owns but for the crawler. */
static void
client_close(struct store_client *client)
{
	loop_watch_free(client->watch);
	client->watch = NULL;
	if (client->fd >= 0)
		(void)close(client->fd);
	client->fd = -1;
	if (client->peer != NULL)
		control_leave(client->peer);
	client->peer = NULL;
	client->in.at = client->in.looked_at = client->in.text.len;
	buf_clear(&client->here);
	buf_clear(&client->out);
	client->is_posting = false;
	loop_timer_set(client->patience, LOOP_NEVER);
}

/* client_seek(client, delay_ms): give up all, and look again after the delay.
 */
static void
client_seek(struct store_client *client, int64_t delay_ms)
{
	client_close(client);
	if (client->crawler != NULL)
		crawler_close(client->crawler);
	client->crawler = NULL;
	if (client->has_answered)
		client->alive_ms = loop_now_ms(client->options.loop);
	client->has_answered = client->is_leaving = false;
	client->state = SEEKING;
	loop_timer_set(client->step, delay_ms);
}

/* client_lose(client, status): no owner can be had; tell the command. */
static void
client_lose(struct store_client *client, int status)
{
	client_seek(client, LOOP_NEVER);
	client->state = LOST;
	client->options.ended(client->options.arg, status);
}

static void
client_take(struct store_client *client, struct slice line)
{
	const struct store_client_options *options = &client->options;
	struct ndjson *object;
	struct slice type, why;

	client->has_answered = client->was_served = true;
	client->has_complained = false;
	loop_timer_set(client->patience, LOOP_NEVER);
	if (slice_starts(line, slice_of(FRONTIER_LINE_BEGIN))) {
		options->line(options->arg, line, NULL);
		return;
	}
	object = ndjson_parse(line, NULL);
	if (object == NULL)
		return;
	type = ndjson_text(object, "type");
	if (slice_is(type, "bye")) {
		client->is_leaving = true;
	} else if (slice_is(type, "end")) {
		why = ndjson_text(object, "text");
		if (why.len > 0)
			complain("%.*s", (int)why.len, why.p);
		client_close(client);
		client->state = DONE;
		client->alive_ms = loop_now_ms(options->loop);
		options->ended(
		    options->arg, (int)ndjson_number(object, "exit", EXIT_BUG));
	} else if (slice_is(type, "said") &&
	    (!options->has_driver || options->crawler != NULL)) {
		/* Other versions say so why they refuse a request; only a
		 * command that asked for a crawl gets such lines from this
		 * one. */
		why = ndjson_text(object, "text");
		complain("%.*s", (int)why.len, why.p);
	} else if (!slice_is(type, "hello")) {
		options->line(options->arg, line, object);
	}
	ndjson_free(object);
}

static void
client_take_all(struct store_client *client)
{
	enum client_state state = client->state;
	struct slice line;

	/* The command may write meanwhile, and the owner of this process then
	 * writes to `here`. */
	(void)splitter_put(&client->in, buf_text(&client->here));
	buf_clear(&client->here);
	while (client->state == state && splitter_next(&client->in, &line))
		client_take(client, line);
}

static void
client_write_here(void *arg, struct slice text)
{
	struct store_client *client = arg;

	(void)buf_put_slice(&client->here, text);
	loop_timer_set(client->step, 0);
}

static void
client_is_wanted(void *arg)
{
	struct store_client *client = arg;

	client->is_leaving = true;
	loop_timer_set(client->step, 0);
}

/* client_open(client): EXIT_DONE if this process is the owner now. */
static int
client_open(struct store_client *client)
{
	const struct store_client_options *options = &client->options;
	struct crawler *crawler = options->crawler;
	int status;

	if (options->never_owns ||
	    (options->options->store.url != NULL &&
		!options->options->store.has_shard) ||
	    loop_now_ms(options->loop) < client->gives_way_ms)
		return EXIT_LOCKED;
	if (crawler == NULL) {
		crawler = &client->own;
		/* Only the command itself changes its options. */
		*crawler = (struct crawler){
		    .options = (struct options *)(uintptr_t)options->options,
		    .makes_store = options->makes_store,
		    .has_no_driver = !options->has_driver,
		    .wanted = client_is_wanted,
		    .wanted_arg = client};
	}
	crawler->loop = options->loop;
	buf_clear(&client->why);
	status = crawler_open(crawler, options->forkserver, &client->why);
	client->is_elsewhere = crawler->is_elsewhere;
	if (status != EXIT_DONE) {
		crawler_close(crawler);
		return status;
	}
	client->crawler = crawler;
	if (options->crawler == NULL)
		crawler_serve(crawler);
	/* to open a store may take seconds, in which there was nothing to do */
	loop_forget_delays(options->loop);
	return EXIT_DONE;
}

static void
client_on_ready(void *arg, int fd, int ready)
{
	struct store_client *client = arg;
	char bytes[65536];
	ssize_t n;

	if ((ready & LOOP_READ) != 0) {
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
		    (n > 0 &&
			!splitter_put(
			    &client->in, slice_make(bytes, (size_t)n)))) {
			/* An owner that goes without a farewell has died, or
			 * has given up a command that did not read its
			 * answers. */
			if (client->has_answered && !client->is_leaving &&
			    !client->options.never_owns)
				complain("warning: the process that held the "
					 "store broke off; this one goes on "
					 "with what was committed");
			client_seek(client,
			    client->options.has_driver ? LOCK_STEP_MS
						       : LEFT_MS);
			return;
		}
		client_take_all(client);
	}
	if (client->state != THERE)
		return;
	if (control_flush(client->fd, &client->out)) {
		loop_watch_set(client->watch,
		    LOOP_READ | (client->out.len > 0 ? LOOP_WRITE : 0));
	} else {
		/* Read the last lines of the owner, and then the end of the
		 * connection. */
		buf_clear(&client->out);
		loop_watch_set(client->watch, LOOP_READ);
	}
}

/* client_on_silence(client): no owner answers; say so once.  The client waits
 * on if the options say so, if an owner answered before, or if the owner has no
 * socket: then it needs the store for itself, and will end. */
static void
client_on_silence(void *arg)
{
	struct store_client *client = arg;
	bool waits = client->options.waits || client->was_served ||
	    client->state == SEEKING;

	if (client->options.never_owns) {
		client_lose(client, EXIT_LOCKED);
		if (client->options.waits)
			client_seek(client, LOOK_MS);
		return;
	}
	if (!client->has_complained)
		complain("%s: %s%s", diag_name(DIAG_STORE_LOCKED),
		    client->why.len > 0 ? buf_str(&client->why)
					: diag_info(DIAG_STORE_LOCKED)->trigger,
		    waits ? "; waiting" : "");
	client->has_complained = true;
	if (!waits) {
		client_lose(client, EXIT_LOCKED);
		return;
	}
	client->alive_ms = loop_now_ms(client->options.loop);
	client_seek(client, LOCK_STEP_MS);
}

/* What was written becomes mail, which is durable then. */
static void
client_post(struct store_client *client)
{
	const struct store_client_options *options = &client->options;
	size_t lines = slice_count(buf_text(&client->out), '\n') - 1;
	struct buf answer = BUF_UP_TO(SIZE_MAX);

	client->is_posting = false;
	if (options->has_lines && lines == 0)
		return;
	if (!shards_post(options->shards, options->shard,
		buf_text(&client->out), &answer)) {
		complain(
		    "%s: %s", diag_name(DIAG_STORE_UNUSABLE), buf_str(&answer));
		client_lose(client, exit_of_store(DIAG_STORE_UNUSABLE));
	} else {
		buf_clear(&client->out);
		(void)buf_print(&answer,
		    "{\"v\":1,\"type\":\"mailed\",\"lines\":%zu}\n%s", lines,
		    options->has_lines
			? ""
			: "{\"v\":1,\"type\":\"end\",\"exit\":0}\n");
		/* a worker may be here for what follows; the shard is not
		 * tried again at once */
		client->gives_way_ms = loop_now_ms(options->loop) + LOOK_MS;
		if (options->has_lines)
			client_seek(client, 0);
		(void)splitter_put(&client->in, buf_text(&answer));
		client_take_all(client);
	}
	buf_release(&answer);
}

static void
client_on_step(void *arg)
{
	struct store_client *client = arg;
	struct store_client_options *options = &client->options;
	enum client_state state;

	if (client->state == MAIL) {
		client_post(client);
		return;
	}
	if (client->crawler != NULL && client->is_leaving) {
		/* Leave the store to a command that needs a driver. */
		client->has_answered = true;
		client->gives_way_ms = loop_now_ms(options->loop) + GIVE_WAY_MS;
		/* What the owner wrote is committed, and must not be lost; what
		 * the command writes from now on is for the next owner. */
		frontier_service_settle(client->crawler->service);
		if (client->state == HERE)
			client->state = SEEKING;
		client_take_all(client);
		state = client->state;
		client_seek(client, state == DONE ? LOOP_NEVER : LOCK_STEP_MS);
		client->state = state;
	} else if (client->state == SEEKING) {
		/* Try this process, then the owner, then wait. */
		int status = client->crawler == NULL ? client_open(client)
						     : EXIT_DONE;

		if (status != EXIT_DONE && status != EXIT_LOCKED) {
			client_lose(client, status);
			return;
		}
		if (status == EXIT_DONE) {
			/* This process owns the store: begin a request. */
			client->state = HERE;
			if (options->crawler == NULL)
				client->peer = control_join(
				    client->crawler->control, -1,
				    client_write_here, client);
			options->ready(options->arg);
			return;
		}
		int64_t left_ms;

		client->fd = control_connect(client->path);
		left_ms = (options->patience_ms > 0 ? options->patience_ms
						    : LOCK_WAIT_MS) +
		    client->alive_ms - loop_now_ms(options->loop);
		if (client->fd >= 0) {
			client->watch = loop_watch_new(options->loop,
			    client->fd, LOOP_READ, client_on_ready, client);
			loop_timer_set(client->patience, left_ms);
			client->state = THERE;
			options->ready(options->arg);
		} else if (options->shards != NULL &&
		    options->shards->members != NULL &&
		    (client->is_elsewhere || options->shards->count > 1)) {
			client->state = MAIL;
			options->ready(options->arg);
		} else if (client->is_elsewhere) {
			complain("%s: %s", diag_name(DIAG_STORE_LOCKED),
			    buf_str(&client->why));
			client_lose(client, EXIT_LOCKED);
		} else if (options->never_owns || left_ms <= 0)
			client_on_silence(client);
		else
			loop_timer_set(client->step, LOCK_STEP_MS);
	} else
		client_take_all(client);
}

struct store_client *
store_client_new(const struct store_client_options *options)
{
	struct store_client *client = mem_zero(sizeof(*client));

	client->options = *options;
	client->path = options->options->store.url == NULL ||
		options->options->store.has_shard
	    ? mem_copy(options->options->store.path)
	    : options_shard_path(options->options, options->shard);
	client->fd = -1;
	client->alive_ms = loop_now_ms(options->loop);
	client->gives_way_ms = INT64_MIN;
	splitter_init(&client->in, SIZE_MAX);
	client->step = loop_timer_new(options->loop, client_on_step, client);
	client->patience = loop_timer_new(
	    options->loop, client_on_silence, client);
	loop_timer_set(client->step, 0);
	return client;
}

void
store_client_free(struct store_client *client)
{
	if (client == NULL)
		return;
	client_seek(client, 0);
	loop_timer_free(client->step);
	loop_timer_free(client->patience);
	buf_release(&client->in.text);
	buf_release(&client->here);
	buf_release(&client->out);
	buf_release(&client->why);
	free(client->path);
	free(client);
}

bool
store_client_send(struct store_client *client, struct buf *lines)
{
	struct slice text = buf_text(lines), line;
	bool goes_out = client->state == THERE || client->state == MAIL;
	bool is_sent = goes_out || client->peer != NULL;

	if (goes_out)
		(void)buf_put_slice(&client->out, text);
	if (client->state == THERE)
		loop_watch_set(client->watch, LOOP_READ | LOOP_WRITE);
	else if (client->state == MAIL && !client->is_posting)
		loop_timer_set(client->step, MAIL_MS);
	client->is_posting = client->state == MAIL;
	while (client->state == HERE && client->peer != NULL &&
	    slice_cut(&text, '\n', &line))
		control_line(client->peer, line);
	buf_release(lines);
	return is_sent;
}

bool
store_client_is_owner(const struct store_client *client)
{
	return client->crawler != NULL;
}

bool
store_client_is_told(const struct store_client *client)
{
	return client != NULL && client->crawler != NULL &&
	    frontier_service_is_told(client->crawler->service);
}

void
store_client_stopped(struct store_client *client)
{
	if (client->crawler != NULL)
		crawler_serve_failed(client->crawler);
	client_take_all(client);
}

/* One request after another, for a command that waits for the answers. */

struct calling {
	struct store_call *call;
	struct store_client *client;
	struct loop *loop;
	int status;
};

static void
call_on_ready(void *arg)
{
	struct calling *calling = arg;
	struct store_call *call = calling->call;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	call->was_held = !store_client_is_owner(calling->client);
	if (call->next != NULL) {
		(void)call->next(call->arg, &line);
	} else if (call->command == NULL) {
		(void)buf_put_slice(&line, call->request);
	} else {
		store_call_begin(&line, call->command);
		out_json_line_end(&line);
	}
	(void)store_client_send(calling->client, &line);
}

static void
call_on_line(void *arg, struct slice line, const struct ndjson *object)
{
	const struct store_call *call = ((struct calling *)arg)->call;

	if (call->line != NULL)
		call->line(call->arg, line, object);
}

static void
call_on_end(void *arg, int status)
{
	struct calling *calling = arg;
	struct store_call *call = calling->call;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	calling->status = status;
	if (status == EXIT_DONE && call->next != NULL &&
	    call->next(call->arg, &line)) {
		/* There is one more request, for which `ready` is called. */
		calling->client->state = SEEKING;
		loop_timer_set(calling->client->step, 0);
	} else
		loop_stop(calling->loop);
	buf_release(&line);
}

int
store_call(const struct options *options, struct store_call *call)
{
	struct calling calling = {.call = call, .loop = loop_new()};
	struct store_client_options how = {.options = options,
	    .loop = calling.loop,
	    .ready = call_on_ready,
	    .line = call_on_line,
	    .ended = call_on_end,
	    .arg = &calling,
	    .makes_store = call->makes_store,
	    .never_owns = call->never_owns,
	    .shards = call->shards,
	    .shard = call->shard,
	    .patience_ms = call->patience_ms};

	if (calling.loop == NULL)
		return EXIT_RESOURCES;
	calling.client = store_client_new(&how);
	loop_run(calling.loop);
	store_client_free(calling.client);
	loop_free(calling.loop);
	return calling.status;
}

void
store_call_begin(struct buf *line, const char *command)
{
	buf_init(line, SIZE_MAX);
	(void)buf_print(line, "{\"v\":1,\"command\":\"%s\",\"version\":\"%s\"",
	    command, FRESHET_VERSION);
}
