/* What the formats of a report share. */
#include "tests/unit/fixture.h"

#include <string.h>

#include "crawler/report_parts.h"
#include "crawler/report_rows.h"
#include "crawler/report_text_parts.h"

#define NOW_S 1795219200 /* 2026-11-21T00:00:00Z */
#define DAY_S 86400

static void
percents(void **state)
{
	static const struct {
		uint64_t part, whole;
		unsigned percent;
	} rows[] = {
	    {0, 0, 0},
	    {0, 5, 0},
	    {5, 5, 100},
	    {6, 5, 100},
	    {1, 50000, 1},
	    {49999, 50000, 99},
	    {1, 2, 50},
	    {2, 3, 67},
	    {UINT64_MAX - 1, UINT64_MAX, 99},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (report_percent(rows[i].part, rows[i].whole) !=
		    rows[i].percent)
			fail_msg("row %zu: %u", i,
			    report_percent(rows[i].part, rows[i].whole));
}

static void
ages(void **state)
{
	static const struct {
		int64_t epoch_s;
		enum date_precision precision;
		const char *text;
	} rows[] = {
	    {0, DATE_NONE, "-"},
	    {NOW_S, DATE_SECOND, "now"},
	    {NOW_S - 59, DATE_SECOND, "now"},
	    {NOW_S - 60, DATE_SECOND, "1 min ago"},
	    {NOW_S - 3599, DATE_MINUTE, "59 min ago"},
	    {NOW_S - 3600, DATE_FRACTION, "1 h ago"},
	    {NOW_S - 2 * DAY_S + 1, DATE_SECOND, "47 h ago"},
	    {NOW_S - 2 * DAY_S, DATE_SECOND, "2 d ago"},
	    {NOW_S - 60 * DAY_S + 1, DATE_SECOND, "59 d ago"},
	    {NOW_S - 60 * DAY_S - 1, DATE_SECOND, "2026-09-21 UTC"},
	    {NOW_S - 100 * DAY_S, DATE_DAY, "2026-08-13"},
	    {NOW_S + 7200, DATE_SECOND, "in 2 h"},
	    {NOW_S + 400 * DAY_S + 5, DATE_SECOND, "2027-12-26 UTC"},
	    {NOW_S, DATE_DAY, "today"},
	    {NOW_S - DAY_S, DATE_DAY, "1 d ago"},
	    {NOW_S + DAY_S, DATE_DAY, "in 1 d"},
	    {1793491200, DATE_MONTH, "2026-11"},
	    {1767225600, DATE_YEAR, "2026"},
	    {-5 * DAY_S - 1, DATE_SECOND, "1969-12-26 UTC"},
	};
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct date date = {.epoch_s = rows[i].epoch_s,
		    .precision = (uint8_t)rows[i].precision,
		    .zone = ZONE_EXPLICIT};

		buf_clear(&out);
		report_put_age(&out, &date, NOW_S);
		if (strcmp(buf_str(&out), rows[i].text) != 0)
			fail_msg("'%s', not '%s'", buf_str(&out), rows[i].text);
	}
	buf_release(&out);
}

/* A day that the site may have written otherwise is said to be one of UTC. */
static void
days_of_zones(void **state)
{
	static const struct {
		const char *written, *text;
	} rows[] = {
	    {"2025-11-21T23:30:00-05:00", "2025-11-22 UTC"},
	    {"2025-11-21T23:30Z", "2025-11-21 UTC"},
	    {"2025-11-21T23:30:00.5", "2025-11-21"},
	    {"2025-11-21", "2025-11-21"},
	    {"2025-11-21Z", "2025-11-21"},
	    {"2025-11-21+02:00", "2025-11-20 UTC"},
	};
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct date date;

		assert_true(date_parse(&date, slice_of(rows[i].written),
				&profile, (struct diag_sink){0}) == DIAG_OK);
		buf_clear(&out);
		report_put_age(&out, &date, NOW_S);
		if (strcmp(buf_str(&out), rows[i].text) != 0)
			fail_msg("'%s', not '%s'", buf_str(&out), rows[i].text);
	}
	buf_release(&out);
}

static void
origins_and_paths(void **state)
{
	static const struct {
		const char *url, *origin, *path;
	} rows[] = {
	    {"https://a.example/x?y#z", "https://a.example", "/x?y#z"},
	    {"https://a.example", "https://a.example", "https://a.example"},
	    {"https://a.example?q", "https://a.example", "?q"},
	    {"https://b.example/x", "https://b.example", "https://b.example/x"},
	    {"http://a.example/x", "http://a.example", "http://a.example/x"},
	    {"https://a.example:8/", "https://a.example:8",
		"https://a.example:8/"},
	    {"javascript:alert(1)", "", "javascript:alert(1)"},
	    {"HTTPS://a.example/", "", "HTTPS://a.example/"},
	    {"public/https://a.example/", "", "public/https://a.example/"},
	    {"", "", ""},
	};
	struct slice home = slice_of("https://a.example");
	struct report_document documents[2] = {{.url = "https://a.example/"}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		documents[1].url = rows[i].url;
		if (!slice_is(
			report_origin(slice_of(rows[i].url)), rows[i].origin) ||
		    !slice_is(report_path(home, &documents[1]), rows[i].path))
			fail_msg("%s", rows[i].url);
	}
}

/* Numbers that point nowhere are those of no document. */
static void
strays_are_nowhere(void **state)
{
	struct report_document documents[1] = {
	    {.url = "x", .kind = KIND_URLSET, .parent = 7}};
	struct report report = {.documents = documents, .document_count = 1};
	struct report_sample sample = {.document = 1};

	(void)state;
	assert_null(report_sample_document(&report, &sample));
	sample.document = 0;
	assert_ptr_equal(report_sample_document(&report, &sample), documents);
	assert_true(report_is_under(&report, 0, UINT32_MAX));
	assert_true(report_is_under(&report, 0, 7));
	assert_false(report_is_under(&report, 0, 0));
	documents[0].kind = KIND_ROBOTS;
	assert_false(report_is_under(&report, 0, UINT32_MAX));
	assert_true(report_is_under(&report, 0, REPORT_ALL));
}

/* taken(report, max, *hidden): a digit for each document that is shown. */
static const char *
taken(const struct report *report, uint64_t max, uint64_t *hidden,
    struct buf *out)
{
	struct report_list list = {
	    report, 0, report->document_count, REPORT_ALL};
	struct report_rows rows;

	buf_clear(out);
	report_rows_init(&rows, &list, max);
	for (size_t i = 0; i < report->document_count; i++)
		if (report_rows_take(&rows, &report->documents[i]))
			(void)buf_print(out, "%zu", i);
	*hidden = rows.hidden;
	return buf_str(out);
}

/* Trouble first, then the others, each in their order. */
static void
long_lists_show_trouble(void **state)
{
	struct report_document documents[6] = {{.url = "0"}, {.url = "1"},
	    {.url = "2", .status = REPORT_HAS_ERRORS}, {.url = "3"},
	    {.url = "4", .warnings = 1},
	    {.url = "5", .status = REPORT_NOT_FETCHED}};
	struct report report = {.documents = documents, .document_count = 6};
	static const struct {
		uint64_t max, hidden;
		const char *shown;
	} rows[] = {
	    {9, 0, "012345"},
	    {6, 0, "012345"},
	    {5, 1, "01245"},
	    {4, 2, "0245"},
	    {3, 3, "245"},
	    {2, 4, "24"},
	    {0, 6, ""},
	};
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t hidden;

		assert_string_equal(
		    taken(&report, rows[i].max, &hidden, &out), rows[i].shown);
		assert_int_equal(hidden, rows[i].hidden);
	}
	buf_release(&out);
}

/* A shape that a code names needs no second word. */
static void
shapes(void **state)
{
	static const struct {
		const char *shape;
		enum diag_code code;
		const char *words;
	} rows[] = {
	    {NULL, DIAG_LASTMOD_FUTURE, ""},
	    {"", DIAG_LASTMOD_FUTURE, ""},
	    {"absent", DIAG_EMPTY_FILE, ""},
	    {"uniform", DIAG_LASTMOD_UNIFORM, ""},
	    {"uniform", DIAG_LASTMOD_FUTURE,
		"lastmod uniform: nearly all are equal"},
	    {"always now", DIAG_LASTMOD_UNIFORM,
		"lastmod now: nearly all are within an hour of this reading"},
	    {"frozen", DIAG_EMPTY_FILE,
		"lastmod frozen: nine of ten are of one day"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct report_finding finding = {.code = rows[i].code};
		struct report_document document = {.findings = &finding,
		    .finding_count = 1,
		    .lastmod_shape = rows[i].shape};

		assert_string_equal(report_shape(&document), rows[i].words);
	}
}

/* Forty characters, and four lines of them: the fourth is not shown. */
static void
long_texts_are_wrapped(void **state)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCD";
	struct out out = {0};
	struct text text = {.out = &out};
	struct buf in;

	(void)state;
	buf_init(&out.text, 4096);
	buf_init(&text.cell, 1024);
	buf_init(&in, 1024);
	text_wrapped(&text, slice_of("a  b"), 8);
	assert_string_equal(buf_str(&out.text), "a  b");
	for (int i = 0; i < 4; i++)
		(void)buf_print(&in, i == 0 ? "%s" : " %s", word);
	buf_clear(&out.text);
	text_wrapped(&text, buf_text(&in), 8);
	assert_string_equal(buf_str(&out.text),
	    "abcdefghijklmnopqrstuvwxyz0123456789ABCD\n"
	    "        abcdefghijklmnopqrstuvwxyz0123456789ABCD\n"
	    "        abcdefghijklmnopqrstuvwxyz0123456789ABCD...");
	buf_release(&in);
	buf_release(&out.text);
	buf_release(&text.cell);
}

static void
verdicts(void **state)
{
	static const struct {
		struct report report;
		const char *text;
	} rows[] = {
	    {{0}, "no sitemap was found"},
	    {{.sitemaps = 1, .success = 1}, "all is well with 1 sitemap"},
	    {{.sitemaps = 1, .has_errors = 1}, "the sitemap needs attention"},
	    {{.sitemaps = 1, .indexes = 1, .not_fetched = 1},
		"the index needs attention"},
	    {{.sitemaps = 1, .indexes = 1, .success = 1, .warnings = 1},
		"no errors in 1 index"},
	    {{.sitemaps = 5, .indexes = 2, .success = 5, .lost = 1},
		"all is well with 3 sitemaps and 2 indexes, 1 target has none"},
	    {{.sitemaps = 5, .indexes = 1, .has_errors = 1, .lost = 2},
		"1 of 5 sitemaps and indexes needs attention, 2 targets have "
		"none"},
	    {{.sitemaps = 2, .success = 2, .warnings = 1},
		"no errors in 2 sitemaps"},
	    {{.sitemaps = 2, .has_errors = 1},
		"1 of 2 sitemaps needs attention"},
	    {{.sitemaps = 1400, .has_errors = 1, .not_fetched = 1},
		"2 of 1,400 sitemaps need attention"},
	};
	struct buf out;

	(void)state;
	buf_init(&out, 256);
	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_clear(&out);
		report_put_verdict(&out, &rows[i].report);
		assert_string_equal(buf_str(&out), rows[i].text);
	}
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(percents),
	    cmocka_unit_test(ages),
	    cmocka_unit_test(days_of_zones),
	    cmocka_unit_test(origins_and_paths),
	    cmocka_unit_test(strays_are_nowhere),
	    cmocka_unit_test(long_lists_show_trouble),
	    cmocka_unit_test(shapes),
	    cmocka_unit_test(long_texts_are_wrapped),
	    cmocka_unit_test(verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
