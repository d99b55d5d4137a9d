/* crawler/parse/sitemap.c: rules that only the schemas contain. */
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/read_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define LOC "<loc>http://a.example/1</loc>"
#define LATE "stands after what has to follow it"
#define NONE "an attribute, of which there are none"
#define COARSE "a lastmod has a day, and seconds if it has a time"
#define URL(inside) "<urlset " NS "><url>" inside "</url></urlset>"

static const struct {
	const char *rule;
	const char *document;
	const char *findings; /* code, line and text of each */
} cases[] = {
    {"R-11",
	URL(LOC "<lastmod>2024-01-01</lastmod><changefreq>daily</changefreq>"
		"<priority>0.5</priority><x xmlns='urn:x'/>"),
	""},
    {"R-11 lastmod first", URL("<lastmod>2024-01-01</lastmod>" LOC),
	"element-order 1:'loc: " LATE "'\n"},
    {"R-11 priority first",
	URL(LOC "<priority>1</priority>\n<changefreq>daily</changefreq>"
		"<lastmod>2024-01-01</lastmod>"),
	"element-order 2:'changefreq: " LATE "' 2:'lastmod: " LATE "'\n"},
    {"R-11 foreign first", URL("<x xmlns='urn:x'/>" LOC),
	"element-order 1:'loc: " LATE "'\n"},
    {"R-11 foreign before the entries",
	"<urlset " NS "><x xmlns='urn:x'/><url>" LOC "</url></urlset>", ""},
    {"R-11 foreign after an entry",
	"<urlset " NS "><url>" LOC "</url>\n<x xmlns='urn:x'/></urlset>",
	"element-order 2:'x: stands after an entry'\n"},
    {"R-18 no namespace", URL(LOC "<x xmlns=''/>"),
	"schema-violation 1:'x: an element in no namespace'\n"},
    {"R-18 a prefix that is not declared", URL(LOC "<q:x/>"),
	"undeclared-prefix 1:'q'\n"},
    {"R-18 index",
	"<sitemapindex " NS "><sitemap>" LOC "<lastmod>2024-01-01</lastmod>"
	"</sitemap></sitemapindex>",
	""},
    {"R-18 foreign in an index",
	"<sitemapindex " NS "><sitemap>" LOC "<x xmlns='urn:x'/></sitemap>"
	"</sitemapindex>",
	"schema-violation 1:'x: of another namespace, in an index'\n"},
    {"R-18 attributes",
	"<urlset " NS " version='1'><url id='1'><loc a='b'>http://a.example/1"
	"</loc></url></urlset>",
	"schema-violation 1:'version: " NONE "' 1:'id: " NONE "' 1:'a: " NONE
	"'\n"},
    {"R-18 schemaLocation",
	"<urlset " NS " xmlns:xsi='http://www.w3.org/2001/"
	"XMLSchema-instance' xsi:schemaLocation='a b'><url>" LOC
	"</url></urlset>",
	""},
    {"R-18 short loc", URL("<loc>http://a.b/</loc>"),
	"schema-violation 1:'http://a.b/: a loc has 12 to 2,048 characters'\n"},
    {"R-18 loc of 12", URL("<loc> http://a.b/c </loc>"), ""},
    {"R-18 year", URL(LOC "<lastmod>2024</lastmod>"),
	"schema-violation 1:'2024: " COARSE "'\nlastmod-coarse 1:'2024'\n"},
    {"R-18 month", URL(LOC "<lastmod>2024-01</lastmod>"),
	"schema-violation 1:'2024-01: " COARSE
	"'\nlastmod-coarse 1:'2024-01'\n"},
    {"R-18 minutes", URL(LOC "<lastmod>2024-01-01T10:00Z</lastmod>"),
	"schema-violation 1:'2024-01-01T10:00Z: " COARSE "'\n"},
    {"R-18 seconds", URL(LOC "<lastmod>2024-01-01T10:00:00.12+01:00</lastmod>"),
	""},
    {"R-18 zones", URL(LOC "<lastmod>\n2024-01-01T10:00:00-05:00 </lastmod>"),
	""},
    {"R-18 what is no date", URL(LOC "<lastmod>now</lastmod>"),
	"invalid-date 1:'now'\n"},
    {"R-18 white space", URL(LOC "<changefreq> daily</changefreq>"),
	"schema-violation 1:'daily: white space around a changefreq'\n"},
    {"R-18 white space elsewhere", URL(LOC "<priority> 0.5 </priority>"), ""},
};

static void
read_all(struct buf *out, const char *body, bool is_checked)
{
	struct fixture fixture;

	fixture_open(&fixture, PROFILE_GOOGLE, NULL, slice_of(body));
	fixture.scope.checks.has_schema = is_checked;
	fixture_run(&fixture);
	assert_int_equal(fixture.code, DIAG_OK);
	assert_int_equal(fixture.count, 1);
	fixture_findings(&fixture, out);
	fixture_release(&fixture);
}

static void
test_findings(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		read_all(out, cases[i].document, true);
		assert_row(cases[i].rule, out, cases[i].findings);
		read_all(out, cases[i].document, false);
		assert_null(strstr(buf_str(out), "schema-violation"));
		assert_null(strstr(buf_str(out), "element-order"));
		buf_clear(out);
	}
}

/* A loc that is too long to be read is reported as that only. */
static void
test_long_loc(void **state)
{
	static const struct {
		enum profile_name profile;
		size_t length;
		bool is_told;
	} lengths[] = {
	    {PROFILE_GOOGLE, 2048, false},
	    {PROFILE_GOOGLE, 2049, false},
	    {PROFILE_LENIENT, 2048, false},
	    {PROFILE_LENIENT, 2049, true},
	};
	struct buf *body = *state;

	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct fixture fixture;

		buf_clear(body);
		(void)buf_print(body, "<urlset " NS "><url><loc>http://a.b/");
		for (size_t n = 11; n < lengths[i].length; n++)
			(void)buf_put_char(body, 'x');
		(void)buf_print(body, "</loc></url></urlset>");
		fixture_open(
		    &fixture, lengths[i].profile, NULL, buf_text(body));
		fixture.scope.checks.has_schema = true;
		fixture_run(&fixture);
		assert_int_equal(fixture_has(&fixture, DIAG_SCHEMA_VIOLATION),
		    lengths[i].is_told);
		fixture_release(&fixture);
	}
}

UNIT(xsd)
{
	const struct CMUnitTest tests[] = {
	    text_test(test_findings),
	    text_test(test_long_loc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
