/* Blocks that are kept: an owned list of copies. */
#ifndef FRESHET_BLOCK_LIST_H
#define FRESHET_BLOCK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "store/segment/block.h"

/* An owned copy of a block. */
struct block_copy {
	char *data;
	char *first_url;
	char *last_url;
	size_t len;
	uint32_t count;
	char *bloom;
	size_t bloom_len;
};

struct block_list {
	struct block_copy *items;
	size_t count;
	size_t cap;
};

/* Reading the blocks of a list, for block_reader_new; at is 0 to begin. */
struct block_walk {
	const struct block_list *list; /* borrowed */
	size_t at;
};

/* block_walk_pull(walk): a block_pull_fn. */
struct slice block_walk_pull(void *walk);

void block_list_add(struct block_list *, const struct block *);
void block_list_release(struct block_list *);

#endif
