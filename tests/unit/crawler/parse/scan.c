/* The scanner: what it accepts, why it steps aside, and that its events are
 * those of libxml2 however the bytes come. */
#include "crawler/parse/scan.h"

#include <stdio.h>

#include "tests/fixtures/fixture.h"
#include "tests/fixtures/read_fixture.h"

#define URI "http://www.sitemaps.org/schemas/sitemap/0.9"
#define OPEN "<urlset xmlns=\"" URI "\">"
#define CLOSE "</urlset>"
#define LOC "<loc>https://a.example/</loc>"
#define ENTRY "<url>" LOC "</url>"
#define IN_ENTRY(text) OPEN "<url>" LOC text "</url>" CLOSE
#define IN_LOC(text) OPEN "<url><loc>" text "</loc></url>" CLOSE
#define WITH(names, text) \
	"<urlset xmlns='" URI "' " names "><url>" LOC text "</url>" CLOSE
#define O "xmlns:o='urn:o'"
#define NEWS(text)                                                          \
	WITH(O " xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'", \
	    "<n:news>" text "</n:news>")
#define IMAGE(text)                                                          \
	WITH(O " xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'", \
	    text)
#define LINK(text) \
	WITH(O " xmlns:h='http://www.w3.org/1999/xhtml'", "<h:link " text "/>")
#define EIGHT(text) text text text text text text text text

static const struct {
	const char *document;
	enum aside aside;
} rows[] = {
    {OPEN ENTRY CLOSE, ASIDE_NO},
    {OPEN CLOSE, ASIDE_NO},
    {"\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>" OPEN CLOSE, ASIDE_NO},
    {"<?xml version=\"1.0\" standalone=\"yes\" ?>\r\n" OPEN CLOSE "\r\n",
	ASIDE_NO},
    {"<?xml-stylesheet href='a'?><!-- a -->" OPEN "<!-- b\n -->" ENTRY
     " <!-- c -->" CLOSE "<!-- d -->\n",
	ASIDE_NO},
    {"<sitemapindex xmlns='" URI "'><sitemap>" LOC
     "<lastmod>2024</lastmod></sitemap></sitemapindex>",
	ASIDE_NO},
    {IN_ENTRY("<priority>1</priority>\n<changefreq>daily</changefreq>"),
	ASIDE_NO},
    {IN_LOC("\n a&amp;b&#38;&#x26;&lt;&gt;&quot;&apos;\xC3\xA9\t "), ASIDE_NO},
    {WITH(O, "<o:a/><o:b c='&amp;' o:c=\"\r\n\">t&#233;<o:d><e/></o:d></o:b >"),
	ASIDE_NO},
    {NEWS("<n:publication_date>2024-01-02</n:publication_date>"), ASIDE_NO},
    {NEWS("<n:title>t</n:title><n:publication_date> 2024 </n:publication_date>"
	  "<n:publication_date>2025</n:publication_date>"),
	ASIDE_NO},
    {NEWS("<n:publication_date></n:publication_date>"
	  "<n:publication_date>2025</n:publication_date>"),
	ASIDE_NO},
    {NEWS("<n:a><n:publication_date>2024</n:publication_date></n:a>"),
	ASIDE_NO},
    {NEWS("<o:publication_date>2024</o:publication_date>"), ASIDE_NO},
    {WITH(O, "<o:b><o:publication_date>2024</o:publication_date></o:b>"),
	ASIDE_NO},
    {NEWS("<n:publication_date>2024</n:publication_date>") "<!-- -->",
	ASIDE_NO},
    {NEWS("<n:publication_date/>"), ASIDE_ELEMENT},
    {NEWS("<n:publication_date>20&#50;4</n:publication_date>"), ASIDE_TEXT},
    {NEWS("<n:publication_date>20<n:b>24</n:b></n:publication_date>"),
	ASIDE_TEXT},
    {NEWS("<n:publication_date>20<!-- -->24</n:publication_date>"), ASIDE_TEXT},
    {"", ASIDE_CUT},
    {"https://a.example/\n", ASIDE_KIND},
    {"\n" OPEN CLOSE, ASIDE_KIND},
    {"<html></html>", ASIDE_KIND},
    {"<s:urlset xmlns:s='" URI "'></s:urlset>", ASIDE_KIND},
    {"\xFF\xFE<\0", ASIDE_ENCODING},
    {"<?xml version='1.0' encoding='latin1'?>" OPEN CLOSE, ASIDE_ENCODING},
    {IN_LOC("\xC0\xBC"), ASIDE_ENCODING},
    {IN_LOC("\xED\xA0\x80"), ASIDE_ENCODING},
    {IN_LOC("\xEF\xBF\xBE"), ASIDE_ENCODING},
    {"<urlset>" CLOSE, ASIDE_NAMESPACE},
    {"<urlset xmlns='http://www.google.com/schemas/sitemap/0.84'>" CLOSE,
	ASIDE_NAMESPACE},
    {WITH("a='b'", ""), ASIDE_NAMESPACE},
    {WITH("xmlns:s='" URI "'", ""), ASIDE_NAMESPACE},
    {WITH("xmlns:s='urn:o' " O, ""), ASIDE_NAMESPACE},
    {WITH("xmlns:s=''", ""), ASIDE_NAMESPACE},
    {WITH(O, "<p:a/>"), ASIDE_NAMESPACE},
    {WITH(O, "<o:a p:b='c'/>"), ASIDE_NAMESPACE},
    {WITH(O, "<o:a xmlns:o='urn:p'/>"), ASIDE_NAMESPACE},
    {"<!DOCTYPE urlset>" OPEN CLOSE, ASIDE_MARKUP},
    {"<?xml version='1.1'?>" OPEN CLOSE, ASIDE_MARKUP},
    {"<?php ?>" OPEN CLOSE, ASIDE_MARKUP},
    {OPEN "<!-- -- -->" CLOSE, ASIDE_MARKUP},
    {IN_ENTRY("<!-- a -->"), ASIDE_MARKUP},
    {IN_LOC("<![CDATA[a]]>"), ASIDE_ELEMENT},
    {WITH(O, "<o:a b='1' b='2'/>"), ASIDE_MARKUP},
    {WITH(O, "<o:a b='1'c='2'/>"), ASIDE_MARKUP},
    {WITH(O, "<o:a b='<'/>"), ASIDE_MARKUP},
    {WITH(O, "<o:a></o:b>"), ASIDE_MARKUP},
    {OPEN ENTRY CLOSE OPEN, ASIDE_MARKUP},
    {OPEN "<url></url>" CLOSE, ASIDE_ELEMENT},
    {OPEN "<url/>" CLOSE, ASIDE_ELEMENT},
    {OPEN "<page/>" CLOSE, ASIDE_ELEMENT},
    {IN_ENTRY(LOC), ASIDE_ELEMENT},
    {IN_ENTRY("<lastmod></lastmod>"), ASIDE_ELEMENT},
    {IN_ENTRY("<lastmod>\n&#32;</lastmod>"), ASIDE_ELEMENT},
    {IN_ENTRY("<video/>"), ASIDE_ELEMENT},
    {IN_LOC("a<b/>"), ASIDE_ELEMENT},
    {OPEN "<url lang='de'>" LOC "</url>" CLOSE, ASIDE_ELEMENT},
    {IN_ENTRY("text"), ASIDE_TEXT},
    {OPEN "text" ENTRY CLOSE, ASIDE_TEXT},
    {IN_LOC("a&nbsp;b"), ASIDE_TEXT},
    {IN_LOC("a & b"), ASIDE_TEXT},
    {IN_LOC("a&#13;b"), ASIDE_TEXT},
    {IN_LOC("a&#xD800;b"), ASIDE_TEXT},
    {IN_LOC("a&#00000065;b"), ASIDE_NO},
    {IN_LOC("a]]>b"), ASIDE_TEXT},
    {IN_LOC("a\r\nb"), ASIDE_TEXT},
    {IN_LOC("a\x01"), ASIDE_TEXT},
    {WITH(O, "<o:a rel='&#97;lternate'/>"), ASIDE_TEXT},
    {WITH(O, EIGHT("<o:a>") "<o:a>" EIGHT("</o:a>") "</o:a>"), ASIDE_LIMIT},
    {OPEN ENTRY, ASIDE_CUT},
    {OPEN "<url>" LOC, ASIDE_CUT},
    {OPEN CLOSE "<!-- a", ASIDE_CUT},
};

static struct slice
document(size_t i)
{
	/* the row of UTF-16 has a NUL */
	return rows[i].document[0] == '\xFF' ? slice_make("\xFF\xFE<\0", 4)
					     : slice_of(rows[i].document);
}

static void
read_with(struct fixture *fixture, struct slice body, size_t chunk,
    bool is_scan_off, struct buf *out)
{
	fixture_open(fixture, PROFILE_GOOGLE, NULL, body);
	fixture->scope.is_scan_off = is_scan_off;
	fixture->scope.checks.has_lines = true;
	fixture->chunk = chunk;
	fixture_run(fixture);
	buf_clear(out);
	fixture_print(fixture, out);
	(void)buf_put_slice(out, buf_text(&fixture->content.lines));
}

/* The reading is the same without the scanner, and in pieces. */
static void
test_rows(void **state)
{
	static const size_t chunks[] = {0, 1, 5, 64};
	struct buf scanned, parsed;
	struct fixture fixture;

	buf_init(&scanned, SIZE_MAX);
	buf_init(&parsed, SIZE_MAX);
	for (size_t i = 0; i < COUNT(rows); i++) {
		read_with(&fixture, document(i), 0, true, &parsed);
		assert_false(fixture.content.is_scanned);
		assert_int_equal(fixture.content.aside, ASIDE_NO);
		fixture_release(&fixture);
		for (size_t k = 0; k < COUNT(chunks); k++) {
			enum aside aside;

			read_with(
			    &fixture, document(i), chunks[k], false, &scanned);
			aside = fixture.content.aside;
			if (aside != rows[i].aside ||
			    fixture.content.is_scanned != (aside == ASIDE_NO))
				fail_msg("%s: %s", rows[i].document,
				    aside_names[aside]);
			if (!slice_equal(buf_text(&scanned), buf_text(&parsed)))
				fail_msg("%s\n%s--\n%s", rows[i].document,
				    buf_str(&scanned), buf_str(&parsed));
			fixture_release(&fixture);
		}
	}
	buf_release(&scanned);
	buf_release(&parsed);
}

/* make(body, space, name): a document of many entries with one odd place. */
static void
make(struct buf *body, size_t value, size_t space, const char *end)
{
	buf_clear(body);
	(void)buf_print(body, OPEN);
	for (int i = 0; i < 3000; i++)
		(void)buf_print(body,
		    "\n<url><loc>https://a.example/%d</loc>"
		    "<lastmod>2024-01-01</lastmod></url>",
		    i);
	for (size_t i = 0; i < space; i++)
		(void)buf_put_char(body, ' ');
	(void)buf_print(body, "<url><loc>https://a.example/");
	for (size_t i = 0; i < value; i++)
		(void)buf_put_char(body, 'x');
	(void)buf_print(body, "</loc></url>%s", end);
}

/* Entries that were reported before the scanner stepped aside do not count
 * twice; sizes do not depend on the pieces. */
static void
test_late(void **state)
{
	static const struct {
		size_t value, space;
		const char *end;
		enum aside aside;
	} late[] = {
	    {1, 0, CLOSE, ASIDE_NO},
	    {1, 600000, CLOSE, ASIDE_NO},
	    {16000, 0, CLOSE, ASIDE_NO},
	    {17000, 0, CLOSE, ASIDE_LIMIT},
	    {600000, 0, CLOSE, ASIDE_LIMIT},
	    {1, 0, "<url></url>" CLOSE, ASIDE_ELEMENT},
	    {1, 0, "", ASIDE_CUT},
	};
	struct buf scanned, parsed, body;
	struct fixture fixture;

	buf_init(&scanned, SIZE_MAX);
	buf_init(&parsed, SIZE_MAX);
	buf_init(&body, SIZE_MAX);
	for (size_t i = 0; i < COUNT(late); i++)
		for (size_t chunk = 0; chunk < 2000; chunk += 999) {
			make(&body, late[i].value, late[i].space, late[i].end);
			buf_clear(&parsed);
			read_with(
			    &fixture, buf_text(&body), chunk, true, &parsed);
			fixture_release(&fixture);
			read_with(
			    &fixture, buf_text(&body), chunk, false, &scanned);
			assert_int_equal(fixture.content.aside, late[i].aside);
			assert_true(
			    slice_equal(buf_text(&scanned), buf_text(&parsed)));
			fixture_release(&fixture);
		}
	buf_release(&scanned);
	buf_release(&parsed);
	buf_release(&body);
}

/* What the checks of a scope could report is left to libxml2. */
static void
test_checks(void **state)
{
	static const struct {
		const char *document;
		bool has_extensions, has_schema;
		bool is_scanned;
	} checks[] = {
	    {IN_ENTRY("<lastmod>2024-01-01</lastmod>"), true, true, true},
	    {IN_ENTRY("<lastmod>2024</lastmod>"), true, false, true},
	    {IN_ENTRY("<lastmod>2024</lastmod>"), false, true, false},
	    {IN_ENTRY("<changefreq>\ndaily</changefreq>"), false, true, false},
	    {IN_LOC("http://a.b"), false, true, false},
	    {OPEN "<url><lastmod>2024-01-01</lastmod>" LOC "</url>" CLOSE,
		false, true, false},
	    {OPEN "<url><lastmod>2024-01-01</lastmod>" LOC "</url>" CLOSE, true,
		false, true},
	    {WITH(O, "<o:a/>"), false, true, true},
	    {WITH(O, "<o:a/>"), true, false, false},
	    {WITH(O, "<o:a/><priority>1</priority>"), false, true, false},
	    {IMAGE("<i:image>\n<i:loc> http://a/b?c&amp;d </i:loc></i:image>"),
		true, false, true},
	    {IMAGE("<i:image><i:loc>/b</i:loc></i:image>"), true, false, false},
	    {IMAGE("<i:image><i:loc/></i:image>"), true, false, false},
	    {IMAGE("<i:image><i:title>a</i:title></i:image>"), true, false,
		false},
	    {IMAGE("<i:image><i:loc>http://a/b</i:loc><i:title>a</i:title>"
		   "</i:image>"),
		true, false, false},
	    {LINK("rel='alternate' hreflang='de' href='http://a/?b&amp;c'"),
		true, false, true},
	    {LINK("rel='alternate' hreflang='xx' href='http://a/'"), true,
		false, false},
	    {LINK("rel='canonical' hreflang='de' href='http://a/'"), true,
		false, false},
	    {LINK("rel='alternate' href='http://a/'"), true, false, false},
	    {LINK("rel='alternate' hreflang='de' href='http://a/' media='m'"),
		true, false, false},
	};

	for (size_t i = 0; i < COUNT(checks); i++) {
		struct fixture fixture;

		fixture_open(&fixture, PROFILE_GOOGLE, NULL,
		    slice_of(checks[i].document));
		fixture.scope.checks.has_extensions = checks[i].has_extensions;
		fixture.scope.checks.has_schema = checks[i].has_schema;
		fixture_run(&fixture);
		if (fixture.content.is_scanned != checks[i].is_scanned)
			fail_msg("%s", checks[i].document);
		fixture_release(&fixture);
	}
}

/* A limit that ends the reading, and one on which it goes on. */
static void
test_limits(void **state)
{
	static const enum aside asides[] = {
	    ASIDE_NO, ASIDE_RULE, ASIDE_RULE, ASIDE_LIMIT};

	for (size_t i = 0; i < COUNT(asides); i++) {
		struct fixture fixture;
		struct read_limits *limits = &fixture.scope.limits;

		fixture_open(&fixture, PROFILE_GOOGLE, NULL,
		    slice_of(OPEN ENTRY ENTRY CLOSE));
		if (i == 1)
			limits->max_entries = limits->hard_entries = 1;
		else if (i == 2)
			limits->max_bytes = 100;
		else if (i == 3)
			limits->max_depth = 5;
		fixture_run(&fixture);
		assert_int_equal(fixture.content.is_scanned, i == 0);
		assert_int_equal(fixture.content.aside, asides[i]);
		fixture_release(&fixture);
	}
}

UNIT(scan)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_late),
	    cmocka_unit_test(test_checks),
	    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
