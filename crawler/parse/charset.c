/*
 * The encoding of a document is decided once; then its bytes are converted as a
 * stream.
 *
 *	bytes -> MARK -> [UTF-16] -> PROLOG -> BODY: recode -> out
 *
 *	MARK    charset_feed up to four bytes are held: is there a mark?
 *	PROLOG  text_feed    white space is dropped, a declaration is held
 *	BODY    recode       the encoding is known; only the beginning of a
 *	                     character that is not whole is held
 */
#include "crawler/parse/charset.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/encoding.h"

#define DECLARATION_MAX 1024 /* a usual declaration has 40 bytes */
#define PIECE 2048 /* bytes converted at a time */

enum charset_state { CHARSET_MARK, CHARSET_PROLOG, CHARSET_BODY };

struct charset {
	struct charset_options options;
	enum charset_state state;
	enum encoding mark; /* UTF8, UTF16LE or UTF16BE */
	enum encoding encoding; /* of the bytes that recode gets */
	bool has_mark;
	enum diag_code failure;
	bool is_reported; /* ENCODING_NOT_UTF8 */
	/* MARK: the first bytes; later: the front of a character */
	char head[4];
	size_t head_len;
	uint32_t line;
	bool is_after_cr;
	bool has_space; /* was white space dropped? */
	struct buf declaration;
};

struct charset *
charset_new(const struct charset_options *options)
{
	struct charset *charset = mem_zero(sizeof(*charset));

	charset->options = *options;
	charset->line = 1;
	buf_init(&charset->declaration, DECLARATION_MAX);
	return charset;
}

void
charset_free(struct charset *charset)
{
	if (charset == NULL)
		return;
	buf_release(&charset->declaration);
	free(charset);
}

enum diag_code
charset_failure(const struct charset *charset)
{
	return charset->failure;
}

static void
charset_enter(struct charset *charset, enum charset_state state)
{
	charset->state = state;
}

static bool
charset_fail(struct charset *charset, enum diag_code code, struct slice detail)
{
	charset->failure = code;
	diag_emit(charset->options.sink, code, detail);
	return false;
}

/* report_encoding(charset, name): the document is not in UTF-8. The strict set
 * reads UTF-8 only (SPEC R-01). */
static bool
report_encoding(struct charset *charset, struct slice name)
{
	if (charset->is_reported)
		return true;
	charset->is_reported = true;
	if (charset->options.is_strict)
		return charset_fail(charset, DIAG_ENCODING_NOT_UTF8, name);
	diag_emit(charset->options.sink, DIAG_ENCODING_NOT_UTF8, name);
	return true;
}

/*
 * charset_convert(charset, encoding, bytes, take): convert the character that
 * the last piece cut, then the rest, and give it to take. Only one of the two
 * encodings that a document can have, of its mark and declared, is converted.
 */
static bool
charset_convert(struct charset *charset, enum encoding encoding,
    struct slice bytes, bool (*take)(struct charset *, struct slice utf8))
{
	char in[PIECE + sizeof(charset->head)];
	char out[sizeof(in) * 3];

	while (bytes.len > 0) {
		size_t n = bytes.len < PIECE ? bytes.len : PIECE;
		bool is_bad;

		memcpy(in, charset->head, charset->head_len);
		memcpy(in + charset->head_len, bytes.p, n);
		bytes = slice_from(bytes, n);
		struct slice rest = slice_make(in, charset->head_len + n);
		n = encoding_convert(
		    encoding, &rest, out, sizeof(out), &is_bad);
		charset->head_len = 0;
		if (n > 0 && !take(charset, slice_make(out, n)))
			return false;
		if (is_bad || rest.len > sizeof(charset->head))
			return charset_fail(charset, DIAG_PARSE_ERROR,
			    slice_of("bytes that the encoding does not have"));
		memcpy(charset->head, rest.p, rest.len);
		charset->head_len = rest.len;
	}
	return true;
}

static bool
charset_out(struct charset *charset, struct slice utf8)
{
	return charset->options.out(charset->options.arg, utf8);
}

static bool
recode(struct charset *charset, struct slice bytes)
{
	if (bytes.len == 0)
		return true;
	if (charset->encoding == ENCODING_UTF8)
		return charset_out(charset, bytes);
	return charset_convert(charset, charset->encoding, bytes, charset_out);
}

/* declared_name(text): the value of the pseudo-attribute "encoding"; empty:
 * there is none. */
static struct slice
declared_name(struct slice text)
{
	static const char word[] = "encoding";
	size_t at = 0;

	while (at + sizeof(word) < text.len &&
	    memcmp(text.p + at, word, sizeof(word) - 1) != 0)
		at++;
	if (at + sizeof(word) >= text.len)
		return slice_make("", 0);
	struct slice rest = slice_from(text, at + sizeof(word) - 1);
	rest = slice_trim(rest);
	if (rest.len == 0 || rest.p[0] != '=')
		return slice_make("", 0);
	rest = slice_trim(slice_from(rest, 1));
	if (rest.len == 0 || (rest.p[0] != '"' && rest.p[0] != '\''))
		return slice_make("", 0);
	const char *end = memchr(rest.p + 1, rest.p[0], rest.len - 1);
	if (end == NULL)
		return slice_make("", 0);
	return slice_make(rest.p + 1, (size_t)(end - rest.p) - 1);
}

/* apply_declaration(charset, text): text is a whole XML declaration with the
 * white space before it: apply its encoding. */
static bool
apply_declaration(struct charset *charset, struct slice text)
{
	struct slice name = declared_name(text);

	if (charset->has_space) {
		if (charset->options.is_strict)
			return charset_fail(
			    charset, DIAG_LEADING_WHITESPACE, slice_of(NULL));
		diag_emit(charset->options.sink, DIAG_LEADING_WHITESPACE,
		    slice_of(NULL));
	}
	if (name.len == 0)
		return true;
	enum encoding declared = encoding_find(name);
	if (declared != ENCODING_UTF8 && !report_encoding(charset, name))
		return false;
	/* The byte order mark wins over the declaration. */
	if (charset->has_mark)
		return true;
	if (declared != ENCODING_UTF8 && !encoding_is_read(declared)) {
		charset->failure = DIAG_ENCODING_NOT_UTF8;
		return false;
	}
	charset->encoding = declared;
	return true;
}

static bool
charset_begin(struct charset *charset, enum charset_form form)
{
	charset_enter(charset, CHARSET_BODY);
	return charset->options.begin(
	    charset->options.arg, form, charset->line);
}

static void
charset_skip_space(struct charset *charset, struct slice *bytes)
{
	while (bytes->len > 0) {
		char c = bytes->p[0];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return;
		if (c == '\r' || (c == '\n' && !charset->is_after_cr))
			charset->line++;
		charset->is_after_cr = c == '\r';
		charset->has_space = true;
		*bytes = slice_from(*bytes, 1);
	}
}

/* is_declaration(text): is text a beginning of an XML declaration, or all of
 * it? */
static bool
is_declaration(struct slice text)
{
	static const char open[] = "<?xml";
	size_t n = text.len < 5 ? text.len : 5;

	if (n > 0 && memcmp(text.p, open, n) != 0)
		return false;
	return text.len < 6 || strchr(" \t\r\n", text.p[5]) != NULL;
}

static bool
prolog_end(struct charset *charset)
{
	struct slice held = buf_text(&charset->declaration);

	if (!charset_begin(charset, CHARSET_MARKUP))
		return false;
	/*
	 * These bytes are in a superset of ASCII, so they need no conversion.
	 */
	return held.len == 0 ||
	    charset->options.out(charset->options.arg, held);
}

/* text_feed(charset, bytes): the bytes are UTF-8 or a superset of ASCII,
 * without a byte order mark. */
static bool
text_feed(struct charset *charset, struct slice bytes)
{
	if (bytes.len == 0)
		return true;
	if (charset->state == CHARSET_BODY)
		return recode(charset, bytes);
	struct buf *held = &charset->declaration;

	if (held->len == 0) {
		charset_skip_space(charset, &bytes);
		if (bytes.len == 0)
			return true;
		if (bytes.p[0] != '<')
			return charset_begin(charset, CHARSET_TEXT) &&
			    recode(charset, bytes);
	}
	while (bytes.len > 0 && is_declaration(buf_text(held))) {
		if (!buf_put_char(held, bytes.p[0])) {
			struct slice much = slice_of("endless declaration");

			if (!charset->is_reported)
				diag_emit(charset->options.sink,
				    DIAG_ENCODING_NOT_UTF8, much);
			charset->failure = DIAG_ENCODING_NOT_UTF8;
			return false;
		}
		bytes = slice_from(bytes, 1);
		if (held->len > 5 && held->p[held->len - 1] == '>' &&
		    held->p[held->len - 2] == '?')
			return apply_declaration(charset, buf_text(held)) &&
			    prolog_end(charset) && recode(charset, bytes);
	}
	if (is_declaration(buf_text(held)))
		return true;
	return prolog_end(charset) && recode(charset, bytes);
}

static bool
marked_feed(struct charset *charset, struct slice bytes)
{
	if (charset->mark == ENCODING_UTF8)
		return text_feed(charset, bytes);
	return charset_convert(charset, charset->mark, bytes, text_feed);
}

static bool
head_is(const struct charset *charset, const char *bytes, size_t n)
{
	return charset->head_len >= n && memcmp(charset->head, bytes, n) == 0;
}

/*
 * mark_end(charset): decide with the first four bytes, or with all bytes if
 * there are fewer. Encodings in which the XML parser would see '<' and NUL are
 * refused here, because the parser would switch to them.
 */
static bool
mark_end(struct charset *charset)
{
	char head[sizeof(charset->head)];
	size_t len = charset->head_len;
	size_t skip = 0;

	charset_enter(charset, CHARSET_PROLOG);
	if (head_is(charset, "\xFF\xFE\0\0", 4) ||
	    head_is(charset, "\0\0\xFE\xFF", 4) ||
	    head_is(charset, "\0\0\0<", 4) ||
	    head_is(charset, "\x4C\x6F\xA7\x94", 4) ||
	    head_is(charset, "<\0", 2) || head_is(charset, "\0<", 2))
		return charset_fail(charset, DIAG_ENCODING_NOT_UTF8,
		    slice_of("UTF-32, EBCDIC, or UTF-16 without a mark"));
	if (head_is(charset, "\xEF\xBB\xBF", 3)) {
		skip = 3;
	} else if (head_is(charset, "\xFF\xFE", 2)) {
		skip = 2;
		charset->mark = ENCODING_UTF16LE;
	} else if (head_is(charset, "\xFE\xFF", 2)) {
		skip = 2;
		charset->mark = ENCODING_UTF16BE;
	}
	charset->has_mark = skip > 0;
	memcpy(head, charset->head, len);
	charset->head_len = 0;
	if (charset->mark != ENCODING_UTF8 &&
	    !report_encoding(charset, slice_of("UTF-16")))
		return false;
	if (charset->mark != ENCODING_UTF8 &&
	    !encoding_is_read(charset->mark)) {
		charset->failure = DIAG_ENCODING_NOT_UTF8;
		return false;
	}
	return marked_feed(charset, slice_make(head + skip, len - skip));
}

bool
charset_feed(struct charset *charset, struct slice bytes)
{
	if (charset->state == CHARSET_MARK) {
		while (bytes.len > 0 &&
		    charset->head_len < sizeof(charset->head)) {
			charset->head[charset->head_len++] = bytes.p[0];
			bytes = slice_from(bytes, 1);
		}
		if (charset->head_len < sizeof(charset->head))
			return true;
		if (!mark_end(charset))
			return false;
	}
	return marked_feed(charset, bytes);
}

bool
charset_finish(struct charset *charset)
{
	if (charset->state == CHARSET_MARK && !mark_end(charset))
		return false;
	if (charset->state == CHARSET_PROLOG) {
		if (charset->declaration.len == 0)
			return charset_begin(charset, CHARSET_BLANK);
		if (!prolog_end(charset))
			return false;
	}
	if (charset->head_len > 0)
		return charset_fail(charset, DIAG_PARSE_ERROR,
		    slice_of("document ends within a character"));
	return true;
}

const char *
charset_guess(struct buf *out, struct slice bytes)
{
	size_t mark = out->len;
	struct slice rest = bytes;
	char utf8[192];
	bool is_bad;

	if (encoding_is_read(ENCODING_GBK) && buf_reserve(out, bytes.len * 3)) {
		out->len += encoding_convert(ENCODING_GBK, &rest,
		    out->p + out->len, bytes.len * 3, &is_bad);
		if (!is_bad && rest.len == 0)
			return "GBK";
	}
	out->len = mark;
	rest = bytes;
	while (rest.len > 0) {
		size_t room = sizeof(utf8) / 3;
		struct slice part = slice_make(
		    rest.p, rest.len < room ? rest.len : room);
		size_t n = encoding_convert(
		    ENCODING_WINDOWS1252, &part, utf8, sizeof(utf8), &is_bad);

		if (!buf_put(out, utf8, n) ||
		    (is_bad && !buf_put(out, "\xef\xbf\xbd", 3)))
			break;
		rest = slice_from(
		    rest, (size_t)(part.p - rest.p) + (is_bad ? 1 : 0));
	}
	return "windows-1252";
}
