/* Traces: what documents list and claim, and when it shows. */
#include "base/w3cdate.h"
#include "sched/sim/trace_internal.h"

/*
 * A page of a history is in one document.  The first that lists a URL has it,
 * what others say of it meanwhile is left out; when that one drops it and
 * another lists it later, it is another page of the history.
 */

/* document_of(trace, row, id): NULL after saying that none was named. */
static struct trace_document *
document_of(struct trace *trace, struct slice what, int64_t id)
{
	if (id >= 0 && id < (int64_t)trace->document_count &&
	    trace->documents[id].is_named)
		return &trace->documents[id];
	trace_say(
	    trace, DIAG_TRACE_INCONSISTENT, "no D names this document", what);
	return NULL;
}

/* rehome(trace, row, url, id): a further page for a URL that its first
 * document has dropped; false: there are too many. */
static bool
rehome(struct trace *trace, const struct trace_row *row, struct trace_url *url,
    uint32_t id)
{
	struct history_page page = {.document = trace->documents[id].number,
	    .section = trace->history->pages[url->page].section,
	    .weight = 1,
	    .changes_per_day = -1};

	if (trace->history->page_count >= trace->options.limits.max_urls) {
		trace_fail(trace, DIAG_TRACE_TOO_LARGE,
		    "there are more pages than may be");
		return false;
	}
	if (url->life == LIFE_THERE &&
	    !trace_add(trace, row, HISTORY_ENDS, url->page))
		return false;
	url->page = history_add_page(trace->history, &page);
	if (url->life == LIFE_UNKNOWN)
		return true; /* it may end yet, once */
	if (!trace_add(trace, row,
		url->life == LIFE_THERE ? HISTORY_EXISTS : HISTORY_ENDS,
		url->page))
		return false;
	if (url->life == LIFE_THERE)
		trace_last(trace)->text = url->text;
	return true;
}

/* list(trace, row, url, id): into the document of that id. */
static bool
list(struct trace *trace, const struct trace_row *row, struct trace_url *url,
    uint32_t id)
{
	if (url->document == HISTORY_NONE)
		trace->history->pages[url->page].document = trace->documents[id]
								.number;
	else if (url->document != id && !rehome(trace, row, url, id))
		return false;
	url->document = id;
	url->is_listed = true;
	trace->documents[id].listed++;
	trace->has_listed = true;
	return trace_add(trace, row, HISTORY_ADDED, url->page);
}

/* may_add(url, id), may_remove(url, id): why not, NULL: they may; "": it is
 * another document's. */
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

/* A and R. */
static void
change_listing(struct trace *trace, const struct trace_row *row)
{
	struct slice ids = row->ids;
	const char *trouble = "";
	uint32_t first, last;
	int64_t to;

	if (!trace_number(row->value, &to)) {
		trace_say(trace, DIAG_TRACE_MALFORMED,
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
		trace_say(trace, DIAG_TRACE_INCONSISTENT, trouble, row->ids);
}

/* claim_of(value, event): the date; what is none is no date. */
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

/* whole_of(trace, row): the document that lists just these URLs and no
 * others, or HISTORY_NONE; *has_unlisted: some are listed nowhere. */
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

/* L: of a whole document it is one event, and not 14,000. */
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
		trace_say(trace, DIAG_TRACE_INCONSISTENT,
		    "no document lists this", row->ids);
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

/* drop_foreign(trace, document): the claims since the publication before are
 * this document's, so those of pages that another has are left out. */
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

/* P: the subject is a document. */
static void
publish(struct trace *trace, const struct trace_row *row)
{
	bool is_withdrawn = slice_is(row->value, "-");
	const struct trace_document *document;
	int64_t entries;

	if (!is_withdrawn && !trace_number(row->value, &entries)) {
		trace_say(trace, DIAG_TRACE_MALFORMED,
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

void
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
