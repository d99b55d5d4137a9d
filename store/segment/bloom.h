/* A Bloom filter: which URLs a block cannot hold, in twelve bits each. */
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

/* bloom_key(url): what the Bloom filter keeps of it. */
uint64_t bloom_key(struct slice url);

/* bloom_make(out, keys, count): append the Bloom filter of a block's URLs. */
void bloom_make(struct buf *out, const uint64_t *keys, uint32_t count);

/*
 * bloom_passes(Bloom filter, key): false when the URL is certainly not in the
 * block; true for one in a hundred of the others too, and when there is no
 * sieve.
 */
bool bloom_passes(struct slice bloom, uint64_t key);

#endif
