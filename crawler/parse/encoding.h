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

/* encoding_find(name): the encoding with a declared name, in any case. UTF-16
 * is UNKNOWN, because only a byte order mark selects it. */
enum encoding encoding_find(struct slice name);

/*
 * utf8_put(out, c): write one character of at most 4 bytes; returns its length.
 */
size_t utf8_put(char *out, uint32_t c);

/* utf8_is_valid(bytes): are the bytes well-formed, without surrogates and
 * overlong sequences? */
bool utf8_is_valid(struct slice bytes);

/* utf8_cut(bytes): the length of the incomplete sequence at the end; 0: there
 * is none. */
size_t utf8_cut(struct slice bytes);

/*
 * line_ends(out, in, is_after_cr): copy, and turn CR LF and CR into LF, as XML
 * 2.11 demands before parsing. *is_after_cr carries the state from piece to
 * piece. Returns the number of bytes written, in.len at most.
 */
size_t line_ends(char *out, struct slice in, bool *is_after_cr);

/* encoding_char(encoding, byte): the character of a byte in ASCII, LATIN1 or
 * WINDOWS1252; UINT32_MAX: there is none. */
uint32_t encoding_char(enum encoding, unsigned char byte);

/* gbk_warm(): load the converter while the process can open files. False: there
 * is none, and gbk_convert must not be called. */
bool gbk_warm(void);

/*
 * gbk_convert(in, out, room, is_bad): convert characters from the front of *in
 * and move *in past them. An incomplete character at the end, of up to 3 bytes,
 * stays. room is at least 3 x in->len. Returns the number of bytes written;
 * *is_bad: *in now begins with a sequence that is not GBK.
 */
size_t gbk_convert(struct slice *in, char *out, size_t room, bool *is_bad);

#endif
