/* Digests of bodies and keys of rows. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/hash.h"

/* The canonical form of XXH3-128 is the one that xxh128sum prints. */
static void
digests_are_canonical(void **state)
{
	static const uint8_t empty[16] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47,
	    0x98, 0xd8, 0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
	struct digester *digester = digester_new();
	struct digest digest = digester_value(digester);

	assert_memory_equal(digest.bytes, empty, 16);
	digester_feed(digester, slice_of(NULL));
	digest = digester_value(digester);
	assert_memory_equal(digest.bytes, empty, 16);
	digester_feed(digester, slice_of("x"));
	digest = digester_value(digester);
	assert_memory_not_equal(digest.bytes, empty, 16);
	digester_free(digester);
	digester_free(NULL);
}

static void
pieces_make_no_difference(void **state)
{
	static const size_t steps[] = {1, 7, 64, 255, 256, 257, 1000};
	struct digester *digester = digester_new();
	struct digest whole, pieces;
	char text[3000];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 31 >> 2);
	digester_feed(digester, slice_make(text, sizeof(text)));
	whole = digester_value(digester);
	digester_free(digester);
	for (size_t i = 0; i < COUNT(steps); i++) {
		digester = digester_new();
		for (size_t at = 0; at < sizeof(text); at += steps[i]) {
			size_t left = sizeof(text) - at;

			digester_feed(digester,
			    slice_make(
				text + at, left < steps[i] ? left : steps[i]));
		}
		pieces = digester_value(digester);
		assert_memory_equal(pieces.bytes, whole.bytes, 16);
		digester_free(digester);
	}
}

static void
keys_are_seeded(void **state)
{
	assert_true(hash_key(slice_of("a"), 1) == hash_key(slice_of("a"), 1));
	assert_true(hash_key(slice_of("a"), 1) != hash_key(slice_of("a"), 2));
	assert_true(hash_key(slice_of("a"), 1) != hash_key(slice_of("b"), 1));
	assert_true(
	    hash_key(slice_of(NULL), 0) == UINT64_C(0x2d06800538d394c2));
}

UNIT(hash)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(digests_are_canonical),
	    cmocka_unit_test(pieces_make_no_difference),
	    cmocka_unit_test(keys_are_seeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
