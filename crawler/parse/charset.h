/*
 * Conversion of a document to UTF-8 (SPEC ): the byte order
 * mark and the XML declaration decide the encoding before any parser sees a
 * byte (HOSTILE T16).
 */
#ifndef FRESHET_CHARSET_H
#define FRESHET_CHARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

/* The encodings that are read, as functions of bytes. */

enum encoding {
	ENCODING_UTF8,
	ENCODING_ASCII,
	ENCODING_LATIN1,
	ENCODING_WINDOWS1252,
	ENCODING_GBK,
	ENCODING_UTF16LE,
	ENCODING_UTF16BE,
	/* only of pages: */
	ENCODING_GB18030,
	ENCODING_BIG5,
	ENCODING_EUC_JP,
	ENCODING_ISO2022JP,
	ENCODING_SHIFT_JIS,
	ENCODING_EUC_KR,
	ENCODING_UNKNOWN,
	ENCODING_TABLES /* and above: those of one byte */
};

/* utf8_put(out, c): write one character of at most 4 bytes; returns its length.
 * utf8_put_windows(out, byte): write a byte of windows-1252; U+FFFD: it has no
 * such. */
size_t utf8_put(char *out, uint32_t c);
size_t utf8_put_windows(char *out, char byte);

/* utf8_sequence(bytes): the length of the character at the front of bytes, of
 * which there are some (RFC 3629); 0: it is invalid, or not whole.
 * utf8_first(p): the first character of valid UTF-8. */
size_t utf8_sequence(struct slice bytes);
uint32_t utf8_first(const char *p);

/* utf8_is_valid(bytes): are the bytes well-formed, without surrogates and
 * overlong sequences? */
bool utf8_is_valid(struct slice bytes);

/* utf8_cut(bytes): the length of the incomplete sequence at the end; 0: there
 * is none. */
size_t utf8_cut(struct slice bytes);

/* line_ends(out, in, is_after_cr): copy, and turn CR LF and CR into LF, as XML
 * 2.11 demands before parsing. *is_after_cr carries the state from piece to
 * piece. Returns the number of bytes written, in.len at most. */
size_t line_ends(char *out, struct slice in, bool *is_after_cr);

/* encoding_find(label): the encoding of a page, by its label in the Encoding
 * Standard; punctuation and case do not count.  encoding_declared(content): the
 * one that a Content-Type names behind "charset=".  Both: UNKNOWN: there is
 * none that can be read here. */
enum encoding encoding_find(struct slice label);
enum encoding encoding_declared(struct slice content);
bool encoding_is_utf16(enum encoding);

/* encoding_warm(): load the converters while the process can open files. */
void encoding_warm(void);

/* The form of a document, by the first byte that is not white space: '<',
 * another byte, or none. */
enum charset_form { CHARSET_BLANK, CHARSET_MARKUP, CHARSET_TEXT };

struct charset_options {
	/* other encodings, and white space in front, are failures */
	bool is_strict;
	bool is_page; /* bytes that are invalid become U+FFFD */
	/* Called once, before out; line is the line of the first byte that goes
	 * to out. */
	bool (*begin)(void *arg, enum charset_form, uint32_t line);
	/* Takes UTF-8. Input that was UTF-8 already is passed on unchanged and
	 * unchecked. begin and out return false to stop. */
	bool (*out)(void *arg, struct slice utf8);
	void *arg;
	struct diag_sink sink;
};

enum charset_state { CHARSET_MARK, CHARSET_PROLOG, CHARSET_BODY };

/* Of a usual declaration there are 40 bytes. */
#define CHARSET_DECLARATION_MAX 1024

/* A new one has its options, the line 1, and a declaration with the ceiling
 * CHARSET_DECLARATION_MAX, which its owner releases; all else is zero. */
struct charset {
	struct charset_options options;
	enum charset_state state;
	enum encoding mark; /* UTF8, UTF16LE or UTF16BE */
	enum encoding encoding; /* of the bytes without a mark */
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

/* charset_feed(charset, bytes), charset_finish(charset): false when no more
 * bytes are wanted, because out or begin said so, or because of the failure:
 * ENCODING_NOT_UTF8 (an encoding that is not read, or that
 * strict refuses), PARSE_ERROR (the bytes are invalid in their encoding),
 * LEADING_WHITESPACE (strict). The same codes go to the sink, each once, even
 * where they are no failure. White space and a byte order mark in front are not
 * passed on. */
bool charset_feed(struct charset *, struct slice bytes);
bool charset_finish(struct charset *);

/* charset_of_page(charset, encoding, out, arg): a new one, which is fed a page
 * without a mark, in an encoding that was found and is not UTF-8; it ends
 * without charset_finish(), and owns nothing. */
void charset_of_page(struct charset *, enum encoding,
    bool (*out)(void *arg, struct slice utf8), void *arg);

/* charset_guess(out, bytes): convert bytes that are not UTF-8 and of unknown
 * encoding, and append them as UTF-8: from GBK if they are valid GBK, otherwise
 * from windows-1252. Returns the name of the encoding. The ceiling of out may
 * cut the text. */
const char *charset_guess(struct buf *out, struct slice bytes);

#endif
