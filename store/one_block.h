/* One block of a segment, decoded alone. */
#ifndef FRESHET_ONE_BLOCK_H
#define FRESHET_ONE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct store;
struct block_reader;

struct one_block {
	struct buf data; /* owned */
	struct slice rest;
	int64_t id;
	struct block_reader *reader; /* owned: for block_next */
};

/*
 * one_block_open(block, store, id): a zeroed one, or one that was closed;
 * false: it is not there, and the store is damaged.  one_block_close(block,
 * store): the store is damaged when the block was.
 */
bool one_block_open(struct one_block *, struct store *, int64_t id);
void one_block_close(struct one_block *, struct store *);

#endif
