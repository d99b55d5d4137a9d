/* Rows for other programs: RFC 4180, HOSTILE T24 and O3. */
#include "tests/fixtures/fixture.h"

#include <string.h>
#include <unistd.h>

#include "crawler/inspect/export_format.h"

static struct export_row
entry_row(const char *loc, const char *document)
{
	return (struct export_row){.loc = slice_of(loc),
	    .document = slice_of(document),
	    .lastmod = {.epoch_s = 1717582272, .precision = DATE_SECOND},
	    .first_seen_s = 1700000000};
}

/* written(out, format, list, rows, count): all of a file. */
static const char *
written(struct buf *out, enum export_format format, const char *list,
    const struct export_row *rows, size_t count)
{
	struct export_writer writer;

	buf_clear(out);
	assert_true(export_writer_init(&writer, format,
	    count > 0 && rows[0].kind != NULL ? EXPORT_CHANGES : EXPORT_ENTRIES,
	    list));
	export_begin(&writer, out);
	for (size_t i = 0; i < count; i++)
		export_put(&writer, out, &rows[i]);
	export_end(&writer, out);
	return buf_str(out);
}

static void
formats_of_entries(void **state)
{
	struct export_row rows[] = {
	    entry_row("https://a.example/x?a=1&b='2',3", "https://a.example/s"),
	    entry_row("https://a.example/y\"", "https://a.example/s"),
	};
	struct buf *out = *state;

	rows[1].lastmod = (struct date){0};
	rows[1].redated_s = 1700000001;
	rows[1].is_removed = true;
	assert_string_equal(written(out, EXPORT_CSV, NULL, rows, 2),
	    "loc,lastmod,precision,document,first_seen,redated,state,refused\n"
	    "\"https://a.example/x?a=1&b='2',3\",2024-06-05T10:11:12Z,second,"
	    "https://a.example/s,2023-11-14T22:13:20Z,,listed,\n"
	    "\"https://a.example/y\"\"\",,,https://a.example/s,"
	    "2023-11-14T22:13:20Z,2023-11-14T22:13:21Z,removed,\n");
	assert_string_equal(written(out, EXPORT_TSV, "state,loc", rows, 1),
	    "state\tloc\nlisted\thttps://a.example/x?a=1&b='2',3\n");
	assert_string_equal(written(out, EXPORT_JSONL, NULL, rows + 1, 1),
	    "{\"v\":1,\"loc\":\"https://a.example/y\\\"\",\"lastmod\":null,"
	    "\"precision\":null,\"document\":\"https://a.example/s\","
	    "\"first_seen\":\"2023-11-14T22:13:20Z\","
	    "\"redated\":\"2023-11-14T22:13:21Z\",\"state\":\"removed\","
	    "\"refused\":null}\n");
	assert_string_equal(written(out, EXPORT_URLS, NULL, rows, 2),
	    "https://a.example/x?a=1&b='2',3\nhttps://a.example/y\"\n");
	assert_string_equal(written(out, EXPORT_SITEMAP, NULL, rows, 2),
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
	    "<url><loc>https://a.example/x?a=1&amp;b=&apos;2&apos;,3</loc>"
	    "<lastmod>2024-06-05T10:11:12Z</lastmod></url>\n"
	    "<url><loc>https://a.example/y&quot;</loc></url>\n"
	    "</urlset>\n");
	assert_string_equal(
	    written(out, EXPORT_CSV, "refused,loc", rows + 1, 1),
	    "refused,loc\n,\"https://a.example/y\"\"\"\n");
	rows[1].verdict = VERDICT_HOST;
	assert_string_equal(written(out, EXPORT_CSV, NULL, rows + 1, 1),
	    "loc,lastmod,precision,document,first_seen,redated,state,refused\n"
	    "\"https://a.example/y\"\"\",,,https://a.example/s,"
	    "2023-11-14T22:13:20Z,2023-11-14T22:13:21Z,removed,"
	    "host-mismatch\n");
	rows[1].verdict = VERDICTS;
	assert_string_equal(written(out, EXPORT_CSV, "refused", rows + 1, 1),
	    "refused\nrefused\n");
	assert_string_equal(written(out, EXPORT_CSV, "loc", rows, 0), "loc\n");
	assert_string_equal(written(out, EXPORT_JSONL, NULL, rows, 0), "");
}

static void
formats_of_changes(void **state)
{
	struct export_row row = {.loc = slice_of("https://a.example/x"),
	    .document = slice_of("https://a.example/s"),
	    .reading = 812,
	    .at_s = 1700000000,
	    .kind = "redated",
	    .before = {.epoch_s = 1717545600, .precision = DATE_DAY},
	    .after = {.epoch_s = 1717582272,
		.nanos = 500000000,
		.precision = DATE_FRACTION}};
	struct buf *out = *state;

	assert_string_equal(written(out, EXPORT_CSV, NULL, &row, 1),
	    "document,reading,at,kind,loc,before,after,refused,from\n"
	    "https://a.example/s,812,2023-11-14T22:13:20Z,redated,"
	    "https://a.example/x,2024-06-05,2024-06-05T10:11:12.5Z,,\n");
	row.before = (struct date){0};
	row.verdict = VERDICT_DIRECTORY;
	assert_string_equal(written(out, EXPORT_JSONL, "kind,refused", &row, 1),
	    "{\"v\":1,\"kind\":\"redated\","
	    "\"refused\":\"outside-directory\"}\n");
	assert_string_equal(
	    written(out, EXPORT_JSONL, "before,after,reading", &row, 1),
	    "{\"v\":1,\"before\":null,\"after\":\"2024-06-05T10:11:12.5Z\","
	    "\"reading\":812}\n");
}

/* The text of the last date is used again: only for the same date. */
static void
dates_are_told_apart(void **state)
{
	static const struct date dates[] = {
	    {.epoch_s = 1717545600, .precision = DATE_DAY},
	    {.epoch_s = 1717545600, .precision = DATE_DAY},
	    {.epoch_s = 1717545600, .precision = DATE_SECOND},
	    {.epoch_s = 1717545600, .nanos = 1, .precision = DATE_FRACTION},
	    {.epoch_s = 1717545600, .nanos = 2, .precision = DATE_FRACTION},
	    {.precision = DATE_NONE},
	    {.epoch_s = 1704067200, .precision = DATE_MONTH},
	    {.epoch_s = 1704067200, .precision = DATE_YEAR},
	};
	struct export_row rows[COUNT(dates)];
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(dates); i++) {
		rows[i] = entry_row("u", "d");
		rows[i].lastmod = dates[i];
	}
	assert_string_equal(
	    written(out, EXPORT_CSV, "lastmod,precision", rows, COUNT(rows)),
	    "lastmod,precision\n2024-06-05,day\n2024-06-05,day\n"
	    "2024-06-05T00:00:00Z,second\n"
	    "2024-06-05T00:00:00.000000001Z,fraction\n"
	    "2024-06-05T00:00:00.000000002Z,fraction\n,\n"
	    "2024-01,month\n2024,year\n");
}

/* HOSTILE T24, O3: a field that a spreadsheet would run. */
static void
formulas_do_not_run(void **state)
{
	static const char *const texts[] = {
	    "=1+1", "+1", "-1", "@x", "\tx", "\rx"};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct export_row row = entry_row(texts[i], "d");
		const char *line = written(out, EXPORT_CSV, "loc", &row, 1);

		line += strlen("loc\n");
		if (line[0] != '"' || line[1] != '\'' ||
		    strncmp(line + 2, texts[i], strlen(texts[i])) != 0)
			fail_msg("%s: %s", texts[i], line);
		line = written(out, EXPORT_TSV, "document,loc", &row, 1);
		assert_non_null(strstr(line, "d\t\"'"));
	}
}

static void
columns_are_checked(void **state)
{
	static const struct {
		const char *list;
		enum export_rows of;
		bool is_good;
	} rows[] = {
	    {"loc", EXPORT_ENTRIES, true},
	    {" loc , lastmod ", EXPORT_ENTRIES, true},
	    {"kind,loc", EXPORT_CHANGES, true},
	    {"kind", EXPORT_ENTRIES, false},
	    {"lastmod", EXPORT_CHANGES, false},
	    {"loc,loc", EXPORT_ENTRIES, false},
	    {"loc,", EXPORT_ENTRIES, false},
	    {"", EXPORT_ENTRIES, false},
	    {"Loc", EXPORT_ENTRIES, false},
	};
	struct export_writer writer;
	int saved = dup(STDERR_FILENO);

	(void)close(STDERR_FILENO); /* the complaints are not looked at */
	for (size_t i = 0; i < COUNT(rows); i++)
		if (export_writer_init(&writer, EXPORT_CSV, rows[i].of,
			rows[i].list) != rows[i].is_good)
			fail_msg("'%s'", rows[i].list);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	(void)close(saved);
}

UNIT(export_format)
{
	const struct CMUnitTest tests[] = {
	    text_test(formats_of_entries),
	    text_test(formats_of_changes),
	    text_test(dates_are_told_apart),
	    text_test(formulas_do_not_run),
	    cmocka_unit_test(columns_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
