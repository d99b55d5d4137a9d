/* tests/sim/trace.c: rows of traces, and what is said of those that are none.
 */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/trace.h"
#include "tests/sim/trace_section.h"

#define NOW_S INT64_C(2000000)
#define HEAD "# freshet-trace 1\n"

/* One document, two listed pages with dates, published: lines 2 to 9. */
#define TWO                                \
	HEAD "100\tD\t0\thttp://a/s.xml\n" \
	     "100\tU\t0\thttp://a/0\n"     \
	     "100\tU\t1\thttp://a/1\n"     \
	     "100\tN\t0\taa\n"             \
	     "100\tN\t1\tbb\n"             \
	     "100\tA\t0-1\t0\n"            \
	     "100\tL\t0-1\t1970-01-02\n"   \
	     "100\tP\t0\t2\n"
#define TWO_EVENTS             \
	"100 N0=aa 100 N1=bb " \
	"100 A0 100 A1 100 L*0=86400d 100 P0"

struct heard {
	struct buf said;
	struct history history;
	enum trace_fault end;
};

static void
say(void *arg, size_t line, enum trace_fault code, struct slice detail)
{
	struct heard *heard = arg;

	assert_true(detail.len > 0);
	if (heard->said.len > 0)
		(void)buf_put_char(&heard->said, ' ');
	(void)buf_print(&heard->said, "%zu:%s", line, trace_fault_name(code));
}

static void
hear(struct heard *heard, const char *text, size_t piece,
    const struct trace_limits *limits)
{
	struct trace_options options = {
	    .limits = *limits, .now_s = NOW_S, .say = say, .arg = heard};
	struct slice rest = slice_of(text);
	struct trace *trace;

	buf_init(&heard->said, 1 << 16);
	history_init(&heard->history);
	trace = trace_new(&heard->history, &options);
	while (rest.len > 0) {
		size_t n = piece < rest.len ? piece : rest.len;

		(void)trace_feed(trace, slice_make(rest.p, n));
		rest = slice_from(rest, n);
	}
	heard->end = trace_finish(trace);
	trace_free(trace);
}

static void
heard_release(struct heard *heard)
{
	buf_release(&heard->said);
	history_release(&heard->history);
}

/* "100 N0=aa": time, letter, subject, value. */
static const char *
events_of(const struct history *history, struct buf *out)
{
	static const char letters[] = "NCBXARL*IPW";

	buf_clear(out);
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];

		(void)buf_print(out, "%s%lld %s%c%u", i == 0 ? "" : " ",
		    (long long)event->t_s,
		    event->kind == HISTORY_CLAIMS_ALL ? "L" : "",
		    letters[event->kind], event->subject);
		if (event->kind <= HISTORY_CHANGES)
			(void)buf_print(
			    out, "=%llx", (unsigned long long)event->text);
		if (event->kind != HISTORY_CLAIMS &&
		    event->kind != HISTORY_CLAIMS_ALL)
			continue;
		if (event->lastmod_s == HISTORY_NO_DATE)
			(void)buf_print(out, "=-");
		else
			(void)buf_print(out, "=%lld%s",
			    (long long)event->lastmod_s,
			    event->is_day ? "d" : "");
	}
	return buf_str(out);
}

static const struct {
	const char *name;
	const char *text;
	const char *events;
	const char *said;
	enum trace_fault end;
} cases[] = {
    {"plain", TWO "200\tC\t1\tcc\n", TWO_EVENTS " 200 C1=cc", "", TRACE_OK},
    {"bytes, end, back", TWO "200\tB\t0-1\t-\n200\tX\t0\t-\n300\tN\t0\taa\n",
	TWO_EVENTS " 200 B0 200 B1 200 X0 300 N0=aa", "", TRACE_OK},
    {"removed, added, withdrawn",
	TWO "200\tR\t1\t0\n200\tP\t0\t1\n300\tA\t1\t0\n300\tP\t0\t2\n"
	    "400\tP\t0\t-\n",
	TWO_EVENTS " 200 R1 200 P0 300 A1 300 P0 400 W0", "", TRACE_OK},
    {"dates: with time, none, no date",
	TWO "200\tL\t0\t1970-01-01T00:00:10Z\n200\tP\t0\t2\n300\tL\t0\t-\n"
	    "300\tP\t0\t2\n400\tL\t1\tNone\n400\tP\t0\t2\n",
	TWO_EVENTS " 200 L0=10 200 P0 300 L0=- 300 P0 400 L1=- 400 P0", "",
	TRACE_OK},
    {"never there", TWO "200\tU\t2\t/x\n200\tX\t2\t-\n200\tA\t2\t0\n",
	TWO_EVENTS " 200 X2 200 A2", "", TRACE_OK},
    {"line ends", HEAD "100\tD\t0\tx\r\n# 1\n200\tU\t0\ty\r\n200\tA\t0\t0\n",
	"200 A0", "", TRACE_OK},
    /* a page belongs to the first document that lists it; when that one drops
     * it, another may list it */
    {"two documents, one page",
	TWO "200\tD\t1\thttp://a/t.xml\n200\tA\t1\t1\n200\tL\t0-1\t-\n"
	    "200\tP\t1\t1\n300\tR\t1\t1\n300\tP\t1\t0\n",
	TWO_EVENTS " 200 P1 300 P1", "", TRACE_OK},
    {"from one document to another",
	TWO "200\tD\t1\thttp://a/t.xml\n200\tR\t1\t0\n200\tP\t0\t1\n"
	    "200\tA\t1\t1\n200\tP\t1\t1\n300\tC\t1\tcc\n",
	TWO_EVENTS " 200 R1 200 P0 200 X1 200 N2=bb 200 A2 200 P1 300 C2=cc",
	"", TRACE_OK},

    {"no trace", "100\tD\t0\tx\n", "", "1:trace-unsupported",
	TRACE_UNSUPPORTED},
    {"another version", "# freshet-trace 2\n", "", "1:trace-unsupported",
	TRACE_UNSUPPORTED},
    {"nothing", "", "", "0:trace-unsupported", TRACE_UNSUPPORTED},
    {"no page", HEAD "100\tD\t0\tx\n200\tP\t0\t0\n", "200 P0", "4:trace-empty",
	TRACE_EMPTY},
    {"one second", TWO, TWO_EVENTS, "10:trace-empty", TRACE_EMPTY},

    {"columns", TWO "200\tC\t0\n200\tC\t0\ta\tb\n\n200\tC\t0\tcc\n",
	TWO_EVENTS " 200 C0=cc",
	"10:trace-malformed 11:trace-malformed 12:trace-malformed", TRACE_OK},
    {"times",
	TWO "x\tC\t0\tcc\n-1\tC\t0\tcc\n\tC\t0\tcc\n"
	    "1234567890123456789\tC\t0\tcc\n200\tC\t0\tcc\n",
	TWO_EVENTS " 200 C0=cc",
	"10:trace-malformed 11:trace-malformed 12:trace-malformed "
	"13:trace-malformed",
	TRACE_OK},
    {"kinds", TWO "200\tZ\t0\tcc\n200\tCC\t0\tcc\n200\t\t0\tcc\n200\tC\t0\tc\n",
	TWO_EVENTS " 200 C0=c",
	"10:trace-malformed 11:trace-malformed 12:trace-malformed", TRACE_OK},
    {"ids",
	TWO "200\tB\t1,0\t-\n200\tB\t1-0\t-\n200\tB\t0,0\t-\n200\tB\t0,\t-\n"
	    "200\tB\t\t-\n200\tB\t-1\t-\n200\tB\t0-\t-\n200\tB\t4294967295\t-\n"
	    "200\tC\t0-1\tcc\n200\tB\t0,1\t-\n",
	TWO_EVENTS " 200 B0 200 B1",
	"10:trace-malformed 11:trace-malformed 12:trace-malformed "
	"13:trace-malformed 14:trace-malformed 15:trace-malformed "
	"16:trace-malformed 17:trace-malformed 18:trace-malformed",
	TRACE_OK},
    {"values",
	TWO "200\tC\t0\txy\n200\tC\t0\t\n200\tC\t0\t11112222333344445\n"
	    "200\tR\t0\tx\n200\tP\t0\tx\n200\tC\t0\t1111222233334444\n",
	TWO_EVENTS " 200 C0=1111222233334444",
	"10:trace-malformed 11:trace-malformed 12:trace-malformed "
	"13:trace-malformed 14:trace-malformed",
	TRACE_OK},
    {"cut", TWO "200\tC\t0\tcc\n300\tC\t0\td", TWO_EVENTS " 200 C0=cc",
	"11:trace-malformed", TRACE_OK},

    {"back in time", TWO "200\tC\t0\tcc\n199\tC\t1\tdd\n200\tC\t1\tdd\n",
	TWO_EVENTS " 200 C0=cc 200 C1=dd", "11:trace-out-of-order", TRACE_OK},
    {"from the future", TWO "2086401\tC\t0\tcc\n2086400\tC\t0\tdd\n",
	TWO_EVENTS " 2086400 C0=dd", "10:trace-future", TRACE_OK},

    {"no such URL", TWO "200\tC\t2\tcc\n200\tB\t1-2\t-\n200\tC\t0\tcc\n",
	TWO_EVENTS " 200 C0=cc", "10:trace-inconsistent 11:trace-inconsistent",
	TRACE_OK},
    {"no such document", TWO "200\tP\t1\t2\n200\tR\t0\t1\n200\tC\t0\tcc\n",
	TWO_EVENTS " 200 C0=cc", "10:trace-inconsistent 11:trace-inconsistent",
	TRACE_OK},
    {"named twice", TWO "200\tU\t1\tz\n200\tD\t0\tz\n200\tC\t0\tcc\n",
	TWO_EVENTS " 200 C0=cc", "10:trace-inconsistent 11:trace-inconsistent",
	TRACE_OK},
    {"a name is missing", TWO "200\tU\t3\tz\n200\tA\t3\t0\n200\tA\t2\t0\n",
	TWO_EVENTS " 200 A2", "10:trace-inconsistent 12:trace-inconsistent",
	TRACE_OK},
    {"far too many names are", TWO "200\tU\t9999\tz\n200\tC\t0\tcc\n",
	TWO_EVENTS " 200 C0=cc", "10:trace-inconsistent", TRACE_OK},
    {"there already",
	TWO "200\tN\t0\taa\n200\tN\t1\tcc\n200\tA\t0\t0\n200\tC\t0\taa\n",
	TWO_EVENTS " 200 C1=cc",
	"10:trace-inconsistent 11:trace-inconsistent 12:trace-inconsistent "
	"13:trace-inconsistent",
	TRACE_OK},
    {"not there",
	TWO "200\tX\t0\t-\n200\tX\t0\t-\n200\tB\t0-1\t-\n200\tC\t0\tcc\n"
	    "200\tR\t1\t0\n200\tR\t1\t0\n200\tL\t0-1\t-\n200\tP\t0\t1\n",
	TWO_EVENTS " 200 X0 200 B1 200 N0=cc 200 R1 200 L0=- 200 P0",
	"11:trace-inconsistent 12:trace-inconsistent 13:trace-inconsistent "
	"15:trace-inconsistent 16:trace-inconsistent",
	TRACE_OK},
    {"never published", TWO "200\tL\t0\t-\n", TWO_EVENTS " 200 L0=-",
	"11:trace-inconsistent", TRACE_OK},
};

static void
test_rows(void **state)
{
	static const size_t pieces[] = {1, 7, 1 << 20};
	struct trace_limits limits = trace_limits_default();
	struct buf out;

	buf_init(&out, 1 << 16);
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t j = 0; j < COUNT(pieces); j++) {
			struct heard heard;

			hear(&heard, cases[i].text, pieces[j], &limits);
			if (strcmp(buf_str(&heard.said), cases[i].said) != 0 ||
			    heard.end != cases[i].end ||
			    strcmp(events_of(&heard.history, &out),
				cases[i].events) != 0)
				fail_msg("%s: said '%s', events '%s'",
				    cases[i].name, buf_str(&heard.said),
				    buf_str(&out));
			heard_release(&heard);
		}
	buf_release(&out);
}

/* What a history says beside its events. */
static void
test_frame(void **state)
{
	struct trace_limits limits = trace_limits_default();
	struct heard heard;

	hear(&heard,
	    TWO "200\tD\t1\thttps://b.example/t.xml\n200\tU\t2\t/c\n"
		"200\tA\t2\t1\n",
	    1 << 20, &limits);
	assert_int_equal(heard.end, TRACE_OK);
	assert_int_equal(heard.history.begin_s, 100);
	assert_int_equal(heard.history.end_s, 200);
	assert_false(heard.history.starts_known);
	assert_int_equal(heard.history.site_count, 2);
	assert_string_equal(heard.history.sites[0].name, "a");
	assert_string_equal(heard.history.sites[1].name, "b.example");
	assert_int_equal(heard.history.documents[1].site, 1);
	assert_int_equal(heard.history.page_count, 3);
	assert_int_equal(heard.history.pages[1].document, 0);
	assert_int_equal(heard.history.pages[2].document, 1);
	assert_true(heard.history.pages[2].changes_per_day < 0);
	assert_true(
	    history_dates(&heard.history.documents[0], 150)->recall < 0);
	heard_release(&heard);
}

static const struct {
	const char *name;
	const char *url;
	const char *sections; /* from the host's on */
} folders[] = {
    {"page", "https://a.example/b/c/d.html", "1 2 3"},
    {"its neighbour", "https://a.example/b/c/e", "1 2 3"},
    {"a folder", "https://a.example/b/c/", "1 2"},
    {"the first page", "https://a.example/", "1"},
    {"no path", "https://a.example", ""},
    {"a query", "https://a.example/b/x?u=/v/w", "1 2"},
    {"another host", "http://b.example/b/c", "4 5"},
    {"relative", "/b/c", "6 7"},
    {"no URL", "None", ""},
    {"deep", "/1/2/3/4/5/6/7/8/9/10/11", "6 8 9 10 11 12 13 14 15"},
    {"a release", "https://a.example/b/2.17.0/x", "1 2 16"},
    {"another", "https://a.example/b/2.9.11/y/", "1 2 16"},
    {"a year", "https://a.example/2024/10/x", "1 17 18"},
    {"empty folders", "//x/y", "6 19 20"},
};

/* Each folder has one number, and the number of the folder above it. */
static void
test_sections(void **state)
{
	struct trace_sections sections = {0};
	struct history history;
	struct buf out;

	history_init(&history);
	buf_init(&out, 1 << 10);
	for (size_t i = 0; i < 2 * COUNT(folders); i++) {
		size_t which = i % COUNT(folders);
		uint32_t chain[16];
		uint32_t n = trace_section(
		    &sections, &history, slice_of(folders[which].url));
		size_t count = 0;

		for (; n != 0; n = history.sections[n - 1])
			chain[count++] = n;
		buf_clear(&out);
		while (count-- > 0)
			(void)buf_print(
			    &out, "%s%u", out.len > 0 ? " " : "", chain[count]);
		if (strcmp(buf_str(&out), folders[which].sections) != 0)
			fail_msg(
			    "%s: got '%s'", folders[which].name, buf_str(&out));
	}
	assert_int_equal(history.section_count, 20);
	trace_sections_release(&sections);
	buf_release(&out);
	history_release(&history);
}

struct limit_case {
	const char *name;
	struct trace_limits limits;
	const char *said;
	enum trace_fault end;
};

/* SPEC of HOSTILE T18: each limit, and one less than what is read. */
static void
test_limits(void **state)
{
	static const char text[] = TWO "200\tC\t1\tcc\n";
	static const struct limit_case limited[] = {
	    {"enough", {2, 1, 7, 30}, "", TRACE_OK},
	    {"URLs", {1, 1, 7, 30}, "4:trace-too-large", TRACE_TOO_LARGE},
	    {"documents", {2, 0, 7, 30}, "2:trace-too-large", TRACE_TOO_LARGE},
	    {"events", {2, 1, 6, 30}, "10:trace-too-large", TRACE_TOO_LARGE},
	    /* the names of the document and of a URL */
	    {"line", {2, 1, 7, 17},
		"2:trace-malformed 3:trace-malformed "
		"4:trace-malformed 5:trace-inconsistent "
		"6:trace-inconsistent 7:trace-inconsistent "
		"8:trace-malformed 9:trace-inconsistent "
		"10:trace-inconsistent 11:trace-empty",
		TRACE_EMPTY},
	};

	for (size_t i = 0; i < COUNT(limited); i++)
		for (size_t piece = 1; piece < 40; piece += 13) {
			struct heard heard;

			hear(&heard, text, piece, &limited[i].limits);
			if (strcmp(buf_str(&heard.said), limited[i].said) !=
				0 ||
			    heard.end != limited[i].end)
				fail_msg("%s: said '%s'", limited[i].name,
				    buf_str(&heard.said));
			heard_release(&heard);
		}
}

/* A limit ends the reading: no more bytes are wanted, and no more findings
 * come. */
static void
test_stop(void **state)
{
	struct heard heard;
	struct trace_options options = {.limits = trace_limits_default(),
	    .now_s = NOW_S,
	    .say = say,
	    .arg = &heard};
	struct trace *trace;

	buf_init(&heard.said, 1 << 16);
	history_init(&heard.history);
	trace = trace_new(&heard.history, &options);
	assert_false(trace_feed(trace, slice_of("x\ny\n")));
	assert_false(trace_feed(trace, slice_of(HEAD "x\n")));
	assert_int_equal(trace_finish(trace), TRACE_UNSUPPORTED);
	assert_string_equal(buf_str(&heard.said), "1:trace-unsupported");
	trace_free(trace);
	trace_free(NULL);
	heard_release(&heard);
	/* findings are not reported */
	options.say = NULL;
	history_init(&heard.history);
	trace = trace_new(&heard.history, &options);
	assert_true(trace_feed(trace, slice_of(TWO "x\n200\tC\t0\tcc\n")));
	assert_int_equal(trace_finish(trace), TRACE_OK);
	trace_free(trace);
	history_release(&heard.history);
}

UNIT_TESTS(trace, cmocka_unit_test(test_rows), cmocka_unit_test(test_frame),
    cmocka_unit_test(test_sections), cmocka_unit_test(test_limits),
    cmocka_unit_test(test_stop));
