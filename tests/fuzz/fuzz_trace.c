/*
 * Any bytes as a trace: what comes out can be replayed.  Times never go back,
 * numbers are of what is there, pages end and come back in turn and are listed
 * once, each refused line is said, and it does not matter how the bytes come.
 *
 *	byte 0: the size of pieces
 *	rest:   the rows; the first line is put before them
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sim/trace.h"

#define HEAD "# freshet-trace 1\n"
#define NOW_S INT64_C(2000000000)

static void
say(void *arg, size_t line, enum trace_fault fault, struct slice detail)
{
	size_t *last = arg;

	assert(line >= *last && detail.len > 0);
	assert(fault > TRACE_OK && fault < TRACE_FAULTS);
	*last = line;
}

static enum trace_fault
read_trace(struct history *history, struct slice rows, size_t piece)
{
	struct trace_options options = {
	    .limits = {2000, 100, 20000, 300}, .now_s = NOW_S, .say = say};
	struct trace *trace;
	size_t line = 0;
	enum trace_fault fault;

	options.arg = &line;
	history_init(history);
	trace = trace_new(history, &options);
	(void)trace_feed(trace, slice_of(HEAD));
	while (rows.len > 0) {
		size_t n = piece < rows.len ? piece : rows.len;

		(void)trace_feed(trace, slice_make(rows.p, n));
		rows = slice_from(rows, n);
	}
	fault = trace_finish(trace);
	trace_free(trace);
	return fault;
}

/* What the test knows of a page while it reads the trace. */
struct page {
	bool is_there, is_listed, has_ended;
	uint64_t text;
};

static void
check_page(const struct history_event *event, struct page *page)
{
	switch ((enum history_kind)event->kind) {
	case HISTORY_EXISTS:
		assert(!page->is_there);
		page->is_there = true;
		page->text = event->text;
		break;
	case HISTORY_CHANGES:
		assert(page->is_there && event->text != page->text);
		page->text = event->text;
		break;
	case HISTORY_BYTES:
		assert(page->is_there);
		break;
	case HISTORY_ENDS:
		assert(page->is_there || !page->has_ended);
		page->is_there = false;
		page->has_ended = true;
		break;
	case HISTORY_ADDED:
		assert(!page->is_listed);
		page->is_listed = true;
		break;
	case HISTORY_REMOVED:
		assert(page->is_listed);
		page->is_listed = false;
		break;
	case HISTORY_CLAIMS:
		break; /* by a document that may not list the page any more */
	case HISTORY_CLAIMS_ALL:
	case HISTORY_CHILD_CLAIMS:
	case HISTORY_PUBLISHED:
	case HISTORY_WITHDRAWN:
	case HISTORY_HINTS:
		abort();
	}
}

static void
check_history(const struct history *history)
{
	struct page *pages = mem_zero(history->page_count * sizeof(*pages));
	int64_t last_s = 0;

	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];

		assert(event->t_s >= last_s && event->t_s <= NOW_S + 86400);
		last_s = event->t_s;
		if (event->kind >= HISTORY_CLAIMS_ALL) {
			assert(event->subject < history->document_count);
			assert(event->kind != HISTORY_CHILD_CLAIMS);
			continue;
		}
		assert(event->subject < history->page_count);
		check_page(event, &pages[event->subject]);
	}
	for (size_t i = 0; i < history->page_count; i++)
		assert(!pages[i].is_listed ||
		    history->pages[i].document < history->document_count);
	for (size_t i = 0; i < history->document_count; i++)
		assert(history->documents[i].site < history->site_count);
	free(pages);
}

static void
check_same(const struct history *a, const struct history *b)
{
	assert(a->event_count == b->event_count);
	assert(a->page_count == b->page_count);
	assert(a->document_count == b->document_count);
	assert(a->begin_s == b->begin_s && a->end_s == b->end_s);
	for (size_t i = 0; i < a->event_count; i++)
		assert(a->events[i].t_s == b->events[i].t_s &&
		    a->events[i].text == b->events[i].text &&
		    a->events[i].subject == b->events[i].subject &&
		    a->events[i].kind == b->events[i].kind &&
		    a->events[i].is_day == b->events[i].is_day);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct history whole, pieces;
	struct slice rows;
	enum trace_fault fault;

	if (size < 1)
		return 0;
	rows = slice_make((const char *)data + 1, size - 1);
	fault = read_trace(&whole, rows, size);
	assert(fault == read_trace(&pieces, rows, data[0] % 32 + 1));
	check_same(&whole, &pieces);
	check_history(&whole);
	if (fault == TRACE_OK)
		assert(whole.begin_s < whole.end_s && whole.page_count > 0 &&
		    whole.document_count > 0);
	history_release(&whole);
	history_release(&pieces);
	return 0;
}
