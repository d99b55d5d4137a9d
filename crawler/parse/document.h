/*
 * A document after decompression: encoding, kind and entries (SPEC R-05).
 *
 *	bytes -> charset -+-> prolog -> xml -+-> sitemap
 *	                  |                  '-> feed
 *	                  '-> textlist
 */
#ifndef FRESHET_DOCUMENT_H
#define FRESHET_DOCUMENT_H

#include <stdbool.h>

#include "crawler/parse/parser.h"
#include "crawler/parse/scope.h"

struct document;

/* document_new(events, scope): both borrowed. */
struct document *document_new(
    const struct parser_events *, const struct scope *);
void document_free(struct document *);

/*
 * document_feed(document, bytes), document_finish(document, is_whole):
 * False when nothing more is wanted: an event said so, or it failed.
 * is_whole is false when what comes before the document broke: then only
 * what was complete is still told, and the rest is no failure.
 */
bool document_feed(struct document *, struct slice bytes);
bool document_finish(struct document *, bool is_whole);

/*
 * document_failure(document): DIAG_OK, or what ended it; it is among the
 * findings.  Before the root event: ENCODING_NOT_UTF8, LEADING_WHITESPACE,
 * EMPTY_FILE, HTML_NOT_SITEMAP, UNSUPPORTED_FORMAT, DOCTYPE_PRESENT and the
 * namespace codes; at any time PARSE_ERROR and XML_LIMIT.
 */
enum diag_code document_failure(const struct document *);

/* document_is_complete(document): read to its end, after finish. */
bool document_is_complete(const struct document *);

#endif
