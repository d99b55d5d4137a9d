/* What the cases about documents share. */
#ifndef FRESHET_CASE_HELP_H
#define FRESHET_CASE_HELP_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

/* A set of codes, by enum diag_code. */
struct code_set {
	bool has[DIAG_COUNT];
};

/* code_set_check(set, expect, why): are they those of the JSON list? */
bool code_set_check(
    const struct code_set *, const json_t *expect, struct buf *why);

/* base64_decode(out, text): false when text is none. */
bool base64_decode(struct buf *out, struct slice text);

/* case_text(c, name): a member that is a string, NULL when it is not there. */
const char *case_text(const json_t *c, const char *name);

#endif
