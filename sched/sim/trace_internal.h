/* What the lines of a trace have built so far: private to its reader. */
#ifndef FRESHET_TRACE_INTERNAL_H
#define FRESHET_TRACE_INTERNAL_H

#include "base/buf.h"
#include "sched/sim/trace.h"
#include "sched/sim/trace_section.h"

/* What is known of the text behind a URL. */
enum trace_life { LIFE_UNKNOWN, LIFE_THERE, LIFE_ENDED };

struct trace_url {
	uint64_t text; /* of LIFE_THERE */
	uint32_t page; /* of the history */
	uint32_t document; /* of the trace: listed or once listed there */
	uint8_t life; /* enum trace_life */
	bool is_named; /* by its U: ids without one are gaps */
	bool is_listed;
};

struct trace_document {
	uint32_t number; /* of the history */
	uint32_t listed; /* URLs */
	bool is_named;
};

struct trace {
	struct history *history; /* borrowed */
	struct trace_options options;
	enum diag_code failure; /* DIAG_OK: read on */
	struct buf line; /* owned: the piece of a line that has come */
	bool is_line_lost; /* it is longer than it may be */
	size_t line_number; /* of the line being read, from 1 */
	struct trace_url *urls; /* owned; by id */
	size_t url_count, url_cap;
	struct trace_document *documents; /* owned; by id */
	size_t document_count, document_cap;
	struct trace_sections sections; /* owned */
	bool has_row;
	bool has_listed; /* ever */
	int64_t first_s, last_s; /* of rows */
	size_t unpublished; /* events before this one show */
	bool has_claims; /* after it */
};

struct trace_row {
	int64_t t_s;
	char kind;
	struct slice ids; /* well-formed and ascending */
	uint32_t first, last; /* of ids */
	bool is_list; /* more than one id */
	struct slice value;
};

/* trace_say(trace, code, why, what): what is foreign and may be empty. */
void trace_say(
    struct trace *, enum diag_code, const char *why, struct slice what);

/* trace_fail(trace, code, why): say it, and read nothing more. */
void trace_fail(struct trace *, enum diag_code, const char *why);

/* trace_ids(row): are its ids numbers and ranges, each above the one before?
 * Sets first, last and is_list. */
bool trace_ids(struct trace_row *);

/* trace_next(ids, first, last): take the next number or range of a list that
 * trace_ids has found right; false: there is none. */
bool trace_next(struct slice *ids, uint32_t *first, uint32_t *last);

/* trace_number(text, value): all of it is digits, at most 18. */
bool trace_number(struct slice text, int64_t *value);

/* trace_apply(trace, row): what the row says, in order of time. */
void trace_apply(struct trace *, const struct trace_row *);

/* trace_listing(trace, row): the same for A, R, L and P. */
void trace_listing(struct trace *, const struct trace_row *);

/* trace_is_named(trace, row): does a U name each of its ids?  False after
 * saying that one has none. */
bool trace_is_named(struct trace *, const struct trace_row *);

/* trace_add(trace, row, kind, subject): an event of a row; false: a limit was
 * passed.  The caller may set the rest of *trace_last(trace). */
bool trace_add(struct trace *, const struct trace_row *, enum history_kind,
    uint32_t subject);
struct history_event *trace_last(struct trace *);

#endif
