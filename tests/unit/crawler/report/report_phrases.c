/* What the formats of a report share. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/cli/out.h"
#include "crawler/report/report_phrases.h"

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
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct date date = {.epoch_s = rows[i].epoch_s,
		    .precision = (uint8_t)rows[i].precision,
		    .zone = ZONE_EXPLICIT};

		report_put_age(out, &date, NOW_S);
		assert_row("age", out, rows[i].text);
	}
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
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct date date;

		assert_true(date_parse(&date, slice_of(rows[i].written),
				&profile, (struct diag_sink){0}) == DIAG_OK);
		report_put_age(out, &date, NOW_S);
		assert_row("age", out, rows[i].text);
	}
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

	for (size_t i = 0; i < COUNT(rows); i++) {
		documents[1].url = rows[i].url;
		if (!slice_is(
			report_origin(slice_of(rows[i].url)), rows[i].origin) ||
		    !slice_is(report_path(home, &documents[1]), rows[i].path))
			fail_msg("%s", rows[i].url);
	}
}

/* A number that no document has leads to no index. */
static void
orphans_are_nowhere(void **state)
{
	struct report_document document = {
	    .url = "x", .kind = KIND_URLSET, .parent = 7};
	struct report report = {.documents = &document, .document_count = 1};

	assert_true(report_is_under(&report, 0, UINT32_MAX));
	assert_true(report_is_under(&report, 0, 7));
	assert_false(report_is_under(&report, 0, 0));
	document.kind = KIND_ROBOTS;
	assert_false(report_is_under(&report, 0, UINT32_MAX));
	assert_true(report_is_under(&report, 0, REPORT_ALL));
}

/* assert_shown(report, head, max, wanted): a digit for each document that is
 * shown, and what is said of the others. */
static void
assert_shown(const struct report *report, uint32_t head, uint64_t max,
    const char *wanted)
{
	struct report_list list = {report, 0, report->document_count, head};
	struct report_rows rows;
	struct buf out;

	buf_init(&out, 256);
	report_rows_init(&rows, &list, max);
	for (size_t i = 0; i < rows.count; i++)
		(void)buf_print(&out, "%u", rows.items[i]);
	if (rows.hidden > 0) {
		(void)buf_print(&out, ", ");
		report_put_hidden(&out, &rows, "");
	}
	assert_row("documents", &out, wanted);
	free(rows.items);
	buf_release(&out);
}

/* The worst first, whatever their names; of what is hidden, how bad it is. */
static void
long_lists_show_trouble(void **state)
{
	struct report_document documents[8] = {{.url = "0"},
	    {.url = "1", .infos = 9}, {.url = "2", .status = REPORT_HAS_ERRORS},
	    {.url = "3", .status = REPORT_NOT_FETCHED},
	    {.url = "4", .warnings = 1},
	    {.url = "5", .status = REPORT_NOT_FETCHED},
	    {.url = "6", .errors = 1}, {.url = "7"}};
	struct report report = {.documents = documents, .document_count = 8};
	static const struct {
		uint64_t max;
		const char *shown;
	} rows[] = {
	    {9, "26354107"},
	    {8, "26354107"},
	    {7, "2635410, 1 more"},
	    {4, "2635, 4 more"},
	    {3, "263, 5 more (1 could not be fetched)"},
	    {1, "2, 7 more (1 has errors, 2 could not be fetched)"},
	    {0, ", 8 more (2 have errors, 2 could not be fetched)"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t k = 0; k < COUNT(documents); k++)
			documents[k].parent = UINT32_MAX;
		assert_shown(&report, UINT32_MAX, rows[i].max, rows[i].shown);
		assert_shown(&report, REPORT_ALL, rows[i].max, rows[i].shown);
		for (size_t k = 0; k < COUNT(documents); k++)
			documents[k].parent = 3;
		assert_shown(&report, 3, rows[i].max, rows[i].shown);
	}
}

/* Each below its index, and robots.txt, indexes and origins where they were. */
static void
whole_lists_keep_families(void **state)
{
	struct report_document documents[] = {
	    {.url = "http://a/robots.txt", .kind = KIND_ROBOTS},
	    {.url = "http://a/1", .kind = KIND_INDEX},
	    {.url = "http://a/2", .kind = KIND_INDEX, .parent = 1},
	    {.url = "http://a/3", .parent = 2},
	    {.url = "http://a/4", .parent = 2, .errors = 1},
	    {.url = "http://a/5", .parent = 1, .errors = 1},
	    {.url = "http://a/6"}, {.url = "http://a/7", .errors = 1},
	    {.url = "http://b/8"}, {.url = "http://b/9", .errors = 1}};
	static const uint32_t parents[] = {UINT32_MAX, UINT32_MAX, 1, 2, 2, 1,
	    UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
	struct report report = {
	    .documents = documents, .document_count = COUNT(documents)};

	for (size_t i = 0; i < COUNT(documents); i++)
		documents[i].parent = parents[i];
	assert_shown(&report, REPORT_ALL, 10, "0152437698");
	/* what is above others goes before what is well, not before errors */
	assert_shown(&report, REPORT_ALL, 7, "0152479, 3 more");
	assert_shown(&report, REPORT_ALL, 3, "547, 7 more (1 has errors)");
	/* indexes that list each other */
	documents[1].parent = 2;
	documents[2].parent = 1;
	assert_shown(&report, REPORT_ALL, 10, "0152437698");
}

/* Pages with errors before those with warnings, before the others. */
static void
pages_show_trouble(void **state)
{
	struct report_page pages[4] = {{.url = "0"},
	    {.url = "1", .code_count = 1, .severity = SEVERITY_WARNING},
	    {.url = "2", .code_count = 1, .severity = SEVERITY_ERROR},
	    {.url = "3", .code_count = 1, .severity = SEVERITY_WARNING}};
	struct report report = {.pages = pages, .page_count = 4};
	struct report_table table;
	struct buf *out = *state;

	assert_true(report_table_init(&table, &report, false, 2));
	for (size_t i = 0; i < table.rows.count; i++)
		(void)buf_print(out, "%u", table.rows.items[i]);
	(void)buf_print(out, ", ");
	report_put_hidden(out, &table.rows, "");
	assert_string_equal(buf_str(out), "21, 2 more (1 has something wrong)");
	free(table.rows.items);
}

/* The place of a finding: a text that fits stands behind it; else below it, of
 * words of forty characters on four lines the first three. */
static void
long_texts_are_wrapped(void **state)
{
#define WORD "abcdefghijklmnopqrstuvwxyz0123456789ABCD"
	static const struct {
		const char *seen, *lines;
	} rows[] = {
	    {"a  b", "      s.xml line 7: a  b\n"},
	    {WORD " " WORD " " WORD " " WORD,
		"      s.xml line 7:\n"
		"        " WORD "\n"
		"        " WORD "\n"
		"        " WORD "...\n"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct out out = {.columns = 80};
		struct report_document document = {
		    .url = "s.xml", .parent = UINT32_MAX, .lastmod_shape = ""};
		struct report_finding group = {.code = DIAG_INVALID_DATE,
		    .severity = SEVERITY_WARNING,
		    .count = 1,
		    .sample_count = 1,
		    .samples = {{.line = 7, .seen = rows[i].seen}}};
		struct report report = {.documents = &document,
		    .document_count = 1,
		    .groups = &group,
		    .group_count = 1};

		buf_init(&out.text, 4096);
		report_text(&report, &out);
		if (strstr(buf_str(&out.text), rows[i].lines) == NULL)
			fail_msg("%s", buf_str(&out.text));
		buf_release(&out.text);
	}
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
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		report_put_verdict(out, &rows[i].report);
		assert_row("verdict", out, rows[i].text);
	}
}

static void
remedies(void **state)
{
	static const struct {
		const char *url;
		uint64_t count;
		const char *text;
	} rows[] = {
	    {"http://a.example/s.xml", 10,
		"you asked for http, the site says https: check "
		"https://a.example"},
	    {"http://a.example/s.xml", 9,
		"you asked for http, the site says https: check "
		"https://a.example"},
	    {"http://a.example/s.xml", 8, NULL},
	    {"https://a.example/s.xml", 10, NULL},
	};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct report_document documents[1] = {{.url = rows[i].url}};
		struct report report = {.documents = documents,
		    .document_count = 1,
		    .urls = 10 - rows[i].count,
		    .refused = rows[i].count};
		struct report_finding finding = {.code = DIAG_SCHEME_MISMATCH,
		    .count = rows[i].count,
		    .sample_count = 1};

		(void)buf_print(
		    out, "%s", report_remedy(&report, &finding).text);
		assert_row(rows[i].url, out,
		    rows[i].text != NULL
			? rows[i].text
			: diag_info(DIAG_SCHEME_MISMATCH)->remedy);
	}
}

static void
asides(void **state)
{
	struct report_finding groups[] = {
	    {DIAG_URL_HAS_FRAGMENT, SEVERITY_WARNING, .count = 1},
	    {DIAG_DIRECTORY_WAIVED, SEVERITY_INFO, .count = 35},
	    {DIAG_ACCEPTED_BY_OWNERSHIP, SEVERITY_INFO, .count = 1},
	};
	struct report report = {.groups = groups, .group_count = 3};
	struct buf *out = *state;

	assert_true(report_put_asides(out, &report));
	assert_string_equal(buf_str(out),
	    "nothing to do: directory-waived, 35 times; "
	    "accepted-by-ownership, 1 time");
	assert_true(report_has_faults(&report));
	report.groups++;
	report.group_count--;
	assert_false(report_has_faults(&report));
	report.fail_on = SEVERITY_INFO;
	assert_true(report_has_faults(&report));
	buf_clear(out);
	assert_false(report_put_asides(out, &report));
	/* the owner may want them as warnings: --severity */
	report.fail_on = SEVERITY_ERROR;
	groups[1].severity = SEVERITY_WARNING;
	assert_true(report_has_faults(&report));
}

UNIT(report_phrases)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(percents),
	    text_test(ages),
	    text_test(days_of_zones),
	    cmocka_unit_test(origins_and_paths),
	    cmocka_unit_test(orphans_are_nowhere),
	    cmocka_unit_test(long_lists_show_trouble),
	    cmocka_unit_test(whole_lists_keep_families),
	    text_test(pages_show_trouble),
	    text_test(long_texts_are_wrapped),
	    text_test(verdicts),
	    text_test(remedies),
	    text_test(asides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
