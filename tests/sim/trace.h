/*
 * Traces: what sitemaps claimed and what happened to their pages, as text
 * (scheduling-formulas.md, "Traces").  Lines of four columns, in order of time:
 *
 *	t_seconds  kind  ids  value
 *
 * A trace is foreign text.  Whatever its lines say, the result is a history
 * that can be replayed, and each line that was left out or repaired is
 * reported.
 */
#ifndef FRESHET_TRACE_H
#define FRESHET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "tests/sim/history.h"

/* What can be wrong with a trace, or with a line of it. */
enum trace_fault {
	TRACE_OK,
	/* the first line is not '# freshet-trace 1' */
	TRACE_UNSUPPORTED,
	/* a line is no row: columns, time, kind, ids or value are wrong, it is
	 * too long, or it has no end */
	TRACE_MALFORMED,
	TRACE_OUT_OF_ORDER, /* a time is before that of the row above */
	TRACE_FUTURE, /* a time is more than a day from now */
	/* a row does not fit the rows before it: an id without its name, a page
	 * that is there already, a URL that is not listed, claims that are
	 * never published */
	TRACE_INCONSISTENT,
	TRACE_TOO_LARGE, /* a limit was passed */
	/* no document ever listed a URL, or all rows have the same time */
	TRACE_EMPTY,
	TRACE_FAULTS
};

/* trace_fault_name(fault): "trace-malformed". */
const char *trace_fault_name(enum trace_fault);

/* The limits of one trace; trace_limits_default() returns the numbers in these
 * comments. */
struct trace_limits {
	/* 4,000,000; these take 200 MB */
	uint32_t max_urls;
	uint32_t max_documents; /* 100,000 */
	/* 16 million, which take 400 MB: four times the events of six years of
	 * a site that re-dates 14,000 pages with each build */
	size_t max_events;
	/* 4 MiB; a list of 600,000 numbers is as long */
	size_t max_line;
};

struct trace_limits trace_limits_default(void);

/* trace_say_fn: called with each fault of a line, counted from 1.
 * `detail` is foreign text, valid until the function returns. */
typedef void trace_say_fn(
    void *arg, size_t line, enum trace_fault, struct slice detail);

struct trace_options {
	struct trace_limits limits;
	int64_t now_s; /* a row that is more than a day later is refused */
	/* NULL: faults are not reported */
	trace_say_fn *say;
	void *arg;
};

struct trace;

/* trace_new(history, options): a parser that adds what it reads to the empty
 * history, which is borrowed until trace_free. */
struct trace *trace_new(struct history *, const struct trace_options *);
void trace_free(struct trace *);

/*
 * trace_feed(trace, bytes): read the next bytes of the trace; false: the trace
 * has failed, and no more bytes are needed.  The result does not depend on how
 * the bytes are cut into calls.
 *
 * Lines that are TRACE_MALFORMED, TRACE_FUTURE or TRACE_OUT_OF_ORDER are left
 * out, and those that are TRACE_INCONSISTENT repaired.  Of an
 * inconsistent row the part that fits is used, and a change of a page that did
 * not exist creates the page.  A lastmod that is no date counts as no lastmod,
 * because a reader of the sitemap would treat it so.
 */
bool trace_feed(struct trace *, struct slice bytes);

/*
 * trace_finish(trace): the trace has ended; set begin_s and end_s of the
 * history.  Returns TRACE_OK, or TRACE_UNSUPPORTED, TRACE_TOO_LARGE or
 * TRACE_EMPTY.  These failures are reported, too, and the history cannot be
 * used.
 */
enum trace_fault trace_finish(struct trace *);

#endif
