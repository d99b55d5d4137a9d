/* crawler/parse/page.c: the facts that a page states about itself. */
#include "tests/fixtures/fixture.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "crawler/parse/gunzip.h"
#include "crawler/parse/page.h"
#include "crawler/parse/read.h"
#include "tests/fixtures/read_fixture.h"

#define CANONICAL(href) "<link rel=canonical href='" href "'>"

/* The facts of a page: noindex | canonical | how many | base, | sitemap. */
static const struct {
	const char *why, *page, *facts;
} cases[] = {
    {"nothing", "<!doctype html><title>a</title><p>b", "||0|"},
    {"both",
	"<html><head><meta name=robots content='noindex, nofollow'>"
	"<link rel='canonical' href='https://a.example/'>",
	"noindex, nofollow|https://a.example/|1|"},
    {"upper case", "<META NAME=ROBOTS CONTENT=NOINDEX>", "NOINDEX||0|"},
    {"another robot", "<meta name=bingbot content=noindex>", "||0|"},
    {"the first that says so",
	"<meta name=robots content=index><meta name=googlebot content=none>",
	"googlebot none||0|"},
    {"the first of both",
	"<meta name=robots content=none><meta name=googlebot content=noindex>",
	"none||0|"},
    {"in the body", "<body><meta name=robots content=noindex>", "noindex||0|"},
    {"references", CANONICAL("/a?b=c&amp;d=&#101;"), "|/a?b=c&d=e|1|"},
    {"white space", CANONICAL(" /a\n"), "|/a|1|"},
    {"several words", "<link rel='x canonical y' href=/a>", "|/a|1|"},
    {"another rel", "<link rel=alternate href=/a>", "||0|"},
    {"no href", "<link rel=canonical>", "||0|"},
    {"blank", CANONICAL(" "), "||0|"},
    {"twice the same", CANONICAL("/a") CANONICAL("/a"), "|/a|1|"},
    {"two", CANONICAL("/a") CANONICAL("/b") CANONICAL("/b"), "|/a|2|"},
    {"an end tag", "</link rel=canonical href=/a>", "||0|"},
    {"behind body", "<body>" CANONICAL("/a"), "||0|"},
    {"behind text", "<head>text" CANONICAL("/a"), "||0|"},
    {"behind a div", "<head><div>" CANONICAL("/a"), "||0|"},
    {"behind </head>", "<head></head>" CANONICAL("/a") "<body>", "|/a|1|"},
    {"behind </html>", "<html></html>" CANONICAL("/a"), "||0|"},
    {"behind what a head holds",
	"<!doctype html><html><head><meta charset=x><title>t</title>"
	"<style>p</style><script>s</script><noscript><p></noscript>"
	"<template><p></template><base href=/b>" CANONICAL("a"),
	"|a|1|/b"},
    {"in a comment", "<!-- " CANONICAL("/a") " -->", "||0|"},
    {"in a script", "<script>'" CANONICAL("/a") "'</script>", "||0|"},
    {"in noscript", "<noscript>" CANONICAL("/a") "</noscript>", "||0|"},
    {"in a title", "<title>" CANONICAL("/a") "</title>", "||0|"},
    {"by the own name",
	"<meta name=bingbot content=none><meta name=ExampleBot content=none>",
	"own none||0|"},
    {"the first base", "<base target=x><base href=/b><base href=/c>", "||0|/b"},
    {"the first sitemap",
	"<link rel='alternate sitemap' href=' m.xml'><link rel=sitemap href=n>",
	"||0||m.xml"},
    {"a map for people", "<link rel=sitemap href=/m.HTML>", "||0|"},
    {"a sitemap in the body", "<p><link rel=sitemap href=/m.xml>", "||0|"},
    {"byte order mark", "\xef\xbb\xbf" CANONICAL("/a"), "|/a|1|"},
};

static void
print(struct buf *out, const struct page_facts *facts)
{
	static const char *const names[] = {"", "", "own ", "googlebot "};

	(void)buf_print(out, "%s", names[facts->noindex_name]);
	(void)buf_put_slice(out, facts->noindex);
	(void)buf_put_char(out, '|');
	(void)buf_put_slice(out, facts->canonical);
	(void)buf_print(out, "|%u|", facts->canonicals);
	(void)buf_put_slice(out, facts->base);
	(void)buf_print(out, "%s", facts->sitemap.len > 0 ? "|" : "");
	(void)buf_put_slice(out, facts->sitemap);
}

static void
read_it(struct fixture *fixture, const char *page, const char *encoding)
{
	fixture_open(
	    fixture, PROFILE_GOOGLE, "https://a.example/page", slice_of(page));
	fixture->scope.is_page = true;
	fixture->scope.agent = slice_dup(slice_of("examplebot"));
	if (encoding != NULL)
		fixture->scope.content_encoding = slice_dup(slice_of(encoding));
	fixture_run(fixture);
}

static void
test_facts(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fixture fixture;
		struct page_facts facts;

		read_it(&fixture, cases[i].page, NULL);
		assert_int_equal(fixture.code, DIAG_OK);
		assert_int_equal(fixture.content.findings.count, 0);
		assert_true(page_get(buf_text(&fixture.content.page), &facts));
		print(out, &facts);
		assert_row(cases[i].why, out, cases[i].facts);
		fixture_release(&fixture);
	}
}

/* What a page says to people: title | description | language | robots | links,
 * then "login" if it is one, and its main text, with "/" between blocks. */
static const struct {
	const char *why, *type, *page, *said;
} sayings[] = {
    {"nothing", NULL, "", "||||0|"},
    {"all of it", NULL,
	"<html lang=de-AT><title> A\n&amp; &eacute;</title><meta "
	"name=Description content=' b  &mdash; &quot;c&quot; '><meta "
	"name=robots content='noindex , nofollow'><main><p>x<p>y</main>",
	"A & \xc3\xa9|b \xe2\x80\x94 \"c\"|de-AT|noindex , nofollow|0|x/y"},
    {"the first of each", NULL,
	"<html lang=a><html lang=b><title> </title><title>a</title>"
	"<title>b</title><meta name=description content=''>"
	"<meta name=description content=c><meta name=description content=d>",
	"a|c|a||0|"},
    {"og", NULL,
	"<meta property=og:title content='t'><meta property=og:description "
	"content='d'><h1>h</h1>",
	"t|d|||0|h"},
    {"before og", NULL,
	"<meta property=og:title content='t'><meta property=og:description "
	"content='d'><meta name=description content=e><title>u</title>",
	"u|e|||0|"},
    {"a heading", NULL,
	"<h1><img></h1><h1> a<b>b</b><br>c &lt; d < e</h1><h1>f</h1>",
	"ab c < d < e||||0|ab/c < d < e/f"},
    {"a drawing", NULL, "<svg><title>logo</title></svg><title>a</title>",
	"a||||0|"},
    {"a title without an end", NULL, "<title>a<p>b", "||||0|"},
    {"a script with </title>", NULL,
	"<script>'</title>'</script><title>a</title>", "a||||0|"},
    {"directives", NULL,
	"<meta name=robots content=nofollow><meta name=GOOGLEBOT "
	"content=noindex><meta name=Examplebot content='noindex'><body>"
	"<meta name=robots content=noarchive><meta name=robots content=' '>",
	"|||nofollow, noindex, noarchive|0|"},
    {"links", NULL,
	"<a href=/b>b</a><a href=/b rel=nofollow>b</a><a href='page#x'>c</a>"
	"<a href=#y>d</a><a href=''>e</a><a>f</a><a href=/page>g</a>"
	"<a href=//a.example/page>h</a><a href=https://a.example/page>i</a>"
	"<a href=http://a.example/page>j</a><a href=mailto:k>k</a>"
	"<a href='javascript:l()'>l</a><a href=x:80/m>m</a>"
	"<a href='?a:b'>n</a><a href=q/page>o</a>",
	"||||5|bbcdefghijklmno"},
    {"a login", NULL,
	"<p>Sign in<form><input name=a><input type=PASSWORD></form>",
	"||||0|login|Sign in"},
    {"a login in the header", NULL,
	"<header><form><input type=password></form></header><p>text",
	"||||0|text"},
    {"a login beside the main text", NULL,
	"<form><input type=password></form><main>text</main>", "||||0|text"},
    {"blocks", NULL,
	"<nav>n</nav>a<div>b<span>c</span></div>\n\n<ul><li>d<li>e </ul>"
	"<table><tr><td>f<td>g<tr><td>h</table>i<br>j<hr>k",
	"||||0|a/bc/d/e/f g/h/i/j/k"},
    {"what is none", NULL,
	"<script>s</script><style>t</style><!-- c -->a<noscript>n</noscript>"
	"<template>t</template><textarea>x</textarea>b<iframe>f</iframe>",
	"||||0|a/b"},
    {"main", NULL,
	"a<nav>b</nav><main>c<aside class=sidebar>d</aside>e</main>f"
	"<article>g</article>",
	"||||0|c/e/g"},
    {"content", NULL, "a<div id=content>b<nav>c</nav></div>d", "||||0|b"},
    {"a time", NULL, "<main>on <time>6 May</time>, v1.2.3</main>",
	"||||0|on 6 May, v1.2.3"},
    {"nothing but navigation", NULL, "<nav>a</nav>", "||||0|a"},
    {"Content-Type", "text/html; charset=windows-1251",
	"<title>\xcf\xf0&eacute;</title><meta name=description "
	"content='\xe4&#1078;&mdash;'><p>\xec",
	"\xd0\x9f\xd1\x80\xc3\xa9|\xd0\xb4\xd0\xb6\xe2\x80\x94|||0|"
	"\xd0\xbc"},
    {"a meta", NULL, "<meta charset=Shift_JIS><title>\x83\x5c\x95\x5c</title>",
	"\xe3\x82\xbd\xe8\xa1\xa8||||0|"},
    {"a meta with an equivalent", NULL,
	"<meta http-equiv=Content-Type content='text/html;charset=EUC-KR'>"
	"<title>\xc7\xd1</title>",
	"\xed\x95\x9c||||0|"},
    {"Content-Type before a meta", "text/html;charset=\"koi8-r\"",
	"<meta charset=utf-8><title>\xf2</title>", "\xd0\xa0||||0|"},
    {"a mark before Content-Type", "text/html;charset=koi8-r",
	"\xef\xbb\xbf<title>\xc3\xa9</title>", "\xc3\xa9||||0|"},
    {"a meta that says UTF-16", NULL,
	"<meta charset=utf-16le><title>\xc3\xa9</title>", "\xc3\xa9||||0|"},
    {"an unknown encoding", "text/html; charset=frob",
	"<meta charset=x><meta charset=iso-8859-2><title>\xb1</title>",
	"\xc4\x85||||0|"},
    {"no encoding", "text/html", "<title>\xe9 \xc3\xa9</title>",
	"\xc3\xa9 \xc3\xa9||||0|"},
    {"not in UTF-8", "text/html; charset=utf-8",
	"<title>\xe9 \xc3\xa9</title><p>\xe9",
	"\xef\xbf\xbd \xc3\xa9||||0|\xef\xbf\xbd"},
    {"a cut character", "text/html; charset=shift_jis",
	"<title>a\x83</title>b\x83", "a\xef\xbf\xbd||||0|b"},
    {"GBK", "charset=gb2312", "<title>\xd6\xd0\x81\x30\x84\x36</title>",
	"\xe4\xb8\xad\xc2\xa5||||0|"},
    {"Big5", "charset=big5", "<title>\xa4\xa4</title>", "\xe4\xb8\xad||||0|"},
    {"EUC-JP", "charset=euc-jp", "<title>\xc6\xfc\x8e\xb1</title>",
	"\xe6\x97\xa5\xef\xbd\xb1||||0|"},
    {"ISO-2022-JP", "charset=iso-2022-jp",
	"<title>\x1b$B<<\x1b(B</title><meta name=robots content=noindex>"
	"<p>\x1b$BF|",
	"\xe5\xae\xa4|||noindex|0|\xe6\x97\xa5"},
    {"and not the one before", "charset=iso-2022-jp", "<title>F|</title>",
	"F|||||0|"},
};

static void
test_sayings(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(sayings); i++) {
		struct fixture fixture;
		struct page_facts is;
		size_t at;

		fixture_open(&fixture, PROFILE_GOOGLE, "https://a.example/page",
		    slice_of(sayings[i].page));
		fixture.chunk = i % 3;
		fixture.scope.is_page = true;
		fixture.scope.wants_text = true;
		fixture.scope.agent = slice_dup(slice_of("examplebot"));
		if (sayings[i].type != NULL)
			fixture.scope.content_type = slice_dup(
			    slice_of(sayings[i].type));
		fixture.scratch_fd = memfd_create("text", 0);
		fixture_run(&fixture);
		assert_int_equal(fixture.code, DIAG_OK);
		assert_true(page_get(buf_text(&fixture.content.page), &is));
		(void)buf_print(out, "%.*s|%.*s|%.*s|%.*s|%u|%s",
		    (int)is.title.len, is.title.p, (int)is.description.len,
		    is.description.p, (int)is.language.len, is.language.p,
		    (int)is.robots.len, is.robots.p, is.links,
		    is.is_login ? "login|" : "");
		at = out->len;
		assert_true(page_text_load(fixture.scratch_fd, &is, out));
		for (; at < out->len; at++)
			if (out->p[at] == '\n')
				out->p[at] = '/';
		assert_row(sayings[i].why, out, sayings[i].said);
		(void)close(fixture.scratch_fd);
		fixture_release(&fixture);
	}
}

/* The encodings of one byte, by one of their labels each: what 0xe1 is. */
static void
test_labels(void **state)
{
	static const struct {
		const char *label, *title;
	} labels[] = {
	    {"IBM866", "\xd1\x81"},
	    {"windows-874", "\xe0\xb9\x81"},
	    {"tis-620", "\xe0\xb9\x81"},
	    {"cp1250", "\xc3\xa1"},
	    {"Windows-1253", "\xce\xb1"},
	    {"iso-8859-9", "\xc3\xa1"},
	    {"windows-1255", "\xd7\x91"},
	    {"windows-1256", "\xd9\x84"},
	    {"windows-1257", "\xc4\xaf"},
	    {"windows-1258", "\xc3\xa1"},
	    {"l2", "\xc3\xa1"},
	    {"ISO_8859-3:1988", "\xc3\xa1"},
	    {"iso-8859-4", "\xc3\xa1"},
	    {"cyrillic", "\xd1\x81"},
	    {"ECMA-114", "\xd9\x81"},
	    {"ELOT_928", "\xce\xb1"},
	    {"iso-8859-8-i", "\xd7\x91"},
	    {"latin6", "\xc3\xa1"},
	    {"iso-8859-13", "\xc4\xaf"},
	    {"iso-8859-14", "\xc3\xa1"},
	    {"iso-8859-15", "\xc3\xa1"},
	    {"iso-8859-16", "\xc3\xa1"},
	    {"koi8_r", "\xd0\x90"},
	    {"KOI8-RU", "\xd0\x90"},
	    {"macintosh", "\xc2\xb7"},
	    {"x-mac-ukrainian", "\xd0\xb1"},
	    {"us-ascii", "\xc3\xa1"},
	    {"Latin1", "\xc3\xa1"},
	    {"iso-2022-kr", "\xc3\xa1"}, /* forbidden, so as if undeclared */
	    {"x-none-such-and-longer-than-any-other", "\xc3\xa1"},
	};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(labels); i++) {
		struct fixture fixture;
		struct page_facts facts;

		(void)buf_print(out, "<meta charset='%s'><title>\xe1</title>",
		    labels[i].label);
		read_it(&fixture, buf_str(out), NULL);
		assert_true(page_get(buf_text(&fixture.content.page), &facts));
		buf_clear(out);
		(void)buf_put_slice(out, facts.title);
		assert_row(labels[i].label, out, labels[i].title);
		fixture_release(&fixture);
	}
}

/* page_of(out, page, type, facts): scan a page at once, without a reader. */
static struct page_scan *
page_of(struct slice page, const char *type, struct page_facts *facts)
{
	struct page_options options = {.content_type = slice_of(type),
	    .max_bytes = 64 << 20,
	    .wants_text = true};
	struct page_scan *scan = page_scan_new(&options);

	(void)page_scan_feed(scan, page);
	*facts = page_scan_facts(scan);
	return scan;
}

/* UTF-16 with its mark, also one that ends within a character. */
static void
test_wide(void **state)
{
	static const char little[] =
	    "\xff\xfe<\0t\0i\0t\0l\0e\0>\0\xe5\x65<\0/\0t\0i\0t\0l\0e\0>\0"
	    "<\0m\0e\0t\0a\0 \0n\0a\0m\0e\0=\0r\0o\0b\0o\0t\0s\0 \0"
	    "c\0o\0n\0t\0e\0n\0t\0=\0n\0o\0n\0e\0>"
	    "\0\x3d\xd8\x00\xde\x3d\xd8x\0y";
	struct page_facts facts, other;
	struct page_scan *scan = page_of(
	    slice_make(little, sizeof(little) - 1), NULL, &facts);
	struct page_scan *scan2 = page_of(
	    slice_make(little + 2, sizeof(little) - 3),
	    "text/html; charset=UTF-16", &other);

	(void)state;
	assert_true(slice_is(facts.title, "\xe6\x97\xa5"));
	assert_true(slice_is(facts.noindex, "none"));
	assert_true(slice_is(facts.robots, "none"));
	assert_true(slice_is(page_scan_text(scan),
	    "\xf0\x9f\x98\x80\xef\xbf\xbd"
	    "x"));
	/* the same without a mark, if the header says so */
	assert_true(slice_equal(facts.title, other.title));
	assert_true(slice_equal(facts.text, other.text));
	assert_true(slice_is(other.noindex, "none"));
	page_scan_free(scan);
	page_scan_free(scan2);
}

/* Pages that are made to be large: what is told of them is bounded. */
static void
test_large(void **state)
{
	static const struct {
		const char *before, *again, *after;
		size_t times, title, text;
	} pages[] = {
	    /* the main text is cut at 4 MB */
	    {"<main>", "word ", "", 1 << 20, 0, PAGE_MAX_TEXT - 1},
	    {"<main>", "<p>", "x", 100000, 0, 1},
	    {"", "<div><span>", "x", 100000, 0, 1},
	    {"<title>", "long ", "</title>x", 2 << 20, 999, 1},
	    {"<title>", "&amp;", "</title>x", 2 << 20, 820, 1},
	    {"<title>a</title><p title='", "b", "'>x", 10 << 20, 1, 1},
	    {"x<!--", "- ", "", 5 << 20, 0, 1},
	    {"x", "\xff", "", 3 << 20, 0, PAGE_MAX_TEXT},
	    {"x", "<x", "", 1 << 20, 0, 1},
	    {"x&", "a", "", 1 << 20, 0, (1 << 20) + 2},
	    {"<h1>", "<b>y", "", 1 << 20, PAGE_MAX_TITLE, 1 << 20},
	};
	struct buf page = BUF_UP_TO(64 << 20);

	(void)state;
	for (size_t i = 0; i < COUNT(pages); i++) {
		struct page_facts facts;
		struct page_scan *scan;

		buf_clear(&page);
		(void)buf_put_slice(&page, slice_of(pages[i].before));
		for (size_t k = 0; k < pages[i].times; k++)
			(void)buf_put_slice(&page, slice_of(pages[i].again));
		(void)buf_put_slice(&page, slice_of(pages[i].after));
		scan = page_of(
		    buf_text(&page), "text/html; charset=utf-8", &facts);
		if (facts.title.len != pages[i].title ||
		    facts.text_bytes != pages[i].text)
			fail_msg("page %zu: %zu, %zu", i, facts.title.len,
			    (size_t)facts.text_bytes);
		assert_int_equal(facts.text_bytes, page_scan_text(scan).len);
		page_scan_free(scan);
	}
	buf_release(&page);
}

/* So much of a page is read as the scope says, and the digest does not depend
 * on it. */
static void
test_page_bytes(void **state)
{
	static const uint64_t sizes[] = {0, 600 << 10, 2 << 20};
	struct buf *page = *state;
	struct page_facts facts;
	char digest[PAGE_DIGEST_BYTES];

	for (int is_long = 0; is_long < 2; is_long++) {
		(void)buf_print(page, "<p>");
		while (page->len < (is_long == 1 ? 1u << 20 : 500u << 10))
			(void)buf_print(page, "words %zu ", page->len);
		for (size_t i = 0; i < COUNT(sizes); i++) {
			struct fixture fixture;

			fixture_open(&fixture, PROFILE_GOOGLE,
			    "https://a.example/page", buf_text(page));
			fixture.scope.is_page = true;
			fixture.scope.page_bytes = sizes[i];
			fixture_run(&fixture);
			assert_true(
			    page_get(buf_text(&fixture.content.page), &facts));
			if (i == 0)
				memcpy(digest, facts.text.p, sizeof(digest));
			assert_int_equal(
			    facts.is_cut, is_long == 1 && sizes[i] < page->len);
			assert_int_equal(is_long == 0 || i == 0,
			    memcmp(digest, facts.text.p, sizeof(digest)) == 0);
			fixture_release(&fixture);
		}
		buf_clear(page);
	}
}

/* What a subverted reader says to people, or says that it wrote. */
static void
test_lies(void **state)
{
	struct buf *out = *state;
	struct page_facts facts = {.title = slice_of("a\xc3\xa9")}, got;
	int fd = memfd_create("text", 0);
	struct slice *said[] = {
	    &facts.title, &facts.description, &facts.language, &facts.robots};

	page_put(out, &facts);
	assert_true(page_get(buf_text(out), &got));
	assert_true(slice_equal(got.title, facts.title));
	for (size_t i = 0; i < COUNT(said); i++) {
		static const char *const lies[] = {
		    "a\nb", "\x1b[2J", "\xff", "\xed\xa0\x80", "a\x7f"};

		for (size_t k = 0; k < COUNT(lies); k++) {
			buf_clear(out);
			*said[i] = slice_of(lies[k]);
			page_put(out, &facts);
			assert_false(page_get(buf_text(out), &got));
		}
		buf_clear(out);
		*said[i] = slice_make("a\0b", 3);
		page_put(out, &facts);
		assert_false(page_get(buf_text(out), &got));
		*said[i] = slice_of("b");
	}
	buf_clear(out);
	while (out->len <= PAGE_MAX_TITLE)
		(void)buf_put_char(out, 'a');
	facts.title = buf_text(out);
	struct buf frame = BUF_UP_TO(1 << 20);
	page_put(&frame, &facts);
	assert_false(page_get(buf_text(&frame), &got));
	buf_release(&frame);

	/* The file is shorter than it should be, or has what no text has. */
	buf_clear(out);
	assert_int_equal(write(fd, "a\nb\x01", 4), 4);
	facts.text_bytes = 3;
	assert_true(page_text_load(fd, &facts, out));
	assert_true(slice_is(buf_text(out), "a\nb"));
	facts.text_bytes = 4;
	assert_false(page_text_load(fd, &facts, out));
	facts.text_bytes = 5;
	assert_false(page_text_load(fd, &facts, out));
	assert_int_equal(out->len, 3);
	(void)close(fd);
}

/* Where the content of a refresh leads to. */
static void
test_refresh_target(void **state)
{
	static const struct {
		const char *content, *target;
	} targets[] = {
	    {"", ""},
	    {"5", ""},
	    {"5;", ""},
	    {"5; url", "url"},
	    {"5; u", "u"},
	    {"5 /b", "/b"},
	    {"5; /b", "/b"},
	    {"5 url = /b", "/b"},
	    {".5;/b", "/b"},
	    {"5x;/b", ""},
	    {"; /b", ""},
	    {"5; url=", ""},
	    {"5; url=''", ""},
	    {"0;url=/b", "/b"},
	    {" 0 ; URL = /b ", "/b"},
	    {"0,url=/b", "/b"},
	    {"0;url='/b?c;d' x", "/b?c;d"},
	    {"0;url=\"/b", "/b"},
	    {"0;uri=/b", "uri=/b"},
	    {"url=/b", ""},
	};

	for (size_t i = 0; i < COUNT(targets); i++) {
		struct slice target = page_refresh_target(
		    slice_of(targets[i].content));

		if (!slice_equal(target, slice_of(targets[i].target)))
			fail_msg("'%s': '%.*s'", targets[i].content,
			    (int)target.len, target.p);
	}
}

/* A body that cannot be unpacked is not an empty page. */
static void
test_broken_body(void **state)
{
	static const struct {
		const char *body, *encoding;
		bool is_empty;
	} bodies[] = {
	    {"", NULL, true},
	    {" ", NULL, true},
	    {"\x1f\x8b\b", "gzip", false},
	    {"\x1f\x8b\b", NULL, false},
	};

	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct fixture fixture;
		struct page_facts facts;

		read_it(&fixture, bodies[i].body, bodies[i].encoding);
		assert_true(page_get(buf_text(&fixture.content.page), &facts));
		if (facts.is_empty != bodies[i].is_empty)
			fail_msg("body %zu: %d", i, facts.is_empty);
		fixture_release(&fixture);
	}
}

/* A page that is wanted whole is none if it cannot be unpacked to its end,
 * unless the crawler cut it. */
static void
test_unpacking(void **state)
{
	static const struct {
		const char *why;
		size_t take; /* so many bytes of the body, from its end */
		uint64_t page_bytes;
		bool is_spoilt, is_truncated;
		enum diag_code code;
	} rows[] = {
	    {"whole", 0, 1 << 20, false, false, DIAG_OK},
	    {"cut by the server", 9, 1 << 20, false, false,
		DIAG_GZIP_TRUNCATED},
	    {"cut by the crawler", 9, 1 << 20, false, true, DIAG_OK},
	    {"spoilt", 0, 1 << 20, true, false, DIAG_COMPRESSION_ERROR},
	    {"spoilt and cut by the crawler", 0, 1 << 20, true, true,
		DIAG_COMPRESSION_ERROR},
	    {"longer than what is read", 9, 1000, false, false, DIAG_OK},
	    {"only its beginning is wanted", 9, 0, false, false, DIAG_OK},
	};
	struct buf *page = *state;
	struct buf packed = BUF_UP_TO(SIZE_MAX);

	for (int i = 0; i < 2000; i++)
		(void)buf_print(page, "<p>%d", i * i);
	gunzip_pack(buf_text(page), &packed);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture fixture;
		struct page_facts facts;
		char *last = packed.p + packed.len - 8; /* of its CRC */

		*last ^= rows[i].is_spoilt;
		fixture_open(&fixture, PROFILE_GOOGLE, "https://a.example/",
		    slice_make(packed.p, packed.len - rows[i].take));
		fixture.scope.is_page = true;
		fixture.scope.page_bytes = rows[i].page_bytes;
		fixture.scope.is_truncated = rows[i].is_truncated;
		fixture.scope.content_encoding = slice_dup(slice_of("gzip"));
		fixture_run(&fixture);
		if (fixture.code != rows[i].code)
			fail_msg(
			    "%s: %s", rows[i].why, diag_name(fixture.code));
		assert_true(page_get(buf_text(&fixture.content.page), &facts));
		fixture_release(&fixture);
		*last ^= rows[i].is_spoilt;
	}
	buf_release(&packed);
}

/* Only the first 512 KiB are read. */
static void
test_cut(void **state)
{
	static const char link[] = CANONICAL("/a");
	struct buf *page = *state;

	for (int over = 0; over < 2; over++) {
		struct fixture fixture;
		struct page_facts facts;

		buf_clear(page);
		while (page->len + sizeof(link) - 1 < PAGE_MAX_BYTES + over)
			(void)buf_put_char(page, ' ');
		(void)buf_print(page, "%s", link);
		for (int i = 0; i < 100000 * over; i++)
			(void)buf_put_char(page, ' ');
		read_it(&fixture, buf_str(page), NULL);
		assert_int_equal(fixture.code, DIAG_OK);
		assert_true(page_get(buf_text(&fixture.content.page), &facts));
		assert_int_equal(facts.is_cut, over == 1);
		assert_int_equal(facts.canonicals, over == 0);
		fixture_release(&fixture);
	}
}

static void
test_encoding(void **state)
{
	struct fixture fixture;

	read_it(&fixture, CANONICAL("/a"), "br");
	assert_int_equal(fixture.code, DIAG_UNSUPPORTED_ENCODING);
	fixture_release(&fixture);
}

/* Frames that a subverted reader may send. */
static void
test_frames(void **state)
{
	struct page_facts facts = {.noindex = slice_of("none"),
	    .noindex_name = ROBOTS_GOOGLEBOT,
	    .canonical = slice_of("/a"),
	    .canonicals = 1,
	    .refresh = slice_of("0;url=/b"),
	    .gone = slice_of("404"),
	    .is_empty = true,
	    .wall = 1};
	struct page_facts got;
	struct buf *out = *state;

	page_put(out, &facts);
	assert_true(page_get(buf_text(out), &got));
	assert_true(slice_equal(got.canonical, facts.canonical));
	assert_int_equal(got.noindex_name, ROBOTS_GOOGLEBOT);
	assert_true(got.is_empty);
	assert_true(slice_equal(got.refresh, facts.refresh));
	assert_true(slice_equal(got.gone, facts.gone));
	for (size_t i = 0; i < out->len; i++)
		assert_false(page_get(slice_make(out->p, i), &got));
	(void)buf_put_char(out, 0);
	assert_false(page_get(buf_text(out), &got));
	buf_clear(out);
	facts.wall = 1000;
	page_put(out, &facts);
	assert_false(page_get(buf_text(out), &got));
	facts.wall = 0;
	buf_clear(out);
	for (int i = 0; i <= PAGE_MAX_VALUE; i++)
		(void)buf_put_char(out, 'a');
	facts.canonical = buf_text(out);
	struct buf frame;
	buf_init(&frame, 1 << 20);
	page_put(&frame, &facts);
	assert_false(page_get(buf_text(&frame), &got));
	buf_release(&frame);
}

/* A robots.txt that a reader looks at: whose wall it is, and its bytes. */
static void
test_robots(void **state)
{
	static const struct {
		const char *body, *encoding, *wall, *text;
		enum diag_code code, finding;
	} robots[] = {
	    {"Disallow: /\n", NULL, NULL, "Disallow: /\n", DIAG_OK, DIAG_OK},
	    {"\xef\xbb\xbf <script>window.gokuProps = {}</script>", "identity",
		"AWS WAF", NULL, DIAG_OK, DIAG_OK},
	    {"<p>window.gokuProps = {}", "utf-8", NULL,
		"<p>window.gokuProps = {}", DIAG_OK,
		DIAG_CONTENT_ENCODING_MISMATCH},
	    {"\x01\x0c\x00", "br", NULL, "", DIAG_UNSUPPORTED_ENCODING,
		DIAG_UNSUPPORTED_ENCODING},
	    {"\x1f\x8b\x08", "gzip", NULL, "", DIAG_GZIP_TRUNCATED,
		DIAG_GZIP_TRUNCATED}};
	struct content hostile;
	struct slice text;
	unsigned wall;

	for (size_t i = 0; i < COUNT(robots); i++) {
		struct fixture fixture;

		fixture_open(&fixture, PROFILE_GOOGLE, "https://a.example/r",
		    slice_of(robots[i].body));
		fixture.scope.is_robots = true;
		if (robots[i].encoding != NULL)
			fixture.scope.content_encoding = slice_dup(
			    slice_of(robots[i].encoding));
		fixture_run(&fixture);
		assert_int_equal(fixture.code, robots[i].code);
		assert_int_equal(fixture.content.findings.count,
		    robots[i].finding != DIAG_OK);
		assert_true(read_robots_get(&fixture.content, &wall, &text));
		if (robots[i].wall == NULL)
			assert_int_equal(wall, 0);
		else
			assert_string_equal(
			    page_wall_name(wall), robots[i].wall);
		if (robots[i].text != NULL)
			assert_true(slice_is(text, robots[i].text));
		fixture_release(&fixture);
	}
	/* what no honest reader sends */
	content_init(&hostile);
	assert_false(read_robots_get(&hostile, &wall, &text));
	(void)buf_put_char(&hostile.page, (char)200);
	assert_false(read_robots_get(&hostile, &wall, &text));
	hostile.page.p[0] = 1;
	assert_true(read_robots_get(&hostile, &wall, &text));
	hostile.seen = 1;
	assert_false(read_robots_get(&hostile, &wall, &text));
	content_release(&hostile);
}

/* The digest of the main text: what changes it, and what does not. */
static void
test_main_text(void **state)
{
#define PAGE(text) "<body><nav>a b</nav><main><h1>t</h1>" text "</main>"
	static const struct {
		const char *why, *a, *b;
		bool is_same;
	} pairs[] = {
	    {"a word", PAGE("<p>one"), PAGE("<p>two"), false},
	    {"a number", PAGE("<p>10 euros"), PAGE("<p>12 euros"), false},
	    {"a year", PAGE("<p>since 2019"), PAGE("<p>since 2020"), false},
	    {"white space", PAGE("<p>a</p>\n <p>b"), PAGE("<p>a</p><p>b"),
		true},
	    {"inner tags", PAGE("<p>f(x)"), PAGE("<p><b>f</b>(x)"), true},
	    {"navigation", PAGE("<nav>x</nav>y"), PAGE("<nav>z</nav>y"), true},
	    {"a role", PAGE("<div role=navigation><div>x</div>p</div>y"),
		PAGE("<div role=navigation><div>z</div>q</div>y"), true},
	    {"behind a role", PAGE("<div role=search><div></div></div>y"),
		PAGE("<div role=search><div></div></div>z"), false},
	    {"related pages",
		PAGE("y<section class='x related-posts'>a</section>"),
		PAGE("y<section class='x related-posts'>b</section>"), true},
	    {"a note", PAGE("y<aside class=note>a</aside>"),
		PAGE("y<aside class=note>b</aside>"), false},
	    {"a sidebar", PAGE("y<aside class='a sidebar'>a</aside>"),
		PAGE("y<aside class='a sidebar'>b</aside>"), true},
	    {"related work", PAGE("y<section id=related-work>a</section>"),
		PAGE("y<section id=related-work>b</section>"), false},
	    {"outside main", PAGE("y") "old", PAGE("y") "new", true},
	    {"a script", PAGE("<script>x</script>y"),
		PAGE("<script>z</script>y"), true},
	    {"an asset", PAGE("<img src=/a.0f3c2a1b.png>y"),
		PAGE("<img src=/a.9e8d7c6b.png>y"), true},
	    {"a commit", PAGE("y (0f3c2a1)"), PAGE("y (9e8d7c6)"), true},
	    {"no commit", PAGE("1234567"), PAGE("1234568"), false},
	    {"a version", PAGE("tool v1.2.3"), PAGE("tool v1.2.4"), true},
	    {"a date", PAGE("on 2026-05-06"), PAGE("on 2026-06-05"), false},
	    {"opening hours", PAGE("at 10:30"), PAGE("at 11:30"), false},
	    {"a price", PAGE("12.50"), PAGE("12.60"), false},
	    {"an update", PAGE("we updated the price to 12"),
		PAGE("we updated the price to 13"), false},
	    {"a moment", PAGE("2026-01-02T03:04:05Z y"),
		PAGE("2026-02-03T04:05:06Z y"), true},
	    {"a telephone", PAGE("555-123-4567"), PAGE("555-123-4568"), false},
	    {"a stamp", PAGE("Last updated on May 6, 2026 y"),
		PAGE("Last updated on June 16, 2026 y"), true},
	    {"a long stamp",
		PAGE("Modified: Thursday, 6. May 2026 at 7:08 PM y"),
		PAGE("Modified: Friday, 17. July 2026 at 11:18 PM y"), true},
	    {"no stamp", PAGE("Opens on May 6"), PAGE("Opens on June 6"),
		false},
	    {"behind a stamp", PAGE("updated a b c d e f g h i j k l m 6"),
		PAGE("updated a b c d e f g h i j k l m 7"), false},
	    {"time", PAGE("<time>May</time>y"), PAGE("<time>June</time>y"),
		true},
	    {"the footer", PAGE("y<footer>a</footer>"),
		PAGE("y<footer>b</footer>"), true},
	    {"the header of an article",
		"<article><header><h1>a</h1></header>b</article>",
		"<article><header><h1>c</h1></header>b</article>", false},
	    {"without main", "<header>x</header><p>a<footer>1</footer>",
		"<header>y</header><p>a<footer>2</footer>", true},
	    {"without main, a word", "<header>x</header><p>a",
		"<header>x</header><p>b", false},
	    {"divs",
		"<div id=header>a</div><div class='x sidebar'><div>b</div>"
		"c</div><div id=content>d</div><div id=footer>1</div>",
		"<div id=header>e</div><div class='x sidebar'><div>f</div>"
		"g</div><div id=content>d</div><div id=footer>2</div>",
		true},
	    {"divs, the content",
		"<div id=header>a</div><div id=content>d</div>",
		"<div id=header>a</div><div id=content>e</div>", false},
	    {"cells",
		"<td id=nav>a</td><td id=main>d</td><td class=footer>1</td>",
		"<td id=nav>b</td><td id=main>d</td><td class=footer>2</td>",
		true},
	    {"words of classes",
		"<div class='x navbar-default'>a</div><div class=col-9>d</div>",
		"<div class='x navbar-default'>b</div><div class=col-9>d</div>",
		true},
	    {"a menu is no main text", "<div id=main-menu>a</div>d",
		"<div id=main-menu>a</div>e", false},
	    {"has no sidebar", "<div class=no-sidebar>a</div>",
		"<div class=no-sidebar>b</div>", false},
	    {"divs without content", "<div id=header>a</div>d",
		"<div id=header>b</div>d", true},
	    {"divs without content, the text", "<div id=header>a</div>d",
		"<div id=header>a</div>e", false},
	    {"a menu of dishes", PAGE("<div class=menu>rice</div>"),
		PAGE("<div class=menu>bread</div>"), false},
	    {"a class of the body", "<body class=header>a",
		"<body class=header>b", false},
	    {"nothing but a header", "<header>x", "<header>y", false},
	    {"no text", "<main></main>", "<img>", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct fixture a, b;
		struct page_facts one, two;

		read_it(&a, pairs[i].a, NULL);
		read_it(&b, pairs[i].b, NULL);
		assert_true(page_get(buf_text(&a.content.page), &one));
		assert_true(page_get(buf_text(&b.content.page), &two));
		if (slice_equal(one.text, two.text) != pairs[i].is_same)
			fail_msg("%s", pairs[i].why);
		assert_int_equal(one.text.len,
		    strcmp(pairs[i].why, "no text") == 0 ? 0
							 : PAGE_DIGEST_BYTES);
		fixture_release(&a);
		fixture_release(&b);
	}
}

UNIT(page)
{
	const struct CMUnitTest tests[] = {text_test(test_facts),
	    text_test(test_sayings), text_test(test_labels),
	    cmocka_unit_test(test_wide), cmocka_unit_test(test_large),
	    text_test(test_unpacking), text_test(test_page_bytes),
	    text_test(test_lies), cmocka_unit_test(test_refresh_target),
	    cmocka_unit_test(test_main_text),
	    cmocka_unit_test(test_broken_body), text_test(test_cut),
	    cmocka_unit_test(test_encoding), text_test(test_frames),
	    cmocka_unit_test(test_robots)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
