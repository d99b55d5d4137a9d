/*
 * Traces: what sitemaps claimed and what happened to their pages, as text
 * (scheduling.md, "Traces").  Lines of four columns, in order of time:
 *
 *	t_seconds  kind  ids  value
 *
 * A trace is foreign: whatever its lines say, what is read is a history that
 * can be replayed, and every line that was not taken as it stands is named.
 */
#ifndef FRESHET_TRACE_H
#define FRESHET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "sched/sim/history.h"

/* Of one trace; trace_limits_default() gives the numbers named here. */
struct trace_limits {
	uint32_t max_urls; /* 4,000,000: as many fit into 200 MB */
	uint32_t max_documents; /* 100,000 */
	size_t max_events; /* 16 million: 400 MB, four times six years of a
			    * site that re-dates 14,000 pages with each build */
	size_t max_line; /* 4 MiB: 600,000 single numbers */
};

struct trace_limits trace_limits_default(void);

/* trace_say_fn: one finding about one line, counted from 1; detail is foreign
 * text that lives until it returns. */
typedef void trace_say_fn(
    void *arg, size_t line, enum diag_code, struct slice detail);

struct trace_options {
	struct trace_limits limits;
	int64_t now_s; /* a row that is more than a day later is refused */
	trace_say_fn *say; /* NULL: nobody listens */
	void *arg;
};

struct trace;

/* trace_new(history, options): what is read is added to history, which is
 * empty and stays borrowed until trace_free. */
struct trace *trace_new(struct history *, const struct trace_options *);
void trace_free(struct trace *);

/*
 * trace_feed(trace, bytes): read on; false when nothing more is wanted.  The
 * result is the same however the bytes are cut into feeds.
 *
 * To say, for a line that was left out, or taken with a repair:
 * TRACE_MALFORMED (columns, numbers, kind, hash, order of ids), TRACE_FUTURE,
 * TRACE_OUT_OF_ORDER (its time is before that of the row above),
 * TRACE_INCONSISTENT (it does not fit what came before it: the part of it
 * that fits is taken, and a change of a page that is not there makes it be
 * there).  A lastmod that is no date is none: that is what a reader of the
 * sitemap makes of it.
 */
bool trace_feed(struct trace *, struct slice bytes);

/*
 * trace_finish(trace): there is no more; the history has its times.  Returns
 * DIAG_OK, or TRACE_UNSUPPORTED (no trace of version 1), TRACE_TOO_LARGE (a
 * limit was passed) or TRACE_EMPTY (nothing was ever listed, or all in one
 * second), which have been said too: the history is then of no use.
 */
enum diag_code trace_finish(struct trace *);

#endif
