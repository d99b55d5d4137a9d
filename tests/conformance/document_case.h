/* The document of a case of kind "xml" or "gzip", and the scope in which it is
 * read. */
#ifndef FRESHET_DOCUMENT_CASE_H
#define FRESHET_DOCUMENT_CASE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "crawler/parse/scope.h"

/*
 * document_case(c, scope, body): initialise *scope as the case demands and
 * append the bytes of the document. In a case of kind "xml" no location rule
 * applies. False: the case has no bytes.
 */
bool document_case(const json_t *c, struct scope *, struct buf *body);

#endif
