/* crawler/parse/read.c: whole documents are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "crawler/parse/read_entry.h"
#include "tests/fixtures/read_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define SET(inside) "<urlset " NS ">" inside "</urlset>"
#define INDEX(inside) "<sitemapindex " NS ">" inside "</sitemapindex>"
#define URL(loc) "<url><loc>" loc "</loc></url>"
#define DATED(loc, date) \
	"<url><loc>" loc "</loc><lastmod>" date "</lastmod></url>"
#define CHILD(loc) "<sitemap><loc>" loc "</loc></sitemap>"
#define HERE "https://a.example/d/s.xml"

/* Codes and locs are separated by spaces, in the order of the document; refused
 * locs have a "!". */
static const struct {
	const char *rule;
	enum profile_name profile;
	const char *url; /* NULL: a local file */
	const char *document;
	enum diag_code result;
	bool is_complete;
	const char *codes;
	const char *locs;
} cases[] = {
    {"R-58", PROFILE_GOOGLE, HERE,
	SET(URL("https://a.example/d/x") URL("https://a.example/x")), DIAG_OK,
	true, "outside-directory",
	"https://a.example/d/x !https://a.example/x"},
    {"R-55", PROFILE_GOOGLE, HERE,
	SET(URL("https://b.example/d/x") URL("https://www.a.example/d/")),
	DIAG_OK, true, "host-mismatch www-missing",
	"!https://b.example/d/x !https://www.a.example/d/"},
    /* a refused entry causes no further findings */
    {"R-71", PROFILE_GOOGLE, HERE,
	SET("<url><loc>https://b.example/</loc><lastmod>nonsense</lastmod>"
	    "<priority>7</priority></url>" DATED("https://b.example/",
		"2026-01-03") DATED("https://a.example/d/x", "2025-01-01")),
	DIAG_OK, true, "host-mismatch",
	"!https://b.example/ https://a.example/d/x"},
    {"R-60", PROFILE_GOOGLE, HERE,
	INDEX(CHILD("https://a.example/d/c.xml") CHILD(
	    "https://a.example/c.xml") CHILD("https://a.example/d/s.xml")),
	DIAG_OK, true, "outside-directory index-self-reference",
	"https://a.example/d/c.xml !https://a.example/c.xml "
	"!https://a.example/d/s.xml"},
    {"15.7 no location, no rule", PROFILE_STRICT, NULL,
	SET(URL("https://a.example/x") URL("http://a.example:8080/")), DIAG_OK,
	true, "", "https://a.example/x http://a.example:8080/"},
    {"R-68", PROFILE_GOOGLE, NULL,
	SET(URL("https://a.example/x") URL("https://b.example/")
		URL("https://c.example/")),
	DIAG_OK, true, "mixed-hosts",
	"https://a.example/x https://b.example/ https://c.example/"},
    {"R-51", PROFILE_GOOGLE, HERE,
	SET(URL("https://a.example/d/x") URL("HTTPS://A.example:443/d/%78")),
	DIAG_OK, true, "duplicate-url", "https://a.example/d/x"},
    {"R-51 child", PROFILE_GOOGLE, HERE,
	INDEX(CHILD("https://a.example/d/x") CHILD("https://a.example/d/x")),
	DIAG_OK, true, "duplicate-child", "https://a.example/d/x"},
    {"R-31", PROFILE_GOOGLE, HERE,
	SET(DATED("https://a.example/d/x", "2026-01-03")
		DATED("https://a.example/d/y", "1980-01-01")
		    DATED("https://a.example/d/z", "nonsense")),
	DIAG_OK, true, "lastmod-future lastmod-implausible invalid-date",
	"https://a.example/d/x https://a.example/d/y https://a.example/d/z"},
    {"R-16", PROFILE_GOOGLE, HERE, SET(""), DIAG_OK, true, "empty-sitemap", ""},
    {"R-02 keep", PROFILE_GOOGLE, HERE,
	"<urlset " NS ">" URL("https://a.example/d/x") "<url>", DIAG_OK, false,
	"parse-error partial-document", "https://a.example/d/x"},
    {"R-02 drop", PROFILE_STRICT, HERE,
	"<urlset " NS ">" URL("https://a.example/d/x") "<url>",
	DIAG_PARSE_ERROR, false, "parse-error", ""},
    {"R-02 nothing to keep", PROFILE_GOOGLE, HERE, "<?xml version='1.0'?>",
	DIAG_PARSE_ERROR, false, "parse-error", ""},
    {"R-05", PROFILE_GOOGLE, HERE, "", DIAG_EMPTY_FILE, true, "empty-file", ""},
    {"R-43", PROFILE_LENIENT, HERE, SET(URL("y")), DIAG_OK, true,
	"relative-url", "https://a.example/d/y"},
    {"R-01 text", PROFILE_GOOGLE, HERE,
	"https://a.example/d/x\nhttps://a.example/d/\xC4\xE3\n", DIAG_OK, true,
	"encoding-not-utf8 url-non-ascii",
	"https://a.example/d/x https://a.example/d/%E4%BD%A0"},
    {"R-01 text, strict", PROFILE_STRICT, HERE,
	"https://a.example/d/x\nhttps://a.example/d/\xC4\xE3\n",
	DIAG_ENCODING_NOT_UTF8, false, "encoding-not-utf8", ""},
    {"R-21", PROFILE_GOOGLE, HERE,
	"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='y'/>"
	"</entry></feed>",
	DIAG_OK, true, "", "https://a.example/d/y"},
    {"R-21 strict", PROFILE_STRICT, HERE,
	"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='y'/>"
	"</entry><entry><link href='https://a.example/d/y z'/></entry></feed>",
	DIAG_OK, true, "invalid-url", "https://a.example/d/y"},
    {"R-33, R-34", PROFILE_GOOGLE, HERE,
	SET("<url><loc>https://a.example/d/x</loc><changefreq>Daily"
	    "</changefreq><priority>2</priority></url>"),
	DIAG_OK, true, "invalid-tag-value", "https://a.example/d/x"},
};

static void
print_codes(const struct fixture *fixture, struct buf *out)
{
	const struct findings *findings = &fixture->content.findings;

	for (size_t i = 0; i < findings->count; i++)
		(void)buf_print(out, "%s%s", i > 0 ? " " : "",
		    diag_name(findings->items[i].code));
}

static void
print_locs(const struct fixture *fixture, struct buf *out)
{
	for (size_t i = 0; i < fixture->count; i++)
		(void)buf_print(out, "%s%s%s", i > 0 ? " " : "",
		    fixture->entries[i].entry.verdict == VERDICT_ACCEPTED ? ""
									  : "!",
		    fixture->entries[i].url);
}

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct scope scope;
		struct buf codes;
		struct buf locs;

		fixture_init(&fixture, slice_of(cases[i].document));
		fixture_scope(&scope, cases[i].profile, cases[i].url);
		fixture_read(&fixture, &scope);
		buf_init(&codes, 1 << 20);
		buf_init(&locs, 1 << 20);
		print_codes(&fixture, &codes);
		print_locs(&fixture, &locs);
		if (fixture.code != cases[i].result ||
		    fixture.content.failure != cases[i].result ||
		    fixture.content.is_complete != cases[i].is_complete ||
		    !slice_is(buf_text(&codes), cases[i].codes) ||
		    !slice_is(buf_text(&locs), cases[i].locs))
			fail_msg("%s: %s, complete %d, '%s', '%s'",
			    cases[i].rule, diag_name(fixture.code),
			    fixture.content.is_complete, buf_str(&codes),
			    buf_str(&locs));
		assert_int_equal(fixture.content.seen,
		    fixture.content.accepted + fixture.content.refused);
		buf_release(&codes);
		buf_release(&locs);
		fixture_release(&fixture);
		scope_release(&scope);
	}
}

/* put_document(out, urls): a document with everything in it, longer than any
 * buffer. */
static void
put_document(struct buf *out, int urls)
{
	(void)buf_print(out,
	    "<?xml version='1.0' encoding='UTF-8'?>\n<urlset " NS
	    " xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'"
	    ">\r\n");
	for (int i = 0; i < urls; i++)
		(void)buf_print(out,
		    "<url><!-- %d --><loc>https://a.example/d/%d?a=1&amp;b="
		    "\xC3\xA9</loc>\r\n<lastmod>2025-%02d-0%d</lastmod>"
		    "<image:image><image:loc>x</image:loc></image:image>"
		    "<priority>0.%d</priority>%s</url>\n",
		    i, i % 97 == 0 ? 7 : i, 1 + i % 12, 1 + i % 9, i % 10,
		    i % 31 == 0 ? "<x/>" : "");
	(void)buf_print(out, "</urlset>\n");
}

static void
print_reading(struct buf *out, struct slice body, size_t chunk,
    uint64_t sort_memory, FILE *scratch)
{
	struct fixture fixture;
	struct scope scope;

	fixture_init(&fixture, body);
	fixture.chunk = chunk;
	if (scratch != NULL)
		fixture.scratch_fd = fileno(scratch);
	fixture_scope(&scope, PROFILE_GOOGLE, HERE);
	scope.limits.sort_memory = sort_memory;
	fixture_read(&fixture, &scope);
	buf_init(out, 16 << 20);
	fixture_print(&fixture, out);
	fixture_release(&fixture);
	scope_release(&scope);
}

/*
 * X32: pieces of any length give the same reading, even with the scratch file.
 */
static void
test_chunks(void **state)
{
	static const size_t chunks[] = {1, 2, 3, 7, 64, 16384};
	struct buf body;
	struct buf whole;
	struct buf other;

	(void)state;
	buf_init(&body, 16 << 20);
	put_document(&body, 3000);
	print_reading(&whole, buf_text(&body), 0, 48u << 20, NULL);
	assert_true(whole.len > 100000);
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		print_reading(
		    &other, buf_text(&body), chunks[i], 48u << 20, NULL);
		assert_true(slice_equal(buf_text(&whole), buf_text(&other)));
		buf_release(&other);
	}
	FILE *scratch = tmpfile();
	assert_non_null(scratch);
	print_reading(&other, buf_text(&body), 0, 8192, scratch);
	assert_true(slice_equal(buf_text(&whole), buf_text(&other)));
	assert_true(lseek(fileno(scratch), 0, SEEK_END) > 0);
	buf_release(&other);
	fclose(scratch);
	buf_release(&whole);
	buf_release(&body);
}

/* X28: a document that is cut at any byte gives a prefix of the entries. */
static void
test_cut(void **state)
{
	struct fixture fixture;
	struct scope scope;
	struct buf body;
	size_t most = 0;

	(void)state;
	buf_init(&body, 1 << 20);
	put_document(&body, 3);
	fixture_scope(&scope, PROFILE_GOOGLE, HERE);
	/* The last byte is a line end. */
	for (size_t len = 1; len + 1 < body.len; len++) {
		fixture_init(&fixture, slice_make(body.p, len));
		fixture_read(&fixture, &scope);
		assert_false(fixture.content.is_complete);
		assert_true(fixture.count >= most);
		most = fixture.count;
		fixture_release(&fixture);
	}
	assert_int_equal(most, 3);
	scope_release(&scope);
	buf_release(&body);
}

/* N4: a body that could not be read is not reported as cut. */
static void
test_lost_body(void **state)
{
	struct fixture fixture;
	struct scope scope;

	(void)state;
	fixture_init(&fixture, slice_of(SET(URL("https://a.example/d/x"))));
	fixture.chunk = 10;
	fixture.fail_at = 100;
	fixture_scope(&scope, PROFILE_GOOGLE, HERE);
	fixture_read(&fixture, &scope);
	assert_int_equal(fixture.code, DIAG_READER_KILLED);
	assert_false(fixture.content.is_complete);
	assert_non_null(
	    findings_get(&fixture.content.findings, DIAG_READER_KILLED));
	fixture_release(&fixture);
	scope_release(&scope);
}

/* A scratch file that cannot be written. */
static void
test_lost_scratch(void **state)
{
	struct fixture fixture;
	struct scope scope;
	struct buf body;
	FILE *scratch = fopen("/dev/null", "r");

	(void)state;
	assert_non_null(scratch);
	buf_init(&body, 16 << 20);
	put_document(&body, 3000);
	fixture_init(&fixture, buf_text(&body));
	fixture.scratch_fd = fileno(scratch);
	fixture_scope(&scope, PROFILE_GOOGLE, HERE);
	scope.limits.sort_memory = 8192;
	fixture_read(&fixture, &scope);
	assert_int_equal(fixture.code, DIAG_READER_KILLED);
	fixture_release(&fixture);
	scope_release(&scope);
	buf_release(&body);
	fclose(scratch);
}

/* the reading is compared with the previous segment. Without one,
 * all entries are new, except in the first crawl of a site. */
static void
test_previous(void **state)
{
	struct fixture first;
	struct fixture second;
	struct scope scope;

	(void)state;
	fixture_scope(&scope, PROFILE_GOOGLE, HERE);
	fixture_init(&first,
	    slice_of(SET(DATED("https://a.example/d/1", "2025-05-05")
		    URL("https://a.example/d/2"))));
	fixture_read(&first, &scope);
	assert_int_equal(first.count, 2);
	assert_int_equal(first.content.merge.changes[DELTA_ADDED], 2);
	assert_int_equal(first.delta.count, 1);
	scope.is_first = true;
	fixture_read(&first, &scope);
	assert_int_equal(first.count, 2);
	assert_int_equal(first.content.merge.changes[DELTA_ADDED], 0);
	assert_int_equal(first.delta.count, 0);
	scope.is_first = false;
	assert_int_equal(first.entries[0].entry.first_seen_s, scope.now_s);

	fixture_init(&second,
	    slice_of(SET(DATED("https://a.example/d/1", "2025-04-04")
		    URL("https://a.example/d/3"))));
	second.previous = &first.segment;
	scope.now_s += 86400;
	fixture_read(&second, &scope);
	assert_int_equal(second.code, DIAG_OK);
	assert_int_equal(second.content.merge.changes[DELTA_ADDED], 1);
	assert_int_equal(second.content.merge.changes[DELTA_REMOVED], 1);
	assert_int_equal(second.content.merge.changes[DELTA_REDATED], 1);
	assert_int_equal(
	    findings_get(&second.content.findings, DIAG_LASTMOD_REGRESSED)
		->count,
	    1);
	fixture_release(&second);
	fixture_release(&first);
	scope_release(&scope);
}

/*
 * a partial reading removes nothing, and neither does one that is held.
 */
static void
test_previous_kept(void **state)
{
	struct fixture first;
	struct fixture second;
	struct scope scope;

	(void)state;
	fixture_scope(&scope, PROFILE_GOOGLE, HERE);
	fixture_init(&first,
	    slice_of(SET(
		URL("https://a.example/d/1") URL("https://a.example/d/2"))));
	fixture_read(&first, &scope);

	fixture_init(&second,
	    slice_of("<urlset " NS ">" URL("https://a.example/d/3") "<url>"));
	second.previous = &first.segment;
	fixture_read(&second, &scope);
	assert_int_equal(second.code, DIAG_OK);
	assert_int_equal(second.content.merge.changes[DELTA_REMOVED], 0);
	assert_int_equal(second.count, 3);
	fixture_release(&second);

	/* With a damaged previous segment the reading fails. */
	first.segment.items[0].data[first.segment.items[0].len / 2] ^= 0x55;
	first.segment.items[0].data[0] ^= 0x55;
	fixture_init(&second, slice_of(SET(URL("https://a.example/d/3"))));
	second.previous = &first.segment;
	fixture_read(&second, &scope);
	assert_int_equal(second.code, DIAG_STORE_DAMAGED);
	fixture_release(&second);
	fixture_release(&first);
	scope_release(&scope);
}

/* */
static void
test_hints(void **state)
{
	static const struct {
		const char *text;
		uint8_t nibble;
	} priorities[] = {{"0.0", 1}, {"0", 1}, {"1.0", 11}, {"1", 11},
	    {"0.5", 6}, {".5", 6}, {"+0.50", 6}, {" 0.8\n", 9}, {"0.84", 9},
	    {"0.85", 10}, {"0.951", 11}, {"-0.0", 1}, {"01.", 11}, {"00.30", 4},
	    {"", 0}, {".", 0}, {"+", 0}, {"1.1", 0}, {"1.0000001", 0},
	    {"-0.1", 0}, {"0,5", 0}, {"1e0", 0}, {"NaN", 0}, {"10", 0},
	    {"0.5.", 0}, {"0x1", 0}, {"--0", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(priorities) / sizeof(priorities[0]); i++)
		if (hint_priority(slice_of(priorities[i].text)) !=
		    priorities[i].nibble)
			fail_msg("%s: %u", priorities[i].text,
			    hint_priority(slice_of(priorities[i].text)));
	assert_int_equal(hint_changefreq(slice_of(" always ")), 1);
	assert_int_equal(hint_changefreq(slice_of("never")), 7);
	assert_int_equal(hint_changefreq(slice_of("Never")), 0);
	assert_int_equal(hint_changefreq(slice_of("")), 0);
}

/* A scope survives its frame; a cut frame is refused. */
static void
test_scope_frame(void **state)
{
	struct scope scope;
	struct scope copy;
	struct buf frame;

	(void)state;
	fixture_scope(&scope, PROFILE_LENIENT, HERE);
	scope.listed_s = -5;
	scope.depth = 3;
	scope.is_child = true;
	scope.content_type = slice_dup(slice_of(""));
	scope.limits.max_text = 77;
	scope.checks.has_extensions = true;
	scope.limits.max_news = 5;
	buf_init(&frame, 1 << 20);
	scope_put(&frame, &scope);
	struct wire wire = wire_open(buf_text(&frame));
	assert_true(scope_get(&wire, &copy));
	assert_int_equal(copy.listed_s, -5);
	assert_int_equal(copy.depth, 3);
	assert_true(copy.is_child);
	assert_int_equal(copy.limits.max_text, 77);
	assert_int_equal(copy.limits.max_news, 5);
	assert_true(copy.checks.has_extensions);
	assert_false(copy.checks.has_schema);
	assert_string_equal(copy.content_type, "");
	assert_null(copy.content_encoding);
	assert_true(slice_equal(
	    url_text(&scope.location.final), url_text(&copy.location.final)));
	scope_release(&copy);
	for (size_t len = 0; len < frame.len; len++) {
		wire = wire_open(slice_make(frame.p, len));
		assert_false(scope_get(&wire, &copy));
		scope_release(&copy);
	}
	buf_release(&frame);
	scope_release(&scope);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
	    cmocka_unit_test(test_chunks), cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_lost_body),
	    cmocka_unit_test(test_lost_scratch),
	    cmocka_unit_test(test_previous),
	    cmocka_unit_test(test_previous_kept), cmocka_unit_test(test_hints),
	    cmocka_unit_test(test_scope_frame)};

	read_warm();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
