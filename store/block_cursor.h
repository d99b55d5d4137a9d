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
 * block_cursor_segments(cursor, db, read), block_cursor_deltas(cursor, db,
 * read):
 * Prepare for block_cursor_open.  The cursor must not move in memory.
 * block_cursor_release: also for a zeroed cursor.
 */
void block_cursor_segments(
    struct block_cursor *, struct sqlite3 *, uint64_t *read);
void block_cursor_deltas(
    struct block_cursor *, struct sqlite3 *, uint64_t *read);
void block_cursor_release(struct block_cursor *);

/* block_cursor_open(cursor, owner_id, blocks): move before the first entry of a
 * document, or before the first change of a reading. */
void block_cursor_open(struct block_cursor *, int64_t owner_id, int64_t blocks);

/* block_cursor_until(cursor, url): after block_cursor_open of a segment: skip
 * all blocks whose first URL is greater than url. */
void block_cursor_until(struct block_cursor *, struct slice url);

/* block_cursor_least(cursor, url): after block_cursor_open of a segment: its
 * first URL; false if there is none. */
bool block_cursor_least(struct block_cursor *, struct buf *url);

/*
 * block_cursor_next(cursor, entry), block_cursor_change(cursor, change):
 * Like block_next; false at the end and after a failure.
 *
 * block_cursor_seek(cursor, url, entry): move on to the first entry that is not
 * less than url; only the block that may hold the entry is decoded.
 */
bool block_cursor_next(struct block_cursor *, struct entry *);
bool block_cursor_change(struct block_cursor *, struct change *);
bool block_cursor_seek(struct block_cursor *, struct slice url, struct entry *);

/* block_cursor_place(cursor): a number of the last entry or change, unique
 * among all entries or changes of the store. */
int64_t block_cursor_place(const struct block_cursor *);

/* block_cursor_code(cursor): SQLITE_OK, or SQLite's code of the first failure;
 * SQLITE_CORRUPT_VTAB for damaged blocks. */
int block_cursor_code(const struct block_cursor *);

#endif
