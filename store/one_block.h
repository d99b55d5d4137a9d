/* Decoding a single block of a segment. */
#ifndef FRESHET_ONE_BLOCK_H
#define FRESHET_ONE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct store;
struct block_reader;

struct one_block { /* zeroed: empty */
	struct buf data; /* owned */
	struct slice rest; /* that the reader has not pulled yet */
	int64_t id;
	struct block_reader *reader; /* owned: for block_next; NULL: none yet */
};

/*
 * one_block_open(block, store, id): open the block with that id; false if there
 * is none, and then the store has failed as damaged.
 * one_block_close(block, store): also fails the store if the block is damaged.
 * Another block may be opened then, in the same memory.
 * one_block_release(block): free the memory of a block that is not open.
 */
bool one_block_open(struct one_block *, struct store *, int64_t id);
void one_block_close(struct one_block *, struct store *);
void one_block_release(struct one_block *);

#endif
