/*
 * Blocks: how segments and deltas are kept in the store.
 *
 * A segment is the sorted set of entries of one document, cut into blocks of
 * BLOCK_FILL, which may grow to BLOCK_ENTRIES: the blocks of the next segment
 * begin where those of this one do, so that what did not change makes the same
 * bytes.  A block can be decoded without its neighbours:
 *
 *	u8 version | varint count | varint raw and packed size of each frame
 *	zstd frame 1: of each URL a byte that is 128 plus how many bytes, at
 *	    most 127, it shares with the URL before, and then its own bytes
 *	zstd frame 2: numbers, one column after the other in byte planes
 *
 * In frame 1 of earlier stores are the shared and own lengths, as columns, and
 * then all own bytes.
 *
 * Blocks come from reader processes, so their bytes may be hostile: the decoder
 * checks every length, the order of the URLs and their alphabet.
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

#define BLOCK_ENTRIES 4096 /* the most that a decoder accepts */
#define BLOCK_FILL 3584 /* of a block that follows no other */
#define BLOCK_MAX_BYTES (8 << 20) /* encoded; decoded URLs at most 4 x that */

/* An encoded block, as it is stored and sent. */
struct block {
	struct slice data; /* borrowed */
	struct slice first_url;
	struct slice last_url;
	uint32_t count;
	struct slice bloom; /* of the URLs of entries (bloom.h); empty: none */
	/* Borrowed; of each entry, none of which is missed: the bloom_key of
	 * its URL, but in the lowest bit whether the entry is accepted.  NULL:
	 * not known. */
	const uint64_t *hashes;
};

/* block_fn: receives each finished block; all of the block is borrowed.  So
 * does block_list_add() (see below). */
typedef void block_fn(void *arg, const struct block *);

struct block_writer; /* cuts ascending entries, or changes, into blocks */

/*
 * block_writer_new(emit, arg, flags): the writer calls emit with each full
 * block.  Flags, or 0:
 *
 * BLOCK_BARE	Make no Bloom filters: whoever validates the blocks makes them.
 * BLOCK_HURRY	The same, and pack fast instead of small: for blocks that nobody
 *		will store.
 * BLOCK_FOLLOW	The blocks are of a segment that has a previous one.
 *
 * block_writer_cut(writer, count): with BLOCK_FOLLOW, call this function before
 * each entry at which a block of the previous segment began, or that takes its
 * place; count: how many entries that block has; 0: no block began there.  Most
 * blocks then begin where those before did; two small neighbours become one.
 */
enum { BLOCK_BARE = 1, BLOCK_HURRY = 2, BLOCK_FOLLOW = 4 };
struct block_writer *block_writer_new(block_fn *, void *arg, unsigned flags);
void block_writer_free(struct block_writer *);
void block_writer_cut(struct block_writer *, uint32_t count);

/* block_writer_add(writer, entry), block_writer_add_change(writer, change):
 * Append an entry or a change; URLs are strictly ascending.  One writer gets
 * either entries or changes, never both.  block_writer_finish emits the last
 * block, which may not be full; returns how many blocks there were in all. */
void block_writer_add(struct block_writer *, const struct entry *);
void block_writer_add_change(struct block_writer *, const struct change *);
uint32_t block_writer_finish(struct block_writer *);

/* Reading blocks.  A block_pull_fn returns the next encoded block of a segment
 * or delta, borrowed until the next call; an empty slice means the end. */
typedef struct slice block_pull_fn(void *arg);

struct block_reader;

struct block_reader *block_reader_new(block_pull_fn *, void *arg);
void block_reader_free(struct block_reader *);

/* block_reader_reset(reader, has_urls_only): Forget damage, the end and the
 * last URL, so that any block may come next.  has_urls_only: read only the URLs
 * of the blocks of entries that come until the next reset, which is half of the
 * work.  block_next() then gives each entry as one that is listed and accepted,
 * and has no other members; the numbers of these blocks may be damaged. */
void block_reader_reset(struct block_reader *, bool has_urls_only);

/* block_next(reader, entry), block_next_change(reader, change):
 * Read the next entry or change in ascending order; its slices are valid until
 * the next call.  Both return false at the end and when the bytes are damaged;
 * block_reader_damaged tells the two cases apart. */
bool block_next(struct block_reader *, struct entry *);
bool block_next_change(struct block_reader *, struct change *);
bool block_reader_damaged(const struct block_reader *);

/* block_shared_bytes(reader): how many bytes the last URL shares with the URL
 * before in its block; it may share more. */
size_t block_shared_bytes(const struct block_reader *);

/* block_begun(reader): if the last entry is the first of its block, the number
 * of entries of that block; else 0. */
uint32_t block_begun(const struct block_reader *);

/* An owned copy of a block. */
struct block_copy {
	char *data;
	char *first_url;
	char *last_url;
	size_t len;
	uint32_t count;
	char *bloom;
	size_t bloom_len;
	uint64_t *hashes; /* NULL: not known */
};

/* An owned list of copies; zeroed: empty. */
struct block_list {
	struct block_copy *items;
	size_t count;
	size_t cap;
};

/* block_list_add(list, block): copy a block behind the others; a block_fn. */
void block_list_add(void *list, const struct block *);
void block_list_release(struct block_list *);

/* block_list_bytes(list): the bytes of all its blocks. */
uint64_t block_list_bytes(const struct block_list *);

/* A position in a list, the argument of block_walk_pull; `at` starts at 0. */
struct block_walk {
	const struct block_list *list; /* borrowed */
	size_t at;
};

/* block_walk_pull(walk): the block_pull_fn of a list. */
struct slice block_walk_pull(void *walk);

#endif
