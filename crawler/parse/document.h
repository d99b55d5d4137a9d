/*
 * A document after decompression: its encoding, kind and entries (SPEC R-05).
 *
 *	bytes -> charset -+-> prolog -> xml -> sitemap
 *	                  '-> textlist
 */
#ifndef FRESHET_DOCUMENT_H
#define FRESHET_DOCUMENT_H

#include <stdbool.h>

#include "crawler/parse/parser.h"
#include "crawler/parse/scope.h"

struct document_parser;

/* document_new(events, scope, failure): all are borrowed. *failure: DIAG_OK, or
 * the code that ended the document, which is among its findings. Before the
 * root event: ENCODING_NOT_UTF8, LEADING_WHITESPACE, EMPTY_FILE,
 * HTML_NOT_SITEMAP, UNSUPPORTED_FORMAT, DOCTYPE_PRESENT and the namespace
 * codes; at any time PARSE_ERROR and XML_LIMIT. */
struct document_parser *document_new(const struct parser_events *,
    const struct scope *, enum diag_code *failure);
void document_free(struct document_parser *);

/*
 * document_feed(document, bytes): false when no more bytes are wanted, because
 * an event said so or the document failed.
 *
 * document_finish(document, is_whole): was the document read to its end?
 * is_whole is false if an earlier stage (transfer, gzip) broke off: complete
 * entries are still reported, and the missing rest is no failure.
 */
bool document_feed(struct document_parser *, struct slice bytes);
bool document_finish(struct document_parser *, bool is_whole);

#endif
