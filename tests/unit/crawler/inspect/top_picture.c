/* The picture of `top`, from objects as the socket brings them. */
#include <string.h>

#include "crawler/event/ndjson.h"
#include "crawler/inspect/top_picture.h"
#include "tests/fixtures/fixture.h"

/* A `run` that has all lists, with `count` requests under way. */
static void
put_status(struct buf *out, size_t count)
{
	(void)buf_print(out,
	    "{\"v\":1,\"type\":\"status\",\"at\":\"2026-11-23T16:00:00Z\","
	    "\"command\":\"run\",\"pid\":77,\"rates\":["
	    "{\"seconds\":10,\"requests\":1,\"bytes\":2048,\"readings\":1,"
	    "\"failed\":0},{\"seconds\":60,\"requests\":12,\"bytes\":2048,"
	    "\"readings\":9,\"failed\":3}],\"in_flight\":%zu,\"asked\":[",
	    count);
	for (size_t i = 0; i < count; i++)
		(void)buf_print(out,
		    "%s{\"url\":\"http://www.example.org/a/very/long/path/that/"
		    "does/not/fit/in/a/narrow/terminal/sitemap-%zu.xml\","
		    "\"ms\":1500}",
		    i > 0 ? "," : "", i);
	(void)buf_print(out,
	    "],\"readers\":2,\"open\":30,\"open_hosts\":1,\"hosts\":["
	    "{\"host\":\"slow.example\",\"why\":\"paused\",\"answer_ms\":300,"
	    "\"delay_ms\":1000,\"wait_ms\":42000}],\"failures\":["
	    "{\"url\":\"http://b.example/s.xml\",\"code\":\"fetch-not-found\","
	    "\"at\":\"2026-11-23T15:59:00Z\"}],\"ready\":5,\"leased\":2,"
	    "\"next_page_s\":0,\"next_document_s\":null,\"held\":1,\"holds\":["
	    "{\"host\":\"held.example\",\"until\":\"2026-11-23T18:00:00Z\","
	    "\"pages_only\":true}]}");
}

/* Draw an object of JSON into `out`. */
static void
draw(struct buf *out, const char *json, size_t columns, size_t rows)
{
	struct top_room room = {.columns = columns, .rows = rows};
	struct ndjson *status = ndjson_parse(slice_of(json));

	assert_non_null(status);
	buf_clear(out);
	top_picture(out, status, &room);
	ndjson_free(status);
}

/* The number of lines, none of which is wider than `columns`. */
static size_t
judge_lines(struct buf *out, size_t columns)
{
	struct slice rest = buf_text(out);
	size_t lines = 0;

	while (rest.len > 0) {
		const char *end = memchr(rest.p, '\n', rest.len);
		size_t len;

		assert_non_null(end);
		len = (size_t)(end - rest.p);
		if (slice_chars(slice_make(rest.p, len)) > columns)
			fail_msg(
			    "wider than %zu: %.*s", columns, (int)len, rest.p);
		rest = slice_from(rest, len + 1);
		lines++;
	}
	return lines;
}

static void
a_whole_picture(void **state)
{
	struct buf json, out;

	buf_init(&json, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	put_status(&json, 1);
	draw(&out, buf_str(&json), 0, 0);
	assert_string_equal(buf_str(&out),
	    "freshet run, process 77, at 2026-11-23T16:00:00Z\n"
	    "last 10 s:  1 request for sitemaps  2.0 kB  1 document read\n"
	    "last 60 s:  12 requests for sitemaps  2.0 kB  9 documents read, 3 "
	    "failed\n"
	    "now:  1 request  2 at readers  30 begun at 1 host\n"
	    "documents:  none is due  pages:  due now, 5 wait, 2 leased\n"
	    "ASKED NOW\n"
	    "  1.5 s     http://www.example.org/a/very/long/path/that/does/not/"
	    "fit/in/a/narrow/terminal/sitemap-0.xml\n"
	    "HOSTS THAT TAKE TIME\n"
	    "  slow.example                      paused   for 42 s  delay 1.0 s"
	    "  answers in 0.3 s\n"
	    "HELD HOSTS: 1\n"
	    "  held.example                      until 2026-11-23T18:00:00Z"
	    "  its pages\n"
	    "FAILED OF LATE\n"
	    "  2026-11-23T15:59:00Z  fetch-not-found  "
	    "http://b.example/s.xml\n");
	buf_release(&json);
	buf_release(&out);
}

static void
fits_any_terminal(void **state)
{
	static const size_t columns[] = {1, 20, 60, 80, 160};
	static const size_t rows[] = {1, 4, 5, 6, 7, 10, 24, 60};
	struct buf json, out;

	buf_init(&json, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	put_status(&json, 20);
	for (size_t i = 0; i < COUNT(columns); i++)
		for (size_t k = 0; k < COUNT(rows); k++) {
			size_t lines, most;

			draw(&out, buf_str(&json), columns[i], rows[k]);
			lines = judge_lines(&out, columns[i]);
			/* 5 lines of the head, and 4 lists with 27 in all,
			 * none of which has a heading alone */
			most = rows[k] < 32 ? rows[k] : 32;
			assert_true(lines == most || lines + 1 == most);
			assert_true(most != 1 || lines == 1);
		}
	/* The longest list gives way: each list keeps a row. */
	draw(&out, buf_str(&json), 80, 15);
	assert_non_null(strstr(buf_str(&out), "slow.example"));
	assert_non_null(strstr(buf_str(&out), "held.example"));
	assert_non_null(strstr(buf_str(&out), "fetch-not-found"));
	/* The end of a URL that is cut is seen. */
	assert_non_null(strstr(buf_str(&out), "sitemap-0.xml"));
	assert_null(strstr(buf_str(&out), "sitemap-9.xml"));
	buf_release(&json);
	buf_release(&out);
}

/* Whatever an object says, the lines have no effect on a terminal. */
static void
hostile_names(void **state)
{
	static const char *const objects[] = {
	    "{}",
	    "{\"command\":\"\\u001b[2J\",\"at\":\"\\u0007\\u202e\","
	    "\"asked\":[{\"url\":\"http://a/\\u001b]0;x\\u0007\\n\\u202e\","
	    "\"ms\":-1},{\"url\":\"\\u0085\\u009b31m\","
	    "\"ms\":9223372036854775807}],"
	    "\"hosts\":[{\"host\":\"\\r\\u2028a\",\"why\":\"\\b\","
	    "\"wait_ms\":9223372036854775807}],"
	    "\"holds\":[{\"host\":\"\\u202ehtml\",\"until\":\"\\u001b\"}],"
	    "\"failures\":[{\"url\":\"\\t\",\"code\":\"\\u2066\","
	    "\"at\":\"\\u061c\"}]}",
	    "{\"rates\":7,\"asked\":[1,[],{}],\"hosts\":{\"a\":1},"
	    "\"holds\":\"x\",\"failures\":[{\"url\":5}],\"ready\":\"x\"}",
	    "{\"rates\":[{\"seconds\":9223372036854775807,"
	    "\"bytes\":9223372036854775807}],\"held\":-1,\"ready\":-5,"
	    "\"next_page_s\":9223372036854775807}",
	};
	static const char *const harmful[] = {"\033", "\a", "\r", "\t", "\b",
	    "\u202e", "\u2066", "\u061c", "\u2028", "\xc2\x85", "\xc2\x9b"};
	static const size_t columns[] = {0, 60, 160};
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < COUNT(objects); i++)
		for (size_t k = 0; k < COUNT(columns); k++) {
			draw(&out, objects[i], columns[k], 24);
			assert_true(
			    judge_lines(&out,
				columns[k] > 0 ? columns[k] : 1000) <= 24);
			for (size_t n = 0; n < COUNT(harmful); n++)
				assert_null(strstr(buf_str(&out), harmful[n]));
		}
	buf_release(&out);
}

UNIT(top_picture)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_whole_picture),
	    cmocka_unit_test(fits_any_terminal),
	    cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
