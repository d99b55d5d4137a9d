/* Targets of the command line: SPEC 15.5, 15.6. */
#include "base/target.h"

#include "tests/fixtures/fixture.h"

struct row {
	const char *text;
	enum diag_code code;
	enum target_kind kind;
	bool has_no_scheme;
	const char *url;
};

static const struct row rows[] = {
    {"example.org", DIAG_OK, TARGET_SITE, true, "https://example.org/"},
    {"example.org:8080", DIAG_OK, TARGET_SITE, true,
	"https://example.org:8080/"},
    {"  Example.ORG/ ", DIAG_OK, TARGET_SITE, true, "https://example.org/"},
    {"http://example.org", DIAG_OK, TARGET_SITE, false, "http://example.org/"},
    {"http://example.org/robots.txt", DIAG_OK, TARGET_ROBOTS, false,
	"http://example.org/robots.txt"},
    {"example.org/robots.txt", DIAG_OK, TARGET_ROBOTS, true,
	"https://example.org/robots.txt"},
    {"https://example.org/a/robots.txt", DIAG_OK, TARGET_DOCUMENT, false,
	"https://example.org/a/robots.txt"},
    {"https://example.org/?a", DIAG_OK, TARGET_DOCUMENT, false,
	"https://example.org/?a"},
    {"127.0.0.1:8088", DIAG_OK, TARGET_SITE, true, "https://127.0.0.1:8088/"},
    {"localhost:8088", DIAG_OK, TARGET_SITE, true, "https://localhost:8088/"},
    {"ftp://example.org/", DIAG_UNSUPPORTED_SCHEME, 0, false, NULL},
    {"https://u:p@example.org/", DIAG_URL_HAS_USERINFO, 0, false, NULL},
    {"/tmp/x.xml", DIAG_RELATIVE_URL, 0, false, NULL},
    {"", DIAG_EMPTY_TAG, 0, false, NULL},
};

static void
test_rows(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct target target;
		enum diag_code code = target_parse(
		    &target, slice_of(rows[i].text));

		assert_int_equal(code, rows[i].code);
		if (code == DIAG_OK) {
			assert_int_equal(target.kind, rows[i].kind);
			assert_int_equal(
			    target.has_no_scheme, rows[i].has_no_scheme);
			assert_true(
			    slice_is(url_text(&target.url), rows[i].url));
		}
		url_release(&target.url);
	}
}

/* A text that looks like a file name is no host. */
static void
test_paths(void **state)
{
	static const char *const files[] = {"sitemap.xml", "a.XML.gz",
	    "public/sitemap.xml", "dist/", "./a", "../a", "/a", "~/a", " x/y ",
	    "index.xml/", "a.atom", "b.rss", "c.txt"};
	static const char *const others[] = {"", "example.org",
	    "example.org/sitemap.xml", "example.org/", "localhost",
	    "localhost/a.xml", "LOCALHOST:8080/a.xml", "host:80/a", "[::1]/a",
	    "127.0.0.1/a.xml", "public", "https://public/sitemap.xml",
	    "https://sitemap.xml"};

	for (size_t i = 0; i < COUNT(files); i++)
		if (!target_is_path(slice_of(files[i])))
			fail_msg("'%s'", files[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		if (target_is_path(slice_of(others[i])))
			fail_msg("'%s'", others[i]);
}

UNIT(target)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows), cmocka_unit_test(test_paths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
