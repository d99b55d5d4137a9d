/* What commands print: data on stdout, one line about an error on stderr. */
#ifndef FRESHET_OUT_H
#define FRESHET_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/vis.h"
#include "crawler/cli/options.h"

struct store;
struct suggestion;

#define OUT_LEAST_COLUMNS 60
#define OUT_MOST_COLUMNS 160

/* Buffered stdout, or a file. Append whole lines to `text` with the functions
 * of buf.h and vis.h, and call out_line() after each. What cannot be written is
 * dropped. A runner of continuous integration may read the output, so it is
 * written as vis_put_lines() says. */
struct out {
	struct buf text;
	struct vis_lines lines; /* the end of the last write within its line */
	/* true: written as it is, for data and for workflow commands */
	bool is_raw;
	bool has_color;
	/* the width of the terminal, OUT_LEAST_COLUMNS to OUT_MOST_COLUMNS; 0:
	 * this is no terminal, and nothing needs to be cut */
	size_t columns;
	int error; /* errno of the first write that failed; 0: none */
	int fd;
	char *path; /* owned: the file; NULL: stdout */
	char *draft; /* owned: the new file before it takes its name, or NULL */
};

void out_init(struct out *, const struct options_output *);

/* out_terminal_columns(fd, rows): the width of a terminal, 80 if it does not
 * say; 0: the descriptor is none. *rows is its height, 24 if it does not say;
 * NULL is allowed. */
size_t out_terminal_columns(int fd, size_t *rows);

/* out_init_file(out, output, path): write to a file instead. Its old content
 * stays until out_finish() has written everything; what is no regular file is
 * written as it is. Returns false after one line on stderr, and needs no
 * out_finish() then. */
bool out_init_file(
    struct out *, const struct options_output *, const char *path);

/* out_line(out): end a line, of any length.  Returns false if nothing can be
 * written any more, so that going on is of no use. */
bool out_line(struct out *);

/* out_end_line(out): append the "\n" of a line, and out_line().
 * out_end_json(out): end the JSON object of a line, and the line. Returns false
 * as out_line() does. */
void out_end_line(struct out *);
bool out_end_json(struct out *);

/* out_flush(out): write all that was appended, before another process writes to
 * the same place. Returns false as out_line() does. */
bool out_flush(struct out *);

/* out_finish(out): write the rest, give a new file its name, and free. Returns
 * EXIT_DONE, also if the reader of a pipe has gone, or EXIT_DISK after one line
 * on stderr. */
int out_finish(struct out *);

/* out_end(out, status): out_finish(), and the exit status of the command, which
 * is that of out_finish() if not all could be written. */
int out_end(struct out *, int status);

/* out_is_unheard(): whether stdout is a pipe whose reader has gone. */
bool out_is_unheard(void);

/* out_text(out, text): append foreign text through vis_put(), also if stdout is
 * a pipe, because what reads the pipe may print it on a terminal. */
void out_text(struct out *, struct slice text);

/* out_pad(out, from, width): append spaces until the bytes since `from` are
 * `width`. out_grouped(out, n, width): append "1,234", right-aligned. */
void out_pad(struct out *, size_t from, size_t width);
void out_grouped(struct out *, uint64_t n, size_t width);

/* out_wrapped(out, first, text): append lines of at most 80 columns, and of the
 * width of stdout if that is a narrower terminal. `first` begins the first
 * line; the others begin with as many spaces. out_wrapped_to(out, first, text,
 * columns): lines of at most so many. */
void out_wrapped(struct buf *, const char *first, const char *text);
void out_wrapped_to(
    struct buf *, const char *first, const char *text, size_t columns);

/*
 * At a terminal lines fit its width; elsewhere foreign text is whole.
 *
 * out_cut(out, text, others): append foreign text; at a terminal its middle is
 * cut out if it does not fit beside the `others` columns of its line, which
 * leave 16 columns at least. Returns its columns.
 * out_sentence(out, first, indent, text, elsewhere): append foreign text as
 * lines, which break at spaces, and do as out_line(). At a terminal a word
 * longer than a line is cut.
 * out_sentence_cut(out, sentence, most): the same without out_line(); at a
 * terminal there are so many lines at most, and "..." ends the last.
 */
struct out_sentence {
	const char *first; /* begins the first line */
	size_t indent; /* of the others */
	struct slice text;
	size_t elsewhere; /* columns of a line where there is no terminal */
	bool is_ours; /* a line feed in the text is a space */
};
size_t out_cut(struct out *, struct slice text, size_t others);
void out_sentence(struct out *, const char *first, size_t indent,
    struct slice text, size_t elsewhere);
void out_sentence_cut(struct out *, const struct out_sentence *, size_t most);

/* out_severity(out, severity): begin the colour of a severity; SEVERITY_NONE
 * ends it. */
void out_severity(struct out *, enum severity);

/* complain(format, ...): print "freshet: " and one line on stderr; foreign text
 * in it is made visible. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* complain_with(status, format, ...): complain(), and return the status.
 * refuse(format, ...): the same, and return false. */
int complain_with(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* complain_unknown(before, what, typed, suggestion, see): "unknown WHAT
 * 'typed'", with what may be meant, or else where to see; behind "FILE:LINE: "
 * or the like. If the word begins with '-', so does what is suggested. */
void complain_unknown(const char *before, const char *what, struct slice typed,
    const struct suggestion *, const char *see);

/* complain_through(sink): from now on sink.fn gets the lines of complain(),
 * without "freshet: " and unescaped, instead of stderr. With fn NULL they go to
 * stderr again. Returns the previous setting. For a process whose stderr is
 * read line by line by a program. */
struct complain_sink {
	void (*fn)(void *arg, struct slice text);
	void *arg; /* borrowed */
};
struct complain_sink complain_through(struct complain_sink);

/* store_complaint(out, store, code): append what is wrong with the store,
 * without a line feed. */
void store_complaint(struct buf *, struct store *, enum diag_code);

/* complain_of_store(store, code): say on stderr what is wrong with the store,
 * and where it is damaged. Returns the exit status for the code. */
int complain_of_store(struct store *, enum diag_code);

#endif
