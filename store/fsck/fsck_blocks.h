/* Inside fsck: the blocks of one segment or delta, row by row. */
#ifndef FRESHET_FSCK_BLOCKS_H
#define FRESHET_FSCK_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/fsck/fsck_pass.h"
#include "store/segment/block.h"

struct fsck_block_index;

struct fsck_blocks {
	struct fsck *fsck;
	struct fsck_finding at; /* the table, and the owner's id and URL */
	struct fsck_loss loss; /* its document */
	struct sqlite3_stmt *next; /* owned: id, count, data */
	struct block_reader *reader; /* owned */
	/* owned; NULL: deltas have none */
	struct fsck_block_index *block_index;
	int64_t first_id;
	uint32_t rows; /* read so far, without a gap */
	bool is_broken; /* a gap, or bytes that cannot be decoded */
	int64_t claimed; /* count of the current row */
	uint32_t decoded;
	struct buf data;
};

/* fsck_blocks_open(blocks, fsck, is_segment): prepare to read the segments of
 * documents, or the deltas of readings. */
void fsck_blocks_open(struct fsck_blocks *, struct fsck *, bool is_segment);
void fsck_blocks_close(struct fsck_blocks *);

/* fsck_blocks_begin(blocks, owner_id, document_id, where): begin with another
 * owner of blocks: a document, or a reading of the document. */
void fsck_blocks_begin(struct fsck_blocks *, int64_t owner_id,
    int64_t document_id, struct slice where);

/*
 * fsck_blocks_entry(blocks, entry), fsck_blocks_change(blocks, change):
 * Read the next entry or change; false at the end.  Both report what is wrong
 * with the rows (J5, J8).
 */
bool fsck_blocks_entry(struct fsck_blocks *, struct entry *);
bool fsck_blocks_change(struct fsck_blocks *, struct change *);

#endif
