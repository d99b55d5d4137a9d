/*
 * A page's tags, with the whole page at hand: one function for each thing that
 * stands in one, which answers where it ends, or the end of the page.  Shares
 * no code with crawler/parse/html.c.
 */
#include "tests/fuzz/plain_html.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/parse/html.h"

struct plain {
	const char *p;
	size_t len;
	struct buf *out;
	bool has_text;
};

static bool
is_space(char c)
{
	return memchr(" \t\n\r\f", c, 5) != NULL;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool
stands(const struct plain *plain, size_t at, const char *word)
{
	size_t len = strlen(word);

	if (len > plain->len || at > plain->len - len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (lower(plain->p[at + i]) != word[i])
			return false;
	return true;
}

/* The first place from `at` on where the word stands. */
static size_t
find(const struct plain *plain, size_t at, const char *word)
{
	while (at < plain->len && !stands(plain, at, word))
		at++;
	return at;
}

/* behind(plain, at, word): where the word, found from `at` on, ends. */
static size_t
behind(const struct plain *plain, size_t at, const char *word)
{
	at = find(plain, at, word);
	return at == plain->len ? at : at + strlen(word);
}

/* The attributes of one tag. */
struct plain_tag {
	struct slice names[HTML_MAX_ATTRIBUTES];
	struct slice values[HTML_MAX_ATTRIBUTES];
	size_t count;
	size_t bytes;
};

static void
add(struct plain_tag *tag, struct slice name, struct slice value)
{
	if (tag->count == HTML_MAX_ATTRIBUTES)
		return;
	tag->names[tag->count] = name;
	tag->values[tag->count++] = value;
	tag->bytes += name.len + value.len;
}

/* until(plain, at, ends): the first of these characters. */
static size_t
until(const struct plain *plain, size_t at, const char *ends)
{
	while (at < plain->len && strchr(ends, plain->p[at]) == NULL)
		at++;
	return at;
}

static size_t
skip(const struct plain *plain, size_t at, const char *what)
{
	while (at < plain->len && strchr(what, plain->p[at]) != NULL)
		at++;
	return at;
}

#define SPACE " \t\n\r\f"

/* plain_value(plain, at, *value): of what stands behind '='. */
static size_t
plain_value(const struct plain *plain, size_t at, struct slice *value)
{
	at = skip(plain, at, SPACE);
	if (at == plain->len || plain->p[at] == '>')
		return at;
	const char quote[2] = {plain->p[at], '\0'};
	bool is_quoted = quote[0] == '"' || quote[0] == '\'';
	size_t from = at + is_quoted;
	size_t end = until(plain, from, is_quoted ? quote : SPACE ">");

	*value = slice_make(plain->p + from, end - from);
	return end < plain->len && is_quoted ? end + 1 : end;
}

/* plain_attributes(plain, at, tag): where its '>' is. */
static size_t
plain_attributes(const struct plain *plain, size_t at, struct plain_tag *tag)
{
	for (;;) {
		struct slice value = slice_of("");
		size_t from = skip(plain, at, SPACE "/");

		if (from == plain->len || plain->p[from] == '>')
			return from;
		/* an '=' at the beginning belongs to the name */
		at = until(plain, from + 1, SPACE "/=>");
		struct slice name = slice_make(plain->p + from, at - from);
		size_t equals = skip(plain, at, SPACE);
		if (equals < plain->len && plain->p[equals] == '=')
			at = plain_value(plain, equals + 1, &value);
		add(tag, name, value);
	}
}

static void
put_lower(struct buf *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		(void)buf_put_char(out, lower(text.p[i]));
	(void)buf_put_char(out, '\0');
}

static void
put_code(struct buf *out, unsigned long code)
{
	static const unsigned long ends[] = {0x80, 0x800, 0x10000, 0x110000};
	static const unsigned char firsts[] = {0, 0xc0, 0xe0, 0xf0};
	unsigned more = 0;

	while (code >= ends[more])
		more++;
	(void)buf_put_char(out, (char)(firsts[more] | code >> (6 * more)));
	while (more-- > 0)
		(void)buf_put_char(
		    out, (char)(0x80 | (code >> (6 * more) & 0x3f)));
}

/* put_number(out, text): of "&#…;"; how many bytes of text it is. */
static size_t
put_number(struct buf *out, struct slice text)
{
	bool is_hex = text.len > 2 && (text.p[2] == 'x' || text.p[2] == 'X');
	const char *digits = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
	size_t from = is_hex ? 3 : 2, end = from;
	char number[16] = "";

	while (end < text.len && strchr(digits, text.p[end]) != NULL)
		end++;
	if (end == from || end == text.len || text.p[end] != ';')
		return 0;
	while (from + 1 < end && text.p[from] == '0')
		from++;
	if (end - from > 8)
		return 0;
	memcpy(number, text.p + from, end - from);
	unsigned long code = strtoul(number, NULL, is_hex ? 16 : 10);
	if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	put_code(out, code);
	return end + 1;
}

/* put_undone(out, text): append text, with the characters that its references
 * stand for. */
static void
put_undone(struct buf *out, struct slice text)
{
	static const char *const names[] = {
	    "&amp;", "&quot;", "&lt;", "&gt;", "&apos;"};

	while (text.len > 0) {
		size_t used = 0;

		for (size_t i = 0; i < 5; i++)
			if (slice_starts(text, slice_of(names[i]))) {
				(void)buf_put_char(out, "&\"<>'"[i]);
				used = strlen(names[i]);
			}
		if (slice_starts(text, slice_of("&#")))
			used = put_number(out, text);
		if (used == 0) {
			(void)buf_put_char(out, text.p[0]);
			used = 1;
		}
		text = slice_from(text, used);
	}
	(void)buf_put_char(out, '\0');
}

static void
tell_tag(struct plain *plain, char kind, struct slice name,
    const struct plain_tag *tag)
{
	struct buf *out = plain->out;

	(void)buf_put_char(out, kind);
	put_lower(out,
	    slice_make(
		name.p, name.len < HTML_MAX_TAG ? name.len : HTML_MAX_TAG));
	plain->has_text = false;
	if (name.len + tag->bytes > HTML_MAX_TAG)
		return;
	for (size_t i = 0; i < tag->count; i++) {
		(void)buf_put_char(out, 'n');
		put_lower(out, tag->names[i]);
		(void)buf_put_char(out, 'v');
		put_undone(out, tag->values[i]);
	}
}

/* plain_raw(plain, at, name): where the end tag of that name begins. */
static size_t
plain_raw(struct plain *plain, size_t at, struct slice name)
{
	char end[16] = "</";
	size_t to, len;

	for (size_t i = 0; i < name.len; i++)
		end[2 + i] = lower(name.p[i]);
	to = find(plain, at, end);
	while (to < plain->len &&
	    (to + 2 + name.len == plain->len ||
		strchr(SPACE "/>", plain->p[to + 2 + name.len]) == NULL))
		to = find(plain, to + 1, end);
	len = to - at;
	/* of what has no end only what is too long is told */
	if (len == 0 || (to == plain->len && len <= HTML_MAX_RAW))
		return to;
	(void)buf_put_char(plain->out, 'r');
	(void)buf_put_slice(plain->out,
	    slice_make(plain->p + at, len < HTML_MAX_RAW ? len : HTML_MAX_RAW));
	(void)buf_put_char(plain->out, '\0');
	return to;
}

static bool
is_raw(struct slice name)
{
	static const char *const names[] = {"iframe", "noembed", "noframes",
	    "noscript", "script", "style", "template", "textarea", "title",
	    "xmp"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal_nocase(name, slice_of(names[i])))
			return true;
	return false;
}

/* plain_tag(plain, at): of one whose name begins there; behind it. */
static size_t
plain_tag(struct plain *plain, size_t at)
{
	struct plain_tag tag = {.count = 0};
	bool is_end = plain->p[at - 1] == '/';
	size_t to = until(plain, at, SPACE "/>");
	struct slice name = slice_make(plain->p + at, to - at);

	to = plain_attributes(plain, to, &tag);
	if (to == plain->len)
		return to;
	tell_tag(plain, is_end ? '/' : '<', name, &tag);
	if (is_end || !is_raw(name))
		return to + 1;
	to = plain_raw(plain, to + 1, name);
	return to == plain->len ? to : plain_tag(plain, to + 2);
}

/* plain_comment(plain, at): behind "<!--"; behind its end. */
static size_t
plain_comment(const struct plain *plain, size_t at)
{
	if (stands(plain, at, ">") || stands(plain, at, "->"))
		return behind(plain, at, ">");
	while (at < plain->len && !stands(plain, at, "-->") &&
	    !stands(plain, at, "--!>"))
		at++;
	return behind(plain, at, ">");
}

/* plain_open(plain, at): of what stands behind a '<'; behind it. */
static size_t
plain_open(struct plain *plain, size_t at)
{
	bool is_close = stands(plain, at, "/");

	if (at + is_close >= plain->len)
		return plain->len;
	if (is_letter(plain->p[at + is_close]))
		return plain_tag(plain, at + is_close);
	if (stands(plain, at, "!--"))
		return plain_comment(plain, at + 3);
	if (is_close || plain->p[at] == '!' || plain->p[at] == '?')
		return behind(plain, at + 1, ">");
	if (!plain->has_text)
		(void)buf_put_char(plain->out, 't');
	plain->has_text = true;
	return at;
}

/* plain_bytes(page, out): without a byte order mark; one that breaks off is
 * lost, with the byte that shows it. */
static void
plain_bytes(struct slice page, struct buf *out)
{
	size_t at = 0;

	if (slice_starts(page, slice_of("\xef\xbb\xbf"))) {
		at = 3;
	} else if (slice_starts(page, slice_of("\xef"))) {
		at = slice_starts(page, slice_of("\xef\xbb")) ? 3 : 2;
		if (page.len >= at)
			(void)buf_put_char(out, '?');
	}
	for (; at < page.len; at++)
		(void)buf_put_char(out, page.p[at] == '\0' ? '?' : page.p[at]);
}

void
plain_html_events(struct slice page, struct buf *out)
{
	struct plain plain = {.out = out};
	struct buf text;
	size_t at = 0;

	buf_init(&text, PLAIN_MAX);
	plain_bytes(page, &text);
	plain.p = text.p;
	plain.len = text.len;
	while (at < plain.len) {
		char c = plain.p[at++];

		if (c == '<') {
			at = plain_open(&plain, at);
		} else if (!plain.has_text && !is_space(c)) {
			plain.has_text = true;
			(void)buf_put_char(out, 't');
		}
	}
	buf_release(&text);
}
