/* A sieve: which URLs a block cannot hold, in twelve bits each. */
#ifndef FRESHET_SIEVE_H
#define FRESHET_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/segment/block.h"

#define SIEVE_LINE_BYTES 32
#define SIEVE_URL_BITS 12
#define SIEVE_MAX_BYTES                                                \
	((BLOCK_ENTRIES * SIEVE_URL_BITS / 8 / SIEVE_LINE_BYTES + 1) * \
	    SIEVE_LINE_BYTES)

/* sieve_key(url): what the sieve keeps of it. */
uint64_t sieve_key(struct slice url);

/* sieve_make(out, keys, count): append the sieve of a block's URLs. */
void sieve_make(struct buf *out, const uint64_t *keys, uint32_t count);

/*
 * sieve_passes(sieve, key): false when the URL is certainly not in the block;
 * true for one in a hundred of the others too, and when there is no sieve.
 */
bool sieve_passes(struct slice sieve, uint64_t key);

#endif
