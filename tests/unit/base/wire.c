/* base/wire.c: numbers and strings as bytes, and bytes that are wrong. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/wire.h"

static const uint64_t numbers[] = {0, 1, 127, 128, 255, 256, 16383, 16384,
    0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX,
    (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};

static void
what_is_put_comes_back(void **state)
{
	struct buf buf;
	struct wire wire;

	buf_init(&buf, 4096);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		wire_put_fixed(&buf, 1, (uint8_t)numbers[i]);
		wire_put_fixed(&buf, 4, (uint32_t)numbers[i]);
		wire_put_fixed(&buf, 8, numbers[i]);
		wire_put_varint(&buf, numbers[i]);
		wire_put_slice(&buf, slice_make("a\0b", i % 4));
	}
	wire = (struct wire){buf_text(&buf), true};
	for (size_t i = 0; i < COUNT(numbers); i++) {
		assert_int_equal(
		    (uint8_t)wire_get_fixed(&wire, 1), (uint8_t)numbers[i]);
		assert_int_equal(
		    (uint32_t)wire_get_fixed(&wire, 4), (uint32_t)numbers[i]);
		assert_true(wire_get_fixed(&wire, 8) == numbers[i]);
		assert_true(wire_get_varint(&wire) == numbers[i]);
		assert_true(slice_equal(
		    wire_get_slice(&wire), slice_make("a\0b", i % 4)));
	}
	assert_true(wire.ok);
	assert_int_equal(wire.in.len, 0);
	buf_release(&buf);
}

static void
the_bytes_are_little_endian(void **state)
{
	static const char expected[] = "\x01"
				       "\x04\x03\x02\x01"
				       "\x08\x07\x06\x05\x04\x03\x02\x01"
				       "\xac\x02"
				       "\x02\0\0\0hi";
	struct buf buf;

	buf_init(&buf, 64);
	wire_put_fixed(&buf, 1, 1);
	wire_put_fixed(&buf, 4, 0x01020304);
	wire_put_fixed(&buf, 8, UINT64_C(0x0102030405060708));
	wire_put_varint(&buf, 300);
	wire_put_slice(&buf, slice_of("hi"));
	assert_int_equal(buf.len, sizeof(expected) - 1);
	assert_memory_equal(buf.p, expected, sizeof(expected) - 1);
	buf_release(&buf);
}

static void
check_exhausted(struct wire *wire)
{
	assert_false(wire->ok);
	assert_int_equal(wire->in.len, 0);
	/* Everything that follows is 0 or empty, and ok stays false. */
	assert_int_equal((uint8_t)wire_get_fixed(wire, 1), 0);
	assert_int_equal(wire_get_slice(wire).len, 0);
	assert_true(wire_get_varint(wire) == 0);
	assert_false(wire->ok);
}

static void
short_bytes_are_refused(void **state)
{
	struct wire wire;

	wire = (struct wire){slice_of(NULL), true};
	assert_int_equal((uint8_t)wire_get_fixed(&wire, 1), 0);
	check_exhausted(&wire);
	wire = (struct wire){slice_make("\1\2\3", 3), true};
	assert_int_equal((uint32_t)wire_get_fixed(&wire, 4), 0);
	check_exhausted(&wire);
	wire = (struct wire){slice_make("\1\2\3\4\5\6\7", 7), true};
	assert_true(wire_get_fixed(&wire, 8) == 0);
	check_exhausted(&wire);
	wire = (struct wire){slice_make("\3\0\0\0ab", 6), true};
	assert_int_equal(wire_get_slice(&wire).len, 0);
	check_exhausted(&wire);
	wire = (struct wire){slice_make("\xff\xff\xff\xff", 4), true};
	assert_int_equal(wire_get_slice(&wire).len, 0);
	check_exhausted(&wire);
	wire = (struct wire){slice_make("\x80\x80", 2), true};
	assert_true(wire_get_varint(&wire) == 0);
	check_exhausted(&wire);
}

/* From the first value that does not fit on, nothing is appended. */
static void
a_ceiling_cuts(void **state)
{
	static const char text[16];
	struct buf buf;

	for (size_t max = 1; max < 40; max++) {
		buf_init(&buf, max);
		wire_put_fixed(&buf, 4, 1);
		wire_put_slice(&buf, slice_make(text, sizeof(text)));
		wire_put_varint(&buf, 300);
		wire_put_fixed(&buf, 8, 1);
		wire_put_fixed(&buf, 1, 1);
		assert_int_equal(buf.is_cut, max < 4 + 4 + 16 + 2 + 8 + 1);
		assert_int_equal(buf.len,
		    max < 4        ? 0
			: max < 8  ? 4
			: max < 24 ? 8
			: max < 26 ? 24
			: max < 34 ? 26
			: max < 35 ? 34
				   : 35);
		buf_clear(&buf);
		assert_false(buf.is_cut);
		buf_release(&buf);
	}
}

static void
varints_hold_64_bits_at_most(void **state)
{
	struct wire wire;

	wire = (struct wire){
	    slice_make("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01z", 11), true};
	assert_true(wire_get_varint(&wire) == UINT64_MAX);
	assert_int_equal((uint8_t)wire_get_fixed(&wire, 1), 'z');
	assert_true(wire.ok);
	wire = (struct wire){
	    slice_make("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02z", 11), true};
	assert_true(wire_get_varint(&wire) == 0);
	check_exhausted(&wire);
	wire = (struct wire){
	    slice_make("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x81\0z", 12),
	    true};
	assert_true(wire_get_varint(&wire) == 0);
	check_exhausted(&wire);
}

UNIT(wire)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_put_comes_back),
	    cmocka_unit_test(the_bytes_are_little_endian),
	    cmocka_unit_test(short_bytes_are_refused),
	    cmocka_unit_test(varints_hold_64_bits_at_most),
	    cmocka_unit_test(a_ceiling_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
