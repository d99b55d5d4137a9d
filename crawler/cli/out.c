/* What commands print. */
#include "crawler/cli/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "base/suggestion.h"
#include "crawler/event/exit.h"
#include "store/store.h"

#define FLUSH_BYTES (128 << 10)
#define MESSAGE_MAX 2048
#define TYPED_SHOWN 80 /* bytes of a misspelt word in a message */
#define COLUMNS 80
#define ROWS 24
#define CUT_LEAST 16 /* columns of a text that is cut */

/* Write all of the text. Returns 0 or errno. Another process may have made the
 * descriptor non-blocking, so the function waits for it. */
static int
out_write_all(int fd, struct slice text)
{
	while (text.len > 0) {
		ssize_t n = write(fd, text.p, text.len);

		if (n >= 0) {
			text = slice_from(text, (size_t)n);
		} else if (errno == EAGAIN) {
			struct pollfd wait = {.fd = fd, .events = POLLOUT};

			(void)poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

size_t
out_terminal_columns(int fd, size_t *rows)
{
	struct winsize size = {0};

	if (isatty(fd) != 1)
		return 0;
	(void)ioctl(fd, TIOCGWINSZ, &size);
	if (rows != NULL)
		*rows = size.ws_row == 0 ? ROWS : size.ws_row;
	return size.ws_col == 0 ? COLUMNS : size.ws_col;
}

/* The width of lines at the terminal; 0: stdout is none. */
static size_t
line_columns(void)
{
	size_t columns = out_terminal_columns(STDOUT_FILENO, NULL);

	if (columns > 0 && columns < OUT_LEAST_COLUMNS)
		return OUT_LEAST_COLUMNS;
	return columns > OUT_MOST_COLUMNS ? OUT_MOST_COLUMNS : columns;
}

void
out_init(struct out *out, const struct options_output *output)
{
	const char *none = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	bool can_color = isatty(STDOUT_FILENO) == 1 && term != NULL &&
	    strcmp(term, "dumb") != 0 && (none == NULL || none[0] == '\0');

	*out = (struct out){.fd = STDOUT_FILENO,
	    .columns = line_columns(),
	    .has_color = output->color == COLOR_ALWAYS ||
		(output->color == COLOR_AUTO && can_color)};
}

bool
out_init_file(
    struct out *out, const struct options_output *output, const char *path)
{
	char *real = realpath(path, NULL); /* a link stays a link */
	bool is_there;
	struct stat old;
	struct buf name = BUF_UP_TO(SIZE_MAX);
	int error;

	*out = (struct out){.path = real != NULL ? real : mem_copy(path),
	    .has_color = output->color == COLOR_ALWAYS};
	/* a device or a pipe is written to as it is; a file is replaced when
	 * all of its new text is written */
	is_there = stat(out->path, &old) == 0;
	if (is_there && !S_ISREG(old.st_mode)) {
		out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
	} else {
		/* a new file beside the path, with the mode of the old one */
		(void)buf_print(&name, "%s.%ld.tmp", out->path, (long)getpid());
		out->draft = buf_take(&name);
		out->fd = open(
		    out->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (out->fd >= 0 && is_there)
			(void)fchmod(out->fd, old.st_mode & 0777);
	}
	error = errno;
	if (out->fd < 0) {
		complain(
		    "cannot write to '%s': %s", path, strerrordesc_np(error));
		free(out->draft);
		free(out->path);
		return false;
	}
	return true;
}

/* What is no data of our own may hold bytes that act in a terminal: they are
 * made visible here, in one place, unless the caller says that it wrote all of
 * it. */
bool
out_flush(struct out *out)
{
	struct buf tame = BUF_UP_TO(SIZE_MAX);

	if (out->error == 0 && out->is_raw) {
		out->error = out_write_all(out->fd, buf_text(&out->text));
	} else if (out->error == 0) {
		vis_put_lines(&tame, buf_text(&out->text), &out->lines);
		out->error = out_write_all(out->fd, buf_text(&tame));
		buf_release(&tame);
	}
	buf_clear(&out->text);
	return out->error == 0;
}

bool
out_line(struct out *out)
{
	if (out->text.len >= FLUSH_BYTES)
		(void)out_flush(out);
	return out->error == 0;
}

bool
out_end_json(struct out *out)
{
	out_json_line_end(&out->text);
	return out_line(out);
}

void
out_end_line(struct out *out)
{
	(void)buf_put_char(&out->text, '\n');
	(void)out_line(out);
}

int
out_finish(struct out *out)
{

	(void)out_flush(out);
	buf_release(&out->text);
	if (out->path != NULL) {
		/* Close the file; a new one gets its name if all of it was
		 * written. */
		if (out->draft != NULL && out->error == 0 &&
		    fsync(out->fd) != 0)
			out->error = errno;
		if (close(out->fd) != 0 && out->error == 0)
			out->error = errno;
		if (out->draft != NULL) {
			if (out->error == 0 &&
			    rename(out->draft, out->path) != 0)
				out->error = errno;
			if (out->error != 0)
				(void)unlink(out->draft);
		}
	}
	/* who reads no further has what was wanted: that is no error */
	if (out->error != 0 && out->error != EPIPE) {
		const char *why = strerrordesc_np(out->error);

		if (out->path != NULL)
			complain("cannot write to '%s': %s", out->path, why);
		else
			complain("cannot write to stdout: %s", why);
	}
	free(out->draft);
	free(out->path);
	return out->error == 0 || out->error == EPIPE ? EXIT_DONE : EXIT_DISK;
}

int
out_end(struct out *out, int status)
{
	int written = out_finish(out);

	return written != EXIT_DONE ? written : status;
}

bool
out_is_unheard(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

void
out_text(struct out *out, struct slice text)
{
	vis_put(&out->text, text, SIZE_MAX);
}

void
out_pad(struct out *out, size_t from, size_t width)
{
	while (out->text.len - from < width)
		if (!buf_put_char(&out->text, ' '))
			return;
}

void
out_grouped(struct out *out, uint64_t n, size_t width)
{
	char digits[32];
	size_t at = sizeof(digits);
	unsigned count = 0;

	/* digits from the last to the first, with a comma behind each three */
	do {
		if (count > 0 && count % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
		count++;
	} while (n > 0);
	for (size_t len = sizeof(digits) - at; len < width; len++)
		(void)buf_put_char(&out->text, ' ');
	(void)buf_put(&out->text, digits + at, sizeof(digits) - at);
}

void
out_wrapped(struct buf *out, const char *first, const char *text)
{
	size_t columns = line_columns();

	out_wrapped_to(out, first, text,
	    columns > 0 && columns < COLUMNS ? columns : COLUMNS);
}

void
out_wrapped_to(
    struct buf *out, const char *first, const char *text, size_t columns)
{
	struct out plain = {.text = *out}; /* no terminal, and nothing is cut */

	out_sentence_cut(&plain,
	    &(struct out_sentence){
		first, strlen(first), slice_of(text), columns, true},
	    SIZE_MAX);
	*out = plain.text;
}

size_t
out_cut(struct out *out, struct slice text, size_t others)
{
	size_t max = SIZE_MAX;

	if (out->columns > 0)
		max = out->columns > others + CUT_LEAST ? out->columns - others
							: CUT_LEAST;
	return vis_put_middle(&out->text, text, max);
}

void
out_sentence(struct out *out, const char *first, size_t indent,
    struct slice text, size_t elsewhere)
{
	out_sentence_cut(out,
	    &(struct out_sentence){first, indent, text, elsewhere, false},
	    SIZE_MAX);
	(void)out_line(out);
}

void
out_sentence_cut(
    struct out *out, const struct out_sentence *sentence, size_t most)
{
	size_t columns = out->columns > 0 ? out->columns : sentence->elsewhere;
	size_t begin = strlen(sentence->first), column = begin;
	struct slice rest = sentence->text;
	size_t lines = 1;
	struct buf word = BUF_UP_TO(SIZE_MAX);
	bool is_last = false;

	(void)buf_put(&out->text, sentence->first, begin);
	while (!is_last) {
		size_t len = 0;
		size_t room = out->columns > 0 ? columns - sentence->indent
					       : SIZE_MAX;
		size_t chars;

		while (len < rest.len && rest.p[len] != ' ' &&
		    (rest.p[len] != '\n' || !sentence->is_ours))
			len++;
		/* a word is measured as it will be shown: what acts in a
		 * terminal takes more columns than bytes */
		buf_clear(&word);
		chars = vis_put_middle(&word, slice_make(rest.p, len), room);
		if (column > begin && column + 1 + chars > columns) {
			if (lines++ == most && out->columns > 0) {
				(void)buf_put(&out->text, "...", 3);
				break;
			}
			begin = column = sentence->indent;
			(void)buf_print(
			    &out->text, "\n%*s", (int)sentence->indent, "");
		} else if (column > begin) {
			(void)buf_put_char(&out->text, ' ');
			column++;
		}
		(void)buf_put_slice(&out->text, buf_text(&word));
		column += chars;
		/* a space at the end begins no word, and no line */
		is_last = len + 1 >= rest.len;
		rest = slice_from(rest, is_last ? rest.len : len + 1);
	}
	(void)buf_put_char(&out->text, '\n');
	buf_release(&word);
}

void
out_severity(struct out *out, enum severity severity)
{
	static const char *const codes[] = {
	    "\033[0m", "\033[36m", "\033[33m", "\033[31m"};

	if (out->has_color)
		(void)buf_put_slice(&out->text, slice_of(codes[severity]));
}

/* Any function may complain, and where the lines go is a matter of the whole
 * process, as stderr is. */
static struct complain_sink sink_now;

struct complain_sink
complain_through(struct complain_sink sink)
{
	struct complain_sink before = sink_now;

	sink_now = sink;
	return before;
}

static void complain_list(const char *format, va_list)
    __attribute__((format(printf, 1, 0)));

static void
complain_list(const char *format, va_list list)
{
	char raw[MESSAGE_MAX];
	struct buf line;
	int n = vsnprintf(raw, sizeof(raw), format, list);

	if (n < 0)
		return;
	/* in a daemon what is wrong is a line of its log */
	if (sink_now.fn != NULL) {
		sink_now.fn(sink_now.arg, slice_of(raw));
		return;
	}
	buf_init(&line, 5 * MESSAGE_MAX);
	(void)buf_put_slice(&line, slice_of("freshet: "));
	vis_put(&line, slice_of(raw), SIZE_MAX);
	(void)buf_put_char(&line, '\n');
	/* if stderr fails there is nowhere to report it */
	(void)out_write_all(STDERR_FILENO, buf_text(&line));
	buf_release(&line);
}

void
complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain_list(format, list);
	va_end(list);
}

int
complain_with(int status, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain_list(format, list);
	va_end(list);
	return status;
}

bool
refuse(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain_list(format, list);
	va_end(list);
	return false;
}

void
complain_unknown(const char *before, const char *what, struct slice typed,
    const struct suggestion *suggestion, const char *see)
{
	int len = typed.len > TYPED_SHOWN ? TYPED_SHOWN : (int)typed.len;
	bool is_option = typed.len > 0 && typed.p[0] == '-';

	if (suggestion->best == NULL)
		complain("%sunknown %s '%.*s'; see '%s'", before, what, len,
		    typed.p, see);
	else
		complain("%sunknown %s '%.*s'; did you mean '%s%.*s'?", before,
		    what, len, typed.p, is_option ? "--" : "",
		    (int)suggestion->best_len, suggestion->best);
}

void
store_complaint(struct buf *out, struct store *store, enum diag_code code)
{
	const char *where = store_trouble(store);
	bool is_there = code == DIAG_STORE_DAMAGED && where[0] != '\0';
	/* fsck reads what is in the file, and not where it went */
	bool is_gone = slice_starts(
	    slice_of(where), slice_of("file: it was removed"));

	(void)buf_print(out, "%s: %s%s", diag_name(code),
	    is_there ? where : diag_info(code)->trigger,
	    is_there && !is_gone ? "; see 'freshet db fsck'" : "");
}

int
complain_of_store(struct store *store, enum diag_code code)
{
	struct buf why = BUF_UP_TO(SIZE_MAX);

	store_complaint(&why, store, code);
	complain("%s", buf_str(&why));
	buf_release(&why);
	return exit_of_store(code);
}
