/* What a site wrote is data in a chat, whatever the chat's markup is. */
#include "tests/fixtures/fixture.h"

#include "crawler/alert/alert_send.h"

#define GAP "\xE2\x80\x8B" /* a space of no width */

static void
test_chat(void **state)
{
	static const char *const rows[][2] = {
	    {"[a](https://x.test/)", "[" GAP "a]" GAP "(https://x.test/)"},
	    {"![a](/b)", "!" GAP "[" GAP "a]" GAP "(/b)"},
	    {"[a][b] [c]: /d",
		"[" GAP "a]" GAP "[" GAP "b]" GAP " [" GAP "c]" GAP ": /d"},
	    {"<https://x.test|a> <!here> <@U1> <#C1>",
		"&lt;https://x.test|a&gt; &lt;!here&gt; &lt;@" GAP
		"U1&gt; &lt;#C1&gt;"},
	    {"@everyone a@b.test", "@" GAP "everyone a@" GAP "b.test"},
	    {"`a` ```b",
		"\xCB\x8B"
		"a\xCB\x8B \xCB\x8B\xCB\x8B\xCB\x8B"
		"b"},
	    {"/*.pdf$ **a** /_b_/ a_b __c__",
		"/\xE2\x88\x97.pdf$ \xE2\x88\x97\xE2\x88\x97"
		"a\xE2\x88\x97\xE2\x88\x97 /\xCB\x8D"
		"b\xCB\x8D/ a_b \xCB\x8D\xCB\x8D"
		"c\xCB\x8D\xCB\x8D"},
	    {"~a~ ~~b~~ ~channel",
		"\xE2\x88\xBC"
		"a\xE2\x88\xBC \xE2\x88\xBC\xE2\x88\xBC"
		"b\xE2\x88\xBC\xE2\x88\xBC \xE2\x88\xBC"
		"channel"},
	    {"||a|| b|c", "|" GAP "|a|" GAP "| b|c"},
	    {"\\[a\\](b) \\x1b \\",
		"\\" GAP "[" GAP "a\\" GAP "]" GAP "(b) \\x1b \\" GAP},
	    {"&#91;a&#93;(b) &lt;", "&amp;#91;a&amp;#93;(b) &amp;lt;"},
	    {"# a - b > c 1. d", "# a - b &gt; c 1. d"}};
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_clear(&out);
		alert_put_chat(&out, slice_of(rows[i][0]));
		assert_string_equal(buf_str(&out), rows[i][1]);
	}
	buf_release(&out);
}

UNIT(alert_send)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_chat)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
