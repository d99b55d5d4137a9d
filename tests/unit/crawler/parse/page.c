/* crawler/parse/page.c: the facts that a page states about itself. */
#include "tests/fixtures/fixture.h"

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
	(void)buf_print(out, "%s", facts->is_google ? "googlebot " : "");
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
	    .is_google = true,
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
	assert_true(got.is_google && got.is_empty);
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
	    cmocka_unit_test(test_refresh_target),
	    cmocka_unit_test(test_main_text),
	    cmocka_unit_test(test_broken_body), text_test(test_cut),
	    cmocka_unit_test(test_encoding), text_test(test_frames),
	    cmocka_unit_test(test_robots)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
