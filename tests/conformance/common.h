/* Helpers for all kinds of cases. */
#ifndef FRESHET_CONFORMANCE_COMMON_H
#define FRESHET_CONFORMANCE_COMMON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "tests/conformance/case_help.h"

#define BODY_MAX ((size_t)256 << 20) /* the longest body of a case */

/* note_codes(set): a sink that adds its codes to the set. */
struct diag_sink note_codes(struct code_set *);

/* case_profile(c): the profile of the case, with the single switches of
 * "policy". */
struct profile case_profile(const json_t *c);

/* case_body(c, body): append "body", "body_b64" or "body_parts" of the case. */
void case_body(const json_t *c, struct buf *body);

/* case_same_*(): is got the expected value? False appends a line to *why. */
bool case_same_text(
    struct buf *why, const char *what, struct slice expected, struct slice got);
bool case_same_number(
    struct buf *why, const char *what, json_int_t expected, json_int_t got);

#endif
