/* What commands print: data on stdout, one line of trouble on stderr. */
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

/*
 * Buffered stdout.  Append whole lines to `text` with the buf_ and vis.h
 * functions and call out_line after each; what cannot be written is dropped.
 * What stands there may be read by a runner of continuous integration: it is
 * written as vis_put_lines says.
 */
struct out {
	struct buf text;
	struct vis_lines lines; /* where in a line what was written ends */
	bool is_raw; /* data, or commands that are meant: written as it is */
	bool has_color;
	int error; /* errno of the first write that failed, 0: none */
};

void out_init(struct out *, const struct options *);

/* out_line(out): a line is complete; false when nothing can be written any
 * more and there is no use in going on. */
bool out_line(struct out *);

/* out_flush(out): write all that was appended, before another process writes
 * to the same place; false as out_line. */
bool out_flush(struct out *);

/*
 * out_finish(out): write what is left and give the buffer back.  Returns
 * EXIT_DONE, also when the reader of a pipe has gone, or EXIT_DISK after one
 * line on stderr.
 */
int out_finish(struct out *);

/* out_is_unheard(): has the reader of a piped stdout gone? */
bool out_is_unheard(void);

/* out_text(out, text): foreign text, vis: what is piped comes to a terminal in
 * the end. */
void out_text(struct out *, struct slice text);

/* out_pad(out, from, width): spaces until the bytes appended since from are
 * width. out_grouped(out, n, width): "1,234", right-aligned. */
void out_pad(struct out *, size_t from, size_t width);
void out_grouped(struct out *, uint64_t n, size_t width);

/* out_wrapped(out, first, text): lines of 80 columns at most; those after the
 * first begin with as many spaces as first is long. */
void out_wrapped(struct buf *, const char *first, const char *text);

/* out_severity(out, severity): begin its colour; SEVERITY_NONE ends it. */
void out_severity(struct out *, enum severity);

/*
 * complain(format, ...): "freshet: " and one line on stderr; foreign text in
 * it is made harmless.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * complain_through(hear): from now on hear.fn gets what complain has to say,
 * without "freshet: " and as it is, in place of stderr; fn NULL: stderr again.
 * Returns what held until now.  For a process whose stderr is read line by
 * line by a program.
 */
struct complain_hear {
	void (*fn)(void *arg, struct slice text);
	void *arg; /* borrowed */
};
struct complain_hear complain_through(struct complain_hear);

/* complain_of_store(store, code): say on stderr what is wrong with the store,
 * and of a damaged one where; returns the exit status that the code means. */
int complain_of_store(struct store *, enum diag_code);

#endif
