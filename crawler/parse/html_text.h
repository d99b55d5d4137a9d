/* The text of HTML: its bytes, and the references in it. */
#ifndef FRESHET_HTML_TEXT_H
#define FRESHET_HTML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

char html_lower(char c); /* of A to Z */

/* html_goes_raw(name): is what stands in that element text, whatever it looks
 * like?  noscript and template: what stands there is not in force. */
bool html_goes_raw(struct slice name);

/* html_undo(p, len): the references that may stand in a URL or a word, undone
 * in place, since that never makes it longer; the new length. */
size_t html_undo(char *p, size_t len);

/* What the first bytes were, and what is left of two; zeroed before. */
struct html_narrow {
	unsigned marked; /* bytes of a byte order mark; 3: it is over */
	bool is_wide; /* UTF-16 */
	bool is_little;
	bool has_half;
	unsigned char half;
};

/*
 * html_narrow(narrow, byte, *c): the next byte of a page; false: no character
 * yet.  A byte order mark is none; after one of UTF-16 two bytes are one, and
 * what is not ASCII is '?'.  So is a NUL.
 */
bool html_narrow(struct html_narrow *, unsigned char byte, char *c);

#endif
