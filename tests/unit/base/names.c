/* Names: numbers in order of appearance, found again. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "base/names.h"

#define MANY 100000

static void
test_order(void **state)
{
	struct names names;

	names_init(&names, 1);
	assert_int_equal(names_find(&names, slice_of("a")), NAMES_NONE);
	assert_int_equal(names_put(&names, slice_of("a")), 0);
	assert_int_equal(names_put(&names, slice_of("")), 1);
	assert_int_equal(names_put(&names, slice_of("ab")), 2);
	assert_int_equal(names_put(&names, slice_of("a")), 0);
	assert_int_equal(names_find(&names, slice_of("")), 1);
	assert_int_equal(names_find(&names, slice_of("b")), NAMES_NONE);
	assert_string_equal(names_text(&names, 2), "ab");
	names_release(&names);
	names_release(&names);
}

static void
test_many(void **state)
{
	struct names names;
	char text[32];

	names_init(&names, 99);
	for (uint32_t i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), "h%u.example", i);
		assert_int_equal(names_put(&names, slice_of(text)), i);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), "h%u.example", i);
		assert_int_equal(names_find(&names, slice_of(text)), i);
		assert_string_equal(names_text(&names, i), text);
	}
	names_release(&names);
}

/* Two of three names are removed; other names get their numbers, and all are
 * found. */
static void
test_remove(void **state)
{
	struct names names;
	char text[32];

	names_init(&names, 3);
	for (uint32_t i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), "h%u.example", i);
		(void)names_put(&names, slice_of(text));
	}
	for (uint32_t i = 0; i < MANY; i++)
		if (i % 3 != 0)
			names_remove(&names, i);
	for (uint32_t i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), "h%u.example", i);
		assert_int_equal(names_find(&names, slice_of(text)),
		    i % 3 != 0 ? NAMES_NONE : i);
	}
	for (uint32_t i = 0; i < 3 * MANY; i++) {
		uint32_t number;

		(void)snprintf(text, sizeof(text), "n%u.example", i);
		number = names_put(&names, slice_of(text));
		assert_true(number < MANY);
		assert_int_equal(names_find(&names, slice_of(text)), number);
		assert_string_equal(names_text(&names, number), text);
		names_remove(&names, number);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), "m%u.example", i);
		(void)names_put(&names, slice_of(text));
	}
	for (uint32_t i = 0; i < MANY; i++) {
		(void)snprintf(text, sizeof(text), "m%u.example", i);
		assert_string_equal(
		    names_text(&names, names_find(&names, slice_of(text))),
		    text);
	}
	names_release(&names);
}

UNIT(names)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
