/* Session parts in URLs: a sitemap lists the same pages, with another `?sid=`
 * or
 * `;jsessionid=` at each reading. */
#ifndef FRESHET_SESSION_PART_H
#define FRESHET_SESSION_PART_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct store;

/* A document whose URLs changed so often in a row, by such a part alone, has
 * listed three versions of each: its changes are none of the site from then on,
 * until a reading brings pages otherwise. */
#define SESSION_READINGS 2

/* session_part_find(store, reading_id, part): did most pages that came by the
 * reading's delta take the places of pages that left, so that their URLs differ
 * in one parameter alone?  It is appended to part: "?sid=", ";jsessionid=". */
bool session_part_find(struct store *, int64_t reading_id, struct buf *part);

/* session_readings(store, document_id, before_id): how often in a row the URLs
 * of the document had changed so before that reading. */
uint64_t session_readings(
    struct store *, int64_t document_id, int64_t before_id);

#endif
