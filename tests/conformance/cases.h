/* The conformance cases: one function for each kind, and what they share. */
#ifndef FRESHET_CASES_H
#define FRESHET_CASES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "tests/conformance/case_help.h"

/*
 * case_KIND(c, why): run one case of that kind; false, with what was expected
 * and what came in *why, when it fails.  Source: SPEC section 14.
 */
typedef bool case_fn(const json_t *c, struct buf *why);

bool case_gzip(const json_t *c, struct buf *why);
bool case_lastmod(const json_t *c, struct buf *why);
bool case_location(const json_t *c, struct buf *why);
bool case_robots(const json_t *c, struct buf *why);
bool case_url(const json_t *c, struct buf *why);
bool case_xml(const json_t *c, struct buf *why);

/* case_skip_KIND(c): why this case cannot be run, NULL when it can. */
typedef const char *case_skip_fn(const json_t *c);

const char *case_skip_robots(const json_t *c);
const char *case_skip_xml(const json_t *c);

/* note_codes(set): a sink that adds codes to the struct code_set. */
struct diag_sink note_codes(struct code_set *);

/* case_profile(c): its profile, with the single switches of "policy". */
struct profile case_profile(const json_t *c);

/* case_body(c, body): append "body", "body_b64" or "body_parts". */
void case_body(const json_t *c, struct buf *body);

/* case_same_*(): false, and a line in *why, when got is not expected. */
bool case_same_text(
    struct buf *why, const char *what, struct slice expected, struct slice got);
bool case_same_number(
    struct buf *why, const char *what, json_int_t expected, json_int_t got);

#endif
