/*
 * The encoding of a document is decided once; then its bytes are converted as a
 * stream.
 *
 *	bytes -> MARK -> [UTF-16] -> PROLOG -> BODY -> out
 *
 *	MARK    charset_feed up to four bytes are held: is there a mark?
 *	PROLOG  text_feed    white space is dropped, a declaration is held
 *	BODY    text_feed    the encoding is known; only the beginning of a
 *	                     character that is not whole is held
 */
#include "crawler/parse/charset.h"

#include <errno.h>
#include <iconv.h>

#include "base/ascii.h"
#include "html_charsets.inc"

/* Encodings as functions of bytes. */

static const struct {
	const char *name;
	enum encoding encoding;
} encoding_names[] = {
    {"utf-8", ENCODING_UTF8},
    {"utf8", ENCODING_UTF8},
    {"us-ascii", ENCODING_ASCII},
    {"ascii", ENCODING_ASCII},
    {"iso-8859-1", ENCODING_LATIN1},
    {"iso8859-1", ENCODING_LATIN1},
    {"iso_8859-1", ENCODING_LATIN1},
    {"latin1", ENCODING_LATIN1},
    {"windows-1252", ENCODING_WINDOWS1252},
    {"cp1252", ENCODING_WINDOWS1252},
    {"gbk", ENCODING_GBK},
    {"cp936", ENCODING_GBK},
    /* a subset of GBK, and often declared for GBK */
    {"gb2312", ENCODING_GBK},
};

size_t
utf8_put(char *out, uint32_t c)
{
	static const uint32_t marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3F));
	out[0] = (char)(marks[n] | c);
	return n;
}

size_t
utf8_sequence(struct slice bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	unsigned low = 0x80;
	unsigned high = 0xBF;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xC2 && p[0] <= 0xDF)
		n = 2;
	else if (p[0] >= 0xE0 && p[0] <= 0xEF)
		n = 3;
	else if (p[0] >= 0xF0 && p[0] <= 0xF4)
		n = 4;
	else
		return 0;
	if (bytes.len < n)
		return 0;
	if (p[0] == 0xE0)
		low = 0xA0; /* less would be overlong */
	if (p[0] == 0xED)
		high = 0x9F; /* more would be a surrogate */
	if (p[0] == 0xF0)
		low = 0x90; /* less would be overlong */
	if (p[0] == 0xF4)
		high = 0x8F; /* more would be beyond U+10FFFF */
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

uint32_t
utf8_first(const char *p)
{
	unsigned char first = (unsigned char)p[0];
	unsigned n = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
	uint32_t c = n == 1 ? first : first & (0x7Fu >> n);

	while (--n > 0)
		c = c << 6 | (*++p & 0x3F);
	return c;
}

bool
utf8_is_valid(struct slice bytes)
{
	uint64_t eight;

	while (bytes.len > 0) {
		/* Nearly all URLs are ASCII: test eight bytes at a time. */
		if (bytes.len >= sizeof(eight)) {
			memcpy(&eight, bytes.p, sizeof(eight));
			if ((eight & 0x8080808080808080) == 0) {
				bytes = slice_from(bytes, sizeof(eight));
				continue;
			}
		}
		size_t n = utf8_sequence(bytes);
		if (n == 0)
			return false;
		bytes = slice_from(bytes, n);
	}
	return true;
}

size_t
utf8_cut(struct slice bytes)
{
	for (size_t back = 1; back <= 3 && back <= bytes.len; back++) {
		unsigned char c = (unsigned char)bytes.p[bytes.len - back];

		if (c < 0x80)
			return 0;
		if (c >= 0xC0) {
			size_t need = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;

			return need > back ? back : 0;
		}
	}
	return 0;
}

size_t
line_ends(char *out, struct slice in, bool *is_after_cr)
{
	size_t n = 0;

	if (!*is_after_cr && in.len > 0 && memchr(in.p, '\r', in.len) == NULL) {
		memcpy(out, in.p, in.len);
		return in.len;
	}
	for (size_t i = 0; i < in.len; i++) {
		char c = in.p[i];

		if (c != '\n' || !*is_after_cr)
			out[n++] = c == '\r' ? '\n' : c;
		*is_after_cr = c == '\r';
	}
	return n;
}

/* The converters of the process, one for each encoding but UTF8 and UNKNOWN,
 * which have none: (iconv_t)-1. They must be loaded before a reader enters its
 * sandbox, where it can open nothing. */
static iconv_t
encoding_converter(enum encoding encoding)
{
	static const char *const libc_names[] = {[ENCODING_ASCII] = "ASCII",
	    [ENCODING_LATIN1] = "ISO-8859-1",
	    [ENCODING_WINDOWS1252] = "CP1252",
	    [ENCODING_GBK] = "GBK",
	    [ENCODING_UTF16LE] = "UTF-16LE",
	    [ENCODING_UTF16BE] = "UTF-16BE",
	    [ENCODING_GB18030] = "GB18030",
	    [ENCODING_BIG5] = "BIG5-HKSCS",
	    [ENCODING_EUC_JP] = "EUC-JP-MS",
	    [ENCODING_ISO2022JP] = "ISO-2022-JP",
	    [ENCODING_SHIFT_JIS] = "CP932",
	    [ENCODING_EUC_KR] = "UHC"};
	static iconv_t converters[ENCODING_UNKNOWN]; /* NULL: not opened yet */

	if (encoding == ENCODING_UTF8 || encoding == ENCODING_UNKNOWN)
		return (iconv_t)-1;
	if (converters[encoding] == NULL)
		converters[encoding] = iconv_open(
		    "UTF-8", libc_names[encoding]);
	return converters[encoding];
}

void
encoding_warm(void)
{
	for (int i = ENCODING_UTF8; i < ENCODING_UNKNOWN; i++)
		(void)encoding_converter((enum encoding)i);
}

/* encoding_is_there(encoding): can this machine convert it? */
static bool
encoding_is_there(enum encoding encoding)
{
	return encoding_converter(encoding) != (iconv_t)-1;
}

bool
encoding_is_utf16(enum encoding encoding)
{
	return encoding == ENCODING_UTF16LE || encoding == ENCODING_UTF16BE;
}

enum encoding
encoding_find(struct slice label)
{
	struct buf plain = BUF_UP_TO(32); /* no label is longer */
	enum encoding encoding = ENCODING_UNKNOWN;

	for (size_t i = 0; i < label.len && label.p[i] != ':'; i++)
		if ((ascii_is_letter(label.p[i]) ||
			ascii_is_digit(label.p[i])) &&
		    !buf_put_char(&plain, ascii_lower(label.p[i])))
			break;
	for (size_t i = 0; i < LENGTH(encoding_labels); i++)
		if (slice_is(buf_text(&plain), encoding_labels[i].label))
			encoding = encoding_labels[i].encoding;
	buf_release(&plain);
	return encoding == ENCODING_UTF8 || encoding >= ENCODING_TABLES ||
		encoding_is_there(encoding)
	    ? encoding
	    : ENCODING_UNKNOWN;
}

enum encoding
encoding_declared(struct slice content)
{
	const struct slice word = slice_of("charset");

	for (; content.len > word.len; content = slice_from(content, 1)) {
		struct slice rest = slice_from(content, word.len), label;

		if (!slice_starts_nocase(content, word) ||
		    !slice_cut(&rest, '=', &label) || label.len > 0)
			continue;
		(void)slice_cut(&rest, ';', &label);
		return encoding_find(label);
	}
	return ENCODING_UNKNOWN;
}

/* encoding_convert(encoding, in, out, room, is_bad): convert characters from
 * the front of *in to UTF-8, and move *in past them. An incomplete character at
 * the end, of up to 3 bytes, stays. room is at least 3 x in->len. Returns the
 * number of bytes written; *is_bad: *in now begins with a sequence that the
 * encoding does not have. There is a converter, or a table. */
static size_t
encoding_convert(enum encoding encoding, struct slice *in, char *out,
    size_t room, bool *is_bad)
{
	/* iconv does not write to its input, though the parameter is not const.
	 */
	char *from = (char *)(uintptr_t)in->p;
	char *to = out;
	size_t left = in->len;
	size_t rc;

	if (encoding >= ENCODING_TABLES) {
		const uint16_t
		    *table = encoding_tables[encoding - ENCODING_TABLES];

		for (size_t i = 0; i < left; i++) {
			unsigned char c = (unsigned char)from[i];

			to += utf8_put(to, c < 0x80 ? c : table[c - 0x80]);
		}
		*in = slice_from(*in, left);
		*is_bad = false;
		return (size_t)(to - out);
	}
	rc = iconv(encoding_converter(encoding), &from, &left, &to, &room);
	*is_bad = rc == (size_t)-1 && errno != EINVAL;
	*in = slice_make(from, left);
	return (size_t)(to - out);
}

size_t
utf8_put_windows(char *out, char byte)
{
	struct slice in = {&byte, 1};
	bool is_bad;
	size_t n = encoding_convert(ENCODING_WINDOWS1252, &in, out, 3, &is_bad);

	return n > 0 ? n : utf8_put(out, 0xFFFD);
}

/* The encoding of a document. */

#define PIECE 2048 /* bytes converted at a time */

static bool text_feed(struct charset *, struct slice bytes);

/* charset_report(charset, code, detail, is_failure): report it, but only once
 * that the document is not in UTF-8; false: it is a failure. */
static bool
charset_report(struct charset *charset, enum diag_code code,
    struct slice detail, bool is_failure)
{
	bool is_encoding = code == DIAG_ENCODING_NOT_UTF8;

	if (is_failure)
		charset->failure = code;
	if (!is_encoding || !charset->is_reported)
		diag_emit(charset->options.sink, code, detail);
	charset->is_reported = charset->is_reported || is_encoding;
	return !is_failure;
}

/* charset_convert(charset, bytes): convert the character that the last piece
 * cut, then the rest, and pass it on. Only one of the two encodings that a
 * document can have, of its mark and declared, is converted: what is converted
 * from that of the mark may still begin with a declaration. */
static bool
charset_convert(struct charset *charset, struct slice bytes)
{
	const struct charset_options *options = &charset->options;
	bool is_marked = charset->mark != ENCODING_UTF8;
	char in[PIECE + sizeof(charset->head)];
	char out[sizeof(in) * 3];

	while (bytes.len > 0) {
		size_t n = bytes.len < PIECE ? bytes.len : PIECE;
		bool is_bad;

		memcpy(in, charset->head, charset->head_len);
		memcpy(in + charset->head_len, bytes.p, n);
		bytes = slice_from(bytes, n);
		struct slice rest = slice_make(in, charset->head_len + n);
		struct slice utf8 = {out, 0};
		utf8.len = encoding_convert(
		    is_marked ? charset->mark : charset->encoding, &rest, out,
		    sizeof(out), &is_bad);
		while (is_bad && options->is_page) {
			size_t unit = 1 + encoding_is_utf16(charset->encoding);

			utf8.len += utf8_put(out + utf8.len, 0xFFFD);
			rest = slice_from(
			    rest, unit < rest.len ? unit : rest.len);
			utf8.len += encoding_convert(charset->encoding, &rest,
			    out + utf8.len, sizeof(out) - utf8.len, &is_bad);
		}
		charset->head_len = 0;
		if (utf8.len > 0 &&
		    !(is_marked ? text_feed(charset, utf8)
				: options->out(options->arg, utf8)))
			return false;
		if (is_bad || rest.len > sizeof(charset->head))
			return charset_report(charset, DIAG_PARSE_ERROR,
			    slice_of("bytes that the encoding does not have"),
			    true);
		memcpy(charset->head, rest.p, rest.len);
		charset->head_len = rest.len;
	}
	return true;
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

	bool is_strict = charset->options.is_strict;

	if (charset->has_space &&
	    !charset_report(
		charset, DIAG_LEADING_WHITESPACE, slice_of(NULL), is_strict))
		return false;
	if (name.len == 0)
		return true;
	enum encoding declared = ENCODING_UNKNOWN;

	/* UTF-16 is none of these, because only a byte order mark selects it.
	 */
	for (size_t i = 0; i < LENGTH(encoding_names); i++)
		if (slice_equal_nocase(name, slice_of(encoding_names[i].name)))
			declared = encoding_names[i].encoding;
	/* The strict set reads UTF-8 only (SPEC R-01). */
	if (declared != ENCODING_UTF8 &&
	    !charset_report(charset, DIAG_ENCODING_NOT_UTF8, name, is_strict))
		return false;
	/* The byte order mark wins over the declaration. */
	if (charset->has_mark)
		return true;
	if (declared != ENCODING_UTF8 && !encoding_is_there(declared)) {
		charset->failure = DIAG_ENCODING_NOT_UTF8;
		return false;
	}
	charset->encoding = declared;
	return true;
}

/* charset_begin(charset, form): the form of the document is known; what was
 * held, because it looked like a declaration, goes first. */
static bool
charset_begin(struct charset *charset, enum charset_form form)
{
	const struct charset_options *options = &charset->options;
	struct slice held = buf_text(&charset->declaration);

	charset->state = CHARSET_BODY;
	if (!options->begin(options->arg, form, charset->line))
		return false;
	/* These bytes are in a superset of ASCII, so they need no conversion.
	 */
	return held.len == 0 || options->out(options->arg, held);
}

/* text_feed(charset, bytes): the bytes are UTF-8 or a superset of ASCII,
 * without a byte order mark. */
static bool
text_feed(struct charset *charset, struct slice bytes)
{
	static const char open[] = "<?xml";
	struct buf *held = &charset->declaration;

	if (charset->state == CHARSET_PROLOG && held->len == 0) {
		while (bytes.len > 0 && strchr(" \t\n\r", bytes.p[0]) != NULL &&
		    bytes.p[0] != '\0') {
			/* CR LF is one line end. */
			if (bytes.p[0] == '\r' ||
			    (bytes.p[0] == '\n' && !charset->is_after_cr))
				charset->line++;
			charset->is_after_cr = bytes.p[0] == '\r';
			charset->has_space = true;
			bytes = slice_from(bytes, 1);
		}
		if (bytes.len > 0 && bytes.p[0] != '<' &&
		    !charset_begin(charset, CHARSET_TEXT))
			return false;
	}
	while (charset->state == CHARSET_PROLOG) {
		size_t n = held->len < 5 ? held->len : 5;
		bool is_whole = held->len > 5 &&
		    held->p[held->len - 1] == '>' &&
		    held->p[held->len - 2] == '?';
		bool is_declaration = (n == 0 ||
					  memcmp(held->p, open, n) == 0) &&
		    (held->len < 6 || strchr(" \t\r\n", held->p[5]) != NULL);

		/* Is all that is held the beginning of a declaration, or a
		 * whole one? */
		if (is_declaration && !is_whole) {
			if (bytes.len == 0)
				return true;
			if (!buf_put_char(held, bytes.p[0]))
				return charset_report(charset,
				    DIAG_ENCODING_NOT_UTF8,
				    slice_of("endless declaration"), true);
			bytes = slice_from(bytes, 1);
		} else if ((is_whole &&
			       !apply_declaration(charset, buf_text(held))) ||
		    !charset_begin(charset, CHARSET_MARKUP))
			return false;
	}
	/* Pass the text of the document on, as UTF-8. */
	if (charset->encoding != ENCODING_UTF8)
		return charset_convert(charset, bytes);
	return bytes.len == 0 ||
	    charset->options.out(charset->options.arg, bytes);
}

/* mark_end(charset): decide with the first four bytes, or with all bytes if
 * there are fewer. Encodings in which the XML parser would see '<' and NUL are
 * refused here, because the parser would switch to them. */
static bool
mark_end(struct charset *charset)
{
	/* The first row counts; UNKNOWN: refused. */
	static const struct {
		const char *bytes;
		size_t len;
		enum encoding encoding;
	} heads[] = {{"\xFF\xFE\0\0", 4, ENCODING_UNKNOWN},
	    {"\0\0\xFE\xFF", 4, ENCODING_UNKNOWN},
	    {"\0\0\0<", 4, ENCODING_UNKNOWN},
	    {"\x4C\x6F\xA7\x94", 4, ENCODING_UNKNOWN},
	    {"<\0", 2, ENCODING_UNKNOWN}, {"\0<", 2, ENCODING_UNKNOWN},
	    {"\xEF\xBB\xBF", 3, ENCODING_UTF8},
	    {"\xFF\xFE", 2, ENCODING_UTF16LE},
	    {"\xFE\xFF", 2, ENCODING_UTF16BE}};
	const size_t count = LENGTH(heads);
	char head[sizeof(charset->head)];
	size_t len = charset->head_len;
	size_t i = 0, skip = 0;

	charset->state = CHARSET_PROLOG;
	memcpy(head, charset->head, len);
	while (i < count &&
	    (len < heads[i].len ||
		memcmp(head, heads[i].bytes, heads[i].len) != 0))
		i++;
	if (i < count && heads[i].encoding == ENCODING_UNKNOWN)
		return charset_report(charset, DIAG_ENCODING_NOT_UTF8,
		    slice_of("UTF-32, EBCDIC, or UTF-16 without a mark"), true);
	if (i < count) {
		charset->has_mark = true;
		charset->mark = heads[i].encoding;
		skip = heads[i].len;
	}
	charset->head_len = 0;
	if (charset->mark != ENCODING_UTF8 &&
	    !charset_report(charset, DIAG_ENCODING_NOT_UTF8, slice_of("UTF-16"),
		charset->options.is_strict))
		return false;
	if (charset->mark != ENCODING_UTF8 &&
	    !encoding_is_there(charset->mark)) {
		charset->failure = DIAG_ENCODING_NOT_UTF8;
		return false;
	}
	return charset_feed(charset, slice_make(head + skip, len - skip));
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
	if (charset->mark == ENCODING_UTF8)
		return text_feed(charset, bytes);
	return charset_convert(charset, bytes);
}

void
charset_of_page(struct charset *charset, enum encoding encoding,
    bool (*out)(void *arg, struct slice utf8), void *arg)
{
	*charset = (struct charset){
	    .options = {.is_page = true, .out = out, .arg = arg},
	    .state = CHARSET_BODY,
	    .encoding = encoding};
	/* The page before may have ended among other characters. */
	if (encoding < ENCODING_TABLES)
		(void)iconv(
		    encoding_converter(encoding), NULL, NULL, NULL, NULL);
}

bool
charset_finish(struct charset *charset)
{
	if (charset->state == CHARSET_MARK && !mark_end(charset))
		return false;
	if (charset->state == CHARSET_PROLOG && charset->declaration.len == 0)
		return charset_begin(charset, CHARSET_BLANK);
	if (charset->state == CHARSET_PROLOG &&
	    !charset_begin(charset, CHARSET_MARKUP))
		return false;
	if (charset->head_len > 0)
		return charset_report(charset, DIAG_PARSE_ERROR,
		    slice_of("document ends within a character"), true);
	return true;
}

const char *
charset_guess(struct buf *out, struct slice bytes)
{
	size_t mark = out->len;
	struct slice rest = bytes;
	bool is_bad;

	if (encoding_is_there(ENCODING_GBK) &&
	    buf_reserve(out, bytes.len * 3)) {
		out->len += encoding_convert(ENCODING_GBK, &rest,
		    out->p + out->len, bytes.len * 3, &is_bad);
		if (!is_bad && rest.len == 0)
			return "GBK";
	}
	out->len = mark;
	for (size_t i = 0; i < bytes.len; i++) {
		char utf8[4];
		size_t n = utf8_put_windows(utf8, bytes.p[i]);

		if (!buf_put(out, utf8, n))
			break;
	}
	return "windows-1252";
}
