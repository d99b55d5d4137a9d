/* Which pages lie in an archive. */
#ifndef FRESHET_ARCHIVED_H
#define FRESHET_ARCHIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

#define ARCHIVED_DIGEST 20 /* bytes of a SHA-1 */

/* The last whole answer of a page in an archive. */
struct archived {
	uint64_t archive; /* the number of its folder */
	int64_t at_us; /* when it was asked, since the Epoch */
	uint8_t digest[ARCHIVED_DIGEST]; /* of the payload */
	uint64_t validators; /* archived_validators() of the answer */
};

/* archived_validators(store, etag, last_modified): what tells them from others.
 * A fetch that was not archived may have brought others, and "not modified"
 * means these then. */
uint64_t archived_validators(
    struct store *, struct slice etag, struct slice last_modified);

/* store_archived_put(store, page_id, archived): write it, in place of what was
 * there; durable with the next store_flush.
 * store_archived(store, page_id, archived): false if there is none. */
void store_archived_put(
    struct store *, int64_t page_id, const struct archived *);
bool store_archived(struct store *, int64_t page_id, struct archived *);

#endif
