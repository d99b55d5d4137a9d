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
    {"\xff\xfe", "T"},
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

/* What people see of a text: white space, references, and bytes that are none
 * of UTF-8.  "|" is the end of a block. */
static void
test_text(void **state)
{
	static const struct {
		const char *text, *seen, *guessed;
		size_t max;
	} texts[] = {
	    {"", "", "", 99},
	    {" a \n\t b\f", "a b", "a b", 99},
	    {"|a| |b c||", "a\nb c", "a\nb c", 99},
	    {"a&nbsp;b&#32;c&#10;d&emsp;e", "a b c d e", "a b c d e", 99},
	    {"a\xc2\xa0\xe3\x80\x80\xe2\x80\x83z", "a z", "a z", 99},
	    {"a\xc2\xad\xe2\x80\x8b\xef\xbb\xbf\x01&shy;&#127;z", "az", "az",
		99},
	    {"&lt;b&gt; &amp;amp; &#38;lt; &amp;&#35;", "<b> &amp; &lt; &#",
		"<b> &amp; &lt; &#", 99},
	    {"&eacute;&Eacute;&copy;&copyx&eacutex&notit;&notin;",
		"\xc3\xa9\xc3\x89\xc2\xa9\xc2\xa9x\xc3\xa9x\xc2\xacit;"
		"\xe2\x88\x89",
		"\xc3\xa9\xc3\x89\xc2\xa9\xc2\xa9x\xc3\xa9x\xc2\xacit;"
		"\xe2\x88\x89",
		99},
	    {"&CounterClockwiseContourIntegral;&nGt;",
		"\xe2\x88\xb3\xe2\x89\xab\xe2\x83\x92",
		"\xe2\x88\xb3\xe2\x89\xab\xe2\x83\x92", 99},
	    {"&#150;&#x80;&#x81;&#8211;",
		"\xe2\x80\x93\xe2\x82\xac\xef\xbf\xbd\xe2\x80\x93",
		"\xe2\x80\x93\xe2\x82\xac\xef\xbf\xbd\xe2\x80\x93", 99},
	    {"& &; &x; &#; &#x; &#xd800; &frobnicate; &",
		"& &; &x; &#; &#x; &#xd800; &frobnicate; &",
		"& &; &x; &#; &#x; &#xd800; &frobnicate; &", 99},
	    {"caf\xe9 \x96 \xe9t\xe9",
		"caf\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbdt\xef\xbf\xbd",
		"caf\xc3\xa9 \xe2\x80\x93 \xc3\xa9t\xc3\xa9", 99},
	    {"\xe6\x97\xa5\xe6\x97", "\xe6\x97\xa5\xef\xbf\xbd",
		"\xe6\x97\xa5\xc3\xa6\xe2\x80\x94", 99},
	    {"\xed\xa0\x80\xc0\xaf\xf8\x80",
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
		"\xc3\xad \xe2\x82\xac\xc3\x80\xc2\xaf\xc3\xb8\xe2\x82\xac",
		99},
	    {"abc def", "abc de", "abc de", 6},
	    {"abc def", "abc", "abc", 4},
	    {"ab\xc3\xa9", "ab", "ab", 3},
	    {"abc&eacute;", "abc", "abc", 4},
	};
	struct buf text = BUF_UP_TO(1000), out;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		for (int is_guess = 0; is_guess < 2; is_guess++) {
			buf_clear(&text);
			(void)buf_print(&text, "%s", texts[i].text);
			for (size_t k = 0; k < text.len; k++)
				if (text.p[k] == '|')
					text.p[k] = HTML_BLOCK;
			buf_init(&out, texts[i].max);
			html_text_put(
			    &out, buf_text(&text), true, is_guess == 1);
			assert_row(texts[i].text, &out,
			    is_guess == 1 ? texts[i].guessed : texts[i].seen);
			buf_release(&out);
		}
	/* without references */
	buf_init(&out, 99);
	html_text_put(&out, slice_of("a &amp;  b"), false, false);
	assert_string_equal(buf_str(&out), "a &amp; b");
	buf_release(&out);
	buf_release(&text);
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
	    cmocka_unit_test(test_text), cmocka_unit_test(test_nul),
	    cmocka_unit_test(test_limits)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
