/*
 * Bloom filters cut into cache lines: a key touches one line only.  The upper
 * half of the key chooses the line, the mixed key chooses seven bits in it.
 */
#include "store/segment/bloom.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define LINE_BITS (8 * BLOOM_LINE_BYTES)
#define KEY_BITS 7
#define BIT_SHIFT 8 /* LINE_BITS is two to that */

static_assert(LINE_BITS == 1 << BIT_SHIFT, "a bit's number has 8 bits");

uint64_t
bloom_key(struct slice url)
{
	return hash_key(url, 0);
}

/* The line of a key; *key becomes its bits there.  These are mixed, so that
 * they do not depend on the line (the multiplier is that of SplitMix64). */
static size_t
line_of(uint64_t *key, size_t lines)
{
	size_t line = (size_t)((*key >> 32) * lines >> 32) * BLOOM_LINE_BYTES;

	*key = (*key ^ *key >> 31) * UINT64_C(0x94d049bb133111eb);
	*key ^= *key >> 29;
	return line;
}

void
bloom_make(struct buf *out, const uint64_t *keys, uint32_t count)
{
	size_t lines = ((size_t)count * BLOOM_URL_BITS + LINE_BITS - 1) /
	    LINE_BITS;
	size_t len = lines * BLOOM_LINE_BYTES;
	bool has_room = buf_reserve(out, len);

	assert(has_room && count > 0);
	unsigned char *bloom = (unsigned char *)out->p + out->len;
	memset(bloom, 0, len);
	out->len += len;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bits = keys[i];
		unsigned char *line = bloom + line_of(&bits, lines);

		for (int k = 0; k < KEY_BITS; k++, bits >>= BIT_SHIFT)
			line[(bits & 0xff) >> 3] |= (unsigned char)(1u
			    << (bits & 7));
	}
}

bool
bloom_passes(struct slice bloom, uint64_t key)
{
	size_t lines = bloom.len / BLOOM_LINE_BYTES;

	if (lines == 0 || bloom.len % BLOOM_LINE_BYTES != 0)
		return true;
	const char *line = bloom.p + line_of(&key, lines);
	for (int k = 0; k < KEY_BITS; k++, key >>= BIT_SHIFT)
		if ((line[(key & 0xff) >> 3] >> (key & 7) & 1) == 0)
			return false;
	return true;
}
