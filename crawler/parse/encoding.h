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

/* encoding_warm(): load the converters while the process can open files. */
void encoding_warm(void);

/* encoding_is_read(encoding): is there a converter? UTF8 and UNKNOWN have none.
 */
bool encoding_is_read(enum encoding);

/*
 * encoding_convert(encoding, in, out, room, is_bad): convert characters from
 * the front of *in to UTF-8, and move *in past them. An incomplete character at
 * the end, of up to 3 bytes, stays. room is at least 3 x in->len. Returns the
 * number of bytes written; *is_bad: *in now begins with a sequence that the
 * encoding does not have. encoding_is_read(encoding) is true.
 */
size_t encoding_convert(
    enum encoding, struct slice *in, char *out, size_t room, bool *is_bad);

#endif
