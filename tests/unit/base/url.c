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
    {"R-42", G, "HTTP://a.example/", "http://a.example/", ""},
    {"R-42", G, "hTTpS://a.example/", "https://a.example/", ""},
    {"R-42", G, "http://a", "http://a/", ""},
    {"R-42", G, "http://a/", "http://a/", ""},
    {"R-42", G, "https://a", "https://a/", ""},
    {"R-43", L, "/x/../y?z", "https://b.example:8443/y?z", "relative-url"},
    {"R-43", L, "//a.example/x", "https://a.example/x", "relative-url"},
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
    {"R-44", G, "http://a.example:0090/", "http://a.example:90/", ""},
    {"R-44", G, "http://a.example:9/", "http://a.example:9/", ""},
    {"R-44", G, "http://a.example:65535/", "http://a.example:65535/", ""},
    {"R-44", G, "http://a.example:065535/", "http://a.example:65535/", ""},
    {"R-44", G, "http://a.example/@b", "http://a.example/@b", ""},
    {"R-44", G, "http://a.example?@b", "http://a.example/?@b", ""},
    {"R-45", G, "http://b\303\274cher.example/",
	"http://xn--bcher-kva.example/", "url-idn"},
    {"R-45", G, "http://XN--bcher-kva.example/",
	"http://xn--bcher-kva.example/", ""},
    {"R-46", G, "http://[::1]:80/", "http://[::1]/", ""},
    {"R-46", G, "http://[::1]:81/x", "http://[::1]:81/x", ""},
    {"R-46", G, "http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", ""},
    {"R-46", G, "http://127.0.0.01/x", "http://127.0.0.1/x", ""},
    {"R-46", G, "http://0.0.0.0/", "http://0.0.0.0/", ""},
    {"R-46", G, "http://255.255.255.255/", "http://255.255.255.255/", ""},
    {"R-46", G, "http://1.2.3.9/", "http://1.2.3.9/", ""},
    {"R-46", G, "http://1.2.3.00/", "http://1.2.3.0/", ""},
    {"R-46", G, "http://1.2.3/x", "http://1.2.0.3/x", ""},
    {"R-46", G, "http://1.2.3.4a/", "http://1.2.3.4a/", ""},
    {"R-46", G, "http://a.9z/", "http://a.9z/", ""},
    {"R-46", G, "http://[::1]/", "http://[::1]/", ""},
    {"R-46", G, "http://[::1]:/", "http://[::1]/", ""},
    {"R-46", G, "http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/", ""},
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
    {"R-48", G, "http://a.example/%30%39%41%5A%61%7A",
	"http://a.example/09AZaz", ""},
    {"R-48", G, "http://a.example/%2C%2F%3A%40%5B%5E%60%7B%7D%7F%80",
	"http://a.example/%2C%2F%3A%40%5B%5E%60%7B%7D%7F%80", ""},
    {"R-48", G, "http://a.example/%/0%:0%@0%G0%g0%0/%0:%0@%0G%0g",
	"http://a.example/%25/0%25:0%25@0%25G0%25g0%250/%250:%250@%250G%250g",
	"url-bad-percent"},
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
    {"R-48", N, "http://a.example/\xc3\xbc", "http://a.example/%C3%BC",
	"url-non-ascii"},
    {"R-48", G, "http://a.example/?\xc3\xbc", "http://a.example/?%C3%BC",
	"url-non-ascii"},
    {"R-48", G, "http://a.example/\xfc", "http://a.example/%FC",
	"url-non-ascii"},
    {"R-48", G, "http://a.example/\x80", "http://a.example/%80",
	"url-non-ascii"},
    {"R-49", G, "http://a.example/a b", "http://a.example/a%20b",
	"url-not-escaped"},
    {"R-49", G, "http://a.example/\"<>^`{|}\x7f\x01",
	"http://a.example/%22%3C%3E%5E%60%7B%7C%7D%7F%01", "url-not-escaped"},
    {"R-49", G, "http://a.example/?\"<>^`{|}\\",
	"http://a.example/?%22%3C%3E%5E%60%7B%7C%7D%5C", "url-not-escaped"},
    {"R-49", G, "http://a.example/[']?[']", "http://a.example/[']?[']", ""},
    {"R-49", G, "http://a.example/a/bc<d", "http://a.example/a/bc%3Cd",
	"url-not-escaped"},
    {"R-49", G, "http://a.example/ab/cde<", "http://a.example/ab/cde%3C",
	"url-not-escaped"},
    {"R-49", G, "http://a.\texa\r\nmple/a\nb", "http://a.example/ab",
	"url-whitespace"},
    {"R-49", G, "\xc2\xa0http://a.example/\xef\xbb\xbf \xe3\x80\x80",
	"http://a.example/", "url-whitespace"},
    {"R-49", G, "\xe2\x80\x8bhttp://a.example/\xe2\x80\x8b",
	"http://a.example/", "url-whitespace"},
    {"R-49", G, "\v\fhttp://a.example/\f\v", "http://a.example/",
	"url-whitespace"},
    {"R-49", G, "http://a.example/\xc2\xa0", "http://a.example/",
	"url-whitespace"},
    {"R-49", G, "http://a.example/\xc2\xa0z", "http://a.example/%C2%A0z",
	"url-non-ascii"},
    {"R-49", L, "http://a.example/b\\..\\c", "http://a.example/c",
	"url-not-escaped"},
    {"R-49", L, "http://a.example/?b\\c", "http://a.example/?b%5Cc",
	"url-not-escaped"},
    {"R-49", L, "http://a.example/b#\\c", "http://a.example/b",
	"url-has-fragment"},
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
    /* refused */
    {"R-35", G, " \n", NULL, "empty-tag"},
    {"R-35", G, "\xc2\xa0", NULL, "empty-tag"},
    {"R-35", L, " \xe3\x80\x80 ", NULL, "empty-tag"},
    {"R-42", G, "ftp://a.example/", NULL, "unsupported-scheme"},
    {"R-42", G, "htp://a.example/", NULL, "unsupported-scheme"},
    {"R-42", G, "httpx://a.example/", NULL, "unsupported-scheme"},
    {"R-42", G, "mailto:a@b.example", NULL, "unsupported-scheme"},
    {"R-42", L, "file:///etc/passwd", NULL, "unsupported-scheme"},
    {"R-42", L, "javascript:alert(1)", NULL, "unsupported-scheme"},
    {"R-42", G, "http:x", NULL, "invalid-url"},
    {"R-42", G, "http:/a.example/", NULL, "invalid-url"},
    {"R-42", G, "https://", NULL, "invalid-url"},
    {"R-42", G, "http:/", NULL, "invalid-url"},
    {"R-42", G, "https://?x", NULL, "invalid-url"},
    {"R-42", G, "https://#x", NULL, "invalid-url"},
    {"R-42", L, "http:80/x", NULL, "invalid-url"},
    {"R-42", G, "http", NULL, "relative-url"},
    {"R-43", G, "//a.example/x", NULL, "relative-url"},
    {"R-43", G, "a.example:8080/x", NULL, "relative-url"},
    {"R-43", G, "localhost:8080", NULL, "relative-url"},
    {"R-43", G, "localhost:0?x", NULL, "relative-url"},
    {"R-43", G, "localhost:9#x", NULL, "relative-url"},
    {"R-43", G, "-a:b", NULL, "relative-url"},
    {"R-43", G, "a_b:c", NULL, "relative-url"},
    {"R-43", G, "a~b:c", NULL, "relative-url"},
    {"R-43", G, "9a:b", NULL, "relative-url"},
    {"R-43", G, "0a:b", NULL, "relative-url"},
    {"R-43", G, "a.b:c", NULL, "relative-url"},
    {"R-43", G, "://a.example", NULL, "relative-url"},
    {"R-43", G, "localhost:80x", NULL, "unsupported-scheme"},
    {"R-43", G, "localhost:", NULL, "unsupported-scheme"},
    {"R-44", G, "http://a.example:65536/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:655350/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:655360/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:065536/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:99999999999999/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:0/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:-1/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:8x/", NULL, "invalid-url"},
    {"R-44", G, "http://a.example:80:80/", NULL, "invalid-url"},
    {"R-44", G, "http://a..example/", NULL, "invalid-url"},
    {"R-44", G, "http://a%20b/", NULL, "invalid-url"},
    {"R-44", G, "http://u@a.example/", NULL, "url-has-userinfo"},
    {"R-44", G, "http://@a.example/", NULL, "url-has-userinfo"},
    {"R-44", L, "http://u:p@a.example/", NULL, "url-has-userinfo"},
    {"R-46", G, "http://[::1]81/x", NULL, "invalid-url"},
    {"R-46", G, "http://1.2.3.256/", NULL, "invalid-url"},
    {"R-46", G, "http://1.2.3.1000/", NULL, "invalid-url"},
    {"R-46", G, "http://1.2.3.4.5/", NULL, "invalid-url"},
    {"R-46", G, "http://1a.2.3.4/", NULL, "invalid-url"},
    {"R-46", G, "http://[::1]:65536/", NULL, "invalid-url"},
    {"R-48", N, "http://a.example/%4g", NULL, "invalid-url"},
    {"R-49", N, "http://a.example/a b", NULL, "invalid-url"},
    {"R-49", N, "http://a.example/a\nb", NULL, "invalid-url"},
    {"R-49", N, "\xc2\xa0http://a.example/", NULL, "invalid-url"},
    {"R-49", G, "http://a.example\\b", NULL, "invalid-url"},
    {"R-49", G, "http://a.example/b\\c", NULL, "invalid-url"},
    {"T9", G, "http://a\\@b/", NULL, "url-has-userinfo"},
};

static const struct diag_sink quiet = {NULL, NULL};

static struct url
google(const char *raw)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct url url = {0};

	if (url_parse(&url, slice_of(raw), NULL, &profile, quiet) != DIAG_OK)
		fail_msg("'%s'", raw);
	return url;
}

static void
check_same(const struct url *a, const struct url *b)
{
	assert_int_equal(a->host_at, b->host_at);
	assert_int_equal(a->host_len, b->host_len);
	assert_int_equal(a->path_at, b->path_at);
	assert_int_equal(a->path_len, b->path_len);
	assert_int_equal(a->port, b->port);
	assert_int_equal(a->is_https, b->is_https);
	assert_int_equal(a->host_kind, b->host_kind);
	assert_true(slice_equal(url_text(a), url_text(b)));
}

/* U1: the normal form is its own normal form, the slow way, too, which does
 * what the fast way cannot. */
static void
check_settled(const struct url *url)
{
	struct profile lenient = profile_default(PROFILE_LENIENT);
	struct seen seen = {{0}};
	struct url again = {0};

	lenient.max_loc_chars = URL_MAX_BYTES;
	assert_int_equal(
	    url_slow(&again, url_text(url), NULL, &lenient, seen_sink(&seen)),
	    DIAG_OK);
	check_same(&again, url);
	for (int i = 0; i < DIAG_COUNT; i++)
		assert_true(seen.count[i] == 0 || i == DIAG_URL_DOUBLE_ESCAPED);
	url_release(&again);
}

static void
urls_are_normalised(void **state)
{
	struct url base, url = {0};
	struct buf *out = *state;

	base = google("https://b.example:8443/d/e/f?q=/g");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct profile profile = profile_default(row->profile);
		struct seen seen = {{0}};
		char *raw = exact_copy(slice_of(row->raw));
		enum diag_code code = url_parse(&url,
		    slice_make(raw, strlen(row->raw)), &base, &profile,
		    seen_sink(&seen));

		free(raw);
		if (code != DIAG_OK) {
			memset(&seen, 0, sizeof(seen));
			seen.count[code]++;
		}
		if ((code == DIAG_OK) != (row->text != NULL) ||
		    strcmp(seen_names(&seen, out), row->codes) != 0)
			fail_msg("%s '%s': %s, %s", row->rule, row->raw,
			    diag_name(code), buf_str(out));
		if (code != DIAG_OK)
			continue;
		if (strcmp(text_of(out, url_text(&url)), row->text) != 0)
			fail_msg(
			    "%s '%s' is '%s'", row->rule, row->raw, out->p);
		check_settled(&url);
		/* what is plain is left as it is */
		if (strncmp(row->raw, "http://a.example/", 17) == 0 &&
		    url_is_plain(slice_of(row->raw), 17, NULL))
			assert_string_equal(row->raw, row->text);
	}
	url_release(&base);
	url_release(&url);
}

/* Lengths, references and parts of URLs: SPEC R-24, R-53, R-73, HOSTILE U6. */

/* R-24: "https://a.example/" and that many more characters of unit. */
static enum diag_code
parse_long(enum profile_name name, size_t chars, const char *unit)
{
	struct profile profile = profile_default(name);
	struct buf raw;
	struct url url = {0};
	enum diag_code code;

	buf_init(&raw, 1 << 20);
	(void)buf_print(&raw, "https://a.example/");
	for (size_t i = raw.len; i < chars; i++)
		(void)buf_print(&raw, "%s", unit);
	code = url_parse(&url, buf_text(&raw), NULL, &profile, quiet);
	if (code == DIAG_OK)
		assert_true(url.text.len >= chars);
	url_release(&url);
	buf_release(&raw);
	return code;
}

static void
characters_are_counted(void **state)
{
	static const struct {
		enum profile_name profile;
		size_t most;
		const char *unit;
	} limits[] = {{N, 2047, "a"}, {N, 2047, "\xc3\xbc"},
	    {N, 2047, "\xe6\x97\xa5"}, {N, 2047, "\xf0\x9f\x98\x80"},
	    {G, 2048, "a"}, {G, 2048, "\xf0\x9f\x98\x80"}, {L, 8192, "a"},
	    /* 32 KiB when normalised, whatever the profile: 18 bytes, and 12
	     * for each character */
	    {L, 18 + 2729, "\xf0\x9f\x98\x80"}};

	for (size_t i = 0; i < COUNT(limits); i++)
		for (size_t more = 0; more <= 1; more++) {
			enum diag_code code = parse_long(limits[i].profile,
			    limits[i].most + more, limits[i].unit);

			if (code != (more ? DIAG_URL_TOO_LONG : DIAG_OK))
				fail_msg("limit %zu, %zu more: %s", i, more,
				    diag_name(code));
		}
}

/* If the profile allows more characters, the ceiling in bytes holds on the fast
 * and on the slow way, and with an origin that the URL has already. */
static void
the_ceiling_is_exact(void **state)
{
	static const struct {
		const char *before, *start;
	} ways[] = {{"", "http://a.example/"}, {"", "HTTP://a.example/"},
	    {"http://a.example/x", "http://a.example/"}};
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct buf *raw = *state;

	profile.max_loc_chars = 1000000;
	for (size_t len = URL_MAX_BYTES - 6; len <= URL_MAX_BYTES + 2; len++)
		for (size_t i = 0; i < COUNT(ways); i++) {
			struct url url = {0};

			(void)url_parse(&url, slice_of(ways[i].before), NULL,
			    &profile, quiet);
			buf_clear(raw);
			(void)buf_print(raw, "%s", ways[i].start);
			while (raw->len < len)
				(void)buf_put_char(raw, 'a');
			assert_int_equal(url_parse(&url, buf_text(raw), NULL,
					     &profile, quiet),
			    len <= URL_MAX_BYTES ? DIAG_OK : DIAG_URL_TOO_LONG);
			url_release(&url);
		}
}

struct reference {
	const char *raw;
	const char *text; /* NULL: refused */
};

/* RFC 3986 5.4, base http://a/b/c/d;p?q */
static void
references_are_resolved(void **state)
{
	static const struct reference references[] = {{"g", "http://a/b/c/g"},
	    {"./g", "http://a/b/c/g"}, {"g/", "http://a/b/c/g/"},
	    {"/g", "http://a/g"}, {"//g", "http://g/"},
	    {"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"},
	    {"#s", "http://a/b/c/d;p?q"}, {"g#s", "http://a/b/c/g"},
	    {"g?y#s", "http://a/b/c/g?y"}, {";x", "http://a/b/c/;x"},
	    {"g;x", "http://a/b/c/g;x"}, {"", "http://a/b/c/d;p?q"},
	    {".", "http://a/b/c/"}, {"./", "http://a/b/c/"},
	    {"..", "http://a/b/"}, {"../", "http://a/b/"},
	    {"../g", "http://a/b/g"}, {"../..", "http://a/"},
	    {"../../g", "http://a/g"}, {"../../../g", "http://a/g"},
	    {"/./g", "http://a/g"}, {"/../g", "http://a/g"},
	    {"g.", "http://a/b/c/g."}, {"..g", "http://a/b/c/..g"},
	    {"./../g", "http://a/b/g"}, {"g/../h", "http://a/b/c/h"},
	    {"g?y/../x", "http://a/b/c/g?y/../x"},
	    {"https://e/x", "https://e/x"}, {" /g ", "http://a/g"},
	    {"/a b", "http://a/a%20b"}, {"//u@e/", NULL}, {"ftp://e/", NULL},
	    {"http:g", NULL}, {"js:x", NULL}, {"//", NULL}, {"js:1", NULL},
	    {"h:80", NULL}, {"h.e:80/y", NULL}, {"/\\e", NULL},
	    {"J+x-1.2:3", NULL}, {"./h:80", "http://a/b/c/h:80"},
	    {"a~b", "http://a/b/c/a~b"}, {"1:2", "http://a/b/c/1:2"},
	    {"?h:80", "http://a/b/c/d;p?h:80"}, {"az:80", NULL},
	    {"za:80", NULL}, {"AZ:80", NULL}, {"ZA:80", NULL}};
	struct url base = google("http://a/b/c/d;p?q");
	struct url url = {0};

	for (size_t i = 0; i < COUNT(references); i++) {
		enum diag_code code = url_resolve(
		    &url, slice_of(references[i].raw), &base);

		if ((code == DIAG_OK) != (references[i].text != NULL))
			fail_msg(
			    "'%s': %s", references[i].raw, diag_name(code));
		if (code == DIAG_OK &&
		    !slice_is(url_text(&url), references[i].text))
			fail_msg("'%s': '%.*s'", references[i].raw,
			    (int)url.text.len, url.text.p);
	}
	url_release(&url);
	url_release(&base);
}

/* A URL may be its own base. */
static void
a_chain_needs_one_url(void **state)
{
	static const struct {
		struct slice to;
		const char *text; /* NULL: refused */
	} chain[] = {{{"../w?v", 6}, "https://a.example/w?v"},
	    {{"//b.example/%zz", 15}, "https://b.example/%25zz"},
	    /* a byte 0 is no end, and no part of a host */
	    {{"a\0:1", 4}, "https://b.example/a%00:1"},
	    {{"http://a\0b/", 11}, NULL}};
	struct url url = google("https://a.example/x/y?z");

	for (size_t i = 0; i < COUNT(chain); i++) {
		enum diag_code code = url_resolve(&url, chain[i].to, &url);

		if (chain[i].text == NULL)
			assert_int_equal(code, DIAG_INVALID_URL);
		else
			assert_true(slice_is(url_text(&url), chain[i].text));
	}
	url_release(&url);
}

struct parts_part {
	const char *raw;
	const char *origin, *host, *path, *target, *directory;
	unsigned port;
};

/* R-53 */
static void
parts_are_prefixes(void **state)
{
	static const struct parts_part cases[] = {
	    {"http://a.example/b/s.xml?c=/d", "http://a.example", "a.example",
		"/b/s.xml", "/b/s.xml?c=/d", "http://a.example/b/", 80},
	    {"https://a.example:8443", "https://a.example:8443", "a.example",
		"/", "/", "https://a.example:8443/", 8443},
	    {"http://a.example/a/", "http://a.example", "a.example", "/a/",
		"/a/", "http://a.example/a/", 80},
	    {"http://a.example/maps", "http://a.example", "a.example", "/maps",
		"/maps", "http://a.example/", 80},
	    {"http://a.example/a%2Fb?", "http://a.example", "a.example",
		"/a%2Fb", "/a%2Fb?", "http://a.example/", 80},
	    {"https://[::1]:81/x/y", "https://[::1]:81", "[::1]", "/x/y",
		"/x/y", "https://[::1]:81/x/", 81},
	    {"HTTPS://A.example/%7e/z", "https://a.example", "a.example",
		"/~/z", "/~/z", "https://a.example/~/", 443},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct url url = google(cases[i].raw);
		struct url copy = {0}, again = {0};

		url_copy(&copy, &url);
		url_release(&url);
		assert_true(slice_is(url_origin(&copy), cases[i].origin));
		assert_true(slice_is(url_host(&copy), cases[i].host));
		assert_true(slice_is(url_path(&copy), cases[i].path));
		assert_true(slice_is(url_target(&copy), cases[i].target));
		assert_true(url_is_normal(&again, url_text(&copy)));
		assert_int_equal(url_is_normal(&again, slice_of(cases[i].raw)),
		    slice_is(url_text(&copy), cases[i].raw));
		assert_true(slice_is(
		    url_parts(url_text(&copy)).target, cases[i].target));
		assert_int_equal(
		    url_parse_raw(&again, slice_of(cases[i].target), &copy),
		    DIAG_OK);
		assert_true(slice_equal(url_text(&again), url_text(&copy)));
		assert_true(slice_is(url_directory(&copy), cases[i].directory));
		assert_int_equal(copy.port, cases[i].port);
		url_release(&copy);
		url_release(&again);
	}
}

/* Sound URLs must take the fast way: nobody would notice if millions of them
 * took the slow one. */
static void
sound_urls_are_fast(void **state)
{
	static const char *const fast[] = {"http://a.example/",
	    "https://www.example.com/a-b_c~d.html?e=1&f=%C3%BC%AF%9E%F0?/",
	    "https://a.example:8443/A/b;c=d,e!f$g'h(i)*j+k:l@m[n]/o.p/q..",
	    "http://127.0.0.1:18080/x", "http://255.20.30.40/",
	    "https://1a.b2/", "http://a.-b/", "http://a.b:443/",
	    "https://a.b:80/"};
	struct profile profile = profile_default(PROFILE_STRICT);
	struct url url = {0};

	for (size_t i = 0; i < COUNT(fast); i++) {
		profile.max_loc_chars = (int)strlen(fast[i]);
		if (!url_fast(&url, slice_of(fast[i]), &profile))
			fail_msg("'%s' is slow", fast[i]);
		profile.max_loc_chars--;
		assert_false(url_fast(&url, slice_of(fast[i]), &profile));
	}
	profile = profile_default(PROFILE_STRICT);
	assert_false(
	    url_fast(&url, slice_of("http://111.111.111.1111/"), &profile));
	assert_false(url_is_normal(&url, slice_of("no URL")));
	url_release(&url);
}

/* DNS has no name of more than 253 bytes. */
static void
long_names_are_refused(void **state)
{
	struct profile profile = profile_default(PROFILE_STRICT);
	struct buf *raw = *state;
	struct url url = {0};

	for (size_t len = 252; len <= 254; len++) {
		bool is_name = len <= 253;

		buf_clear(raw);
		(void)buf_print(raw, "http://");
		for (size_t i = 0; i < len; i++)
			(void)buf_put_char(raw, i % 50 == 49 ? '.' : 'a');
		(void)buf_put_char(raw, '/');
		assert_int_equal(
		    url_fast(&url, buf_text(raw), &profile), is_name);
		assert_int_equal(
		    url_slow(&url, buf_text(raw), NULL, &profile, quiet),
		    is_name ? DIAG_OK : DIAG_INVALID_URL);
	}
	url_release(&url);
}

/* A URL that was refused leaves no origin that the next one could be compared
 * with. */
static void
only_sound_origins_are_known(void **state)
{
	static const char *const texts[] = {"http://a.b/x", "http://A.b/x",
	    "http://A.b/y", "http://a.b/x", "http://a.b:08/x",
	    "http://a.b:08/y", "http://a.b/", "http://a.b/", "http://a.b?x"};
	struct profile profile = profile_default(PROFILE_STRICT);
	struct url url = {0};

	for (size_t i = 0; i < COUNT(texts); i++) {
		bool is_sound = slice_starts(
		    slice_of(texts[i]), slice_of("http://a.b/"));

		if (url_fast(&url, slice_of(texts[i]), &profile) != is_sound)
			fail_msg("'%s'", texts[i]);
	}
	url_release(&url);
}

/* Each byte at each place of a path and query, in a URL that ends with the
 * memory that holds it. */
static void
plain_targets_are_known(void **state)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789()*+,-./:;?&_=";
	const size_t at = 16; /* behind the slash that ends the origin */

	for (size_t len = at + 2; len < at + 36; len++) {
		char *url = mem_alloc(len);

		memset(url, 'a', len);
		memcpy(url, "https://a.examp/", at);
		assert_int_equal(url_is_plain(slice_make(url, len), at, NULL),
		    (len - at + 15) / 16 * 16 < len);
		for (size_t i = at; i < len; i++) {
			for (int c = 1; c < 256; c++) {
				bool is_plain = strchr(plain, c) != NULL &&
				    (c != '.' || url[i - 1] != '/') &&
				    (c != '&' || i + 1 == len) &&
				    (len - at + 15) / 16 * 16 < len;

				url[i] = (char)c;
				if (url_is_plain(slice_make(url, len), at,
					NULL) != is_plain)
					fail_msg(
					    "byte %d at %zu of %zu", c, i, len);
			}
			url[i] = 'a';
		}
		free(url);
	}
}

/* What normalisation would read as a reference is not normal. */
static void
references_are_not_plain(void **state)
{
	static const char *const odd[] = {"http://a.b/?x=1&amp;y=2-and-more",
	    "http://a.b/some/longer/path?x&amp;", "http://a.b/page.html?a&ab"};

	for (size_t i = 0; i < COUNT(odd); i++)
		assert_false(url_is_plain(slice_of(odd[i]), 11, NULL));
	assert_true(url_is_plain(
	    slice_of("http://a.b/some/page.html?x=1&y=2&mp;"), 11, NULL));
}

/* U6: one page, one key. */
static void
spellings_are_one_key(void **state)
{
	static const char *const spellings[] = {
	    "http://a.example/~b/c?d=%C3%BC", "HTTP://a.example/~b/c?d=%C3%BC",
	    "http://A.EXAMPLE/~b/c?d=%C3%BC",
	    "http://a.example:80/~b/c?d=%C3%BC",
	    "http://a.example:/~b/c?d=%C3%BC",
	    "http://a.example:0080/~b/c?d=%C3%BC",
	    "http://a.example./~b/c?d=%C3%BC",
	    "http://%61.example/~b/c?d=%C3%BC",
	    "http://a.example/%7Eb/c?d=%C3%BC",
	    "http://a.example/%7eb/c?d=%c3%bc",
	    "http://a.example/~%62/%63?%64=%c3%BC",
	    "http://a.example/./~b/c?d=%C3%BC",
	    "http://a.example/x/../~b/c?d=%C3%BC",
	    "http://a.example/%2e/~b/x/%2E%2E/c?d=%C3%BC",
	    "http://a.example/../~b/c?d=%C3%BC",
	    "http://a.example/~b/c?d=\xc3\xbc",
	    "http://a.example/~b/c?d=%C3%BC#e",
	    " http://a.example/~b/c?d=%C3%BC\n",
	    "http://a.example/~b\n/c?d=%C3%BC",
	    "\xef\xbb\xbfhttp://a.example/~b/c?d=%C3%BC",
	    "http://\xef\xbd\x81.example/~b/c?d=%C3%BC",
	    "http://a\343\200\202example/~b/c?d=%C3%BC"};

	for (size_t i = 0; i < COUNT(spellings); i++) {
		struct url url = google(spellings[i]);

		if (!slice_is(url_text(&url), spellings[0]))
			fail_msg("'%s'", spellings[i]);
		url_release(&url);
	}
}

/* Bytes that continue a character are not counted as characters, so only memory
 * limits them. */
static void
urls_need_room(void **state)
{
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct url base = {0}, url = {0};
	struct buf *raw = *state;

	assert_int_equal(url_parse(&base, slice_of("https://a.example/d/s.xml"),
			     NULL, &profile, (struct diag_sink){0}),
	    DIAG_OK);
	(void)buf_put_slice(raw, slice_of("/\t"));
	for (int i = 0; i < 200000; i++)
		(void)buf_put_char(raw, (char)0x80);
	assert_int_equal(url_parse(&url, buf_text(raw), &base, &profile,
			     (struct diag_sink){0}),
	    DIAG_URL_TOO_LONG);
	raw->p[1] = 'x';
	assert_int_equal(url_parse(&url, buf_text(raw), &base, &profile,
			     (struct diag_sink){0}),
	    DIAG_URL_TOO_LONG);
	/* nothing refers to the base itself (RFC 3986 4.4) */
	assert_int_equal(url_resolve(&url, slice_of(""), &base), DIAG_OK);
	assert_true(slice_equal(url_text(&url), url_text(&base)));
	url_release(&base);
	url_release(&url);
}

/* If the code of a finding says everything, the finding has no detail. */
static void
findings_have_no_detail(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	unsigned count = 0;
	struct url url = {0};

	(void)url_parse(&url, slice_of("https://a.example/ #"), NULL, &profile,
	    (struct diag_sink){no_detail, &count});
	assert_int_equal(count, 2);
	url_release(&url);
}

/* The first folder, and the URL without an origin of the host. */
static void
urls_have_sections(void **state)
{
	static const struct {
		const char *url, *section, *below;
	} parts[] = {{"https://a.example/", "/", "/"},
	    {"https://a.example/x", "/", "/x"},
	    {"https://a.example/blog/", "/blog", "/blog/"},
	    {"https://a.example:8443/blog/a/b", "/blog", "/blog/a/b"},
	    {"https://a.example/x?y=/z/", "/", "/x?y=/z/"},
	    {"https://a.example.org/b/c", "/b", "https://a.example.org/b/c"},
	    {"https://a.example", "/", "https://a.example"},
	    {"https://a.example:8443", "/", "https://a.example:8443"},
	    {"https://b.example/c", "/", "https://b.example/c"},
	    {"https://a.example//x/y", "/", "//x/y"},
	    {"https://a.example:8443x", "/", "https://a.example:8443x"},
	    {"http://[::1", "/", "http://[::1"},
	    {"http:///x/y", "/x", "http:///x/y"}, {"https://", "/", "https://"},
	    {"/b/c", "/b", "/b/c"}, {"", "/", ""}};

	for (size_t i = 0; i < COUNT(parts); i++) {
		char *copy = exact_copy(slice_of(parts[i].url));
		struct slice url = slice_make(copy, strlen(parts[i].url));

		assert_true(slice_is(url_section(url), parts[i].section));
		assert_true(slice_is(
		    url_short(url, slice_of("a.example")), parts[i].below));
		free(copy);
	}
}

/* The path with its query, which lies in the URL. */
static void
urls_have_paths(void **state)
{
	static const char *const parts[][2] = {{"https://a.example/", "/"},
	    {"https://a.example:8443/b/c?d=/e", "/b/c?d=/e"},
	    {"https://a.example//b", "//b"}, {"https://a.example", ""},
	    {"https://", ""}, {"/b/c", "/b/c"}, {"b", ""}, {"", ""}};

	for (size_t i = 0; i < COUNT(parts); i++) {
		char *copy = exact_copy(slice_of(parts[i][0]));
		struct slice url = slice_make(copy, strlen(parts[i][0]));
		struct slice path = url_path_of(url);

		assert_true(slice_is(path, parts[i][1]));
		assert_ptr_equal(path.p + path.len, url.p + url.len);
		free(copy);
	}
}

UNIT(url)
{
	const struct CMUnitTest tests[] = {
	    text_test(urls_are_normalised),
	    cmocka_unit_test(characters_are_counted),
	    text_test(the_ceiling_is_exact),
	    cmocka_unit_test(references_are_resolved),
	    cmocka_unit_test(a_chain_needs_one_url),
	    cmocka_unit_test(parts_are_prefixes),
	    cmocka_unit_test(sound_urls_are_fast),
	    text_test(long_names_are_refused),
	    cmocka_unit_test(only_sound_origins_are_known),
	    cmocka_unit_test(plain_targets_are_known),
	    cmocka_unit_test(references_are_not_plain),
	    cmocka_unit_test(spellings_are_one_key),
	    text_test(urls_need_room),
	    cmocka_unit_test(findings_have_no_detail),
	    cmocka_unit_test(urls_have_sections),
	    cmocka_unit_test(urls_have_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
