/* Foreign text, made harmless for the place where it is shown. */
#include "base/vis.h"

#include <stdint.h>
#include <string.h>

/* vis_take_char(text, i, point): decode the UTF-8 character at *i and move *i
 * past it. False if it is not well-formed; *i moves by one byte then. */
static bool
vis_take_char(struct slice text, size_t *i, uint32_t *point)
{
	unsigned char lead = (unsigned char)text.p[(*i)++];
	size_t more = lead >= 0xf0 ? 3
	    : lead >= 0xe0         ? 2
	    : lead >= 0xc0         ? 1
				   : 0;
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};

	*point = lead;
	if (lead < 0x80)
		return true;
	if (more == 0 || lead > 0xf4 || text.len - *i < more)
		return false;
	*point = lead & (0x3fu >> more);
	for (size_t k = 0; k < more; k++) {
		unsigned char c = (unsigned char)text.p[*i + k];

		if ((c & 0xc0) != 0x80)
			return false;
		*point = *point << 6 | (c & 0x3f);
	}
	if (*point < least[more] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point <= 0xdfff))
		return false;
	*i += more;
	return true;
}

/* vis_bytes_of(text, columns): the length of the first `columns` characters. */
static size_t
vis_bytes_of(struct slice text, size_t columns)
{
	size_t i = 0;

	while (i < text.len && columns > 0) {
		i++;
		while (
		    i < text.len && ((unsigned char)text.p[i] & 0xc0) == 0x80)
			i++;
		columns--;
	}
	return i;
}

size_t
vis_put_middle(struct buf *out, struct slice text, size_t max)
{
	size_t columns, head;
	struct slice shown;
	struct buf whole;

	buf_init(&whole, SIZE_MAX);
	vis_put(&whole, text, SIZE_MAX);
	shown = buf_text(&whole);
	columns = slice_chars(shown);
	if (columns <= max) {
		(void)buf_put_slice(out, shown);
	} else {
		head = (max - 3) / 2;
		(void)buf_put(out, shown.p, vis_bytes_of(shown, head));
		(void)buf_put(out, "...", 3);
		(void)buf_put_slice(out,
		    slice_from(shown,
			vis_bytes_of(shown, columns - (max - 3 - head))));
		columns = max;
	}
	buf_release(&whole);
	return columns;
}

bool
vis_is_utf8(struct slice text)
{
	uint32_t point;

	for (size_t i = 0; i < text.len;)
		if (!vis_take_char(text, &i, &point))
			return false;
	return true;
}

/* is_actor(point): does the character control, reorder, join or hide the text
 * around it, is it private to a font, or does XML forbid it? HOSTILE T23. */
static bool
is_actor(uint32_t point)
{
	if (point < 0xa0)
		return point < 0x20 || point >= 0x7f;
	/* The first ones are invisible, so that comparisons ignore them:
	 * Unicode's Default_Ignorable_Code_Point below U+E0000. */
	return point == 0xad || point == 0x34f || point == 0x61c ||
	    point == 0x115f || point == 0x1160 || point == 0x17b4 ||
	    point == 0x17b5 || (point >= 0x180b && point <= 0x180f) ||
	    (point >= 0x200b && point <= 0x200f) ||
	    (point >= 0x202a && point <= 0x202e) ||
	    (point >= 0x2060 && point <= 0x206f) || point == 0x3164 ||
	    (point >= 0xfe00 && point <= 0xfe0f) || point == 0xfeff ||
	    point == 0xffa0 || (point >= 0xfff0 && point <= 0xfff8) ||
	    (point >= 0x1bca0 && point <= 0x1bca3) ||
	    (point >= 0x1d173 && point <= 0x1d17a) || point == 0x2028 ||
	    point == 0x2029 || (point >= 0xfff9 && point <= 0xfffb) ||
	    (point & 0xfffe) == 0xfffe ||
	    (point >= 0xe000 && point <= 0xf8ff) || point >= 0xe0000;
}

static void
vis_put_escaped(struct buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)buf_print(out, "\\x%02x", (unsigned char)p[i]);
}

/* is_second_hash(text, i): is the character at i the second of two '#' (see
 * vis_put_lines)? */
static bool
is_second_hash(struct slice text, size_t i)
{
	return i > 0 && text.p[i] == '#' && text.p[i - 1] == '#';
}

void
vis_put(struct buf *out, struct slice text, size_t max)
{
	size_t start = out->len;
	size_t last_cut = start; /* the last length at which "..." still fits */

	for (size_t i = 0; i < text.len;) {
		size_t first = i;
		uint32_t point;

		if (out->len - start + 3 <= max)
			last_cut = out->len;

		if (vis_take_char(text, &i, &point) && !is_actor(point) &&
		    !is_second_hash(text, first))
			(void)buf_put(out, text.p + first, i - first);
		else
			vis_put_escaped(out, text.p + first, i - first);
		if (out->len - start > max) {
			out->len = last_cut;
			(void)buf_put(out, "...", 3);
			return;
		}
	}
}

/* put_json_escape(out, point): \uXXXX; two surrogates above U+FFFF. */
static void
put_json_escape(struct buf *out, uint32_t point)
{
	if (point < 0x10000) {
		(void)buf_print(out, "\\u%04x", point);
		return;
	}
	point -= 0x10000;
	(void)buf_print(out, "\\u%04x\\u%04x", 0xd800 + (point >> 10),
	    0xdc00 + (point & 0x3ff));
}

/* Which of these bytes may have to be escaped in JSON? */
static inline bytes16
json_specials(bytes16 c, char more)
{
	(void)more;
	return (bytes16)((c - ' ' > '~' - ' ') | (c == '"') | (c == '\\') |
	    (c == '<') | (c == '#'));
}

/* has_specials(text, which, more): is any byte of the text special?  Nearly
 * never, and it can be told for sixteen bytes at once. */
static inline bool
has_specials(struct slice text, bytes16 (*which)(bytes16, char), char more)
{
	bytes16 found = {0};
	char rest[sizeof(found)];
	size_t i = 0;

	for (; text.len - i >= sizeof(found); i += sizeof(found))
		found |= which(bytes16_load(text.p + i), more);
	if (i < text.len) {
		memset(rest, 'a', sizeof(rest));
		memcpy(rest, text.p + i, text.len - i);
		found |= which(bytes16_load(rest), more);
	}
	return bytes16_any(found);
}

void
json_put(struct buf *out, struct slice text)
{
	size_t i = 0;

	(void)buf_put_char(out, '"');
	if (!has_specials(text, json_specials, 0)) {
		(void)buf_put_slice(out, text);
		i = text.len;
	}
	while (i < text.len) {
		size_t first = i;
		uint32_t point;

		if (!vis_take_char(text, &i, &point))
			put_json_escape(out, 0xfffd);
		else if (point == '"' || point == '\\')
			(void)buf_print(out, "\\%c", (char)point);
		else if (point == '\n')
			(void)buf_put(out, "\\n", 2);
		else if (point < ' ' || point > '~' || point == '<' ||
		    is_second_hash(text, first))
			put_json_escape(out, point);
		else
			(void)buf_put(out, text.p + first, i - first);
	}
	(void)buf_put_char(out, '"');
}

/* is_blank(point): is the character white space in Unicode, or invisible? */
static bool
vis_is_blank(uint32_t point)
{
	return point <= ' ' || point == 0xa0 || point == 0x1680 ||
	    (point >= 0x2000 && point <= 0x200a) || point == 0x202f ||
	    point == 0x205f || point == 0x3000 || is_actor(point);
}

/* put_line_char(out, text, i, lines): append the character at *i, which stands
 * at the beginning of a line or behind a '#'. */
static void
put_line_char(
    struct buf *out, struct slice text, size_t *i, struct vis_lines *lines)
{
	size_t first = *i;
	uint32_t point;

	if (!vis_take_char(text, i, &point))
		point = 0xfffd;
	if ((point == ':' && !lines->is_inside) ||
	    (point == '#' && lines->has_hash))
		vis_put_escaped(out, text.p + first, 1);
	else
		(void)buf_put(out, text.p + first, *i - first);
	lines->has_hash = point == '#' ||
	    (lines->has_hash && is_actor(point) && point != '\n' &&
		point != '\r');
	lines->is_inside = point != '\n' && point != '\r' &&
	    (lines->is_inside || !vis_is_blank(point));
}

void
vis_put_lines(struct buf *out, struct slice text, struct vis_lines *lines)
{
	for (size_t i = 0; i < text.len;) {
		size_t first = i;

		if (!lines->is_inside || lines->has_hash) {
			put_line_char(out, text, &i, lines);
			continue;
		}
		/* Nothing is changed up to the next '#' or line end, which is
		 * sought in sixteen bytes at once. */
		for (; text.len - i >= sizeof(bytes16); i += sizeof(bytes16)) {
			bytes16 c = bytes16_load(text.p + i);
			unsigned found = bytes16_mask(
			    (bytes16)((c == '#') | (c == '\n') | (c == '\r')));

			if (found != 0) {
				i += (size_t)__builtin_ctz(found);
				break;
			}
		}
		while (i < text.len && text.p[i] != '#' && text.p[i] != '\n' &&
		    text.p[i] != '\r')
			i++;
		(void)buf_put(out, text.p + first, i - first);
		if (i < text.len)
			put_line_char(out, text, &i, lines);
	}
}

/*
 * takes_formula(text, i, is_begin): would a formula begin with the character at
 * *i? *i moves past the character. Where a comma is the decimal sign, a
 * semicolon separates fields, even inside the quotes of a field that is not the
 * first; so the text after a semicolon begins a cell.
 */
static bool
takes_formula(struct slice text, size_t *i, bool *is_begin)
{
	/* East Asian spreadsheets read small and full-width forms, and the
	 * minus sign, like the ASCII characters that begin a formula. */
	static const uint32_t begins[] = {'=', '+', '-', '@', 0x2212, 0xfe62,
	    0xfe63, 0xfe66, 0xfe6b, 0xff0b, 0xff0d, 0xff1d, 0xff20};
	bool is_first = *i == 0, runs;
	uint32_t point;

	if (!vis_take_char(text, i, &point))
		point = 0xfffd;
	runs = *is_begin && is_first && (point == '\t' || point == '\r');
	for (size_t k = 0; *is_begin && k < sizeof(begins) / sizeof(begins[0]);
	     k++)
		runs |= point == begins[k];
	*is_begin = point == ';' || point == '\t' || point == '\r' ||
	    point == '\n' || (*is_begin && vis_is_blank(point));
	return runs;
}

static inline bytes16
csv_specials(bytes16 c, char separator)
{
	return (bytes16)((c == (unsigned char)separator) | (c == '"') |
	    (c == ';') | (c == '\t') | (c == '\n') | (c == '\r'));
}

void
csv_put(struct buf *out, struct slice text, char separator)
{
	bool is_begin = true, runs = false;

	/* Nearly no field begins like a formula or has a special byte. */
	for (size_t i = 0; i < text.len && is_begin && !runs;)
		runs = takes_formula(text, &i, &is_begin);
	if (!runs && !has_specials(text, csv_specials, separator)) {
		(void)buf_put_slice(out, text);
		return;
	}
	is_begin = true;
	(void)buf_put_char(out, '"');
	for (size_t i = 0; i < text.len;) {
		size_t first = i;

		if (takes_formula(text, &i, &is_begin))
			(void)buf_put_char(out, '\'');
		if (text.p[first] == '"')
			(void)buf_put_char(out, '"');
		(void)buf_put(out, text.p + first, i - first);
	}
	(void)buf_put_char(out, '"');
}

void
xml_put(struct buf *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		const char *name = NULL;

		switch (text.p[i]) {
		case '&':
			name = "&amp;";
			break;
		case '<':
			name = "&lt;";
			break;
		case '>':
			name = "&gt;";
			break;
		case '"':
			name = "&quot;";
			break;
		case '\'':
			name = "&apos;";
			break;
		case '#':
			if (is_second_hash(text, i))
				name = "&#35;";
			break;
		}
		if (name != NULL)
			(void)buf_put_slice(out, slice_of(name));
		else
			(void)buf_put_char(out, text.p[i]);
	}
}
