/* crawler/parse/redate.c: other dates in the bytes of a sitemap. */
#include "crawler/parse/redate.h"

#include "tests/fixtures/fixture.h"

#define HEAD                                                               \
	"<?xml version=\"1.0\"?>\n<!-- <url> -->\n<urlset xmlns=\"http://" \
	"www.sitemaps.org/schemas/sitemap/0.9\">\n"
#define LOC "<loc>https://a.example/a</loc>"
#define DAY "<lastmod>2024-01-01</lastmod>"
#define NEW "2026-01-01T00:00:00Z"
#define SET "<lastmod>" NEW "</lastmod>"
#define IMAGE "<image:image><image:loc>b</image:loc></image:image>"

/* What becomes of an entry before one that stays. */
static const struct {
	const char *why, *entry, *date, *made;
} cases[] = {
    {"stays", " " LOC "\n " DAY "\n", "", " " LOC "\n " DAY "\n"},
    {"set", " " LOC "\n " DAY "\n", NEW, " " LOC "\n " SET "\n"},
    {"set before the loc", "\n\t" DAY LOC, NEW, "\n\t" SET LOC},
    {"new", "\n\t" LOC "\n", NEW, "\n\t" LOC "\n\t" SET "\n"},
    {"new in one line", LOC, NEW, LOC SET},
    {"removed", "\n " LOC "\n " DAY "\n", "-", "\n " LOC "\n"},
    {"removed before the loc", "\n " DAY "\n " LOC "\n", "-", "\n " LOC "\n"},
    {"nothing to remove", "\n " LOC "\n", "-", "\n " LOC "\n"},
    {"white space in it", LOC "<lastmod> 2024-01-01\n</lastmod>", NEW, LOC SET},
    {"an attribute", LOC "<lastmod a='>'>2024</lastmod >", NEW,
	LOC "<lastmod a='>'>" NEW "</lastmod >"},
    {"an empty one", LOC " <lastmod/>", NEW, LOC " " SET},
    {"CDATA",
	"<loc><![CDATA[</loc>]]></loc><lastmod><![CDATA[2024]]></lastmod>", NEW,
	"<loc><![CDATA[</loc>]]></loc>" SET},
    {"a comment", "<!-- " DAY " -->" LOC " " DAY, NEW,
	"<!-- " DAY " -->" LOC " " SET},
    {"extensions", IMAGE LOC IMAGE, NEW, IMAGE LOC SET IMAGE},
    {"an element of another", "<x>" DAY "</x>" LOC, NEW,
	"<x>" DAY "</x>" LOC SET},
    {"the first of two", LOC DAY DAY, NEW, LOC SET DAY},
    {"all else", LOC "<changefreq>daily</changefreq> " DAY "<priority/>", NEW,
	LOC "<changefreq>daily</changefreq> " SET "<priority/>"},
};

static void
test_redate(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static const char form[] = HEAD
		    "<url>%s</url>\n<!-- c --><url>" LOC DAY
		    "</url></urlset>\n<!-- e -->\n";
		struct buf text, wanted, dates, made;
		uint64_t changed;

		buf_init(&text, SIZE_MAX);
		buf_init(&wanted, SIZE_MAX);
		buf_init(&dates, SIZE_MAX);
		buf_init(&made, SIZE_MAX);
		(void)buf_print(&text, form, cases[i].entry);
		(void)buf_print(&wanted, form, cases[i].made);
		(void)buf_print(&dates, "%s\n\n", cases[i].date);
		assert_true(
		    redate(buf_text(&text), buf_text(&dates), &made, &changed));
		assert_row(cases[i].why, &made, buf_str(&wanted));
		assert_int_equal(
		    changed, !slice_equal(buf_text(&text), buf_text(&wanted)));
		/* whatever is cut off, the dates are not those of the rest */
		for (size_t len = 0; len < text.len - 12; len++) {
			buf_clear(&made);
			assert_false(redate(slice_make(text.p, len),
			    buf_text(&dates), &made, &changed));
		}
		buf_release(&text);
		buf_release(&wanted);
		buf_release(&dates);
		buf_release(&made);
	}
}

/* Prefixes, indexes, and what is refused. */
static void
test_forms(void **state)
{
	static const struct {
		const char *text, *dates, *made;
	} rows[] = {
	    {"<s:urlset><s:url><s:loc>a</s:loc><loc>b</loc></s:url></s:urlset>",
		"2026\n",
		"<s:urlset><s:url><s:loc>a</s:loc><s:lastmod>2026</s:lastmod>"
		"<loc>b</loc></s:url></s:urlset>"},
	    {"<sitemapindex><sitemap>" LOC DAY "</sitemap></sitemapindex>",
		"2026\n",
		"<sitemapindex><sitemap>" LOC
		"<lastmod>2026</lastmod></sitemap></sitemapindex>"},
	    {"<urlset></urlset>", "", "<urlset></urlset>"},
	    /* dates of other entries */
	    {"<urlset><url>" LOC "</url></urlset>", "", NULL},
	    {"<urlset><url>" LOC "</url></urlset>", "\n\n", NULL},
	    /* no loc, no end, too many ends */
	    {"<urlset><url>" DAY "</url></urlset>", "2026\n", NULL},
	    {"<urlset><url>" LOC "</url>", "\n", NULL},
	    {"<urlset><url>" LOC, "\n", NULL},
	    {"</urlset>", "", NULL},
	    /* an end without a beginning */
	    {"<urlset><url><x></loc></url></urlset>", "2026\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf made;
		uint64_t changed;
		bool is_good;

		buf_init(&made, SIZE_MAX);
		is_good = redate(slice_of(rows[i].text),
		    slice_of(rows[i].dates), &made, &changed);
		assert_int_equal(is_good, rows[i].made != NULL);
		if (is_good)
			assert_row(rows[i].text, &made, rows[i].made);
		buf_release(&made);
	}
}

UNIT(redate)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_redate), cmocka_unit_test(test_forms)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
