/*
 * Sieves: Bloom filters cut into lines, so that a key touches one line only.
 * A key chooses its line with its upper half and seven bits in it with the
 * rest.
 */
#include "store/segment/sieve.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define LINE_BITS (8 * SIEVE_LINE_BYTES)
#define KEY_BITS 7
#define BIT_SHIFT 8 /* LINE_BITS is two to that */

static_assert(LINE_BITS == 1 << BIT_SHIFT, "a bit's number has 8 bits");

uint64_t
sieve_key(struct slice url)
{
	return hash_key(url, 0);
}

static size_t
line_of(uint64_t key, size_t lines)
{
	return (size_t)((key >> 32) * lines >> 32) * SIEVE_LINE_BYTES;
}

/* The bits must not follow from the line: they are mixed from all of the key
 * (the multiplier is that of SplitMix64). */
static uint64_t
bits_of(uint64_t key)
{
	key = (key ^ key >> 31) * UINT64_C(0x94d049bb133111eb);
	return key ^ key >> 29;
}

void
sieve_make(struct buf *out, const uint64_t *keys, uint32_t count)
{
	size_t lines = ((size_t)count * SIEVE_URL_BITS + LINE_BITS - 1) /
	    LINE_BITS;
	size_t len = lines * SIEVE_LINE_BYTES;
	bool has_room = buf_reserve(out, len);

	assert(has_room && count > 0);
	unsigned char *sieve = (unsigned char *)out->p + out->len;
	memset(sieve, 0, len);
	out->len += len;
	for (uint32_t i = 0; i < count; i++) {
		unsigned char *line = sieve + line_of(keys[i], lines);
		uint64_t bits = bits_of(keys[i]);

		for (int k = 0; k < KEY_BITS; k++, bits >>= BIT_SHIFT)
			line[(bits & 0xff) >> 3] |= (unsigned char)(1u
			    << (bits & 7));
	}
}

bool
sieve_passes(struct slice sieve, uint64_t key)
{
	size_t lines = sieve.len / SIEVE_LINE_BYTES;
	uint64_t bits = bits_of(key);

	if (lines == 0 || sieve.len % SIEVE_LINE_BYTES != 0)
		return true;
	const char *line = sieve.p + line_of(key, lines);
	for (int k = 0; k < KEY_BITS; k++, bits >>= BIT_SHIFT)
		if ((line[(bits & 0xff) >> 3] >> (bits & 7) & 1) == 0)
			return false;
	return true;
}
