/* Inside fsck: what is known beside each block of a segment (J8). */
#ifndef FRESHET_FSCK_BLOCK_INDEX_H
#define FRESHET_FSCK_BLOCK_INDEX_H

#include <stdint.h>

#include "base/buf.h"
#include "store/fsck/fsck_internal.h"
#include "store/segment/block.h"

struct fsck_block_index {
	struct fsck *fsck;
	struct sqlite3_stmt *get; /* owned */
	struct buf first_url; /* of the block at hand, as it is */
	struct buf last_url;
	struct buf bloom;
	uint64_t keys[BLOCK_ENTRIES];
	uint32_t count; /* of its entries */
};

/* fsck_block_index_new(fsck): of segments; fsck_block_index_free: NULL is fine.
 */
struct fsck_block_index *fsck_block_index_new(struct fsck *);
void fsck_block_index_free(struct fsck_block_index *);

/* fsck_block_index_begin(fence): another block; fsck_block_index_add(fence,
 * url): one more of its entries. */
void fsck_block_index_begin(struct fsck_block_index *);
void fsck_block_index_add(struct fsck_block_index *, struct slice url);

/* fsck_block_index_check(fence, at, id): the block was decoded to its end; does
 * the row of that id say what is true?  A wrong one hides URLs. */
void fsck_block_index_check(
    struct fsck_block_index *, const struct fsck_finding *at, int64_t id);

#endif
