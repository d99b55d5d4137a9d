/* freshet top: pictures of what a running `run` or `crawl` does, until `q`. The
 * owner of the store is asked for its status, and each answer is drawn. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/human.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/control.h"
#include "crawler/control/status.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

/* How long an answer may take.  `q` waits as long, because the command does
 * nothing else meanwhile. */
#define PATIENCE_MS 1000
#define RELOAD_MS 5000 /* how long a configuration is read at most */
#define LISTS 4
#define MOST_ROWS 20 /* of a list, see crawler/crawl/run_status.h */
#define HEAD_LINES 5
#define HOST_COLUMNS 32
#define LEAST_COLUMNS 8 /* of a line, see vis_put_middle() */

/* Escape sequences: the other screen without a cursor, and back; the first
 * place; the rest of a line; the rest of the screen. */
#define SCREEN_BEGIN "\033[?1049h\033[?25l"
#define SCREEN_END "\033[?25h\033[?1049l"
#define SCREEN_HOME "\033[H"
#define LINE_REST "\033[K"
#define SCREEN_REST "\033[J"

struct top {
	const struct options *options;
	bool is_json;
	bool is_screen; /* the picture replaces the one before */
	size_t columns, rows; /* of a picture; 0: no limit */
	size_t lines; /* of the picture so far */
	struct buf
	    line; /* of the picture, as the owner of the store wrote it */
	struct buf text; /* the latest answer: a picture, or an object */
	struct buf said; /* what the owner of the store said instead */
	int64_t pid; /* of the process that answered last */
};

/* The picture. */

/* End a line: text of others cannot act, and what does not fit is cut out of
 * the line's middle. */
static void
top_end_line(struct top *top)
{
	if (top->rows == 0 || top->lines < top->rows) {
		/* The last line has no line feed, which would scroll. */
		if (top->is_screen && top->lines > 0)
			(void)buf_print(&top->text, "\r\n");
		(void)vis_put_middle(&top->text, buf_text(&top->line),
		    top->columns == 0 ? SIZE_MAX : top->columns);
		(void)buf_print(
		    &top->text, "%s", top->is_screen ? LINE_REST : "\n");
		top->lines++;
	}
	buf_clear(&top->line);
}

/* The number under the key.  An owner may be another program that took the
 * socket, so a number below 0 counts as none. */
static uint64_t
top_number(const struct ndjson *object, const char *key)
{
	int64_t n = ndjson_number(object, key, 0);

	return n > 0 ? (uint64_t)n : 0;
}

/* Append the text under the key, in so many columns at least. */
static void
top_put_text(
    struct top *top, const struct ndjson *object, const char *key, int columns)
{
	struct slice text = ndjson_text(object, key);

	(void)buf_put_slice(&top->line, text);
	(void)buf_print(&top->line, "%*s",
	    text.len < (size_t)columns ? columns - (int)text.len : 0, "");
}

/* Append a time of milliseconds under the key, if it is not 0. */
static void
top_put_spent(struct top *top, const char *name, const struct ndjson *row,
    const char *key)
{
	if (top_number(row, key) == 0)
		return;
	(void)buf_print(&top->line, "%s%s", name,
	    human_time((int64_t)top_number(row, key), false).text);
}

/* Append when something is due next: the key is absent if nothing is. */
static void
top_put_due(struct top *top, const struct ndjson *status, const char *key)
{
	if (ndjson_type(status, key) == NDJSON_NONE) {
		(void)buf_print(&top->line, "none is due");
	} else if (top_number(status, key) == 0) {
		(void)buf_print(&top->line, "due now");
	} else {
		(void)buf_print(&top->line, "due in ");
		human_span(&top->line, (double)top_number(status, key));
	}
}

/* The head has up to HEAD_LINES lines: who answered, what ended lately, what is
 * under way, and what is due. */
static void
top_draw_head(struct top *top, const struct ndjson *status)
{
	struct buf *line = &top->line;

	(void)buf_print(line, "freshet ");
	top_put_text(top, status, "command", 0);
	(void)buf_print(line, ", process %lld, at ", (long long)top->pid);
	top_put_text(top, status, "at", 0);
	top_end_line(top);
	for (size_t i = 0; i < 2; i++) {
		struct ndjson *rate = ndjson_object(status, "rates", i);

		if (rate == NULL)
			continue;
		(void)buf_print(line, "last %s s:  ",
		    human_of(top_number(rate, "seconds"), NULL).text);
		/* run fetches no pages, and knows nothing of their requests */
		(void)buf_print(line, "%s for sitemaps  %s  %s read, %s failed",
		    human_of(top_number(rate, "requests"), "request").text,
		    human_scaled(top_number(rate, "bytes"), human_bytes).text,
		    human_of(top_number(rate, "readings"), "document").text,
		    human_of(top_number(rate, "failed"), NULL).text);
		top_end_line(top);
		ndjson_free(rate);
	}
	(void)buf_print(line, "now:  %s  %s at readers  %s begun at %s",
	    human_of(top_number(status, "in_flight"), "request").text,
	    human_of(top_number(status, "readers"), NULL).text,
	    human_of(top_number(status, "open"), NULL).text,
	    human_of(top_number(status, "open_hosts"), "host").text);
	top_end_line(top);
	/* a crawl leases no pages until somebody asks for them */
	if (ndjson_type(status, "ready") == NDJSON_NONE)
		return;
	(void)buf_print(line, "documents:  ");
	top_put_due(top, status, "next_document_s");
	(void)buf_print(line, "  pages:  ");
	top_put_due(top, status, "next_page_s");
	(void)buf_print(line, ", %s wait, %s leased",
	    human_of(top_number(status, "ready"), NULL).text,
	    human_of(top_number(status, "leased"), NULL).text);
	top_end_line(top);
}

/* Draw the answer.  On a screen, each list has an equal part of its rows, so
 * that a list keeps its place from one picture to the next; where there is no
 * screen, all rows are drawn. */
static void
top_draw(struct top *top, const struct ndjson *status)
{
	static const char *const keys[LISTS] = {
	    "asked", "hosts", "holds", "failures"};
	static const char *const titles[LISTS] = {"ASKED NOW",
	    "HOSTS THAT TAKE TIME", "HELD HOSTS: ", "FAILED OF LATE"};
	size_t most = top->rows == 0 ? MOST_ROWS
	    : top->rows > HEAD_LINES + 2 * LISTS
	    ? (top->rows - HEAD_LINES) / LISTS - 1
	    : 1;

	top->lines = 0;
	/* four lists, of which each keeps its place on the screen */
	top_draw_head(top, status);
	for (size_t list = 0; list < LISTS; list++)
		for (size_t i = 0; i < most && i < MOST_ROWS; i++) {
			struct ndjson *row = ndjson_object(
			    status, keys[list], i);

			if (row == NULL)
				break;
			if (i == 0) {
				(void)buf_print(&top->line, "%s", titles[list]);
				if (list == 2)
					human_put(&top->line,
					    top_number(status, "held"), NULL);
				top_end_line(top);
			}
			(void)buf_print(&top->line, "  ");
			/* each list has rows of its own form */
			switch (list) {
			case 0:
				(void)buf_print(&top->line, "%s  ",
				    human_time(
					(int64_t)top_number(row, "ms"), false)
					.text);
				top_put_text(top, row, "url", 0);
				break;
			case 1:
				top_put_text(top, row, "host", HOST_COLUMNS);
				(void)buf_print(&top->line, "  ");
				top_put_text(top, row, "why", 7);
				top_put_spent(top, "  for ", row, "wait_ms");
				top_put_spent(top, "  delay ", row, "delay_ms");
				top_put_spent(
				    top, "  answers in ", row, "answer_ms");
				break;
			case 2:
				top_put_text(top, row, "host", HOST_COLUMNS);
				(void)buf_print(&top->line, "  until ");
				top_put_text(top, row, "until", 0);
				if (ndjson_flag(row, "pages_only"))
					(void)buf_print(
					    &top->line, "  its pages");
				break;
			default:
				top_put_text(top, row, "at", 0);
				(void)buf_print(&top->line, "  ");
				top_put_text(top, row, "code", 0);
				(void)buf_print(&top->line, "  ");
				top_put_text(top, row, "url", 0);
				break;
			}
			top_end_line(top);
			ndjson_free(row);
		}
}

/* One question. */

/* The answer takes the place of the one before. */
static void
top_on_status(void *arg, struct slice line, const struct ndjson *object)
{
	struct top *top = arg;

	if (object == NULL ||
	    !slice_is(ndjson_text(object, "type"), STATUS_REQUEST))
		return;
	buf_clear(&top->text);
	top->pid = ndjson_number(object, "pid", 0);
	if (top->is_json) {
		(void)buf_put_slice(&top->text, line);
		(void)buf_put_char(&top->text, '\n');
	} else {
		top_draw(top, object);
	}
}

/* A line that the owner has for people.  It is kept: at a terminal it would
 * stand in the middle of a picture. */
static void
top_on_said(void *arg, struct slice text)
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
top_ask(struct top *top)
{
	struct store_call call = {.command = STATUS_REQUEST,
	    .line = top_on_status,
	    .arg = top,
	    .never_owns = true,
	    .patience_ms = PATIENCE_MS};
	struct complain_sink before = complain_through(
	    (struct complain_sink){top_on_said, top});
	int status;

	buf_clear(&top->text);
	status = store_call(top->options, &call);
	(void)complain_through(before);
	if (status != EXIT_DONE || top->text.len > 0)
		return status;
	buf_clear(&top->said);
	(void)buf_print(&top->said,
	    "the process that holds the store does not know this command");
	return EXIT_USAGE;
}

/* Does anybody listen at the socket of the store? */
static bool
top_is_served(const struct top *top)
{
	int fd = control_connect(top->options->store.path);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* Say why there is no answer; the exit status. */
static int
top_explain(struct top *top, int status)
{
	if (status != EXIT_LOCKED) {
		complain("%s", buf_str(&top->said));
		return status;
	}
	/* somebody listens, and does not answer: that process hangs, or is
	 * stopped */
	if (top_is_served(top)) {
		complain("the process that holds the store does not answer");
		return EXIT_LOCKED;
	}
	complain("no 'run' or 'crawl' is at work in the store '%s'",
	    top->options->store.path);
	return EXIT_NO_TARGET;
}

/* Show pictures until something ends them; the exit status. Keys come one by
 * one and unseen; those that would stop or abort the process with a changed
 * terminal do nothing. */
static int
top_watch(struct top *top)
{
	int64_t interval_ms = top->options->top.interval_ms, silent_ms = 0;
	struct pollfd from[] = {{.fd = STDIN_FILENO, .events = POLLIN},
	    {.fd = -1, .events = POLLIN}};
	struct signalfd_siginfo stop;
	struct termios before, now;
	struct winsize size;
	sigset_t stops;
	char keys[64];
	ssize_t n;
	bool is_over = false;
	int ready;
	int status = top_ask(top);

	if (status != EXIT_DONE)
		return top_explain(top, status);
	top->is_screen = true;
	/* Signals are read as keys are, so that the terminal has its mode back
	 * before one of them ends the process. */
	(void)sigemptyset(&stops);
	(void)sigaddset(&stops, SIGHUP);
	(void)sigaddset(&stops, SIGINT);
	(void)sigaddset(&stops, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &stops, NULL);
	status = tcgetattr(STDIN_FILENO, &before);
	now = before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	now.c_cc[VSUSP] = now.c_cc[VQUIT] = _POSIX_VDISABLE;
	if (status != 0 || tcsetattr(STDIN_FILENO, TCSANOW, &now) != 0) {
		complain("cannot change the mode of the terminal");
		return EXIT_RESOURCES;
	}
	from[1].fd = signalfd(-1, &stops, SFD_CLOEXEC);
	(void)fputs(SCREEN_BEGIN, stdout);
	while (!is_over) {
		/* The terminal may have another size by now. In its last column
		 * the escape sequence that follows a line would erase the
		 * line's last character. */
		top->columns = out_terminal_columns(STDOUT_FILENO) - 1;
		if (top->columns > OUT_MOST_COLUMNS)
			top->columns = OUT_MOST_COLUMNS;
		else if (top->columns < LEAST_COLUMNS)
			top->columns = LEAST_COLUMNS;
		top->rows = 24;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
		    size.ws_row > 0)
			top->rows = size.ws_row;
		status = top_ask(top);
		if (status == EXIT_DONE) {
			silent_ms = 0;
			(void)fputs(SCREEN_HOME, stdout);
			(void)fwrite(top->text.p, 1, top->text.len, stdout);
			(void)fputs(SCREEN_REST, stdout);
			(void)fflush(stdout);
		}
		/* A process that reads its configuration again has no socket
		 * for some seconds. */
		is_over = status == EXIT_LOCKED ? !top_is_served(top) &&
			((kill((pid_t)top->pid, 0) != 0 && errno == ESRCH) ||
			    silent_ms > RELOAD_MS)
						: status != EXIT_DONE;
		if (is_over)
			continue;
		ready = poll(from, 2, (int)interval_ms);
		/* a key cuts the wait short, and then it does not count */
		if (ready == 0 && status != EXIT_DONE)
			silent_ms += interval_ms;
		if (ready <= 0)
			continue;
		if (from[1].revents != 0 &&
		    read(from[1].fd, &stop, sizeof(stop)) == sizeof(stop)) {
			status = 128 + (int)stop.ssi_signo;
			break;
		}
		if (from[0].revents == 0)
			continue;
		/* a terminal that is gone has no more keys */
		n = read(STDIN_FILENO, keys, sizeof(keys));
		is_over = n < 0
		    ? errno != EINTR && errno != EAGAIN
		    : n == 0 || memchr(keys, 'q', (size_t)n) != NULL ||
			memchr(keys, 'Q', (size_t)n) != NULL;
		if (is_over)
			status = EXIT_DONE;
	}
	(void)fputs(SCREEN_END, stdout);
	(void)fflush(stdout);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
	if (from[1].fd >= 0)
		(void)close(from[1].fd);
	if (status == EXIT_LOCKED) {
		complain("the process that was watched has ended");
		return EXIT_DONE;
	}
	if (status != EXIT_DONE && top->said.len > 0)
		complain("%s", buf_str(&top->said));
	return status;
}

int
command_top(struct options *options)
{
	struct top top = {.options = options,
	    .is_json = options->top.format == TOP_NDJSON ||
		options->output.is_json};
	const char *term = getenv("TERM");
	struct out out;
	int status;

	buf_init(&top.line, SIZE_MAX);
	buf_init(&top.text, SIZE_MAX);
	buf_init(&top.said, 4096);
	/* pictures need a terminal on both sides; else one answer is printed */
	if (!options->top.is_once && !top.is_json &&
	    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
	    term != NULL && strcmp(term, "dumb") != 0) {
		status = top_watch(&top);
	} else {
		out_init(&out, &options->output);
		top.columns = out.columns;
		status = top_ask(&top);
		if (status == EXIT_DONE) {
			(void)buf_put_slice(&out.text, buf_text(&top.text));
			(void)out_line(&out);
		} else {
			status = top_explain(&top, status);
		}
		if (out_finish(&out) != EXIT_DONE)
			status = EXIT_DISK;
	}
	buf_release(&top.line);
	buf_release(&top.text);
	buf_release(&top.said);
	return status;
}
