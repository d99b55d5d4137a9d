/* freshet top: what a running `run` or `crawl` does, until `q`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/control_socket.h"
#include "crawler/control/status.h"
#include "crawler/control/store_access.h"
#include "crawler/control/store_request.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/inspect/top_picture.h"

/* How long an answer may take.  `q` waits as long, because the command does
 * nothing else meanwhile. */
#define PATIENCE_MS 1000
#define LINE_ROOM 4096

/* Escape sequences: the other screen without a cursor, and back; the first
 * place; the rest of a line; the rest of the screen. */
#define SCREEN_BEGIN "\033[?1049h\033[?25l"
#define SCREEN_END "\033[?25h\033[?1049l"
#define SCREEN_HOME "\033[H"
#define LINE_REST "\033[K"
#define SCREEN_REST "\033[J"

static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define END_SIGNALS (sizeof(end_signals) / sizeof(end_signals[0]))

struct top;

/* A signal that ends the command. */
struct end_signal {
	struct top *top;
	int number;
	struct loop_signal *signal; /* owned */
};

struct top {
	const struct options *options;
	struct loop *loop;
	struct loop_timer *timer; /* owned, as the next ones are */
	struct loop_watch *keys;
	struct loop_signal *resized;
	struct end_signal endings[END_SIGNALS];
	struct termios before; /* of the terminal */
	struct top_room room;
	struct buf text; /* the latest answer: its lines, or the object */
	struct buf said; /* what the owner of the store said instead */
	int64_t pid; /* of the process that answered last */
	int64_t silent_ms; /* since when there is no answer; 0: there is one */
	int status;
};

/* One question. */

static bool
is_json(const struct options *options)
{
	return options->top.format == TOP_NDJSON || options->output.is_json;
}

static void
on_status(void *arg, const struct ndjson *object, struct slice line)
{
	struct top *top = arg;

	if (!slice_is(ndjson_text(object, "type"), STATUS_REQUEST))
		return;
	buf_clear(&top->text);
	top->pid = ndjson_number(object, "pid", 0);
	if (is_json(top->options)) {
		(void)buf_put_slice(&top->text, line);
		(void)buf_put_char(&top->text, '\n');
	} else {
		top_picture(&top->text, object, &top->room);
	}
}

static void
on_said(void *arg, struct slice text)
{
	struct top *top = arg;
	struct slice prefix = slice_of("freshet: ");

	buf_clear(&top->said);
	if (slice_starts(text, prefix))
		text = slice_from(text, prefix.len);
	(void)buf_put_slice(&top->said, slice_trim(text));
}

/* Ask once: EXIT_DONE and an answer in `text`; EXIT_LOCKED, without an answer;
 * or another exit status, and the reason in `said`. */
static int
ask(struct top *top)
{
	static const char line[] = "{\"v\":1,\"command\":\"" STATUS_REQUEST
				   "\",\"version\":\"" FRESHET_VERSION "\"}\n";
	struct complain_sink before = complain_through(
	    (struct complain_sink){on_said, top});
	int status;

	buf_clear(&top->text);
	status = store_request_send(top->options->store.path, slice_of(line),
	    PATIENCE_MS, on_status, top);
	(void)complain_through(before);
	if (status != EXIT_DONE || top->text.len > 0)
		return status;
	buf_clear(&top->said);
	(void)buf_print(&top->said,
	    "the process that holds the store does not know this command");
	return EXIT_USAGE;
}

static bool
is_served(const struct top *top)
{
	int fd = control_connect(top->options->store.path);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* Say why there is no answer; the exit status. */
static int
explain(struct top *top, int status)
{
	if (status != EXIT_LOCKED) {
		complain("%s", buf_str(&top->said));
		return status;
	}
	if (is_served(top)) {
		complain("the process that holds the store does not answer");
		return EXIT_LOCKED;
	}
	complain("no 'run' or 'crawl' is at work in the store '%s'",
	    top->options->store.path);
	return EXIT_NO_TARGET;
}

/* Without a terminal. */

static int
print_once(struct top *top)
{
	struct out out;
	int status;

	out_init(&out, &top->options->output);
	top->room.columns = out.columns;
	status = ask(top);
	if (status == EXIT_DONE) {
		(void)buf_put_slice(&out.text, buf_text(&top->text));
		(void)out_line(&out);
	} else {
		status = explain(top, status);
	}
	if (out_finish(&out) != EXIT_DONE)
		status = EXIT_DISK;
	return status;
}

/* At a terminal. */

static void
finish(struct top *top, int status)
{
	top->status = status;
	loop_stop(top->loop);
}

static void
measure(struct top *top)
{
	struct winsize size;

	top->room.columns = out_terminal_columns(STDOUT_FILENO);
	if (top->room.columns > OUT_MOST_COLUMNS)
		top->room.columns = OUT_MOST_COLUMNS;
	else if (top->room.columns > 1)
		/* In the last column the escape sequences that follow a line
		 * would erase its last character. */
		top->room.columns--;
	top->room.rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
		top->room.rows = size.ws_row;
}

static void
show(const struct top *top)
{
	struct slice rest = buf_text(&top->text);
	bool is_first = true;
	struct buf screen;

	buf_init(&screen, SIZE_MAX);
	(void)buf_print(&screen, SCREEN_HOME);
	while (rest.len > 0) {
		const char *end = memchr(rest.p, '\n', rest.len);
		size_t len = end == NULL ? rest.len : (size_t)(end - rest.p);

		/* The last line has no line feed, which would scroll. */
		(void)buf_print(&screen, is_first ? "" : "\r\n");
		(void)buf_put(&screen, rest.p, len);
		(void)buf_print(&screen, LINE_REST);
		is_first = false;
		rest = slice_from(rest, end == NULL ? len : len + 1);
	}
	(void)buf_print(&screen, SCREEN_REST);
	(void)fwrite(screen.p, 1, screen.len, stdout);
	(void)fflush(stdout);
	buf_release(&screen);
}

/* Has the process that was watched ended?  One that reads its configuration
 * again has no socket for some seconds. */
static bool
has_ended(const struct top *top)
{
	if (is_served(top))
		return false;
	if (top->pid > 0 && kill((pid_t)top->pid, 0) != 0 && errno == ESRCH)
		return true;
	return loop_now_ms(top->loop) - top->silent_ms > LOCK_WAIT_MS;
}

static void
on_turn(void *arg)
{
	struct top *top = arg;
	int status;

	measure(top);
	status = ask(top);
	if (status == EXIT_DONE) {
		top->silent_ms = 0;
		show(top);
	} else if (status != EXIT_LOCKED) {
		finish(top, status);
		return;
	} else if (top->silent_ms == 0) {
		top->silent_ms = loop_now_ms(top->loop);
	}
	if (top->silent_ms != 0 && has_ended(top)) {
		finish(top, EXIT_LOCKED);
		return;
	}
	loop_timer_set(top->timer, top->options->top.interval_ms);
}

static void
on_key(void *arg, int fd, int ready)
{
	struct top *top = arg;
	char bytes[64];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	(void)ready;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0 || memchr(bytes, 'q', (size_t)n) != NULL ||
	    memchr(bytes, 'Q', (size_t)n) != NULL)
		finish(top, EXIT_DONE);
}

static void
on_resize(void *arg)
{
	struct top *top = arg;

	loop_timer_set(top->timer, 0);
}

static void
on_end(void *arg)
{
	struct end_signal *ending = arg;

	finish(ending->top, 128 + ending->number);
}

/* Keys come one by one and unseen; those that would stop or abort the process
 * with a changed terminal do nothing. */
static bool
take_terminal(struct top *top)
{
	struct termios now;

	if (tcgetattr(STDIN_FILENO, &top->before) != 0)
		return false;
	now = top->before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	now.c_cc[VSUSP] = now.c_cc[VQUIT] = _POSIX_VDISABLE;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &now) != 0)
		return false;
	(void)fputs(SCREEN_BEGIN, stdout);
	return true;
}

static void
give_terminal_back(const struct top *top)
{
	(void)fputs(SCREEN_END, stdout);
	(void)fflush(stdout);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &top->before);
}

/* Show pictures until something ends them; the exit status. */
static int
watch(struct top *top)
{
	int status;

	measure(top);
	status = ask(top);
	if (status != EXIT_DONE)
		return explain(top, status);
	top->loop = loop_new();
	for (size_t i = 0; i < END_SIGNALS; i++) {
		top->endings[i].top = top;
		top->endings[i].number = end_signals[i];
		top->endings[i].signal = loop_signal_new(
		    top->loop, end_signals[i], on_end, &top->endings[i]);
	}
	top->resized = loop_signal_new(top->loop, SIGWINCH, on_resize, top);
	if (!take_terminal(top)) {
		complain("cannot change the mode of the terminal");
		return EXIT_RESOURCES;
	}
	top->keys = loop_watch_new(
	    top->loop, STDIN_FILENO, LOOP_READ, on_key, top);
	top->timer = loop_timer_new(top->loop, on_turn, top);
	show(top);
	loop_timer_set(top->timer, top->options->top.interval_ms);
	loop_run(top->loop);
	give_terminal_back(top);
	if (top->status == EXIT_LOCKED) {
		complain("the process that was watched has ended");
		return EXIT_DONE;
	}
	if (top->status != EXIT_DONE && top->said.len > 0)
		complain("%s", buf_str(&top->said));
	return top->status;
}

/* Can pictures replace each other? */
static bool
is_at_terminal(const struct options *options)
{
	const char *term = getenv("TERM");

	return !options->top.is_once && !is_json(options) &&
	    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
	    term != NULL && strcmp(term, "dumb") != 0;
}

int
command_top(struct options *options)
{
	struct top top = {.options = options};
	int status;

	buf_init(&top.text, SIZE_MAX);
	buf_init(&top.said, LINE_ROOM);
	status = is_at_terminal(options) ? watch(&top) : print_once(&top);
	loop_timer_free(top.timer);
	loop_watch_free(top.keys);
	loop_signal_free(top.resized);
	for (size_t i = 0; i < END_SIGNALS; i++)
		loop_signal_free(top.endings[i].signal);
	loop_free(top.loop);
	buf_release(&top.text);
	buf_release(&top.said);
	return status;
}
