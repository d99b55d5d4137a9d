/*
 * Structured fields of HTTP (RFC 8941), as far as signatures need them. Texts
 * are hostile and borrowed; nothing is unescaped.  Numbers with a sign or a
 * fraction, tokens and so on are read, and not told apart.
 */
#ifndef FRESHET_STRUCTURED_H
#define FRESHET_STRUCTURED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum structured_type {
	STRUCTURED_OTHER,
	STRUCTURED_TRUE, /* also if the value is left out */
	STRUCTURED_NUMBER, /* 15 digits at most */
	STRUCTURED_STRING,
	STRUCTURED_BYTES,
	STRUCTURED_LIST
};

struct structured {
	enum structured_type type;
	/* what stands between the quotes (with escapes), colons or
	 * parentheses */
	struct slice text;
	int64_t number;
	struct slice parameters; /* ";a=1;b" */
	struct slice whole; /* all of it, with the parameters */
};

/*
 * structured_next(rest, mark, key, value): take one member off a dictionary
 * (mark ','), or one parameter off all of them (';').
 * structured_item(rest, value): take one item off the text of an inner list.
 * Each returns false at the end: if *rest is not empty then, what stands there
 * is wrong, and so is the field.  What was taken is right as a whole.
 */
bool structured_next(
    struct slice *rest, char mark, struct slice *key, struct structured *value);
bool structured_item(struct slice *rest, struct structured *value);

/* structured_find(text, mark, key, value): the last one of that name. False:
 * there is none, or the field is wrong. */
bool structured_find(
    struct slice text, char mark, struct slice key, struct structured *value);

#endif
