/* The encodings that are read (SPEC R-01), as functions of bytes. */
#ifndef FRESHET_ENCODING_H
#define FRESHET_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum encoding {
	ENCODING_UTF8,
	ENCODING_ASCII,
	ENCODING_LATIN1,
	ENCODING_WINDOWS1252,
	ENCODING_GBK,
	ENCODING_UTF16LE,
	ENCODING_UTF16BE,
	ENCODING_UNKNOWN
};

/* encoding_find(name): by a declared name in any case; UTF-16 is UNKNOWN,
 * since it is read by its mark only. */
enum encoding encoding_find(struct slice name);

/* utf8_put(out, c): one character, at most 4 bytes; returns how many. */
size_t utf8_put(char *out, uint32_t c);

/* utf8_is_valid(bytes): well-formed, no surrogates, nothing overlong? */
bool utf8_is_valid(struct slice bytes);

/* utf8_cut(bytes): how many at the end begin a sequence that is not whole. */
size_t utf8_cut(struct slice bytes);

/* line_ends(out, in, is_after_cr): copy with CR LF and CR made LF, as XML 2.11
 * demands before anything is parsed; *is_after_cr is kept between pieces.
 * Returns the bytes written, in.len at most. */
size_t line_ends(char *out, struct slice in, bool *is_after_cr);

/* encoding_char(encoding, byte): the character of a byte in ASCII, LATIN1 or
 * WINDOWS1252; UINT32_MAX: none. */
uint32_t encoding_char(enum encoding, unsigned char byte);

/*
 * gbk_warm(): load the converter while files can be opened; false: there is
 * none, and gbk_convert must not be called.
 */
bool gbk_warm(void);

/*
 * gbk_convert(in, out, room): convert what is at the front of *in, which
 * moves past it; a character cut off at the end, of 3 bytes at most, stays.
 * room is at least 3 x in->len.  Returns the bytes written; *is_bad says that
 * in begins with what is no GBK.
 */
size_t gbk_convert(struct slice *in, char *out, size_t room, bool *is_bad);

#endif
