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
#include "html_references.inc"

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

	for (size_t k = 0; k < LENGTH(names); k++)
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

#define NAME_BYTES 33 /* of the longest name, with its semicolon */
#define REFERENCE_BYTES 16 /* room for what a reference stands for */
#define OLD_NAME_BYTES 6 /* of the longest name that may have none */

/* html_text_name(name): what the name stands for; empty: there is none. */
static struct slice
html_text_name(struct slice name)
{
	size_t low = 0, high = LENGTH(reference_at);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *there = (const char *)references +
		    reference_at[middle];
		int order = slice_order(name, slice_of(there));

		if (order == 0)
			return slice_of(there + name.len + 1);
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return slice_of(NULL);
}

/* html_text_reference(text, is_value, out, len): as html_reference(), for the
 * text of a page, with all names of the HTML standard (13.2.5.73); is_value: in
 * the value of an attribute, where each needs its semicolon.  out has room for
 * REFERENCE_BYTES. */
static size_t
html_text_reference(struct slice text, bool is_value, char *out, size_t *len)
{
	size_t n = html_reference(text, out, len);
	struct slice made = slice_of(NULL);

	/* Numbers of control characters stand for those of windows-1252. */
	if (n > 0 && *len == 2 && out[0] == '\xc2' &&
	    (unsigned char)out[1] < 0xA0)
		*len = utf8_put_windows(out, out[1]);
	if (n > 0)
		return n;
	while (n < text.len && n < NAME_BYTES &&
	    (ascii_is_letter(text.p[n]) || ascii_is_digit(text.p[n])))
		n++;
	if (n < text.len && text.p[n] == ';')
		made = html_text_name(slice_make(text.p, ++n));
	/* An old name needs no semicolon. */
	if (n > OLD_NAME_BYTES && made.len == 0)
		n = OLD_NAME_BYTES;
	for (; made.len == 0 && !is_value && n > 1; n -= made.len == 0)
		made = html_text_name(slice_make(text.p, n));
	memcpy(out, made.p == NULL ? "" : made.p, made.len);
	*len = made.len;
	return made.len > 0 ? n : 0;
}

/* html_text_class(c): ' ' for white space, '\0' for what is not seen, such as a
 * control character, else 'a'. */
static char
html_text_class(uint32_t c)
{
	if ((c > 0x3000 && c != 0xFEFF) || (c > 0xAD && c < 0x2000))
		return 'a';
	if ((c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0xA0 ||
	    (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
	    c == 0x202F || c == 0x205F || c == 0x3000)
		return ' ';
	return c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x200B ||
		c == 0x2060 || c == 0xFEFF
	    ? '\0'
	    : 'a';
}

void
html_text_put(
    struct buf *out, struct slice text, bool has_references, bool is_guess)
{
	size_t begin = out->len;
	char gap = '\0';

	while (text.len > 0) {
		char made[REFERENCE_BYTES], class = 'a';
		size_t n = 0, used = 0;
		struct slice some;

		/* Most of it stays as it is: ASCII, with single spaces. */
		while (used < text.len && text.p[used] >= ' ' &&
		    text.p[used] < 0x7F && text.p[used] != '&' &&
		    (text.p[used] != ' ' ||
			(used > 0 && text.p[used - 1] != ' ')))
			used++;
		/* A space stays if a word follows it, which is not known yet.
		 */
		used -= used > 0 && text.p[used - 1] == ' ';
		some = slice_make(text.p, used);
		if (used == 0) {
			if (text.p[0] == '&' && has_references)
				used = html_text_reference(
				    slice_from(text, 1), false, made, &n);
			used += used > 0;
			if (used == 0) {
				used = utf8_sequence(text);
				n = used;
				memcpy(made, text.p, n);
			}
			if (used == 0) {
				used = 1;
				n = is_guess ? utf8_put_windows(made, text.p[0])
					     : utf8_put(made, 0xFFFD);
				/* what is left of a character that broke off */
				while (!is_guess && used < text.len &&
				    used < 4 && (text.p[0] & 0x40) != 0 &&
				    (text.p[used] & 0xC0) == 0x80)
					used++;
			}
			class = html_text_class(utf8_first(made));
			some = slice_make(made, n);
		}
		if (text.p[0] == HTML_BLOCK && some.p == made)
			gap = '\n';
		else if (class == ' ' && gap == '\0')
			gap = ' ';
		text = slice_from(text, used);
		if (class != 'a')
			continue;
		if (out->len == begin)
			gap = '\0';
		/* Only a run may be cut. */
		n = out->max - out->len;
		if ((gap != '\0') + (some.p == made ? some.len : 1) > n)
			return;
		if (gap != '\0')
			(void)buf_put_char(out, gap);
		n -= gap != '\0';
		gap = '\0';
		if (some.len > n) {
			some.len = n - (some.p[n - 1] == ' ');
			text.len = 0;
		}
		(void)buf_put_slice(out, some);
	}
}

bool
html_goes_raw(struct slice name)
{
	static const char *const names[] = {"script", "style", "title",
	    "textarea", "noscript", "iframe", "noembed", "noframes", "xmp",
	    "template"};

	for (size_t i = 0; i < LENGTH(names); i++)
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

/* html_undo(html, p, len): decode the references of a value, in place; returns
 * its new length. */
static size_t
html_undo(const struct html *html, char *p, size_t len)
{
	bool is_meta = slice_is(
	    slice_make(html->bytes.p + html->name.at, html->name.len), "meta");
	size_t to = 0;

	for (size_t at = 0; at < len;) {
		struct slice rest = slice_make(p + at + 1, len - at - 1);
		size_t used = 0, made = 0;
		char out[REFERENCE_BYTES];

		if (p[at] == '&')
			used = html->has_names && is_meta
			    ? html_text_reference(rest, true, out, &made)
			    : html_reference(rest, out, &made);
		/* A few references are shorter than what they stand for. */
		if (used == 0 || made > used + 1) {
			p[to++] = p[at++];
			continue;
		}
		memcpy(p + to, out, made);
		to += made;
		at += used + 1;
	}
	return to;
}

/* '>' came: report the tag; returns the next state. */
static enum html_state
html_end_tag(struct html *html)
{
	struct html_tag tag;

	tag.is_end = html->is_end;
	/* a value that was cut would be another value: report no attributes */
	tag.count = html->is_cut ? 0 : html->count;
	for (size_t i = 0; i < tag.count; i++) {
		struct span *value = &html->values[i];
		char *p = html->bytes.p + value->at;

		if (value->len > 0 && memchr(p, '&', value->len) != NULL)
			value->len = html_undo(html, p, value->len);
		tag.names[i] = slice_make(
		    html->bytes.p + html->names[i].at, html->names[i].len);
		tag.values[i] = slice_make(p, value->len);
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

/* html_text_run(html, run): a run of text; in OPEN, a '<' is before it. */
static void
html_text_run(struct html *html, struct slice run)
{
	bool is_behind = html->state == STATE_OPEN;
	size_t letters = 0;

	/* Written so that compilers do many bytes at once. */
	for (size_t i = 0; i < run.len; i++)
		letters += ((run.p[i] == ' ') | (run.p[i] == '\n') |
			       (run.p[i] == '\t') | (run.p[i] == '\r') |
			       (run.p[i] == '\f')) == 0;
	if (!html->is_link)
		html->letters += letters;
	if (!html->has_text && (is_behind || letters > 0)) {
		html->has_text = true;
		html->events.text(html->events.arg);
	}
	if (html->events.run != NULL && (is_behind || run.len > 0))
		html->events.run(html->events.arg, run, is_behind);
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
	html_text_run(html, slice_make(&c, c != '<'));
	return c == '<' ? STATE_OPEN : STATE_DATA;
}

/* html_take(html, bytes): take the bytes at the front that leave the state as
 * it is, as html_step() would one by one; returns their number. */
static size_t
html_take(struct html *html, struct slice bytes)
{
	static const char ends[] = {[STATE_DATA] = '<',
	    [STATE_DOUBLE] = '"',
	    [STATE_SINGLE] = '\'',
	    [STATE_COMMENT] = '-',
	    [STATE_BOGUS] = '>',
	    [STATE_RAW] = '<'};
	enum html_state state = html->state;
	struct buf *to = state == STATE_RAW ? &html->raw_text : &html->bytes;
	char end = ends[state];
	size_t n = 0, room;

	if (end == '\0' || (state == STATE_RAW && html->raw_match > 0) ||
	    (state == STATE_COMMENT &&
		(html->dashes > 0 || html->has_bang || html->is_first)))
		return 0;
	/* NUL is read as another byte. */
	while (n < bytes.len && bytes.p[n] != end && bytes.p[n] != '\0')
		n++;
	bytes.len = n;
	if (state == STATE_DATA && n > 0)
		html_text_run(html, bytes);
	if (state == STATE_DATA || state == STATE_COMMENT ||
	    state == STATE_BOGUS || (state != STATE_RAW && html->to == NULL))
		return n;
	room = to->max - to->len;
	if (n > room)
		bytes.len = room;
	(void)buf_put_slice(to, bytes);
	if (state != STATE_RAW) {
		html->to->len += bytes.len;
		html->is_cut = html->is_cut || n > room;
	} else if (n > room) {
		html_send_raw(html);
	}
	return n;
}

void
html_feed(struct html *html, struct slice bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (html->marked == 3)
			i += html_take(html, slice_from(bytes, i));
		if (i == bytes.len)
			break;
		/* NUL would end the strings that values become */
		char c = bytes.p[i] == '\0' ? '?' : bytes.p[i];

		/* A byte order mark is dropped.  Bytes that were taken for one,
		 * but were text, become one byte, which is text, too. */
		if (html->marked < 3) {
			if (c == "\xef\xbb\xbf"[html->marked]) {
				html->marked++;
				continue;
			}
			if (html->marked > 0)
				c = '?';
			html->marked = 3;
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
