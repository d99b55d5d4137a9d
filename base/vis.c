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

size_t
vis_put_middle(struct buf *out, struct slice text, size_t max)
{
	size_t columns, head, tail, seen = 0, head_end = 0, tail_at;
	struct slice shown;
	struct buf whole = BUF_UP_TO(SIZE_MAX);

	vis_put(&whole, text, SIZE_MAX);
	shown = buf_text(&whole);
	columns = slice_chars(shown);
	if (columns <= max) {
		(void)buf_put_slice(out, shown);
	} else {
		head = (max - 3) / 2;
		tail = max - 3 - head;
		/* a character ends before the first byte of the next one */
		tail_at = shown.len;
		for (size_t i = 0; i < shown.len; i++) {
			if (((unsigned char)shown.p[i] & 0xc0) == 0x80)
				continue;
			if (seen == head)
				head_end = i;
			if (seen == columns - tail)
				tail_at = i;
			seen++;
		}
		(void)buf_put(out, shown.p, head_end);
		(void)buf_put(out, "...", 3);
		(void)buf_put_slice(out, slice_from(shown, tail_at));
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
			for (size_t k = first; k < i; k++)
				(void)buf_print(
				    out, "\\x%02x", (unsigned char)text.p[k]);
		if (out->len - start > max) {
			out->len = last_cut;
			(void)buf_put(out, "...", 3);
			return;
		}
	}
}

/* has_specials(text, separator): may any byte of the text have to be changed in
 * JSON (separator 0), or in CSV with that separator?  Nearly never, and it can
 * be told for sixteen bytes at once. */
static inline bool
has_specials(struct slice text, char separator)
{
	bytes16 found = {0}, c;
	char rest[sizeof(found)];

	for (size_t i = 0; i < text.len; i += sizeof(found)) {
		if (text.len - i >= sizeof(found)) {
			c = bytes16_load(text.p + i);
		} else {
			memset(rest, 'a', sizeof(rest));
			memcpy(rest, text.p + i, text.len - i);
			c = bytes16_load(rest);
		}
		if (separator == 0)
			found |= (bytes16)((c - ' ' > '~' - ' ') | (c == '"') |
			    (c == '\\') | (c == '<') | (c == '#'));
		else
			found |= (bytes16)((c == (unsigned char)separator) |
			    (c == '"') | (c == ';') | (c == '\t') |
			    (c == '\n') | (c == '\r'));
	}
	return bytes16_mask(found) != 0;
}

void
json_put(struct buf *out, struct slice text)
{
	size_t i = 0;

	(void)buf_put_char(out, '"');
	if (!has_specials(text, 0)) {
		(void)buf_put_slice(out, text);
		i = text.len;
	}
	while (i < text.len) {
		size_t first = i;
		uint32_t point;

		if (!vis_take_char(text, &i, &point))
			point = 0xfffd;
		if (point == '"' || point == '\\')
			(void)buf_print(out, "\\%c", (char)point);
		else if (point == '\n')
			(void)buf_put(out, "\\n", 2);
		else if (point >= 0x10000)
			/* as two surrogates */
			(void)buf_print(out, "\\u%04x\\u%04x",
			    0xd800 + ((point - 0x10000) >> 10),
			    0xdc00 + (point & 0x3ff));
		else if (point < ' ' || point > '~' || point == '<' ||
		    is_second_hash(text, first))
			(void)buf_print(out, "\\u%04x", point);
		else
			(void)buf_put(out, text.p + first, i - first);
	}
	(void)buf_put_char(out, '"');
}

/* vis_is_blank(point): is it white space in Unicode, or invisible? */
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
		(void)buf_print(out, "\\x%02x", (unsigned char)text.p[first]);
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

/* takes_formula(text, i, is_begin): would a formula begin with the character at
 * *i? *i moves past the character. Where a comma is the decimal sign, a
 * semicolon separates fields, even inside the quotes of a field that is not the
 * first; so the text after a semicolon begins a cell. */
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
	for (size_t k = 0; *is_begin && k < LENGTH(begins); k++)
		runs |= point == begins[k];
	*is_begin = point == ';' || point == '\t' || point == '\r' ||
	    point == '\n' || (*is_begin && vis_is_blank(point));
	return runs;
}

void
csv_put(struct buf *out, struct slice text, char separator)
{
	bool is_begin = true, runs = false;

	/* Nearly no field begins like a formula or has a special byte. */
	for (size_t i = 0; i < text.len && is_begin && !runs;)
		runs = takes_formula(text, &i, &is_begin);
	if (!runs && !has_specials(text, separator)) {
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
	static const char *const names[256] = {['&'] = "&amp;",
	    ['<'] = "&lt;",
	    ['>'] = "&gt;",
	    ['"'] = "&quot;",
	    ['\''] = "&apos;"};

	for (size_t i = 0; i < text.len; i++) {
		const char *name = is_second_hash(text, i)
		    ? "&#35;"
		    : names[(unsigned char)text.p[i]];

		if (name != NULL)
			(void)buf_put_slice(out, slice_of(name));
		else
			(void)buf_put_char(out, text.p[i]);
	}
}
