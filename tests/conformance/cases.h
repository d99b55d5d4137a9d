/* The conformance cases: one function for each kind of case. */
#ifndef FRESHET_CASES_H
#define FRESHET_CASES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "tests/conformance/common.h"

/* case_KIND(c, why): run one case of that kind. False: it failed, and *why has
 * what was expected and what came. Source: SPEC section 14. */
typedef bool case_fn(const json_t *c, struct buf *why);

bool case_gzip(const json_t *c, struct buf *why);
bool case_http(const json_t *c, struct buf *why);
bool case_lastmod(const json_t *c, struct buf *why);
bool case_location(const json_t *c, struct buf *why);
bool case_robots(const json_t *c, struct buf *why);
bool case_robots_fetch(const json_t *c, struct buf *why);
bool case_url(const json_t *c, struct buf *why);
bool case_xml(const json_t *c, struct buf *why);

#endif
