/* Lines of fetchers: which are results, and what is wrong with the others. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier_lines.h"

#define NOW 1700000000

struct line_case {
	const char *text;
	const char *reason; /* NULL: the line is a result */
};

static const struct line_case cases[] = {
    {"{\"lease\":\"1.1\",\"status\":200}", NULL},
    {" {\"lease\":\"1.1\",\"status\":\"000\"} ", NULL},
    {"{\"lease\":null,\"url\":\"http://a/\",\"status\":0}", NULL},
    {"{\"status\":200,\"more\":[1,{\"a\":true}]}", NULL},
    {"{\"status\":200,\"at\":\"2023-11-14T22:13:20Z\"}", NULL},
    {"{\"status\":200,\"at\":1700000000}", NULL},
    {"{\"status\":200,\"ms\":12.7,\"bytes\":1e3}", NULL},
    {"{\"status\":200,\"seconds\":0.25,\"retry_after\":\"soon\"}", NULL},
    {"", "not-json"},
    {"{", "not-json"},
    {"{\"status\":200", "not-json"},
    {"{\"status\":200} {\"status\":200}", "not-json"},
    {"{\"status\":200} x", "not-json"},
    {"{\"status\":200,\"rest\":\"etag\"} x", "not-json"},
    {"{\"status\":200,\"rest\":\"last_modified\"} {\"x\":\xff\"", NULL},
    {"200", "not-json"},
    {"[{\"status\":200}]", "not-json"},
    {"{\"status\":200,\"status\":200}", "not-json"},
    {"{\"status\":200,\"url\":\"\\u0000\"}", "not-json"},
    {"{\"status\":200,\"url\":\"\xff\"}", "not-json"},
    {"{\"status\":200,\"bytes\":99999999999999999999}", "not-json"},
    {"{\"status\":200,\"bytes\":1e999}", "not-json"},
    {"{\"status\":000}", "not-json"},
    {"{}", "nothing-named"},
    {"{\"lease\":\"1.1\"}", "no-status"},
    {"{\"status\":null}", "nothing-named"},
    {"{\"status\":1000}", "bad-status"},
    {"{\"status\":-1}", "bad-status"},
    {"{\"status\":200.5}", "bad-status"},
    {"{\"status\":\"2e2\"}", "bad-status"},
    {"{\"status\":\"\"}", "bad-status"},
    {"{\"status\":200,\"lease\":11}", "bad-lease"},
    {"{\"status\":200,\"url\":[\"http://a/\"]}", "bad-url"},
    {"{\"status\":200,\"content_hash\":5}", "bad-content_hash"},
    {"{\"status\":200,\"etag\":false}", "bad-etag"},
    {"{\"status\":200,\"last_modified\":0}", "bad-last_modified"},
    {"{\"status\":200,\"location\":{}}", "bad-location"},
    {"{\"status\":200,\"bytes\":-1}", "bad-bytes"},
    {"{\"status\":200,\"bytes\":\"1\"}", "bad-bytes"},
    {"{\"status\":200,\"ms\":[]}", "bad-ms"},
    {"{\"status\":200,\"seconds\":-0.5}", "bad-seconds"},
    {"{\"status\":200,\"at\":\"2023-11-14\"}", "bad-at"},
    {"{\"status\":200,\"at\":\"now\"}", "bad-at"},
    {"{\"status\":200,\"at\":0}", "bad-at"},
    {"{\"status\":200,\"at\":9999999999999}", "bad-at"},
    {"{\"status\":200,\"retry_after\":-5}", "bad-retry_after"},
    {"{\"status\":200,\"retry_after\":{}}", "bad-retry_after"},
};

static void
test_lines(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result_line line;
		const char *reason = result_line_parse(
		    &line, slice_of(cases[i].text), NOW);

		if ((reason == NULL) != (cases[i].reason == NULL) ||
		    (reason != NULL && strcmp(reason, cases[i].reason) != 0))
			fail_msg("%s: %s", cases[i].text,
			    reason == NULL ? "taken" : reason);
		ndjson_free(line.object);
	}
}

static void
test_members(void **state)
{
	struct result_line line;

	assert_null(result_line_parse(&line,
	    slice_of("{\"lease\":\"7f.2\",\"url\":\"http://a.example/\","
		     "\"status\":\"304\",\"content_hash\":\"h\",\"etag\":"
		     "\"\\\"a\\\"\",\"last_modified\":\"m\",\"location\":\"l\","
		     "\"bytes\":5120,\"seconds\":0.25,"
		     "\"at\":\"2023-11-14T22:13:10Z\",\"retry_after\":120}"),
	    NOW));
	assert_true(slice_is(line.result.token, "7f.2"));
	assert_true(slice_is(line.result.url, "http://a.example/"));
	assert_int_equal(line.result.status, 304);
	assert_true(line.result.has_hash);
	assert_true(slice_is(line.result.content_hash, "h"));
	assert_true(slice_is(line.result.etag, "\"a\""));
	assert_true(slice_is(line.result.last_modified, "m"));
	assert_true(slice_is(line.result.location, "l"));
	assert_int_equal(line.result.bytes, 5120);
	assert_int_equal(line.result.ms, 250);
	assert_int_equal(line.result.at_s, NOW - 10);
	assert_int_equal(line.result.retry_after_s, 120);
	ndjson_free(line.object);
	assert_null(result_line_parse(
	    &line, slice_of("{\"status\":200,\"content_hash\":\"\"}"), NOW));
	assert_false(line.result.has_hash);
	assert_int_equal(line.result.at_s, 0);
	ndjson_free(line.object);
}

/* Validators are taken as the server gave them, and kept if they can be sent
 * back. */
static void
test_rest(void **state)
{
	static const struct {
		const char *line, *last_modified;
	} rows[] = {
	    {"{\"status\":200,\"rest\":\"last_modified\"} Tue, 14 Nov 2023 ",
		"Tue, 14 Nov 2023"},
	    {"{\"status\":200,\"rest\":\"last_modified\"}\",\"etag\":\"x\"}",
		"\",\"etag\":\"x\"}"},
	    {"{\"status\":200,\"rest\":\"last_modified\"}", ""},
	    {"{\"status\":200,\"rest\":\"last_modified\"} a\xff", ""},
	    {"{\"status\":200,\"rest\":\"last_modified\"} a\rb", ""},
	    {"{\"status\":200,\"last_modified\":\"a\\nb\"}", ""}};
	char text[400] = "{\"status\":200,\"etag\":\"";
	struct result_line line;
	size_t len = strlen(text);

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_null(
		    result_line_parse(&line, slice_of(rows[i].line), NOW));
		if (!slice_is(line.result.last_modified, rows[i].last_modified))
			fail_msg("%s", rows[i].line);
		assert_int_equal(line.result.etag.len, 0);
		ndjson_free(line.object);
	}
	for (size_t etag = 256; etag <= 257; etag++) {
		memset(text + len, 'x', etag);
		memcpy(text + len + etag, "\"}", 3);
		assert_null(result_line_parse(&line, slice_of(text), NOW));
		assert_int_equal(line.result.etag.len, etag == 256 ? etag : 0);
		ndjson_free(line.object);
	}
}

struct retry_case {
	const char *text;
	int64_t retry_s;
};

/* RFC 9110 10.2.3 */
static const struct retry_case retries[] = {
    {"7", 7},
    {"\"120\"", 120},
    {"\" 120 \"", 120},
    {"\"Tue, 14 Nov 2023 22:14:20 GMT\"", 60},
    {"\"Tue, 14 Nov 2023 22:00:00 GMT\"", 0},
    {"\"later\"", 0},
    {"999999999999", 365 * 86400},
    {"null", 0},
};

static void
test_retry(void **state)
{
	for (size_t i = 0; i < sizeof(retries) / sizeof(retries[0]); i++) {
		struct result_line line;
		struct buf text;

		buf_init(&text, 1024);
		(void)buf_print(&text, "{\"status\":503,\"retry_after\":%s}",
		    retries[i].text);
		assert_null(result_line_parse(&line, buf_text(&text), NOW));
		assert_int_equal(line.result.retry_after_s, retries[i].retry_s);
		ndjson_free(line.object);
		buf_release(&text);
	}
}

static void
test_too_long(void **state)
{
	struct result_line line;
	char *text = mem_zero(RESULT_MAX_BYTES + 1);

	memset(text, ' ', RESULT_MAX_BYTES + 1);
	memcpy(text, "{\"status\":200}", 14);
	assert_null(
	    result_line_parse(&line, slice_make(text, RESULT_MAX_BYTES), NOW));
	ndjson_free(line.object);
	assert_string_equal(result_line_parse(&line,
				slice_make(text, RESULT_MAX_BYTES + 1), NOW),
	    "too-long");
	ndjson_free(line.object);
	free(text);
}

UNIT_TESTS(result_line, cmocka_unit_test(test_lines),
    cmocka_unit_test(test_members), cmocka_unit_test(test_rest),
    cmocka_unit_test(test_retry), cmocka_unit_test(test_too_long));
