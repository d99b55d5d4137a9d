/*
 * Bloom filters of blocks: a filter tells which URLs a block cannot hold.
 * A filter takes twelve bits for each URL.
 */
#ifndef FRESHET_BLOOM_H
#define FRESHET_BLOOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/segment/block.h"

#define BLOOM_LINE_BYTES 32
#define BLOOM_URL_BITS 12
#define BLOOM_MAX_BYTES                                                \
	((BLOCK_ENTRIES * BLOOM_URL_BITS / 8 / BLOOM_LINE_BYTES + 1) * \
	    BLOOM_LINE_BYTES)

/* bloom_key(url): the hash of a URL that the other functions take. */
uint64_t bloom_key(struct slice url);

/* bloom_make(out, keys, count): append the filter of a block's URLs. */
void bloom_make(struct buf *out, const uint64_t *keys, uint32_t count);

/* bloom_passes(filter, key): Returns false if the URL is certainly not in the
 * block.  Returns true if the URL is in the block, for about one in a hundred
 * of the other URLs, and always if the filter is empty or has an impossible
 * size. */
bool bloom_passes(struct slice bloom, uint64_t key);

#endif
