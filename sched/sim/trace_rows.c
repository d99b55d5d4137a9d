/* Traces: rows that name documents and URLs, and say what became of pages. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/url.h"
#include "sched/sim/trace_internal.h"

/* Ids that may be missing in a row, so that a lost line costs itself only. */
#define MAX_GAP 4096
#define HASH_MAX 16 /* digits */

bool
trace_add(struct trace *trace, const struct trace_row *row,
    enum history_kind kind, uint32_t subject)
{
	struct history_event event = {
	    .t_s = row->t_s, .kind = (uint8_t)kind, .subject = subject};

	if (trace->history->event_count >= trace->options.limits.max_events) {
		trace_fail(
		    trace, DIAG_TRACE_TOO_LARGE, "more happens than may be");
		return false;
	}
	history_add(trace->history, &event);
	return true;
}

struct history_event *
trace_last(struct trace *trace)
{
	return &trace->history->events[trace->history->event_count - 1];
}

bool
trace_is_named(struct trace *trace, const struct trace_row *row)
{
	struct slice ids = row->ids;
	uint32_t first, last;

	while (trace_next(&ids, &first, &last))
		for (uint32_t i = first; i <= last; i++)
			if (i >= trace->url_count || !trace->urls[i].is_named) {
				trace_say(trace, DIAG_TRACE_INCONSISTENT,
				    "no U names each of these URLs", row->ids);
				return false;
			}
	return true;
}

/* may_name(trace, row, count, max): is its id the next one, or of a gap? */
static bool
may_name(struct trace *trace, const struct trace_row *row, size_t count,
    uint32_t max)
{
	if (row->first >= max) {
		trace_fail(trace, DIAG_TRACE_TOO_LARGE,
		    row->kind == 'U' ? "there are more URLs than may be"
				     : "there are more documents than may be");
		return false;
	}
	if (row->first == count)
		return true;
	trace_say(trace, DIAG_TRACE_INCONSISTENT,
	    row->first < count ? "this id does not count up"
			       : "ids before this one are missing",
	    row->ids);
	return row->first < count || row->first - count <= MAX_GAP;
}

/* site_of(trace, value): the number of the site with the host of this URL;
 * most traces have one. */
static uint32_t
site_of(struct trace *trace, struct slice value)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct history *history = trace->history;
	struct url url;
	char *name;
	uint32_t i = 0;

	url_init(&url);
	name = url_parse(&url, value, NULL, &profile, (struct diag_sink){0}) ==
		DIAG_OK
	    ? slice_dup(url_host(&url))
	    : mem_copy("unknown");
	while (i < history->site_count &&
	    strcmp(history->sites[i].name, name) != 0)
		i++;
	if (i == history->site_count)
		(void)history_add_site(history, name, 0);
	free(name);
	url_release(&url);
	return i;
}

/* D. */
static void
name_document(struct trace *trace, const struct trace_row *row)
{
	struct history_dates unknown = {DATING_UNKNOWN, -1, -1};
	struct history_document document = {.parent = HISTORY_NONE,
	    .cost = 1,
	    .dates = {unknown, unknown},
	    .turn_s = INT64_MAX};

	if (!may_name(trace, row, trace->document_count,
		trace->options.limits.max_documents))
		return;
	while (trace->document_count <= row->first) {
		trace->documents = mem_grow(trace->documents,
		    &trace->document_cap, trace->document_count + 1,
		    sizeof(*trace->documents));
		trace->documents[trace->document_count++] =
		    (struct trace_document){.listed = 0};
	}
	if (trace->documents[row->first].is_named)
		return;
	document.site = site_of(trace, row->value);
	trace->documents[row->first].is_named = true;
	trace->documents[row->first].number = history_add_document(
	    trace->history, &document);
}

/* U. */
static void
name_url(struct trace *trace, const struct trace_row *row)
{
	struct history_page page = {.weight = 1, .changes_per_day = -1};
	struct trace_url *url;

	if (!may_name(
		trace, row, trace->url_count, trace->options.limits.max_urls))
		return;
	while (trace->url_count <= row->first) {
		trace->urls = mem_grow(trace->urls, &trace->url_cap,
		    trace->url_count + 1, sizeof(*trace->urls));
		trace->urls[trace->url_count++] = (struct trace_url){
		    .document = HISTORY_NONE};
	}
	url = &trace->urls[row->first];
	if (url->is_named)
		return;
	url->is_named = true;
	page.section = trace_section(
	    &trace->sections, trace->history, row->value);
	url->page = history_add_page(trace->history, &page);
}

static bool
read_hash(struct slice text, uint64_t *hash)
{
	*hash = 0;
	if (text.len == 0 || text.len > HASH_MAX)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *at = memchr(digits, text.p[i], 16);

		if (at == NULL)
			return false;
		*hash = *hash << 4 | (uint64_t)(at - digits);
	}
	return true;
}

/* N and C. */
static void
set_text(struct trace *trace, const struct trace_row *row)
{
	struct trace_url *url = &trace->urls[row->first];
	bool is_there = url->life == LIFE_THERE;
	bool is_change = row->kind == 'C';
	uint64_t hash;

	if (!read_hash(row->value, &hash)) {
		trace_say(trace, DIAG_TRACE_MALFORMED,
		    "the value is no hash in hexadecimal", row->value);
		return;
	}
	if (is_there != is_change)
		trace_say(trace, DIAG_TRACE_INCONSISTENT,
		    is_there ? "this page was there before"
			     : "this page was not there",
		    row->ids);
	if (is_there && hash == url->text) {
		if (is_change)
			trace_say(trace, DIAG_TRACE_INCONSISTENT,
			    "this text is the same as before", row->value);
		return;
	}
	if (!trace_add(trace, row, is_there ? HISTORY_CHANGES : HISTORY_EXISTS,
		url->page))
		return;
	trace_last(trace)->text = hash;
	url->text = hash;
	url->life = LIFE_THERE;
}

/* X and B. */
static void
end_or_touch(struct trace *trace, const struct trace_row *row)
{
	struct slice ids = row->ids;
	bool has_absent = false;
	uint32_t first, last;

	while (trace_next(&ids, &first, &last))
		for (uint32_t i = first; i <= last; i++) {
			struct trace_url *url = &trace->urls[i];
			bool is_end = row->kind == 'X';

			/* X of a page that never was says that it is not */
			if (url->life == LIFE_ENDED ||
			    (!is_end && url->life == LIFE_UNKNOWN)) {
				has_absent = true;
				continue;
			}
			if (!trace_add(trace, row,
				is_end ? HISTORY_ENDS : HISTORY_BYTES,
				url->page))
				return;
			if (is_end)
				url->life = LIFE_ENDED;
		}
	if (has_absent)
		trace_say(trace, DIAG_TRACE_INCONSISTENT,
		    "not all of these pages were there", row->ids);
}

void
trace_apply(struct trace *trace, const struct trace_row *row)
{
	switch (row->kind) {
	case 'D':
		name_document(trace, row);
		break;
	case 'U':
		name_url(trace, row);
		break;
	case 'N':
	case 'C':
		if (trace_is_named(trace, row))
			set_text(trace, row);
		break;
	case 'B':
	case 'X':
		if (trace_is_named(trace, row))
			end_or_touch(trace, row);
		break;
	default:
		trace_listing(trace, row);
	}
}
