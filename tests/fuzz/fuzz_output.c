/*
 * Any bytes as foreign text on its way out: whoever reads the output gets the
 * text back, or a harmless form of it, and nothing in it acts.
 *
 *	all: the text
 */
#include <assert.h>
#include <expat.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/vis.h"
#include "crawler/chart/markup.h"
#include "tests/fuzz/fuzz.h"

#define OUT_MAX (8u << 20)
#define SHORT 16

/* The text has nothing that a terminal or an editor obeys. */
static void
check_harmless(struct slice text)
{
	assert(vis_is_utf8(text));
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.p[i];

		assert(c >= 0x20 && c != 0x7f);
		/* C1, bidirectional marks, line separators */
		assert(c != 0xc2 || (unsigned char)text.p[i + 1] >= 0xa0);
		if (c == 0xe2 && (unsigned char)text.p[i + 1] == 0x80)
			assert((unsigned char)text.p[i + 2] < 0x8b ||
			    ((unsigned char)text.p[i + 2] >= 0x90 &&
				(unsigned char)text.p[i + 2] < 0xa8) ||
			    (unsigned char)text.p[i + 2] > 0xae);
	}
}

static void
check_vis(struct slice text)
{
	struct buf out, cut;

	buf_init(&out, OUT_MAX);
	buf_init(&cut, OUT_MAX);
	vis_put(&out, text, OUT_MAX);
	check_harmless(buf_text(&out));
	vis_put(&cut, text, SHORT);
	check_harmless(buf_text(&cut));
	assert(cut.len <= SHORT);
	if (out.len <= SHORT)
		assert(slice_equal(buf_text(&out), buf_text(&cut)));
	buf_release(&out);
	buf_release(&cut);
}

static void
check_json(struct slice text)
{
	json_error_t error;
	struct buf out;

	buf_init(&out, OUT_MAX);
	json_put(&out, text);
	check_harmless(buf_text(&out));
	for (size_t i = 0; i < out.len; i++)
		assert((unsigned char)out.p[i] < 0x7f);
	assert(memchr(out.p, '<', out.len) == NULL);
	assert(memmem(out.p, out.len, "##", 2) == NULL);
	json_t *value = json_loadb(
	    out.p, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	assert(json_is_string(value));
	if (vis_is_utf8(text))
		assert(slice_equal(text,
		    slice_make(
			json_string_value(value), json_string_length(value))));
	json_decref(value);
	buf_release(&out);
}

/* One field of CSV, as a reader of RFC 4180 takes it. */
static void
check_csv(struct slice text, char separator)
{
	struct buf out, back;
	struct slice in;

	buf_init(&out, OUT_MAX);
	buf_init(&back, OUT_MAX);
	csv_put(&out, text, separator);
	in = buf_text(&out);
	if (in.len > 0 && in.p[0] == '"') {
		assert(in.len >= 2 && in.p[in.len - 1] == '"');
		for (size_t i = 1; i + 1 < in.len; i++) {
			if (in.p[i] == '"')
				assert(in.p[++i] == '"' && i + 1 < in.len);
			(void)buf_put_char(&back, in.p[i]);
		}
	} else {
		for (size_t i = 0; i < in.len; i++)
			assert(in.p[i] != separator && in.p[i] != '"' &&
			    in.p[i] != '\n' && in.p[i] != '\r');
		(void)buf_put_slice(&back, in);
	}
	struct slice field = buf_text(&back);
	if (field.len > 0)
		assert(memchr("=+-@\t\r", field.p[0], 6) == NULL);
	/* The field is the text but for some apostrophes, and no formula
	 * begins behind a semicolon, a tab or a line end. */
	size_t at = 0;
	for (size_t i = 0; i < field.len; i++) {
		char before = i == 0 ? ';' : field.p[i - 1];

		assert(memchr(";\t\r\n", before, 4) == NULL ||
		    memchr("=+-@", field.p[i], 4) == NULL);
		if (at < text.len && field.p[i] == text.p[at])
			at++;
		else
			assert(field.p[i] == '\'');
	}
	assert(at == text.len);
	buf_release(&out);
	buf_release(&back);
}

static void
on_text(void *arg, const XML_Char *text, int len)
{
	(void)buf_put(arg, text, (size_t)len);
}

static void
on_element(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	(void)arg;
	assert(strcmp(name, "a") == 0);
	assert(attributes[0] != NULL && attributes[2] == NULL);
}

/* The text is safe between tags and between both kinds of quotes. */
static void
check_xml(struct slice text, void put(struct buf *, struct slice))
{
	XML_Parser parser = XML_ParserCreate("UTF-8");
	struct buf out, back;

	assert(parser != NULL);
	buf_init(&out, OUT_MAX);
	buf_init(&back, OUT_MAX);
	(void)buf_put(&out, "<a b=\"", 6);
	put(&out, text);
	(void)buf_put(&out, "\">", 2);
	size_t start = out.len;
	put(&out, text);
	assert(out.len == start ||
	    memchr(out.p + start, '<', out.len - start) == NULL);
	assert(out.len == start ||
	    memchr(out.p + start, '\'', out.len - start) == NULL);
	(void)buf_put(&out, "</a>", 4);
	XML_SetUserData(parser, &back);
	XML_SetStartElementHandler(parser, on_element);
	XML_SetCharacterDataHandler(parser, on_text);
	enum XML_Status status = XML_Parse(parser, out.p, (int)out.len, 1);
	assert(status == XML_STATUS_OK);
	if (put == xml_put)
		assert(slice_equal(buf_text(&back), text));
	XML_ParserFree(parser);
	buf_release(&out);
	buf_release(&back);
}

/* Has the text only characters that a normalised URL or a date may have? */
static bool
has_only_plain(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < 0x20 || text.p[i] > 0x7e)
			return false;
	return true;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = slice_make((const char *)data, size);

	check_vis(text);
	check_json(text);
	check_csv(text, ',');
	check_csv(text, '\t');
	check_xml(text, markup_text);
	if (has_only_plain(text))
		check_xml(text, xml_put);
	return 0;
}
