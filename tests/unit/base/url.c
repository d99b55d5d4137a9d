/* URLs: SPEC R-15, R-23, R-24, R-35, R-42 to R-53, HOSTILE T9, T19, U1 to U6.
 */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"

#define N PROFILE_STRICT
#define G PROFILE_GOOGLE
#define L PROFILE_LENIENT

struct row {
	const char *rule;
	enum profile_name profile;
	const char *raw;
	const char *text; /* NULL: refused */
	const char *codes; /* those emitted, or the one returned */
};

static const struct row rows[] = {
    {"R-15", G, "http://a.example/?b=1&amp;c", "http://a.example/?b=1&amp;c",
	"url-double-escaped"},
    {"R-15", G, "http://a.example/&amp;", "http://a.example/&amp;",
	"url-double-escaped"},
    {"R-15", G, "http://a.example/?b=1&am;c", "http://a.example/?b=1&am;c", ""},
    {"R-23", G, "\n\thttp://a.example/ \r", "http://a.example/", ""},
    {"R-35", G, " \n", NULL, "empty-tag"},
    {"R-35", G, "", NULL, "empty-tag"},
    {"R-35", G, "\xc2\xa0", NULL, "empty-tag"},
    {"R-35", L, " \xe3\x80\x80 ", NULL, "empty-tag"},
    {"R-42", G, "HTTP://a.example/", "http://a.example/", ""},
    {"R-42", G, "hTTpS://a.example/", "https://a.example/", ""},
    {"R-42", G, "ftp://a.example/", NULL, "unsupported-scheme"},
    {"R-42", G, "htp://a.example/", NULL, "unsupported-scheme"},
    {"R-42", G, "httpx://a.example/", NULL, "unsupported-scheme"},
    {"R-42", L, "file:///etc/passwd", NULL, "unsupported-scheme"},
    {"R-42", G, "mailto:a@b.example", NULL, "unsupported-scheme"},
    {"R-42", G, "data:text/plain,x", NULL, "unsupported-scheme"},
    {"R-42", L, "javascript:alert(1)", NULL, "unsupported-scheme"},
    {"R-42", G, "http:x", NULL, "invalid-url"},
    {"R-42", L, "http:80/x", NULL, "invalid-url"},
    {"R-42", G, "http:/a.example/", NULL, "invalid-url"},
    {"R-42", G, "http:///x", NULL, "invalid-url"},
    {"R-42", G, "http://", NULL, "invalid-url"},
    {"R-42", G, "https://?x", NULL, "invalid-url"},
    {"R-42", G, "https://#x", NULL, "invalid-url"},
    {"R-42", G, "http", NULL, "relative-url"},
    {"R-42", G, "http:", NULL, "invalid-url"},
    {"R-43", G, "/x", NULL, "relative-url"},
    {"R-43", G, "//a.example/x", NULL, "relative-url"},
    {"R-43", G, "a.example:8080/x", NULL, "relative-url"},
    {"R-43", G, "localhost:8080", NULL, "relative-url"},
    {"R-43", G, "9a:b", NULL, "relative-url"},
    {"R-43", G, "0a:b", NULL, "relative-url"},
    {"R-43", G, "a.b:c", NULL, "relative-url"},
    {"R-43", G, "://a.example", NULL, "relative-url"},
    {"R-43", L, "/x/../y?z", "https://b.example:8443/y?z", "relative-url"},
    {"R-43", L, "//a.example/x", "https://a.example/x", "relative-url"},
    {"R-43", L, "x.html", "https://b.example:8443/d/e/x.html", "relative-url"},
    {"R-43", L, "../x", "https://b.example:8443/d/x", "relative-url"},
    {"R-43", L, "../../../x", "https://b.example:8443/x", "relative-url"},
    {"R-43", L, "?x", "https://b.example:8443/d/e/f?x", "relative-url"},
    {"R-43", L, "#x", "https://b.example:8443/d/e/f?q=/g",
	"relative-url url-has-fragment"},
    {"R-43", L, "www.a.example/x", "https://b.example:8443/d/e/www.a.example/x",
	"relative-url"},
    {"R-44", G, "http://A.Example", "http://a.example/", ""},
    {"R-44", G, "http://a.example.", "http://a.example/", ""},
    {"R-44", G, "http://a.example:", "http://a.example/", ""},
    {"R-44", G, "http://a.example:80/", "http://a.example/", ""},
    {"R-44", G, "https://a.example:443/", "https://a.example/", ""},
    {"R-44", G, "http://a.example:443/", "http://a.example:443/", ""},
    {"R-44", G, "http://a.example:0080/", "http://a.example/", ""},
    {"R-44", G, "http://a.example:00081/", "http://a.example:81/", ""},
    {"R-44", G, "http://a.example:65535/", "http://a.example:65535/", ""},
    {"R-44", G, "http://a.example:65536/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:99999999999999/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:0/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:-1/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:8x/", NULL, "invalid-url"},
    {"R-44", G, "http://:80/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:80:80/", NULL, "invalid-url"},
    {"R-44", G, "http://u@a.example/", NULL, "url-has-userinfo"},
    {"R-44", G, "http://@a.example/", NULL, "url-has-userinfo"},
    {"R-44", L, "http://u:p@a.example/", NULL, "url-has-userinfo"},
    {"R-44", G, "http://a.example/@b", "http://a.example/@b", ""},
    {"R-44", G, "http://a.example?@b", "http://a.example/?@b", ""},
    {"R-44", G, "http://a..example/", NULL, "invalid-url"},
    {"R-44", G, "http://a%20b/", NULL, "invalid-url"},
    {"R-44", G, "http://a_b.example/", "http://a_b.example/", ""},
    {"R-45", G, "http://b\303\274cher.example/",
	"http://xn--bcher-kva.example/", "url-idn"},
    {"R-45", G, "http://XN--bcher-kva.example/",
	"http://xn--bcher-kva.example/", ""},
    {"R-46", G, "http://0x7f.1/", "http://127.0.0.1/", ""},
    {"R-46", G, "http://[::1]:80/", "http://[::1]/", ""},
    {"R-46", G, "http://[::1]:81/x", "http://[::1]:81/x", ""},
    {"R-46", G, "http://[::1]81/x", NULL, "invalid-url"},
    {"R-46", G, "http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", ""},
    {"R-46", G, "http://127.0.0.01/x", "http://127.0.0.1/x", ""},
    {"R-47", G, "http://a.example", "http://a.example/", ""},
    {"R-47", G, "http://a.example?x", "http://a.example/?x", ""},
    {"R-47", G, "http://a.example/.", "http://a.example/", ""},
    {"R-47", G, "http://a.example/..", "http://a.example/", ""},
    {"R-47", G, "http://a.example/a/.", "http://a.example/a/", ""},
    {"R-47", G, "http://a.example/a/b/..", "http://a.example/a/", ""},
    {"R-47", G, "http://a.example/a/b/../", "http://a.example/a/", ""},
    {"R-47", G, "http://a.example/a/../../../b", "http://a.example/b", ""},
    {"R-47", G, "http://a.example/a//../b", "http://a.example/a/b", ""},
    {"R-47", G, "http://a.example/a/./b", "http://a.example/a/b", ""},
    {"R-47", G, "http://a.example//", "http://a.example//", ""},
    {"R-47", G, "http://a.example/.a/..b/...", "http://a.example/.a/..b/...",
	""},
    {"R-47", G, "http://a.example/a./b../c", "http://a.example/a./b../c", ""},
    {"U2", G, "http://a.example/a/%2E%2e/b", "http://a.example/b", ""},
    {"U2", G, "http://a.example/a/%2E./b", "http://a.example/b", ""},
    {"U2", G, "http://a.example/a/..;/b", "http://a.example/a/..;/b", ""},
    {"U2", G, "http://a.example/a%2f..%2fb", "http://a.example/a%2F..%2Fb", ""},
    {"U2", G, "http://a.example/A/", "http://a.example/A/", ""},
    {"R-48", G, "http://a.example/%41%7e%2D%5f%2E", "http://a.example/A~-_.",
	""},
    {"R-48", G, "http://a.example/%c3%bc", "http://a.example/%C3%BC", ""},
    {"R-48", G, "http://a.example/%3f%23?%26", "http://a.example/%3F%23?%26",
	""},
    {"R-48", G, "http://a.example/?%61=%62", "http://a.example/?a=b", ""},
    {"R-48", G, "http://a.example/%", "http://a.example/%25",
	"url-bad-percent"},
    {"R-48", G, "http://a.example/%4", "http://a.example/%254",
	"url-bad-percent"},
    {"R-48", G, "http://a.example/%4g?%", "http://a.example/%254g?%25",
	"url-bad-percent"},
    {"R-48", G, "http://a.example/%%41", "http://a.example/%25A",
	"url-bad-percent"},
    {"R-48", N, "http://a.example/%4g", NULL, "invalid-url"},
    {"R-48", N, "http://a.example/\xc3\xbc", "http://a.example/%C3%BC",
	"url-non-ascii"},
    {"R-48", G, "http://a.example/?\xc3\xbc", "http://a.example/?%C3%BC",
	"url-non-ascii"},
    {"R-48", G, "http://a.example/\xfc", "http://a.example/%FC",
	"url-non-ascii"},
    {"R-49", G, "http://a.example/a b", "http://a.example/a%20b",
	"url-not-escaped"},
    {"R-49", G, "http://a.example/\"<>^`{|}\x7f\x01",
	"http://a.example/%22%3C%3E%5E%60%7B%7C%7D%7F%01", "url-not-escaped"},
    {"R-49", G, "http://a.example/?\"<>^`{|}\\",
	"http://a.example/?%22%3C%3E%5E%60%7B%7C%7D%5C", "url-not-escaped"},
    {"R-49", G, "http://a.example/[']?[']", "http://a.example/[']?[']", ""},
    {"R-49", N, "http://a.example/a b", NULL, "invalid-url"},
    {"R-49", G, "http://a.\texa\r\nmple/a\nb", "http://a.example/ab",
	"url-whitespace"},
    {"R-49", N, "http://a.example/a\nb", NULL, "invalid-url"},
    {"R-49", G, "\xc2\xa0http://a.example/\xef\xbb\xbf \xe3\x80\x80",
	"http://a.example/", "url-whitespace"},
    {"R-49", G, "\xe2\x80\x8bhttp://a.example/\xe2\x80\x8b",
	"http://a.example/", "url-whitespace"},
    {"R-49", N, "\xc2\xa0http://a.example/", NULL, "invalid-url"},
    {"R-49", G, "http://a.example/\xc2\xa0z", "http://a.example/%C2%A0z",
	"url-non-ascii"},
    {"R-49", G, "http://a.example\\b", NULL, "invalid-url"},
    {"R-49", G, "http://a.example/b\\c", NULL, "invalid-url"},
    {"R-49", L, "http://a.example/b\\..\\c", "http://a.example/c",
	"url-not-escaped"},
    {"R-49", L, "http://a.example/?b\\c", "http://a.example/?b%5Cc",
	"url-not-escaped"},
    {"R-49", L, "http://a.example/b#\\c", "http://a.example/b",
	"url-has-fragment"},
    {"T9", G, "http://a\\@b/", NULL, "url-has-userinfo"},
    {"T9", L, "http://a\\@b/", "http://a/@b/", "url-not-escaped"},
    {"T9", G, "http://a.example\xe3\x80\x82", "http://a.example/", "url-idn"},
    {"R-50", G, "http://a.example/#", "http://a.example/", "url-has-fragment"},
    {"R-50", G, "http://a.example#?b", "http://a.example/", "url-has-fragment"},
    {"R-50", G, "http://a.example/?b#%zz<", "http://a.example/?b",
	"url-has-fragment"},
    {"R-50", G, "http://a.example/?", "http://a.example/?", ""},
    {"R-50", G, "http://a.example/?b?c&b&a", "http://a.example/?b?c&b&a", ""},
    {"R-50", G, "http://a.example/?/../b", "http://a.example/?/../b", ""},
    {"R-50", G, "http://a.example/;jsessionid=1?sid=2",
	"http://a.example/;jsessionid=1?sid=2", ""},
    {"U6 several at once", G, "HTTP://A.Example:080/%7e/./b c%zz#d",
	"http://a.example/~/b%20c%25zz",
	"url-not-escaped url-bad-percent url-has-fragment"},
};

static void
parse_base(struct url *base)
{
	struct profile google = profile_default(PROFILE_GOOGLE);

	url_init(base);
	assert_int_equal(
	    url_parse(base, slice_of("https://b.example:8443/d/e/f?q=/g"), NULL,
		&google, (struct diag_sink){NULL, NULL}),
	    DIAG_OK);
}

/* What can be said of any URL that was made. */
static void
check_parts(const struct url *url)
{
	struct slice text = url_text(url);
	struct slice directory = url_directory(url);
	struct slice path = url_path(url);

	assert_true(text.len <= URL_MAX_BYTES);
	for (size_t i = 0; i < text.len; i++)
		assert_true(text.p[i] > 0x20 && text.p[i] < 0x7f);
	assert_true(slice_starts(text, url_origin(url)));
	assert_true(slice_starts(text, directory));
	assert_true(slice_starts(directory, url_origin(url)));
	assert_int_equal(directory.p[directory.len - 1], '/');
	assert_int_equal(path.p[0], '/');
	assert_int_equal(url_origin(url).len + url_target(url).len, text.len);
	assert_true(slice_starts(url_target(url), path));
	assert_true(path.len == url_target(url).len ||
	    url_target(url).p[path.len] == '?');
	assert_true(url_host(url).len > 0);
	assert_int_equal(url->host_at, url->is_https ? 8 : 7);
	assert_true(url->port > 0);
	assert_int_equal(
	    url->host_kind == HOST_IPV6, url_host(url).p[0] == '[');
}

/* U1: the normal form is its own normal form, without a word. */
static void
check_settled(const struct url *url)
{
	struct profile lenient = profile_default(PROFILE_LENIENT);
	struct seen seen = {{0}};
	struct url again;

	lenient.max_loc_chars = URL_MAX_BYTES;
	url_init(&again);
	assert_int_equal(
	    url_parse(&again, url_text(url), NULL, &lenient, seen_sink(&seen)),
	    DIAG_OK);
	assert_true(slice_equal(url_text(&again), url_text(url)));
	for (int i = 0; i < DIAG_COUNT; i++)
		assert_true(seen.count[i] == 0 || i == DIAG_URL_DOUBLE_ESCAPED);
	assert_int_equal(again.host_at, url->host_at);
	assert_int_equal(again.host_len, url->host_len);
	assert_int_equal(again.path_at, url->path_at);
	assert_int_equal(again.path_len, url->path_len);
	assert_int_equal(again.port, url->port);
	assert_int_equal(again.is_https, url->is_https);
	assert_int_equal(again.host_kind, url->host_kind);
	url_release(&again);
}

static void
urls_are_normalised(void **state)
{
	struct url base, url;
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	url_init(&url);
	parse_base(&base);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct profile profile = profile_default(row->profile);
		struct seen seen = {{0}};
		enum diag_code code = url_parse(&url, slice_of(row->raw), &base,
		    &profile, seen_sink(&seen));

		if (code != DIAG_OK) {
			memset(&seen, 0, sizeof(seen));
			seen.count[code]++;
		}
		if ((code == DIAG_OK) != (row->text != NULL) ||
		    strcmp(seen_names(&seen, &out), row->codes) != 0)
			fail_msg("%s '%s': %s, %s", row->rule, row->raw,
			    diag_name(code), buf_str(&out));
		if (code != DIAG_OK)
			continue;
		if (strcmp(text_of(&out, url_text(&url)), row->text) != 0)
			fail_msg("%s '%s' is '%s'", row->rule, row->raw, out.p);
		check_parts(&url);
		check_settled(&url);
	}
	url_release(&base);
	url_release(&url);
	buf_release(&out);
}

/* The fast way says nothing that the slow one would not say. */
static void
check_ways_agree(struct slice raw, const struct profile *profile)
{
	struct seen seen = {{0}};
	struct url fast, slow;
	enum diag_code code;

	raw = slice_trim(raw);
	url_init(&fast);
	url_init(&slow);
	if (raw.len > 0 && url_fast(&fast, raw, profile)) {
		code = url_slow(&slow, raw, NULL, profile, seen_sink(&seen));
		if (code != DIAG_OK ||
		    !slice_equal(url_text(&fast), url_text(&slow)) ||
		    !slice_equal(url_text(&fast), raw))
			fail_msg(
			    "'%.*s': %s", (int)raw.len, raw.p, diag_name(code));
		for (int i = 0; i < DIAG_COUNT; i++)
			assert_int_equal(seen.count[i], 0);
		assert_int_equal(fast.host_at, slow.host_at);
		assert_int_equal(fast.host_len, slow.host_len);
		assert_int_equal(fast.path_at, slow.path_at);
		assert_int_equal(fast.path_len, slow.path_len);
		assert_int_equal(fast.port, slow.port);
		assert_int_equal(fast.is_https, slow.is_https);
		assert_int_equal(fast.host_kind, slow.host_kind);
		check_parts(&fast);
	}
	url_release(&fast);
	url_release(&slow);
}

static void
both_ways_agree(void **state)
{
	static const char *const parts[] = {"a", "b.example", "www.", ".", "..",
	    "xn--", "0", "1", "80", ":443", ":80", ":8080", ":08", "127.0.0.1",
	    "256", "0x1", "/", "/", "/.", "/..", "//", "?", "#", "&", "&amp;",
	    "%", "%41", "%C3%BC", "%2f", "%2F", "%2E", "A", "Z", "~", "_", "-",
	    "@", "[", "]", "'", "!", "\\", " ", "\xc3\xbc", "\x7f", "<", "|",
	    "=", ";", ","};
	static const char *const starts[] = {"http://", "https://",
	    "http://a.b/", "https://a.b", "https://a.b/", "HTTP://a", "http:/"};
	unsigned seed = 7;
	struct buf raw;

	(void)state;
	buf_init(&raw, 4096);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct profile profile = profile_default(rows[i].profile);

		check_ways_agree(slice_of(rows[i].raw), &profile);
		if (rows[i].text != NULL)
			check_ways_agree(slice_of(rows[i].text), &profile);
	}
	for (int round = 0; round < 200000; round++) {
		struct profile profile = profile_default(
		    (enum profile_name)(round % 3));
		unsigned n;

		seed = seed * 1103515245 + 12345;
		buf_clear(&raw);
		(void)buf_put_slice(
		    &raw, slice_of(starts[(seed >> 16) % COUNT(starts)]));
		n = (seed >> 8) % 6;
		for (unsigned i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			(void)buf_put_slice(
			    &raw, slice_of(parts[(seed >> 16) % COUNT(parts)]));
		}
		check_ways_agree(buf_text(&raw), &profile);
	}
	buf_release(&raw);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(urls_are_normalised),
	    cmocka_unit_test(both_ways_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
