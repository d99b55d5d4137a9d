/* File systems, and whether a store may lie there. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "store/place.h"
#include "store/store.h"

static const char *
temporary(void)
{
	const char *folder = getenv("TMPDIR");

	return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

static void
a_folder_has_a_place(void **state)
{
	struct place place;

	(void)state;
	assert_true(place_look(&place, temporary()));
	assert_true(place.free_bytes > 0);
	assert_int_not_equal(place.type[0], '\0');
	assert_false(place.is_read_only);
	assert_int_equal(place.is_network, place_is_network(temporary()));
	assert_null(place_trouble(temporary()));
}

static void
what_is_no_place_is_said(void **state)
{
	struct place place;

	(void)state;
	assert_false(place_look(&place, "/nonexistent"));
	assert_false(place_is_network("/nonexistent"));
	assert_non_null(place_trouble("/nonexistent"));
	assert_non_null(place_trouble("/proc"));
}

/* Type "proc" has no name here. */
static void
a_type_without_a_name_is_a_number(void **state)
{
	struct place place;

	(void)state;
	assert_true(place_look(&place, "/proc"));
	assert_memory_equal(place.type, "0x", 2);
}

static void
libraries_tell_their_versions(void **state)
{
	struct library libraries[STORE_LIBRARIES];

	(void)state;
	store_libraries(libraries);
	for (int i = 0; i < STORE_LIBRARIES; i++) {
		assert_non_null(libraries[i].name);
		assert_non_null(strchr(libraries[i].built, '.'));
		assert_non_null(strchr(libraries[i].running, '.'));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_folder_has_a_place),
	    cmocka_unit_test(what_is_no_place_is_said),
	    cmocka_unit_test(a_type_without_a_name_is_a_number),
	    cmocka_unit_test(libraries_tell_their_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
