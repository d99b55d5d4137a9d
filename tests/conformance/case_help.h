/* Helpers for the cases about documents. */
#ifndef FRESHET_CASE_HELP_H
#define FRESHET_CASE_HELP_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

/* A set of codes; the index is an enum diag_code. */
struct code_set {
	bool has[DIAG_COUNT];
};

/* code_set_check(set, expect, why): does the set have exactly the codes of the
 * JSON list? False explains itself in *why. */
bool code_set_check(
    const struct code_set *, const json_t *expect, struct buf *why);

/* base64_decode(out, text): false: text is not Base64. */
bool base64_decode(struct buf *out, struct slice text);

/* case_text(c, name): the string member of that name; NULL: there is none. */
const char *case_text(const json_t *c, const char *name);

#endif
