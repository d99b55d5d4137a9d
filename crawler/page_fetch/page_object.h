/* What a fetched page becomes: a result for the frontier, and a JSON object. */
#ifndef FRESHET_PAGE_OBJECT_H
#define FRESHET_PAGE_OBJECT_H

#include <stdint.h>

#include "base/buf.h"
#include "crawler/frontier/frontier_result.h"
#include "store/outcome.h"

struct archive_place;
struct listed_page;

#define PAGE_HASH_BYTES 33 /* of a text with its NUL */

/*
 * page_result(page, at_s, body, hash): what the frontier is told of a page that
 * was asked for at at_s.  A permanent redirect counts with its own status, and
 * leads to where the redirects ended; any other counts as what it leads to.
 * What asks for a login or for consent, what robots.txt forbids, and an answer
 * with success of which the driver made no page (a 204 or 206, a 304 that
 * nobody asked for, a body that cannot be unpacked) are answers of a host that
 * is well, but not the page.
 *
 * hash gets the digest in hexadecimal: that of the main text, or of the 16
 * bytes of body, which is the digest of a body that is no HTML; NULL: none.
 * The texts of the result are borrowed from page and hash.
 */
struct frontier_result page_result(const struct listed_page *, int64_t at_s,
    const uint8_t *body, char hash[PAGE_HASH_BYTES]);

/* page_object_begin(out, page, result, outcome): begin the object (json.md),
 * with all members but the next two; page_object_archive(out, place) and
 * out_json_text(out, "text", …) add them, and out_json_end(out, '}') ends it.
 */
void page_object_begin(struct buf *, const struct listed_page *,
    const struct frontier_result *, enum page_outcome);
void page_object_archive(struct buf *, const struct archive_place *);

#endif
