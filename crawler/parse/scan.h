/*
 * The fast path: a scanner for the regular subset of XML that nearly all
 * sitemaps and indexes use. It reports the events that libxml2 and sitemap.c
 * would report (parser.h), or it steps aside at the first byte that it is not
 * sure of. It may step aside from any document; it may never differ.
 *
 * An entry is reported as soon as it is complete, so that memory stays bounded
 * and the document need not be scanned twice. When the scanner steps aside
 * later, the reader throws away all that it collected of the document
 * (entries, findings and counts; no block is written before the document ends)
 * and reads the document from its first byte with libxml2.
 */
#ifndef FRESHET_SCAN_H
#define FRESHET_SCAN_H

#include <stdbool.h>

#include "crawler/parse/parser.h"
#include "crawler/parse/scope.h"
#include "store/segment/reading.h"

struct scan;

/* scan_new(events, scope): both are borrowed. The finding event is not used: a
 * document with something to report about its markup is not accepted. */
struct scan *scan_new(const struct parser_events *, const struct scope *);
void scan_free(struct scan *);

/*
 * scan_feed(scan, bytes): the next bytes of the document, after decompression.
 * False: the scanner has stepped aside; nothing that it reported may be used.
 *
 * scan_finish(scan, is_whole): the document ends. ASIDE_NO: it was accepted,
 * and libxml2 would have read it to its end without a failure; otherwise why
 * the scanner has stepped aside. is_whole is false if an earlier stage broke
 * off: then it steps aside. Neither the result nor the events depend on how the
 * bytes are cut into feeds.
 */
bool scan_feed(struct scan *, struct slice bytes);
enum aside scan_finish(struct scan *, bool is_whole);

#endif
