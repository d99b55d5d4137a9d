/*
 * crawler/parse/read.c: the same documents whole, in pieces of every length,
 * and cut at every byte, in every profile: the reading is the same or its
 * beginning, and never has another URL (X28, X32).
 */
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/read_fixture.h"
#include "tests/fixtures/sanitized.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define HERE "https://a.example/d/s.xml"
#define HOST "https://a.example/d/"

/* How the text becomes a document. */
enum form {
	FORM_PLAIN,
	FORM_UTF16LE, /* both converted from UTF-8, with a byte order mark */
	FORM_UTF16BE,
	FORM_GZIP,
	FORM_GZIP_TWICE,
	FORM_MEMBERS /* two gzip members, a half in each */
};

static const char urlset[] =
    "<?xml version='1.0' encoding='UTF-8'?>\r\n<!-- - -->\n"
    "<urlset " NS " xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'"
    " xmlns:x='http://www.w3.org/1999/xhtml' a='b'>junk"
    "<url><i:image><i:loc>1.jpg</i:loc></i:image><loc>" HOST "a</loc>"
    "<lastmod>2025-01-01</lastmod><priority>0.5</priority></url>\n"
    "<url><loc><![CDATA[" HOST "b?x&y]]>&#x26;<!-- c -->&amp;z\xC3\xA9"
    "</loc><lastmod>2025-01-01T10:00:00+01:00</lastmod>"
    "<changefreq>daily</changefreq></url><q:z/>"
    "<url><x:link rel='alternate' hreflang='de' href='" HOST "a'/><loc>"
    " " HOST "c </loc><loc>" HOST "d</loc><u>v</u></url>"
    "<url><loc>https://b.example/</loc></url><url><lastmod>2025</lastmod>"
    "</url></urlset>\n";

static const char list[] = HOST "a\n" HOST "b?q=\xF0\x9F\x98\x80\r\n\n  " HOST
				"c\r" HOST "d\nmailto:x\n" HOST "e\n";

static const struct {
	enum form form;
	const char *text;
	size_t entries; /* in profile google */
} documents[] = {
    {FORM_PLAIN, urlset, 3},
    {FORM_UTF16LE, urlset, 3},
    {FORM_UTF16BE, urlset, 3},
    {FORM_GZIP, urlset, 3},
    {FORM_GZIP_TWICE, urlset, 3},
    {FORM_MEMBERS, urlset, 3},
    {FORM_PLAIN, list, 5},
    {FORM_UTF16LE, list, 5},
    {FORM_GZIP, list, 5},
    {FORM_PLAIN,
	"\xEF\xBB\xBF<s:sitemapindex xmlns:s='http://www.sitemaps.org/schemas/"
	"sitemap/0.9'><s:sitemap><s:lastmod>2025-01</s:lastmod><s:loc>" HOST
	"a.xml</s:loc></s:sitemap><s:sitemap><s:loc>" HOST "b.xml"
	"</s:loc></s:sitemap></s:sitemapindex>",
	2},
    {FORM_PLAIN,
	" \n<?xml version='1.0' encoding='GBK'?><urlset><url><loc>" HOST
	"\xC4\xE3\xBA\xC3</loc></url><url><loc>" HOST "b</loc></url></urlset>",
	2},
    {FORM_PLAIN,
	"<?xml version='1.0' encoding='ISO-8859-1'?><urlset " NS "><url><loc>"
	"" HOST "\xE9</loc></url></urlset>",
	1},
    {FORM_PLAIN,
	"<!DOCTYPE urlset [<!ENTITY x '>'> <!-- ]> -->]><urlset " NS
	"><url><loc>" HOST "a</loc></url></urlset>",
	0},
    {FORM_PLAIN,
	"<rss version='2.0'><channel><link>" HOST "</link><item><title>t"
	"</title><link>" HOST "a?b&amp;c</link><pubDate>Sat, 04 Jan 2025 "
	"10:00:00 +0100</pubDate></item><item><guid>" HOST "b</guid>"
	"</item><item><guid isPermaLink='false'>x</guid></item></channel>"
	"</rss>",
	2},
    {FORM_PLAIN,
	"<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
	"xmlns='http://purl.org/rss/1.0/'><channel/><item><link>" HOST
	"a</link></item></r:RDF>",
	1},
    {FORM_UTF16BE,
	"<feed xmlns='http://www.w3.org/2005/Atom'><link href='/'/><entry>"
	"<link rel='self' href='no'/><link href='a?b&amp;c'/><updated>"
	"2025-01-01T00:00:00Z</updated></entry><entry><link href='b'/>"
	"<modified>2025</modified></entry></feed>",
	2},
    {FORM_PLAIN, "<!-- x --><html><a href='" HOST "a'>" HOST "a</a></html>", 0},
    {FORM_PLAIN,
	"<urlset " NS "><url><loc>" HOST "a</loc></url><url><loc>"
	"" HOST "b&c</loc></url></urlset>",
	1},
};

/* Sanitizers take long: they see a tenth of the cuts. */
#define CUT_STEP (IS_SANITIZED ? 10 : 1)
#define DOCUMENTS (COUNT(documents))

static void
put_utf16(struct buf *out, const char *text, bool is_big)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t units[2];

	(void)buf_put(out, is_big ? "\xFE\xFF" : "\xFF\xFE", 2);
	while (*p != '\0') {
		int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : *p >= 0xC0;
		uint32_t c = more == 0 ? *p : *p & (0x3Fu >> more);
		int count = 1;

		for (p++; more > 0; more--)
			c = c << 6 | (*p++ & 0x3F);
		units[0] = c;
		if (c >= 0x10000) {
			units[0] = 0xD800 + ((c - 0x10000) >> 10);
			units[1] = 0xDC00 + ((c - 0x10000) & 0x3FF);
			count = 2;
		}
		for (int i = 0; i < count; i++) {
			char high = (char)(units[i] >> 8);
			char low = (char)units[i];

			(void)buf_put_char(out, is_big ? high : low);
			(void)buf_put_char(out, is_big ? low : high);
		}
	}
}

static void
put_gzip(struct buf *out, struct slice text)
{
	unsigned char bytes[4096];
	z_stream z = {0};

	z.next_in = (unsigned char *)(uintptr_t)text.p;
	z.avail_in = (unsigned)text.len;
	z.next_out = bytes;
	z.avail_out = sizeof(bytes);
	assert_int_equal(
	    deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
	    Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	(void)buf_put(out, bytes, sizeof(bytes) - z.avail_out);
	assert_int_equal(deflateEnd(&z), Z_OK);
}

static void
put_document(struct buf *out, size_t which)
{
	struct slice text = slice_of(documents[which].text);
	struct buf inner;

	buf_init(&inner, 1 << 16);
	switch (documents[which].form) {
	case FORM_PLAIN:
		(void)buf_put_slice(out, text);
		break;
	case FORM_UTF16LE:
	case FORM_UTF16BE:
		put_utf16(out, text.p, documents[which].form == FORM_UTF16BE);
		break;
	case FORM_GZIP:
		put_gzip(out, text);
		break;
	case FORM_GZIP_TWICE:
		put_gzip(&inner, text);
		put_gzip(out, buf_text(&inner));
		break;
	case FORM_MEMBERS:
		put_gzip(out, slice_make(text.p, text.len / 2));
		put_gzip(out, slice_from(text, text.len / 2));
		break;
	}
	buf_release(&inner);
}

/* How a document is read; all results are compared. */
struct how {
	enum profile_name profile;
	size_t chunk;
	bool is_truncated;
};

static void
read_body(struct fixture *fixture, struct slice body, const struct how *how)
{
	struct scope scope;

	fixture_init(fixture, body);
	fixture->chunk = how->chunk;
	fixture_scope(&scope, how->profile, HERE);
	scope.content_encoding = slice_dup(slice_of("gzip"));
	scope.checks.has_extensions = true;
	scope.checks.has_schema = true;
	scope.is_truncated = how->is_truncated;
	fixture_read(fixture, &scope);
	scope_release(&scope);
}

static void
test_pieces(void **state)
{
	struct how how = {0};
	struct fixture fixture;
	struct buf body;
	struct buf whole;
	struct buf pieces;

	buf_init(&body, 1 << 16);
	buf_init(&whole, 1 << 16);
	buf_init(&pieces, 1 << 16);
	for (size_t i = 0; i < DOCUMENTS * 3; i++) {
		buf_clear(&body);
		put_document(&body, i / 3);
		how.profile = (enum profile_name)(i % 3);
		for (how.chunk = 0; how.chunk < body.len;
		     how.chunk += CUT_STEP) {
			struct buf *out = how.chunk == 0 ? &whole : &pieces;

			buf_clear(out);
			read_body(&fixture, buf_text(&body), &how);
			fixture_print(&fixture, out);
			if (how.chunk == 0 && how.profile == PROFILE_GOOGLE)
				assert_int_equal(
				    fixture.accepted, documents[i / 3].entries);
			fixture_release(&fixture);
			if (how.chunk > 0 &&
			    !slice_equal(buf_text(&whole), buf_text(&pieces)))
				fail_msg("document %zu by %zu:\n%s\n%s", i / 3,
				    how.chunk, buf_str(&whole),
				    buf_str(&pieces));
		}
	}
	buf_release(&body);
	buf_release(&whole);
	buf_release(&pieces);
}

static bool
is_same(const struct fixture_entry *a, const struct fixture_entry *b)
{
	return strcmp(a->url, b->url) == 0 &&
	    a->entry.ordinal == b->entry.ordinal &&
	    a->entry.extensions == b->entry.extensions &&
	    a->entry.hints == b->entry.hints &&
	    date_order(&a->entry.lastmod, &b->entry.lastmod) == 0;
}

static void
check_cut(const struct fixture *whole, const struct fixture *cut, size_t which,
    size_t len)
{
	bool is_prefix = cut->count <= whole->count;

	for (size_t i = 0; is_prefix && i < cut->count; i++)
		is_prefix = is_same(&whole->entries[i], &cut->entries[i]);
	if (!is_prefix)
		fail_msg("document %zu, cut at %zu: %zu entries, the last %s",
		    which, len, cut->count, cut->entries[cut->count - 1].url);
}

/* A transfer that ended early is known to be cut; a file that was published cut
 * is not. A text list alone cannot show that its last line was longer. */
static void
test_cut(void **state)
{
	struct how how = {0};
	struct fixture whole;
	struct fixture cut;
	struct buf body;

	buf_init(&body, 1 << 16);
	for (size_t i = 0; i < DOCUMENTS * 6; i++) {
		bool is_list = documents[i / 6].text == list &&
		    documents[i / 6].form != FORM_GZIP;

		buf_clear(&body);
		put_document(&body, i / 6);
		how = (struct how){.profile = (enum profile_name)(i % 3)};
		read_body(&whole, buf_text(&body), &how);
		how.is_truncated = i / 3 % 2 == 0 || is_list;
		for (size_t len = 0; len < body.len; len += CUT_STEP) {
			read_body(&cut, slice_make(body.p, len), &how);
			check_cut(&whole, &cut, i / 6, len);
			assert_true(
			    !how.is_truncated || !cut.content.is_complete);
			fixture_release(&cut);
		}
		fixture_release(&whole);
	}
	buf_release(&body);
}

/* A document that is whole is not complete if more was announced than came:
 * what is missing may have been another document's beginning, or an error's. */
static void
test_more_was_announced(void **state)
{
	static const char *const ends[] = {"</urlset>", "</urlset>\n<garbage",
	    "</urlset><!-- ", "</urlset>\n"};
	struct how how = {.profile = PROFILE_GOOGLE};
	struct buf body;

	buf_init(&body, 1 << 16);
	for (size_t i = 0; i < (COUNT(ends)) * 2; i++) {
		struct fixture fixture;
		int entries = i % 2 == 0 ? 3 : 200;

		buf_clear(&body);
		(void)buf_print(&body, "<urlset " NS ">");
		for (int k = 0; k < entries; k++)
			(void)buf_print(
			    &body, "<url><loc>" HOST "%d</loc></url>\n", k);
		(void)buf_print(&body, "%s", ends[i / 2]);
		for (int cut = 0; cut < 2; cut++) {
			how.is_truncated = cut > 0;
			read_body(&fixture, buf_text(&body), &how);
			assert_int_equal(fixture.accepted, entries);
			assert_int_equal(fixture.content.is_complete,
			    cut == 0 && (i / 2 == 0 || i / 2 == 3));
			fixture_release(&fixture);
		}
	}
	buf_release(&body);
}

UNIT(read_pieces)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pieces),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_more_was_announced),
	};

	read_warm();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
