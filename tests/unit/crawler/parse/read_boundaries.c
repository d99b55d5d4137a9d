/* crawler/parse/read.c: each limit at its true number: this much passes, and
 * one more does not (SPEC ). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/fixtures/read_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define IMAGE "xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'"
#define NEWS "xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'"
#define HERE "https://a.example/d/s.xml"
#define LOC "<loc>https://a.example/d/x</loc>"

/* head, then `times` of repeated (which may print its number), then tail. */
static const struct {
	const char *rule;
	enum profile_name profile;
	const char *head;
	const char *repeated;
	int times; /* this many pass */
	const char *tail;
	enum diag_code code; /* the code for one more */
} limits[] = {
    {"R-36", PROFILE_GOOGLE, "<urlset " NS ">",
	"<url><loc>https://a.example/d/%d</loc></url>", 50000, "</urlset>",
	DIAG_TOO_MANY_URLS},
    {"R-36 strict", PROFILE_STRICT, "<urlset " NS ">", "<url/>", 50000,
	"</urlset>", DIAG_TOO_MANY_URLS},
    {"R-36 lenient", PROFILE_LENIENT, "<urlset " NS ">", "<url>" LOC "</url>",
	50000, "</urlset>", DIAG_TOO_MANY_URLS},
    {"R-36 text", PROFILE_GOOGLE, "", "https://a.example/d/%d\n", 50000, "",
	DIAG_TOO_MANY_URLS},
    {"R-36 rss", PROFILE_GOOGLE, "<rss><channel>",
	"<item><link>https://a.example/d/%d</link></item>", 50000,
	"</channel></rss>", DIAG_TOO_MANY_URLS},
    {"R-36 atom", PROFILE_GOOGLE, "<feed xmlns='http://www.w3.org/2005/Atom'>",
	"<entry><link href='%d'/></entry>", 50000, "</feed>",
	DIAG_TOO_MANY_URLS},
    {"R-37", PROFILE_GOOGLE, "<sitemapindex " NS ">",
	"<sitemap><loc>https://a.example/d/%d</loc></sitemap>", 50000,
	"</sitemapindex>", DIAG_TOO_MANY_SITEMAPS},
    {"R-38", PROFILE_GOOGLE, "https://a.example/d/x", "\n", 52428800 - 21, "",
	DIAG_FILE_TOO_LARGE},
    {"R-38 lenient", PROFILE_LENIENT, "https://a.example/d/x", "\n",
	52428800 - 21, "", DIAG_FILE_TOO_LARGE},
    {"R-39", PROFILE_GOOGLE, "https://a.example/d/x", "\n", 10485760 - 21, "",
	DIAG_FILE_OVER_LEGACY_LIMIT},
    {"R-41 depth", PROFILE_GOOGLE, "<urlset " NS "><url>" LOC "</url>", "<x>",
	99, "", DIAG_XML_LIMIT},
    {"R-41 attributes", PROFILE_GOOGLE, "<urlset " NS, " a%d='x'", 63,
	"><url>" LOC "</url></urlset>", DIAG_XML_LIMIT},
    {"R-41 text", PROFILE_GOOGLE, "<urlset " NS "><url>" LOC "<lastmod>", "2",
	1 << 20, "</lastmod></url></urlset>", DIAG_XML_LIMIT},
    {"R-41 text in a feed", PROFILE_GOOGLE, "<rss><channel><item><pubDate>",
	"2", 1 << 20,
	"</pubDate><link>https://a.example/d/x</link></item></channel></rss>",
	DIAG_XML_LIMIT},
    {"R-107", PROFILE_GOOGLE, "<urlset " NS " " IMAGE "><url>" LOC,
	"<i:image><i:loc>https://a.example/%d</i:loc></i:image>", 1000,
	"</url></urlset>", DIAG_TOO_MANY_IMAGES},
    {"R-111", PROFILE_GOOGLE, "<urlset " NS " " NEWS "><url>" LOC, "<n:news/>",
	1000, "</url></urlset>", DIAG_TOO_MANY_NEWS},
    {"R-24 strict", PROFILE_STRICT,
	"<urlset " NS "><url><loc>https://a.example/d/", "\xC3\xA9", 2047 - 20,
	"</loc></url></urlset>", DIAG_URL_TOO_LONG},
    {"R-24", PROFILE_GOOGLE, "<urlset " NS "><url><loc>https://a.example/d/",
	"x", 2048 - 20, "</loc></url></urlset>", DIAG_URL_TOO_LONG},
    {"R-24 lenient", PROFILE_LENIENT, "https://a.example/d/", "x", 8192 - 20,
	"", DIAG_URL_TOO_LONG},
};

/* put(body, which, times): make the document; repeats of one byte are not
 * formatted, because there are millions. */
static void
put(struct buf *body, size_t which, int times)
{
	const char *repeated = limits[which].repeated;

	buf_clear(body);
	(void)buf_print(body, "%s", limits[which].head);
	for (int i = 0; i < times; i++)
		if (repeated[1] == '\0')
			(void)buf_put_char(body, repeated[0]);
		else
			(void)buf_print(body, repeated, i);
	(void)buf_print(body, "%s", limits[which].tail);
}

static bool
has_finding(struct buf *body, size_t which)
{
	struct fixture fixture;
	struct scope scope;

	fixture_init(&fixture, buf_text(body));
	fixture_scope(&scope, limits[which].profile, HERE);
	scope.checks.has_extensions = true;
	scope.checks.has_legacy = true;
	fixture_read(&fixture, &scope);
	const struct finding *finding = findings_get(
	    &fixture.content.findings, limits[which].code);
	assert_true(finding == NULL || finding->count == 1);
	assert_true(limits[which].code == DIAG_FILE_OVER_LEGACY_LIMIT ||
	    findings_get(&fixture.content.findings, DIAG_FILE_TOO_LARGE) ==
		NULL ||
	    findings_get(&fixture.content.findings,
		DIAG_FILE_OVER_LEGACY_LIMIT) == NULL);
	fixture_release(&fixture);
	scope_release(&scope);
	return finding != NULL;
}

static void
test_limits(void **state)
{
	struct buf body;

	(void)state;
	buf_init(&body, 64 << 20);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		put(&body, i, limits[i].times);
		if (has_finding(&body, i))
			fail_msg("%s: %d do not pass", limits[i].rule,
			    limits[i].times);
		put(&body, i, limits[i].times + 1);
		if (!has_finding(&body, i))
			fail_msg(
			    "%s: %d pass", limits[i].rule, limits[i].times + 1);
	}
	buf_release(&body);
}

/* SPEC R-41: the lenient set reads on, up to the hard limit. */
static void
test_hard_entries(void **state)
{
	struct buf body;

	(void)state;
	buf_init(&body, 64 << 20);
	for (int i = 0; i < 1000000; i++)
		(void)buf_print(&body, "http://a.b/%d\n", i);
	for (int more = 0; more <= 1; more++) {
		struct fixture fixture;
		struct scope scope;

		fixture_init(&fixture, buf_text(&body));
		fixture_scope(&scope, PROFILE_LENIENT, NULL);
		scope.limits.sort_memory = UINT64_C(1) << 30;
		fixture_read(&fixture, &scope);
		assert_int_equal(fixture.code, DIAG_OK);
		assert_int_equal(fixture.count, 1000000);
		assert_int_equal(fixture.content.is_complete, more == 0);
		fixture_release(&fixture);
		scope_release(&scope);
		(void)buf_print(&body, "http://a.b/more\n");
	}
	buf_release(&body);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_hard_entries),
	};

	read_warm();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
