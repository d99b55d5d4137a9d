/*
 * stdin and stdout without blocking. Other processes share them, so this
 * process may not set O_NONBLOCK. poll() says whether a call would block; it
 * also works for files, which the loop cannot watch.
 */
#include "crawler/event/standard.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most that one round of the loop reads and writes, so that other callbacks
 * have their turn. */
#define READS_A_ROUND 4
#define READ_BYTES (64 << 10)
#define WRITES_A_ROUND 64

static bool
is_ready(int fd, short what)
{
	struct pollfd wait = {.fd = fd, .events = what};

	/* A descriptor with an error, or at its end, counts as ready: the next
	 * call reports that. */
	return poll(&wait, 1, 0) == 1;
}

/* In. */

/* inlet_pause: choose what to wait for: the timer if there is something to read
 * or pass on now, else the watch. */
void
inlet_pause(struct inlet *inlet, bool is_paused)
{
	bool may_read = !is_paused && !inlet->is_over;
	bool has_now = may_read &&
	    (inlet->has_left || is_ready(inlet->fd, POLLIN));

	inlet->is_paused = is_paused;
	loop_watch_set(inlet->watch, may_read && !has_now ? LOOP_READ : 0);
	loop_timer_set(inlet->next, has_now ? 0 : LOOP_NEVER);
}

/* inlet_say(inlet, line): pass on a line, or the beginning of a line that is
 * too long, whose rest is skipped. */
static void
inlet_say(struct inlet *inlet, struct slice line)
{
	if (line.len > inlet->options.max_line)
		line.len = inlet->options.max_line + 1;
	if (!inlet->is_long)
		inlet->options.line(inlet->options.arg, line);
	inlet->is_long = false;
}

static void
inlet_read(void *arg)
{
	struct inlet *inlet = arg;

	for (int reads = 0;; reads++) {
		char bytes[READ_BYTES];
		struct slice line;
		ssize_t n;
		int error;

		/* Pass on the whole lines, and the beginning of a line as soon
		 * as it is too long. */
		while (!inlet->is_paused && splitter_next(&inlet->in, &line))
			inlet_say(inlet, line);
		line = splitter_rest(&inlet->in);
		if (!inlet->is_paused &&
		    (line.len > inlet->options.max_line || inlet->is_long)) {
			inlet_say(inlet, line);
			inlet->in.at = inlet->in.looked_at = inlet->in.text.len;
			inlet->is_long = true;
		}
		inlet->has_left = inlet->is_paused && line.len > 0;
		if (reads == READS_A_ROUND || inlet->is_paused ||
		    inlet->is_over || !is_ready(inlet->fd, POLLIN))
			break;
		n = read(inlet->fd, bytes, sizeof(bytes));
		error = n < 0 ? errno : 0;
		if (error == EINTR || error == EAGAIN)
			continue;
		if (n > 0) {
			/* Room is left: no more is read while lines wait. */
			(void)splitter_put(
			    &inlet->in, slice_make(bytes, (size_t)n));
			continue;
		}
		/* The end: what waits is the last line. */
		inlet->is_over = true;
		line = splitter_rest(&inlet->in);
		if (line.len > 0)
			inlet_say(inlet, line);
		inlet->in.at = inlet->in.looked_at = inlet->in.text.len;
		inlet->options.end(inlet->options.arg, error);
	}
	inlet_pause(inlet, inlet->is_paused);
}

static void
on_readable(void *arg, int fd, int ready)
{
	(void)fd, (void)ready;
	inlet_read(arg);
}

void
inlet_init(struct inlet *inlet, struct loop *loop, int fd,
    const struct inlet_options *options)
{
	*inlet = (struct inlet){.options = *options, .fd = fd};
	splitter_init(&inlet->in, options->max_line + 4 * READ_BYTES);
	inlet->watch = loop_watch_new(loop, fd, 0, on_readable, inlet);
	inlet->next = loop_timer_new(loop, inlet_read, inlet);
	inlet_pause(inlet, false);
}

void
inlet_release(struct inlet *inlet)
{
	loop_watch_free(inlet->watch);
	loop_timer_free(inlet->next);
	buf_release(&inlet->in.text);
}

/* Out. */

/* outlet_write: a pipe that is ready takes PIPE_BUF bytes without blocking. */
static void
outlet_write(void *arg)
{
	struct outlet *outlet = arg;
	size_t at = 0;
	bool is_stuck;

	for (int i = 0; i < WRITES_A_ROUND && outlet->error == 0 &&
	     at < outlet->out.len && is_ready(outlet->fd, POLLOUT);
	     i++) {
		size_t left = outlet->out.len - at;
		ssize_t n = write(outlet->fd, outlet->out.p + at,
		    left < PIPE_BUF ? left : PIPE_BUF);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			outlet->error = errno;
	}
	outlet->written_bytes += at;
	outlet->out.len -= at;
	if (at > 0 && outlet->out.len > 0)
		memmove(outlet->out.p, outlet->out.p + at, outlet->out.len);
	if (outlet->error != 0)
		buf_clear(&outlet->out);
	/* A file is always ready, so the loop never has to watch it. */
	is_stuck = outlet->out.len > 0 && !is_ready(outlet->fd, POLLOUT);
	loop_watch_set(outlet->watch,
	    outlet->error != 0 ? 0
		: is_stuck     ? outlet->always | LOOP_WRITE
			       : outlet->always);
	if (outlet->out.len > 0 && !is_stuck)
		loop_timer_set(outlet->next, 0);
	outlet->written(outlet->arg);
}

static void
on_writable(void *arg, int fd, int ready)
{
	struct outlet *outlet = arg;
	struct pollfd wait = {.fd = fd};

	(void)ready;
	if (poll(&wait, 1, 0) == 1 && (wait.revents & POLLERR) != 0)
		outlet->error = EPIPE;
	outlet_write(outlet);
}

void
outlet_init(struct outlet *outlet, struct loop *loop, int fd,
    void (*written)(void *arg), void *arg)
{
	struct stat st;

	*outlet = (struct outlet){.fd = fd, .written = written, .arg = arg};
	/* The write end of a pipe becomes readable when its read end is
	 * closed. */
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		outlet->always = LOOP_READ;
	outlet->watch = loop_watch_new(
	    loop, fd, outlet->always, on_writable, outlet);
	outlet->next = loop_timer_new(loop, outlet_write, outlet);
}

void
outlet_release(struct outlet *outlet)
{
	loop_watch_free(outlet->watch);
	loop_timer_free(outlet->next);
	buf_release(&outlet->out);
}

void
outlet_put(struct outlet *outlet, struct slice text)
{
	if (outlet->error == 0)
		(void)buf_put_slice(&outlet->out, text);
	if (text.len > 0)
		loop_timer_set(outlet->next, 0);
}

uint64_t
outlet_taken(const struct outlet *outlet)
{
	int unread = 0;

	/* The bytes in a pipe can be counted after its reader has gone, too; if
	 * other processes write to the pipe, some may be theirs. */
	if (outlet->always == 0 || ioctl(outlet->fd, FIONREAD, &unread) != 0)
		return outlet->written_bytes;
	return (uint64_t)unread < outlet->written_bytes
	    ? outlet->written_bytes - (uint64_t)unread
	    : 0;
}
