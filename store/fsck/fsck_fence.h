/* Inside fsck: what is known beside each block of a segment (J8). */
#ifndef FRESHET_FSCK_FENCE_H
#define FRESHET_FSCK_FENCE_H

#include <stdint.h>

#include "base/buf.h"
#include "store/fsck/fsck_internal.h"
#include "store/segment/block.h"

struct fsck_fence {
	struct fsck *fsck;
	struct sqlite3_stmt *get; /* owned */
	struct buf first_url; /* of the block at hand, as it is */
	struct buf last_url;
	struct buf sieve;
	uint64_t keys[BLOCK_ENTRIES];
	uint32_t count; /* of its entries */
};

/* fsck_fence_new(fsck): of segments; fsck_fence_free: NULL is fine. */
struct fsck_fence *fsck_fence_new(struct fsck *);
void fsck_fence_free(struct fsck_fence *);

/* fsck_fence_begin(fence): another block; fsck_fence_add(fence, url): one more
 * of its entries. */
void fsck_fence_begin(struct fsck_fence *);
void fsck_fence_add(struct fsck_fence *, struct slice url);

/* fsck_fence_check(fence, at, id): the block was decoded to its end; does the
 * row of that id say what is true?  A wrong one hides URLs. */
void fsck_fence_check(
    struct fsck_fence *, const struct fsck_finding *at, int64_t id);

#endif
