/* The document of a case of kind "xml" or "gzip", and how it is read. */
#ifndef FRESHET_DOCUMENT_CASE_H
#define FRESHET_DOCUMENT_CASE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "crawler/parse/scope.h"

/*
 * document_case(c, scope, body): initialise *scope as the case says and append
 * its bytes.  No location rule is applied in a case of kind "xml".  False:
 * it has no bytes.
 */
bool document_case(const json_t *c, struct scope *, struct buf *body);

#endif
