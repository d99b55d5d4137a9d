/* base/strings.c: a list of strings in order of insertion. */
#include "tests/fixtures/fixture.h"

#include "base/strings.h"

static void
test_list(void **state)
{
	struct strings list = {0};

	assert_false(strings_has(&list, slice_of("")));
	strings_add(&list, slice_of("b"));
	strings_add(&list, slice_make("ax", 1));
	strings_add(&list, slice_of("b"));
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0], "b");
	assert_string_equal(list.items[1], "a");
	assert_true(strings_has(&list, slice_of("a")));
	assert_false(strings_has(&list, slice_of("ax")));
	strings_release(&list);
	assert_int_equal(list.count, 0);
	strings_release(&list);
}

UNIT(strings)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
