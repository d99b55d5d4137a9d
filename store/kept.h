/*
 * What the documents of a site make the store keep: their segments, and the
 * changes of each reading.  A site that lists other long URLs at each reading
 * would fill the store otherwise, and nothing of any site would be read any
 * more (HOSTILE T18).
 *
 * A day ends at midnight UTC.  What the first reading of a document brings
 * counts in the total alone.
 */
#ifndef FRESHET_KEPT_H
#define FRESHET_KEPT_H

#include <stdint.h>

struct content;
struct store;

struct kept_bytes {
	uint64_t total; /* bytes */
	uint64_t today;
};

/*
 * store_kept(store, site_id, now_s): what the documents of the site made the
 * store keep.  store_kept_with(store, site_id, document_id, content, now_s):
 * the same, if the content of a reading of the document is stored.
 *
 * store_keep(store, site_id, document_id, reading_id, content): the content of
 * the reading will be stored now: count it.
 *
 * store_kept_fill(store, site_id, now_s, bytes): from now on today's bytes are
 * at least so many; durable with the next store_flush.
 */
struct kept_bytes store_kept(struct store *, int64_t site_id, int64_t now_s);
struct kept_bytes store_kept_with(struct store *, int64_t site_id,
    int64_t document_id, const struct content *, int64_t now_s);
void store_keep(struct store *, int64_t site_id, int64_t document_id,
    int64_t reading_id, const struct content *);
void store_kept_fill(
    struct store *, int64_t site_id, int64_t now_s, uint64_t bytes);

#endif
