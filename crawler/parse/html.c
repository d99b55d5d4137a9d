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
 * the same effect are merged. html_step() handles one byte and returns the next
 * state, which html_feed() sets.
 */
#include "crawler/parse/html.h"

#include <string.h>

#include "base/ascii.h"
#include "crawler/parse/charset.h"

size_t
html_reference(struct slice text, char *out, size_t *len)
{
	static const struct {
		struct slice name;
		char c;
	} names[] = {{{"amp;", 4}, '&'}, {{"quot;", 5}, '"'}, {{"lt;", 3}, '<'},
	    {{"gt;", 3}, '>'}, {{"apos;", 5}, '\''}};
	uint32_t base = 10, code = 0;
	size_t i = 1, from;

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (slice_starts(text, names[k].name)) {
			out[0] = names[k].c;
			*len = 1;
			return names[k].name.len;
		}
	if (text.len < 2 || text.p[0] != '#')
		return 0;
	if (ascii_lower(text.p[1]) == 'x') {
		base = 16;
		i++;
	}
	for (from = i; i < text.len; i++) {
		char c = ascii_lower(text.p[i]);
		uint32_t digit = ascii_is_digit(c) ? (uint32_t)(c - '0')
		    : c >= 'a' && c <= 'f'         ? (uint32_t)(c - 'a') + 10
						   : base;

		if (digit >= base)
			break;
		if (code < 0x110000)
			code = code * base + digit;
	}
	if (i == from || i == text.len || text.p[i] != ';' || code == 0 ||
	    code >= 0x110000 || (code >= 0xd800 && code < 0xe000))
		return 0;
	*len = utf8_put(out, code);
	return i + 1;
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

static bool
html_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* The next bytes belong to this name or value, which begins here. */
static void
html_begin(struct html *html, struct span *to)
{
	*to = (struct span){html->bytes.len, 0};
	html->to = to;
}

/* The name of a tag begins. */
static void
html_begin_tag(struct html *html, bool is_end)
{
	buf_clear(&html->bytes);
	html->count = 0;
	html->is_end = is_end;
	html->is_cut = false;
	html_begin(html, &html->name);
}

/* Append a byte to the name or value, if there is room. */
static void
html_put(struct html *html, char c)
{
	if (html->to == NULL)
		return;
	if (buf_put_char(&html->bytes, c))
		html->to->len++;
	else
		html->is_cut = true;
}

/* '>' came: report the tag; returns the next state. */
static enum html_state
html_end_tag(struct html *html)
{
	struct html_tag tag = {.is_end = html->is_end};

	/* a value that was cut would be another value: report no attributes */
	if (!html->is_cut)
		tag.count = html->count;
	for (size_t i = 0; i < tag.count; i++) {
		struct span *value = &html->values[i];
		char *p = html->bytes.p + value->at;
		size_t to = 0;

		/* Decode the references of the value, in place. */
		for (size_t at = 0; at < value->len;) {
			size_t used = 0, made = 0;
			char out[4];

			if (p[at] == '&')
				used = html_reference(
				    slice_make(p + at + 1, value->len - at - 1),
				    out, &made);
			if (used == 0) {
				p[to++] = p[at++];
				continue;
			}
			memcpy(p + to, out, made);
			to += made;
			at += used + 1;
		}
		value->len = to;
		tag.names[i] = slice_make(
		    html->bytes.p + html->names[i].at, html->names[i].len);
		tag.values[i] = slice_make(p, to);
	}
	tag.name = slice_make(html->bytes.p + html->name.at, html->name.len);
	html->events.tag(html->events.arg, &tag);
	if (slice_is(tag.name, "a"))
		html->is_link = !html->is_end;
	html->has_text = false;
	if (html->is_end || !html_goes_raw(tag.name))
		return STATE_DATA;
	memcpy(html->raw, tag.name.p, tag.name.len);
	html->raw[tag.name.len] = '\0';
	html->raw_match = 0;
	html->is_raw_sent = false;
	buf_clear(&html->raw_text);
	return STATE_RAW;
}

/* Send the raw event, once for an element. */
static void
html_send_raw(struct html *html)
{
	if (html->is_raw_sent || html->raw_text.len == 0)
		return;
	html->is_raw_sent = true;
	html->events.raw(
	    html->events.arg, slice_of(html->raw), buf_text(&html->raw_text));
}

/* Everything up to the end tag of the element is text, even what only begins
 * like that end tag. */
static enum html_state
html_raw(struct html *html, char c)
{
	size_t whole = strlen(html->raw) + 2;
	size_t match = html->raw_match;

	if (match == whole && (html_is_space(c) || c == '/' || c == '>')) {
		html_send_raw(html);
		html_begin_tag(html, true);
		for (size_t i = 0; html->raw[i] != '\0'; i++)
			html_put(html, html->raw[i]);
		return c == '>' ? html_end_tag(html) : STATE_ATTRIBUTES;
	}
	if (match < whole &&
	    ascii_lower(c) ==
		(match < 2 ? "</"[match] : html->raw[match - 2])) {
		html->end[html->raw_match++] = c;
		return STATE_RAW;
	}
	/* What only began like an end tag is text, and so is c, unless another
	 * one may begin with it.  When there is no more room, the event is sent
	 * without waiting for the end tag. */
	html->end[match] = c;
	for (size_t i = 0; i < match + (c != '<'); i++)
		if (!buf_put_char(&html->raw_text, html->end[i]))
			html_send_raw(html);
	html->end[0] = c;
	html->raw_match = c == '<';
	return STATE_RAW;
}

/* One byte inside a tag, behind the letter that its name begins with. */
static enum html_state
html_step_tag(struct html *html, char c)
{
	enum html_state state = html->state;

	if (state == STATE_DOUBLE || state == STATE_SINGLE) {
		if (c == (state == STATE_DOUBLE ? '"' : '\''))
			return STATE_ATTRIBUTES;
		html_put(html, c);
		return state;
	}
	if (c == '>')
		return html_end_tag(html);
	if (html_is_space(c))
		return state == STATE_ATTRIBUTE || state == STATE_BEHIND
		    ? STATE_BEHIND
		    : state == STATE_VALUE ? STATE_VALUE
					   : STATE_ATTRIBUTES;
	if (state == STATE_BARE || state == STATE_VALUE) {
		if (state == STATE_VALUE && html->to != NULL)
			html_begin(html, &html->values[html->count - 1]);
		if (state == STATE_VALUE && (c == '"' || c == '\''))
			return c == '"' ? STATE_DOUBLE : STATE_SINGLE;
		html_put(html, c);
		return STATE_BARE;
	}
	if (c == '=' && (state == STATE_ATTRIBUTE || state == STATE_BEHIND))
		return STATE_VALUE;
	if (c == '/')
		return STATE_ATTRIBUTES;
	if (state == STATE_ATTRIBUTES || state == STATE_BEHIND) {
		/* the standard lets a name begin even with '=' */
		html->to = NULL;
		if (html->count < HTML_MAX_ATTRIBUTES) {
			html_begin(html, &html->values[html->count]);
			html_begin(html, &html->names[html->count++]);
		}
		state = STATE_ATTRIBUTE;
	}
	html_put(html, ascii_lower(c));
	return state;
}

static enum html_state
html_step(struct html *html, char c)
{
	bool is_letter = ascii_is_letter(c);

	switch (html->state) {
	case STATE_OPEN:
		html->dashes = 0;
		if (c == '/')
			return STATE_CLOSE;
		if (c == '!')
			return STATE_MARKUP;
		if (c == '?')
			return STATE_BOGUS;
		if (!is_letter)
			break;
		html_begin_tag(html, false);
		html_put(html, ascii_lower(c));
		return STATE_NAME;
	case STATE_CLOSE:
		if (!is_letter)
			return c == '>' ? STATE_DATA : STATE_BOGUS;
		html_begin_tag(html, true);
		html_put(html, ascii_lower(c));
		return STATE_NAME;
	case STATE_NAME:
	case STATE_ATTRIBUTES:
	case STATE_ATTRIBUTE:
	case STATE_BEHIND:
	case STATE_VALUE:
	case STATE_DOUBLE:
	case STATE_SINGLE:
	case STATE_BARE:
		return html_step_tag(html, c);
	case STATE_MARKUP:
		if (c == '-' && ++html->dashes < 2)
			return STATE_MARKUP;
		html->is_first = true;
		html->has_bang = false;
		if (c == '-') {
			html->dashes = 0;
			return STATE_COMMENT;
		}
		return c == '>' ? STATE_DATA : STATE_BOGUS;
	case STATE_COMMENT: {
		/* A comment ends with "-->" or "--!>", or, right at its
		 * beginning, with ">" or
		 * "->". */
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
	case STATE_BOGUS:
		return c == '>' ? STATE_DATA : STATE_BOGUS;
	case STATE_RAW:
		return html_raw(html, c);
	case STATE_DATA:
		break;
	}
	/* c is text, or the '<' before it was, which began no tag. */
	html->letters += c != '<' && !html_is_space(c) && !html->is_link;
	if (!html->has_text &&
	    (html->state == STATE_OPEN || (c != '<' && !html_is_space(c)))) {
		html->has_text = true;
		html->events.text(html->events.arg);
	}
	if (c != '<' && html->events.letter != NULL)
		html->events.letter(html->events.arg, c);
	return c == '<' ? STATE_OPEN : STATE_DATA;
}

void
html_feed(struct html *html, struct slice bytes)
{
	struct narrow *narrow = &html->narrow;

	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char byte = (unsigned char)bytes.p[i];
		unsigned char first = narrow->half;
		unsigned char high, low;
		/* NUL would end the strings that values become */
		char c = byte == '\0' ? '?' : (char)byte;

		/* A byte order mark is dropped. */
		if (narrow->marked == 0) {
			narrow->half = byte;
			narrow->marked = byte == 0xef || byte == 0xfe ||
				byte == 0xff
			    ? 1
			    : 3;
			if (narrow->marked == 1)
				continue;
		} else if (narrow->marked == 1 && first != 0xef &&
		    (first ^ byte) == 1) {
			narrow->is_wide = true;
			narrow->is_little = first == 0xff;
			narrow->marked = 3;
			continue;
		} else if (narrow->marked < 3 && first == 0xef &&
		    byte == (narrow->marked == 1 ? 0xbb : 0xbf)) {
			narrow->marked++;
			continue;
		} else if (narrow->marked < 3) {
			/* the earlier bytes were taken for a mark, but were
			 * text; this byte is text, too */
			narrow->marked = 3;
			c = '?';
		}
		/* After a mark of UTF-16 two bytes make one character. One
		 * outside ASCII, and NUL, become '?'. */
		if (narrow->is_wide) {
			narrow->has_half = !narrow->has_half;
			high = narrow->is_little ? byte : narrow->half;
			low = narrow->is_little ? narrow->half : byte;
			narrow->half = byte;
			c = high == 0 && low != 0 && low < 0x80 ? (char)low
								: '?';
			if (narrow->has_half)
				continue;
		}
		html->state = html_step(html, c);
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
