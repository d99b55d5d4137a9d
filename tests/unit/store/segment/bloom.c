/* Bloom filters: which URLs a block cannot hold. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/segment/bloom.h"

static uint64_t
key_of(unsigned i)
{
	char url[64];
	int len = snprintf(url, sizeof(url), "http://h.test/page/%u", i);

	return bloom_key(slice_make(url, (size_t)len));
}

/* All URLs that went in pass; of others less than one in a hundred do. */
static void
test_passes(void **state)
{
	static const uint32_t counts[] = {1, 2, 25, 26, 200, BLOCK_ENTRIES};
	static uint64_t keys[BLOCK_ENTRIES];
	struct buf bloom;

	buf_init(&bloom, BLOOM_MAX_BYTES);
	for (size_t i = 0; i < COUNT(counts); i++) {
		unsigned strangers = 0;

		for (uint32_t k = 0; k < counts[i]; k++)
			keys[k] = key_of(k);
		buf_clear(&bloom);
		bloom_make(&bloom, keys, counts[i]);
		assert_true(bloom.len * 8 >= counts[i] * BLOOM_URL_BITS);
		assert_int_equal(bloom.len % BLOOM_LINE_BYTES, 0);
		for (uint32_t k = 0; k < counts[i]; k++)
			assert_true(bloom_passes(buf_text(&bloom), keys[k]));
		for (unsigned k = 0; k < 10000; k++)
			strangers += bloom_passes(
			    buf_text(&bloom), key_of(1000000 + k));
		if (strangers > 120)
			fail_msg("%u: %u pass", counts[i], strangers);
	}
	buf_release(&bloom);
}

/* Bytes that are no Bloom filter let every URL pass, and are not read beyond
 * their end. */
static void
test_no_bloom(void **state)
{
	static const char bytes[65];

	assert_true(bloom_passes(slice_make(NULL, 0), 5));
	for (size_t len = 1; len < sizeof(bytes); len++)
		assert_int_equal(bloom_passes(slice_make(bytes, len), 5),
		    len % BLOOM_LINE_BYTES != 0);
}

UNIT_TESTS(
    bloom, cmocka_unit_test(test_passes), cmocka_unit_test(test_no_bloom));
