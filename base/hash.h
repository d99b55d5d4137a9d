/* Digests of bodies and keys of rows. */
#ifndef FRESHET_HASH_H
#define FRESHET_HASH_H

#include <stdint.h>

#include "base/late.h"
#include "slice.h"

/* A body's digest: XXH3-128, canonical (big-endian) bytes. */
struct digest {
	uint8_t bytes[16];
};

struct digester; /* a running XXH3-128 */

struct digester *digester_new(void);
void digester_free(struct digester *);
void digester_feed(struct digester *, struct slice);
struct digest digester_value(const struct digester *);

/* hash_key(bytes, key): XXH3-64 of the bytes, seeded with key. */
uint64_t hash_key(struct slice, uint64_t key);

/* hash_library(library): the version of xxHash. */
void hash_library(struct library *);

#endif
