/* Lengths, references and parts of URLs: SPEC, HOSTILE U6. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/url.h"

static const struct diag_sink quiet = {NULL, NULL};

static struct url
google(const char *raw)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct url url;

	url_init(&url);
	if (url_parse(&url, slice_of(raw), NULL, &profile, quiet) != DIAG_OK)
		fail_msg("'%s'", raw);
	return url;
}

/* "https://a.example/" and that many more characters of unit. */
static enum diag_code
parse_long(enum profile_name name, size_t chars, const char *unit)
{
	struct profile profile = profile_default(name);
	struct buf raw;
	struct url url;
	enum diag_code code;

	buf_init(&raw, 1 << 20);
	url_init(&url);
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
	static const char *const units[] = {
	    "a", "\xc3\xbc", "\xe6\x97\xa5", "\xf0\x9f\x98\x80"};

	(void)state;
	for (size_t i = 0; i < COUNT(units); i++) {
		assert_int_equal(
		    parse_long(PROFILE_STRICT, 2047, units[i]), DIAG_OK);
		assert_int_equal(parse_long(PROFILE_STRICT, 2048, units[i]),
		    DIAG_URL_TOO_LONG);
		assert_int_equal(
		    parse_long(PROFILE_GOOGLE, 2048, units[i]), DIAG_OK);
		assert_int_equal(parse_long(PROFILE_GOOGLE, 2049, units[i]),
		    DIAG_URL_TOO_LONG);
		assert_int_equal(parse_long(PROFILE_LENIENT, 8193, units[i]),
		    DIAG_URL_TOO_LONG);
	}
	assert_int_equal(parse_long(PROFILE_LENIENT, 8192, "a"), DIAG_OK);
}

/* 32 KiB when normalised, whatever the profile. */
static void
normalised_bytes_have_a_ceiling(void **state)
{
	(void)state;
	/* 18 bytes and 12 for each character. */
	assert_int_equal(
	    parse_long(PROFILE_LENIENT, 18 + 2729, "\xf0\x9f\x98\x80"),
	    DIAG_OK);
	assert_int_equal(
	    parse_long(PROFILE_LENIENT, 18 + 2730, "\xf0\x9f\x98\x80"),
	    DIAG_URL_TOO_LONG);
}

/* Where the profile allows more, the ceiling holds on both ways. */
static void
the_ceiling_is_exact(void **state)
{
	struct profile profile = profile_default(PROFILE_LENIENT);

	(void)state;
	profile.max_loc_chars = 1000000;
	for (size_t len = URL_MAX_BYTES - 6; len <= URL_MAX_BYTES + 2; len++) {
		for (int slow = 0; slow <= 1; slow++) {
			struct buf raw;
			struct url url;

			buf_init(&raw, 1 << 20);
			url_init(&url);
			(void)buf_print(&raw,
			    slow ? "HTTP://a.example/" : "http://a.example/");
			while (raw.len < len)
				(void)buf_put_char(&raw, 'a');
			assert_int_equal(url_parse(&url, buf_text(&raw), NULL,
					     &profile, quiet),
			    len <= URL_MAX_BYTES ? DIAG_OK : DIAG_URL_TOO_LONG);
			url_release(&url);
			buf_release(&raw);
		}
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
	    {"1:2", "http://a/b/c/1:2"}, {"?h:80", "http://a/b/c/d;p?h:80"}};
	struct url base = google("http://a/b/c/d;p?q");
	struct url url;

	(void)state;
	url_init(&url);
	for (size_t i = 0; i < COUNT(references); i++) {
		enum diag_code code = url_resolve(
		    &url, slice_of(references[i].raw), &base, quiet);

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
	struct url url = google("https://a.example/x/y?z");

	(void)state;
	assert_int_equal(
	    url_resolve(&url, slice_of("../w?v"), &url, quiet), DIAG_OK);
	assert_true(slice_is(url_text(&url), "https://a.example/w?v"));
	assert_int_equal(
	    url_resolve(&url, slice_of("//b.example/%zz"), &url, quiet),
	    DIAG_OK);
	assert_true(slice_is(url_text(&url), "https://b.example/%25zz"));
	url_release(&url);
}

struct parts {
	const char *raw;
	const char *origin, *host, *path, *target, *directory;
	unsigned port;
};

/* */
static void
parts_are_prefixes(void **state)
{
	static const struct parts cases[] = {
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

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct url url = google(cases[i].raw);
		struct url copy;

		url_init(&copy);
		url_copy(&copy, &url);
		url_release(&url);
		assert_true(slice_is(url_origin(&copy), cases[i].origin));
		assert_true(slice_is(url_host(&copy), cases[i].host));
		assert_true(slice_is(url_path(&copy), cases[i].path));
		assert_true(slice_is(url_target(&copy), cases[i].target));
		assert_true(slice_is(url_directory(&copy), cases[i].directory));
		assert_int_equal(copy.port, cases[i].port);
		url_release(&copy);
	}
}

/* Else millions of URLs would take the slow way unseen. */
static void
sound_urls_are_fast(void **state)
{
	static const char *const fast[] = {"http://a.example/",
	    "https://www.example.com/a-b_c~d.html?e=1&f=%C3%BC%2F%9F%F0?/",
	    "https://a.example:8443/A/b;c=d,e!f$g'h(i)*j+k:l@m[n]/o.p/q..",
	    "http://127.0.0.1:18080/x", "http://255.20.30.40/",
	    "https://1a.b2/", "http://a.b:443/", "https://a.b:80/"};
	struct profile profile = profile_default(PROFILE_STRICT);
	struct url url;

	(void)state;
	url_init(&url);
	for (size_t i = 0; i < COUNT(fast); i++)
		if (!url_fast(&url, slice_of(fast[i]), &profile))
			fail_msg("'%s' is slow", fast[i]);
	url_release(&url);
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

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		struct url url = google(spellings[i]);

		if (!slice_is(url_text(&url), spellings[0]))
			fail_msg("'%s'", spellings[i]);
		url_release(&url);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(characters_are_counted),
	    cmocka_unit_test(normalised_bytes_have_a_ceiling),
	    cmocka_unit_test(the_ceiling_is_exact),
	    cmocka_unit_test(references_are_resolved),
	    cmocka_unit_test(a_chain_needs_one_url),
	    cmocka_unit_test(parts_are_prefixes),
	    cmocka_unit_test(sound_urls_are_fast),
	    cmocka_unit_test(spellings_are_one_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
