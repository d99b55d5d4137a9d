/* Traces: bytes to lines to rows. */
#include "sched/sim/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched/sim/trace_internal.h"

#define FIRST_LINE "# freshet-trace 1"
#define DETAIL_MAX 120
#define DAY_S 86400

struct trace_limits
trace_limits_default(void)
{
	return (struct trace_limits){.max_urls = 4000000,
	    .max_documents = 100000,
	    .max_events = 16000000,
	    .max_line = 4 << 20};
}

struct trace *
trace_new(struct history *history, const struct trace_options *options)
{
	struct trace *trace = mem_zero(sizeof(*trace));

	trace->history = history;
	trace->options = *options;
	buf_init(&trace->line, options->limits.max_line);
	return trace;
}

void
trace_free(struct trace *trace)
{
	if (trace == NULL)
		return;
	buf_release(&trace->line);
	free(trace->urls);
	free(trace->documents);
	trace_sections_release(&trace->sections);
	free(trace);
}

void
trace_say(struct trace *trace, enum diag_code code, const char *why,
    struct slice what)
{
	struct buf text;

	if (trace->options.say == NULL)
		return;
	buf_init(&text, 4 * DETAIL_MAX);
	(void)buf_print(&text, "%s", why);
	if (what.len > 0)
		(void)buf_print(&text, ": ");
	(void)buf_put(
	    &text, what.p, what.len < DETAIL_MAX ? what.len : DETAIL_MAX);
	trace->options.say(
	    trace->options.arg, trace->line_number, code, buf_text(&text));
	buf_release(&text);
}

void
trace_fail(struct trace *trace, enum diag_code code, const char *why)
{
	if (trace->failure != DIAG_OK)
		return;
	trace->failure = code;
	trace_say(trace, code, why, slice_of(""));
}

bool
trace_number(struct slice text, int64_t *value)
{
	*value = 0;
	if (text.len == 0 || text.len > 18)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		*value = *value * 10 + (text.p[i] - '0');
	}
	return true;
}

/* take_until(text, end, part): up to the first end, which is dropped; false:
 * there was none, and part is all. */
static bool
take_until(struct slice *text, char end, struct slice *part)
{
	const char *at = text->len == 0 ? NULL
					: memchr(text->p, end, text->len);
	size_t len = at == NULL ? text->len : (size_t)(at - text->p);

	*part = slice_make(text->p, len);
	*text = slice_from(*text, at == NULL ? len : len + 1);
	return at != NULL;
}

/* id_of(text, id): false: it is no number that an id can be. */
static bool
id_of(struct slice text, uint32_t *id)
{
	int64_t value;

	if (!trace_number(text, &value) || value >= HISTORY_NONE)
		return false;
	*id = (uint32_t)value;
	return true;
}

static bool
range_of(struct slice text, uint32_t *first, uint32_t *last)
{
	struct slice low;

	if (!take_until(&text, '-', &low))
		text = low;
	return id_of(low, first) && id_of(text, last) && *first <= *last;
}

bool
trace_next(struct slice *ids, uint32_t *first, uint32_t *last)
{
	struct slice part;

	if (ids->len == 0)
		return false;
	(void)take_until(ids, ',', &part);
	return range_of(part, first, last);
}

bool
trace_ids(struct trace_row *row)
{
	struct slice rest = row->ids;
	bool is_more = true;
	bool is_first = true;

	while (is_more) {
		struct slice part;
		uint32_t first, last;

		is_more = take_until(&rest, ',', &part);
		if (!range_of(part, &first, &last) ||
		    (!is_first && first <= row->last))
			return false;
		if (is_first)
			row->first = first;
		is_first = false;
		row->last = last;
	}
	row->is_list = row->last > row->first;
	return true;
}

/* read_row(trace, line, row): false after saying what is wrong with it. */
static bool
read_row(struct trace *trace, struct slice line, struct trace_row *row)
{
	struct slice columns[4];
	struct slice rest = line;

	for (int i = 0; i < 4; i++)
		if (take_until(&rest, '\t', &columns[i]) != (i < 3)) {
			trace_say(trace, DIAG_TRACE_MALFORMED,
			    "there are not four columns", line);
			return false;
		}
	row->ids = columns[2];
	row->value = columns[3];
	row->kind = columns[1].len == 1 ? columns[1].p[0] : '\0';
	if (!trace_number(columns[0], &row->t_s)) {
		trace_say(trace, DIAG_TRACE_MALFORMED,
		    "the time is no number of seconds", columns[0]);
		return false;
	}
	if (row->kind == '\0' || strchr("DUNCBXRALP", row->kind) == NULL) {
		trace_say(trace, DIAG_TRACE_MALFORMED, "there is no such kind",
		    columns[1]);
		return false;
	}
	if (!trace_ids(row) ||
	    (row->is_list && strchr("BXRAL", row->kind) == NULL)) {
		trace_say(trace, DIAG_TRACE_MALFORMED,
		    "the ids are not what this kind takes", columns[2]);
		return false;
	}
	return true;
}

/* is_timely(trace, row): false after saying that its time cannot be. */
static bool
is_timely(struct trace *trace, const struct trace_row *row, struct slice line)
{
	if (row->t_s > trace->options.now_s + DAY_S) {
		trace_say(trace, DIAG_TRACE_FUTURE, "this has not happened yet",
		    line);
		return false;
	}
	if (trace->has_row && row->t_s < trace->last_s) {
		trace_say(trace, DIAG_TRACE_OUT_OF_ORDER,
		    "this was before the row above", line);
		return false;
	}
	if (!trace->has_row)
		trace->first_s = row->t_s;
	trace->has_row = true;
	trace->last_s = row->t_s;
	return true;
}

static void
read_line(struct trace *trace, struct slice line)
{
	struct trace_row row = {.kind = '\0'};

	trace->line_number++;
	if (trace->is_line_lost) {
		trace->is_line_lost = false;
		trace_say(trace, DIAG_TRACE_MALFORMED, "the line is too long",
		    slice_of(""));
		return;
	}
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	if (trace->line_number == 1) {
		if (!slice_is(line, FIRST_LINE))
			trace_fail(trace, DIAG_TRACE_UNSUPPORTED,
			    "the first line is not '" FIRST_LINE "'");
		return;
	}
	if (line.len > 0 && line.p[0] == '#')
		return;
	if (read_row(trace, line, &row) && is_timely(trace, &row, line))
		trace_apply(trace, &row);
}

bool
trace_feed(struct trace *trace, struct slice bytes)
{
	while (bytes.len > 0 && trace->failure == DIAG_OK) {
		struct slice part;
		bool is_whole = take_until(&bytes, '\n', &part);

		if (is_whole && trace->line.len == 0 && !trace->is_line_lost &&
		    part.len <= trace->line.max) {
			read_line(trace, part);
			continue;
		}
		if (!trace->is_line_lost && !buf_put_slice(&trace->line, part))
			trace->is_line_lost = true;
		if (is_whole) {
			read_line(trace, buf_text(&trace->line));
			buf_clear(&trace->line);
		}
	}
	return trace->failure == DIAG_OK;
}

/* What lies open when there is no more. */
static void
close_open(struct trace *trace)
{
	trace->line_number++;
	if (trace->line.len > 0 || trace->is_line_lost)
		trace_say(trace, DIAG_TRACE_MALFORMED,
		    "the last line has no end, so it may be cut",
		    buf_text(&trace->line));
	else if (trace->has_claims)
		trace_say(trace, DIAG_TRACE_INCONSISTENT,
		    "no P publishes the last claims", slice_of(""));
}

enum diag_code
trace_finish(struct trace *trace)
{
	if (trace->failure == DIAG_OK && trace->line_number == 0)
		trace_fail(trace, DIAG_TRACE_UNSUPPORTED,
		    "the first line is not '" FIRST_LINE "'");
	if (trace->failure != DIAG_OK)
		return trace->failure;
	close_open(trace);
	if (!trace->has_listed || trace->first_s == trace->last_s)
		trace_fail(trace, DIAG_TRACE_EMPTY,
		    trace->has_listed ? "all of it happened in one second"
				      : "no page was ever listed");
	trace->history->begin_s = trace->first_s;
	trace->history->end_s = trace->last_s;
	return trace->failure;
}
