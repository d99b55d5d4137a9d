/*
 * The tags of an HTML page.
 *
 *	DATA --'<'--> OPEN --letter--> NAME --> (attributes) --'>'--> DATA, RAW
 *	                |--'/'-------> CLOSE --letter--> NAME
 *	                |--'!'-------> MARKUP --"--"--> COMMENT --"-->"--> DATA
 *	                '--'!', '?'--> BOGUS --'>'--> DATA
 *	RAW ---"</name"--------------> ATTRIBUTES --'>'--> DATA
 *
 * The states are those of the HTML standard, but states in which each byte has
 * the same effect are merged. A function in_...() handles one byte in a state
 * and returns the next state, which html_feed sets.
 */
#include "crawler/parse/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"

/* The state of the conversion from bytes to characters: the byte order mark,
 * and the first byte of a UTF-16 unit. Zeroed at the beginning. */
struct narrow {
	/* bytes of a byte order mark; 3: no mark can follow any more */
	unsigned marked;
	bool is_wide; /* UTF-16 */
	bool is_little;
	bool has_half;
	unsigned char half;
};

enum html_state {
	STATE_DATA,
	STATE_OPEN, /* behind '<' */
	STATE_CLOSE, /* behind "</" */
	STATE_NAME,
	STATE_ATTRIBUTES, /* before the name of an attribute */
	STATE_ATTRIBUTE, /* in the name of an attribute */
	STATE_BEHIND, /* after the name of an attribute */
	STATE_VALUE, /* behind '=' */
	STATE_DOUBLE, /* in a value in double quotes */
	STATE_SINGLE, /* in a value in single quotes */
	STATE_BARE,
	STATE_MARKUP, /* behind "<!" */
	STATE_COMMENT,
	STATE_BOGUS,
	STATE_RAW
};

/* The position of a name or a value in html.bytes. */
struct span {
	size_t at, len;
};

struct html {
	struct html_events events;
	enum html_state state;
	struct buf bytes; /* of the current tag */
	struct span name;
	struct span names[HTML_MAX_ATTRIBUTES];
	struct span values[HTML_MAX_ATTRIBUTES];
	size_t count; /* of attributes, the current one included */
	bool is_end;
	bool is_dropped; /* the current attribute is one too many */
	bool has_text; /* the text event of this run was sent */
	/* in MARKUP and COMMENT: the number of '-' just before */
	size_t dashes;
	bool has_bang; /* in COMMENT: "--!" came just before */
	bool is_first; /* in COMMENT: nothing but dashes so far */
	char raw[16]; /* the element of RAW; "": none */
	char end[18]; /* the matched part of its end tag, as written */
	struct buf raw_text;
	bool is_raw_sent;
	size_t raw_match; /* how much of "</" and the name has matched */
	struct narrow narrow;
	bool is_cut; /* the current tag is too long */
};

/* Character references in values. */

/* put_utf8(p, code): write the character; returns its length. p has room for 4
 * bytes. */
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
	c = ascii_lower(c);
	return base == 16 && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
						  : 16;
}

/* number(text, code): read the rest of "&#64;" or "&#x40;" behind "&#". Returns
 * its length with the semicolon; 0: text is no reference. */
static size_t
number(struct slice text, unsigned *code)
{
	unsigned base = 10;
	size_t i = 0, from;

	if (text.len > 0 && ascii_lower(text.p[0]) == 'x') {
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

/*
 * reference(text, out, len): decode the reference whose '&' precedes text, if
 * it can matter in a URL or a word. Returns how many bytes of text it takes; 0:
 * there is none. out and *len receive the characters.
 */
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

static size_t
undo(char *p, size_t len)
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

/* Conversion of bytes to characters. */

/* in_mark(narrow, c, is_lost): does the byte belong to a byte order mark?
 * *is_lost: the earlier bytes looked like a mark, but were no mark. */
static bool
in_mark(struct narrow *narrow, unsigned char c, bool *is_lost)
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

/*
 * narrow_byte(narrow, byte, c): take the next byte of a page; false: there is
 * no character yet. A byte order mark is dropped. After a mark of UTF-16 two
 * bytes make one character. A character outside ASCII in UTF-16, and NUL,
 * become '?'.
 */
static bool
narrow_byte(struct narrow *narrow, unsigned char byte, char *c)
{
	bool is_lost = false;
	unsigned char high, low;

	/* NUL would end the strings that values become */
	*c = byte == '\0' ? '?' : (char)byte;
	if (narrow->marked < 3 && in_mark(narrow, byte, &is_lost))
		return false;
	/* the earlier bytes were taken for a mark, but were text; this byte is
	 * text, too */
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

struct html *
html_new(const struct html_events *events)
{
	struct html *html = mem_zero(sizeof(*html));

	html->events = *events;
	buf_init(&html->bytes, HTML_MAX_TAG);
	buf_init(&html->raw_text, HTML_MAX_RAW);
	return html;
}

void
html_free(struct html *html)
{
	if (html == NULL)
		return;
	buf_release(&html->bytes);
	buf_release(&html->raw_text);
	free(html);
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* The end of a tag. */

static struct slice
slice_at(const struct html *html, struct span span)
{
	return span.len == 0 ? slice_of("")
			     : slice_make(html->bytes.p + span.at, span.len);
}

static void
send_tag(struct html *html)
{
	struct html_tag tag = {.is_end = html->is_end};

	/* a value that was cut would be another value: report no attributes */
	if (!html->is_cut)
		tag.count = html->count;
	for (size_t i = 0; i < tag.count; i++) {
		struct span *value = &html->values[i];

		if (value->len > 0)
			value->len = undo(
			    html->bytes.p + value->at, value->len);
		tag.names[i] = slice_at(html, html->names[i]);
		tag.values[i] = slice_at(html, *value);
	}
	tag.name = slice_at(html, html->name);
	html->events.tag(html->events.arg, &tag);
}

/* end_tag(html): '>' came; returns the next state. */
static enum html_state
end_tag(struct html *html)
{
	struct slice name = slice_at(html, html->name);

	send_tag(html);
	html->has_text = false;
	if (html->is_end || !html_goes_raw(name))
		return STATE_DATA;
	memcpy(html->raw, name.p, name.len);
	html->raw[name.len] = '\0';
	html->raw_match = 0;
	html->is_raw_sent = false;
	buf_clear(&html->raw_text);
	return STATE_RAW;
}

/* begin_tag(html, is_end): the name of a tag follows. */
static void
begin_tag(struct html *html, bool is_end)
{
	buf_clear(&html->bytes);
	html->name = (struct span){0, 0};
	html->count = 0;
	html->is_end = is_end;
	html->is_dropped = false;
	html->is_cut = false;
}

/* put(html, span, c): append a byte to the name or value, if there is room. */
static void
put(struct html *html, struct span *span, char c)
{
	if (buf_put_char(&html->bytes, c))
		span->len++;
	else
		html->is_cut = true;
}

static struct span
span_here(const struct html *html)
{
	return (struct span){html->bytes.len, 0};
}

static void
begin_attribute(struct html *html)
{
	html->is_dropped = html->count == HTML_MAX_ATTRIBUTES;
	if (html->is_dropped)
		return;
	html->names[html->count] = html->values[html->count] = span_here(html);
	html->count++;
}

static void
put_name(struct html *html, char c)
{
	if (!html->is_dropped)
		put(html, &html->names[html->count - 1], ascii_lower(c));
}

static void
begin_value(struct html *html)
{
	if (!html->is_dropped)
		html->values[html->count - 1] = span_here(html);
}

static void
put_value(struct html *html, char c)
{
	if (!html->is_dropped)
		put(html, &html->values[html->count - 1], c);
}

/* One byte in each state; the functions return the next state. */

static void
note_text(struct html *html, char c)
{
	if (html->has_text || is_space(c))
		return;
	html->has_text = true;
	html->events.text(html->events.arg);
}

static enum html_state
in_data(struct html *html, char c)
{
	if (c == '<')
		return STATE_OPEN;
	note_text(html, c);
	return STATE_DATA;
}

static enum html_state
in_open(struct html *html, char c)
{
	if (ascii_is_letter(c)) {
		begin_tag(html, false);
		put(html, &html->name, ascii_lower(c));
		return STATE_NAME;
	}
	html->dashes = 0;
	switch (c) {
	case '/':
		return STATE_CLOSE;
	case '!':
		return STATE_MARKUP;
	case '?':
		return STATE_BOGUS;
	default:
		note_text(html, '<');
		return in_data(html, c);
	}
}

static enum html_state
in_close(struct html *html, char c)
{
	if (!ascii_is_letter(c))
		return c == '>' ? STATE_DATA : STATE_BOGUS;
	begin_tag(html, true);
	put(html, &html->name, ascii_lower(c));
	return STATE_NAME;
}

static enum html_state
in_name(struct html *html, char c)
{
	if (c == '>')
		return end_tag(html);
	if (is_space(c) || c == '/')
		return STATE_ATTRIBUTES;
	put(html, &html->name, ascii_lower(c));
	return STATE_NAME;
}

static enum html_state
in_attributes(struct html *html, char c)
{
	if (c == '>')
		return end_tag(html);
	if (is_space(c) || c == '/')
		return STATE_ATTRIBUTES;
	begin_attribute(html);
	put_name(html, c); /* the standard accepts even '=' here */
	return STATE_ATTRIBUTE;
}

static enum html_state
in_attribute(struct html *html, char c)
{
	if (c == '>')
		return end_tag(html);
	if (c == '=')
		return STATE_VALUE;
	if (is_space(c))
		return STATE_BEHIND;
	if (c == '/')
		return STATE_ATTRIBUTES;
	put_name(html, c);
	return STATE_ATTRIBUTE;
}

static enum html_state
in_value(struct html *html, char c)
{
	if (is_space(c))
		return STATE_VALUE;
	if (c == '>')
		return end_tag(html);
	begin_value(html);
	if (c == '"')
		return STATE_DOUBLE;
	if (c == '\'')
		return STATE_SINGLE;
	put_value(html, c);
	return STATE_BARE;
}

static enum html_state
in_bare(struct html *html, char c)
{
	if (c == '>')
		return end_tag(html);
	if (is_space(c))
		return STATE_ATTRIBUTES;
	put_value(html, c);
	return STATE_BARE;
}

static enum html_state
in_markup(struct html *html, char c)
{
	if (c == '-' && ++html->dashes < 2)
		return STATE_MARKUP;
	html->is_first = true;
	html->has_bang = false;
	if (c == '-') {
		html->dashes = 0;
		return STATE_COMMENT;
	}
	return c == '>' ? STATE_DATA : STATE_BOGUS;
}

/* in_comment(html, c): a comment ends with "-->" or "--!>", or, right at its
 * beginning, with ">" or "->". */
static enum html_state
in_comment(struct html *html, char c)
{
	bool is_bang = c == '!' && html->dashes >= 2 && !html->has_bang;

	if (c == '>' && (html->dashes >= 2 || html->is_first))
		return STATE_DATA;
	if (c == '-')
		html->dashes = html->has_bang ? 1 : html->dashes + 1;
	else if (!is_bang)
		html->dashes = 0;
	html->has_bang = is_bang;
	html->is_first = html->is_first && c == '-' && html->dashes < 2;
	return STATE_COMMENT;
}

/* Raw text. */

/* send_raw(html): send the raw event, once for an element. */
static void
send_raw(struct html *html)
{
	if (html->is_raw_sent || html->raw_text.len == 0)
		return;
	html->is_raw_sent = true;
	html->events.raw(
	    html->events.arg, slice_of(html->raw), buf_text(&html->raw_text));
}

static void
put_raw(struct html *html, char c)
{
	/*
	 * when the buf is full, send the event without waiting for the end tag
	 */
	if (!buf_put_char(&html->raw_text, c))
		send_raw(html);
}

/* raw_byte(html, i): byte i of "</" and the name of the element. */
static char
raw_byte(const struct html *html, size_t i)
{
	return i < 2 ? "</"[i] : html->raw[i - 2];
}

/* end_raw(html, c): the end tag came, up to c, the byte behind its name. */
static enum html_state
end_raw(struct html *html, char c)
{
	send_raw(html);
	begin_tag(html, true);
	for (size_t i = 0; html->raw[i] != '\0'; i++)
		put(html, &html->name, html->raw[i]);
	return c == '>' ? end_tag(html) : STATE_ATTRIBUTES;
}

/* in_raw(html, c): everything up to the end tag of the element is text, even
 * what only begins like that end tag. */
static enum html_state
in_raw(struct html *html, char c)
{
	size_t whole = strlen(html->raw) + 2;

	if (html->raw_match == whole && (is_space(c) || c == '/' || c == '>'))
		return end_raw(html, c);
	if (html->raw_match < whole &&
	    ascii_lower(c) == raw_byte(html, html->raw_match)) {
		html->end[html->raw_match++] = c;
		return STATE_RAW;
	}
	for (size_t i = 0; i < html->raw_match; i++)
		put_raw(html, html->end[i]);
	html->end[0] = c;
	html->raw_match = c == '<';
	if (c != '<')
		put_raw(html, c);
	return STATE_RAW;
}

/* in_tag(html, c): handle the states inside a tag, behind its name. */
static enum html_state
in_tag(struct html *html, char c)
{
	switch ((int)html->state) {
	case STATE_ATTRIBUTE:
		return in_attribute(html, c);
	case STATE_BEHIND:
		if (c == '=')
			return STATE_VALUE;
		return is_space(c) ? STATE_BEHIND : in_attributes(html, c);
	case STATE_VALUE:
		return in_value(html, c);
	case STATE_DOUBLE:
	case STATE_SINGLE:
		if (c == (html->state == STATE_DOUBLE ? '"' : '\''))
			return STATE_ATTRIBUTES;
		put_value(html, c);
		return html->state;
	case STATE_BARE:
		return in_bare(html, c);
	default:
		return in_attributes(html, c);
	}
}

static enum html_state
step(struct html *html, char c)
{
	switch (html->state) {
	case STATE_DATA:
		return in_data(html, c);
	case STATE_OPEN:
		return in_open(html, c);
	case STATE_CLOSE:
		return in_close(html, c);
	case STATE_NAME:
		return in_name(html, c);
	case STATE_ATTRIBUTES:
	case STATE_ATTRIBUTE:
	case STATE_BEHIND:
	case STATE_VALUE:
	case STATE_DOUBLE:
	case STATE_SINGLE:
	case STATE_BARE:
		return in_tag(html, c);
	case STATE_MARKUP:
		return in_markup(html, c);
	case STATE_COMMENT:
		return in_comment(html, c);
	case STATE_BOGUS:
		return c == '>' ? STATE_DATA : STATE_BOGUS;
	case STATE_RAW:
		return in_raw(html, c);
	}
	return STATE_DATA;
}

void
html_feed(struct html *html, struct slice bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		char c;

		if (narrow_byte(&html->narrow, (unsigned char)bytes.p[i], &c))
			html->state = step(html, c);
	}
}

bool
html_attribute(
    const struct html_tag *tag, const char *name, struct slice *value)
{
	for (size_t i = 0; i < tag->count; i++)
		if (slice_is(tag->names[i], name)) {
			*value = tag->values[i];
			return true;
		}
	return false;
}
