/* The blocks of a segment or a delta, found through a connection. */
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
	struct sqlite3_stmt *last; /* owned: its last URL, as first */
	struct block_reader *reader; /* owned */
	struct buf bytes; /* of the block at hand */
	uint64_t *read; /* borrowed: counts the blocks that were decoded */
	int64_t first_id;
	uint32_t blocks;
	uint32_t next; /* the block that the reader gets next */
	uint32_t at; /* place in its block of what came last, from 1 */
	int code; /* SQLite's, of the first failure */
};

/*
 * block_cursor_segments(cursor, db, read), block_cursor_deltas: ready for
 * block_cursor_open; statements that cannot be prepared are a failure.  In
 * place: the cursor must not move.  block_cursor_release: a zeroed one is fine.
 */
void block_cursor_segments(
    struct block_cursor *, struct sqlite3 *, uint64_t *read);
void block_cursor_deltas(
    struct block_cursor *, struct sqlite3 *, uint64_t *read);
void block_cursor_release(struct block_cursor *);

/* block_cursor_open(cursor, owner_id, blocks): stand before the first entry of
 * that document or change of that reading. */
void block_cursor_open(struct block_cursor *, int64_t owner_id, int64_t blocks);

/* block_cursor_until(cursor, url): after open, of a segment: entries of blocks
 * that begin above url are not wanted. */
void block_cursor_until(struct block_cursor *, struct slice url);

/* block_cursor_least(cursor, url): after open, of a segment: its first URL;
 * false when there is none. */
bool block_cursor_least(struct block_cursor *, struct buf *url);

/*
 * block_cursor_next(cursor, entry), block_cursor_change(cursor, change): as
 * block_next; false at the end and after a failure.  block_cursor_seek: the
 * first entry from here on that is not below url; only the block that may
 * hold it is decoded.
 */
bool block_cursor_next(struct block_cursor *, struct entry *);
bool block_cursor_change(struct block_cursor *, struct change *);
bool block_cursor_seek(struct block_cursor *, struct slice url, struct entry *);

/* block_cursor_place(cursor): a number of what came last that nothing else of
 * the same kind in the store has. */
int64_t block_cursor_place(const struct block_cursor *);

/* block_cursor_code(cursor): SQLITE_OK, or why there is no more: damaged
 * blocks are SQLITE_CORRUPT_VTAB. */
int block_cursor_code(const struct block_cursor *);

#endif
