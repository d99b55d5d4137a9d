/*
 * crawler/parse/read.c: limits, and documents that are not what they should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/fixtures/read_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define SET(inside) "<urlset " NS ">" inside "</urlset>"
#define INDEX(inside) "<sitemapindex " NS ">" inside "</sitemapindex>"
#define URL(loc) "<url><loc>" loc "</loc></url>"
#define CHILD(loc) "<sitemap><loc>" loc "</loc></sitemap>"
#define HERE "https://a.example/d/s.xml"

static const struct {
	const char *rule;
	enum profile_name profile;
	bool is_index;
	enum diag_code result;
	enum diag_code finding;
	size_t count;
	bool is_complete;
} overruns[] = {
    {"R-36", PROFILE_GOOGLE, false, DIAG_OK, DIAG_TOO_MANY_URLS, 2, false},
    {"R-36", PROFILE_STRICT, false, DIAG_TOO_MANY_URLS, DIAG_TOO_MANY_URLS, 0,
	false},
    {"R-41", PROFILE_LENIENT, false, DIAG_OK, DIAG_TOO_MANY_URLS, 4, false},
    {"R-37", PROFILE_GOOGLE, true, DIAG_OK, DIAG_TOO_MANY_SITEMAPS, 2, false},
};

static void
test_overrun(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(overruns) / sizeof(overruns[0]); i++) {
		struct fixture fixture;
		struct scope scope;
		struct buf body;

		buf_init(&body, 1 << 20);
		for (int j = 0; j < 6; j++)
			(void)buf_print(&body,
			    overruns[i].is_index
				? CHILD("https://a.example/d/%d")
				: URL("https://a.example/d/%d"),
			    j);
		struct buf whole;
		buf_init(&whole, 1 << 20);
		(void)buf_print(&whole,
		    overruns[i].is_index ? INDEX("%s") : SET("%s"),
		    buf_str(&body));
		fixture_init(&fixture, buf_text(&whole));
		fixture_scope(&scope, overruns[i].profile, HERE);
		scope.limits.max_entries = 2;
		scope.limits.hard_entries = 4;
		fixture_read(&fixture, &scope);
		if (fixture.code != overruns[i].result ||
		    fixture.count != overruns[i].count ||
		    fixture.content.is_complete != overruns[i].is_complete ||
		    findings_get(
			&fixture.content.findings, overruns[i].finding) == NULL)
			fail_msg("%s, case %zu", overruns[i].rule, i);
		assert_int_equal(
		    findings_get(&fixture.content.findings, overruns[i].finding)
			->count,
		    1);
		fixture_release(&fixture);
		scope_release(&scope);
		buf_release(&whole);
		buf_release(&body);
	}
}

/* the lenient set reads on to the hard limit, the others stop. */
static void
test_too_large(void **state)
{
	static const struct {
		enum profile_name profile;
		uint64_t hard;
		enum diag_code result;
		size_t count;
		bool is_complete;
	} sizes[] = {
	    {PROFILE_GOOGLE, 1 << 20, DIAG_OK, 1, false},
	    {PROFILE_STRICT, 1 << 20, DIAG_FILE_TOO_LARGE, 0, false},
	    {PROFILE_LENIENT, 1 << 20, DIAG_OK, 3, true},
	    {PROFILE_LENIENT, 180, DIAG_OK, 2, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fixture fixture;
		struct scope scope;

		fixture_init(&fixture,
		    slice_of(SET(URL("https://a.example/d/1")
			    URL("https://a.example/d/2")
				URL("https://a.example/d/3") "\n\n\n\n\n\n")));
		fixture_scope(&scope, sizes[i].profile, HERE);
		scope.limits.max_bytes = 140;
		scope.limits.hard_bytes = sizes[i].hard;
		fixture_read(&fixture, &scope);
		assert_int_equal(fixture.code, sizes[i].result);
		assert_int_equal(fixture.count, sizes[i].count);
		assert_int_equal(
		    fixture.content.is_complete, sizes[i].is_complete);
		assert_int_equal(
		    findings_get(&fixture.content.findings, DIAG_FILE_TOO_LARGE)
			->count,
		    1);
		fixture_release(&fixture);
		scope_release(&scope);
	}
}

/* */
static void
test_nested(void **state)
{
	static const struct {
		enum profile_name profile;
		uint32_t depth;
		enum diag_code result;
	} nests[] = {
	    {PROFILE_GOOGLE, 1, DIAG_NESTED_INDEX},
	    {PROFILE_LENIENT, 1, DIAG_OK},
	    {PROFILE_LENIENT, 3, DIAG_OK},
	    {PROFILE_LENIENT, 4, DIAG_INDEX_TOO_DEEP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
		struct fixture fixture;
		struct scope scope;

		fixture_init(
		    &fixture, slice_of(INDEX(CHILD("https://a.example/d/c"))));
		fixture_scope(&scope, nests[i].profile, HERE);
		scope.is_child = true;
		scope.depth = nests[i].depth;
		fixture_read(&fixture, &scope);
		assert_int_equal(fixture.code, nests[i].result);
		assert_int_equal(fixture.content.kind, KIND_INDEX);
		assert_int_equal(
		    fixture.count, nests[i].result == DIAG_OK ? 1 : 0);
		assert_non_null(
		    findings_get(&fixture.content.findings, DIAG_NESTED_INDEX));
		fixture_release(&fixture);
		scope_release(&scope);
	}
}

/* */
static void
test_content_type(void **state)
{
	static const struct {
		const char *type;
		const char *document;
		bool is_wrong;
	} types[] = {
	    {"text/xml; charset=utf-8", SET(""), false},
	    {"application/rss+xml", SET(""), false},
	    {"text/plain", SET(""), false},
	    {"application/x-gzip", SET(""), false},
	    {"", SET(""), false},
	    {"text/html", SET(""), true},
	    {"application/xhtml+xml", SET(""), true},
	    {"image/png", SET(""), true},
	    {"text/plain;charset=utf-8", "https://a.example/d/", false},
	    {"Text/HTML", "https://a.example/d/", true},
	    {"application/xml", "https://a.example/d/", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct fixture fixture;
		struct scope scope;

		fixture_init(&fixture, slice_of(types[i].document));
		fixture_scope(&scope, PROFILE_GOOGLE, HERE);
		scope.content_type = slice_dup(slice_of(types[i].type));
		fixture_read(&fixture, &scope);
		assert_int_equal(fixture.code, DIAG_OK);
		if (types[i].is_wrong !=
		    (findings_get(&fixture.content.findings,
			 DIAG_WRONG_CONTENT_TYPE) != NULL))
			fail_msg("%s", types[i].type);
		fixture_release(&fixture);
		scope_release(&scope);
	}
}

/*
 * dates near the time of the reading, the listing or the Last-Modified.
 */
static const struct {
	int count;
	int others; /* how many of these have dates elsewhere */
	int64_t made_s;
	int64_t modified_s;
	bool is_uniform;
} uniform_cases[] = {
    {20, 0, 1767225600 - 3600, 0, true},
    {20, 0, 1767225600 - 86400, 0, true},
    {20, 0, 1767225600 - 90000, 0, false},
    {19, 0, 1767225600 - 3600, 0, false},
    {20, 1, 1767225600 - 3600, 0, true},
    {20, 2, 1767225600 - 3600, 0, false},
    {40, 0, 1700000000, 1700003600, true},
};

static void
put_dated(struct buf *body, size_t which)
{
	buf_init(body, 1 << 20);
	(void)buf_print(body, "<urlset " NS ">");
	for (int j = 0; j < uniform_cases[which].count; j++) {
		(void)buf_print(
		    body, "<url><loc>https://a.example/d/%d</loc><lastmod>", j);
		time_print(body,
		    j < uniform_cases[which].others
			? 1600000000
			: uniform_cases[which].made_s);
		(void)buf_print(body, "</lastmod></url>");
	}
	(void)buf_print(body, "</urlset>");
}

static void
test_uniform(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(uniform_cases) / sizeof(uniform_cases[0]);
	     i++) {
		struct fixture fixture;
		struct scope scope;
		struct buf body;

		put_dated(&body, i);
		fixture_init(&fixture, buf_text(&body));
		fixture_scope(&scope, PROFILE_GOOGLE, HERE);
		scope.modified_s = uniform_cases[i].modified_s;
		fixture_read(&fixture, &scope);
		assert_int_equal(fixture.code, DIAG_OK);
		if (uniform_cases[i].is_uniform !=
		    (findings_get(&fixture.content.findings,
			 DIAG_LASTMOD_UNIFORM) != NULL))
			fail_msg("case %zu", i);
		fixture_release(&fixture);
		scope_release(&scope);
		buf_release(&body);
	}
}

/* X10, X13 to X15: these documents must not take much time or memory. */
static void
test_xml_limits(void **state)
{
	static const struct {
		const char *head;
		const char *repeated;
		int times;
	} attacks[] = {
	    {"<urlset a='", "x", 1 << 20},
	    {"<urlset><!-- ", "x", 1 << 20},
	    {"<urlset><?p ", "x", 1 << 20},
	    {"<urlset><url><loc><![CDATA[", "x", 2 << 20},
	    {"<urlset><", "x", 1 << 20},
	    {"<urlset ", "a%d='>' ", 100},
	    {"<urlset ", "xmlns:a%d='u' ", 100},
	    {"<urlset>", "<a>", 100},
	    {"<urlset><url><loc>", "xxxxxxxx", 1 << 18},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		struct fixture fixture;
		struct scope scope;
		struct buf body;

		buf_init(&body, 8 << 20);
		(void)buf_put_slice(&body, slice_of(attacks[i].head));
		for (int j = 0; j < attacks[i].times; j++)
			(void)buf_print(&body, attacks[i].repeated, j);
		(void)buf_print(&body, "/><a>");
		fixture_init(&fixture, buf_text(&body));
		fixture_scope(&scope, PROFILE_GOOGLE, HERE);
		fixture_read(&fixture, &scope);
		if (findings_get(&fixture.content.findings, DIAG_XML_LIMIT) ==
		    NULL)
			fail_msg("attack %zu: %s", i, diag_name(fixture.code));
		assert_int_equal(fixture.count, 0);
		fixture_release(&fixture);
		scope_release(&scope);
		buf_release(&body);
	}
}

/* a CDATA section counts as a value, though the parser would hold it
 * back: many feeds contain articles of more than 64 KiB. */
static const struct {
	const char *head;
	int bytes;
	const char *tail;
	bool is_read;
	enum diag_code code;
} sections[] = {
    {"<rss><channel><item><content><![CDATA[", 900000,
	"]]></content><link>https://b.example/</link></item></"
	"channel></rss>",
	true, DIAG_HOST_MISMATCH},
    {"<urlset " NS "><url><x><![CDATA[", 900000,
	"]]></x><x>&lt;<![CDATA[x]]></x><loc>" HERE "</loc></url></urlset>",
	true, DIAG_UNKNOWN_TAG},
    {"<urlset " NS "><url><x><![CDATA[", 1 << 21,
	"]]></x><loc>" HERE "</loc></url></urlset>", false, DIAG_XML_LIMIT},
};

static void
test_long_cdata(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct fixture fixture;
		struct scope scope;
		struct buf body;

		buf_init(&body, 4 << 20);
		(void)buf_put_slice(&body, slice_of(sections[i].head));
		/*
		 * characters of two bytes, so that some are cut by every piece
		 */
		for (int j = 0; j < sections[i].bytes / 3; j++)
			(void)buf_put(&body, "x\xC3\xA9", 3);
		(void)buf_put_slice(&body, slice_of(sections[i].tail));
		fixture_init(&fixture, buf_text(&body));
		fixture_scope(&scope, PROFILE_GOOGLE, HERE);
		fixture_read(&fixture, &scope);
		assert_int_equal(
		    fixture.content.is_complete, sections[i].is_read);
		assert_true(findings_get(&fixture.content.findings,
				sections[i].code) != NULL);
		fixture_release(&fixture);
		scope_release(&scope);
		buf_release(&body);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_overrun),
	    cmocka_unit_test(test_too_large), cmocka_unit_test(test_nested),
	    cmocka_unit_test(test_content_type), cmocka_unit_test(test_uniform),
	    cmocka_unit_test(test_xml_limits),
	    cmocka_unit_test(test_long_cdata)};

	read_warm();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
