/* crawler/parse/charset.c: conversion to UTF-8 before the parsers. */
#include "crawler/parse/charset.h"
#include "tests/fixtures/fixture.h"

#define BYTES(text) text, sizeof(text) - 1
#define DECLARED(name) "<?xml version='1.0' encoding=\"" name "\" ?>"

static const struct {
	const char *rule;
	bool is_strict;
	const char *bytes;
	size_t len;
	const char *result; /* form, first line, text, findings, failure */
} cases[] = {
    {"R-01 plain", true, BYTES("<a>\xC3\xA9"), "M1 <a>\xC3\xA9"},
    {"R-01 declared", true, BYTES(DECLARED("utf-8") "<a>"),
	"M1 " DECLARED("utf-8") "<a>"},
    {"R-01 mark", true, BYTES("\xEF\xBB\xBF<a>"), "M1 <a>"},
    {"R-01 text", true, BYTES("http://a/"), "T1 http://a/"},
    {"R-05 blank", true, BYTES(" \r\n\t"), "B2 "},
    {"R-05 empty", true, BYTES(""), "B1 "},
    {"R-05 mark only", true, BYTES("\xEF\xBB\xBF"), "B1 "},
    {"R-03 legal", true, BYTES("\n\r\n \r<a>"), "M4 <a>"},
    {"R-03", false, BYTES("\n" DECLARED("UTF-8") "<a>"),
	"M2 " DECLARED("UTF-8") "<a>|leading-whitespace"},
    {"R-03 strict", true, BYTES("\n" DECLARED("UTF-8") "<a>"),
	"|leading-whitespace|failed leading-whitespace"},
    {"R-03 no declaration", true, BYTES(" <?xml-stylesheet?><a>"),
	"M1 <?xml-stylesheet?><a>"},
    {"R-01 latin1", false, BYTES(DECLARED("ISO-8859-1") "\xE9\x80"),
	"M1 " DECLARED("ISO-8859-1") "\xC3\xA9\xC2\x80|encoding-not-utf8"},
    {"R-01 strict", true, BYTES(DECLARED("ISO-8859-1") "\xE9"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"R-01 windows-1252", false, BYTES(DECLARED("Windows-1252") "\x80\xFF"),
	"M1 " DECLARED(
	    "Windows-1252") "\xE2\x82\xAC\xC3\xBF|encoding-not-utf8"},
    {"R-01 windows-1252 hole", false, BYTES(DECLARED("windows-1252") "a\x81z"),
	"M1 " DECLARED("windows-1252") "a|encoding-not-utf8|parse-error"
				       "|failed parse-error"},
    {"R-01 ASCII", false, BYTES(DECLARED("us-ascii") "a\x80"),
	"M1 " DECLARED("us-ascii") "a|encoding-not-utf8|parse-error"
				   "|failed parse-error"},
    {"R-01 GBK", false, BYTES(DECLARED("GBK") "\xC4\xE3\xBA\xC3!"),
	"M1 " DECLARED("GBK") "\xE4\xBD\xA0\xE5\xA5\xBD!|encoding-not-utf8"},
    {"R-02 GBK cut", false, BYTES(DECLARED("gb2312") "a\xC4"),
	"M1 " DECLARED("gb2312") "a|encoding-not-utf8|parse-error"
				 "|failed parse-error"},
    {"R-02 GBK bad", false, BYTES(DECLARED("gbk") "a\xFF\xFFz"),
	"M1 " DECLARED("gbk") "a|encoding-not-utf8|parse-error"
			      "|failed parse-error"},
    {"R-01 UTF-16LE", false, BYTES("\xFF\xFE<\0a\0\xE9\0=\xD8\0\xDE"),
	"M1 <a\xC3\xA9\xF0\x9F\x98\x80|encoding-not-utf8"},
    {"R-01 UTF-16BE", false, BYTES("\xFE\xFF\0\n\0h\0t"),
	"T2 ht|encoding-not-utf8"},
    {"R-01 a mark alone", true, BYTES("\xFF\xFE"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"X19", false, BYTES("\xFF\xFE<\0a\0\0\xDEz\0"),
	"M1 <a|encoding-not-utf8|parse-error|failed parse-error"},
    {"X19 high alone", false, BYTES("\xFF\xFE<\0a\0=\xD8z\0"),
	"M1 <a|encoding-not-utf8|parse-error|failed parse-error"},
    {"R-02 odd", false, BYTES("\xFF\xFE<\0a\0b"),
	"M1 <a|encoding-not-utf8|parse-error|failed parse-error"},
    {"X22 label only", false, BYTES(DECLARED("UTF-16") "<a>"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"X22 mark beats label", false,
	BYTES("\xEF\xBB\xBF" DECLARED("UTF-16") "<a>"),
	"M1 " DECLARED("UTF-16") "<a>|encoding-not-utf8"},
    {"X23 EUC-JP", false, BYTES(DECLARED("EUC-JP") "<a>"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"X23 UTF-7", false, BYTES(DECLARED("UTF-7") "<a>"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"X23 EBCDIC", false, BYTES("\x4C\x6F\xA7\x94\x93"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"X23 UTF-32", false, BYTES("\xFF\xFE\0\0<\0\0\0"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"X23 UTF-16 without a mark", false, BYTES("<\0?\0x\0"),
	"|encoding-not-utf8|failed encoding-not-utf8"},
    {"R-01 declaration cut", false, BYTES("<?xml version='1.0'"),
	"M1 <?xml version='1.0'"},
};

static bool
on_begin(void *arg, enum charset_form form, uint32_t line)
{
	static const char letters[] = {[CHARSET_BLANK] = 'B',
	    [CHARSET_MARKUP] = 'M',
	    [CHARSET_TEXT] = 'T'};

	return buf_print(((struct buf **)arg)[0], "%c%u ", letters[form], line);
}

static bool
on_out(void *arg, struct slice utf8)
{
	return buf_put_slice(((struct buf **)arg)[0], utf8);
}

static void
on_finding(void *arg, enum diag_code code, struct slice text)
{
	(void)text;
	(void)buf_print(((struct buf **)arg)[1], "|%s", diag_name(code));
}

static void
run(struct buf *out, struct slice bytes, size_t chunk, bool is_strict)
{
	struct buf findings;
	struct buf *both[2] = {out, &findings};
	struct charset charset = {.options = {.is_strict = is_strict,
				      .begin = on_begin,
				      .out = on_out,
				      .arg = both,
				      .sink = {on_finding, both}},
	    .line = 1};
	bool ok = true;

	buf_init(&charset.declaration, CHARSET_DECLARATION_MAX);
	buf_init(&findings, 1 << 16);
	while (ok && bytes.len > 0) {
		size_t n = chunk < bytes.len ? chunk : bytes.len;

		ok = charset_feed(&charset, slice_make(bytes.p, n));
		bytes = slice_from(bytes, n);
	}
	ok = ok && charset_finish(&charset);
	assert_int_equal(ok, charset.failure == DIAG_OK);
	(void)buf_put_slice(out, buf_text(&findings));
	if (!ok)
		(void)buf_print(out, "|failed %s", diag_name(charset.failure));
	buf_release(&findings);
	buf_release(&charset.declaration);
}

static void
test_streams(void **state)
{
	static const size_t chunks[] = {1, 2, 3, 7, 64, 16384};

	encoding_warm();
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t j = 0; j < COUNT(chunks); j++) {
			struct buf out;

			buf_init(&out, 1 << 20);
			run(&out, slice_make(cases[i].bytes, cases[i].len),
			    chunks[j], cases[i].is_strict);
			if (!slice_is(buf_text(&out), cases[i].result))
				fail_msg("%s, chunks of %zu: got\n%s",
				    cases[i].rule, chunks[j], buf_str(&out));
			buf_release(&out);
		}
}

/* X23: a label of 10 KB is refused, and is not held in memory. */
static void
test_long_label(void **state)
{
	struct buf *bytes = *state;
	struct buf out;

	buf_init(&out, 1 << 20);
	(void)buf_print(bytes, "<?xml version='1.0' encoding='");
	for (int i = 0; i < 10240; i++)
		(void)buf_put_char(bytes, 'x');
	(void)buf_print(bytes, "'?><a>");
	run(&out, buf_text(bytes), 64, false);
	assert_string_equal(
	    buf_str(&out), "|encoding-not-utf8|failed encoding-not-utf8");
	buf_release(&out);
}

/* Pieces that are longer than PIECE, in every encoding. */
static void
test_long(void **state)
{
	static const char *const heads[] = {
	    DECLARED("latin1"), DECLARED("gbk"), "\xFF\xFE"};

	for (size_t i = 0; i < COUNT(heads); i++) {
		struct buf bytes;
		struct buf out[2];

		buf_init(&bytes, 1 << 20);
		(void)buf_put_slice(&bytes, slice_of(heads[i]));
		(void)buf_put(&bytes, "<\0", 2);
		for (int j = 0; j < 20000; j++)
			(void)buf_put(&bytes, "\xB0\xA1", 2);
		for (int j = 0; j < 2; j++) {
			buf_init(&out[j], 1 << 20);
			run(&out[j], buf_text(&bytes), j == 0 ? 3 : 16384,
			    false);
		}
		assert_true(out[0].len > 40000);
		assert_true(slice_equal(buf_text(&out[0]), buf_text(&out[1])));
		buf_release(&out[0]);
		buf_release(&out[1]);
		buf_release(&bytes);
	}
}

static const struct {
	const char *text;
	bool is_valid;
} utf8_cases[] = {
    {"", true}, {"plain text, more than eight", true},
    {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", true},
    {"\xF4\x8F\xBF\xBF", true}, {"12345678\x80", false},
    {"\xC0\xAF", false}, /* overlong */
    {"\xC1\xBF", false}, /* overlong */
    {"\xE0\x80\xAF", false}, /* overlong */
    {"\xF0\x80\x80\xAF", false}, /* overlong */
    {"\xED\xA0\x80", false}, /* a surrogate */
    {"\xF4\x90\x80\x80", false}, /* beyond U+10FFFF */
    {"\xF5\x80\x80\x80", false}, /* not a lead byte */
    {"\xC3", false}, /* cut */
    {"\xE2\x82", false}, /* cut */
    {"\xE2\x82\x20", false}, /* interrupted */
};

static void
test_utf8(void **state)
{
	for (size_t i = 0; i < COUNT(utf8_cases); i++)
		assert_int_equal(utf8_is_valid(slice_of(utf8_cases[i].text)),
		    utf8_cases[i].is_valid);
}

/* the bytes of a text list. */
static void
test_guess(void **state)
{
	struct buf *out = *state;

	assert_string_equal(charset_guess(out, slice_of("/\xC4\xE3")), "GBK");
	assert_string_equal(buf_str(out), "/\xE4\xBD\xA0");
	buf_clear(out);
	assert_string_equal(
	    charset_guess(out, slice_of("/\xE9/\x81")), "windows-1252");
	assert_string_equal(buf_str(out), "/\xC3\xA9/\xEF\xBF\xBD");
}

UNIT(charset)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams),
	    text_test(test_long_label), cmocka_unit_test(test_long),
	    cmocka_unit_test(test_utf8), text_test(test_guess)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
