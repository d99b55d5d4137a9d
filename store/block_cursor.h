/* A cursor over a segment or a delta, for the virtual tables, which have a
 * connection but no struct store. */
#ifndef FRESHET_BLOCK_CURSOR_H
#define FRESHET_BLOCK_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/segment/block.h"

struct sqlite3;
struct sqlite3_stmt;

struct block_cursor {
	struct sqlite3_stmt *data; /* owned: a block by its id */
	struct sqlite3_stmt *first; /* owned: its first URL; NULL for deltas */
	struct sqlite3_stmt *last; /* owned: its last URL; NULL for deltas */
	struct block_reader *reader; /* owned */
	struct buf bytes; /* of the current block */
	uint64_t *read; /* borrowed: counts the blocks that were decoded */
	int64_t first_id;
	uint32_t blocks;
	uint32_t next; /* the block that the reader gets next */
	uint32_t at; /* position of the last entry in its block, from 1 */
	int code; /* SQLite's, of the first failure */
};

/*
 * block_cursor_init(cursor, db, is_of_deltas, read):
 * Prepare for block_cursor_open, of segments or of deltas.  The cursor must not
 * move in memory.
 * block_cursor_release: also for a zeroed cursor.
 */
void block_cursor_init(
    struct block_cursor *, struct sqlite3 *, bool is_of_deltas, uint64_t *read);
void block_cursor_release(struct block_cursor *);

/* block_cursor_open(cursor, owner_id, blocks): move before the first entry of a
 * document, or before the first change of a reading. */
void block_cursor_open(struct block_cursor *, int64_t owner_id, int64_t blocks);

/* block_cursor_narrow(cursor, until, least): after block_cursor_open of a
 * segment: get its first URL, and skip all blocks whose first URL is greater
 * than *until (NULL: none); false if nothing is left. */
bool block_cursor_narrow(
    struct block_cursor *, const struct slice *until, struct buf *least);

/*
 * block_cursor_next(cursor, entry):
 * Like block_next; false at the end and after a failure.  Read changes from
 * cursor->reader, and count them in cursor->at.
 *
 * block_cursor_seek(cursor, url, entry): move on to the first entry that is not
 * less than url; only the block that may hold the entry is decoded.
 */
bool block_cursor_next(struct block_cursor *, struct entry *);
bool block_cursor_seek(struct block_cursor *, struct slice url, struct entry *);

/* block_cursor_place(cursor): a number of the last entry or change, unique
 * among all entries or changes of the store. */
int64_t block_cursor_place(const struct block_cursor *);

#endif
