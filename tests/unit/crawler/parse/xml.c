/* crawler/parse/xml.c: the line and the text of the finding about a broken
 * document (SPEC R-02). */
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/read_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define URL(loc) "<url><loc>https://a.example/" loc "</loc></url>\n"
#define EARLY "the document ends early"
#define AMPERSAND "an & that is not written &amp;"

static const struct {
	const char *text; /* follows the first entry, on line 2 */
	uint32_t line;
	const char *told;
} faults[] = {
    {"", 2, EARLY},
    {"<url", 3, EARLY},
    {"<url><loc>x", 3, EARLY},
    {"<url><loc>x &amp", 3, EARLY},
    {"<url a='x", 3, EARLY},
    {"<!-- x\n", 4, EARLY},
    {"<url><loc><![CDATA[\n\nx", 3, EARLY},
    {"</urlset", 3, EARLY},
    {"</urlset>x", 3, "more follows the end of the root element"},
    {"</urlset>\n<urlset/>", 4, "more follows the end of the root element"},
    {URL("?a&b=c") "</urlset>", 3, AMPERSAND},
    {URL("?a&b;=c") "</urlset>", 3, "Entity 'b' not defined"},
    {URL("a & b") "</urlset>", 3, AMPERSAND},
    {URL("\xE9") "</urlset>", 3, "bytes that are not UTF-8"},
    {"<url></loc></urlset>", 3,
	"Opening and ending tag mismatch: url line 3 and loc"},
};

static void
put(struct buf *body, const char *text)
{
	buf_clear(body);
	(void)buf_print(body, "<urlset " NS ">\n" URL("1") "%s", text);
}

static void
check(struct buf *body, uint32_t line, const char *told)
{
	struct fixture fixture;

	fixture_open(&fixture, PROFILE_GOOGLE, "https://a.example/s.xml",
	    buf_text(body));
	fixture_run(&fixture);
	const struct finding *finding = findings_get(
	    &fixture.content.findings, DIAG_PARSE_ERROR);
	assert_non_null(finding);
	if (finding->samples[0].line != line ||
	    strcmp(finding->samples[0].text, told) != 0)
		fail_msg("%u: %s, not %u: %s", finding->samples[0].line,
		    finding->samples[0].text, line, told);
	assert_int_equal(finding->count, 1);
	/* the second finding is that the document is not complete */
	assert_int_equal(fixture.content.findings.count, 2);
	assert_int_equal(fixture.count, 1);
	fixture_release(&fixture);
}

static void
test_faults(void **state)
{
	struct buf *body = *state;

	for (size_t i = 0; i < COUNT(faults); i++) {
		put(body, faults[i].text);
		check(body, faults[i].line, faults[i].told);
	}
}

/* A missing ';' may be found far away; text until there is no long token. */
static void
test_far_end(void **state)
{
	struct buf *body = *state;

	put(body, URL("?a&b"));
	for (int i = 0; i < 5000; i++)
		(void)buf_print(body, URL("%d"), i);
	check(body, 3, AMPERSAND);
	(void)buf_print(body, URL("?a&amp;b"));
	check(body, 3, AMPERSAND);
}

UNIT(xml)
{
	const struct CMUnitTest tests[] = {
	    text_test(test_faults), text_test(test_far_end)};

	read_warm();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
