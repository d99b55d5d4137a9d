/*
 * Bytes of a document to UTF-8 (SPEC ): the encoding is
 * decided by byte order mark and XML declaration before any parser sees a
 * byte (HOSTILE T16).
 */
#ifndef FRESHET_CHARSET_H
#define FRESHET_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

/* By the first byte that is no white space: '<', another, or there is none. */
enum charset_form { CHARSET_BLANK, CHARSET_MARKUP, CHARSET_TEXT };

struct charset;

struct charset_options {
	bool is_strict; /* other encodings, white space in front: failures */
	/* Once, before out: line is that of the first byte passed on. */
	bool (*begin)(void *arg, enum charset_form, uint32_t line);
	/* UTF-8 as far as it was converted; what came as UTF-8 is passed on
	 * as it came and not checked.  Both: false stops. */
	bool (*out)(void *arg, struct slice utf8);
	void *arg;
	struct diag_sink sink;
};

struct charset *charset_new(const struct charset_options *);
void charset_free(struct charset *);

/*
 * charset_feed(charset, bytes), charset_finish(charset): false when nothing
 * more is wanted: out or begin said so, or charset_failure is one of
 * ENCODING_NOT_UTF8 (no encoding that is read, or strict), PARSE_ERROR (bytes
 * that are none of their encoding), LEADING_WHITESPACE (strict).  The same
 * codes go to the sink, each once, also where they are no failure.
 * White space and byte order mark in front are not passed on.
 */
bool charset_feed(struct charset *, struct slice bytes);
bool charset_finish(struct charset *);
enum diag_code charset_failure(const struct charset *);

/* charset_warm(): load the GBK converter while files can be opened. */
void charset_warm(void);

/*
 * charset_guess(out, bytes): append bytes that are no UTF-8, and of which
 * nothing else is known, as UTF-8: GBK if they are, else windows-1252.
 * Returns the encoding's name; out's ceiling may cut.
 */
const char *charset_guess(struct buf *out, struct slice bytes);

#endif
