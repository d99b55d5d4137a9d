/* Names: numbers in order of appearance, found again. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "base/names.h"

#define MANY 100000

static void
test_order(void **state)
{
	struct names names;

	names = (struct names){.key = 1};
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

/* name_of(text, prefix, i): one of many names, in text. */
static struct slice
name_of(char text[32], char prefix, uint32_t i)
{
	(void)snprintf(text, 32, "%c%u.example", prefix, i);
	return slice_of(text);
}

static void
test_many(void **state)
{
	struct names names;
	char text[32];

	names = (struct names){.key = 99};
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(names_put(&names, name_of(text, 'h', i)), i);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(names_find(&names, name_of(text, 'h', i)), i);
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

	names = (struct names){.key = 3};
	for (uint32_t i = 0; i < MANY; i++)
		(void)names_put(&names, name_of(text, 'h', i));
	for (uint32_t i = 0; i < MANY; i++)
		if (i % 3 != 0)
			names_remove(&names, i);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(names_find(&names, name_of(text, 'h', i)),
		    i % 3 != 0 ? NAMES_NONE : i);
	for (uint32_t i = 0; i < 3 * MANY; i++) {
		struct slice name = name_of(text, 'n', i);
		uint32_t number = names_put(&names, name);

		assert_true(number < MANY);
		assert_int_equal(names_find(&names, name), number);
		assert_string_equal(names_text(&names, number), text);
		names_remove(&names, number);
	}
	for (uint32_t i = 0; i < MANY; i++)
		(void)names_put(&names, name_of(text, 'm', i));
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t number = names_find(&names, name_of(text, 'm', i));

		assert_string_equal(names_text(&names, number), text);
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
