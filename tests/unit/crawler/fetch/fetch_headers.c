/* crawler/fetch/fetch_headers.c: the header of an answer, line by line. */
#include "crawler/fetch/fetch_headers.h"

#include "tests/fixtures/fixture.h"

#define NOW_S 1700000000 /* Tue, 14 Nov 2023 22:13:20 GMT */
#define BUDGET 65536

/* feed(headers, text): pass the text on line by line, cut behind each LF; false
 * when a line is refused. */
static bool
feed(struct fetch_headers *headers, struct slice text)
{
	fetch_headers_begin(headers, BUDGET, NOW_S, slice_of("examplebot"));
	while (text.len > 0) {
		const char *end = memchr(text.p, '\n', text.len);
		size_t n = end == NULL ? text.len : (size_t)(end - text.p) + 1;

		if (!fetch_headers_line(headers, slice_make(text.p, n)))
			return false;
		text = slice_from(text, n);
	}
	return true;
}

#define OK "HTTP/1.1 200 OK\r\n"
#define SENT(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct {
	const char *rule;
	struct slice sent;
	const char *why; /* NULL: accepted */
} framing[] = {
    {"R-72", SENT(OK "Content-Length: 3\r\n\r\n"), NULL},
    {"R-72", SENT("HTTP/1.0 200\n\n"), NULL},
    {"N6", SENT(OK "Content-Length: 3\r\ncontent-length:3\r\n\r\n"), NULL},
    {"N6", SENT(OK "Content-Length: 3\r\ncontent-length:4\r\n\r\n"),
	"two Content-Length headers that differ"},
    {"N7",
	SENT(OK "Content-Length: 3\r\n"
		"Transfer-Encoding: chunked\r\n\r\n"),
	"both Content-Length and Transfer-Encoding"},
    {"N7",
	SENT(OK "Transfer-Encoding: chunked\r\n"
		"Content-Length: 3\r\n\r\n"),
	"both Content-Length and Transfer-Encoding"},
    {"N7", SENT(OK "Transfer-Encoding: Chunked\r\n\r\n"), NULL},
    {"N7",
	SENT(OK "Transfer-Encoding: chunked\r\n"
		"Transfer-Encoding: chunked\r\n\r\n"),
	"a Transfer-Encoding other than chunked"},
    {"N7", SENT(OK "Transfer-Encoding: gzip, chunked\r\n\r\n"),
	"a Transfer-Encoding other than chunked"},
    {"N6, too long to compare",
	SENT(OK "Content-Length: 99999999999999999998\r\n"
		"Content-Length: 99999999999999999999\r\n\r\n"),
	"two Content-Length headers that differ"},
    {"N8", SENT(OK "Content-Length: -3\r\n\r\n"),
	"Content-Length is no number"},
    {"N8", SENT(OK "Content-Length: 3, 3\r\n\r\n"),
	"Content-Length is no number"},
    {"N8", SENT(OK "Content-Length: 0x3\r\n\r\n"),
	"Content-Length is no number"},
    {"N8", SENT(OK "Content-Length:\r\n\r\n"), "Content-Length is no number"},
    {"N12",
	SENT("HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n" OK
	     "Content-Length: 3\r\n\r\n"),
	NULL},
    {"N22", SENT("<html>\n"), "unreadable status line"},
    {"N23", SENT("HTTP/1.1 101 Switching Protocols\r\n"),
	"switches protocols unasked"},
    {"N24", SENT("HTTP/3.7 200 OK\r\n"), "unreadable status line"},
    {"N24", SENT("HTTP/1.1 99 OK\r\n"), "unreadable status line"},
    {"N24", SENT("HTTP/1.1 2000 OK\r\n"), "unreadable status line"},
    {"N24", SENT("HTTP/1.1 999 What\r\n\r\n"), NULL},
    {"N25", SENT(OK "A: b\0c\r\n\r\n"), "a NUL byte in the header"},
    {"N26", SENT(OK "A: b\rc\r\n\r\n"), "a bare CR in the header"},
    {"N26", SENT(OK "A: b\r\n c\r\n\r\n"), "a folded header"},
    {"E3", SENT(OK " c: d\r\n\r\n"), "a folded header"},
    {"E5", SENT("HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n"),
	"two Location that differ"},
    {"E5", SENT("HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation:  /a\r\n\r\n"),
	NULL},
    {"E5", SENT(OK "Location: /a\r\nLocation: /b\r\n\r\n"), NULL},
    {"E6", SENT(OK "Content-Length : 3\r\n\r\n"),
	"a blank before the colon of a length"},
    {"E6", SENT(OK "Server : x\r\n\r\n"), NULL},
    {"T3", SENT(OK "no colon here\r\n\r\n"), NULL},
    /* Trailers are ignored, but must be well formed. */
    {"N13", SENT(OK "\r\nContent-Length: x\r\n"), NULL},
    {"N13", SENT(OK "\r\nA: \0\r\n"), "a NUL byte in the header"},
};

static void
test_framing(void **state)
{
	struct fetch_headers headers = {0};

	for (size_t i = 0; i < COUNT(framing); i++) {
		bool is_fine = feed(&headers, framing[i].sent);

		if (is_fine != (framing[i].why == NULL))
			fail_msg("case %zu, %s: %s", i, framing[i].rule,
			    is_fine ? "taken" : headers.why);
		if (is_fine)
			continue;
		assert_string_equal(headers.why, framing[i].why);
		assert_int_equal(headers.code, DIAG_FETCH_NETWORK_ERROR);
	}
	fetch_headers_release(&headers);
}

/* T3, F4: header, interim answers and trailers share one budget. */
static void
test_budget(void **state)
{
	static const char *const floods[] = {
	    "A: b\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"};
	struct fetch_headers headers = {0};

	for (size_t i = 0; i < COUNT(floods); i++)
		for (int trailers = 0; trailers < 2; trailers++) {
			size_t sent = 0;

			if (trailers == 1)
				assert_true(
				    feed(&headers, slice_of(OK "\r\n")));
			else
				assert_true(
				    feed(&headers, slice_of(i == 0 ? OK : "")));
			while (sent < 2 * BUDGET) {
				const char *line = floods[i];
				size_t n = strcspn(line, "\n") + 1;

				if (!fetch_headers_line(
					&headers, slice_make(line, n)) ||
				    (line[n] != '\0' &&
					!fetch_headers_line(
					    &headers, slice_of(line + n))))
					break;
				sent += strlen(line);
			}
			assert_in_range(sent, BUDGET - 128, BUDGET);
			assert_int_equal(headers.code, DIAG_HEADERS_TOO_BIG);
		}
	fetch_headers_release(&headers);
}

static void
test_fields(void **state)
{
	static const char sent[] = "HTTP/1.1 103 Early Hints\r\n"
				   "Location: /early\r\nETag: \"early\"\r\n\r\n"
				   "HTTP/1.1 503 Busy\r\n"
				   "location:  /a?b=c \r\n"
				   "Location: /second\r\n"
				   "ETAG: W/\"a b\"\r\n"
				   "Last-Modified: Tue, 14 Nov 2023 22:13:20 "
				   "GMT\r\n"
				   "Content-Type:text/xml\r\n"
				   "Content-Encoding: gzip\r\n"
				   "Content-Encoding: br\r\n"
				   "Retry-After: 7\r\n"
				   "Cache-Control: no-cache\r\n"
				   "Cache-Control: max-age=60\r\n\r\n"
				   "ETag: \"trailer\"\r\n";
	struct fetch_headers headers = {0};

	assert_true(feed(&headers, slice_of(sent)));
	assert_int_equal(headers.part, HEADER_BODY);
	assert_int_equal(headers.status, 503);
	assert_string_equal(headers.location, "/a?b=c");
	assert_string_equal(headers.etag, "W/\"a b\"");
	assert_string_equal(
	    headers.last_modified, "Tue, 14 Nov 2023 22:13:20 GMT");
	assert_string_equal(headers.content_type, "text/xml");
	assert_string_equal(headers.content_encoding, "gzip, br");
	assert_int_equal(headers.retry_after_s, 7);
	assert_int_equal(headers.max_age_s, 60);
	/* The next answer has none of these values. */
	assert_true(feed(&headers, slice_of(OK "\r\n")));
	assert_null(headers.location);
	assert_null(headers.etag);
	assert_null(headers.last_modified);
	assert_null(headers.content_type);
	assert_null(headers.content_encoding);
	assert_int_equal(headers.retry_after_s, -1);
	assert_int_equal(headers.max_age_s, -1);
	fetch_headers_release(&headers);
}

/* What is asked to be signed, and when, is kept of refusals alone. */
static void
test_challenge(void **state)
{
	static const struct {
		const char *rule;
		const char *status;
		bool is_kept;
	} rows[] = {{"R-138", "401", true}, {"R-138", "403", true},
	    {"R-138", "429", true}, {"R-138", "200", false},
	    {"R-138", "302", false}, {"R-138", "503", false}};
	struct fetch_headers headers = {0};
	struct buf text = BUF_UP_TO(BUDGET);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&text);
		(void)buf_print(&text,
		    "HTTP/1.1 %s No\r\naccept-signature: a=()\r\n"
		    "Accept-Signature: b=(\x01)\r\nAccept-Signature: "
		    "c=(\"@authority\")\r\n"
		    "Date: Tue, 14 Nov 2023 22:13:21 GMT\r\n\r\n",
		    rows[i].status);
		assert_true(feed(&headers, buf_text(&text)));
		assert_int_equal(headers.date_s, NOW_S + 1);
		if (rows[i].is_kept)
			assert_string_equal(headers.accept_signature,
			    "a=(), c=(\"@authority\")");
		else
			assert_null(headers.accept_signature);
	}
	assert_true(feed(
	    &headers, slice_of("HTTP/1.1 401 No\r\nDate: yesterday\r\n\r\n")));
	assert_int_equal(headers.date_s, 0);
	assert_null(headers.accept_signature);
	buf_release(&text);
	fetch_headers_release(&headers);
}

/* Of several X-Robots-Tag and Link fields, the first that says something
 * counts. */
static void
test_page_fields(void **state)
{
	static const char sent[] = OK "X-Robots-Tag: nofollow\r\n"
				      "X-Robots-Tag: otherbot: noindex\r\n"
				      "X-Robots-Tag: ExampleBot: none\r\n"
				      "X-Robots-Tag: noindex\r\n"
				      "Link: </s.css>; rel=preload\r\n"
				      "Link: </x>; rel=next, </y>; "
				      "rel=canonical\r\n"
				      "Link: </m>; rel=\"sitemap\", </n>; "
				      "rel=sitemap\r\n"
				      "Link: </z>; rel=canonical\r\n"
				      "Set-Cookie: no pair\r\n"
				      "Set-Cookie: a = b=c; Path=/\r\n"
				      "Set-Cookie: d=e\r\n\r\n";
	struct fetch_headers headers = {0};

	assert_true(feed(&headers, slice_of(sent)));
	assert_string_equal(headers.noindex, "ExampleBot: none");
	assert_string_equal(headers.canonical, "/y");
	assert_string_equal(headers.sitemap, "/m");
	assert_string_equal(headers.cookie, "a");
	assert_true(feed(&headers, slice_of(OK "\r\n")));
	assert_null(headers.noindex);
	assert_null(headers.canonical);
	assert_null(headers.cookie);
	assert_null(headers.sitemap);
	fetch_headers_release(&headers);
}

/* T35, N28: a validator that cannot be sent back is not kept. */
static void
test_unfit(void **state)
{
	struct fetch_headers headers = {0};
	struct buf sent;
	char etag[HEADER_MAX_VALUE + 2];

	memset(etag, 'x', sizeof(etag));
	buf_init(&sent, BUDGET);
	for (size_t len = HEADER_MAX_VALUE; len <= HEADER_MAX_VALUE + 1;
	     len++) {
		buf_clear(&sent);
		assert_true(
		    buf_print(&sent, OK "ETag: %.*s\r\n\r\n", (int)len, etag));
		assert_true(feed(&headers, buf_text(&sent)));
		assert_int_equal(headers.etag != NULL, len == HEADER_MAX_VALUE);
	}
	assert_true(feed(&headers, slice_of(OK "ETag: \"a\tb\"\r\n\r\n")));
	assert_null(headers.etag);
	assert_true(feed(&headers, slice_of(OK "ETag: \"\x9b\"\r\n\r\n")));
	assert_null(headers.etag);
	assert_true(feed(&headers, slice_of(OK "ETag:\r\n\r\n")));
	assert_null(headers.etag);
	assert_true(feed(&headers, slice_of(OK "Location: /\x1b[2J\r\n\r\n")));
	assert_null(headers.location);
	assert_true(feed(&headers, slice_of(OK "Location: /\xc3\xa9\r\n\r\n")));
	assert_string_equal(headers.location, "/\xc3\xa9");
	buf_release(&sent);
	fetch_headers_release(&headers);
}

/* R-76, N27 */
static void
test_retry_after(void **state)
{
	static const struct {
		const char *value;
		int64_t wait_s;
	} cases[] = {
	    {"0", 0},
	    {"120", 120},
	    {" 120 ", 120},
	    {"-1", 0},
	    {"-99999999999999999999999", 0},
	    {"86400", 86400},
	    {"86401", 86400},
	    {"99999999999", 86400},
	    {"99999999999999999999999999999999", 86400},
	    {"Tue, 14 Nov 2023 22:13:20 GMT", 0},
	    {"Tue, 14 Nov 2023 22:14:20 GMT", 60},
	    {"Tuesday, 14-Nov-23 22:14:20 GMT", 60},
	    {"Tue Nov 14 22:14:20 2023", 60},
	    {"Sun, 06 Nov 1994 08:49:37 GMT", 0},
	    {"Sun, 06 Nov 2094 08:49:37 GMT", 86400},
	    {"", -1},
	    {"-", -1},
	    {"soon", -1},
	    {"1.5", -1},
	    {"12 minutes", -1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t wait_s = header_retry_after(
		    slice_of(cases[i].value), NOW_S);

		if (wait_s != cases[i].wait_s)
			fail_msg("Retry-After '%s': %lld", cases[i].value,
			    (long long)wait_s);
	}
}

/* */
static void
test_max_age(void **state)
{
	static const struct {
		const char *value;
		int64_t age_s;
	} cases[] = {
	    {"max-age=3600", 3600},
	    {"public, MAX-AGE=10, s-maxage=20", 10},
	    {"max-age=\"15\"", 15},
	    {"private=\"max-age=1, x\", max-age=2", 2},
	    {"x=\"a\\\"b, max-age=1\", max-age=3", 3},
	    {"max-age=99999999999999999999", INT32_MAX},
	    {"max-age=0", 0},
	    {"max-age=-1", -1},
	    {"max-age=", -1},
	    {"max-age", -1},
	    {"s-maxage=5", -1},
	    {"no-store", -1},
	    {"", -1},
	    {",,,", -1},
	    {"\"", -1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t age_s = header_max_age(slice_of(cases[i].value));

		if (age_s != cases[i].age_s)
			fail_msg("Cache-Control '%s': %lld", cases[i].value,
			    (long long)age_s);
	}
}

UNIT_TESTS(fetch_headers, cmocka_unit_test(test_framing),
    cmocka_unit_test(test_budget), cmocka_unit_test(test_fields),
    cmocka_unit_test(test_challenge), cmocka_unit_test(test_page_fields),
    cmocka_unit_test(test_unfit), cmocka_unit_test(test_retry_after),
    cmocka_unit_test(test_max_age));
