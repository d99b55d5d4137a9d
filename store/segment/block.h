/*
 * Blocks: how segments and deltas lie in the store.
 *
 * A segment is the sorted set of entries of one document, cut into blocks of
 * BLOCK_ENTRIES.  A block stands alone:
 *
 *	u8 version | varint count | varint raw and packed size of each frame
 *	zstd frame 1: URLs, front-coded: shared and own lengths, then own bytes
 *	zstd frame 2: numbers, one column after the other in byte planes
 *
 * Blocks come from readers, that is from hostile bytes: decoding checks every
 * length, the order of the URLs and their alphabet.
 */
#ifndef FRESHET_BLOCK_H
#define FRESHET_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"
#include "store/segment/entry.h"

#define BLOCK_ENTRIES 4096 /* also the most that a decoder accepts */
#define BLOCK_MAX_BYTES (8 << 20) /* encoded; decoded URLs at most 4 x that */

/* An encoded block, as it is stored and sent. */
struct block {
	struct slice data; /* borrowed */
	struct slice first_url;
	struct slice last_url;
	uint32_t count;
	struct slice bloom; /* of the URLs of entries (sieve.h); empty: none */
};

/* block_sink: takes each finished block; everything in it is borrowed. */
typedef void block_fn(void *arg, const struct block *);

struct block_writer; /* cuts ascending entries, or changes, into blocks */

/* block_writer_new(emit, arg): blocks go to emit as they become full. */
struct block_writer *block_writer_new(block_fn *, void *arg);
void block_writer_free(struct block_writer *);

/* block_writer_hurry(writer): before the first entry: what it packs will not
 * be kept, so it need not be small, and has no sieve. */
void block_writer_hurry(struct block_writer *);

/*
 * block_writer_add(writer, entry), block_writer_add_change(writer, change):
 * One more; URLs strictly ascending.  A writer takes entries or changes,
 * never both.  block_writer_finish emits what is left.
 */
void block_writer_add(struct block_writer *, const struct entry *);
void block_writer_add_change(struct block_writer *, const struct change *);
void block_writer_finish(struct block_writer *);

/*
 * Reading blocks back.  pull gives the next encoded block of the segment or
 * delta, borrowed until it is called again; an empty slice means the end.
 */
typedef struct slice block_pull_fn(void *arg);

struct block_reader;

struct block_reader *block_reader_new(block_pull_fn *, void *arg);
void block_reader_free(struct block_reader *);

/* block_reader_reset(reader): the next block need not follow what was read
 * so far, and damage or the end are forgotten. */
void block_reader_reset(struct block_reader *);

/*
 * block_next(reader, entry), block_next_change(reader, change):
 * The next one in ascending order; its slices live until the next call.
 * Returns true, or false at the end and when the bytes are damaged:
 * block_reader_damaged tells which.
 */
bool block_next(struct block_reader *, struct entry *);
bool block_next_change(struct block_reader *, struct change *);
bool block_reader_damaged(const struct block_reader *);

#endif
