/*
 * Access of a command to the frontier of its store.
 *
 *	SEEKING -> HERE   this process got the store
 *	        -> THERE  the owner of the store answers
 *	        -> LOST   neither for 5 s, and no frontier was found before; or
 *	                  the store cannot be opened
 *	HERE -> SEEKING   another command wanted the store
 *	THERE -> SEEKING  the owner left
 *
 * HERE has owner and client; THERE has fd and watch.  In both, `in` holds what
 * the frontier wrote and the command has not read yet.
 */
#include "crawler/control/frontier_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/control/control_socket.h"
#include "crawler/control/store_access.h"
#include "crawler/control/store_owner.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define LEFT_MS 150 /* the owner left for another command, which goes first */
#define YIELD_MS 1000 /* another command may open the store meanwhile */
#define MAX_WAITING_BYTES (64u << 20) /* of answers in `in` */

enum access_state { SEEKING, HERE, THERE, LOST };

struct frontier_access {
	struct frontier_access_options options;
	enum access_state state;
	/* owned: SEEKING, look again; HERE, read `in` */
	struct loop_timer *step;
	struct loop_timer *patience; /* owned: THERE, no answer came */
	int64_t alive_ms; /* the last sign of an owner */
	/* this process does not open the store before this time */
	int64_t yielded_ms;
	bool has_answered; /* the present owner has answered */
	bool was_served; /* any owner has answered */
	bool has_complained; /* a message was printed since the last answer */
	struct buf in, out, why;
	int fd; /* owned */
	struct loop_watch *watch; /* owned */
	struct store_owner *owner; /* owned */
	/* owned by `owner`; NULL: no request was made yet */
	struct frontier_client *client;
};

/* seek(access, delay_ms): give up what the state owns, and look again after the
 * delay. */
static void
seek(struct frontier_access *access, int64_t delay_ms)
{
	loop_watch_free(access->watch);
	access->watch = NULL;
	if (access->fd >= 0)
		(void)close(access->fd);
	access->fd = -1;
	if (access->client != NULL)
		frontier_client_free(access->client);
	access->client = NULL;
	store_owner_free(access->owner);
	access->owner = NULL;
	buf_clear(&access->in);
	buf_clear(&access->out);
	loop_timer_stop(access->patience);
	if (access->has_answered)
		access->alive_ms = loop_now_ms(access->options.loop);
	access->has_answered = false;
	access->state = SEEKING;
	loop_timer_set(access->step, delay_ms);
}

/* lose(access, status): no frontier can be had; tell the command. */
static void
lose(struct frontier_access *access, int status)
{
	seek(access, 0);
	loop_timer_stop(access->step);
	access->state = LOST;
	access->options.failed(access->options.arg, status);
}

/* Answers. */

/* take_line(access, line): pass an answer on; false when the command's callback
 * changed the state. */
static bool
take_line(struct frontier_access *access, struct slice line)
{
	static const char hello[] = "{\"v\":1,\"type\":\"hello\"}";
	enum access_state state = access->state;

	access->has_answered = access->was_served = true;
	access->has_complained = false;
	loop_timer_stop(access->patience);
	if (!slice_is(line, hello))
		access->options.on_line(access->options.arg, line);
	return access->state == state;
}

/* take_lines(access): pass on the whole lines.  Meanwhile only the frontier of
 * this process writes to `in`, and sets the timer when it does. */
static void
take_lines(struct frontier_access *access)
{
	struct buf in = access->in;
	size_t at = 0;
	bool is_same = true;

	buf_init(&access->in, MAX_WAITING_BYTES);
	while (is_same && at < in.len) {
		const char *from = in.p + at;
		const char *end = memchr(from, '\n', in.len - at);

		if (end == NULL)
			break;
		at += (size_t)(end - from) + 1;
		is_same = take_line(
		    access, slice_make(from, (size_t)(end - from)));
	}
	if (is_same && at < in.len)
		(void)buf_put(&access->in, in.p + at, in.len - at);
	buf_release(&in);
}

/* The frontier in this process. */

static void
on_yield(void *arg)
{
	struct frontier_access *access = arg;

	access->has_answered = true;
	access->yielded_ms = loop_now_ms(access->options.loop) + YIELD_MS;
	/* What the frontier wrote is committed, and must not be lost. */
	frontier_service_settle(store_owner_service(access->owner));
	/* What the command writes from now on is for the next owner. */
	access->state = SEEKING;
	take_lines(access);
	seek(access, LOCK_STEP_MS);
}

static void
write_here(void *arg, struct slice text)
{
	struct frontier_access *access = arg;

	(void)buf_put_slice(&access->in, text);
	loop_timer_set(access->step, 0);
}

static void
end_here(void *arg)
{
	struct frontier_access *access = arg;

	access->client = NULL;
}

/* line_here(access, line): pass a line of the command to the frontier of this
 * process; the first line is the request. */
static void
line_here(struct frontier_access *access, struct slice line)
{
	struct frontier_caller caller = {
	    .write = write_here, .end = end_here, .arg = access};
	struct ndjson *request;

	if (access->client != NULL) {
		frontier_client_line(access->client, line);
		return;
	}
	request = ndjson_parse(line);
	if (request != NULL)
		access->client = frontier_service_client(
		    store_owner_service(access->owner), request, &caller);
	ndjson_free(request);
}

static int
try_here(struct frontier_access *access)
{
	struct store_owner_options how = {.options = access->options.options,
	    .loop = access->options.loop,
	    .yield = on_yield,
	    .arg = access,
	    .makes_store = access->options.makes_store};
	int status;

	if (loop_now_ms(access->options.loop) < access->yielded_ms)
		return EXIT_LOCKED;
	buf_clear(&access->why);
	status = store_owner_open(&access->owner, &how, &access->why);
	if (status == EXIT_DONE)
		access->state = HERE;
	return status;
}

/* The frontier of another process. */

/* flush(access): write what fits; false when the owner has left. */
static bool
flush(struct frontier_access *access)
{
	if (!control_flush(access->fd, &access->out))
		return false;
	loop_watch_set(
	    access->watch, LOOP_READ | (access->out.len > 0 ? LOOP_WRITE : 0));
	return true;
}

static void
on_ready(void *arg, int fd, int ready)
{
	struct frontier_access *access = arg;
	char bytes[65536];
	ssize_t n;

	if ((ready & LOOP_READ) != 0) {
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
		    (n > 0 && !buf_put(&access->in, bytes, (size_t)n))) {
			seek(access, LEFT_MS);
			return;
		}
		take_lines(access);
	}
	if (access->state == THERE && !flush(access)) {
		/* Read the last lines of the owner, and then the end of the
		 * connection. */
		buf_clear(&access->out);
		loop_watch_set(access->watch, LOOP_READ);
	}
}

static bool
try_there(struct frontier_access *access)
{
	int64_t left_ms = LOCK_WAIT_MS + access->alive_ms -
	    loop_now_ms(access->options.loop);

	access->fd = control_connect(access->options.options->store.path);
	if (access->fd < 0)
		return false;
	access->watch = loop_watch_new(
	    access->options.loop, access->fd, LOOP_READ, on_ready, access);
	loop_timer_set(access->patience, left_ms);
	access->state = THERE;
	return true;
}

/* Finding one of the two. */

/* complain_locked(access): no owner answers; say so once, and wait on if the
 * options say so or a frontier was found before. */
static void
complain_locked(struct frontier_access *access)
{
	bool waits = access->options.waits || access->was_served;

	if (!access->has_complained)
		complain("%s: %s%s", diag_name(DIAG_STORE_LOCKED),
		    access->why.len > 0 ? buf_str(&access->why)
					: diag_info(DIAG_STORE_LOCKED)->trigger,
		    waits ? "; waiting" : "");
	access->has_complained = true;
	if (!waits) {
		lose(access, EXIT_LOCKED);
		return;
	}
	access->alive_ms = loop_now_ms(access->options.loop);
	seek(access, LOCK_STEP_MS);
}

/* look(access): try this process, then the owner of the store, then wait. */
static void
look(struct frontier_access *access)
{
	int64_t waited_ms = loop_now_ms(access->options.loop) -
	    access->alive_ms;
	int status = try_here(access);

	if (status != EXIT_DONE && status != EXIT_LOCKED) {
		lose(access, status);
	} else if (status == EXIT_DONE || try_there(access)) {
		access->options.ready(access->options.arg);
	} else if (waited_ms >= LOCK_WAIT_MS) {
		complain_locked(access);
	} else {
		loop_timer_set(access->step, LOCK_STEP_MS);
	}
}

static void
on_step(void *arg)
{
	struct frontier_access *access = arg;

	if (access->state == SEEKING)
		look(access);
	else
		take_lines(access);
}

static void
on_silence(void *arg)
{
	complain_locked(arg);
}

struct frontier_access *
frontier_access_new(const struct frontier_access_options *options)
{
	struct frontier_access *access = mem_zero(sizeof(*access));

	access->options = *options;
	access->fd = -1;
	access->alive_ms = loop_now_ms(options->loop);
	access->yielded_ms = INT64_MIN;
	buf_init(&access->in, MAX_WAITING_BYTES);
	buf_init(&access->out, SIZE_MAX);
	buf_init(&access->why, SIZE_MAX);
	access->step = loop_timer_new(options->loop, on_step, access);
	access->patience = loop_timer_new(options->loop, on_silence, access);
	loop_timer_set(access->step, 0);
	return access;
}

void
frontier_access_free(struct frontier_access *access)
{
	if (access == NULL)
		return;
	seek(access, 0);
	loop_timer_free(access->step);
	loop_timer_free(access->patience);
	buf_release(&access->in);
	buf_release(&access->out);
	buf_release(&access->why);
	free(access);
}

void
frontier_access_write(struct frontier_access *access, struct slice lines)
{
	if (access->state == THERE) {
		(void)buf_put_slice(&access->out, lines);
		loop_watch_set(access->watch, LOOP_READ | LOOP_WRITE);
		return;
	}
	while (access->state == HERE && lines.len > 0) {
		const char *end = memchr(lines.p, '\n', lines.len);
		size_t len = end == NULL ? lines.len : (size_t)(end - lines.p);

		line_here(access, slice_make(lines.p, len));
		lines = slice_from(lines, end == NULL ? len : len + 1);
	}
}

bool
frontier_access_end(const struct ndjson *object, int *status)
{
	struct slice code = ndjson_text(object, "code");
	struct slice text = ndjson_text(object, "text");
	enum diag_code known = diag_find(code);

	if (!slice_is(ndjson_text(object, "type"), "end"))
		return false;
	*status = (int)ndjson_number(object, "exit", EXIT_BUG);
	if (known != DIAG_OK && text.len == 0)
		text = slice_of(diag_info(known)->trigger);
	if (known != DIAG_OK)
		complain("%s: %.*s; the last commit is intact",
		    diag_name(known), (int)text.len, text.p);
	return true;
}
