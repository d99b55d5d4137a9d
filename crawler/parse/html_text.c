/* The text of HTML: its bytes, and the references in it. */
#include "crawler/parse/html_text.h"

#include <string.h>

char
html_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* References in values. */

/* put_utf8(p, code): its length; p has room for 4. */
static size_t
put_utf8(char *p, unsigned code)
{
	if (code < 0x80) {
		p[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		p[0] = (char)(0xc0 | code >> 6);
		p[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		p[0] = (char)(0xe0 | code >> 12);
		p[1] = (char)(0x80 | (code >> 6 & 0x3f));
		p[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	p[0] = (char)(0xf0 | code >> 18);
	p[1] = (char)(0x80 | (code >> 12 & 0x3f));
	p[2] = (char)(0x80 | (code >> 6 & 0x3f));
	p[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

static unsigned
digit_of(char c, unsigned base)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = html_lower(c);
	return base == 16 && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
						  : 16;
}

/* number(text, *code): the digits of "&#64;" or "&#x40;" behind "&#"; how
 * many bytes they are, with the semicolon; 0: it is none. */
static size_t
number(struct slice text, unsigned *code)
{
	unsigned base = 10;
	size_t i = 0, from;

	if (text.len > 0 && html_lower(text.p[0]) == 'x') {
		base = 16;
		i++;
	}
	*code = 0;
	for (from = i; i < text.len && digit_of(text.p[i], base) < base; i++)
		if (*code < 0x110000)
			*code = *code * base + digit_of(text.p[i], base);
	if (i == from || i == text.len || text.p[i] != ';' || *code == 0 ||
	    *code >= 0x110000 || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return i + 1;
}

/* reference(text, out, *len): of text behind '&': how many bytes it takes, and
 * what it stands for; 0: nothing that has to be undone in a URL or a word. */
static size_t
reference(struct slice text, char *out, size_t *len)
{
	static const struct {
		const char *name;
		char c;
	} names[] = {{"amp;", '&'}, {"quot;", '"'}, {"lt;", '<'}, {"gt;", '>'},
	    {"apos;", '\''}};
	unsigned code;
	size_t used;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_starts(text, slice_of(names[i].name))) {
			out[0] = names[i].c;
			*len = 1;
			return strlen(names[i].name);
		}
	if (text.len == 0 || text.p[0] != '#')
		return 0;
	used = number(slice_from(text, 1), &code);
	if (used == 0)
		return 0;
	*len = put_utf8(out, code);
	return used + 1;
}

size_t
html_undo(char *p, size_t len)
{
	size_t to = 0;

	for (size_t i = 0; i < len;) {
		size_t used = 0, made = 0;
		char out[4];

		if (p[i] == '&')
			used = reference(
			    slice_make(p + i + 1, len - i - 1), out, &made);
		if (used == 0) {
			p[to++] = p[i++];
			continue;
		}
		memcpy(p + to, out, made);
		to += made;
		i += used + 1;
	}
	return to;
}

bool
html_goes_raw(struct slice name)
{
	static const char *const names[] = {"script", "style", "title",
	    "textarea", "noscript", "iframe", "noembed", "noframes", "xmp",
	    "template"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_is(name, names[i]))
			return true;
	return false;
}

/* From bytes to characters. */

/* in_mark(narrow, c, *is_lost): does the byte belong to a byte order mark?
 * is_lost: what looked like the beginning of one was none. */
static bool
in_mark(struct html_narrow *narrow, unsigned char c, bool *is_lost)
{
	unsigned char first = narrow->half;

	if (narrow->marked == 0) {
		narrow->marked = c == 0xef || c == 0xfe || c == 0xff ? 1 : 3;
		narrow->half = c;
		return narrow->marked == 1;
	}
	if (narrow->marked == 1 && first != 0xef && (first ^ c) == 1) {
		narrow->is_wide = true;
		narrow->is_little = first == 0xff;
		narrow->marked = 3;
		return true;
	}
	if (first == 0xef && c == (narrow->marked == 1 ? 0xbb : 0xbf)) {
		narrow->marked++;
		return true;
	}
	narrow->marked = 3;
	*is_lost = true;
	return false;
}

bool
html_narrow(struct html_narrow *narrow, unsigned char byte, char *c)
{
	bool is_lost = false;
	unsigned char high, low;

	/* values become strings */
	*c = byte == '\0' ? '?' : (char)byte;
	if (narrow->marked < 3 && in_mark(narrow, byte, &is_lost))
		return false;
	/* the byte before it was text; so is this one, then */
	if (is_lost)
		*c = '?';
	if (!narrow->is_wide)
		return true;
	narrow->has_half = !narrow->has_half;
	high = narrow->is_little ? byte : narrow->half;
	low = narrow->is_little ? narrow->half : byte;
	narrow->half = byte;
	*c = high == 0 && low != 0 && low < 0x80 ? (char)low : '?';
	return !narrow->has_half;
}
