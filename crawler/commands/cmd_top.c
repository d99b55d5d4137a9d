/* freshet top: pictures of what a running `run` or `crawl` does, until `q`. The
 * owner of the store is asked for its status, and each answer is drawn. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/human.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/control.h"
#include "crawler/control/status.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define PATIENCE_MS 1000 /* for an answer; `q` waits as long */
#define RELOAD_MS 5000 /* how long a configuration is read at most */
#define MOST_SHARDS 4096 /* of a store, see reference/options.txt */
#define LISTS 4
#define MOST_ROWS 20 /* of a list, see crawler/crawl/run_status.h */
#define HEAD_LINES 5
#define LEAST_COLUMNS 8 /* of a line, see vis_put_middle() */

struct top {
	const struct options *options;
	bool is_json;
	bool is_screen; /* the picture replaces the one before */
	size_t columns, rows; /* of a picture; 0: no limit */
	size_t lines; /* of the picture so far */
	struct buf line; /* of it, as the owner of the store wrote it */
	struct buf text; /* the latest answer: a picture, or an object */
	struct buf said; /* what the owner of the store said instead */
	int64_t pid; /* of the process that answered last */
	bool is_served; /* somebody listened when there was no answer */
};

/* End a line: text of others cannot act, and what does not fit is cut out of
 * the line's middle. */
static void
top_end_line(struct top *top)
{
	if (top->rows == 0 || top->lines < top->rows) {
		/* The last line has no line feed, which would scroll; the rest
		 * of each is erased. */
		if (top->is_screen && top->lines > 0)
			(void)buf_print(&top->text, "\r\n");
		(void)vis_put_middle(&top->text, buf_text(&top->line),
		    top->columns == 0 ? SIZE_MAX : top->columns);
		(void)buf_print(
		    &top->text, "%s", top->is_screen ? "\033[K" : "\n");
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

/* What a cell of a row shows: a text, in so many columns at least; a time of
 * milliseconds, but 0 only if it has columns; or of a flag that is set, what
 * stands before it. */
enum cell_form { CELL_END, CELL_TEXT, CELL_TIME, CELL_FLAG };

static const struct top_list {
	const char *key, *title;
	const char *count; /* the key of a number behind the title, or NULL */
	struct cell {
		enum cell_form form;
		const char *before, *key;
		int columns;
	} cells[6];
} lists[LISTS] = {
    {"asked", "ASKED NOW", NULL,
	{{CELL_TIME, "  ", "ms", 1}, {CELL_TEXT, "  ", "url", 0}}},
    {"hosts", "HOSTS THAT TAKE TIME", NULL,
	{{CELL_TEXT, "  ", "host", 32}, {CELL_TEXT, "  ", "why", 7},
	    {CELL_TIME, "  for ", "wait_ms", 0},
	    {CELL_TIME, "  delay ", "delay_ms", 0},
	    {CELL_TIME, "  answers in ", "answer_ms", 0}}},
    {"holds", "HELD HOSTS: ", "held",
	{{CELL_TEXT, "  ", "host", 32}, {CELL_TEXT, "  until ", "until", 0},
	    {CELL_FLAG, "  its pages", "pages_only", 0}}},
    {"failures", "FAILED OF LATE", NULL,
	{{CELL_TEXT, "  ", "at", 0}, {CELL_TEXT, "  ", "code", 0},
	    {CELL_TEXT, "  ", "url", 0}}}};

/* Append the cell of a row. */
static void
top_put_cell(
    struct buf *line, const struct ndjson *row, const struct cell *cell)
{
	struct slice text = ndjson_text(row, cell->key);
	uint64_t ms = top_number(row, cell->key);

	if (cell->form == CELL_TEXT) {
		(void)buf_print(line, "%s%-*.*s", cell->before, cell->columns,
		    (int)text.len, text.p);
	} else if (cell->form == CELL_TIME && (ms > 0 || cell->columns > 0)) {
		(void)buf_print(line, "%s%s", cell->before,
		    human_time((int64_t)ms, false).text);
	} else if (cell->form == CELL_FLAG && ndjson_flag(row, cell->key)) {
		(void)buf_print(line, "%s", cell->before);
	}
}

/* The head has up to HEAD_LINES lines: who answered, what ended lately, what is
 * under way, and what is due. */
static void
top_draw_head(struct top *top, const struct ndjson *status)
{
	struct buf *line = &top->line;
	struct slice command = ndjson_text(status, "command");
	struct slice at = ndjson_text(status, "at");

	(void)buf_print(line, "freshet %.*s, process %lld, at %.*s",
	    (int)command.len, command.p, (long long)top->pid, (int)at.len,
	    at.p);
	top_end_line(top);
	for (size_t i = 0; i < 2; i++) {
		struct ndjson *rate = ndjson_object(status, "rates", i);

		if (rate == NULL)
			continue;
		/* run fetches no pages, and knows nothing of their requests */
		(void)buf_print(line,
		    "last %s s:  %s for sitemaps  %s  %s read, %s failed",
		    human_of(top_number(rate, "seconds"), NULL).text,
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
	for (size_t i = 0; i < 2; i++) {
		const char *key = i == 0 ? "next_document_s" : "next_page_s";
		uint64_t wait_s = top_number(status, key);

		/* the key is absent if nothing is due */
		(void)buf_print(line, "%s%s%s",
		    i == 0 ? "documents:  " : "  pages:  ",
		    ndjson_type(status, key) == NDJSON_NONE ? "none is due"
			: wait_s == 0                       ? "due now"
							    : "due in ",
		    wait_s > 0 ? human_span((double)wait_s).text : "");
	}
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
	size_t most = top->rows == 0 ? MOST_ROWS
	    : top->rows > HEAD_LINES + 2 * LISTS
	    ? (top->rows - HEAD_LINES) / LISTS - 1
	    : 1;
	struct ndjson *row;

	top->lines = 0;
	top_draw_head(top, status);
	for (const struct top_list *list = lists; list < lists + LISTS; list++)
		for (size_t i = 0; i < most && i < MOST_ROWS; i++) {
			row = ndjson_object(status, list->key, i);
			if (row == NULL)
				break;
			if (i == 0) {
				(void)buf_print(&top->line, "%s", list->title);
				if (list->count != NULL)
					human_put(&top->line,
					    top_number(status, list->count),
					    NULL);
				top_end_line(top);
			}
			for (size_t k = 0; list->cells[k].form != CELL_END; k++)
				top_put_cell(&top->line, row, &list->cells[k]);
			top_end_line(top);
			ndjson_free(row);
		}
}

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
	if (top->is_json)
		(void)buf_print(&top->text, "%.*s\n", (int)line.len, line.p);
	else
		top_draw(top, object);
}

/* A line that the owner has for people.  It is kept: at a terminal it would
 * stand in the middle of a picture. */
static void
top_on_said(void *arg, struct slice text)
{
	struct top *top = arg;

	buf_clear(&top->said);
	if (slice_starts(text, slice_of("freshet: ")))
		text = slice_from(text, strlen("freshet: "));
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
	int status, fd;

	buf_clear(&top->text);
	status = store_call(top->options, &call);
	(void)complain_through(before);
	if (status == EXIT_LOCKED) {
		fd = control_connect(top->options->store.path);
		top->is_served = fd >= 0;
		(void)close(fd);
	}
	if (status != EXIT_DONE || top->text.len > 0)
		return status;
	top_on_said(top,
	    slice_of("the process that holds the store does not know this "
		     "command"));
	return EXIT_USAGE;
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
	sigset_t stops;
	char keys[64];
	size_t columns;
	ssize_t n;
	bool is_over = false;
	int ready, status;

	/* Signals are read as keys are, so that the terminal has its mode back
	 * before one of them ends the process. */
	exit_block_signals(&stops, NULL);
	status = tcgetattr(STDIN_FILENO, &before);
	now = before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	now.c_cc[VSUSP] = now.c_cc[VQUIT] = _POSIX_VDISABLE;
	if (status != 0 || tcsetattr(STDIN_FILENO, TCSANOW, &now) != 0)
		return complain_with(
		    EXIT_RESOURCES, "cannot change the mode of the terminal");
	from[1].fd = signalfd(-1, &stops, SFD_CLOEXEC);
	/* the other screen, without a cursor */
	(void)fputs("\033[?1049h\033[?25l", stdout);
	while (!is_over) {
		/* The terminal may have another size by now. In its last column
		 * the escape sequence that follows a line would erase the
		 * line's last character. */
		columns = out_terminal_columns(STDOUT_FILENO, &top->rows) - 1;
		top->columns = columns > OUT_MOST_COLUMNS ? OUT_MOST_COLUMNS
		    : columns > LEAST_COLUMNS             ? columns
							  : LEAST_COLUMNS;
		status = top_ask(top);
		if (status == EXIT_DONE) {
			silent_ms = 0;
			/* from the first place to the rest of the screen */
			(void)printf("\033[H%s\033[J", buf_str(&top->text));
			(void)fflush(stdout);
		}
		/* A process that reads its configuration again has no socket
		 * for some seconds. */
		is_over = status != EXIT_LOCKED ? status != EXIT_DONE
						: !top->is_served &&
			(silent_ms > RELOAD_MS ||
			    (kill((pid_t)top->pid, 0) != 0 && errno == ESRCH));
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
	(void)fputs("\033[?25h\033[?1049l", stdout);
	(void)fflush(stdout);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
	(void)close(from[1].fd);
	if (status == EXIT_LOCKED)
		return complain_with(
		    EXIT_DONE, "the process that was watched has ended");
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
	bool is_chosen = options->store.has_shard;
	struct out out;
	int status, fd = -1;

	/* pictures need a terminal on both sides; else one answer is printed */
	top.is_screen = !options->top.is_once && !top.is_json &&
	    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
	    term != NULL && strcmp(term, "dumb") != 0;
	out_init(&out, &options->output);
	buf_init(&top.said, 4096);
	top.columns = out.columns;
	/* the first shard that a process of this machine holds */
	for (unsigned shard = 0; fd < 0 && options->store.url != NULL &&
	     !is_chosen && shard < MOST_SHARDS;
	     shard++) {
		options_take_shard(options, shard);
		fd = control_connect(options->store.path);
	}
	if (fd >= 0)
		(void)close(fd);
	status = top_ask(&top);
	if (status == EXIT_DONE && top.is_screen) {
		status = top_watch(&top);
	} else if (status == EXIT_DONE) {
		(void)buf_put_slice(&out.text, buf_text(&top.text));
	} else if (status != EXIT_LOCKED) {
		complain("%s", buf_str(&top.said));
	} else if (top.is_served) {
		/* that process hangs, or is stopped */
		complain("the process that holds the store does not answer");
	} else {
		status = complain_with(EXIT_NO_TARGET,
		    "no 'run' or 'crawl' is at work in the store '%s'",
		    options->store.url != NULL ? options->store.url
					       : options->store.path);
	}
	buf_release(&top.line);
	buf_release(&top.text);
	buf_release(&top.said);
	return out_end(&out, status);
}
