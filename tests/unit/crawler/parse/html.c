/* crawler/parse/html.c: the tags of a page do not depend on how it is cut. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/html.h"

static void
on_tag(void *arg, const struct html_tag *tag)
{
	struct buf *out = arg;

	(void)buf_print(out, "<%s%.*s", tag->is_end ? "/" : "",
	    (int)tag->name.len, tag->name.p);
	for (size_t i = 0; i < tag->count; i++)
		(void)buf_print(out, " %.*s=[%.*s]", (int)tag->names[i].len,
		    tag->names[i].p, (int)tag->values[i].len, tag->values[i].p);
	(void)buf_put(out, ">", 1);
}

static void
on_raw(void *arg, struct slice element, struct slice text)
{
	(void)buf_print(arg, "{%.*s:%.*s}", (int)element.len, element.p,
	    (int)text.len, text.p);
}

static void
on_text(void *arg)
{
	(void)buf_print(arg, "T");
}

/* scan(out, page, chunk): append the events as text. */
static const char *
scan(struct buf *out, struct slice page, size_t chunk)
{
	struct html html = {
	    .events = {
		.tag = on_tag, .raw = on_raw, .text = on_text, .arg = out}};

	buf_init(&html.bytes, HTML_MAX_TAG);
	buf_init(&html.raw_text, HTML_MAX_RAW);
	buf_clear(out);
	while (page.len > 0) {
		size_t n = chunk < page.len ? chunk : page.len;

		html_feed(&html, slice_make(page.p, n));
		page = slice_from(page, n);
	}
	buf_release(&html.bytes);
	buf_release(&html.raw_text);
	return buf_str(out);
}

static const struct {
	const char *page;
	const char *events;
} cases[] = {
    {"", ""},
    {"text", "T"},
    {" \t\r\n\f", ""},
    {"<a>b<c>d", "<a>T<c>T"},
    {"<A HREF=X>", "<a href=[X]>"},
    {"<a b='c' d=\"e\" f=g h>", "<a b=[c] d=[e] f=[g] h=[]>"},
    {"<a b = 'c'd=e>", "<a b=[c] d=[e]>"},
    {"<a\nb\n=\n'c\nd'\n>", "<a b=[c\nd]>"},
    {"<a b='>' c=\">\">", "<a b=[>] c=[>]>"},
    {"<a 'b'='c'>", "<a 'b'=[c]>"},
    {"<a =b>", "<a =b=[]>"},
    {"<a b=c/>", "<a b=[c/]>"},
    {"<a/b/>", "<a b=[]>"},
    {"<a b=>", "<a b=[]>"},
    {"<a b=''>", "<a b=[]>"},
    {"<a b=c b=d>", "<a b=[c] b=[d]>"},
    {"</a b=c>", "</a b=[c]>"},
    {"a < b", "T"},
    {"< a>", "T"},
    {"<>", "T"},
    {"<1>", "T"},
    {"</>", ""},
    {"</1><b>", "<b>"},
    {"<!doctype html><a>", "<a>"},
    {"<?xml version='1.0'?><a>", "<a>"},
    {"<![CDATA[<b>]]>", "T"},
    {"<!-- <b> --><a>", "<a>"},
    {"<!-- > --><a>", "<a>"},
    {"<!--><a>", "<a>"},
    {"<!---><a>", "<a>"},
    {"<!----><a>", "<a>"},
    {"<!-- --!><a>", "<a>"},
    {"<!-- --!!><a>b-->", ""},
    {"<!-- --!-><a>b-->", ""},
    {"<!-- --!--><a>", "<a>"},
    {"<!-- - -- ->--> <a>", "<a>"},
    {"<!-- -- > <a>", ""},
    {"<!-<a>b", "T"},
    {"<!>b", "T"},
    {"<title>a</title>b", "<title>{title:a}</title>T"},
    {"<title></title>", "<title></title>"},
    {"<TITLE>A<b></TiTlE >", "<title>{title:A<b>}</title>"},
    {"<script>a</scrip></script>", "<script>{script:a</scrip>}</script>"},
    {"<script><</script>", "<script>{script:<}</script>"},
    {"<script></</script>", "<script>{script:</}</script>"},
    {"<script></SCRa</SCript>", "<script>{script:</SCRa}</script>"},
    {"<script></scriptx></script/>", "<script>{script:</scriptx>}</script>"},
    {"<script>a", "<script>"},
    {"<noscript><link rel=x></noscript><a>",
	"<noscript>{noscript:<link rel=x>}</noscript><a>"},
    {"<style>a</style><textarea><b></textarea>",
	"<style>{style:a}</style><textarea>{textarea:<b>}</textarea>"},
    {"<a b='&amp;&quot;&lt;&gt;&apos;'>", "<a b=[&\"<>']>"},
    {"<a b='&amp;amp;'>", "<a b=[&amp;]>"},
    {"<a b='x?c=d&copy=e&amp'>", "<a b=[x?c=d&copy=e&amp]>"},
    {"<a b='&#65;&#x42;&#X43;&#xe4;&#8364;&#x1F600;'>",
	"<a b=[ABC\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80]>"},
    {"<a b='&#0;&#xd800;&#x110000;&#;&#x;&#65'>",
	"<a b=[&#0;&#xd800;&#x110000;&#;&#x;&#65]>"},
    {"\xef\xbb\xbf<a>", "<a>"},
    {"\xef\xbb<a>", "T"}, /* no mark: the byte that shows this is lost */
    {"\xff\xfe", ""},
};

static void
test_events(void **state)
{
	struct buf whole, pieces;

	(void)state;
	buf_init(&whole, 1 << 20);
	buf_init(&pieces, 1 << 20);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice page = slice_of(cases[i].page);

		assert_string_equal(scan(&whole, page, 100), cases[i].events);
		for (size_t n = 1; n < 4; n++)
			assert_string_equal(
			    scan(&pieces, page, n), buf_str(&whole));
	}
	buf_release(&whole);
	buf_release(&pieces);
}

static void
test_wide(void **state)
{
	static const char little[] = "\xff\xfe<\0a\0 \0b\0=\0\xe4\0\x01\x02>";
	static const char big[] = "\xfe\xff\0<\0a\0>";
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 20);
	for (size_t n = 1; n < 4; n++) {
		assert_string_equal(
		    scan(&out, slice_make(little, sizeof(little)), n),
		    "<a b=[??]>");
		assert_string_equal(
		    scan(&out, slice_make(big, sizeof(big) - 1), n), "<a>");
	}
	buf_release(&out);
}

/* A NUL cannot cut a value. */
static void
test_nul(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 20);
	assert_string_equal(
	    scan(&out, slice_make("<a b='c\0d'>", 11), 4), "<a b=[c?d]>");
	buf_release(&out);
}

/* A tag over its limit is dropped, and what follows is read. */
static void
test_limits(void **state)
{
	struct buf page, out;

	(void)state;
	buf_init(&page, 1 << 20);
	buf_init(&out, 1 << 20);
	(void)buf_print(&page, "<a b='");
	while (page.len < HTML_MAX_TAG + 10)
		(void)buf_put_char(&page, 'x');
	(void)buf_print(&page, "' c=d><e f=g>");
	assert_string_equal(scan(&out, buf_text(&page), 1000), "<a><e f=[g]>");
	buf_clear(&page);
	(void)buf_print(&page, "<a");
	for (int i = 0; i < HTML_MAX_ATTRIBUTES + 5; i++)
		(void)buf_print(&page, " a%d=%d", i, i);
	(void)buf_print(&page, "><script>");
	(void)scan(&out, buf_text(&page), 1000);
	assert_non_null(strstr(buf_str(&out), " a63=[63]><script>"));
	for (int i = 0; i < HTML_MAX_RAW + 10; i++)
		(void)buf_put_char(&page, 's');
	/* raw text without an end is reported, too, and once only */
	(void)scan(&out, buf_text(&page), 7);
	assert_non_null(strstr(buf_str(&out), "{script:sss"));
	(void)buf_print(&page, "</script>");
	(void)scan(&out, buf_text(&page), 7);
	assert_non_null(strstr(buf_str(&out), "s}</script>"));
	assert_null(strchr(strchr(buf_str(&out), '{') + 1, '{'));
	buf_release(&page);
	buf_release(&out);
}

UNIT(html)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_events),
	    cmocka_unit_test(test_wide), cmocka_unit_test(test_nul),
	    cmocka_unit_test(test_limits)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
