/*
 * From a command to the frontier of its store.
 *
 *	SEEKING -> HERE (the store was free) -> SEEKING (given up for others)
 *	        -> THERE (its holder answers) -> SEEKING (that left)
 *	        -> LOST (neither for 5 s, and there never was, or the store
 *	           cannot be had)
 *
 * HERE owns holder; THERE owns fd and watch; in both `in` holds what was said
 * and not heard yet.
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
#include "crawler/control/store_owner.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define LOCK_WAIT_MS 5000 /* CLI section 2 */
#define LOCK_STEP_MS 50
#define LEFT_MS 150 /* its holder left: who asked it to goes first */
#define YIELD_MS 1000 /* who wants the store takes it in that time */
#define MAX_WAITING_BYTES (64u << 20) /* for us to hear: many answers */

enum way_state { SEEKING, HERE, THERE, LOST };

struct frontier_access {
	struct frontier_access_options options;
	enum way_state state;
	struct loop_timer *step; /* owned: look again; hear what is in */
	struct loop_timer *patience; /* owned: THERE, it says nothing at all */
	int64_t heard_ms; /* when there was hope last */
	int64_t yielded_ms; /* do not take the store before */
	bool has_heard; /* from this holder */
	bool has_met; /* from any */
	bool has_complained; /* since then */
	struct buf in, out, why;
	int fd; /* owned */
	struct loop_watch *watch; /* owned */
	struct store_owner *holder; /* owned */
	struct frontier_client
	    *customer; /* of holder; NULL: nothing asked yet */
};

static void
seek(struct frontier_access *way, int64_t delay_ms)
{
	loop_watch_free(way->watch);
	way->watch = NULL;
	if (way->fd >= 0)
		(void)close(way->fd);
	way->fd = -1;
	if (way->customer != NULL)
		frontier_client_free(way->customer);
	way->customer = NULL;
	store_owner_free(way->holder);
	way->holder = NULL;
	buf_clear(&way->in);
	buf_clear(&way->out);
	loop_timer_stop(way->patience);
	if (way->has_heard)
		way->heard_ms = loop_now_ms(way->options.loop);
	way->has_heard = false;
	way->state = SEEKING;
	loop_timer_set(way->step, delay_ms);
}

static void
lose(struct frontier_access *way, int status)
{
	seek(way, 0);
	loop_timer_stop(way->step);
	way->state = LOST;
	way->options.failed(way->options.arg, status);
}

/* What is heard. */

/* hear(way, line): false when the way is another one now. */
static bool
hear(struct frontier_access *way, struct slice line)
{
	static const char hello[] = "{\"v\":1,\"type\":\"hello\"}";
	enum way_state state = way->state;

	way->has_heard = way->has_met = true;
	way->has_complained = false;
	loop_timer_stop(way->patience);
	if (!slice_is(line, hello))
		way->options.hear(way->options.arg, line);
	return way->state == state;
}

/* hear_lines(way): the whole ones; nothing is put into `in` meanwhile but by
 * the frontier here, whose timer is set then. */
static void
hear_lines(struct frontier_access *way)
{
	struct buf in = way->in;
	size_t at = 0;
	bool is_same = true;

	buf_init(&way->in, MAX_WAITING_BYTES);
	while (is_same && at < in.len) {
		const char *from = in.p + at;
		const char *end = memchr(from, '\n', in.len - at);

		if (end == NULL)
			break;
		at += (size_t)(end - from) + 1;
		is_same = hear(way, slice_make(from, (size_t)(end - from)));
	}
	if (is_same && at < in.len)
		(void)buf_put(&way->in, in.p + at, in.len - at);
	buf_release(&in);
}

/* The frontier here. */

static void
on_yield(void *arg)
{
	struct frontier_access *way = arg;

	way->has_heard = true;
	way->yielded_ms = loop_now_ms(way->options.loop) + YIELD_MS;
	/* What was said has been committed: it would be lost. */
	frontier_service_settle(store_owner_service(way->holder));
	hear_lines(way);
	if (way->state == HERE)
		seek(way, LOCK_STEP_MS);
}

static void
say_here(void *arg, struct slice text)
{
	struct frontier_access *way = arg;

	(void)buf_put_slice(&way->in, text);
	loop_timer_set(way->step, 0);
}

static void
end_here(void *arg)
{
	struct frontier_access *way = arg;

	way->customer = NULL;
}

static void
line_here(struct frontier_access *way, struct slice line)
{
	struct frontier_caller caller = {
	    .say = say_here, .end = end_here, .arg = way};
	struct ndjson *request;

	if (way->customer != NULL) {
		frontier_client_line(way->customer, line);
		return;
	}
	request = ndjson_parse(line);
	if (request != NULL)
		way->customer = frontier_service_client(
		    store_owner_service(way->holder), request, &caller);
	ndjson_free(request);
}

static int
try_here(struct frontier_access *way)
{
	struct store_owner_options how = {.options = way->options.options,
	    .loop = way->options.loop,
	    .yield = on_yield,
	    .arg = way,
	    .makes_store = way->options.makes_store};
	int status;

	if (loop_now_ms(way->options.loop) < way->yielded_ms)
		return EXIT_LOCKED;
	buf_clear(&way->why);
	status = store_owner_open(&way->holder, &how, &way->why);
	if (status == EXIT_DONE)
		way->state = HERE;
	return status;
}

/* The frontier there. */

/* flush(way): false when the holder has left. */
static bool
flush(struct frontier_access *way)
{
	if (!control_flush(way->fd, &way->out))
		return false;
	loop_watch_set(
	    way->watch, LOOP_READ | (way->out.len > 0 ? LOOP_WRITE : 0));
	return true;
}

static void
on_ready(void *arg, int fd, int ready)
{
	struct frontier_access *way = arg;
	char bytes[65536];
	ssize_t n;

	if ((ready & LOOP_READ) != 0) {
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
		    (n > 0 && !buf_put(&way->in, bytes, (size_t)n))) {
			seek(way, LEFT_MS);
			return;
		}
		hear_lines(way);
	}
	if (way->state == THERE && !flush(way)) {
		/* What it said last is still to be read, and then its end. */
		buf_clear(&way->out);
		loop_watch_set(way->watch, LOOP_READ);
	}
}

static bool
try_there(struct frontier_access *way)
{
	int64_t left_ms = LOCK_WAIT_MS + way->heard_ms -
	    loop_now_ms(way->options.loop);

	way->fd = control_connect(way->options.options->store);
	if (way->fd < 0)
		return false;
	way->watch = loop_watch_new(
	    way->options.loop, way->fd, LOOP_READ, on_ready, way);
	loop_timer_set(way->patience, left_ms);
	way->state = THERE;
	return true;
}

/* Either. */

static void
complain_locked(struct frontier_access *way)
{
	bool waits = way->options.waits || way->has_met;

	if (!way->has_complained)
		complain("%s: %s%s", diag_name(DIAG_STORE_LOCKED),
		    way->why.len > 0 ? buf_str(&way->why)
				     : diag_info(DIAG_STORE_LOCKED)->trigger,
		    waits ? "; waiting" : "");
	way->has_complained = true;
	if (!waits) {
		lose(way, EXIT_LOCKED);
		return;
	}
	way->heard_ms = loop_now_ms(way->options.loop);
	seek(way, LOCK_STEP_MS);
}

static void
look(struct frontier_access *way)
{
	int64_t waited_ms = loop_now_ms(way->options.loop) - way->heard_ms;
	int status = try_here(way);

	if (status != EXIT_DONE && status != EXIT_LOCKED) {
		lose(way, status);
	} else if (status == EXIT_DONE || try_there(way)) {
		way->options.ready(way->options.arg);
	} else if (waited_ms >= LOCK_WAIT_MS) {
		complain_locked(way);
	} else {
		loop_timer_set(way->step, LOCK_STEP_MS);
	}
}

static void
on_step(void *arg)
{
	struct frontier_access *way = arg;

	if (way->state == SEEKING)
		look(way);
	else
		hear_lines(way);
}

static void
on_silence(void *arg)
{
	complain_locked(arg);
}

struct frontier_access *
frontier_access_new(const struct frontier_access_options *options)
{
	struct frontier_access *way = mem_zero(sizeof(*way));

	way->options = *options;
	way->fd = -1;
	way->heard_ms = loop_now_ms(options->loop);
	way->yielded_ms = INT64_MIN;
	buf_init(&way->in, MAX_WAITING_BYTES);
	buf_init(&way->out, SIZE_MAX);
	buf_init(&way->why, SIZE_MAX);
	way->step = loop_timer_new(options->loop, on_step, way);
	way->patience = loop_timer_new(options->loop, on_silence, way);
	loop_timer_set(way->step, 0);
	return way;
}

void
frontier_access_free(struct frontier_access *way)
{
	if (way == NULL)
		return;
	seek(way, 0);
	loop_timer_free(way->step);
	loop_timer_free(way->patience);
	buf_release(&way->in);
	buf_release(&way->out);
	buf_release(&way->why);
	free(way);
}

void
frontier_access_say(struct frontier_access *way, struct slice lines)
{
	if (way->state == THERE) {
		(void)buf_put_slice(&way->out, lines);
		loop_watch_set(way->watch, LOOP_READ | LOOP_WRITE);
		return;
	}
	while (way->state == HERE && lines.len > 0) {
		const char *end = memchr(lines.p, '\n', lines.len);
		size_t len = end == NULL ? lines.len : (size_t)(end - lines.p);

		line_here(way, slice_make(lines.p, len));
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
