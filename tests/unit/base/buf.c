/* Bytes: slices, buffers with a ceiling, arrays that grow. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out_json.h"

static void
ceiling_is_never_passed(void **state)
{
	struct buf buf;

	buf_init(&buf, 10);
	assert_true(buf_put(&buf, "0123456789", 10));
	assert_false(buf_put(&buf, "x", 1));
	assert_false(buf_put_char(&buf, 'x'));
	assert_false(buf_print(&buf, "%d", 1));
	assert_false(buf_reserve(&buf, 1));
	assert_false(buf_reserve(&buf, SIZE_MAX));
	assert_true(buf_put(&buf, "", 0));
	assert_true(buf_reserve(&buf, 0));
	assert_true(slice_is(buf_text(&buf), "0123456789"));
	assert_string_equal(buf_str(&buf), "0123456789");
	buf_release(&buf);
}

static void
numbers_are_decimal(void **state)
{
	struct buf buf;

	buf_init(&buf, 30);
	out_json_number(&buf, NULL, 0);
	out_json_number(&buf, NULL, 1090);
	out_json_number(&buf, NULL, UINT64_MAX);
	assert_string_equal(buf_str(&buf), "0,1090,18446744073709551615");
	buf_release(&buf);
}

static void
a_refused_put_changes_nothing(void **state)
{
	const char *held;
	struct buf buf;

	buf_init(&buf, 4);
	assert_true(buf_put_slice(&buf, slice_of("abc")));
	assert_false(buf_put_slice(&buf, slice_of("de")));
	held = buf_str(&buf);
	assert_false(buf_print(&buf, "%s", "de"));
	assert_string_equal(held, "abc");
	assert_true(slice_is(buf_text(&buf), "abc"));
	assert_true(buf_put_char(&buf, 'd'));
	assert_true(slice_is(buf_text(&buf), "abcd"));
	buf_release(&buf);
	assert_int_equal(buf.max, 4);
	assert_int_equal(buf.len, 0);
}

static void
empty_buffers_read_as_empty(void **state)
{
	struct buf zeroed = {0};
	struct buf buf;
	char *taken;

	assert_string_equal(buf_str(&zeroed), "");
	buf_release(&zeroed);
	assert_true(buf_put_char(&zeroed, 'x'));
	buf_release(&zeroed);
	buf_init(&buf, SIZE_MAX);
	taken = buf_take(&buf);
	assert_string_equal(taken, "");
	free(taken);
	assert_true(buf_print(&buf, "%s", ""));
	assert_int_equal(buf_text(&buf).len, 0);
	buf_release(&buf);
	buf_release(&buf);
}

static void
growth_keeps_the_bytes(void **state)
{
	struct buf buf;
	char *taken;

	buf_init(&buf, 100000);
	for (unsigned i = 0; i < 10000; i++)
		assert_true(buf_print(&buf, "%04x", i));
	assert_int_equal(buf.len, 40000);
	assert_memory_equal(buf.p + 4 * 4660, "1234", 4);
	taken = buf_take(&buf);
	assert_int_equal(strlen(taken), 40000);
	assert_int_equal(buf.len, 0);
	assert_null(buf.p);
	assert_true(buf_put_char(&buf, 'x'));
	assert_string_equal(buf_str(&buf), "x");
	buf_clear(&buf);
	assert_string_equal(buf_str(&buf), "");
	buf_release(&buf);
	free(taken);
}

static void
slices_compare_by_unsigned_bytes(void **state)
{
	assert_true(slice_order(slice_of("a"), slice_of("\xc3")) < 0);
	assert_true(slice_order(slice_of("ab"), slice_of("a")) > 0);
	assert_true(slice_order(slice_of(NULL), slice_of("")) == 0);
	assert_true(slice_order(slice_of(""), slice_of("a")) < 0);
	assert_true(slice_equal(slice_of(NULL), slice_of("")));
	assert_false(slice_equal(slice_of("a"), slice_of("ab")));
	assert_true(slice_starts(slice_of("abc"), slice_of("ab")));
	assert_true(slice_starts(slice_of("abc"), slice_of("")));
	assert_false(slice_starts(slice_of("ab"), slice_of("abc")));
	assert_true(
	    slice_equal_nocase(slice_of("aZ[\xc3"), slice_of("Az[\xc3")));
	assert_false(slice_equal_nocase(slice_of("["), slice_of("{")));
	assert_false(slice_equal_nocase(slice_of("@"), slice_of("`")));
	assert_false(slice_equal_nocase(slice_of("a"), slice_of("ab")));
}

static void
trim_knows_xml_white_space_alone(void **state)
{
	assert_true(slice_is(slice_trim(slice_of(" \t\r\na b\n\r\t ")), "a b"));
	assert_int_equal(slice_trim(slice_of(" \n ")).len, 0);
	assert_int_equal(slice_trim(slice_of(NULL)).len, 0);
	assert_true(slice_is(slice_trim(slice_of("\va\f")), "\va\f"));
	assert_true(slice_is(slice_trim(slice_of("\xc2\xa0")), "\xc2\xa0"));
}

static void
copies_are_terminated(void **state)
{
	char *copy = slice_dup(slice_make("abcdef", 3));
	char *empty = slice_dup(slice_of(NULL));

	assert_string_equal(copy, "abc");
	assert_string_equal(empty, "");
	free(copy);
	free(empty);
	copy = mem_copy("xyz");
	assert_string_equal(copy, "xyz");
	free(copy);
}

static void
arrays_double(void **state)
{
	size_t cap = 0;
	uint32_t *items = mem_grow(NULL, &cap, 1, sizeof(*items));
	uint32_t *before;

	assert_true(cap >= 1);
	items[0] = 7;
	items = mem_grow(items, &cap, 1000, sizeof(*items));
	assert_true(cap >= 1000);
	assert_int_equal(items[0], 7);
	before = items;
	items = mem_grow(items, &cap, 1000, sizeof(*items));
	assert_ptr_equal(items, before);
	free(items);
}

static void
zeroed_memory_is_zero(void **state)
{
	unsigned char *p = mem_zero(64);

	for (size_t i = 0; i < 64; i++)
		assert_int_equal(p[i], 0);
	p = mem_resize(p, 128);
	assert_int_equal(p[63], 0);
	free(p);
	p = mem_alloc(0);
	assert_non_null(p);
	free(p);
}

UNIT(buf)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ceiling_is_never_passed),
	    cmocka_unit_test(numbers_are_decimal),
	    cmocka_unit_test(a_refused_put_changes_nothing),
	    cmocka_unit_test(empty_buffers_read_as_empty),
	    cmocka_unit_test(growth_keeps_the_bytes),
	    cmocka_unit_test(slices_compare_by_unsigned_bytes),
	    cmocka_unit_test(trim_knows_xml_white_space_alone),
	    cmocka_unit_test(copies_are_terminated),
	    cmocka_unit_test(arrays_double),
	    cmocka_unit_test(zeroed_memory_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
