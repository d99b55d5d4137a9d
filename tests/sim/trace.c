/* Traces: bytes to lines, lines to rows, rows to a history. */
#include "tests/sim/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "tests/sim/trace_section.h"

#define FIRST_LINE "# freshet-trace 1"
#define DETAIL_MAX 120
#define DAY_S 86400

/* At most this many ids in a row may be missing, so that a lost line costs
 * only what stood in that line. */
#define MAX_GAP 4096
#define HASH_MAX 16 /* digits */

/* What is known of the text behind a URL. */
enum trace_life { LIFE_UNKNOWN, LIFE_THERE, LIFE_ENDED };

struct trace_url {
	uint64_t text; /* of LIFE_THERE */
	uint32_t page; /* of the history */
	uint32_t document; /* of the trace: listed or once listed there */
	uint8_t life; /* enum trace_life */
	bool is_named; /* a U row names this id; ids without a name are gaps */
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
	enum trace_fault failure; /* TRACE_OK: read on */
	/* owned: the part of the current line that was fed so far */
	struct buf line;
	/* the current line is longer than a line may be */
	bool is_line_lost;
	size_t line_number; /* of the line being read, from 1 */
	struct trace_url *urls; /* owned; by id */
	size_t url_count, url_cap;
	struct trace_document *documents; /* owned; by id */
	size_t document_count, document_cap;
	struct trace_sections sections; /* owned */
	bool has_row;
	/* some document has listed a URL */
	bool has_listed;
	int64_t first_s, last_s; /* of rows */
	/* the publication before shows the events before this index */
	size_t unpublished;
	/* there is a claim among the unpublished events */
	bool has_claims;
};

struct trace_row {
	int64_t t_s;
	char kind;
	struct slice ids; /* well-formed and ascending */
	uint32_t first, last; /* of ids */
	bool is_list; /* more than one id */
	struct slice value;
};

const char *
trace_fault_name(enum trace_fault fault)
{
	static const char *const names[TRACE_FAULTS] = {"trace-ok",
	    "trace-unsupported", "trace-malformed", "trace-out-of-order",
	    "trace-future", "trace-inconsistent", "trace-too-large",
	    "trace-empty"};

	return names[fault];
}

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

/* trace_say(trace, fault, why, what): report a fault of the current line.
 * `what` is foreign text, which may be empty. */
static void
trace_say(struct trace *trace, enum trace_fault fault, const char *why,
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
	    trace->options.arg, trace->line_number, fault, buf_text(&text));
	buf_release(&text);
}

/* trace_fail(trace, fault, why): report a fault, and read nothing more. */
static void
trace_fail(struct trace *trace, enum trace_fault fault, const char *why)
{
	if (trace->failure != TRACE_OK)
		return;
	trace->failure = fault;
	trace_say(trace, fault, why, slice_of(""));
}

/* trace_number(text, value): read a number of 1 to 18 digits; false: the text
 * is no such number. */
static bool
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

/* take_until(text, end, part): move the text before the first `end` to `part`,
 * and drop that character.  Returns false when there is none; `part` is then
 * all of the text. */
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

/* id_of(text, id): read an id; false: the text is no number, or too large for
 * an id. */
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

/* trace_next(ids, first, last): take the next number or range of a list that
 * trace_ids has found right; false: there is none. */
static bool
trace_next(struct slice *ids, uint32_t *first, uint32_t *last)
{
	struct slice part;

	if (ids->len == 0)
		return false;
	(void)take_until(ids, ',', &part);
	return range_of(part, first, last);
}

/* trace_ids(row): are the ids of the row numbers and ranges, each above the
 * one before?  The function sets first, last and is_list. */
static bool
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

/* Rows that name documents and URLs, and say what became of pages. */

/* trace_add(trace, row, kind, subject): add an event at the time of the row;
 * false: a limit was passed.  The caller may then set other members of
 * *trace_last(trace). */
static bool
trace_add(struct trace *trace, const struct trace_row *row,
    enum history_kind kind, uint32_t subject)
{
	struct history_event event = {
	    .t_s = row->t_s, .kind = (uint8_t)kind, .subject = subject};

	if (trace->history->event_count >= trace->options.limits.max_events) {
		trace_fail(trace, TRACE_TOO_LARGE, "more happens than may be");
		return false;
	}
	history_add(trace->history, &event);
	return true;
}

static struct history_event *
trace_last(struct trace *trace)
{
	return &trace->history->events[trace->history->event_count - 1];
}

/* trace_is_named(trace, row): does a U row name each id of the row?  If not,
 * the function reports that. */
static bool
trace_is_named(struct trace *trace, const struct trace_row *row)
{
	struct slice ids = row->ids;
	uint32_t first, last;

	while (trace_next(&ids, &first, &last))
		for (uint32_t i = first; i <= last; i++)
			if (i >= trace->url_count || !trace->urls[i].is_named) {
				trace_say(trace, TRACE_INCONSISTENT,
				    "no U names each of these URLs", row->ids);
				return false;
			}
	return true;
}

/* may_name(trace, row, count, max): may the row give a name to its id?  The id
 * must be the next one; up to MAX_GAP ids may be missing before it, which is
 * reported. */
static bool
may_name(struct trace *trace, const struct trace_row *row, size_t count,
    uint32_t max)
{
	if (row->first >= max) {
		trace_fail(trace, TRACE_TOO_LARGE,
		    row->kind == 'U' ? "there are more URLs than may be"
				     : "there are more documents than may be");
		return false;
	}
	if (row->first == count)
		return true;
	trace_say(trace, TRACE_INCONSISTENT,
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
	struct url url = {0};
	char *name;
	uint32_t i = 0;

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

/* A D row. */
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

/* A U row. */
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

/* N and C rows. */
static void
set_text(struct trace *trace, const struct trace_row *row)
{
	struct trace_url *url = &trace->urls[row->first];
	bool is_there = url->life == LIFE_THERE;
	bool is_change = row->kind == 'C';
	uint64_t hash;

	if (!read_hash(row->value, &hash)) {
		trace_say(trace, TRACE_MALFORMED,
		    "the value is no hash in hexadecimal", row->value);
		return;
	}
	if (is_there != is_change)
		trace_say(trace, TRACE_INCONSISTENT,
		    is_there ? "this page was there before"
			     : "this page was not there",
		    row->ids);
	if (is_there && hash == url->text) {
		if (is_change)
			trace_say(trace, TRACE_INCONSISTENT,
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

/* X and B rows. */
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

			/* an X row may name a page of which nothing is
			 * known */
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
		trace_say(trace, TRACE_INCONSISTENT,
		    "not all of these pages were there", row->ids);
}

/* Rows that say what documents list and claim, and when it shows. */

/*
 * In a history each page belongs to one document, but in a trace several
 * documents may list one URL.  The page belongs to the first document that
 * lists the URL, and what other documents say of the URL meanwhile is left
 * out. When the first document drops the URL and another one lists it later,
 * the URL becomes another page of the history.
 */

/* document_of(trace, what, id): the document of that id.  If no D row named
 * the document, the function reports that and returns NULL. */
static struct trace_document *
document_of(struct trace *trace, struct slice what, int64_t id)
{
	if (id >= 0 && id < (int64_t)trace->document_count &&
	    trace->documents[id].is_named)
		return &trace->documents[id];
	trace_say(trace, TRACE_INCONSISTENT, "no D names this document", what);
	return NULL;
}

/* replace_page(trace, row, url, id): make another page for a URL that its first
 * document has dropped; false: there are too many pages. */
static bool
replace_page(struct trace *trace, const struct trace_row *row,
    struct trace_url *url, uint32_t id)
{
	struct history_page page = {.document = trace->documents[id].number,
	    .section = trace->history->pages[url->page].section,
	    .weight = 1,
	    .changes_per_day = -1};

	if (trace->history->page_count >= trace->options.limits.max_urls) {
		trace_fail(
		    trace, TRACE_TOO_LARGE, "there are more pages than may be");
		return false;
	}
	if (url->life == LIFE_THERE &&
	    !trace_add(trace, row, HISTORY_ENDS, url->page))
		return false;
	url->page = history_add_page(trace->history, &page);
	if (url->life == LIFE_UNKNOWN)
		return true; /* the page may end later, once */
	if (!trace_add(trace, row,
		url->life == LIFE_THERE ? HISTORY_EXISTS : HISTORY_ENDS,
		url->page))
		return false;
	if (url->life == LIFE_THERE)
		trace_last(trace)->text = url->text;
	return true;
}

/* list(trace, row, url, id): the document of that id lists the URL. */
static bool
list(struct trace *trace, const struct trace_row *row, struct trace_url *url,
    uint32_t id)
{
	if (url->document == HISTORY_NONE)
		trace->history->pages[url->page].document = trace->documents[id]
								.number;
	else if (url->document != id && !replace_page(trace, row, url, id))
		return false;
	url->document = id;
	url->is_listed = true;
	trace->documents[id].listed++;
	trace->has_listed = true;
	return trace_add(trace, row, HISTORY_ADDED, url->page);
}

/* may_add(url, id), may_remove(url, id): may the document of that id add or
 * remove the URL?  NULL: yes; "": no, because another document lists the URL;
 * else the reason. */
static const char *
may_add(const struct trace_url *url, uint32_t id)
{
	if (!url->is_listed)
		return NULL;
	return url->document == id ? "it is listed already" : "";
}

static const char *
may_remove(const struct trace_url *url, uint32_t id)
{
	if (!url->is_listed)
		return "it is not listed";
	return url->document == id ? NULL : "";
}

/* A and R rows. */
static void
change_listing(struct trace *trace, const struct trace_row *row)
{
	struct slice ids = row->ids;
	const char *trouble = "";
	uint32_t first, last;
	int64_t to;

	if (!trace_number(row->value, &to)) {
		trace_say(trace, TRACE_MALFORMED,
		    "the value is no number of a document", row->value);
		return;
	}
	if (document_of(trace, row->value, to) == NULL)
		return;
	while (trace_next(&ids, &first, &last))
		for (uint32_t i = first; i <= last; i++) {
			struct trace_url *url = &trace->urls[i];
			const char *why = row->kind == 'A'
			    ? may_add(url, (uint32_t)to)
			    : may_remove(url, (uint32_t)to);

			if (why != NULL) {
				trouble = *why != '\0' ? why : trouble;
			} else if (row->kind == 'A') {
				if (!list(trace, row, url, (uint32_t)to))
					return;
			} else {
				url->is_listed = false;
				trace->documents[to].listed--;
				if (!trace_add(
					trace, row, HISTORY_REMOVED, url->page))
					return;
			}
		}
	if (*trouble != '\0')
		trace_say(trace, TRACE_INCONSISTENT, trouble, row->ids);
}

/* claim_of(value, event): set the date of the event; a value that is no date
 * counts as no date. */
static void
claim_of(struct slice value, struct history_event *event)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink none = {0};
	struct date date;

	event->lastmod_s = HISTORY_NO_DATE;
	event->is_day = false;
	if (date_parse(&date, value, &profile, none) != DIAG_OK)
		return;
	event->lastmod_s = date.epoch_s;
	event->is_day = date.precision <= DATE_DAY;
}

/* whole_of(trace, row, has_unlisted): the document that lists exactly the URLs
 * of the row, or HISTORY_NONE. *has_unlisted: no document lists some of the
 * URLs. */
static uint32_t
whole_of(struct trace *trace, const struct trace_row *row, bool *has_unlisted)
{
	struct slice ids = row->ids;
	uint32_t id = trace->urls[row->first].document;
	bool is_one = true;
	uint32_t count = 0;
	uint32_t first, last;

	*has_unlisted = false;
	while (trace_next(&ids, &first, &last))
		for (uint32_t i = first; i <= last; i++) {
			const struct trace_url *url = &trace->urls[i];

			*has_unlisted |= !url->is_listed;
			is_one &= url->is_listed && url->document == id;
			count++;
		}
	return is_one && count == trace->documents[id].listed ? id
							      : HISTORY_NONE;
}

/* An L row.  A row about all URLs of a document becomes one event, instead of
 * perhaps 14,000. */
static void
claim(struct trace *trace, const struct trace_row *row)
{
	struct slice ids = row->ids;
	struct history_event date = {.t_s = row->t_s};
	bool has_unlisted;
	uint32_t whole = whole_of(trace, row, &has_unlisted);
	uint32_t first, last;

	claim_of(row->value, &date);
	if (has_unlisted)
		trace_say(trace, TRACE_INCONSISTENT, "no document lists this",
		    row->ids);
	trace->has_claims = true;
	if (whole != HISTORY_NONE) {
		if (trace_add(trace, row, HISTORY_CLAIMS_ALL,
			trace->documents[whole].number)) {
			trace_last(trace)->lastmod_s = date.lastmod_s;
			trace_last(trace)->is_day = date.is_day;
		}
		return;
	}
	while (trace_next(&ids, &first, &last))
		for (uint32_t i = first; i <= last; i++) {
			if (!trace->urls[i].is_listed)
				continue;
			if (!trace_add(trace, row, HISTORY_CLAIMS,
				trace->urls[i].page))
				return;
			trace_last(trace)->lastmod_s = date.lastmod_s;
			trace_last(trace)->is_day = date.is_day;
		}
}

/* drop_foreign(trace, number): drop the claims since the last publication that
 * are about pages of other documents: only the document that publishes now can
 * have made them. */
static void
drop_foreign(struct trace *trace, uint32_t number)
{
	struct history *history = trace->history;
	size_t kept = trace->unpublished;

	for (size_t i = trace->unpublished; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];
		bool is_foreign = (event->kind == HISTORY_CLAIMS &&
				      history->pages[event->subject].document !=
					  number) ||
		    (event->kind == HISTORY_CLAIMS_ALL &&
			event->subject != number);

		if (!is_foreign)
			history->events[kept++] = *event;
	}
	history->event_count = kept;
}

/* A P row; its subject is a document. */
static void
publish(struct trace *trace, const struct trace_row *row)
{
	bool is_withdrawn = slice_is(row->value, "-");
	const struct trace_document *document;
	int64_t entries;

	if (!is_withdrawn && !trace_number(row->value, &entries)) {
		trace_say(trace, TRACE_MALFORMED,
		    "the value is no number of entries", row->value);
		return;
	}
	document = document_of(trace, row->ids, row->first);
	if (document == NULL)
		return;
	if (trace->has_claims)
		drop_foreign(trace, document->number);
	if (!trace_add(trace, row,
		is_withdrawn ? HISTORY_WITHDRAWN : HISTORY_PUBLISHED,
		document->number))
		return;
	trace->has_claims = false;
	trace->unpublished = trace->history->event_count;
}

/* trace_listing(trace, row): add the events of an A, R, L or P row. */
static void
trace_listing(struct trace *trace, const struct trace_row *row)
{
	if (row->kind == 'P')
		publish(trace, row);
	else if (!trace_is_named(trace, row))
		return;
	else if (row->kind == 'L')
		claim(trace, row);
	else
		change_listing(trace, row);
}

/* trace_apply(trace, row): add what the row says to the history; rows come in
 * order of time. */
static void
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

/* Lines. */

/* read_row(trace, line, row): parse a line; false: the line is malformed, and
 * the function has reported why. */
static bool
read_row(struct trace *trace, struct slice line, struct trace_row *row)
{
	struct slice columns[4];
	struct slice rest = line;

	for (int i = 0; i < 4; i++)
		if (take_until(&rest, '\t', &columns[i]) != (i < 3)) {
			trace_say(trace, TRACE_MALFORMED,
			    "there are not four columns", line);
			return false;
		}
	row->ids = columns[2];
	row->value = columns[3];
	row->kind = columns[1].len == 1 ? columns[1].p[0] : '\0';
	if (!trace_number(columns[0], &row->t_s)) {
		trace_say(trace, TRACE_MALFORMED,
		    "the time is no number of seconds", columns[0]);
		return false;
	}
	if (row->kind == '\0' || strchr("DUNCBXRALP", row->kind) == NULL) {
		trace_say(trace, TRACE_MALFORMED, "there is no such kind",
		    columns[1]);
		return false;
	}
	if (!trace_ids(row) ||
	    (row->is_list && strchr("BXRAL", row->kind) == NULL)) {
		trace_say(trace, TRACE_MALFORMED,
		    "the ids are not what this kind takes", columns[2]);
		return false;
	}
	return true;
}

/* is_timely(trace, row, line): is the time of the row possible?  If not, the
 * function reports that. */
static bool
is_timely(struct trace *trace, const struct trace_row *row, struct slice line)
{
	if (row->t_s > trace->options.now_s + DAY_S) {
		trace_say(
		    trace, TRACE_FUTURE, "this has not happened yet", line);
		return false;
	}
	if (trace->has_row && row->t_s < trace->last_s) {
		trace_say(trace, TRACE_OUT_OF_ORDER,
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
		trace_say(trace, TRACE_MALFORMED, "the line is too long",
		    slice_of(""));
		return;
	}
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	if (trace->line_number == 1) {
		if (!slice_is(line, FIRST_LINE))
			trace_fail(trace, TRACE_UNSUPPORTED,
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
	while (bytes.len > 0 && trace->failure == TRACE_OK) {
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
	return trace->failure == TRACE_OK;
}

/* The trace has ended: report a line without an end, or claims that nothing
 * published. */
static void
close_open(struct trace *trace)
{
	trace->line_number++;
	if (trace->line.len > 0 || trace->is_line_lost)
		trace_say(trace, TRACE_MALFORMED,
		    "the last line has no end, so it may be cut",
		    buf_text(&trace->line));
	else if (trace->has_claims)
		trace_say(trace, TRACE_INCONSISTENT,
		    "no P publishes the last claims", slice_of(""));
}

enum trace_fault
trace_finish(struct trace *trace)
{
	if (trace->failure == TRACE_OK && trace->line_number == 0)
		trace_fail(trace, TRACE_UNSUPPORTED,
		    "the first line is not '" FIRST_LINE "'");
	if (trace->failure != TRACE_OK)
		return trace->failure;
	close_open(trace);
	if (!trace->has_listed || trace->first_s == trace->last_s)
		trace_fail(trace, TRACE_EMPTY,
		    trace->has_listed ? "all of it happened in one second"
				      : "no page was ever listed");
	trace->history->begin_s = trace->first_s;
	trace->history->end_s = trace->last_s;
	return trace->failure;
}
