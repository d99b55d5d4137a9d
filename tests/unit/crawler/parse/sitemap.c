/* crawler/parse/sitemap.c: the events of a urlset and an index. */
#include "tests/fixtures/events_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define IMAGE "xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'"
#define XHTML "xmlns:xhtml='http://www.w3.org/1999/xhtml'"

static const struct {
	const char *rule;
	enum profile_name profile;
	const char *document;
	const char *events;
} cases[] = {
    {"R-09", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc>http://a/</loc><lastmod>2024</lastmod>"
	"<changefreq>daily</changefreq><priority>0.5</priority></url>"
	"<url><loc>b</loc></url></urlset>",
	"root urlset\n1 loc='http://a/' lastmod='2024' changefreq='daily' "
	"priority='0.5'\n1 loc='b'\n"},
    {"R-10", PROFILE_GOOGLE,
	"<sitemapindex " NS ">\n<sitemap>\n<loc>a</loc><lastmod>d</lastmod>"
	"<priority>1</priority></sitemap></sitemapindex>",
	"root index\n3 unknown-tag\n3 loc='a' lastmod='d'\n"},
    {"R-07 other namespace inside", PROFILE_GOOGLE,
	"<urlset " NS "><url xmlns='urn:x'><loc>a</loc></url></urlset>",
	"root urlset\n"},
    {"R-09 no loc", PROFILE_GOOGLE,
	"<urlset " NS ">\n<url><lastmod>d</lastmod></url></urlset>",
	"root urlset\n2 missing-tag\n2 lastmod='d'\n"},
    {"R-12", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc>a</loc><loc>b</loc><priority>1</priority>"
	"<priority>2</priority></url></urlset>",
	"root urlset\n1 duplicate-tag\n1 duplicate-tag\n"
	"1 loc='a' priority='1'\n"},
    {"R-13 extension", PROFILE_GOOGLE,
	"<urlset " NS " " IMAGE "><image:image><image:loc>no</image:loc>"
	"</image:image><url><image:image><image:loc>no</image:loc>"
	"</image:image><loc>a</loc></url></urlset>",
	"root urlset\n1 loc='a' ext=1\n"},
    {"R-107 to R-112 bits", PROFILE_GOOGLE,
	"<urlset " NS " " IMAGE " " XHTML
	" xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'"
	" xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'"
	" xmlns:o='urn:o'>"
	"<url><loc>a</loc><v:video/></url><url><loc>b</loc><n:news/></url>"
	"<url><loc>c</loc><xhtml:link rel='alternate' hreflang='de' href='d'/>"
	"</url><url><loc>d</loc><xhtml:link rel='canonical' href='d'/></url>"
	"<url><loc>e</loc><o:x/><image:image/></url></urlset>",
	"root urlset\n1 loc='a' ext=2\n1 loc='b' ext=4\n1 loc='c' ext=8\n"
	"1 loc='d' ext=16\n1 loc='e' ext=17\n"},
    {"R-113 attribute", PROFILE_GOOGLE,
	"<urlset " NS " xsi:schemaLocation='x'><url><loc>a</loc></url>"
	"</urlset>",
	"1 undeclared-prefix\nroot urlset\n1 loc='a'\n"},
    {"R-113 entry", PROFILE_GOOGLE,
	"<urlset><s:url><loc>no</loc></s:url><url><loc>a</loc></url></urlset>",
	"1 missing-namespace\nroot urlset\n1 undeclared-prefix\n"
	"1 loc='a'\n"},
    {"R-14", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc>a<b>b</b><i/>c</loc></url>"
	"<url><loc>d</loc><lastmod>2<b/></lastmod></url></urlset>",
	"root urlset\n1 nested-markup\n1\n1 nested-markup\n1 loc='d'\n"},
    {"R-14 joined", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc>a<!-- x -->b<?p i?>c<![CDATA[&d]]></loc>"
	"</url></urlset>",
	"root urlset\n1 loc='abc&d'\n"},
    {"R-14 text", PROFILE_GOOGLE,
	"<urlset " NS ">x &amp; y<url>z<loc>a</loc> </url></urlset>",
	"root urlset\n1 unexpected-text\n1 unexpected-text\n1 loc='a'\n"},
    {"R-15 line ends", PROFILE_GOOGLE,
	"<urlset " NS ">\r<url>\r\n<loc><![CDATA[a\r\nb\rc]]>&#13;</loc>"
	"</url>\r\r<u/></urlset>",
	"root urlset\n3 loc='a\nb\nc\r'\n7 unknown-tag\n"},
    {"R-14 lenient", PROFILE_LENIENT,
	"<sitemapindex " NS ">\n<sitemap> http://a/?b&amp;<!-- -->c "
	"<lastmod>d</lastmod></sitemap>\n<sitemap>http://b<loc>c</loc>"
	"</sitemap>\n<sitemap>no</sitemap></sitemapindex>",
	"root index\n2 unexpected-text\n"
	"2 loc='http://a/?b&c' lastmod='d'\n3 unexpected-text\n3 loc='c'\n"
	"4 unexpected-text\n4 missing-tag\n4\n"},
    {"R-14 not lenient", PROFILE_GOOGLE,
	"<urlset " NS "><url>http://a/</url></urlset>",
	"root urlset\n1 unexpected-text\n1 missing-tag\n1\n"},
    {"R-14 lines", PROFILE_GOOGLE,
	"<urlset " NS ">\n\njunk\n\n<url>\n<loc>a</loc><![CDATA[\n]\n]]>\n"
	"</url>&#10;\nx\n</urlset>",
	"root urlset\n3 unexpected-text\n7 unexpected-text\n6 loc='a'\n"
	"10 unexpected-text\n"},
    {"R-35", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc> \n </loc></url><url><loc>a</loc><lastmod/>"
	"<changefreq> </changefreq></url></urlset>",
	"root urlset\n2 empty-tag\n1\n2 empty-tag\n2 empty-tag\n2 loc='a'\n"},
    {"R-02", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc>a</loc></url>\n<url><loc>?x=1&y=2</loc>"
	"</url></urlset>",
	"root urlset\n1 loc='a'\n2 parse-error\nincomplete parse-error\n"},
    {"X29", PROFILE_GOOGLE,
	"<urlset " NS "><url><loc>a</loc></url></urlset>junk",
	"root urlset\n1 loc='a'\n1 parse-error\nincomplete parse-error\n"},
    {"R-04", PROFILE_GOOGLE,
	"<?xml version='1.0'?>\n<!DOCTYPE urlset [<!ENTITY x 'y'>]><urlset/>",
	"2 doctype-present\nincomplete doctype-present\n"},
    {"R-04 cut", PROFILE_GOOGLE, "<!DOCTYPE urlse",
	"1 doctype-present\nincomplete doctype-present\n"},
    {"R-04 lenient", PROFILE_LENIENT,
	"<!DOCTYPE urlset [<!ENTITY x '>]'> <!-- ' > --> <?p ]> ?>]\n>"
	"<urlset " NS "><url><loc>a</loc></url></urlset>",
	"1 doctype-present\nroot urlset\n2 loc='a'\n"},
    {"R-04 lenient, entity", PROFILE_LENIENT,
	"<!DOCTYPE urlset [<!ENTITY x 'y'>]><urlset " NS "><url><loc>a</loc>"
	"</url><url><loc>&x;</loc></url></urlset>",
	"1 doctype-present\nroot urlset\n1 loc='a'\n1 parse-error\n"
	"incomplete parse-error\n"},
};

static void
test_events(void **state)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_events(cases[i].rule, cases[i].profile,
		    cases[i].document, cases[i].events);
}

UNIT(sitemap)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
