/* base/vis.c: foreign text, for each place where it is shown: HOSTILE T23, T24,
 * O1 to O5. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/vis.h"

struct row {
	const char *rule;
	const char *in, *out;
};

/* check_rows(rows, count, put): what put makes of each. */
static void
check_rows(const struct row *rows, size_t count,
    void (*put)(struct buf *, struct slice))
{
	struct buf out;

	buf_init(&out, 4096);
	for (size_t i = 0; i < count; i++) {
		put(&out, slice_of(rows[i].in));
		assert_row(rows[i].rule, &out, rows[i].out);
	}
	buf_release(&out);
}

static const struct row terminal[] = {
    {"T23 plain", "GET /a?b=\"c\\d\" ~", "GET /a?b=\"c\\d\" ~"},
    {"T23 escape", "\033[31m", "\\x1b[31m"},
    {"T23 bell, newline", "a\ab\nc\r\t", "a\\x07b\\x0ac\\x0d\\x09"},
    {"T23 DEL", "\x7f", "\\x7f"},
    {"T23 C1 U+009B", "\xc2\x9b", "\\xc2\\x9b"},
    {"T23 bidi U+202E",
	"a\xe2\x80\xae"
	"b",
	"a\\xe2\\x80\\xaeb"},
    {"T23 isolate U+2066", "\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
    {"T23 mark U+061C", "\xd8\x9c", "\\xd8\\x9c"},
    {"T23 zero width U+200B", "\xe2\x80\x8b", "\\xe2\\x80\\x8b"},
    {"T23 line separator U+2028", "\xe2\x80\xa8", "\\xe2\\x80\\xa8"},
    {"T23 joiner U+034F", "\xcd\x8f", "\\xcd\\x8f"},
    {"T23 selector U+FE0F", "\xef\xb8\x8f", "\\xef\\xb8\\x8f"},
    {"T23 BOM", "\xef\xbb\xbf", "\\xef\\xbb\\xbf"},
    {"T23 U+FFFE", "\xef\xbf\xbe", "\\xef\\xbf\\xbe"},
    {"T23 U+FFFF", "\xef\xbf\xbf", "\\xef\\xbf\\xbf"},
    {"T23 replaced U+FFFD", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    {"T23 tag U+E0041", "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"},
    {"T23 letters", "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80",
	"gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"},
    {"T23 Thai", "\xe0\xb8\x81", "\xe0\xb8\x81"},
    {"UTF-8 no continuation", "\xc3zz", "\\xc3zz"},
    {"UTF-8 lone continuation", "a\x80z", "a\\x80z"},
    {"UTF-8 cut", "a\xe6\x97", "a\\xe6\\x97"},
    {"UTF-8 overlong slash", "\xc0\xaf", "\\xc0\\xaf"},
    {"UTF-8 overlong, three", "\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
    {"UTF-8 overlong, four", "\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
    {"UTF-8 surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {"UTF-8 above U+10FFFF", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    {"UTF-8 lead F8", "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80"},
    {"empty", "", ""},
};

static void
put_terminal(struct buf *out, struct slice text)
{
	vis_put(out, text, 1000);
}

static void
nothing_acts_on_a_terminal(void **state)
{
	struct buf *out = *state;

	check_rows(terminal, COUNT(terminal), put_terminal);
	vis_put(out, slice_make("a\0b", 3), 100);
	assert_row("NUL", out, "a\\x00b");
}

static const struct row lines_of_logs[] = {
    {"first", "::set-output name=a::b", "\\x3a:set-output name=a::b"},
    {"blanks", "  \t::a::b", "  \t\\x3a:a::b"},
    {"wide blanks",
	"\xe3\x80\x80\xc2\xa0::a::", "\xe3\x80\x80\xc2\xa0\\x3a:a::"},
    {"hidden", "\xcd\x8f:\xe2\x80\x8d:a::", "\xcd\x8f\\x3a\xe2\x80\x8d:a::"},
    {"lines", "a::b\n::c::\r ::d::\n", "a::b\n\\x3a:c::\r \\x3a:d::\n"},
    {"behind", "a ::b::c", "a ::b::c"},
    {"brackets", "a ##[b]c", "a #\\x23[b]c"},
    {"many", "####[", "#\\x23\\x23\\x23["},
    {"joined", "#\xcd\x8f#[a]", "#\xcd\x8f\\x23[a]"},
    {"selected", "#\xef\xb8\x8f\xef\xb8\x8f#[a]",
	"#\xef\xb8\x8f\xef\xb8\x8f\\x23[a]"},
    {"apart", "# #[a] #1#2", "# #[a] #1#2"},
    {"over lines", "#\n#[a]", "#\n#[a]"},
    {"no UTF-8", "\xff::a", "\xff::a"},
    {"empty", "", ""},
};

/* E46: no output contains what a CI system reads as a command in a log line. */
static void
no_line_is_a_command(void **state)
{
	struct vis_lines lines = {false, false};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(lines_of_logs); i++) {
		const struct row *row = &lines_of_logs[i];

		lines = (struct vis_lines){false, false};
		vis_put_lines(out, slice_of(row->in), &lines);
		assert_row(row->rule, out, row->out);
		/* doing it twice changes nothing */
		lines = (struct vis_lines){false, false};
		vis_put_lines(out, slice_of(row->out), &lines);
		assert_row(row->rule, out, row->out);
	}
	lines = (struct vis_lines){false, false};
	for (size_t i = 0; i < 6; i++)
		vis_put_lines(out, slice_make(&" :x##["[i], 1), &lines);
	assert_row("in pieces", out, " \\x3ax#\\x23[");
}

/* O1: for any two bytes, the output is harmless. */
static void
all_pairs_of_bytes_are_harmless(void **state)
{
	struct buf *out = *state;

	for (unsigned i = 0; i < 65536; i++) {
		char in[2] = {(char)(i >> 8), (char)i};

		buf_clear(out);
		vis_put(out, slice_make(in, 2), 64);
		for (size_t k = 0; k < out->len; k++) {
			unsigned char c = (unsigned char)out->p[k];

			assert_true(c >= 0x20 && c != 0x7f);
			/* There is no C1 control, neither as a byte nor as
			 * U+0080 to U+009F. */
			if (c == 0xc2)
				assert_true(
				    (unsigned char)out->p[k + 1] >= 0xa0);
		}
	}
}

static void
cuts_are_shown(void **state)
{
	static const struct {
		const char *in;
		size_t max;
		const char *out;
	} rows[] = {{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc..."},
	    {"abc\n", 7, "abc\\x0a"}, {"abcd\n", 7, "abcd..."}};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		vis_put(out, slice_of(rows[i].in), rows[i].max);
		assert_row(rows[i].in, out, rows[i].out);
	}
	/* A cut never leaves a part of a character. */
	for (size_t max = 3; max < 16; max++) {
		buf_clear(out);
		vis_put(out,
		    slice_of("\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
			     "\xe6\x97\xa5\xe6\x97\xa5"),
		    max);
		assert_true(out->len <= max);
		assert_int_equal(out->len % 3, 0);
		assert_memory_equal(out->p + out->len - 3, "...", 3);
	}
}

static void
json_strings_are_whole(void **state)
{
	static const struct row rows[] = {
	    {"plain", "a/b?c=d&e", "\"a/b?c=d&e\""},
	    {"quotes", "\"\\", "\"\\\"\\\\\""},
	    {"O2 newline", "a\nb\r\t", "\"a\\nb\\u000d\\u0009\""},
	    {"control", "\001\x1f\x7f", "\"\\u0001\\u001f\\u007f\""},
	    {"C1", "\xc2\x9b", "\"\\u009b\""},
	    {"O5 U+2028", "\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\""},
	    {"T23 U+202E", "\xe2\x80\xae", "\"\\u202e\""},
	    {"T24 </script>", "</script>", "\"\\u003c/script>\""},
	    {"E46 ##[", "##[a]", "\"#\\u0023[a]\""},
	    {"letters", "\xc3\xbc\xf0\x9f\x98\x80",
		"\"\\u00fc\\ud83d\\ude00\""},
	    {"O5 no UTF-8", "a\xff\xc3", "\"a\\ufffd\\ufffd\""},
	    {"empty", "", "\"\""},
	};
	struct buf *out = *state;

	check_rows(rows, COUNT(rows), json_put);
	json_put(out, slice_make("\0", 1));
	assert_string_equal(buf_str(out), "\"\\u0000\"");
}

/* Each byte, wherever it stands among sixteen that are looked at together. */
static void
json_is_the_same_at_each_place(void **state)
{
	char text[40], byte;
	struct buf out, alone;

	buf_init(&out, 4096);
	buf_init(&alone, 4096);
	for (unsigned c = 0; c < 256; c++) {
		byte = (char)c;
		buf_clear(&alone);
		json_put(&alone, slice_make(&byte, 1));
		for (size_t at = 0; at < sizeof(text); at++) {
			size_t inside = alone.len - 2; /* without quotes */

			memset(text, 'a', sizeof(text));
			text[at] = byte;
			buf_clear(&out);
			json_put(&out, slice_make(text, sizeof(text)));
			assert_int_equal(out.len, sizeof(text) + 1 + inside);
			assert_memory_equal(
			    out.p + 1 + at, alone.p + 1, inside);
			assert_memory_equal(out.p + 1, text, at);
			assert_memory_equal(out.p + 1 + at + inside,
			    text + at + 1, sizeof(text) - at - 1);
		}
	}
	buf_release(&out);
	buf_release(&alone);
}

/* The same of what would begin a command in a log. */
static void
lines_are_tame_at_each_place(void **state)
{
	char text[40];
	struct buf *out = *state;

	for (size_t at = 0; at + 2 <= sizeof(text); at++) {
		static const char *const pairs[] = {"\n:", "\r:", "##"};
		static const char *const tame[] = {"\\x3a", "\\x3a", "\\x23"};

		for (size_t i = 0; i < COUNT(pairs); i++) {
			struct vis_lines lines = {.is_inside = false};

			memset(text, 'a', sizeof(text));
			memcpy(text + at, pairs[i], 2);
			buf_clear(out);
			vis_put_lines(
			    out, slice_make(text, sizeof(text)), &lines);
			assert_int_equal(out->len, sizeof(text) + 3);
			assert_memory_equal(out->p, text, at + 1);
			assert_memory_equal(out->p + at + 1, tame[i], 4);
		}
	}
}

static const struct row fields[] = {
    {"plain", "http://a.example/?b=1", "http://a.example/?b=1"},
    {"quoted", "a,b", "\"a,b\""},
    {"quotes", "a\"b", "\"a\"\"b\""},
    {"lines", "a\nb\rc", "\"a\nb\rc\""},
    {"T24 =", "=1+1", "\"'=1+1\""},
    {"T24 +", "+1", "\"'+1\""},
    {"T24 -", "-1", "\"'-1\""},
    {"T24 @", "@SUM(1)", "\"'@SUM(1)\""},
    {"T24 TAB", "\tx", "\"'\tx\""},
    {"T24 CR", "\rx", "\"'\rx\""},
    {"T24 blanks", " \xc2\xa0=1", "\" \xc2\xa0'=1\""},
    {"T24 U+3000", "\xe3\x80\x80@x", "\"\xe3\x80\x80'@x\""},
    {"T24 zero width", "\xe2\x80\x8b=1", "\"\xe2\x80\x8b'=1\""},
    {"T24 U+FF1D",
	"\xef\xbc\x9d"
	"1",
	"\"'\xef\xbc\x9d"
	"1\""},
    {"T24 U+FF20", "\xef\xbc\xa0x", "\"'\xef\xbc\xa0x\""},
    {"T24 U+FE63",
	"\xef\xb9\xa3"
	"1",
	"\"'\xef\xb9\xa3"
	"1\""},
    {"T24 U+2212",
	"\xe2\x88\x92"
	"1",
	"\"'\xe2\x88\x92"
	"1\""},
    {"T24 semicolon", "http://h/x;=1+1", "\"http://h/x;'=1+1\""},
    {"T24 semicolon, blank", "a; \t-1;b", "\"a; \t'-1;b\""},
    {"T24 lines", "a\r\n+1\n=2", "\"a\r\n'+1\n'=2\""},
    {"T24 twice", "=;=", "\"'=;'=\""},
    {"semicolon", "a;b", "\"a;b\""},
    {"tab", "a\tb", "\"a\tb\""},
    {"comma", "52.5,-13.4", "\"52.5,-13.4\""},
    {"no UTF-8", "\xef\xbc=1", "\xef\xbc=1"},
    {"later =", "a=1", "a=1"},
    {"letters", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
    {"blanks", " a ", " a "},
    {"empty", "", ""},
};

static void
put_field(struct buf *out, struct slice text)
{
	csv_put(out, text, ',');
}

static void
no_spreadsheet_runs_a_field(void **state)
{
	struct buf *out = *state;

	check_rows(fields, COUNT(fields), put_field);
	csv_put(out, slice_of("a\tb,c"), '\t');
	assert_row("tabs", out, "\"a\tb,c\"");
	csv_put(out, slice_of("a;b,c"), ';');
	assert_row("semicolons", out, "\"a;b,c\"");
}

/* A field is quoted for what it has, wherever among sixteen bytes that is. */
static void
fields_are_quoted_at_each_place(void **state)
{
	char text[40];
	struct buf *out = *state;

	for (unsigned c = 1; c < 128; c++)
		for (size_t at = 1; at < sizeof(text); at++) {
			bool is_special = strchr(",\";\t\n\r", (int)c) != NULL;

			memset(text, 'a', sizeof(text));
			text[at] = (char)c;
			buf_clear(out);
			csv_put(out, slice_make(text, sizeof(text)), ',');
			assert_int_equal(out->len,
			    sizeof(text) + (is_special ? 2 : 0) + (c == '"'));
			assert_int_equal(out->p[0], is_special ? '"' : 'a');
		}
}

static void
xml_text_has_no_markup(void **state)
{
	static const struct row rows[] = {
	    {"markup", "<a href=\"x\" b='y'>&amp;</a>",
		"&lt;a href=&quot;x&quot; "
		"b=&apos;y&apos;&gt;&amp;amp;&lt;/a&gt;"},
	    {"E46", "##[a]", "#&#35;[a]"},
	    {"letters", "gr\xc3\xbc\xc3\x9f]]>", "gr\xc3\xbc\xc3\x9f]]&gt;"},
	};

	check_rows(rows, COUNT(rows), xml_put);
}

static void
middles(void **state)
{
	static const struct {
		const char *text;
		size_t max;
		const char *shown;
		size_t columns;
	} rows[] = {
	    {"", 8, "", 0},
	    {"12345678", 8, "12345678", 8},
	    {"123456789", 8, "12...789", 8},
	    {"\xc3\xa4\xc3\xb6\xc3\xbc", 8, "\xc3\xa4\xc3\xb6\xc3\xbc", 3},
	    {"\xc3\xa4\xc3\xa4\xc3\xa4-----\xc3\xbc\xc3\xbc\xc3\xbc", 9,
		"\xc3\xa4\xc3\xa4\xc3\xa4...\xc3\xbc\xc3\xbc\xc3\xbc", 9},
	    {"a\nb", 8, "a\\x0ab", 6},
	    {"\n\n\n", 8, "\\x...x0a", 8},
	};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(
		    vis_put_middle(out, slice_of(rows[i].text), rows[i].max),
		    rows[i].columns);
		assert_int_equal(slice_chars(buf_text(out)), rows[i].columns);
		assert_row(rows[i].text, out, rows[i].shown);
	}
}

UNIT(vis)
{
	const struct CMUnitTest tests[] = {
	    text_test(nothing_acts_on_a_terminal),
	    text_test(no_line_is_a_command),
	    text_test(all_pairs_of_bytes_are_harmless),
	    text_test(cuts_are_shown),
	    text_test(json_strings_are_whole),
	    cmocka_unit_test(json_is_the_same_at_each_place),
	    text_test(lines_are_tame_at_each_place),
	    text_test(no_spreadsheet_runs_a_field),
	    text_test(fields_are_quoted_at_each_place),
	    cmocka_unit_test(xml_text_has_no_markup),
	    text_test(middles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
